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
# Emoji and several scripts cannot do without these joiners.
_KEPT = frozenset("\n\t\u200c\u200d")
# Servers may turn these into control tokens even inside a message; a space breaks them.
_SPEAKER_MARKS = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>"
    r"|<(?=/?(?:s|bos|eos|start_of_turn|end_of_turn|system|assistant|user|human)>)"
    r"|\[(?=/?INST\])|<(?=<|SYS>>|/SYS>>)",
    re.IGNORECASE,
)
_FENCE_LIKE = re.compile(r"==(?=[0-9a-fA-F]{8,64}==)")


def harmless(text: str) -> str:
    """The text with hidden characters shown and with nothing that looks like our structure."""
    if not text.isprintable():  # line breaks are not
        text = text.replace("\r\n", "\n")
        hidden = {ord(char): _escape(char) for char in set(text) if _is_hidden(char)}
        text = text.translate(hidden) if hidden else text
    return _FENCE_LIKE.sub("= =", _SPEAKER_MARKS.sub(lambda found: f" {found[0]} ", text))


def barred(text: str) -> str:
    """The text with a bar before every line."""
    return "\n".join(f"{BAR} {line}" for line in text.split("\n"))


def fence_for(texts: Iterable[str]) -> str:
    """A line start that none of the texts contains: it depends on all of them."""
    digest = sha256()
    for text in texts:
        digest.update(f"{len(text)}:{text}".encode(errors="replace"))
    return f"=={digest.hexdigest()[:16]}=="


def _is_hidden(char: str) -> bool:
    """Whether a character shows nothing of itself: controls, direction marks, line ends, halves."""
    if char.isprintable() or char in _KEPT:
        return False
    return unicodedata.category(char) != "Zs"


def _escape(char: str) -> str:
    code = ord(char)
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"
