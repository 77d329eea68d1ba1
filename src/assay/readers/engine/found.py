"""What the engine finds: runs, their calls and what was said, before a case is made of them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from assay.run import Usage


class FoundCall(Struct, eq=False):
    """One recorded tool call.

    `result` is as recorded, all wrappings included; `has_result` distinguishes a recorded null
    from nothing. `reported_success` is what the recording states, None where it states nothing.
    `sign` names the rule that made it a call and `where` the place, both for people.
    """

    tool: str
    arguments: Any = None
    result: Any = None
    has_result: bool = False
    server: str | None = None
    call_id: str | None = None
    parent_id: str | None = None
    turn: int | None = None
    reported_success: bool | None = None
    error_message: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    arguments_recorded: bool = True
    injected: dict[str, Any] | None = None  # a fault that a recorder put into the answer
    sign: str = ""
    where: str = ""


class FoundRun(Struct, eq=False):
    """One run: its calls in order, the messages, and the facts with an unmistakable sign.

    `messages` hold `role`, `content` as text and, where a reply called tools, its `turn`.
    """

    calls: list[FoundCall] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    # Results for which no call was found and whose tool is not named.
    unmatched: list[dict[str, Any]] = field(default_factory=list)
    offered: list[Any] | None = None
    question: str | None = None
    answer: str | None = None
    model: str | None = None
    session_id: str | None = None
    usage: Usage | None = None
    started_at: float | None = None
    ended_at: float | None = None
    where: str = ""
