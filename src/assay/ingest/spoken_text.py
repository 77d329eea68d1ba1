"""Conversations that data sets keep as one text, each speaker's name before what was said."""

from __future__ import annotations

import re
from typing import Any

# Where such a text stands, and who speaks in it.
TEXT_KEYS = ("chat", "conversation", "dialogue")
SPEAKERS = {
    "SYSTEM": "system",
    "USER": "user",
    "HUMAN": "user",
    "ASSISTANT": "assistant",
    "FUNCTION RESPONSE": "tool",
    "TOOL RESPONSE": "tool",
}
_SPEAKER = re.compile(rf"(?m)^({'|'.join(SPEAKERS)}):[ \t]*")
_END = "<|endoftext|>"


def with_speakers(value: Any) -> Any:
    """A document with such texts, on its own level or in its list, as messages."""
    if isinstance(value, list):
        return [_with_speakers(item) for item in value]
    return _with_speakers(value)


def _with_speakers(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    found = {key: said for key in TEXT_KEYS if (said := messages_in(value.get(key)))}
    return {**value, **found} if found else value


def messages_in(text: Any) -> list[dict[str, str]]:
    """The messages of a text; none where not both sides speak in it."""
    marks = list(_SPEAKER.finditer(text)) if isinstance(text, str) else []
    if not {"user", "assistant"} <= {SPEAKERS[mark[1]] for mark in marks}:
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [
        {
            "role": SPEAKERS[mark[1]],
            "content": text[mark.end() : end].strip().removesuffix(_END).strip(),
        }
        for mark, end in zip(marks, ends, strict=True)
    ]
