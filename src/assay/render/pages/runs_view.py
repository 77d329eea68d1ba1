"""Rows of the list of runs: what tells one run from the next, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.render.run_names import KEY_LENGTH, name_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORTEST_CUT, _LEAST_SHOWN = 24, 40
_LONGEST_SHOWN = 280
_STATES = {True: "ok", False: "fail", None: "none"}


class RunLine(Struct, frozen=True):
    """One run in a list."""

    key: str
    state: str
    name: str
    attempt: int | None
    model: str | None
    prompt: str
    score: float | None
    blames: list[tuple[str, int]]
    calls: int | None
    failed: int | None
    seconds: float | None
    started_at: float | None


def run_lines(rows: Sequence[dict[str, Any]], blames: Sequence[str]) -> list[RunLine]:
    """The lines of a page; `blames` in the order in which they are shown."""
    prompts = varying_parts([row["input"] for row in rows])
    return [_line(row, prompt, blames) for row, prompt in zip(rows, prompts, strict=True)]


def varying_parts(prompts: Sequence[str]) -> list[str]:
    """Each prompt without the beginning that all of them share; on one line, and cut.

    So much stays of each that one knows it again. Where all are the same, or share little, they
    stand from their beginning.
    """
    flat = [" ".join(prompt.split()) for prompt in prompts]
    if len(set(flat)) < 2:
        return [_cut(text) for text in flat]
    spared = max(min(map(len, flat)) - _LEAST_SHOWN, 0)
    cut = _shared(flat)[:spared].rfind(" ") + 1
    if cut < _SHORTEST_CUT:
        return [_cut(text) for text in flat]
    return [f"… {_cut(text[cut:])}" for text in flat]


def _shared(texts: Sequence[str]) -> str:
    """The beginning that all texts share: what the first and the last in order share."""
    first, last = min(texts), max(texts)
    alike = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(alike, len(first))]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _line(row: dict[str, Any], prompt: str, blames: Sequence[str]) -> RunLine:
    began, ended = row["started_at"], row["ended_at"]
    return RunLine(
        key=row["run_key"],
        state=_STATES[row["outcome_success"]],
        name=row["task_id"] or name_of_row(row) or row["run_key"][:KEY_LENGTH],
        attempt=row["attempt"],
        model=row["model"],
        prompt=prompt,
        score=row["score"],
        blames=[(name, row["blames"][name]) for name in blames if row["blames"].get(name)],
        calls=row["calls"],
        failed=row["failed_calls"],
        seconds=None if began is None or ended is None else ended - began,
        started_at=began,
    )
