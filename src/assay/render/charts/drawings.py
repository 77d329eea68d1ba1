"""What the chart of each analysis shows: one table, a row an analysis."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from assay.analyses.questions.distribution import BINS

Mark = Literal["points", "bars", "stack"]


class Drawing(Struct, frozen=True):
    """How the rows of an analysis are drawn.

    `labels` are the fields that name a row, `panel` one that parts the chart. Points and bars show
    the first of `values` that some row has; a stack shows all of them, one behind the other.
    `span` are two fields between which everything lies where there is no interval. `ordered` parts
    go from less to more.
    """

    mark: Mark
    values: tuple[str, ...]
    labels: tuple[str, ...]
    panel: str | None = None
    span: tuple[str, str] | None = None
    ordered: bool = False


_GROUP = ("model", "server", "tool", "blame", "kind")
_JUDGED = ("experiment", "model", "judge")
_RUN = ("task_id", "attempt", "model")

DRAWINGS: dict[str, Drawing] = {
    "summary": Drawing("points", ("success_rate", "score", "step"), _JUDGED),
    "passes": Drawing("points", ("value",), _JUDGED, panel="measure"),
    "attempts": Drawing("points", ("success_rate", "score", "step"), _JUDGED, panel="attempt"),
    "weighted": Drawing("points", ("weighted",), _JUDGED),
    "weighted_runs": Drawing("bars", ("weighted",), (*_RUN, "judge")),
    "distribution": Drawing("stack", BINS, (*_JUDGED, "measure"), ordered=True),
    "detailed": Drawing("bars", ("combined", "score"), (*_RUN, "judge"), panel="side"),
    "queries": Drawing("points", ("value",), ("experiment", "task")),
    "efficiency": Drawing("points", ("calls",), ("experiment", "model")),
    "diversity": Drawing("points", ("score",), ("experiment", "model", "number"), panel="used"),
    "agreement": Drawing("points", ("value",), ("experiment", "first", "second"), panel="measure"),
    "variance": Drawing("stack", ("task", "run", "judge"), ("experiment", "model", "of")),
    "tools": Drawing("points", ("success_rate",), ("model", "server", "tool")),
    "servers": Drawing("points", ("success_rate",), ("server",)),
    "errors": Drawing("points", ("rate",), _GROUP),
    "retry": Drawing("stack", ("retried", "switched", "gave_up", "cut_off"), _GROUP),
    "correction": Drawing("points", ("correction_rate",), _GROUP),
    "episodes": Drawing("bars", ("failures",), (*_RUN, "tool", "position")),
    "persistence": Drawing(
        "points", ("mean_streak",), ("model",), span=("mean_streak", "longest_streak")
    ),
    "longest": Drawing("bars", ("calls",), _RUN),
    "workload": Drawing(
        "points", ("mean_calls",), ("task_id",), span=("fewest_calls", "most_calls")
    ),
}
