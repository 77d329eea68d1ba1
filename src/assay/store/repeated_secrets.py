"""Secrets where they stand once more, and nothing tells them: in the next call, in the answer."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from assay.store.secret_rules import is_drawn, is_unfamiliar
from assay.store.secret_search import Span, begins_a_word, occurrences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Each is looked for by itself, in all of the text.
_MOST = 64
_LONGEST = 4_000
_SHORTEST_PART = 16

# What a cookie and other headers join, and the line's end that a secret was read with.
_JOINT = re.compile(r"[\s=;,]+")
_LINE_END = re.compile(r"\\{1,64}[nr]\Z")
# A mark that joins no words of a sentence or of a name: `P@ssword`.
_ODD_MARK = re.compile(r"[A-Za-z][!#$%&+?@^~]{1,8}[A-Za-z]")
# What JSON has outside of its texts must not become half a text.
_NO_TEXT = re.compile(r"(?:[0-9.eE+,:-]|true|false|null)+")


def repeated_secrets(text: str, secrets: Iterable[str]) -> Iterator[Span]:
    """Every other place of secrets that were found in a text, as far as they are no words."""
    for value in islice(dict.fromkeys(_sought(secrets)), _MOST):
        for at in occurrences(text, value):
            if _is_whole(text, at, at + len(value)):
                yield Span(at, at + len(value))


def _sought(secrets: Iterable[str]) -> Iterator[str]:
    """What is looked for, as it is written at its own depth and at the next ones."""
    for secret in dict.fromkeys(secrets):
        for value in _parts(secret):
            yield value
            if "\\" in value:
                yield value.replace("\\", "\\\\")
                yield value.replace("\\\\", "\\")


def _parts(secret: str) -> Iterator[str]:
    """A secret and, where others are joined to it, what may stand without them."""
    if len(secret) > _LONGEST:
        return
    whole = _LINE_END.sub("", secret.strip())
    if _is_no_word(whole):
        yield whole
    # The password of a user: `ada:...`.
    password = whole.partition(":")[2]
    if _is_no_word(password):
        yield password
    parts = _JOINT.split(whole)
    for part in parts if len(parts) > 1 else ():
        if len(part) >= _SHORTEST_PART and _is_no_word(part):
            yield part


def _is_no_word(value: str) -> bool:
    """Whether a secret is nothing that one says or writes for another reason.

    One with a quote is left alone: at another depth it may be the frame of other values.
    """
    return (
        is_unfamiliar(value)
        and (is_drawn(value) or _ODD_MARK.search(value) is not None)
        and '"' not in value
        and "\\" not in {value[0], value[-1]}
        and not _NO_TEXT.fullmatch(value)
    )


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no longer word has the value as its part, nor an escape its first letter."""
    if text.startswith("\\", start - 1) or (
        _is_letter(text[start]) and not begins_a_word(text, start)
    ):
        return False
    return not (_is_letter(text[end - 1]) and _is_letter(text[end : end + 1]))


def _is_letter(text: str) -> bool:
    return text.isascii() and text.isalnum()
