"""What a command came to, told as data: what it printed, and the code with which it ended."""

from __future__ import annotations

from typing import Any

from assay.evidence.body_roles import Body
from assay.evidence.code_values import whole

_PRINTED = frozenset({"output", "stdout", "stderr", "aggregated_output", "combined_output"})
# Names that mean an exit code only beside what a command printed.
_SHORT_NAMES = ("rc", "exit")
# Where the circumstances of a run are kept apart from what it printed.
_CIRCUMSTANCES = ("metadata", "meta", "details", "info")


def with_exit_code(body: dict[Any, Any]) -> dict[Any, Any]:
    """The body of a command, its exit code among its own keys wherever it stood.

    A body without anything printed is data that the command brought, whatever it holds.
    """
    if _PRINTED.isdisjoint(body):
        return body
    code = _code_elsewhere(body)
    if code is None or any(whole(own) is not None for own in Body(body).all("exit")):
        return body
    return {**body, "exit_code": code}


def _code_elsewhere(body: dict[Any, Any]) -> int | None:
    told = _short_codes(body)
    for name in _CIRCUMSTANCES:
        if name in body and isinstance(inner := body[name], dict):
            told += Body(inner).all("exit") + _short_codes(inner)
    return next((code for code in map(whole, told) if code is not None), None)


def _short_codes(body: dict[Any, Any]) -> list[Any]:
    return [body[name] for name in _SHORT_NAMES if name in body]


def lone_complaint(body: dict[Any, Any]) -> str | None:
    """What a command printed as an error, where it printed nothing else."""
    told = body.get("stderr")
    if not isinstance(told, str) or not told.strip():
        return None
    printed = (text for key in _PRINTED if key != "stderr" and (text := body.get(key)))
    alone = all(isinstance(text, str) and not text.strip() for text in printed)
    return told if alone else None
