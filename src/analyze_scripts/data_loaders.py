"""The seed's loaders under the seed's name."""

from assay.outcome.seed import classify_error
from assay.readers.special.toolgym_tables import (
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
