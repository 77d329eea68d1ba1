"""Which runs are meant: a store, a model or an attempt in it, or a part of it by some column."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.comparing.run_sets import RunSet, read_runs_of
from assay.errors import NotAStore, UnknownName
from assay.store import Store
from assay.store.tables import IS_MODEL, MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence


class Division(NamedTuple):
    """A way to divide a store: the condition on `runs` of one side, and what names the sides."""

    condition: str
    names: str


DIVISIONS = {
    "model": Division(f"{MODEL} = $value", MODEL),
    "framework": Division("runs.framework = $value", "runs.framework"),
    "agent": Division("runs.agent_id = $value", "runs.agent_id"),
    "session": Division("runs.session_id = $value", "runs.session_id"),
    "attempt": Division("runs.attempt = TRY_CAST($value AS BIGINT)", "runs.attempt::VARCHAR"),
    "format": Division("runs.source_format = $value", "runs.source_format"),
    "folder": Division(
        "list_contains(string_split(runs.source_path, '/'), $value)",
        "unnest(list_slice(string_split(runs.source_path, '/'), 1, -2))",
    ),
}
_OF_SIDES = {"model": IS_MODEL, "attempt": "runs.attempt = $attempt"}
_NO_MODELS = (
    "none, no run names its model; assay compare --store {store} --by folder divides it too"
)
_ATTEMPT = re.compile(r"(.+)@([0-9]+)")


def division_named(by: str) -> Division:
    """The way to divide a store of that name."""
    if by not in DIVISIONS:
        raise UnknownName("way to divide a store", by, DIVISIONS)
    return DIVISIONS[by]


def read_side(text: str) -> RunSet:
    """The runs that `STORE`, `STORE:MODEL`, `STORE@ATTEMPT` or `STORE:MODEL@ATTEMPT` names."""
    path, model, attempt = _taken_apart(text)
    store = Store(path)
    wanted = {"model": model, "attempt": attempt}
    params = {name: value for name, value in wanted.items() if value is not None}
    where = " AND ".join(_OF_SIDES[name] for name in params) or None
    found = read_runs_of(store, text, where, **params)
    if model is not None and not found.runs:
        known = values_of(store, "model")
        if model not in known:
            raise UnknownName("model", model, known or [_NO_MODELS.format(store=path)])
    return found


def read_sides(store: Store, names: Sequence[str] = (), *, by: str = "model") -> list[RunSet]:
    """The runs of a store by what a column says: those named, or all there are in name order.

    A folder that all runs lie in divides nothing: it is a side only where it is named.
    """
    where = division_named(by).condition
    known = values_of(store, by)
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UnknownName(by, unknown, known)
    sides = [read_runs_of(store, name, where, value=name) for name in names or known]
    if names or by != "folder":
        return sides
    (whole,) = store.query("SELECT COUNT(*) AS runs FROM runs")
    return [side for side in sides if len(side.runs) < whole["runs"]]


def values_of(store: Store, by: str) -> list[str]:
    """The names of the sides that a way to divide a store gives."""
    names = division_named(by).names
    rows = store.query(f"SELECT DISTINCT {names} AS value FROM runs ORDER BY value")  # noqa: S608 - from the table above
    return [row["value"] for row in rows if row["value"]]


def _taken_apart(text: str) -> tuple[Path, str | None, int | None]:
    """Path, model and attempt; both may hold colons, so the first part that is a folder counts."""
    if Path(text).exists():
        return Path(text), None, None
    found: Any = _ATTEMPT.fullmatch(text)
    rest, attempt = (found[1], int(found[2])) if found else (text, None)
    if found and Path(rest).exists():
        return Path(rest), None, attempt
    for colon in (place for place, char in enumerate(rest) if char == ":"):
        if Path(rest[:colon]).is_dir():
            return Path(rest[:colon]), rest[colon + 1 :], attempt
    raise NotAStore(
        f"{text} names no store: expected STORE, STORE:MODEL, STORE@ATTEMPT or "
        "STORE:MODEL@ATTEMPT, where STORE is a folder"
    )
