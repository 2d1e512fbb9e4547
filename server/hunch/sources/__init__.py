"""Finding and reading the files of a folder."""
