"""All analyses by name: the one list that the command line, reports and pages read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.analyses.questions.tools import TOOLS
from assay.errors import UnknownName

if TYPE_CHECKING:
    from assay.analyses.analysis import Analysis

# In the order in which they are listed.
ANALYSES: dict[str, Analysis] = {analysis.name: analysis for analysis in (TOOLS,)}


def analysis_named(name: str) -> Analysis:
    """The analysis of this name; an error that offers the nearest if there is none."""
    if name not in ANALYSES:
        raise UnknownName("analysis", name, ANALYSES)
    return ANALYSES[name]
