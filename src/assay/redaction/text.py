"""Secrets in plain text, known by their form, by a name in front of them or by their column."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from assay.redaction.columns import cells_below
from assay.redaction.rules import (
    LONGEST_NAME,
    Rule,
    Strength,
    entropy,
    is_placeholder,
    name_words,
    names,
    pattern,
    rules,
    strength_of,
)
from assay.redaction.values import is_random, is_secret, secrets_of_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ahocorasick_rs import AhoCorasick

# A hostile text may hold a keyword in every word; each costs a bounded look.
_MOST_LOOKS = 5_000
_MOST_SEARCHES = 1_000
_AROUND = 300
_LONGEST_SECRET = 25_000
_LONGEST_CELL = 200
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\w.-]){1,60}")

_CLOSED = r"""\\*["'`]?[\])]?(?:\*\*)?\\*["'`]?"""
_TYPE = r"(?:[&A-Za-z_][\w.<>|&\[\]]{0,40}\s?=(?: {1,4}|(?=[\"'])))?"
_OPEN = r"""(?:\[\s*)?(?:[bBnN](?=["']))?(?P<open>\\*(?:["']|`))?"""
_ASSIGNED = re.compile(
    rf"{_CLOSED}\s{{0,8}}(?P<by>:=|=>|->|[:：]|=(?![=~])|\s{{1,8}}value\s{{0,2}}=)(?:\*\*)?\s{{0,8}}"
    rf"{_TYPE}{_OPEN}"
)
_STATED = re.compile(
    rf"{_CLOSED}(?:\s{{1,8}}(?:is|was|ist|est|es|é)(?: now|:| set to| changed to)?:?\s{{1,8}}"
    rf"|[是为為はが]\s{{0,4}}){_OPEN}"
)
_AFTER_OPTION = re.compile(rf"(?:=|\s{{1,8}}){_OPEN}")
_QUOTED_NEXT = re.compile(r"\s{1,8}(?P<open>[\"'])")
_ELEMENT = re.compile(r">(?P<open>)(?=[^<]{1,400}</)")
# A word long enough to be drawn at random, or the next column.
_LONG_NEXT = re.compile(
    r"\W{0,40}(?:(?:is|was)\W{1,3})?[\w+/=.~-]{8}|[\"'` *]{0,4}(?:[,;|│┃\n]|\\{1,8}[nrt])"
)
# What follows a value that is no value: the rest of a sentence, of a type or of an expression.
_GOES_ON = re.compile(r"[ \t]{1,8}[A-Za-z]|<|\(")
_CONCATENATED = re.compile(r"\\*[\"'`]\s{0,4}\+\s")
_REFERENCE = re.compile(
    r"(?:os|process|env|self|config|cfg|settings|args|account|user|params|request)\."
)
_BARE = re.compile(r"""(?:[^\s"'`\\;<>。，；、\u3040-\u30ff\u3400-\u9fff]|\\(?![nrt"'])){1,4000}""")
_PAIR_OF_FORM = re.compile(r"&(?:amp;)?[\w.%\[\]-]{1,60}=")
_REST_OF_LINE = re.compile(r"[^\r\n\"'\\]{1,8000}")
_WIDE_STOPS = "。，；、"
_ESCAPE = re.compile(r"\\(?:[nrtbf]|u[0-9a-fA-F]{4})|[\[;][0-9]{1,3}m")
_STOPS = ",.)]}`:!?"


class Span(NamedTuple):
    """A stretch of the text that is a secret; one that is `sought` is masked elsewhere, too."""

    start: int
    end: int
    sought: bool = True


class _Keyword(NamedTuple):
    text: str
    rule: Rule | None  # None for a name


@cache
def _keywords() -> list[_Keyword]:
    found = [_Keyword(word, rule) for rule in rules() for word in rule.keywords]
    spelled = {
        spelling
        for words in name_words()
        for spelling in (words, *(words.replace(" ", by) for by in ("", "_", "-")))
    }
    return found + [_Keyword(spelling, None) for spelling in sorted(spelled)]


@cache
def _automaton() -> AhoCorasick:
    from ahocorasick_rs import AhoCorasick, Implementation  # noqa: PLC0415 - where something is masked

    return AhoCorasick([k.text for k in _keywords()], implementation=Implementation.DFA)


def _lowered(text: str) -> str:
    """ASCII letters in lower case; every letter keeps its place."""
    return text.lower() if text.isascii() else text.encode(errors="replace").lower().decode()


_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")


def _hits(text: str) -> list[tuple[int, int, int]]:
    return _automaton().find_matches_as_indexes(_lowered(text), overlapping=True)


def may_hold_secrets(text: str) -> bool:
    """A quick look, also at JSON text: whether anything in it has to be looked at closely."""
    if "\\u" in text:  # a name may be written in escapes
        return True
    keywords = _keywords()
    return any(_may_be_one(text, keywords[index], start, end) for index, start, end in _hits(text))


def has_keyword(text: str) -> bool:
    """Whether any keyword of a rule or name occurs in a text."""
    return "\\u" in text or bool(_hits(text))


def _may_be_one(text: str, keyword: _Keyword, start: int, end: int) -> bool:
    rule = keyword.rule
    if rule is not None:
        if rule.anywhere or rule.after_colon:  # there may be quotes, and escapes before them
            return True
        compiled, begin = pattern(rule), _begin_of_word(text, start)
        if compiled.match(text, start) or compiled.match(text, begin):
            return True
        # The letter of an escape before it looks as if the word began earlier.
        return text[begin - 1 : begin].isalnum() and bool(compiled.match(text[begin : end + 400]))
    _, last, strength = _name_at(text, start, end)
    return strength is not None and (strength != "random" or bool(_LONG_NEXT.match(text, last)))


def secrets_in(text: str) -> list[Span]:
    """Every stretch of a text that is a secret, in order; they do not overlap."""
    if "\x1b[" in text:
        text = _COLOUR.sub(lambda match: " " * len(match[0]), text)
    keywords = _keywords()
    looks: dict[str, int] = {}
    found: list[Span] = []
    named: set[int] = set()
    for index, start, end in _hits(text):
        rule = keywords[index].rule
        kind = "" if rule is None else rule.id
        looks[kind] = looks.get(kind, 0) + 1
        if looks[kind] > (_MOST_SEARCHES if rule is not None and rule.anywhere else _MOST_LOOKS):
            continue
        if rule is not None:
            found += _of_rule(text, rule, start, end)
            continue
        first, last, strength = _name_at(text, start, end)
        if strength is not None and last not in named:
            named.add(last)
            found += _of_name(text, first, last, strength)
    return _apart(found)


def _apart(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
        elif span.end > kept[-1].end:
            kept[-1] = Span(kept[-1].start, span.end, sought=False)
    return kept


def _of_rule(text: str, rule: Rule, start: int, end: int) -> Iterator[Span]:
    compiled = pattern(rule)
    if rule.anywhere:
        match = compiled.search(text, max(0, start - _AROUND), end + _AROUND)
    else:
        match = compiled.match(text, start) or compiled.match(text, _begin_of_word(text, start))
    if match is None:
        return
    first, last = match.span(rule.secret_group)
    if rule.after_colon:
        first = text.index(":", first) + 1
    if last - first > 2 and text[first] in "\"'" and text[last - 1] == text[first]:
        first, last = first + 1, last - 1
    while last > first and text[last - 1] in _WIDE_STOPS:
        last -= 1
    if _fits(text[first:last], rule):
        sought = rule.strength is None or is_random(text[first:last])
        yield Span(first, last, sought=sought and not rule.id.startswith("signature"))


def _fits(secret: str, rule: Rule) -> bool:
    head = secret[:300]
    if rule.strength is not None:
        return is_secret(head, rule.strength)
    return (
        entropy(head) >= rule.entropy
        and not (rule.needs_digit and not any(letter.isdigit() for letter in head))
        and not is_placeholder(head)
    )


def _begin_of_word(text: str, at: int) -> int:
    begin = at
    least = max(0, at - LONGEST_NAME)
    while begin > least and (
        (text[begin - 1].isalnum() and not _WIDE.match(text, begin - 1)) or text[begin - 1] in "_.-"
    ):
        begin -= 1
    # In a text that was not decoded, an escape of JSON or of a terminal may stand before it.
    escape = _ESCAPE.match(text, max(0, begin - 1), at)
    return begin if escape is None else escape.end()


def _name_at(text: str, start: int, end: int) -> tuple[int, int, Strength | None]:
    """The whole name around a keyword, where it begins and ends, and what it says of its value."""
    if _WIDE.match(text, start):  # no blanks between words
        return start, end, names().get(text[start:end].replace(" ", "").lower())
    first = _begin_of_word(text, start)
    rest = _WORD.match(text, end)
    last = rest.end() if rest else end
    while last > end and text[last - 1] in ".-":
        last -= 1
    return first, last, strength_of(text[first:last].lstrip("-."))


def _of_name(text: str, first: int, last: int, strength: Strength) -> Iterator[Span]:
    name = text[first:last]
    if text[first - 1 : first] == "$" or text[max(0, first - 2) : first] == "${":
        return
    if name == "PASS":  # a test does
        return
    if strength == "header":
        yield from _of_header(text, last)
        return
    value = _value_of(text, first, last, strength)
    if value is not None:
        yield value
        return
    for start, end in cells_below(text, first, last):
        cell = text[start:end]
        if len(cell) <= _LONGEST_CELL and is_secret(cell, strength):
            yield Span(start, end, sought=is_random(cell))


def _value_of(text: str, first: int, last: int, strength: Strength) -> Span | None:
    """The value that is written behind a name, if it is a secret."""
    lead, stated = _lead(text, first, last, strength)
    if lead is None:
        return None
    span = _value_after(text, lead)
    value = text[span.start : span.end]
    quoted = bool(lead["open"])
    if not quoted and strength != "code":
        in_prose = stated or (":" in lead[0] and _GOES_ON.match(text, span.end))
        strength = "random" if in_prose else strength
    elif _CONCATENATED.match(text, span.end):
        return None
    if is_secret(value, strength, quoted=quoted) or _is_literal(text[first:last], lead, value):
        return span._replace(sought=is_random(value))
    return None


def _is_literal(name: str, lead: re.Match[str], value: str) -> bool:
    """Whether a variable of the environment is set, whose value is no expression."""
    return (
        name.isupper()
        and lead[0] == "="
        and value.replace(".", "").replace("_", "").isalnum()
        and not _REFERENCE.match(value)
        and is_secret(value.replace(".", ""), "any")
    )


def _lead(
    text: str, first: int, last: int, strength: Strength
) -> tuple[re.Match[str] | None, bool]:
    """What leads from a name to its value, and whether a sentence states it."""
    lead = _ASSIGNED.match(text, last)
    if lead is not None:
        return lead, False
    if text[first : first + 1] == "-" and (lead := _AFTER_OPTION.match(text, last)):
        return lead, False
    if text[first - 1 : first] == "<" and (lead := _ELEMENT.match(text, last)):
        return lead, False
    if (
        strength == "any"
        and text[first:last].isupper()
        and (lead := _QUOTED_NEXT.match(text, last))
    ):
        return lead, True
    return _STATED.match(text, last), True


def _value_after(text: str, lead: re.Match[str]) -> Span:
    start = lead.end()
    if lead["open"]:
        end = text.find(lead["open"], start, start + _LONGEST_SECRET)
        return Span(start, end if end >= 0 else start)
    bare = _BARE.match(text, start)
    if bare is None:
        return Span(start, start)
    pair = _PAIR_OF_FORM.search(bare[0])
    value = bare[0][: pair.start()] if pair else bare[0]
    return Span(start, start + len(value.rstrip(_STOPS)))


def _of_header(text: str, last: int) -> Iterator[Span]:
    lead = _ASSIGNED.match(text, last)
    line = lead and _REST_OF_LINE.match(text, lead.end())
    if not line:
        return
    for secret in secrets_of_header(line[0]) or secrets_of_header(" ".join(line[0].split()[:2])):
        start = text.find(secret, line.start(), line.end())
        yield Span(start, start + len(secret))
