"""One argument value and where it came from."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Status = Literal[
    "traced",  # said as it is in the prompt, the schema, the conversation or an earlier result
    "derived",  # a simple step away from something said there
    "partly",  # a text or query of which some parts can be traced
    "reused",  # introduced by the agent in an earlier call that succeeded
    "trivial",  # true, false, null, small integers, page sizes
    "unchecked",  # free text or plain words: nothing in it can be looked up
    "ahead",  # found only in a result that came later
    "nowhere",  # found in nothing the agent was told
]
OriginKind = Literal["prompt", "conversation", "result", "schema", "call"]


class Origin(Struct, frozen=True, omit_defaults=True, gc=False):
    """Where a value was known from: which place, in which call's result, by which step.

    `place` is a JSON path for results, a field of the case for prompt and conversation, a
    keyword for schemas, and the path of the argument for an earlier call of the agent's own.
    """

    kind: OriginKind
    place: str
    call: int | None = None
    step: str = ""


class TracedValue(Struct, frozen=True, omit_defaults=True, gc=False):
    """One leaf of a call's arguments and where it came from.

    `share` is the part of it that can be traced, 0 to 1; None where nothing is to be traced.
    `missing` names the parts of a text or query that come from nowhere.
    """

    call: int
    path: str
    value: Any
    status: Status
    origins: tuple[Origin, ...] = ()
    missing: tuple[str, ...] = ()
    share: float | None = None
