"""The published code's way with words: any of a list, anywhere in the lower-cased text."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.metrics.chatbot.text import MAX_READ

if TYPE_CHECKING:
    from assay.metrics.chatbot.text import Text


@cache
def _lists() -> dict[str, Any]:
    text = (Path(__file__).parent / "public.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def lowered(text: Text) -> str:
    """The text as the published code sees it."""
    return text.raw[:MAX_READ].lower()


def found(group: str, text: Text) -> list[str]:
    """The words of that list that stand anywhere in the text."""
    plain = lowered(text)
    return [word for word in _lists()[group] if word in plain]


def has(group: str, text: Text) -> bool:
    """Whether any word of that list stands anywhere in the text."""
    return bool(found(group, text))


def condition_words(name: str) -> list[str]:
    """The words of a condition; none for one that the published code does not know."""
    words: list[str] = _lists()["conditions"].get(name, [])
    return words
