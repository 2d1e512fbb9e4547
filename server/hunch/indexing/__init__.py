"""Keeping the index in line with the folders that are open."""
