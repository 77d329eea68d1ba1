"""A baseline to commit: what every run of every task came to, a line a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.comparing import RunFacts, RunSet, read_side
from assay.errors import InvalidSettings

VERSION = 1
_DIGITS = 6
_encode = msgspec.json.Encoder(order="deterministic").encode


class _Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    assay_baseline: int
    name: str
    tasks: dict[str, dict[str, list[float | None]]]


def write_baseline(runs: RunSet, path: str | Path) -> None:
    """Write a set of runs as a file that differs only where the results do.

    Values are rounded to six decimals; run keys stay in the store.
    """
    tasks = sorted(runs.by_task().items())
    lines = [f"{_text(task)}: {_text(_columns(seen))}" for task, seen in tasks]
    # Where the store lies is nobody's business, and differs from machine to machine.
    head = (
        f'{{\n"assay_baseline": {VERSION},\n"name": {_text(Path(runs.name).name)},\n"tasks": {{\n'
    )
    text = head + ",\n".join(lines) + "\n}\n}\n"
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    except OSError as exc:
        raise InvalidSettings(f"{path} cannot be written: {exc.strerror}") from exc


def read_baseline(path: str | Path) -> RunSet:
    """The runs in a baseline file."""
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=_Baseline)
    except OSError as exc:
        raise InvalidSettings(f"{path} cannot be read: {exc.strerror}") from exc
    except msgspec.DecodeError as exc:
        raise InvalidSettings(
            f"{path} is no baseline: {exc}; write one with: assay gate STORE --write-baseline FILE"
        ) from exc
    if found.assay_baseline > VERSION:
        raise InvalidSettings(
            f"{path} was written by a later assay (version {found.assay_baseline}); "
            "upgrade with: pip install --upgrade assay"
        )
    return RunSet(
        found.name,
        tuple(run for task, columns in found.tasks.items() for run in _runs(task, columns, path)),
    )


def read_runs(text: str) -> RunSet:
    """The runs that a baseline file holds, or that a side of a comparison names."""
    path = Path(text)
    if path.suffix == ".json" and not path.exists():
        raise InvalidSettings(
            f"there is no baseline {text}; write one with: assay gate STORE --write-baseline {text}"
        )
    return read_baseline(path) if path.is_file() else read_side(text)


def _columns(runs: list[RunFacts]) -> dict[str, list[float | None]]:
    names = sorted({name for run in runs for name in run.values})
    # A run that recorded nothing still was a run.
    columns = {name: [_rounded(run.values.get(name)) for run in runs] for name in names}
    return columns or {"success": [None] * len(runs)}


def _rounded(value: float | None) -> float | None:
    if value is None:
        return None
    return int(value) if value == int(value) else round(value, _DIGITS)


def _runs(task: str, columns: dict[str, list[float | None]], path: str | Path) -> list[RunFacts]:
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise InvalidSettings(
            f"{path}: task {task!r} has lists of different lengths: {sorted(sizes)}"
        )
    return [
        RunFacts(task, {n: v for n, values in columns.items() if (v := values[i]) is not None})
        for i in range(next(iter(sizes), 0))
    ]


def _text(value: Any) -> str:
    return _encode(value).decode()
