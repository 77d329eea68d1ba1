"""What the walk through a value notes down: calls and results, and where they stood."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from assay.readers.engine.objects import time_in
from assay.readers.engine.words import BODY, Channel, Key

# How something was recorded, beside the channel: as a span or as a protocol message.
Source = Literal["", "in", "out", "span", "protocol", "bare"]


class Scope(Struct, eq=False):
    """A list of messages, or whatever else keeps calls and results together.

    `first` identifies the conversation by its first question; lists that share it are snapshots
    of one conversation. `is_transcript` says that most of its items name their speaker.
    """

    number: int
    run: int
    channel: Channel = ""
    first: int | None = None
    is_transcript: bool = False


class Place(Struct, eq=False):
    """Where the walk is."""

    key: Key
    scope: Scope
    channel: Channel = ""
    parent: dict[str, Any] | None = None
    depth: int = 0
    above: Place | None = None
    index: int | None = None
    # Inside the text of a message.
    is_said: bool = False
    # Below a result, an output or a response.
    is_output: bool = False
    # The call that this is part of.
    inside: Call | None = None

    def time(self) -> Any:
        """When the record that holds this place was made, as it says itself."""
        place: Place | None = self
        lists = 0
        while place is not None and lists < 2:
            if place.index is not None:
                lists += 1 if place.key.of_call or place.key.result == BODY else 2
            if lists < 2 and place.parent is not None:
                found = time_in(place.parent)
                if found is not None:
                    return found
            place = place.above
        return None

    def path(self) -> str:
        """The place as people write it: `messages[3].tool_calls[0]`."""
        parts: list[str] = []
        place: Place | None = self
        while place is not None:
            name = f"[{place.index}]" if place.index is not None else f".{place.key.text}"
            parts.append(name if name != "." else "")
            place = place.above
        return "".join(reversed(parts)).removeprefix(".")


class Call(Struct, eq=False):
    """A call as one place tells it; `is_weak` until a result is linked to it."""

    tool: str
    arguments: Any
    place: Place
    sign: str
    source: Source = ""
    call_id: str | None = None
    own_id: str | None = None
    is_weak: bool = False
    # Nothing says that it was made: no id, kind, time, flag or speaker.
    is_bare: bool = False
    # Made of a result for which no call was found.
    is_orphan: bool = False
    has_arguments: bool = True
    result: Any = None
    has_result: bool = False
    # Whether the result is one by its kind, or was recorded in the call itself.
    is_certain: bool = True
    failed: bool | None = None
    error: Any = None
    server: str | None = None
    span_id: str | None = None
    parent_id: str | None = None
    exchange: str | None = None
    started_at: Any = None
    ended_at: Any = None
    # Where it stands in the walk; the number of the message that holds it; where its result stands.
    order: int = 0
    message: int = 0
    answered: int = 0

    @property
    def scope(self) -> Scope:
        """What keeps it together with others."""
        return self.place.scope

    def answer(self, result: Result) -> None:
        """Take what a result says."""
        self.result, self.has_result = result.value, True
        self.is_certain = result.is_certain
        self.failed = result.failed if result.failed is not None else self.failed
        self.ended_at = self.ended_at or result.ended_at
        self.answered = result.order


class Result(Struct, eq=False):
    """A result as one place tells it; `is_strong` where it cannot be anything else."""

    value: Any
    place: Place
    call_id: str | None = None
    tool: str | None = None
    failed: bool | None = None
    references: list[str] = field(default_factory=list)
    # Some results repeat the arguments of their call.
    arguments: Any = None
    has_arguments: bool = False
    is_strong: bool = False
    # Its kind says that it is a result; without one it may be an approval of the call.
    is_certain: bool = False
    source: Source = ""
    exchange: str | None = None
    ended_at: Any = None
    order: int = 0
    message: int = 0

    @property
    def scope(self) -> Scope:
        """What keeps it together with others."""
        return self.place.scope
