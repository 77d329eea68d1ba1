"""All analyses by name: the one list that the command line, reports and pages read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.analyses.questions.agreement import AGREEMENT
from assay.analyses.questions.correction import CORRECTION
from assay.analyses.questions.detailed import DETAILED
from assay.analyses.questions.distribution import DISTRIBUTION
from assay.analyses.questions.efficiency import DIVERSITY, EFFICIENCY
from assay.analyses.questions.episodes import EPISODES
from assay.analyses.questions.errors import ERRORS
from assay.analyses.questions.longest import LONGEST
from assay.analyses.questions.passes import PASSES
from assay.analyses.questions.persistence import PERSISTENCE
from assay.analyses.questions.queries import QUERIES
from assay.analyses.questions.retry import RETRY
from assay.analyses.questions.servers import SERVERS
from assay.analyses.questions.summary import ATTEMPTS, SUMMARY
from assay.analyses.questions.tools import TOOLS
from assay.analyses.questions.variance import VARIANCE
from assay.analyses.questions.weighted import WEIGHTED, WEIGHTED_RUNS
from assay.analyses.questions.workload import WORKLOAD
from assay.errors import UnknownName

if TYPE_CHECKING:
    from assay.analyses.analysis import Analysis

# In the order in which they are listed.
ANALYSES: dict[str, Analysis] = {
    analysis.name: analysis
    for analysis in (
        SUMMARY,
        PASSES,
        ATTEMPTS,
        WEIGHTED,
        WEIGHTED_RUNS,
        DISTRIBUTION,
        DETAILED,
        QUERIES,
        EFFICIENCY,
        DIVERSITY,
        AGREEMENT,
        VARIANCE,
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
