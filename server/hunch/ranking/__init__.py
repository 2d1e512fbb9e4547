"""Ordering candidates: terms, BM25F, what we know about code, and their fusion."""
