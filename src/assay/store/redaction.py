"""Secrets out of a case before it is written.

Works on the JSON text, so that a secret is found however deep it lies: in a field, in JSON
inside a text, in a log line. A linear-time engine first looks whether there is anything to find
at all; most cases pay for that look only.
"""

from __future__ import annotations

import re
import string
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from assay.store.command_secrets import command_search, handed_over
from assay.store.named_secrets import named_secrets
from assay.store.repeated_secrets import repeated_secrets
from assay.store.secret_names import name_search
from assay.store.secret_rules import SHAPES, Shape
from assay.store.secret_search import Span, begins_a_word, occurrences, search, search_by_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LONGEST_MAIL_USER = 64


def redacted(text: str, *, emails: bool = False) -> tuple[str, int]:
    """The JSON text with every secret masked, still JSON, and how many there were."""
    found: list[str] = []
    if _shape_search()(text):
        text, found = _masked(text, _shaped(text))
    lowered = _lowered(text)
    spans: list[Iterator[Span]] = []
    if name_search()(lowered):
        spans.append(named_secrets(text, lowered))
    if command_search()(lowered):
        spans.append(handed_over(text, lowered))
    if spans:
        text, told = _masked(text, chain(*spans))
        found += told
    if found:
        text, again = _masked(text, repeated_secrets(text, found))
        found += again
    if emails and "@" in text:
        text, mails = _masked(text, _mail_addresses(text))
        found += mails
    return text, len(found)


def masked_text(text: str) -> str:
    """A plain text, no JSON, with every secret masked."""
    masked, count = redacted(msgspec.json.encode(text).decode())
    return msgspec.json.decode(masked, type=str) if count else text


def redacted_each(texts: Sequence[bytes], *, emails: bool = False) -> list[tuple[bytes, int]]:
    """Several short JSON texts, each as `redacted` has it: one look at all of them often does."""
    if not _may_need_masks(b"\n".join(texts).decode(), emails=emails):
        return [(text, 0) for text in texts]
    masked = [redacted(text.decode(), emails=emails) for text in texts]
    return [(text.encode(), count) for text, count in masked]


def _may_need_masks(text: str, *, emails: bool) -> bool:
    if _shape_search()(text) or (emails and "@" in text):
        return True
    lowered = _lowered(text)
    return name_search()(lowered) or command_search()(lowered)


def _lowered(text: str) -> str:
    """The text with its ASCII letters in lower case, every letter at its place."""
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _masked(text: str, spans: Iterator[Span]) -> tuple[str, list[str]]:
    """The text with the spans masked, as one those that overlap, and what is sought of each."""
    parts, done, found = [], 0, []
    for start, end, mask, sought in sorted(spans):
        if start >= done:
            parts += [text[done:start], mask]
            found.append(text[start:end] if sought else "")
        done = max(done, end)
    return "".join([*parts, text[done:]]) if found else text, found


# More beginnings than this take longer together than one group after the other.
_AT_ONCE = 14


@cache
def _shape_search() -> Callable[[str], bool]:
    """A look whether there is any shape; most texts that are written hold none."""
    groups: list[list[str]] = [[]]
    beginnings = 0
    for shape in sorted(SHAPES, key=lambda shape: shape.starts):
        beginnings += len(shape.starts)
        if beginnings > _AT_ONCE:
            groups.append([])
            beginnings = len(shape.starts)
        groups[-1].append(shape.pattern)
    return search_by_groups(groups)


@cache
def _shapes() -> list[tuple[Shape, re.Pattern[str], Callable[[str], bool]]]:
    return [(shape, re.compile(shape.pattern), search(shape.pattern)) for shape in SHAPES]


_WORD = re.compile(r"[A-Za-z0-9]+")


def _shaped(text: str) -> Iterator[Span]:
    for shape, pattern, occurs_in in _shapes():
        if occurs_in(text):
            for start in shape.starts:
                yield from _of_shape(text, shape, pattern, start)


def _of_shape(text: str, shape: Shape, pattern: re.Pattern[str], start: str) -> Iterator[Span]:
    at = text.find(start)
    while at >= 0:
        match = None
        if shape.loose or begins_a_word(text, at):
            match = pattern.match(text, at)
        if match is not None and shape.check(match[pattern.groups]):
            yield Span(*match.span(pattern.groups))
        # The word that is no secret now is none when begun later; trying that takes forever.
        tried = match or (None if shape.loose else _WORD.match(text, at))
        at = text.find(start, max(tried.end() if tried else 0, at + len(start)))


_MAIL_USER = f"{string.ascii_letters}{string.digits}._%+-"
_MAIL_HOST = re.compile(r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}")


def _mail_addresses(text: str) -> Iterator[Span]:
    for at in occurrences(text, "@"):
        before = text[max(0, at - _LONGEST_MAIL_USER) : at]
        user = len(before) - len(before.rstrip(_MAIL_USER))
        host = _MAIL_HOST.match(text, at) if user else None
        if host is not None:
            yield Span(at - user, host.end())
