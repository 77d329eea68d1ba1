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
from assay.analyses.questions.correction import Correction, correction
from assay.analyses.questions.episodes import Episode, episodes
from assay.analyses.questions.errors import Failures, errors
from assay.analyses.questions.longest import LongRun, longest
from assay.analyses.questions.persistence import Persistence, persistence
from assay.analyses.questions.retry import Retry, retry
from assay.analyses.questions.servers import ServerUse, servers
from assay.analyses.questions.tools import ToolUse, tools
from assay.analyses.questions.workload import Workload, workload
from assay.analyses.selection import Filters, Rules, Selection
from assay.analyses.view import View, opened

__all__ = [
    "ANALYSES",
    "Analysis",
    "Column",
    "Correction",
    "Episode",
    "Failures",
    "Filters",
    "LongRun",
    "Parameter",
    "Persistence",
    "Retry",
    "Rules",
    "Selection",
    "ServerUse",
    "ToolUse",
    "View",
    "Workload",
    "analysis_named",
    "correction",
    "episodes",
    "errors",
    "longest",
    "opened",
    "persistence",
    "retry",
    "servers",
    "tools",
    "workload",
]
