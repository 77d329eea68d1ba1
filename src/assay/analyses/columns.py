"""Columns that the answers to several questions have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.analyses.analysis import Column

if TYPE_CHECKING:
    from assay.analyses.analysis import ColumnKind


def bounded(
    name: str,
    label: str,
    kind: ColumnKind,
    *,
    lower_is_better: bool | None = None,
    wide: bool = False,
) -> Column:
    """A column with its interval, whose ends are the fields `NAME_low` and `NAME_high`."""
    return Column(name, label, kind, lower_is_better, (f"{name}_low", f"{name}_high"), wide)


# Whose runs, and who judged them.
MODEL = Column("model", "model", "name")
PLACE = (Column("experiment", "experiment", "name"), MODEL)
JUDGED = (*PLACE, Column("judge", "judge", "name"))
# Which calls, and which of their failures.
CALLED = (MODEL, Column("server", "server", "name"), Column("tool", "tool", "name"))
FAILED = (*CALLED, Column("blame", "blame", "name"), Column("kind", "kind", "name"))
SUCCESS_RATE = bounded("success_rate", "succeeded", "share", lower_is_better=False)
# How many calls there were, and whose fault it was where they failed.
CALLS = (
    Column("calls", "calls", "count"),
    Column("runs", "runs", "count", wide=True),
    Column("tasks", "tasks", "count", wide=True),
    Column("failures", "failed", "count", lower_is_better=True),
    Column("unknown_calls", "unknown", "count", wide=True),
    SUCCESS_RATE,
    Column("model_failures", "model's", "count", lower_is_better=True),
    Column("server_failures", "server's", "count", lower_is_better=True),
    Column("environment_failures", "environment's", "count", lower_is_better=True),
    Column("unknown_failures", "nobody's", "count", lower_is_better=True),
)
