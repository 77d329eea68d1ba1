"""Lets a wording be met without its accents, as programs often write them: "nao", "gueltig"."""

from __future__ import annotations

import unicodedata

# What is written for a letter where it cannot be typed, beside the letter without its accent.
_SPELT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


def accents_aside(pattern: str) -> str:
    """The pattern, with each accented Latin letter met with and without its accent."""
    parts: list[str] = []
    in_set = False
    for letter in pattern:
        if letter in "[]":
            in_set = letter == "["
        plain = _plain(letter)
        if plain is None:
            parts.append(letter)
        elif in_set:
            parts.append(letter + plain)
        elif letter in _SPELT:
            parts.append(f"(?:{letter}|{_SPELT[letter]}|{plain})")
        else:
            parts.append(f"[{letter}{plain}]")
    return "".join(parts)


def _plain(letter: str) -> str | None:
    if letter == "ß":
        return "s"
    base = unicodedata.normalize("NFD", letter)[0] if letter > "\x7f" else letter
    return base if base != letter and base.isascii() else None
