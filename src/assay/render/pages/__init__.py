"""Pages: what the viewer, the arena and the one-file report share. Every text is escaped."""
