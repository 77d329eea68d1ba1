"""Containers of recordings: files, folders, pipes, packed files, archives, databases and tables."""
