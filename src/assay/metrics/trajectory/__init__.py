"""Did the agent make the calls that were expected of it, and no others?"""

from __future__ import annotations

from assay.metrics.trajectory.arguments import ArgumentRules
from assay.metrics.trajectory.expected import ExpectedCall, read_references
from assay.metrics.trajectory.matching import TrajectoryMatchResult, match_trajectory
from assay.metrics.trajectory.metric import TrajectoryMatch

__all__ = [
    "ArgumentRules",
    "ExpectedCall",
    "TrajectoryMatch",
    "TrajectoryMatchResult",
    "match_trajectory",
    "read_references",
]
