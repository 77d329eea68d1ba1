"""Foreign files to cases; what cannot be read is reported in its place."""
