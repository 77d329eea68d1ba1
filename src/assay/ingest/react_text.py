"""Calls that a model wrote as words, as ReAct has it: an action, its input, an observation."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import text_of
from assay.ingest.python_literals import decode_loosely
from assay.ingest.shapes import reacted

OBSERVED = "Observation:"


def known_by(words: str) -> str:
    """What a reply is known by when it is sent again: an action may be written anew by then."""
    return "".join(call["name"] for call in reacted(words)) or words


def with_written_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages with the calls that replies hold as words, and with what came of them."""
    told: list[dict[str, Any]] = []
    waiting: str | None = None
    for i, message in enumerate(messages):
        words = text_of(message.get("content"))
        calls = [] if message.get("tool_calls") else _calls(message, words)
        if waiting and message.get("role") == "user" and words.startswith(OBSERVED):
            told.append(_result(waiting, words.removeprefix(OBSERVED)))
            waiting = None
        elif not calls:
            told.append(message)
        else:
            waiting = calls[-1]["function"]["name"]
            said, _, seen = words.partition(f"\n{OBSERVED}")
            told.append({**message, "content": said, "tool_calls": calls})
            # Behind the last words there is nothing yet but what the model made up.
            if seen and i + 1 < len(messages):
                told.append(_result(waiting, seen))
                waiting = None
    return told


def _calls(message: dict[str, Any], words: str) -> list[dict[str, Any]]:
    written = reacted(words) if message.get("role") == "assistant" else []
    return [{"function": {**call, "arguments": _sent(call["arguments"])}} for call in written]


def _sent(written: str) -> Any:
    """What was written as the input: JSON, or as Python prints it, else the words."""
    decoded = decode_loosely(written)
    return decoded if isinstance(decoded, dict) else written


def _result(tool: str, seen: str) -> dict[str, Any]:
    return {"role": "tool", "name": tool, "content": seen.strip()}
