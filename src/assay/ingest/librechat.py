"""LibreChat: exported conversations, and messages as its API lists them; branches are runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.message_trees import MOST_BRANCHES, about_branches, ends_of, path_to
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "librechat"
MARKS = frozenset({"messageId", "parentMessageId", "isCreatedByUser"})
# Stands between the name of a tool and that of its MCP server.
SERVER = "_mcp_"
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    first = next(iter(recording.sample), None)
    messages = objects_in(_listed(first))[:_LOOKED_AT]
    return 0.95 if messages and all(message.keys() >= MARKS for message in messages) else 0.0


def _listed(value: object) -> object:
    return value if isinstance(value, list) else dict_or_empty(value).get("messages")


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        tree = _tree(objects_in(_listed(document.value)))
        if not tree:
            yield unexpected(
                recording.name, document.value, "a conversation of LibreChat", document.position
            )
            continue
        about = dict_or_empty(document.value)
        yield from _branches(tree, about, Source(recording.name, NAME, document.position))


def _tree(messages: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The messages by their ids, whether they were listed or kept inside each other."""
    tree: dict[str, dict[str, Any]] = {}
    waiting = messages[::-1]
    while waiting:
        message = waiting.pop()
        if message.keys() >= MARKS and (own := text_at(message, "messageId")):
            tree[own] = message
        waiting += objects_in(message.get("children"))[::-1]
    return tree


def _branches(
    tree: dict[str, dict[str, Any]], about: dict[str, Any], place: Source
) -> Iterator[AgentTestCase]:
    parents = {own: text_at(message, "parentMessageId") for own, message in tree.items()}
    ends = ends_of(parents, next(reversed(tree)))
    told: set[str] = set()
    for number, end in enumerate(ends[:MOST_BRANCHES], start=1):
        path = path_to(end, parents)
        messages = [(tree[own], own in told) for own in path]
        told.update(path)
        yield _case(messages, about, place, (number, len(ends)))


def _case(
    messages: list[tuple[dict[str, Any], bool]],
    about: dict[str, Any],
    place: Source,
    branch: tuple[int, int],
) -> AgentTestCase:
    run = RunBuilder()
    for message, is_shared in messages:
        _tell(run, message, in_words=is_shared)
    (last, _), (number, count) = messages[-1], branch
    replies = [m for m, is_shared in messages if not is_shared and _is_reply(m)]
    counts = [{"output_tokens": reply.get("tokenCount")} for reply in replies]
    times = [at for m, _ in messages if (at := epoch_seconds(m.get("createdAt"))) is not None]
    own = text_at(about, "conversationId") or text_at(last, "conversationId")
    shared = sum(is_shared for _, is_shared in messages)
    kept = {"title": text_at(about, "title"), "endpoint": text_at(about, "endpoint")}
    return run.finish(
        run_id=stable_id(NAME, own or place_id(str(place.path), place.position), last["messageId"]),
        session_id=own,
        task_id=own if count > 1 else None,
        attempt=number if count > 1 else None,
        model=next((found for m in reversed(replies) if (found := text_at(m, "model"))), None),
        framework=NAME,
        usage=total_usage(counts),
        outcome=_outcome(last),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=place,
        extra={key: text for key, text in kept.items() if text} | about_branches(count, shared),
    )


def _is_reply(message: dict[str, Any]) -> bool:
    return message.get("isCreatedByUser") is not True


def _tell(run: RunBuilder, message: dict[str, Any], *, in_words: bool) -> None:
    content = objects_in(message.get("content"))
    if not _is_reply(message):
        run.user(_words(content) or message.get("text"))
        return
    run.end_reply()
    for part in content:
        match text_at(part, "type"):
            case "think":
                run.think(text_of(part.get("think")) or None)
            case "tool_call" if not in_words:
                _tell_call(run, dict_or_empty(part.get("tool_call")))
            case "text":
                run.say(_words([part]))
    if not content:
        run.say(message.get("text"))
    run.end_reply()


def _words(content: list[dict[str, Any]]) -> str:
    """The words of parts; assistants keep them one level deeper."""
    texts = (part.get("text") for part in content)
    return "\n".join(
        found for t in texts if (found := text_of(t.get("value") if isinstance(t, dict) else t))
    )


def _tell_call(run: RunBuilder, kept: dict[str, Any]) -> None:
    function = dict_or_empty(kept.get("function"))
    tool, _, server = (text_at(kept, "name") or text_at(function, "name") or "").partition(SERVER)
    sent = decode_arguments(kept.get("args", function.get("arguments")))
    own = text_at(kept, "id")
    run.call(ToolExecutionResult(tool, sent, server=server or None, call_id=own))
    came = kept.get("output", function.get("output"))
    if came is not None:
        run.result(own, came, tool=tool)


def _outcome(last: dict[str, Any]) -> RunOutcome | None:
    if last.get("error") is not True:
        return None
    told = (text_at(part, "error") for part in objects_in(last.get("content")))
    reason = text_at(last, "text") or next(filter(None, told), None)
    return RunOutcome(success=False, decided_by=NAME, reason=reason)


LIBRECHAT = Format(
    name=NAME,
    title="LibreChat conversations",
    fidelity=(
        "Has no error flag on results and no times of calls; of the tokens those of the replies. "
        "Each branch of a conversation is a run; what it shares with an earlier one is told in "
        "words. The outcome is an error of the last message."
    ),
    recognise=_recognise,
    read=_read,
)
