"""Chat messages with the calls and results that were written as words."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import objects_in, text_at, text_of
from assay.ingest.typed_commands import (
    FENCE,
    Told,
    acted,
    fenced_command,
    keystrokes,
    told_of_command,
)
from assay.ingest.written_calls import OBSERVED, reacted, told_results, written_calls

# Who tells what came of a call.
_TELLERS = frozenset({"user", "tool"})


def known_by(words: str) -> str:
    """What a reply is known by when it is sent again: an action may be written anew by then."""
    return "".join(call["name"] for call in reacted(words)) or words


def with_written_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages with the calls that replies hold as words, and with what came of them."""
    return _Conversation(messages).told()


def has_calls(messages: list[dict[str, Any]]) -> bool:
    """Whether anything is called in messages: in a list of calls, a block, or in words."""
    return any(
        message.get("tool_calls")
        or message.get("function_call")
        or any(str(part.get("type")).endswith("tool_use") for part in objects_in(said))
        for message in with_written_calls(messages)
        for said in [message.get("content")]
    )


class _Conversation:
    """The messages of a conversation, walked through once."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self._messages = messages
        self._told: list[dict[str, Any]] = []
        # The tools of the calls that wait for a result.
        self._waiting: list[str] = []
        # Whether a harness typed these, and whether it ever told of one.
        self._typed = False
        self._has_harness = False

    def told(self) -> list[dict[str, Any]]:
        for i, message in enumerate(self._messages):
            words = text_of(message.get("content"))
            results = self._results(message, words)
            if results:
                self._told += results
                self._waiting = []
            elif message.get("role") == "assistant" and not message.get("tool_calls"):
                self._reply(i, message, words)
            else:
                self._told.append(message)
        return self._told

    def _reply(self, i: int, message: dict[str, Any], words: str) -> None:
        """Tell a reply with the calls in its words."""
        calls = written_calls(words)
        typed = [] if calls else self._commands(words, self._after(i))
        if not calls and not typed:
            self._told.append(message)
            return
        self._typed = bool(typed)
        self._waiting = [call["name"] for call in calls or typed]
        said, _, seen = words.partition(f"\n{OBSERVED[0]}")
        issued = [{"function": call} for call in calls or typed]
        self._told.append({**message, "content": said, "tool_calls": issued})
        # Behind the last words there is nothing yet but what the model made up.
        if seen and i + 1 < len(self._messages):
            self._told.append(_result(self._waiting[-1], seen.strip()))
            self._waiting = []

    def _after(self, i: int) -> str | None:
        """What was told after a reply; None after the last one, or after which another came."""
        if i + 1 == len(self._messages):
            return None
        message = self._messages[i + 1]
        return text_of(message.get("content")) if message.get("role") in _TELLERS else None

    def _commands(self, words: str, after: str | None) -> list[dict[str, Any]]:
        """The commands of a reply; a fence alone is one only where a harness told of it.

        The last one need not be told of, where those before it were.
        """
        found = keystrokes(words)
        if found or not (FENCE in words or acted(words, observed=True)):
            return found
        is_told = after is not None and told_of_command(after) is not None
        is_last = after is None and self._has_harness
        if after is not None or is_last:
            found = acted(words, observed=is_told)
        if not found and (is_told or is_last):
            found = fenced_command(words)
        self._has_harness |= bool(found) and is_told
        return found

    def _results(self, message: dict[str, Any], words: str) -> list[dict[str, Any]]:
        """What a message of the user or of a tool tells of the calls that wait for it."""
        if not self._waiting or text_at(message, "role") not in _TELLERS:
            return []
        if message.get("tool_call_id"):
            return []
        if self._typed:
            # All that was typed at once has one screen.
            shown = told_of_command(words) or Told(words, None)
            return [_result(name, shown.result, success=shown.success) for name in self._waiting]
        seen = told_results(words)
        told = None if seen else told_of_command(words)
        if told is not None:
            return [_result(None, told.result, success=told.success)]
        names = self._waiting if len(seen) == len(self._waiting) else [None] * len(seen)
        return [_result(name, text) for name, text in zip(names, seen, strict=True)]


def _result(tool: str | None, seen: str, *, success: bool | None = None) -> dict[str, Any]:
    flag = {} if success is None else {"success": success}
    return {"role": "tool", "name": tool, "content": seen, **flag}
