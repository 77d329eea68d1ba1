"""All analyses by name: the one list that the command line, reports and pages read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.analyses.questions.correction import CORRECTION
from assay.analyses.questions.episodes import EPISODES
from assay.analyses.questions.errors import ERRORS
from assay.analyses.questions.longest import LONGEST
from assay.analyses.questions.persistence import PERSISTENCE
from assay.analyses.questions.retry import RETRY
from assay.analyses.questions.servers import SERVERS
from assay.analyses.questions.tools import TOOLS
from assay.analyses.questions.workload import WORKLOAD
from assay.errors import UnknownName

if TYPE_CHECKING:
    from assay.analyses.analysis import Analysis

# In the order in which they are listed.
ANALYSES: dict[str, Analysis] = {
    analysis.name: analysis
    for analysis in (
        TOOLS,
        SERVERS,
        ERRORS,
        RETRY,
        CORRECTION,
        EPISODES,
        PERSISTENCE,
        LONGEST,
        WORKLOAD,
    )
}


def analysis_named(name: str) -> Analysis:
    """The analysis of this name; an error that offers the nearest if there is none."""
    if name not in ANALYSES:
        raise UnknownName("analysis", name, ANALYSES)
    return ANALYSES[name]
