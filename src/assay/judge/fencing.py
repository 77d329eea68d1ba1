"""What strangers wrote, made harmless for a prompt: it can neither hide nor pretend.

Every line of it gets a bar in front, so that none can pass for a fence or a speaker; hidden
characters are shown as escapes, and the marks with which chat models tell speakers apart lose
their shape.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BAR = "|"
_BEFORE_LINE = f"{BAR} "
_LINE_BREAK = f"\n{BAR} "
# Emoji and several scripts cannot do without these joiners.
_KEPT = frozenset("\n\t\u200c\u200d")
# Servers may turn these into control tokens even inside a message; a space breaks them.
_SPEAKER_MARKS = re.compile(
    # Each way begins with a sign of its own, which is all that most of a text is searched for.
    r"<(?=[|｜<]|/?(?:s|bos|eos|start_of_turn|end_of_turn|system|assistant|user|human)>|/?SYS>>)"
    r"|>(?<=[|｜]>)|\[(?=/?INST\])",
    re.IGNORECASE,
)
# Data has brackets everywhere; few of them open this mark.
_BRACKET_MARK = re.compile(r"\[/?INST\]", re.IGNORECASE)
_FENCE_LIKE = re.compile(r"==(?=[0-9a-fA-F]{8,64}==)")


def harmless(text: str) -> str:
    """The text with hidden characters shown and with nothing that looks like our structure."""
    if not text.isprintable():  # line breaks are not
        text = _shown(text)
    # To look for a sign costs next to nothing, and most texts have none of these.
    if "<" in text or ">" in text or ("[" in text and _BRACKET_MARK.search(text)):
        text = _SPEAKER_MARKS.sub(r" \g<0> ", text)
    return _FENCE_LIKE.sub("= =", text) if "==" in text else text


def barred(text: str) -> str:
    """The text with a bar before every line."""
    return _BEFORE_LINE + text.replace("\n", _LINE_BREAK)


def fence_for(texts: Iterable[str]) -> str:
    """A line start that none of the texts contains: it depends on all of them."""
    every = "".join([f"{len(text)}:{text}" for text in texts])
    return f"=={sha256(every.encode(errors='replace')).hexdigest()[:16]}=="


def _shown(text: str) -> str:
    """The text with its hidden characters as escapes."""
    text = text.replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    hidden = {ord(char): _escape(char) for char in set(text) if _is_hidden(char)}
    return text.translate(hidden) if hidden else text


def _is_hidden(char: str) -> bool:
    """Whether a character shows nothing of itself: controls, direction marks, line ends, halves."""
    if char.isprintable() or char in _KEPT:
        return False
    return unicodedata.category(char) != "Zs"


def _escape(char: str) -> str:
    code = ord(char)
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"
