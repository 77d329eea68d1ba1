"""Open WebUI: exported chats, each a tree of messages whose branches are attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import entries
from assay.ingest.details_blocks import Thought, Words, shown_in
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    number_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.message_trees import MOST_BRANCHES, about_branches, ends_of, path_to
from assay.ingest.openai_responses import ItemRun
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.ingest.details_blocks import ShownCall
    from assay.test_case import AgentTestCase

NAME = "open-webui"
CODE_ITEM = "open_webui:code_interpreter"
# How Ollama calls what others call tokens sent and received.
OLLAMA_COUNTS = (("prompt_eval_count", "input_tokens"), ("eval_count", "output_tokens"))
RATED = "the user's rating"
_LOOKED_AT = 20


def _recognise(recording: Recording) -> float:
    chats = (_chat(item) for item in recording.first_items(_LOOKED_AT))
    return 0.95 if any(_tree(chat) for chat in chats) else 0.0


def _chat(value: object) -> dict[str, Any]:
    """The chat itself, where a row of the database is around it."""
    row = dict_or_empty(value)
    return dict_or_empty(row.get("chat")) or row


def _tree(chat: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The messages of a chat by their ids; none of what is no chat."""
    history = dict_or_empty(chat.get("history"))
    messages = dict_or_empty(history.get("messages"))
    if "currentId" not in history:
        return {}
    return {key: m for key, m in messages.items() if isinstance(m, dict) and "role" in m}


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        chat = _chat(entry.value)
        tree = _tree(chat)
        if not tree:
            yield _without_messages(chat, recording.name, entry)
            continue
        current = text_at(dict_or_empty(chat.get("history")), "currentId")
        parents = {key: text_at(message, "parentId") for key, message in tree.items()}
        ends = ends_of(parents, current)
        told: set[str] = set()
        for number, end in enumerate(ends[:MOST_BRANCHES], start=1):
            path = path_to(end, parents)
            branch = _Branch({key: tree[key] for key in path}, told)
            told.update(path)
            place = Source(recording.name, NAME, entry.position)
            yield branch.case(dict_or_empty(entry.value), place, number, len(ends))


def _without_messages(chat: dict[str, Any], name: str, entry: Entry) -> Unreadable:
    """What is wrong with a value that holds no messages: a chat may be new, and is fine."""
    if isinstance(chat.get("history"), dict):
        problem = "a chat in which nobody said anything"
        return Unreadable(name, problem, entry.position, kind="passed_over")
    return unexpected(name, entry.value, "a chat with messages", entry.position)


class _Branch:
    """One way through a chat; what another branch told already is told in words only."""

    def __init__(self, messages: dict[str, dict[str, Any]], told: set[str]) -> None:
        self._told = ItemRun()
        self._run = self._told.run
        self._end = list(messages)[-1]
        self._messages = list(messages.values())
        replies = {key: m for key, m in messages.items() if m.get("role") == "assistant"}
        self._replies = list(replies.values())
        self._own_replies = [reply for key, reply in replies.items() if key not in told]
        self._shared = told & messages.keys()
        self._is_told = [key in told for key in messages]

    def case(self, row: dict[str, Any], place: Source, number: int, branches: int) -> AgentTestCase:
        """The run that the branch was."""
        chat = _chat(row)
        own_id = text_at(row, "id") or text_at(chat, "id")
        system = text_at(dict_or_empty(chat.get("params")), "system") or text_at(chat, "system")
        if system:
            self._run.system(system)
        for message, is_told in zip(self._messages, self._is_told, strict=True):
            self._message(message, in_words=is_told)
        times = [at for m in self._messages if (at := epoch_seconds(m.get("timestamp")))]
        last = self._messages[-1]
        return self._run.finish(
            run_id=stable_id(NAME, own_id or place_id(str(place.path), place.position), self._end),
            session_id=own_id,
            task_id=own_id if branches > 1 else None,
            attempt=number if branches > 1 else None,
            model=next((found for m in reversed(self._replies) if (found := _model(m))), None),
            usage=total_usage(map(_usage, self._own_replies)),
            outcome=_outcome(last),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            source=place,
            extra=self._extra(row, chat, branches),
        )

    def _message(self, message: dict[str, Any], *, in_words: bool) -> None:
        content = message.get("content")
        if message.get("role") != "assistant":
            self._run.user(content)
            return
        self._run.end_reply()
        if not in_words:
            self._sources(message)
        items = objects_in(message.get("output"))
        if items and not in_words:
            for item in items:
                self._item(item)
        else:
            self._shown(text_of(content), in_words=in_words)
        self._run.end_reply()

    def _sources(self, message: dict[str, Any]) -> None:
        """The calls that Open WebUI made before it asked the model for its answer."""
        for source in objects_in(message.get("sources")):
            about = next(iter(objects_in(source.get("metadata"))), {})
            documents = source.get("document")
            if source.get("tool_result") is not True or not isinstance(documents, list):
                continue
            named = text_at(dict_or_empty(source.get("source")), "name") or ""
            server, _, tool = named.removeprefix("TOOL:").rpartition("/")
            call = ToolExecutionResult(
                tool, decode_arguments(about.get("parameters")), server=server or None
            )
            self._run.call(call)
            self._run.result(None, documents[0] if len(documents) == 1 else documents, tool=tool)

    def _item(self, item: dict[str, Any]) -> None:
        if item.get("type") != CODE_ITEM:
            self._told.add(item)
            return
        sent = {"code": item.get("code"), "language": item.get("lang")}
        self._run.call(ToolExecutionResult("code_interpreter", sent))
        if item.get("output"):
            self._run.result(None, item["output"], tool="code_interpreter")

    def _shown(self, text: str, *, in_words: bool) -> None:
        for piece in shown_in(text):
            match piece:
                case Words():
                    self._run.say(piece.text)
                case Thought():
                    self._run.think(piece.text)
                case _ if not in_words:
                    self._calls(piece)

    def _calls(self, shown: list[ShownCall]) -> None:
        called = [ToolExecutionResult(c.tool, c.arguments, call_id=c.call_id) for c in shown]
        for call in called:
            self._run.call(call)
        for call, came in zip(called, shown, strict=True):
            if came.is_done:
                self._run.result(call.call_id, came.result, tool=call.tool)

    def _extra(self, row: dict[str, Any], chat: dict[str, Any], branches: int) -> dict[str, Any]:
        tags = dict_or_empty(row.get("meta")).get("tags") or chat.get("tags")
        known = {
            "title": text_at(row, "title") or text_at(chat, "title"),
            "tags": tags,
            **about_branches(branches, len(self._shared)),
            "unread_items": dict(self._told.unread),
        }
        return {key: value for key, value in known.items() if value}


def _model(message: dict[str, Any]) -> str | None:
    return text_at(message, "model") or text_at(message, "modelName")


def _usage(message: dict[str, Any]) -> dict[str, Any]:
    """What a reply reports of its tokens; Ollama has words of its own for them."""
    told = dict_or_empty(message.get("usage")) or dict_or_empty(message.get("info"))
    own = {ours: told[theirs] for theirs, ours in OLLAMA_COUNTS if theirs in told}
    return {**own, **told}


def _outcome(last: dict[str, Any]) -> RunOutcome | None:
    """A failure that ended the chat, or what the user thought of the last reply."""
    if error := last.get("error"):
        reason = text_at(dict_or_empty(error), "content") or text_of(error) or None
        return RunOutcome(success=False, decided_by=NAME, reason=reason)
    annotation = dict_or_empty(last.get("annotation"))
    rating = number_or_none(annotation.get("rating"))
    if not rating:
        return None
    reason = text_at(annotation, "comment") or text_at(annotation, "reason")
    return RunOutcome(success=rating > 0, decided_by=RATED, reason=reason)


OPEN_WEBUI = Format(
    name=NAME,
    title="Chats of Open WebUI, exported or in its database",
    fidelity=(
        "Calls stand in the replies as HTML, in newer exports as items; no error flag, no times "
        "of single calls, and in HTML it is not said which calls were issued together. Each "
        "branch of a chat is a run; what it shares with another one counts there only. Web "
        "searches and files that Open WebUI looked up by itself are not calls. The outcome is "
        "an error that ended the chat, or the user's thumb."
    ),
    recognise=_recognise,
    read=_read,
)
