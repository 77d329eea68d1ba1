"""ChatGPT: the conversations of a data export, each a tree of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.message_trees import MOST_BRANCHES, about_branches, ends_of, path_to
from assay.ingest.recording import Format, Recording
from assay.records import preview
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "chatgpt"
# Whom a reply is for that is no call.
EVERYBODY = frozenset({"all", "user", "assistant", ""})
SYSTEM_ERROR = "system_error"
# What code came to; any other state says nothing.
STATES = {"success": True, "cancelled": False}
FAILED = "failed"
CODE = "code"
# How long the model thought, which it says to nobody.
RECAP = "reasoning_recap"
# What a search found, which is not shown as words.
FOUND = "search_result_groups"
# Where the words of a content stand that has no parts.
WORD_KEYS = ("text", "result", "content")
_LOOKED_AT = 20


def _recognise(recording: Recording) -> float:
    values = [dict_or_empty(item) for item in recording.first_items(_LOOKED_AT)]
    return 0.95 if any(_nodes(value) for value in values) else 0.0


def _nodes(conversation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The nodes of a conversation by their ids; none of what is no conversation."""
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict) or not all(isinstance(n, dict) for n in mapping.values()):
        return {}
    messages = [dict_or_empty(node.get("message")) for node in mapping.values()]
    is_chat = any("author" in message and "content" in message for message in messages)
    return mapping if is_chat else {}


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        conversation = dict_or_empty(entry.value)
        nodes = _nodes(conversation)
        if not nodes:
            is_empty = isinstance(conversation.get("mapping"), dict)
            problem = f"expected a conversation with messages, got {preview(entry.value)}"
            yield Unreadable(
                recording.name,
                problem,
                entry.position,
                kind="passed_over" if is_empty else "broken",
            )
            continue
        yield from _branches(conversation, nodes, Source(recording.name, NAME, entry.position))


def _branches(
    conversation: dict[str, Any], nodes: dict[str, dict[str, Any]], source: Source
) -> Iterator[AgentTestCase]:
    """The runs of a conversation: one for each branch, the user's own first."""
    parents = {key: text_at(node, "parent") for key, node in nodes.items()}
    found = ends_of(parents, text_at(conversation, "current_node"))
    ends = [end for end in found if _is_said(end, nodes) or _is_said(parents[end], nodes)] or found
    told: set[str] = set()
    for number, end in enumerate(ends[:MOST_BRANCHES], start=1):
        path = path_to(end, parents)
        branch = _Branch()
        for key in path:
            message = dict_or_empty(nodes[key].get("message"))
            branch.take(message, in_words=key in told)
        shared = len(told.intersection(path))
        own_id = text_at(conversation, "conversation_id") or text_at(conversation, "id")
        told.update(path)
        title = text_at(conversation, "title")
        yield branch.run.finish(
            run_id=stable_id(NAME, own_id or place_id(str(source.path), source.position), end),
            session_id=own_id,
            task_id=own_id if len(ends) > 1 else None,
            attempt=number if len(ends) > 1 else None,
            model=branch.model or text_at(conversation, "default_model_slug"),
            started_at=min(branch.times, default=None),
            ended_at=max(branch.times, default=None),
            source=source,
            extra={**({"title": title} if title else {}), **about_branches(len(ends), shared)},
        )


def _is_said(key: str | None, nodes: dict[str, dict[str, Any]]) -> bool:
    """Whether a node has a message; roots have none, and are no branch where they stand alone."""
    return key in nodes and bool(nodes[key].get("message"))


class _Branch:
    """One way through a conversation, told message by message."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self.model: str | None = None
        self.times: list[float] = []
        # How many calls of each tool nothing came back for yet, and all tools that were called.
        self._waiting: dict[str, int] = {}
        self._called: set[str] = set()

    def take(self, message: dict[str, Any], *, in_words: bool) -> None:
        """Take a message; of one that another branch told, only the words."""
        author = dict_or_empty(message.get("author"))
        content = dict_or_empty(message.get("content"))
        at = epoch_seconds(message.get("create_time"))
        self.times += [] if at is None else [at]
        match text_at(author, "role"):
            case "user":
                self.run.user(_words(content))
            case "assistant":
                self._reply(message, content, in_words=in_words)
            case "tool" if not in_words:
                self._result(text_at(author, "name"), message, content)
            case "system":
                self.run.system(_words(content))

    def _reply(self, message: dict[str, Any], content: dict[str, Any], *, in_words: bool) -> None:
        about = dict_or_empty(message.get("metadata"))
        self.model = text_at(about, "model_slug") or self.model
        recipient = text_at(message, "recipient") or ""
        if thoughts := _thoughts(content):
            self.run.think(thoughts)
        elif recipient in EVERYBODY:
            self.run.end_reply()
            self.run.say(_words(content))
        elif not in_words:
            at = epoch_seconds(message.get("create_time"))
            self._waiting[recipient] = self._waiting.get(recipient, 0) + 1
            self._called.add(recipient)
            self.run.call(ToolExecutionResult(recipient, _sent(content), started_at=at))

    def _result(self, named: str | None, message: dict[str, Any], content: dict[str, Any]) -> None:
        """Take what a tool said; a tool may say more than one thing of one call.

        Some speak under another name than they were called by: that is one nobody called.
        """
        around = dict_or_empty(message.get("metadata"))
        about = dict_or_empty(around.get("aggregate_result"))
        failed = text_at(content, "content_type") == SYSTEM_ERROR
        state = text_at(about, "status") or ""
        success = False if failed or state.startswith(FAILED) else STATES.get(state)
        words = _words(content)
        tool = named if named in self._called else next(iter(self._waiting), None)
        if tool is None or tool not in self._waiting:
            self.run.other("tool", words)
            return
        self._waiting[tool] -= 1
        if not self._waiting[tool]:
            del self._waiting[tool]
        self.run.result(
            None,
            words or around.get(FOUND) or None,
            tool=tool,
            reported_success=success,
            error_message=words or None if success is False else None,
            ended_at=epoch_seconds(about.get("end_time"))
            or epoch_seconds(message.get("create_time")),
        )


def _words(content: dict[str, Any]) -> str:
    """The words of a message; of pictures and sounds, that there are any."""
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n".join(filter(None, map(_part, parts)))
    return next((text for key in WORD_KEYS if (text := text_at(content, key))), "")


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = text_at(dict_or_empty(part), "content_type")
    return text_of(part) or (f"[{kind}]" if kind else "")


def _thoughts(content: dict[str, Any]) -> str:
    if text_at(content, "content_type") == RECAP:
        return _words(content)
    thoughts = objects_in(content.get("thoughts"))
    told = (text_at(thought, key) for thought in thoughts for key in ("summary", "content"))
    return "\n".join(filter(None, told))


def _sent(content: dict[str, Any]) -> Any:
    """What a tool was sent: an object, or the code or the text itself by that name."""
    words = _words(content)
    decoded = decode_arguments(words)
    if isinstance(decoded, dict):
        return decoded
    return {CODE if text_at(content, "content_type") == CODE else "text": words}


CHATGPT = Format(
    name=NAME,
    title="Conversations of a ChatGPT data export",
    fidelity=(
        "What the model sent to a tool and what came back as far as it was kept; only code that "
        "was run says whether it failed. Each branch of a conversation is a run; what it shares "
        "with another one counts there only. No tokens, no tools on offer, no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
