"""Thoughts that a model wrote into its reply, where its server did not take them out."""

from __future__ import annotations

BEGIN, END = "<think>", "</think>"
# How thoughts end whose begin stood in the prompt: on a line of its own.
_LONE_END = f"\n{END}\n"


def split_thoughts(text: str) -> tuple[str, str]:
    """The thoughts a reply begins with, and its words; no thoughts of a reply that has none."""
    if END not in text:
        begun = text.lstrip().startswith(BEGIN)
        return (text.lstrip().removeprefix(BEGIN).strip(), "") if begun else ("", text)
    thought, _, words = text.partition(END)
    opened = thought.lstrip()
    if opened.startswith(BEGIN):
        return opened.removeprefix(BEGIN).strip(), words.lstrip()
    if BEGIN not in text and _LONE_END in f"{text}\n":
        thought, _, words = f"{text}\n".partition(_LONE_END)
        return thought.strip(), words.strip()
    return "", text
