"""The language server: one of the three doors of Hunch."""
