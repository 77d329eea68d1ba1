"""Findings about the course of a run: how it ends, repeated calls, changes nobody asked for."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from assay.evidence.findings import Finding
from assay.evidence.reports import reports_failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.index import IndexedCall, RunIndex

_MOST_REPEATS = 4
_LONGEST_ERROR = 80


def find_in_course(run: RunIndex) -> Iterator[Finding]:
    """What looks wrong in the course of the calls."""
    calls = run.calls
    if not run.answer and not (calls and calls[-1].effect == "end") and _is_recorded(run):
        yield Finding("no_answer")
    if not calls:
        return
    yield from _failed_end(run)
    yield from _repeats(calls)


def _is_recorded(run: RunIndex) -> bool:
    """Whether the words of the run were recorded at all, so that a missing answer is one."""
    return bool(run.request) or run.case.actual_output is not None


def _failed_end(run: RunIndex) -> Iterator[Finding]:
    """The last call, or the last change that was tried, failed."""
    calls = run.calls
    if not run.answer:
        return
    seen: set[int] = set()
    if not calls[-1].ok and calls[-1].is_decided:
        seen.add(calls[-1].position)
        yield _failure(run, calls[-1], "last_call_failed")
    writes = [known for known in calls if known.effect == "write"]
    if not writes or writes[-1].ok or writes[-1].position in seen or not writes[-1].is_decided:
        return
    rest = calls[writes[-1].position + 1 :]
    if not any(known.ok and known.effect == "unknown" for known in rest):
        yield _failure(run, writes[-1], "last_change_failed")


def _failure(run: RunIndex, known: IndexedCall, kind: str) -> Finding:
    error = " ".join(known.failure.split())[:_LONGEST_ERROR] or "no message"
    values = {"tool": known.tool, "error": error}
    if reports_failure(run.answer, known):
        return Finding("failure_reported", known.position, values)
    return Finding(
        "last_call_failed" if kind == "last_call_failed" else "last_change_failed",
        known.position,
        values,
    )


def _repeats(calls: list[IndexedCall]) -> Iterator[Finding]:
    """The same call several times in a row, each with the same result."""
    position = 0
    for _, group in groupby(calls, key=_identity):
        same = list(group)
        position += len(same)
        if len(same) >= _MOST_REPEATS:
            values = {"tool": same[0].tool, "count": len(same)}
            yield Finding("repeated_call", same[-1].position, values)


def _identity(known: IndexedCall) -> tuple[object, ...]:
    if not known.call.arguments_recorded:
        return (known.position,)
    return (known.tool, known.arguments, known.result, known.message)
