"""How sure can one be? Rates, differences and agreement, each with its interval.

Pure functions of numbers: scores of runs by task in, frozen results out. Every result has a
`sentence()` that claims no more than its interval supports; what cannot be said is None.
"""

from __future__ import annotations

from assay.errors import InvalidSample
from assay.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha
from assay.stats.intervals import (
    Estimate,
    Interval,
    Resampling,
    proportion,
    wilson_interval,
)
from assay.stats.paired import Comparison, Flip, compare
from assay.stats.passes import (
    FlakyTask,
    PassRate,
    TaskPass,
    flaky_tasks,
    pass_at_k,
    pass_curve,
    pass_hat_k,
    pass_rate,
)
from assay.stats.planning import RunsNeeded
from assay.stats.ranking import Ranking, Standing, compare_all, holm
from assay.stats.task_means import cluster_interval, mean_over_tasks
from assay.stats.variance import VarianceParts, variance_parts

__all__ = [
    "Agreement",
    "Comparison",
    "Estimate",
    "FlakyTask",
    "Flip",
    "Interval",
    "InvalidSample",
    "PassRate",
    "Ranking",
    "Resampling",
    "RunsNeeded",
    "Standing",
    "TaskPass",
    "VarianceParts",
    "cluster_interval",
    "cohen_kappa",
    "compare",
    "compare_all",
    "flaky_tasks",
    "holm",
    "krippendorff_alpha",
    "mean_over_tasks",
    "pass_at_k",
    "pass_curve",
    "pass_hat_k",
    "pass_rate",
    "proportion",
    "variance_parts",
    "wilson_interval",
]
