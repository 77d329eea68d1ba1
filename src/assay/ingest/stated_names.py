"""What a file says beside the messages of a run to name it: the task, the attempt, the model."""

from __future__ import annotations

from typing import Any

from assay.ingest.data_set_rows import task_of
from assay.ingest.fields import count_or_none, id_or_none, text_at

TASK_KEYS = ("task_id", "custom_id", "instance_id")
MODEL_KEYS = ("model", "model_name")
ATTEMPT_KEY = "attempt"


def stated_task(around: dict[str, Any]) -> str | None:
    """The task that stands beside the messages; None where none does."""
    named = (id_or_none(around.get(key)) for key in TASK_KEYS)
    return next(filter(None, named), None) or task_of(around)


def stated_attempt(around: dict[str, Any]) -> int | None:
    """Which attempt at its task a run was, where that stands beside the messages."""
    return count_or_none(around.get(ATTEMPT_KEY))


def stated_model(around: dict[str, Any], *places: dict[str, Any]) -> str | None:
    """The model that stands beside the messages, or else in one of the other places.

    In a published data set, which has its licence in the row, it is who wrote the row.
    """
    named = (text_at(place, key) for place in (around, *places) for key in MODEL_KEYS)
    found = next(filter(None, named), None)
    return found or (text_at(around, "generator") if "license" in around else None)
