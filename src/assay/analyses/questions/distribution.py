"""How are the scores spread?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import one_of, typed, with_steady
from assay.analyses.columns import JUDGED
from assay.analyses.judged import judgements
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["model", "judge", "model-judge", "all"]
BINS = ("bin_0_20", "bin_20_40", "bin_40_60", "bin_60_80", "bin_80_100")


class Spread(Struct, frozen=True):
    """How the values of one score are spread; what is not grouped by is None.

    The bins count scores from 0 to below 0.2 and so on, the last one up to 1 itself; what lies
    `outside` is in none. `deviation` is that of a sample, None for a single score. Missing
    scores are counted and in nothing else.
    """

    experiment: str | None
    model: str | None
    judge: str | None
    measure: str
    n: int
    missing: int
    mean: float
    deviation: float | None
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float
    bin_0_20: int
    bin_20_40: int
    bin_40_60: int
    bin_60_80: int
    bin_80_100: int
    outside: int


def distribution(
    source: Answering | View, *, by: By | None = None, **filters: Unpack[Filters]
) -> list[Spread]:
    """Mean, quartiles and a histogram of each score, by model; of all at once by the seed's rules.

    The quartiles lie between the two nearest scores where they fall between them.
    """
    with opened(source, filters) as view:
        grouping = by or ("all" if view.rules == "seed" else "model")
        found = judgements(
            view,
            "distribution",
            outcomes="all" if "judge" in grouping else "unjudged",
            missing_is_zero=False,
            by=one_of(grouping, get_args(By), "grouping"),
        )
    return typed((with_steady(line, "mean", "deviation") for line in found), Spread)


DISTRIBUTION = Analysis(
    name="distribution",
    title="Score distribution",
    question="How are the scores spread?",
    row=Spread,
    ask=distribution,
    parameters=(Parameter("by", "What the scores are grouped by.", None, choices=get_args(By)),),
    columns=(
        *JUDGED,
        Column("measure", "of", "name"),
        Column("n", "n", "count"),
        Column("missing", "missing", "count", lower_is_better=True),
        Column("mean", "mean", "score", lower_is_better=False),
        Column("deviation", "deviation", "score"),
        Column("least", "least", "score"),
        Column("quarter", "quarter", "score", wide=True),
        Column("median", "median", "score", lower_is_better=False),
        Column("three_quarters", "three quarters", "score", wide=True),
        Column("most", "most", "score"),
        *(Column(name, name.removeprefix("bin_").replace("_", "-"), "count") for name in BINS),
        Column("outside", "outside", "count", wide=True),
    ),
    tables=("runs", "evaluations"),
)
