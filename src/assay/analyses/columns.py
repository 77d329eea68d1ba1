"""Columns that the answers to several questions have."""

from __future__ import annotations

from assay.analyses.analysis import Column

# Whose runs, and who judged them.
MODEL = Column("model", "model", "name")
PLACE = (Column("experiment", "experiment", "name"), MODEL)
JUDGED = (*PLACE, Column("judge", "judge", "name"))
# Which calls, and which of their failures.
CALLED = (MODEL, Column("server", "server", "name"), Column("tool", "tool", "name"))
FAILED = (*CALLED, Column("blame", "blame", "name"), Column("kind", "kind", "name"))
SUCCESS_RATE = Column(
    "success_rate",
    "succeeded",
    "share",
    lower_is_better=False,
    interval=("success_rate_low", "success_rate_high"),
)
# How many calls there were, and whose fault it was where they failed.
CALLS = (
    Column("calls", "calls", "count"),
    Column("runs", "runs", "count", wide=True),
    Column("tasks", "tasks", "count", wide=True),
    Column("failures", "failed", "count", lower_is_better=True),
    SUCCESS_RATE,
    Column("model_failures", "model's", "count", lower_is_better=True),
    Column("server_failures", "server's", "count", lower_is_better=True),
    Column("environment_failures", "environment's", "count", lower_is_better=True),
    Column("unknown_failures", "nobody's", "count", lower_is_better=True),
)
