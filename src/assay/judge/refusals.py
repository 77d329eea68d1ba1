"""What it means that a model gave no reply: whether asking again may help, and what to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import JudgeUnavailable
from assay.judge.model_names import NO_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.judge.model_names import ModelAddress

# Thinking counts as output: with less, a model that thinks is cut off before its first mark.
MOST_TOKENS = 8_192
_LONGEST_PROBLEM = 500
_TRANSIENT = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_NEVER_AGAIN = frozenset({"insufficient_quota", "billing_error", "context_length_exceeded"})


def unavailable(
    problem: str,
    status: int | None,
    *,
    codes: Iterable[object] = (),
    retry_after: float | None = None,
) -> JudgeUnavailable:
    """The error for a refusal; without a status there was nobody to refuse."""
    transient = status is None or status in _TRANSIENT or status >= _SERVER_FAULT
    return JudgeUnavailable(
        problem,
        retryable=transient and _NEVER_AGAIN.isdisjoint(codes),
        retry_after=retry_after,
        status=status,
    )


def misread(address: ModelAddress, exc: Exception) -> JudgeUnavailable:
    """The error for a reply of the wrong shape."""
    said = f"a reply in no known form: {type(exc).__name__}: {exc}"
    return JudgeUnavailable(told(address, said), retryable=True)


def told(address: ModelAddress, problem: object) -> str:
    """What went wrong with which model, short and without its key."""
    return f"{address.name}: {without_key(address, str(problem))}"[:_LONGEST_PROBLEM]


def without_key(address: ModelAddress, said: str) -> str:
    """What an endpoint said, without the key: some say it back."""
    key = address.key()
    return said.replace(key, "[key]") if key and key != NO_KEY else said
