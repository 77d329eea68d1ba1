"""Which tools failed where, and how did each episode end?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Ending = Literal[
    "all",
    "corrected",
    "changed",
    "waited",
    "unexplained",
    "not corrected",
    "not retried",
    "cut off",
]


class Episode(Struct, frozen=True):
    """One episode of failure: where it began, how often the tool was tried again, how it ended.

    `blame` and `kind` are those of the first failure, `position` is its place in the run.
    """

    model: str | None
    task_id: str | None
    attempt: int | None
    run_key: str
    position: int
    server: str
    tool: str
    blame: str | None
    kind: str | None
    failures: int
    attempts: int
    ending: str


def episodes(
    source: Answering | View,
    *,
    ending: Ending = "all",
    limit: int = 50,
    **filters: Unpack[Filters],
) -> list[Episode]:
    """The episodes one by one, in the order of models and tasks."""
    wanted = one_of(ending, get_args(Ending), "ending")
    return typed(ask(source, filters, "episodes", ending=wanted, limit=limit), Episode)


EPISODES = Analysis(
    name="episodes",
    title="Episodes of failure",
    question="Which tools failed where, and how did each episode end?",
    row=Episode,
    ask=episodes,
    tables=("calls", "runs"),
    parameters=(
        Parameter("ending", "Only episodes that ended so.", "all", choices=get_args(Ending)),
        Parameter("limit", "So many at most.", 50),
    ),
    columns=(
        Column("model", "model", "name"),
        Column("task_id", "task", "name"),
        Column("attempt", "attempt", "count"),
        Column("run_key", "run", "name", wide=True),
        Column("position", "position", "count", wide=True),
        Column("server", "server", "name", wide=True),
        Column("tool", "tool", "name"),
        Column("blame", "blame", "name", wide=True),
        Column("kind", "kind", "name"),
        Column("failures", "failures", "count", lower_is_better=True),
        Column("attempts", "tried again", "count"),
        Column("ending", "ending", "text"),
    ),
)
