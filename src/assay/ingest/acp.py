"""The Agent Client Protocol: what a coding agent and its editor said to each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
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
LOADED = "session/load"
OPENED = frozenset({"session/new", LOADED, "session/resume"})
SETTINGS = frozenset({"session/set_model", "session/set_config_option"})
MODEL_SETTING = "model"
RUN, SEEN = "terminal/create", "terminal/output"
# Requests whose answer is waited for, and what only that answer has.
WAITED_FOR = {
    PROMPT: "stopReason",
    "session/new": "sessionId",
    LOADED: "models",
    "session/resume": "models",
    RUN: "terminalId",
    SEEN: "output",
}
# How the protocol calls what others call otherwise.
COUNTS = (
    ("cachedReadTokens", "cacheReadTokens"),
    ("cachedWriteTokens", "cacheWriteTokens"),
    ("thoughtTokens", "reasoning_tokens"),
)
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
    talk = _Talk()
    for message in wire_messages(recording):
        if isinstance(message, Unreadable):
            yield message
        else:
            talk.take(message)
    begun = (session for session in talk.sessions.values() if session.began)
    yield from (session.case(recording.name) for session in begun)


class _Talk:
    """All that was said between editors and agents: sessions, and who waits for which answer."""

    def __init__(self) -> None:
        self.sessions: dict[str, _Session] = {}
        self._asked: dict[tuple[str, str], dict[str, Any]] = {}

    def take(self, message: WireMessage) -> None:
        """Take a message of either side."""
        body, method = message.body, _method(message)
        params = dict_or_empty(body.get("params"))
        if method in WAITED_FOR and "id" in body:
            self._asked[method, str(body["id"])] = params
        if method in METHODS:
            self._session(params, message.position).take(str(method), params, message.at)
        elif method in SETTINGS:
            session = self._session(params, None)
            session.model = _set_model(params) or session.model
        elif method == LOADED and text_at(params, "sessionId") in self.sessions:
            self._session(params, None).is_told_again = True
        elif "method" not in body and "id" in body:
            self._answer(body, message)

    def _session(self, params: dict[str, Any], position: int | None) -> _Session:
        own = text_at(params, "sessionId") or ""
        session = self.sessions.setdefault(own, _Session(own))
        session.position = session.position or position
        return session

    def _answer(self, body: dict[str, Any], message: WireMessage) -> None:
        """Take an answer; both sides number what they ask, so its kind tells to what."""
        result = dict_or_empty(body.get("result"))
        found = (method for method, sign in WAITED_FOR.items() if _is_answer(sign, body, result))
        asked = ((m, self._asked.pop((m, str(body["id"])), None)) for m in found)
        method, params = next(((m, p) for m, p in asked if p is not None), (None, None))
        if method is None or params is None:
            return
        session = self._session({"sessionId": text_at(result, "sessionId")} | params, None)
        if method == PROMPT:
            session.end(body, message.at)
        elif method in OPENED:
            session.is_told_again = False
            session.model = _current_model(result) or session.model
        else:
            session.terminals.answer(method, params, result)


def _is_answer(sign: str, body: dict[str, Any], result: dict[str, Any]) -> bool:
    return sign in result or (sign == "stopReason" and "error" in body)


def _current_model(told: dict[str, Any]) -> str | None:
    """The model that a session says it has: in a list of its own, or among its settings."""
    options = objects_in(told.get("configOptions"))
    chosen = (text_at(o, "currentValue") for o in options if MODEL_SETTING in _kinds(o))
    return text_at(dict_or_empty(told.get("models")), "currentModelId") or next(chosen, None)


def _set_model(params: dict[str, Any]) -> str | None:
    is_model = text_at(params, "configId") == MODEL_SETTING
    return text_at(params, "modelId") or (text_at(params, "value") if is_model else None)


def _kinds(option: dict[str, Any]) -> set[str | None]:
    return {text_at(option, "id"), text_at(option, "category")}


class _Terminals:
    """What the editor ran for the agent, and what its terminals showed last."""

    def __init__(self) -> None:
        self._ran: dict[str, dict[str, Any]] = {}
        self._shown: dict[str, str] = {}

    def answer(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> None:
        if method == RUN:
            sent = {key: params[key] for key in ("command", "args", "cwd") if params.get(key)}
            self._ran[text_at(result, "terminalId") or ""] = sent
        else:
            self._shown[text_at(params, "terminalId") or ""] = text_at(result, "output") or ""

    def sent_to(self, told: dict[str, Any]) -> dict[str, Any]:
        """What was run in the terminal that a call shows."""
        return next((self._ran[own] for own in _terminals(told) if own in self._ran), {})

    def shown_in(self, told: dict[str, Any]) -> str:
        """What the terminals that a call shows have shown."""
        return "\n".join(filter(None, (self._shown.get(own) for own in _terminals(told))))


def _terminals(told: dict[str, Any]) -> list[str]:
    return [own for b in objects_in(told.get("content")) if (own := text_at(b, "terminalId"))]


class _Session:
    """A session, told message by message; words come in pieces, calls in updates."""

    def __init__(self, own: str) -> None:
        self._own = own
        self.position: int | None = None
        self.began = False
        self.model: str | None = None
        self.terminals = _Terminals()
        # A session that is opened again begins with all that was said in it.
        self.is_told_again = False
        self._cost: float | None = None
        self._run = RunBuilder()
        self._pieces: dict[str, list[str]] = {}
        self._calls: dict[str, ToolExecutionResult] = {}
        self._shown: dict[str, str] = {}
        self._times: list[float] = []
        self._usages: list[object] = []
        self._failure: str | None = None
        self._unread: Counter[str] = Counter()

    def take(self, method: str, params: dict[str, Any], at: float | None) -> None:
        if self.is_told_again and method == UPDATE:
            return
        self.began = True
        self._times += [] if at is None else [at]
        if method == PROMPT:
            self.is_told_again = False
            self._flush()
            self._user(objects_in(params.get("prompt")))
        elif method == ASKED:
            self._call(dict_or_empty(params.get("toolCall")), at)
        else:
            self._update(dict_or_empty(params.get("update")), at)

    def _user(self, prompt: list[dict[str, Any]]) -> None:
        self._run.user("\n".join(filter(None, map(_said, prompt))))
        for block in prompt:
            # What was attached; what the user said is the question.
            self._run.system(text_at(dict_or_empty(block.get("resource")), "text"))

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
        cost = dict_or_empty(update.get("cost"))
        amount = amount_or_none(cost.get("amount"))
        if text_at(cost, "currency") == "USD" and amount is not None:
            self._cost = amount
        self.model = _current_model(update) or self.model

    def _flush(self) -> None:
        self._run.think("".join(self._pieces.pop("thought", ())))
        self._run.say("".join(self._pieces.pop("words", ())))
        if said := "".join(self._pieces.pop("user", ())):
            self._run.user(said)

    def _call(self, told: dict[str, Any], at: float | None) -> None:
        self._flush()
        own = text_at(told, "toolCallId") or ""
        tool = _tool(told)
        if own not in self._calls:
            begun = ToolExecutionResult(tool or "", {}, call_id=own, started_at=at)
            self._calls[own] = begun
            self._run.call(begun)
        call = self._calls[own]
        call.tool = tool or call.tool or text_at(told, "title") or ""
        sent = told.get("rawInput") or (self.terminals.sent_to(told) if not call.parameters else {})
        if sent:
            call.parameters = decode_arguments(sent)
        if title := text_at(told, "title"):
            call.extra["title"] = title
        shown = self._shown[own] = (
            self.terminals.shown_in(told) or _shown(told) or self._shown.get(own, "")
        )
        ended = ENDS.get(text_at(told, "status") or "")
        if ended is not None and call.reported_success is None:
            came = told.get("rawOutput") or shown or _changes(told) or told.get("rawOutput")
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
        self._usages.append(_usage(dict_or_empty(answer.get("result"))))
        error = dict_or_empty(answer.get("error"))
        self._failure = (text_at(error, "message") or "the prompt failed") if error else None

    def case(self, name: str) -> AgentTestCase:
        """The run that the session was."""
        self._flush()
        return self._run.finish(
            run_id=stable_id(NAME, self._own, *place_id(name, self.position)),
            session_id=self._own or None,
            model=self.model,
            usage=with_cost(total_usage(self._usages), [self._cost]),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self.position),
            extra={"unread_updates": dict(self._unread)} if self._unread else {},
        )


def _tool(told: dict[str, Any]) -> str | None:
    """The tool of a call: as the agent names it beside the protocol, else by its kind."""
    about = dict_or_empty(told.get("_meta"))
    named = (text_at(place, "toolName") for place in (about, *objects_in(list(about.values()))))
    kind = text_at(told, "kind")
    return next(filter(None, named), None) or (None if kind == NO_KIND else kind)


def _said(block: dict[str, Any]) -> str:
    """The words of a part of a prompt; of a file its address."""
    resource = dict_or_empty(block.get("resource")) or block
    uri = text_at(resource, "uri")
    return f"@{uri}" if uri and str(block.get("type")).startswith("resource") else text_of(block)


def _shown(told: dict[str, Any]) -> str:
    """What the user was shown of a result, as far as it is text."""
    blocks = (block.get("content", block) for block in objects_in(told.get("content")))
    return "\n".join(filter(None, map(text_of, blocks)))


def _changes(told: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes of files that a result shows."""
    blocks = objects_in(told.get("content"))
    return [block for block in blocks if text_at(block, "type") == "diff"]


def _usage(result: dict[str, Any]) -> dict[str, Any]:
    """The tokens of a turn, by the names that others have for them."""
    told = dict_or_empty(result.get("usage"))
    return {**told, **{ours: told[theirs] for theirs, ours in COUNTS if theirs in told}}


ACP = Format(
    name=NAME,
    title="Agent Client Protocol: a coding agent's session with its editor",
    fidelity=(
        "Calls with what was sent and came back as far as the agent shows it; a tool is named by "
        "its kind unless the agent names it. Reported failures; times where they were logged; "
        "model, tokens and costs only where the agent tells them. No tools on offer."
    ),
    recognise=_recognise,
    read=_read,
)
