"""One question and its answer with all that is known around them, and what a metric says of it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.metrics.chatbot.text import Text, read_text
from assay.metrics.chatbot.traits import Traits
from assay.records import preview
from assay.score import Evidence, Score

if TYPE_CHECKING:
    from collections.abc import Iterator

NEUTRAL = 0.5
# Half-open: a band reaches from its own figure up to the next one's.
BANDS = ((0.9, "excellent"), (0.7, "good"), (0.4, "acceptable"), (0.0, "poor"))
_LONGEST_FINDING = 500
# What the two sides of an exchange may be called.
_EXCHANGES = (("user", "user_message"), ("assistant", "response"))
_USER_ROLES = frozenset({"user", "human"})
_AGENT_ROLES = frozenset({"assistant", "agent", "ai", "model"})
_SILENT_ROLES = frozenset({"system", "developer", "tool", "function"})
# Where a message has its text; one that only calls tools may have none.
_CALLS = "tool_calls"
_CONTENTS = ("content", "parts", _CALLS)


class Exchange(Struct, frozen=True):
    """One past turn of the conversation."""

    user: Text
    assistant: Text


class Turn(Struct, frozen=True):
    """A question, its answer, and what is known around them; None is unknown.

    `evidence` is what tools returned in this session: empty when none returned anything.
    `truth` is what they ought to have returned, where that is known from elsewhere.
    """

    query: Text
    response: Text
    traits: Traits = Traits()
    data: Any = None
    history: tuple[Exchange, ...] = ()
    preferences: Mapping[str, Any] | None = None
    response_time: float | None = None
    tool_call_count: int | None = None
    evidence: list[Any] | None = None
    tools_failed: bool = False
    truth: list[Any] = []


class Verdict(Struct, frozen=True):
    """What one metric says of one turn.

    `applicable` is False where the seed's figure stands for "there was nothing to judge": the
    seed's dict keeps that figure, a score says None.
    """

    score: float
    details: str
    applicable: bool = True
    extras: dict[str, Any] = {}

    def to_dict(self) -> dict[str, Any]:
        """The verdict in the seed's shape, with its band and whether it applies."""
        return {
            "score": self.score,
            "details": self.details,
            "band": band(self.score),
            "applicable": self.applicable,
            **self.extras,
        }

    def to_score(self, name: str, label: str = "") -> Score:
        """The verdict as a score: None where there was nothing to judge."""
        value = self.score if self.applicable else None
        return Score(name, value, self.details, evidence=tuple(self._evidence()), label=label)

    def _evidence(self) -> Iterator[Evidence]:
        for kind, items in self.extras.items():
            for item in items if isinstance(items, list) else ():
                yield Evidence(str(item)[:_LONGEST_FINDING], kind)


class Tally:
    """A score as it is put together: each amount with the reason for it."""

    def __init__(self, base: float) -> None:
        """Start from the base."""
        self.total = base
        self.strengths: list[str] = []
        self.issues: list[str] = []

    def add(self, amount: float, reason: str) -> None:
        """Add an amount; a reason that adds nothing or less is an issue."""
        self.total += amount
        (self.strengths if amount > 0 else self.issues).append(reason)

    def verdict(
        self, details: str = "", extras: dict[str, Any] | None = None, *, applicable: bool = True
    ) -> Verdict:
        """The whole, clamped and rounded; without details the reasons are told."""
        told = details or "; ".join([*self.strengths, *self.issues]) or "nothing stood out"
        return Verdict(rounded(self.total), told, applicable, extras or {})

    def reasons(self) -> dict[str, Any]:
        """The strengths and issues, as the seed's extras name them."""
        return {"strengths": self.strengths, "issues": self.issues}


def not_applicable(details: str, extras: dict[str, Any] | None = None) -> Verdict:
    """The seed's neutral figure, where there is nothing to judge."""
    return Verdict(NEUTRAL, details, applicable=False, extras=extras or {})


def rounded(value: float) -> float:
    """A score between 0 and 1 with two decimals, halves up."""
    # Six decimals first: a sum of floats may miss a half by a hair.
    clamped = Decimal(str(round(min(1.0, max(0.0, value)), 6)))
    return float(clamped.quantize(Decimal("0.01"), ROUND_HALF_UP))


def band(score: float) -> str:
    """The word for a score: poor, acceptable, good or excellent."""
    return next(word for least, word in BANDS if score >= least)


def level(score: float, words: tuple[str, ...]) -> str:
    """One of five words, the first from 0.8 on, then in steps of 0.2."""
    steps = (0.8, 0.6, 0.4, 0.2, 0.0)
    return next(word for least, word in zip(steps, words, strict=True) if score >= least)


def read_history(history: object) -> tuple[Exchange, ...]:
    """Past turns, as exchanges or as messages; a form that is not known is an error.

    An exchange is `{"user", "assistant"}`, or `{"user_message", "response"}` as the seed's
    application stores it; a message has `role` and `content`.
    """
    if history is None:
        return ()
    if not isinstance(history, list | tuple):
        raise InvalidRecord(f"conversation_history: expected a list, got {preview(history)}")
    past: list[list[str]] = []
    for i, turn in enumerate(history):
        where = f"conversation_history[{i}]"
        if not isinstance(turn, dict):
            raise InvalidRecord(f"{where}: expected a dict, got {preview(turn)}")
        if "role" in turn:
            _take_message(turn, past, where)
        else:
            past.append([_side(turn, names, where) for names in _EXCHANGES])
    return tuple(Exchange(read_text(user), read_text(said)) for user, said in past)


def _side(turn: dict[str, Any], names: tuple[str, ...], where: str) -> str:
    name = next((name for name in names if name in turn), None)
    if name is None:
        raise InvalidRecord(
            f"{where}: expected user and assistant, user_message and response, or role and "
            f"content; got {preview(sorted(map(str, turn)))}"
        )
    return _said(turn[name], f"{where}.{name}")


def _take_message(message: dict[str, Any], past: list[list[str]], where: str) -> None:
    role = str(message["role"]).lower()
    if role in _SILENT_ROLES:
        return
    if role not in _USER_ROLES | _AGENT_ROLES:
        known = sorted(_USER_ROLES | _AGENT_ROLES | _SILENT_ROLES)
        raise InvalidRecord(f"{where}.role: expected one of {', '.join(known)}, got {role!r}")
    name = next((name for name in _CONTENTS if name in message), None)
    if name is None:
        raise InvalidRecord(f"{where}: a message without content: {preview(message)}")
    said = "" if name == _CALLS else _said(message[name], f"{where}.{name}")
    if role in _USER_ROLES:
        past.append([said, ""])
        return
    if not past:
        past.append(["", ""])
    past[-1][1] = f"{past[-1][1]} {said}".strip()


def _said(content: object, where: str) -> str:
    """The text of a message; content in blocks keeps only its texts."""
    if isinstance(content, list):
        return " ".join(_said(block, where) for block in content)
    if isinstance(content, dict):
        content = content.get("text")
    if content is None:
        return ""
    if not isinstance(content, str):
        raise InvalidRecord(f"{where}: expected text, got {preview(content)}")
    return content
