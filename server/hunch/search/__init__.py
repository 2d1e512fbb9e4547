"""Answering queries from a snapshot of the index."""
