"""The seed's import paths: the same objects as in `assay`."""
