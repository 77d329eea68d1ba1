"""One question to a model and its reply: the seam between judges and whatever answers them.

A judge asks through an `Ask`. What limits, pays, remembers or retries is an `Ask` around another
one, so that each can be had alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct


class Question(Struct, frozen=True):
    """What is asked: the whole prompt, the reply's JSON Schema, and which of several runs it is."""

    prompt: str
    schema: dict[str, Any] | None = None
    seed: int | None = None
    run: int = 0


class Reply(Struct, frozen=True):
    """What came back: text or an object, and what it cost; None is unknown, never free."""

    content: object
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: str | None = None


Ask: TypeAlias = Callable[[Question], Awaitable[Reply]]
