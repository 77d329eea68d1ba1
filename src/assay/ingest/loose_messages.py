"""Messages that stand alone, one a line or row: which of them are one conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import id_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Where a message says which conversation it is of; an id of a reply is none of these.
_CONVERSATION_KEYS = (
    *("conversation_id", "conversationId", "session_id", "sessionId"),
    *("thread_id", "threadId", "chat_id", "chatId"),
)
# What may stand on each message, and is then said of the run.
_OF_THE_RUN = ("model", "task_id")

Placed = tuple[dict[str, Any], int | None]


def conversations_among(loose: Sequence[Placed]) -> Iterator[Placed]:
    """The loose messages of a file as conversations, each where its first message stands.

    They are one, which has no place of its own, unless every message names the one it is of.
    """
    named = _by_name(loose)
    if loose and not named:
        yield _conversation(loose), None
    for name, placed in named.items():
        yield {"id": name, **_conversation(placed)}, placed[0][1]


def _conversation(placed: Sequence[Placed]) -> dict[str, Any]:
    messages = [message for message, _ in placed]
    return {"messages": messages, **_told_alike(messages)}


def _by_name(loose: Sequence[Placed]) -> dict[str, list[Placed]]:
    """The messages by the conversation they name; empty where that tells none apart."""
    for key in _CONVERSATION_KEYS:
        found: dict[str, list[Placed]] = {}
        for message, position in loose:
            if (name := id_or_none(message.get(key))) is None:
                break
            found.setdefault(name, []).append((message, position))
        else:
            # One message each: what they name is the message, not where it belongs.
            return found if 1 < len(found) < len(loose) else {}
    return {}


def _told_alike(messages: Sequence[dict[str, Any]]) -> dict[str, str]:
    """What no two messages of a conversation say differently."""
    told = {key: {id_or_none(message.get(key)) for message in messages} for key in _OF_THE_RUN}
    said = {key: list(values - {None}) for key, values in told.items()}
    return {key: values[0] for key, values in said.items() if len(values) == 1 and values[0]}
