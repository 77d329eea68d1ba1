"""Two or more sets of runs held against each other, on the tasks they share."""

from __future__ import annotations

from assay.comparing.comparison import Comparison, Figure, TaskFlip, compare
from assay.comparing.contest import Contest, compare_several
from assay.comparing.quantities import QUANTITIES, Quantity, quantity_named
from assay.comparing.run_sets import RunFacts, RunSet, read_runs_of
from assay.comparing.sides import DIVISIONS, read_side, read_sides

__all__ = [
    "DIVISIONS",
    "QUANTITIES",
    "Comparison",
    "Contest",
    "Figure",
    "Quantity",
    "RunFacts",
    "RunSet",
    "TaskFlip",
    "compare",
    "compare_several",
    "quantity_named",
    "read_runs_of",
    "read_side",
    "read_sides",
]
