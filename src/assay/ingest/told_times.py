"""When something happened and how long it took, by the keys that usually hold it."""

from __future__ import annotations

import re
from typing import Any

from assay.ingest.fields import amount_or_none, epoch_seconds

START_KEYS = (
    *("started_at", "start_time", "startTime", "startedAt", "timestamp", "ts", "time"),
    *("created_at", "createdAt", "datetime", "start_ts"),
)
END_KEYS = (
    *("ended_at", "end_time", "endTime", "endedAt", "completed_at", "completedAt"),
    *("finished_at", "finishedAt", "end_ts"),
)
# Words of much else: a number there is a time only if it counts from the epoch.
LOOSE_START_KEYS = ("at", "created", "started", "start", "date")
LOOSE_END_KEYS = ("ended", "finished", "completed", "end")
# Keys that say their unit, and what makes a second of it.
DURATION_KEYS = (
    *((f"{word}_ms", 1e3) for word in ("duration", "latency", "took", "elapsed", "runtime")),
    *((f"{word}Ms", 1e3) for word in ("duration", "latency", "took", "elapsed", "runtime")),
    *(("execution_time_ms", 1e3), ("time_ms", 1e3), ("ms", 1e3), ("duration", 1.0)),
    *((f"{word}_s", 1.0) for word in ("duration", "latency", "took", "elapsed", "runtime")),
    *((f"{word}_seconds", 1.0) for word in ("duration", "latency", "elapsed")),
    *((f"{word}_sec", 1.0) for word in ("duration", "latency", "elapsed")),
    ("seconds", 1.0),
)
# Keys that do not: a fraction is of seconds, while a whole number may be of anything.
UNLABELLED_KEYS = ("latency", "elapsed", "took", "execution_time", "runtime")
# Times below are counted from the beginning of something, not from the epoch.
FIRST_MOMENT = 1e8
_WITH_UNIT = re.compile(r"\s{0,9}(\d{1,12}(?:\.\d{1,12})?)\s{0,9}(ms|s|sec|seconds)\s{0,9}")
_UNITS = {"ms": 1e3}
_STARTS = frozenset((*START_KEYS, *LOOSE_START_KEYS))


def time_of(node: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    """The first time under one of these keys."""
    found = (epoch_seconds(node.get(key)) for key in keys)
    return next((at for at in found if at is not None), None)


def started(node: dict[str, Any]) -> float | None:
    """When something began; counted from the epoch, or from wherever its writer counts."""
    return _first(time_of(node, START_KEYS), _moment(time_of(node, LOOSE_START_KEYS)))


def ended(node: dict[str, Any]) -> float | None:
    """When something ended."""
    return _first(time_of(node, END_KEYS), _moment(time_of(node, LOOSE_END_KEYS)))


def moment_of(node: dict[str, Any]) -> float | None:
    """When something was said or came back, since the epoch."""
    return None if _STARTS.isdisjoint(node) else _moment(started(node))


def last_moment_of(node: dict[str, Any]) -> float | None:
    """When something was over, since the epoch."""
    return _moment(ended(node))


def duration_of(node: dict[str, Any]) -> float | None:
    """How long something took, in seconds; None where nobody could tell the unit."""
    for key, scale in DURATION_KEYS:
        found = _amount(node.get(key), scale)
        if found is not None:
            return found
    told = (node.get(key) for key in UNLABELLED_KEYS)
    clear = (value for value in told if isinstance(value, str) or _is_fraction(value))
    return next((found for value in clear if (found := _amount(value, 1.0)) is not None), None)


def _amount(value: object, scale: float) -> float | None:
    """A duration in seconds, of a number in the key's unit or of a text that has its own."""
    written = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if written is not None:
        return float(written[1]) / _UNITS.get(written[2], 1.0)
    amount = amount_or_none(value)
    return None if amount is None else amount / scale


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and not value.is_integer()


def _moment(at: float | None) -> float | None:
    return None if at is None or at < FIRST_MOMENT else at


def _first(*times: float | None) -> float | None:
    return next((at for at in times if at is not None), None)
