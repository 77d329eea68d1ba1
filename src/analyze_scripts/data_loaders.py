"""The seed's loaders under the seed's name."""

from assay.evidence.seed_classifier import classify_error
from assay.ingest.toolgym_tables import (
    load_individual_evals,
    load_summary_files,
    load_trajectory_data,
)

__all__ = [
    "classify_error",
    "load_individual_evals",
    "load_summary_files",
    "load_trajectory_data",
]
