"""Thoughts that a model wrote into its reply, where its server did not take them out."""

from __future__ import annotations

_BEGIN, _END = "<think>", "</think>"
# How thoughts end whose begin stood in the prompt: on a line of its own.
_LONE_END = f"\n{_END}\n"


def split_thoughts(text: str) -> tuple[str, str]:
    """The thoughts a reply begins with, and its words; no thoughts of a reply that has none."""
    if _END not in text:
        begun = text.lstrip().startswith(_BEGIN)
        return (text.lstrip().removeprefix(_BEGIN).strip(), "") if begun else ("", text)
    thought, _, words = text.partition(_END)
    opened = thought.lstrip()
    if opened.startswith(_BEGIN):
        return opened.removeprefix(_BEGIN).strip(), words.lstrip()
    if _BEGIN not in text and _LONE_END in f"{text}\n":
        thought, _, words = f"{text}\n".partition(_LONE_END)
        return thought.strip(), words.strip()
    return "", text
