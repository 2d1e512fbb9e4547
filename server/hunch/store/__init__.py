"""The SQLite side: one file with documents, chunks, postings and vectors."""
