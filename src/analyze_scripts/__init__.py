"""The import path of the seed's analysis scripts: the same objects as in `assay`."""
