"""One question to a model and its reply: the seam between judges and whatever answers them.

A judge asks through an `Ask`. What limits, pays, remembers or retries is an `Ask` around another
one, so that each can be had alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from msgspec import Struct


class Question(Struct, frozen=True):
    """What is asked: the whole prompt, the reply's JSON Schema, and which of several runs it is.

    `judge` names the model and, where it is not the provider's own, the endpoint: two questions
    that are equal get replies of equal standing.
    """

    prompt: str
    schema: dict[str, Any] | None = None
    seed: int | None = None
    run: int = 0
    judge: str = ""


class Reply(Struct, frozen=True):
    """What came back: text or an object, and what it cost; None is unknown, never free."""

    content: object
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: str | None = None


Ask: TypeAlias = Callable[[Question], Awaitable[Reply]]


class Memory(Protocol):
    """Replies that could be read, kept so that the same question is paid for once."""

    def recall(self, question: Question) -> Reply | None:
        """The reply kept for an equal question; None if there is none."""

    def keep(self, question: Question, reply: Reply) -> None:
        """Keep a reply that could be read."""


class Around(Protocol):
    """Puts an `Ask` around another one: limits, a budget, retries."""

    def __call__(self, ask: Ask, endpoint: str) -> Ask:
        """The `Ask` to use for this endpoint (provider or base URL, and model)."""
