"""What a graph streams beside its updates: its states, one after another, and pieces of messages.

With several modes the mode stands before each entry, with graphs within the graph their path does;
of these the outermost graph is told. A state snapshot is a tuple: saved, it may be a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.documents import Unreadable
from assay.ingest.fields import count_or_none, dict_or_empty, objects_in, text_at, text_of
from assay.ingest.graph_states import messages_in, plain_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.ingest.recording import Recording

MODES = frozenset({"values", "messages", "updates", "custom", "checkpoints", "tasks", "debug"})
# The fields of a state snapshot, in their order; later versions add one.
SNAPSHOT = ("values", "next", "config", "metadata", "created_at", "parent_config", "tasks")
DEBUG_TYPES = frozenset({"checkpoint", "task", "task_result"})
_LOOKED_AT = 40


def entries_of(recording: Recording) -> Iterator[tuple[int | None, Any] | Unreadable]:
    """What was streamed or kept, one after another, each with its place in the file."""
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        else:
            yield from _items(document.value, document.position)


def holds_states(recording: Recording) -> bool:
    """Whether a recording is a stream or a history of states; bare states are told elsewhere."""
    return any(messages_in(state_told(value)) for value in _sampled(recording))


def holds_pieces(recording: Recording) -> bool:
    """Whether a recording is a stream of messages in pieces."""
    return any(piece_told(value) is not None for value in _sampled(recording))


def _sampled(recording: Recording) -> list[Any]:
    first = recording.sample[:1]
    listed = len(recording.sample) == 1 and isinstance(first[0], list)
    values = [value for _, value in _items(first[0], None)] if listed else list(recording.sample)
    return values[:_LOOKED_AT]


def _items(value: Any, position: int | None) -> Iterator[tuple[int | None, Any]]:
    if isinstance(value, list) and position is None and not _is_entry(value):
        yield from enumerate(value, start=1)
    else:
        yield position, value


def _is_entry(value: list[Any]) -> bool:
    return _is_snapshot(value) or piece_told(value) is not None or _opened(value)[0] is not None


def _is_snapshot(value: Any) -> bool:
    if not isinstance(value, list) or len(value) not in {len(SNAPSHOT), len(SNAPSHOT) + 1}:
        return False
    return isinstance(value[0], dict) and "configurable" in dict_or_empty(value[2])


def _opened(value: Any) -> tuple[str | None, Any, bool]:
    """The mode of an entry, what was streamed, and whether a graph within the graph did it."""
    if not isinstance(value, list) or not 1 < len(value) <= 3:
        return None, value, False
    *before, body = value
    mode = next((item for item in before if isinstance(item, str) and item in MODES), None)
    return mode, body, any(isinstance(item, list) and item for item in before)


def state_told(value: Any) -> dict[str, Any] | None:
    """The state that an entry tells of the outermost graph."""
    if _is_snapshot(value):
        return dict(zip(SNAPSHOT, value, strict=False))
    mode, body, is_inner = _opened(value)
    body = dict_or_empty(body)
    if is_inner or (mode is None and text_at(body, "type") not in DEBUG_TYPES):
        return None
    if mode == "values":
        return body
    kept = dict_or_empty(body.get("payload")) if "payload" in body else body
    config = dict_or_empty(dict_or_empty(kept.get("config")).get("configurable"))
    if "values" not in kept or config.get("checkpoint_ns"):
        return None
    at = body.get("timestamp")
    return kept if at is None else {**kept, "created_at": at}


def piece_told(value: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """A message or a piece of one, and what is known of the node that it came from."""
    mode, body, is_inner = _opened(value)
    if mode is None and isinstance(body, dict):
        body = value
    if mode not in {None, "messages"} or is_inner or not isinstance(body, list) or len(body) != 2:
        return None
    message, about = plain_message(body[0]), body[1]
    is_told = isinstance(about, dict) and "langgraph_node" in about
    return (message, about) if message is not None and is_told else None


def put_together(
    pieces: Iterable[tuple[dict[str, Any], dict[str, Any]]],
) -> list[dict[str, Any]]:
    """The messages whose pieces were streamed."""
    whole: dict[str, dict[str, Any]] = {}
    for number, (piece, about) in enumerate(pieces):
        own_id = text_at(piece, "id") or f"piece {number}"
        told = whole.setdefault(own_id, {**piece, **_nothing_told()})
        said = piece.get("content")
        if isinstance(said, str) or _is_piece(piece) or told["words"]:
            told["words"] += [said if isinstance(said, str) else _joined(said)]
        else:  # whole from the beginning, as results of tools are
            told["content"] = said
        _add_calls(told["calls"], piece)
        told["usage_metadata"] = _added(told["usage_metadata"], piece.get("usage_metadata"))
        told["response_metadata"] = {
            "model_name": text_at(about, "ls_model_name"),
            **dict_or_empty(told.get("response_metadata")),
            **dict_or_empty(piece.get("response_metadata")),
        }
    return [_finished(message) for message in whole.values()]


def _nothing_told() -> dict[str, Any]:
    return {"content": None, "words": [], "calls": {}, "usage_metadata": None}


def _added(told: Any, more: Any, depth: int = 0) -> Any:
    """The tokens of two pieces: each has its own part of the counts and of their details."""
    if isinstance(told, dict) and isinstance(more, dict) and depth < 2:
        return {key: _added(told.get(key), more.get(key), depth + 1) for key in told | more}
    counts = [count for value in (told, more) if (count := count_or_none(value)) is not None]
    return sum(counts) if counts else more or told


def _is_piece(message: dict[str, Any]) -> bool:
    return "tool_call_chunks" in message or str(message.get("type")).endswith("Chunk")


def _joined(content: object) -> str:
    return "".join(text_of([part]) for part in objects_in(content))


def _add_calls(calls: dict[object, dict[str, Any]], piece: dict[str, Any]) -> None:
    for chunk in objects_in(piece.get("tool_call_chunks")):
        index = chunk.get("index")
        place = str(chunk.get("id") if index is None else index)
        call = calls.setdefault(place, {"name": None, "args": [], "id": None})
        for key in ("name", "id"):
            call[key] = call[key] or text_at(chunk, key)
        call["args"].append(text_at(chunk, "args") or "")


def _finished(message: dict[str, Any]) -> dict[str, Any]:
    """A message with its words and its calls, each of one piece."""
    words, calls = message.pop("words"), message.pop("calls").values()
    if message["content"] is None:
        message["content"] = "".join(words)
    called = [{**call, "args": "".join(call["args"])} for call in calls]
    return {**message, "tool_calls": called, "invalid_tool_calls": []} if called else message
