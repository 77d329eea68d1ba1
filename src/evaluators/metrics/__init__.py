"""The seed's name for `assay.metrics`."""
