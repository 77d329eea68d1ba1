"""Questions about many runs: each a function of a store that returns typed rows.

    from assay import Store
    from assay.analyses import tools

    tools(Store("runs.assay"), by="model", models=["gpt-5-mini"])

`ANALYSES` lists them all. Every function takes the filters of `Filters` besides its own
parameters; `opened` makes one view for several questions.
"""

from __future__ import annotations

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.catalogue import ANALYSES, analysis_named
from assay.analyses.questions.agreement import RaterAgreement, agreement, judge_calibrations
from assay.analyses.questions.correction import Correction, correction
from assay.analyses.questions.detailed import JudgedRun, detailed
from assay.analyses.questions.distribution import Spread, distribution
from assay.analyses.questions.efficiency import Diversity, Efficiency, diversity, efficiency
from assay.analyses.questions.episodes import Episode, episodes
from assay.analyses.questions.errors import Failures, errors
from assay.analyses.questions.exports import (
    ExportedEvaluation,
    ExportedSummary,
    exported_evaluations,
    exported_summaries,
)
from assay.analyses.questions.longest import LongRun, longest
from assay.analyses.questions.passes import Passes, passes
from assay.analyses.questions.persistence import Persistence, persistence
from assay.analyses.questions.queries import QueryResult, queries
from assay.analyses.questions.retry import Retry, retry
from assay.analyses.questions.servers import ServerUse, servers
from assay.analyses.questions.summary import AttemptStanding, Standing, attempts, summary
from assay.analyses.questions.tools import ToolUse, tools
from assay.analyses.questions.variance import VarianceSplit, variance
from assay.analyses.questions.weighted import (
    WeightedEvaluation,
    WeightedModel,
    weighted,
    weighted_runs,
)
from assay.analyses.questions.workload import Workload, workload
from assay.analyses.selection import Filters, Rules, Selection
from assay.analyses.view import View, opened

__all__ = [
    "ANALYSES",
    "Analysis",
    "AttemptStanding",
    "Column",
    "Correction",
    "Diversity",
    "Efficiency",
    "Episode",
    "ExportedEvaluation",
    "ExportedSummary",
    "Failures",
    "Filters",
    "JudgedRun",
    "LongRun",
    "Parameter",
    "Passes",
    "Persistence",
    "QueryResult",
    "RaterAgreement",
    "Retry",
    "Rules",
    "Selection",
    "ServerUse",
    "Spread",
    "Standing",
    "ToolUse",
    "VarianceSplit",
    "View",
    "WeightedEvaluation",
    "WeightedModel",
    "Workload",
    "agreement",
    "analysis_named",
    "attempts",
    "correction",
    "detailed",
    "distribution",
    "diversity",
    "efficiency",
    "episodes",
    "errors",
    "exported_evaluations",
    "exported_summaries",
    "judge_calibrations",
    "longest",
    "opened",
    "passes",
    "persistence",
    "queries",
    "retry",
    "servers",
    "summary",
    "tools",
    "variance",
    "weighted",
    "weighted_runs",
    "workload",
]
