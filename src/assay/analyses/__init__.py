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
from assay.analyses.questions.tools import ToolUse, tools
from assay.analyses.selection import Filters, Rules, Selection
from assay.analyses.view import View, opened

__all__ = [
    "ANALYSES",
    "Analysis",
    "Column",
    "Filters",
    "Parameter",
    "Rules",
    "Selection",
    "ToolUse",
    "View",
    "analysis_named",
    "opened",
    "tools",
]
