"""The Agent Client Protocol: what a coding agent and its editor said to each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.log_lines import sampled_values
from assay.ingest.recording import Format, Recording
from assay.ingest.wire_messages import MARK, WireMessage, messages_in, wire_messages
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "acp"
PROMPT, UPDATE, ASKED = "session/prompt", "session/update", "session/request_permission"
METHODS = frozenset({PROMPT, UPDATE, ASKED})
# Who speaks in the pieces of a message.
CHUNKS = {
    "user_message_chunk": "user",
    "agent_message_chunk": "words",
    "agent_thought_chunk": "thought",
}
CALLS = frozenset({"tool_call", "tool_call_update"})
ENDS = {"completed": True, "failed": False}
# These show something that is no part of the run's work.
SIDE_UPDATES = frozenset(
    {"plan", "available_commands_update", "current_mode_update", "usage_update"}
    | {"session_info_update", "config_option_update"}
)
# A kind that says nothing.
NO_KIND = "other"
_LOOKED_AT = 200


def _recognise(recording: Recording) -> float:
    logged = [line.value for line in sampled_values(recording, MARK.encode())]
    values = logged or recording.first_items(_LOOKED_AT)
    found = (message for value in values for message in messages_in(value, WireMessage({})))
    return 0.95 if any(_method(message) in METHODS for message in found) else 0.0


def _method(message: WireMessage) -> str | None:
    return text_at(message.body, "method")


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    sessions: dict[str, _Session] = {}
    asked: dict[str, _Session] = {}
    for message in wire_messages(recording):
        if isinstance(message, Unreadable):
            yield message
            continue
        body = message.body
        params = dict_or_empty(body.get("params"))
        if _method(message) in METHODS:
            own = text_at(params, "sessionId") or ""
            session = sessions.setdefault(own, _Session(own, message.position))
            session.take(str(_method(message)), params, message.at)
            if _method(message) == PROMPT and "id" in body:
                asked[str(body.get("id"))] = session
        elif _ends_a_turn(body) and str(body["id"]) in asked:
            asked.pop(str(body["id"])).end(body, message.at)
    yield from (session.case(recording.name) for session in sessions.values())


def _ends_a_turn(body: dict[str, Any]) -> bool:
    """Whether it may answer a prompt; both sides number what they ask, so ids may be the same."""
    is_answer = "method" not in body and "id" in body
    return is_answer and ("error" in body or "stopReason" in dict_or_empty(body.get("result")))


class _Session:
    """A session, told message by message; words come in pieces, calls in updates."""

    def __init__(self, own: str, position: int | None) -> None:
        self._own, self._position = own, position
        self._run = RunBuilder()
        self._pieces: dict[str, list[str]] = {}
        self._calls: dict[str, ToolExecutionResult] = {}
        self._shown: dict[str, str] = {}
        self._times: list[float] = []
        self._usages: list[object] = []
        self._failure: str | None = None
        self._unread: Counter[str] = Counter()

    def take(self, method: str, params: dict[str, Any], at: float | None) -> None:
        self._times += [] if at is None else [at]
        if method == PROMPT:
            self._flush()
            self._run.user(text_of(objects_in(params.get("prompt"))))
        elif method == ASKED:
            self._call(dict_or_empty(params.get("toolCall")), at)
        else:
            self._update(dict_or_empty(params.get("update")), at)

    def _update(self, update: dict[str, Any], at: float | None) -> None:
        kind = text_at(update, "sessionUpdate") or ""
        if kind in CHUNKS:
            side = CHUNKS[kind]
            if side not in self._pieces:
                self._flush()
            self._pieces.setdefault(side, []).append(text_of(update.get("content")))
        elif kind in CALLS:
            self._call(update, at)
        elif kind not in SIDE_UPDATES:
            self._unread[kind] += 1

    def _flush(self) -> None:
        self._run.think("".join(self._pieces.pop("thought", ())))
        self._run.say("".join(self._pieces.pop("words", ())))
        if said := "".join(self._pieces.pop("user", ())):
            self._run.user(said)

    def _call(self, told: dict[str, Any], at: float | None) -> None:
        self._flush()
        own = text_at(told, "toolCallId") or ""
        if own not in self._calls:
            self._calls[own] = ToolExecutionResult("", {}, call_id=own, started_at=at)
            self._run.call(self._calls[own])
        call = self._calls[own]
        call.tool = _tool(told) or call.tool or text_at(told, "title") or ""
        if told.get("rawInput"):
            call.parameters = decode_arguments(told["rawInput"])
        if title := text_at(told, "title"):
            call.extra["title"] = title
        shown = self._shown[own] = _shown(told) or self._shown.get(own, "")
        ended = ENDS.get(text_at(told, "status") or "")
        if ended is not None and call.reported_success is None:
            came = told.get("rawOutput")
            self._run.result(
                own,
                shown if came is None else came,
                reported_success=ended,
                error_message=None if ended else shown or None,
                ended_at=at,
            )

    def end(self, answer: dict[str, Any], at: float | None) -> None:
        """The answer to a prompt: the turn is over."""
        self._flush()
        self._run.end_reply()
        self._times += [] if at is None else [at]
        self._usages.append(dict_or_empty(answer.get("result")).get("usage"))
        error = dict_or_empty(answer.get("error"))
        self._failure = (text_at(error, "message") or "the prompt failed") if error else None

    def case(self, name: str) -> AgentTestCase:
        """The run that the session was."""
        self._flush()
        return self._run.finish(
            run_id=stable_id(NAME, self._own, *place_id(name, self._position)),
            session_id=self._own or None,
            usage=total_usage(self._usages),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"unread_updates": dict(self._unread)} if self._unread else {},
        )


def _tool(told: dict[str, Any]) -> str | None:
    """The tool of a call: as the agent names it beside the protocol, else by its kind."""
    about = dict_or_empty(told.get("_meta"))
    named = (text_at(place, "toolName") for place in (about, *objects_in(list(about.values()))))
    kind = text_at(told, "kind")
    return next(filter(None, named), None) or (None if kind == NO_KIND else kind)


def _shown(told: dict[str, Any]) -> str:
    """What the user was shown of a result, as far as it is text."""
    blocks = (block.get("content") for block in objects_in(told.get("content")))
    return "\n".join(filter(None, map(text_of, blocks)))


ACP = Format(
    name=NAME,
    title="Agent Client Protocol: a coding agent's session with its editor",
    fidelity=(
        "Calls with what was sent and came back as far as the agent shows it; a tool is named by "
        "its kind unless the agent names it. Reported failures; times where they were logged; "
        "tokens only where the agent tells them. No model, no tools on offer."
    ),
    recognise=_recognise,
    read=_read,
)
