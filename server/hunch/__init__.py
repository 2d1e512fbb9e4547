"""Hunch: find code, notes and conversations by meaning, from any editor."""

__version__ = "0.1.0"
