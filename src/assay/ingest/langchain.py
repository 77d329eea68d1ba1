"""LangChain and LangGraph messages, in each of the forms people save them in.

`model_dump` (`{"type": "ai", ...}`), `messages_to_dict` (`{"type": "ai", "data": {...}}`),
`dumpd` (`{"lc": 1, "id": [...], "kwargs": {...}}`); as a list, as JSON lines, or as the
`messages` of a graph's state or state snapshot, in the events that `astream_events` gives, or in
the updates that `stream_mode="updates"` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
)
from assay.ingest.graph_states import GraphState, messages_in, plain_message
from assay.ingest.graph_streams import (
    entries_of,
    holds_pieces,
    holds_states,
    piece_told,
    put_together,
    state_told,
)
from assay.ingest.graph_updates import messages_added
from assay.ingest.recording import Format, Recording
from assay.ingest.served_blocks import STATUSES, served_in, tell_in_order
from assay.ingest.stated_names import stated_attempt, stated_model, stated_task
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "langchain"

_MOST_SEEN_UPDATES = 20
# The events whose output is a message of its own.
_SAID = ("on_chat_model_end", "on_tool_end")


def _recognise(recording: Recording) -> float:
    streams = (_holds_events, _holds_updates, holds_states, holds_pieces)
    if any(holds(recording) for holds in streams):
        return 1.0
    found = [messages_in(value) for value in recording.sample[:3]]
    messages = [message for listed in found for message in listed]
    lines = [m for value in recording.sample if (m := plain_message(value)) is not None]
    messages = messages or (lines if len(lines) == len(recording.sample) else [])
    if not messages:
        return 0.0
    if all(m["role"] == "system" for m in messages):
        return 0.0
    certain = any("tool_calls" in m or "response_metadata" in m or "lc" in m for m in messages)
    return 1.0 if certain else 0.8


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if _holds_events(recording):
        return _read_events(recording)
    if _holds_updates(recording):
        return _read_updates(recording)
    if holds_states(recording):
        return _read_states(recording)
    return (_read_pieces if holds_pieces(recording) else _read_messages)(recording)


def _read_events(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    events = _Events()
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif not _is_event(entry.value):
            yield unexpected(recording.name, entry.value, "an event of a graph", entry.position)
        elif (ended := events.take(entry.value, entry.position)) is not None:
            yield _case(ended, recording)
    yield from (_case(left, recording) for left in events.left())


def _read_states(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    last: GraphState | None = None
    for entry in entries_of(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        told = state_told(entry[1])
        if told is None or not (messages := messages_in(told)):
            continue
        state = GraphState(messages, told, entry[0])
        if last is None or last.goes_on_in(messages):
            last = state if last is None else replace(state, position=last.position)
        elif not state.goes_on_in(last.messages):  # a history begins with the newest
            yield _case(last, recording)
            last = state
    if last is not None:
        yield _case(last, recording)


def _read_pieces(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    pieces = []
    for entry in entries_of(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif (piece := piece_told(entry[1])) is not None:
            pieces.append(piece)
    threads = (text_at(about, "thread_id") for _, about in pieces)
    around = {"thread_id": next(filter(None, threads), None)}
    if messages := put_together(pieces):
        yield _case(GraphState(messages, around, None), recording)


def _read_updates(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    """A stream of updates is one run, unless a node tells a whole conversation anew."""
    told: list[dict[str, Any]] = []
    known: set[str] = set()
    began: int | None = None
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        added = _added(entry.value)
        if added is None:
            yield unexpected(
                recording.name, entry.value, "an update by a node of a graph", entry.position
            )
            continue
        if told and _is_another(added, known):
            yield _case(GraphState(told, {}, began), recording)
            told, known = [], set()
        began = began if told else entry.position
        # What a graph within the graph said, the node that holds it says again.
        told += [message for message in added if text_at(message, "id") not in known]
        known |= {own for message in added if (own := text_at(message, "id")) is not None}
    if told:
        yield _case(GraphState(told, {}, began), recording)


def _is_another(added: list[dict[str, Any]], known: set[str]) -> bool:
    roles = [message["role"] for message in added]
    is_whole = roles[:1] == ["user"] and "assistant" in roles
    return is_whole and not any(text_at(message, "id") in known for message in added)


def _holds_updates(recording: Recording) -> bool:
    sample = recording.sample
    listed = sample[0] if len(sample) == 1 and isinstance(sample[0], list) else sample
    if not listed or _added(listed[0]) is None:
        return False
    found = [_added(item) for item in listed[:_MOST_SEEN_UPDATES]]
    messages = [
        message
        for item, added in zip(listed, found, strict=False)
        for message in added or ()
        if state_told(item) is None
    ]
    is_stream = 2 * found.count(None) < len(found)
    return is_stream and any(message["role"] == "assistant" for message in messages)


def _added(value: object) -> list[dict[str, Any]] | None:
    """The messages that a node of a graph added; None of what is no update, as of a whole state.

    A state that was streamed beside the updates adds what the user said.
    """
    if (state := state_told(value)) is not None:
        return messages_in(state)
    found = messages_added(value)
    if found is None or messages_in(value):
        return None
    return [message for each in found if (message := plain_message(each)) is not None]


def _read_messages(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[dict[str, Any]] = []
    state: GraphState | None = None
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif (message := plain_message(document.value)) is not None:
            loose.append(message)
        elif messages := messages_in(document.value):
            later = GraphState(messages, dict_or_empty(document.value), document.position)
            if state is not None and not state.goes_on_in(messages):
                yield _case(state, recording)
                state = None
            state = later if state is None else replace(later, position=state.position)
        elif not _says_nothing(document.value):
            yield unexpected(
                recording.name,
                document.value,
                "LangChain messages, or a state that holds them",
                document.position,
            )
    if state is not None:
        yield _case(state, recording)
    if loose:
        yield _case(GraphState(loose, {}, None), recording)


class _Events:
    """Follows the events of graphs: the outermost run's last state is the conversation.

    Of a run that broke off it is what went in, and what models and tools said since. Runs may
    go on side by side, and of a run whose own events were not kept the others are.
    """

    def __init__(self) -> None:
        self._open: dict[str, GraphState] = {}
        self._are_named = False

    def take(self, event: Any, position: int | None) -> GraphState | None:
        """Note an event; the state, if it ends an outermost run."""
        kind, run, data = event["event"], event["run_id"], event["data"]
        root = self._outermost(event)
        if root not in self._open:
            self._open[root] = GraphState(messages_in(data.get("input")), {}, position)
        told = self._open[root].messages
        if kind in _SAID and (message := plain_message(data.get("output"))) is not None:
            told.append(message)
        if run != root or kind != "on_chain_end":
            return None
        begun = self._open.pop(root)
        ended = messages_in(data.get("output")) or told
        return GraphState(ended, {}, begun.position) if ended else None

    def left(self) -> Iterator[GraphState]:
        """What is known of the runs that have not ended."""
        yield from (state for state in self._open.values() if state.messages)

    def _outermost(self, event: dict[str, Any]) -> str:
        """The outermost run that an event belongs to; the first version never names it."""
        above, run = event.get("parent_ids"), str(event["run_id"])
        if isinstance(above, list) and above:
            self._are_named = True
            return str(above[0])
        return run if self._are_named or run in self._open else next(iter(self._open), run)


def _holds_events(recording: Recording) -> bool:
    return any(map(_is_event, recording.first_items(1)))


def _is_event(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    kind = value.get("event")
    return isinstance(kind, str) and kind.startswith("on_") and isinstance(value.get("run_id"), str)


def _says_nothing(value: object) -> bool:
    """Whether a value only begins or ends a stream of states."""
    return value is None or (isinstance(value, dict) and value.keys() == {"run_id", "attempt"})


def _case(state: GraphState, recording: Recording) -> AgentTestCase:
    messages, around, position = state.messages, state.around, state.position
    builder = RunBuilder()
    for message in messages:
        _tell(builder, message)
    said = [dict_or_empty(message.get("response_metadata")) for message in messages]
    models = (m.get("model_name") or m.get("model") or m.get("model_id") for m in said)
    config = dict_or_empty(dict_or_empty(around.get("config")).get("configurable"))
    checkpoint = dict_or_empty(around.get("checkpoint"))
    threads = (text_at(place, "thread_id") for place in (config, around, checkpoint))
    thread = next(filter(None, threads), None)
    ids = [message.get("id") for message in messages[:2]]
    return builder.finish(
        run_id=stable_id(NAME, thread, ids, *place_id(recording.name, position)),
        session_id=thread,
        task_id=stated_task(around),
        attempt=stated_attempt(around),
        model=next(filter(None, map(text_or_none, models)), None) or stated_model(around),
        framework=NAME,
        usage=total_usage(_usage(message) for message in messages),
        ended_at=epoch_seconds(around.get("created_at") or checkpoint.get("ts")),
        source=Source(recording.name, NAME, position),
    )


def _tell(builder: RunBuilder, message: dict[str, Any]) -> None:
    content = message.get("content")
    match message["role"]:
        case "user":
            builder.user(content)
        case "assistant" if served_in(message):
            builder.end_reply()
            builder.think(_reasoning(message))
            tell_in_order(builder, message)
            for call in _calls(message):
                builder.call(call)
            builder.end_reply()
        case "assistant":
            builder.assistant(content, _calls(message), reasoning=_reasoning(message))
        case "tool":
            _tell_result(builder, message)
        case _:
            builder.system(content)


def _calls(message: dict[str, Any]) -> list[ToolExecutionResult]:
    """The calls of a reply; those whose arguments could not be parsed are calls too."""
    calls = [_call(sent) for sent in objects_in(message.get("tool_calls"))]
    calls += [_call(sent) for sent in objects_in(message.get("invalid_tool_calls"))]
    raw = dict_or_empty(message.get("additional_kwargs"))
    if not calls:
        calls = [_raw_call(sent) for sent in objects_in(raw.get("tool_calls"))]
    if not calls and isinstance(raw.get("function_call"), dict):
        calls = [_raw_call({"function": raw["function_call"]})]
    return calls


def _call(sent: dict[str, Any]) -> ToolExecutionResult:
    problem = text_at(sent, "error")
    return ToolExecutionResult(
        tool=str(sent.get("name") or ""),
        parameters=decode_arguments(sent.get("args")),
        call_id=text_at(sent, "id"),
        extra={"parse_error": problem} if problem else {},
    )


def _raw_call(sent: dict[str, Any]) -> ToolExecutionResult:
    function = dict_or_empty(sent.get("function"))
    return ToolExecutionResult(
        tool=str(function.get("name") or ""),
        parameters=decode_arguments(function.get("arguments")),
        call_id=text_at(sent, "id"),
    )


def _tell_result(builder: RunBuilder, message: dict[str, Any]) -> None:
    content = message.get("content")
    success = STATUSES.get(str(message.get("status")))
    builder.result(
        text_at(message, "tool_call_id"),
        content,
        reported_success=success,
        error_message=text_of(content) or None if success is False else None,
        tool=text_at(message, "name"),
    )


def _reasoning(message: dict[str, Any]) -> str | None:
    parts = objects_in(message.get("content"))
    thoughts = [part.get("thinking") or part.get("reasoning") for part in parts]
    thoughts.append(dict_or_empty(message.get("additional_kwargs")).get("reasoning_content"))
    return "\n".join(text for text in thoughts if isinstance(text, str) and text) or None


def _usage(message: dict[str, Any]) -> dict[str, int | None]:
    said = dict_or_empty(message.get("usage_metadata"))
    if not said:
        reply = dict_or_empty(message.get("response_metadata"))
        return dict_or_empty(reply.get("token_usage")) or dict_or_empty(reply.get("usage"))
    taken = dict_or_empty(said.get("input_token_details"))
    given = dict_or_empty(said.get("output_token_details"))
    return {
        "input_tokens": count_or_none(said.get("input_tokens")),
        "output_tokens": count_or_none(said.get("output_tokens")),
        "cache_read_input_tokens": count_or_none(taken.get("cache_read")),
        "cache_creation_input_tokens": count_or_none(taken.get("cache_creation")),
        "reasoning_tokens": count_or_none(given.get("reasoning")),
    }


LANGCHAIN = Format(
    name=NAME,
    title="LangChain and LangGraph messages and states",
    fidelity=(
        "Says status error for a tool that raised; a tool that caught its error reports "
        "success. Messages have no times, no server and no tool schemas. Sub-graphs keep their "
        "messages elsewhere, so their calls are not seen."
    ),
    recognise=_recognise,
    read=_read,
)
