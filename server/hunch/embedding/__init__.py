"""Making vectors of texts: Ollama where it runs, else static vectors that ship with Hunch."""
