"""Chat messages with the calls and results that were written as words."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import text_at, text_of
from assay.ingest.written_calls import OBSERVED, reacted, told_results, written_calls


def known_by(words: str) -> str:
    """What a reply is known by when it is sent again: an action may be written anew by then."""
    return "".join(call["name"] for call in reacted(words)) or words


def with_written_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages with the calls that replies hold as words, and with what came of them."""
    told: list[dict[str, Any]] = []
    waiting: list[str] = []
    for i, message in enumerate(messages):
        words = text_of(message.get("content"))
        calls = _calls(message, words)
        results = _results(message, words, waiting)
        if results:
            told += results
            waiting = []
        elif not calls:
            told.append(message)
        else:
            waiting = [call["function"]["name"] for call in calls]
            said, _, seen = words.partition(f"\n{OBSERVED[0]}")
            told.append({**message, "content": said, "tool_calls": calls})
            # Behind the last words there is nothing yet but what the model made up.
            if seen and i + 1 < len(messages):
                told.append(_result(waiting[-1], seen.strip()))
                waiting = []
    return told


def _calls(message: dict[str, Any], words: str) -> list[dict[str, Any]]:
    if message.get("role") != "assistant" or message.get("tool_calls"):
        return []
    return [{"function": call} for call in written_calls(words)]


def _results(message: dict[str, Any], words: str, waiting: list[str]) -> list[dict[str, Any]]:
    """What a message of the user or of a tool tells of the calls that wait for it."""
    role = text_at(message, "role")
    if not waiting or role not in {"user", "tool"} or message.get("tool_call_id"):
        return []
    seen = told_results(words)
    names = waiting if len(seen) == len(waiting) else [None] * len(seen)
    return [_result(name, text) for name, text in zip(names, seen, strict=True)]


def _result(tool: str | None, seen: str) -> dict[str, Any]:
    return {"role": "tool", "name": tool, "content": seen}
