"""OpenCode: exported sessions, the messages its server lists, and the events it sends.

A message has an `info` and `parts`. Events (`opencode run --format json`, the server's stream)
tell the same parts again whenever they change: the last one counts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, read_beside, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
    with_cost,
)
from assay.ingest.opencode_storage import (
    is_piece,
    is_session,
    is_told_by_session,
    stored_messages,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "opencode"
STATUSES = {"completed": True, "error": False}
EVENT_PREFIXES = ("message.", "session.")
RUN_EVENTS = frozenset({"step_start", "step_finish", "tool_use", "text", "reasoning", "error"})
# Parts that say nothing of what was said or done.
SIDE_PARTS = frozenset({"snapshot", "patch", "retry", "compaction", "agent", "subtask"})
USAGE_PATHS = (
    ("input_tokens", ("input",)),
    ("output_tokens", ("output",)),
    ("reasoning_tokens", ("reasoning",)),
    ("cache_read_input_tokens", ("cache", "read")),
    ("cache_creation_input_tokens", ("cache", "write")),
)


def _recognise(recording: Recording) -> float:
    values = [
        v
        for value in recording.sample
        for v in (value[:50] if isinstance(value, list) else [value])
    ]
    if any(_is_event(value) for value in values[:5]):
        return 0.95
    if len(values) == 1 and (is_piece(values[0]) or is_session(values[0])):
        return 0.9 if is_piece(values[0]) or stored_messages(recording, values[0]) else 0.0
    listed = [m for value in values for m in (_messages(value) or [value])]
    return 0.95 if listed and all(map(_is_message, listed[:50])) else 0.0


def _is_message(value: object) -> bool:
    info = dict_or_empty(dict_or_empty(value).get("info"))
    return "sessionID" in info and "role" in info and "parts" in dict_or_empty(value)


def _messages(value: object) -> list[dict[str, Any]]:
    return objects_in(dict_or_empty(value).get("messages"))


def _is_event(value: object) -> bool:
    event = dict_or_empty(value)
    kind = text_at(event, "type") or ""
    if kind in RUN_EVENTS:
        return "sessionID" in event and ("part" in event or "error" in event)
    about = dict_or_empty(event.get("properties"))
    return kind.startswith(EVENT_PREFIXES) and bool({"info", "part", "sessionID"} & about.keys())


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    sessions: dict[str, _Session] = {}
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in values:
            if is_piece(value):
                problem = "is a piece of a session; its file below storage/session tells the whole"
                is_there = is_told_by_session(recording, value)
                yield read_beside(recording.name, problem, other_is_there=is_there)
            elif not _take(_with_messages(recording, value), sessions):
                yield unexpected(recording.name, value, "a session of OpenCode", document.position)
    for session in sessions.values():
        yield from session.runs(recording.name)


def _with_messages(recording: Recording, value: Any) -> Any:
    """A session of the storage folder with the messages that lie there; others as they are."""
    stored = stored_messages(recording, value) if is_session(value) else []
    return {"info": value, "messages": stored} if stored else value


def _take(value: Any, sessions: dict[str, _Session]) -> bool:
    """Take a session, a message or an event; False if it is none of these."""
    if _is_message(value):
        _session_of(sessions, value["info"]).message(value)
    elif _messages(value):
        about = dict_or_empty(value.get("info"))
        session = sessions.setdefault(id_or_none(about.get("id")) or "", _Session())
        session.about |= about
        session.is_whole = bool(about)
        for message in filter(_is_message, _messages(value)):
            session.message(message)
    elif isinstance(value, dict) and isinstance(value.get("type"), str):
        body = dict_or_empty(value.get("properties")) or value
        part, info = dict_or_empty(body.get("part")), dict_or_empty(body.get("info"))
        named = next((n for n in (part, info, body) if "sessionID" in n), body)
        session = _session_of(sessions, named)
        session.event(body, part, info)
        session.seen(epoch_seconds(value.get("timestamp")))
    else:
        return False
    return True


def _session_of(sessions: dict[str, _Session], named: dict[str, Any]) -> _Session:
    own_id = text_at(named, "sessionID") or text_at(dict_or_empty(named.get("info")), "id") or ""
    return sessions.setdefault(own_id, _Session())


class _Session:
    """What is known of one session: its messages by id, each with its parts by id."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = {}
        # An export, a folder and a database tell the same of a session; a log tells a part of it.
        self.is_whole = False
        self._infos: dict[str, dict[str, Any]] = {}
        self._parts: dict[str, dict[str, dict[str, Any]]] = {}
        self._failure: str | None = None
        self._unread: Counter[str] = Counter()
        self._usages: list[dict[str, Any]] = []
        self._costs: list[float] = []
        self._times: list[float] = []

    def seen(self, *moments: float | None) -> None:
        """Take down when something happened, where that is told."""
        self._times += [at for at in moments if at is not None]

    def message(self, message: dict[str, Any]) -> None:
        """Take a whole message."""
        own_id = str(message["info"].get("id"))
        self._infos[own_id] = message["info"]
        known = self._parts.setdefault(own_id, {})
        for i, part in enumerate(objects_in(message["parts"])):
            known[text_at(part, "id") or str(i)] = part

    def event(self, body: dict[str, Any], part: dict[str, Any], info: dict[str, Any]) -> None:
        """Take what changed: a part, what is known of a message or of the session, an error."""
        if part:
            message = self._parts.setdefault(str(part.get("messageID")), {})
            message[text_at(part, "id") or str(len(message))] = part
        elif "role" in info:
            self._infos[str(info.get("id"))] = info
            self._parts.setdefault(str(info.get("id")), {})
        elif info:
            self.about |= info
        self._failure = _failure(body.get("error")) or self._failure

    def runs(self, name: str) -> Iterator[AgentTestCase]:
        """The run of this session, if anything was said in it."""
        if not self._parts:
            return
        run = RunBuilder()
        for own_id, parts in self._parts.items():
            info = self._infos.get(own_id, {"role": "assistant"})
            told = len(self._usages)
            _add_message(run, info, list(parts.values()), self)
            if len(self._usages) == told:
                self.spent(info)
            if info.get("role") == "assistant":
                self._failure = _failure(info.get("error")) or self._failure
        infos = list(self._infos.values())
        self.seen(*(_moment(info, key) for info in infos for key in ("created", "completed")))
        session = text_at(self.about, "id") or next(
            (
                text_at(part, "sessionID")
                for parts in self._parts.values()
                for part in parts.values()
            ),
            None,
        )
        place = () if session and self.is_whole else place_id(name, None)
        yield run.finish(
            run_id=stable_id(NAME, session, *place),
            session_id=session,
            agent_id=next((text_at(i, "agent") or text_at(i, "mode") for i in infos), None),
            model=next(filter(None, map(_model, reversed(infos))), None),
            framework=NAME,
            usage=self._usage(),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=_moment(self.about, "created") or min(self._times, default=None),
            ended_at=_moment(self.about, "updated") or max(self._times, default=None),
            source=Source(name, NAME),
            extra=self._extra(),
        )

    def spent(self, part: dict[str, Any]) -> None:
        """Tokens and money of a step, or of a message without steps."""
        counts = dict_or_empty(part.get("tokens"))
        self._usages.append({ours: _at(counts, path) for ours, path in USAGE_PATHS})
        cost = amount_or_none(part.get("cost"))
        self._costs += [] if cost is None else [cost]

    def unread(self, kind: str) -> None:
        """Count a part of a kind that nobody knows."""
        self._unread[kind] += 1

    def _usage(self) -> Usage | None:
        return with_cost(total_usage(self._usages), self._costs)

    def _extra(self) -> dict[str, Any]:
        kept = {key: self.about[key] for key in ("title", "parentID") if self.about.get(key)}
        return kept | ({"unread_parts": dict(self._unread)} if self._unread else {})


def _add_message(
    run: RunBuilder, info: dict[str, Any], parts: list[dict[str, Any]], session: _Session
) -> None:
    """Tell the run one message; the calls of a step were issued together."""
    run.end_reply()
    calls: list[dict[str, Any]] = []
    for part in parts:
        kind = text_at(part, "type") or ""
        if kind == "tool":
            run.call(_call(part))
            calls.append(part)
        elif kind in {"step-start", "step-finish"}:
            _end_step(run, calls)
            if kind == "step-finish":
                session.spent(part)
        elif kind == "reasoning":
            run.think(text_at(part, "text"))
        elif kind in {"text", "file"}:
            _add_words(run, info, part)
        elif kind not in SIDE_PARTS:
            session.unread(kind)
    _end_step(run, calls)


def _add_words(run: RunBuilder, info: dict[str, Any], part: dict[str, Any]) -> None:
    words = text_at(part, "text") or ("[file]" if part.get("type") == "file" else "")
    if info.get("role") == "assistant":
        run.say(words)
    elif part.get("synthetic") is True or part.get("ignored") is True:
        run.system(words)  # the harness speaks in the user's name
    else:
        run.user(words)


def _call(part: dict[str, Any]) -> ToolExecutionResult:
    state = dict_or_empty(part.get("state"))
    refused = _refused(part)
    return ToolExecutionResult(
        tool=refused or text_at(part, "tool") or "",
        parameters={} if refused else decode_arguments(state.get("input")),
        call_id=text_at(part, "callID"),
        started_at=_moment(state, "start"),
    )


def _refused(part: dict[str, Any]) -> str | None:
    """The tool that the model named where OpenCode called `invalid` in its place.

    What the model sent it is not kept: the arguments are OpenCode's own.
    """
    sent = dict_or_empty(dict_or_empty(part.get("state")).get("input"))
    return text_at(sent, "tool") if part.get("tool") == "invalid" and "error" in sent else None


def _end_step(run: RunBuilder, calls: list[dict[str, Any]]) -> None:
    for part in calls:
        state = dict_or_empty(part.get("state"))
        success = STATUSES.get(str(state.get("status")))
        if success is None:
            continue  # it was not over when the file was written
        code = count_or_none(dict_or_empty(state.get("metadata")).get("exit"))
        success = success and code in {None, 0} and _refused(part) is None
        error = text_at(state, "error")
        told = run.result(
            text_at(part, "callID"),
            state.get("output", error),
            reported_success=success,
            error_message=error or text_at(state, "output") if success is False else None,
            ended_at=_moment(state, "end"),
        )
        if told is not None and told.started_at is not None and told.ended_at is not None:
            told.execution_time = max(told.ended_at - told.started_at, 0.0)
    calls.clear()
    run.end_reply()


def _failure(error: object) -> str | None:
    told = dict_or_empty(error)
    return text_at(dict_or_empty(told.get("data")), "message") or text_at(told, "name")


def _model(info: dict[str, Any]) -> str | None:
    return text_at(info, "modelID") or text_at(dict_or_empty(info.get("model")), "modelID")


def _moment(about: dict[str, Any], key: str) -> float | None:
    return epoch_seconds(dict_or_empty(about.get("time")).get(key))


def _at(counts: dict[str, Any], path: tuple[str, ...]) -> Any:
    for key in path[:-1]:
        counts = dict_or_empty(counts.get(key))
    return counts.get(path[-1])


OPENCODE = Format(
    name=NAME,
    title="OpenCode: exported sessions, its database, run --format json logs",
    fidelity=(
        "Calls have a status, times and the exit codes of commands; steps their tokens and costs. "
        "Tools on offer and servers are not told; run logs have neither the question nor the "
        "model. Sub-agents are sessions of their own, named by their parent's id."
    ),
    recognise=_recognise,
    read=_read,
)
