"""The import path of the seed's document on analysing evaluations: the same objects as in `assay`."""
