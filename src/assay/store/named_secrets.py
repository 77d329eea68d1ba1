"""Secrets that the name before them gives away: a password beside its key, a header's token."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from assay.evidence.linear_search import occurrence_of
from assay.store.secret_rules import (
    HARMLESS_NAMES,
    MASK,
    NAMES,
    SENTENCE,
    Name,
    is_mixed,
    is_no_placeholder,
    is_random,
)
from assay.store.secret_search import Span, occurrences, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST_NAME = 60
_LONGEST_SENTENCE = 500
_LONGEST_IN_SINGLE_QUOTES = 200
_SHORTEST_BARE = 6
_MOST_IN_LIST = 1_000


def _name_pattern(name: Name) -> str:
    return name.words.replace(" ", "[_-]?")


# What may stand between a name and its value: the closing quote, then a separator.
_BETWEEN = (
    r"[0-9]{0,4}(?:\\*[\"'])?[\])]?\s{0,8}(?:[:：=]=*>?|\\+uff1a|>|,?\s*\\*[\"']"
    r"|,\s*\\*[\"']val(?:ue)?\\*[\"']\s*:|\s)\s{0,8}(?:\[\s*)?(?:\\*[\"'])?"
)
_STRICT_VALUE = r"[^\s\[\]{},]"
_HEADER_VALUE = "[a-z]"
_RANDOM_VALUE = r"[^\s\\\"',\[\]{}]{8}"


def _name_search(names: list[Name], value: str) -> Callable[[str], bool]:
    return search(f"(?:{'|'.join(map(_name_pattern, names))}){_BETWEEN}{value}")


@cache
def name_searches() -> tuple[Callable[[str], bool], ...]:
    """Tests of a text in lower case; where none finds anything, no name gives a secret away."""
    return (
        _name_search([name for name in NAMES if name.strict], _STRICT_VALUE),
        _name_search([name for name in NAMES if name.header], _HEADER_VALUE),
        _name_search([name for name in NAMES if name.assigned], _RANDOM_VALUE),
        _name_search([name for name in NAMES if name.hint == "key"], _RANDOM_VALUE),
        _name_search(
            [n for n in NAMES if n.hint != "key" and not (n.strict or n.header or n.assigned)],
            _RANDOM_VALUE,
        ),
    )


@cache
def _compiled_names() -> list[tuple[Name, re.Pattern[str]]]:
    return [
        (name, re.compile(rf".*(?:{_name_pattern(name)})[0-9]{{0,4}}", re.DOTALL)) for name in NAMES
    ]


@cache
def _hints() -> dict[str, Callable[[str], bool]]:
    return {name.hint: occurrence_of(name.hint) for name in NAMES}


_NAME_END = re.compile(r"[a-z0-9_-]{0,60}")
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_AFTER = re.compile(
    r"(?P<close>\\*[\"'])?[\])]?\s{0,8}"
    r"(?:(?P<equals>={1,3}>?)|(?P<colon>[:：]=?|\\+uff1a)|(?P<pair>,\s{0,8}\\*[\"']val(?:ue)?\\*[\"']\s{0,8}:)"
    r"|(?P<item>,)|(?P<tag>>)|(?P<space>\s))\s{0,8}"
    r"(?P<list>\[\s{0,8})?(?P<open>\\*[\"'])?"
)
_QUOTE = re.compile(r"\\*\"")
_ANY_QUOTE = re.compile(r"\\*[\"']")
# A backslash is a secret's own unless it begins an escape or leads to a quote.
_BARE = re.compile(r"(?:[^\s\"'\\&;<>。，；、]|\\{2,}(?![nrtbfu\"'\\])){1,300}+")
# One word after the scheme, or pairs of a cookie.
_CREDENTIAL = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9-]{2,20}\s)?"
    r"([^\s\"'\\=;]{1,100}=[^\s\"'\\;]{0,4000}(?:;\s?[^\s\"'\\;]{1,4000}){0,100}|[^\s\"'\\]{8,4000})"
)
_PAIRS = re.compile(r"[\s=;]+")
_STOPS = ",.)]}`:"
_NUMBER = re.compile(r"[0-9]{4,40}(?=[\s,}\]\\])")
_AFTER_TEXT = re.compile(r"\s{0,8}(?:[,}\]):;]|\\*[\"']|$)")
_KEY_END = re.compile(r"\s{0,8}:")
_NEXT_ITEM = re.compile(r"\s{0,8},\s{0,8}(\\*[\"'])")


def named_secrets(text: str, lowered: str) -> Iterator[Span]:
    """The secrets in a text that come after their names, told also in lower case."""
    done = 0
    # Most hints are not there, which this engine sees in a tenth of the time.
    hints = [hint for hint, occurs_in in _hints().items() if occurs_in(lowered)]
    for at in sorted(at for hint in hints for at in occurrences(lowered, hint)):
        if at < done:
            continue
        end = _NAME_END.match(lowered, at).end()  # type: ignore[union-attr]  # may be empty
        start = at
        while start > max(0, at - _LONGEST_NAME) and lowered[start - 1] in _NAME_CHARS:
            start -= 1
        name = _name_of(lowered[start:end])
        if name is not None:
            for span in _values_after(text, start, end, name):
                done = span.end
                yield span


@lru_cache(maxsize=4_096)
def _name_of(field: str) -> Name | None:
    if HARMLESS_NAMES.fullmatch(field):
        return None
    return next((name for name, pattern in _compiled_names() if pattern.fullmatch(field)), None)


def _values_after(text: str, start: int, end: int, name: Name) -> Iterator[Span]:
    """The secrets that the name before them gives away."""
    after = _AFTER.match(text, end)
    if after is None:
        return
    if after["open"]:
        if not _closes_the_text(text, after) and not _is_prose(text, start, after):
            yield from _quoted_values(text, after, name)
    elif not after["list"]:
        span = _bare_value(text, start, after, name)
        if span is not None:
            yield span


def _closes_the_text(text: str, after: re.Match[str]) -> bool:
    """Whether the quote behind a name ends the text the name stands in: `"password="`."""
    if after["close"]:
        return False
    return after["open"] == '"' or bool(after["tag"]) or bool(_AFTER_TEXT.match(text, after.end()))


def _is_prose(text: str, start: int, after: re.Match[str]) -> bool:
    """Whether a quote behind a name need not be its value: `"password", "email"`."""
    if after["space"]:
        return bool(after["close"]) or not after["open"].endswith("'")
    if not after["item"]:
        return False
    if not text.startswith("-", start):
        return True
    end = _end_of_quoted(text, after.end(), after["open"])
    return end is None or bool(_KEY_END.match(text, end + len(after["open"])))


def _quoted_values(text: str, after: re.Match[str], name: Name) -> Iterator[Span]:
    opening: str = after["open"]
    start = after.end()
    for _ in range(_MOST_IN_LIST if after["list"] else 1):
        end = _end_of_quoted(text, start, opening)
        if end is None:
            return
        kept = _kept_of_quoted(text[start:end], name)
        if kept is not None:
            yield Span(start + kept, end)
        following = _NEXT_ITEM.match(text, end + len(opening))
        if following is None:
            return
        opening, start = following[1], following.end()


def _kept_of_quoted(value: str, name: Name) -> int | None:
    """How much of a quoted value is no secret; None when nothing of it is one."""
    if name.assigned:
        return None
    if name.header:
        return _kept_of_header(value)
    if not is_no_placeholder(value):
        return None
    if name.strict:
        head = value[:_LONGEST_SENTENCE]
        return None if " " in head and SENTENCE.search(head) else 0
    return 0 if is_random(value) else None


def _kept_of_header(value: str) -> int | None:
    """How much stands before the credential: the scheme of an authorization, or nothing."""
    match = _CREDENTIAL.match(value)
    return match.start(1) if match is not None and _is_credential(match[1]) else None


def _is_credential(text: str) -> bool:
    return any(is_random(word.rstrip(_STOPS)) for word in _PAIRS.split(text))


def _end_of_quoted(text: str, start: int, opening: str) -> int | None:
    """Where a quoted value ends: before the quote of its own depth, or of one further out."""
    slashes = len(opening) - 1
    if opening[-1] == "'":
        limit = start + _LONGEST_IN_SINGLE_QUOTES
        for quote in _ANY_QUOTE.finditer(text, start, limit):
            if quote[0][-1] == '"' or len(quote[0]) - 1 <= slashes:
                return quote.start()
        return None
    depth = _depth(slashes)
    for quote in _QUOTE.finditer(text, start):
        found = _depth(len(quote[0]) - 1)
        if found <= depth:
            return quote.end() - (1 << found)
    return None


def _depth(slashes: int) -> int:
    """In how many texts inside texts a quote stands: each doubles its backslashes and adds one."""
    number = slashes + 1
    return (number & -number).bit_length() - 1


def _bare_value(text: str, start: int, after: re.Match[str], name: Name) -> Span | None:
    if after["close"]:
        return _number_in_json(text, after, name)
    if name.header:
        return _header_line(text, after)
    if after["space"] and not text.startswith("--", start):
        return None
    match = _BARE.match(text, after.end())
    if match is None or after["pair"] or after["item"]:
        return None
    value = match[0].rstrip(_STOPS)
    if (name.assigned and not after["equals"]) or not _is_bare_secret(
        value, name, certain=not after["colon"]
    ):
        return None
    return Span(match.start(), match.start() + len(value))


def _is_bare_secret(value: str, name: Name, *, certain: bool) -> bool:
    """Whether a word without quotes is a secret; after a colon it may be the next of a sentence."""
    if not is_no_placeholder(value):
        return False
    if not name.strict:
        return is_random(value)
    return certain or (len(value) >= _SHORTEST_BARE and is_mixed(value))


def _header_line(text: str, after: re.Match[str]) -> Span | None:
    match = _CREDENTIAL.match(text, after.end())
    if match is None or not (after["colon"] or after["equals"]):
        return None
    secret = match[1].rstrip(_STOPS)
    return Span(match.start(1), match.start(1) + len(secret)) if _is_credential(secret) else None


def _number_in_json(text: str, after: re.Match[str], name: Name) -> Span | None:
    match = _NUMBER.match(text, after.end())
    if match is None or not name.strict or not after["colon"]:
        return None
    return Span(*match.span(), f"{after['close']}{MASK}{after['close']}")
