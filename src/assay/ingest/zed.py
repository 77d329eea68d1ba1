"""Zed: threads of its agent, as its database keeps them, of both generations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

NAME = "zed"
USER, AGENT, COMPACTION = "User", "Agent", "Compaction"
# Where a row of the database, and acpx's sessions, keep the thread.
AROUND_KEYS = ("thread", "data")
OLD_MARKS = frozenset({"role", "segments", "tool_uses"})
_KEPT = ("title", "summary", "profile", "completion_mode", "version", "subagent_context")
_LOOKED_AT = 5
_MOST_MESSAGES = 50


def _recognise(recording: Recording) -> float:
    threads = [_thread(item) for item in recording.first_items(_LOOKED_AT)]
    return 0.95 if threads and all(_is_thread(thread) for thread in threads) else 0.0


def _thread(value: object) -> dict[str, Any]:
    """The thread itself, where more is around it."""
    around = dict_or_empty(value)
    for key in AROUND_KEYS:
        inner = around.get(key)
        inner = decode_json_text(inner) if isinstance(inner, str) else inner
        if isinstance(inner, dict) and isinstance(inner.get("messages"), list):
            own_id = {"id": around["id"]} if "id" in around else {}
            return {**own_id, **inner}
    return around


def _is_thread(thread: dict[str, Any]) -> bool:
    """Whether the messages of a thread are Zed's: a kind around each, or segments in it."""
    messages = objects_in(thread.get("messages"))[:_MOST_MESSAGES]
    return any(map(_is_message, messages)) and all(
        _is_message(message) or message.keys() == {COMPACTION} for message in messages
    )


def _is_message(message: dict[str, Any]) -> bool:
    if message.keys() >= OLD_MARKS:
        return True
    (kind, *more) = message or [None]
    inner = message.get(str(kind))
    return kind in {USER, AGENT} and not more and isinstance(inner, dict) and "content" in inner


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif _is_thread(thread := _thread(entry.value)):
            yield _Thread(thread).case(recording.name, entry.position)
        else:
            yield _stranger(entry, recording.name)


def _stranger(entry: Entry, name: str) -> Unreadable:
    return unexpected(name, entry.value, "a thread of Zed's agent", entry.position)


class _Thread:
    """One thread, told message by message."""

    def __init__(self, thread: dict[str, Any]) -> None:
        self._thread = thread
        self._run = RunBuilder()
        self._unread: Counter[str] = Counter()

    def case(self, name: str, position: int | None) -> AgentTestCase:
        """The run that the thread was."""
        thread = self._thread
        for message in objects_in(thread["messages"]):
            if message.keys() >= OLD_MARKS:
                self._old(message)
            else:
                self._new(message)
        own_id = text_at(thread, "id")
        extra = {key: thread[key] for key in _KEPT if thread.get(key)}
        if self._unread:
            extra["unread_content"] = dict(self._unread)
        requests = thread.get("request_token_usage")
        each = list(requests.values()) if isinstance(requests, dict) else objects_in(requests)
        return self._run.finish(
            run_id=stable_id(NAME, own_id or place_id(name, position)),
            session_id=own_id,
            model=text_at(dict_or_empty(thread.get("model")), "model"),
            framework=NAME,
            usage=total_usage([thread.get("cumulative_token_usage")]) or total_usage(each),
            ended_at=epoch_seconds(thread.get("updated_at")),
            source=Source(name, NAME, position),
            extra=extra,
        )

    def _new(self, message: dict[str, Any]) -> None:
        if COMPACTION in message:
            self._run.system(_words(message[COMPACTION]))
        elif USER in message:
            self._user(objects_in(dict_or_empty(message[USER]).get("content")))
        elif AGENT in message:
            self._agent(dict_or_empty(message[AGENT]))
        else:
            self._unread[next(iter(message), "")] += 1

    def _user(self, content: list[dict[str, Any]]) -> None:
        mentions = [dict_or_empty(part["Mention"]) for part in content if "Mention" in part]
        said = (_mentioned(p["Mention"]) if "Mention" in p else _words(p) for p in content)
        self._run.user("".join(said).strip())
        for mention in mentions:
            # What was attached; what the user said is the question.
            self._run.system(text_at(mention, "content"))

    def _agent(self, message: dict[str, Any]) -> None:
        self._run.end_reply()
        for part in objects_in(message.get("content")):
            (kind, value), *_ = part.items() or [("", None)]
            match kind:
                case "Text":
                    self._run.say(value)
                case "Thinking":
                    self._run.think(text_at(dict_or_empty(value), "text"))
                case "ToolUse":
                    self._run.call(_call(dict_or_empty(value)))
                case "RedactedThinking":
                    pass
                case _:
                    self._unread[kind] += 1
        for own_id, result in dict_or_empty(message.get("tool_results")).items():
            self._result({"tool_use_id": own_id, **dict_or_empty(result)})

    def _old(self, message: dict[str, Any]) -> None:
        segments = objects_in(message.get("segments"))
        words = "\n".join(text_of(part) for part in segments if part.get("type") == "text")
        if message.get("role") != "assistant":
            for result in objects_in(message.get("tool_results")):
                self._result(result)
            if words:
                self._run.user(words)
            self._run.system(text_at(message, "context"))
            return
        thoughts = [text_at(p, "text") or "" for p in segments if p.get("type") == "thinking"]
        calls = map(_call, objects_in(message.get("tool_uses")))
        self._run.assistant(words, calls, reasoning="\n".join(thoughts))
        for result in objects_in(message.get("tool_results")):
            self._result(result)

    def _result(self, result: dict[str, Any]) -> None:
        failed = result.get("is_error")
        came = _words(result.get("content")) or result.get("output")
        self._run.result(
            text_at(result, "tool_use_id"),
            came,
            reported_success=not failed if isinstance(failed, bool) else None,
            error_message=text_of(came) or None if failed is True else None,
            tool=text_at(result, "tool_name"),
        )


def _call(used: dict[str, Any]) -> ToolExecutionResult:
    is_whole = used.get("is_input_complete") is not False
    sent = used.get("input") if is_whole else used.get("raw_input", used.get("input"))
    return ToolExecutionResult(
        text_at(used, "name") or "", decode_arguments(sent), call_id=text_at(used, "id")
    )


def _words(content: Any) -> str:
    """The words of a piece of content, however its kind stands around them."""
    if isinstance(content, list):
        parts = (part for part in content if not isinstance(part, list))
        return "\n".join(filter(None, map(_words, parts)))
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    if "Image" in content:
        return "[image]"
    told = (content.get(key) for key in ("Text", "text", "Summary"))
    return next((text for text in told if isinstance(text, str)), "")


def _mentioned(mention: Any) -> str:
    """A mention as the user saw it: what its address names."""
    about = dict_or_empty(mention).get("uri")
    inner = next(iter(about.values()), None) if isinstance(about, dict) else about
    named = next(iter(inner.values()), None) if isinstance(inner, dict) else inner
    return f"@{named}" if isinstance(named, str) else "@"


ZED = Format(
    name=NAME,
    title="Threads of Zed's agent, also in its database",
    fidelity=(
        "Calls with results and their flag, model and tokens of the whole thread. No times but "
        "that of the last change, no servers, no tools on offer, no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
