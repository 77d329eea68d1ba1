"""Secrets that the name before them gives away: a password beside its key, a header's token."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from assay.store.listed_secrets import listed_secrets
from assay.store.quoted_text import end_of_quoted
from assay.store.secret_names import BOX, IS, PAIR, QUOTE, column_search
from assay.store.secret_rules import (
    IN_ADDRESSES,
    IN_CONNECTIONS,
    IN_WORDS,
    MASK,
    NAMES,
    Name,
    is_mixed,
    is_no_placeholder,
    is_random,
    is_told_apart,
)
from assay.store.secret_search import BARE_PASSWORD, BARE_WORD, STOPS, Span, occurrences
from assay.store.secret_values import (
    CREDENTIAL,
    SHORTEST_BARE,
    SHORTEST_WORD,
    WORD_AFTER_SCHEME,
    is_credential,
    is_secret_word,
    is_word_for_itself,
    kept_of_quoted,
    name_of,
)
from assay.store.table_secrets import table_secrets
from assay.text.linear_search import occurrence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST_NAME = 60
_LONGEST_NETRC = 300
_BEFORE_NAME = 48
_MOST_IN_LIST = 1_000
_FEW = 12


@cache
def _hints() -> dict[str, Callable[[str], bool]]:
    hints = {name.hint for name in (*NAMES, *IN_ADDRESSES.values())}
    return {hint: occurrence_of(hint) for hint in sorted(hints)}


_NAME_END = re.compile(r"[a-z0-9_-]{0,60}")
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789_-"
# What may stand behind the name of a column, in a table or a list of columns.
_AFTER_COLUMN = frozenset(" |,;*`│┃\\\"')]")
_AFTER = re.compile(
    rf"(?:(?={BOX})\s[a-z ]{{3,11}})?(?P<close>{QUOTE})?[\])]?(?:\*\*)?\s{{0,8}}"
    r"(?:(?P<equals>={1,3}>?"
    # A type may stand between a name and its value.
    rf"|:\s{{0,4}}[&A-Za-z][\w.|<>?&\[\] ]{{0,40}}=\s{{0,8}}(?=[A-Za-z]{{0,2}}{QUOTE}))"
    r"|(?P<colon>[:：]=?(?:\*\*(?=\s))?|\\+uff1a)"
    rf"|(?P<pair>{PAIR})"
    r"|(?P<item>,)|(?P<tag>>)|(?P<space>\s))\s{0,8}"
    # The kind of a text may stand before its quote: `N'...'`, `b"..."`.
    r"(?P<list>\[\s{0,8})?(?:[A-Za-z]{1,2}(?=\\*[\"']))?(?P<open>\\*[\"'])?"
)
# What a variable is compared with, and what is taken from another: `password = user.password`.
_COMPARED = {"==", "==="}
_OF_ANOTHER = re.compile(
    r"[a-z_]\w*(?:\.[a-z_]\w*)*\.\w*(?:pass|passw(?:or)?d|pwd|secret|token|key)", re.IGNORECASE
)
_ATTRIBUTES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.([A-Za-z_]\w*)")
_VARIABLE = re.compile(
    r"(?:\s-e\s{1,4}|(?:\A|[\"'`]|\\[nrt]|\\u[0-9a-f]{4}|[0-9]m|[^\x00-\x7f])\s{0,20}"
    r"(?:(?:-|export|ENV|ARG|set)\s{1,4})?)([A-Z][A-Z0-9_]{0,60})=\Z"
)
_VALUE_END = re.compile(r"\s|\\*[\"'`]|\\+[nrt]|[^\x00-\x7f]|\\+u|\Z")
_IS = re.compile(rf"{IS}(?:\\+\"|\\*'|`)?")
# What a sentence says of a password, `base64-encoded`; what a secret of success is, `3-day-old`.
_DESCRIPTION = re.compile(
    r".*-(?:[a-z]+ed|bits?|digits?|char(?:acter)?s?|letters?|words?|bytes?|long|old|only|safe|like)"
)
_WORDS_AND_A_NUMBER = re.compile(
    r"(?=\D*\d+\D*\Z)"
    r"(?:[A-Za-z]+\d{0,3}|\d{1,4}[A-Za-z%]{0,8})"
    r"(?:[-/.](?:[A-Za-z]+\d{0,3}|\d{1,4}[A-Za-z%]{0,8}))+"
)
# In a record a line's end is an escape, whose letter goes for the first one of a name.
_NETRC_GAP = r"(?:\s|\\+[nrt]){1,8}"
_NETRC = re.compile(
    rf"(?:machine{_NETRC_GAP}(?:[\w-]{{1,60}}(?:\.[\w-]{{1,60}}){{1,6}}|localhost)"
    r"|(?:[\"']|\\n)default)"
    rf"{_NETRC_GAP}login{_NETRC_GAP}[^\s\"'\\]{{1,100}}(?:{_NETRC_GAP}|\\++)\Z"
)
# What a runner of tests says: `--- PASS: TestParseV2 (0.00s)`, `PASS: gcc.dg/pr12345.c`.
_TEST_PASSED = re.compile(
    r"(?:[nrt]|u[0-9a-f]{4}|[0-9]{1,3}m)?PASS:\s{1,4}"
    r"(?:[Tt]est(?![0-9])|[\w.-]{0,100}(?:/|:[:\s])|[^\s(]{1,200} \()"
)
_NUMBER = re.compile(r"[0-9]{4,40}(?=[\s,}\]\\])")
_AFTER_TEXT = re.compile(r"\s{0,8}(?:[,}\]):;]|\\*[\"']|$)")
# What no text between two tags begins with: `<user>,<password>,admin`.
_NO_TEXT = ",;|"
# `password: Option<String>`
_OF_TYPE = re.compile(r"<[A-Z]")
_KEY_END = re.compile(r"\s{0,8}:")
# An escape's backslash, another script's letter: neither is a word before or behind.
_BEFORE_ITEM = re.compile(
    r"(?:(?:^|[\n\\\"'`,;{(\[|]|[^\x00-\x7f])(?:\\?[nrt])?\s{0,40}|[-*]\s{1,4}"
    r"|(?:^|[^a-z]|\\[nrt]|\\u[0-9a-f]{4}|[0-9]m)(?:and|with|use|using|my|your)\s)(?:\*\*)?\Z"
    r"|(?:\\u[0-9a-f]{4}|[0-9]m)\*\*\Z",
    re.IGNORECASE,
)
_AFTER_ITEM = re.compile(r"[.)\]}`:]{0,4}\s{0,8}(?:[\\\"'`,;<]|[^\x00-\x7f]|\Z)")
_NEXT_ITEM = re.compile(r"\s{0,8},\s{0,8}(\\*[\"'])")


def named_secrets(text: str, lowered: str) -> Iterator[Span]:
    """The secrets in a text that come after or below their names, told also in lower case."""
    done = 0
    columns: list[tuple[int, int]] = []
    # Most hints are not there, which this engine sees in a tenth of the time.
    hints = [hint for hint, occurs_in in _hints().items() if occurs_in(lowered)]
    for at in sorted(at for hint in hints for at in occurrences(lowered, hint)):
        if at < done:
            continue
        end = _NAME_END.match(lowered, at).end()  # type: ignore[union-attr]  # may be empty
        before = lowered[max(0, at - _LONGEST_NAME) : at]
        start = at - len(before) + len(before.rstrip(_NAME_CHARS))
        name = name_of(lowered[start:end])
        if name is None and lowered.startswith(" ", start - 1):
            name = _name_in_words(lowered, start, end)
        if lowered.startswith("=", end):
            name = _name_in_address(lowered, start, end) or name
        if name is not None:
            if lowered[end : end + 1] in _AFTER_COLUMN:
                columns.append((start, end))
            for span in _values_after(text, start, end, name):
                done = span.end
                yield span if name.sought else span._replace(sought=False)
    # A look at the whole text takes as long as one at a dozen names.
    if len(columns) <= _FEW or column_search()(lowered):
        yield from table_secrets(text, columns)
        yield from listed_secrets(text, columns)


def _name_in_words(lowered: str, start: int, end: int) -> Name | None:
    """The name that two words of a sentence are, `api key`, where only a random value counts."""
    before = lowered[max(0, start - 1 - _LONGEST_NAME) : start - 1]
    word = before[len(before.rstrip(_NAME_CHARS)) :]
    return IN_WORDS if _two_words().fullmatch(f"{word} {lowered[start:end]}") else None


@cache
def _two_words() -> re.Pattern[str]:
    return re.compile("|".join(name.words for name in NAMES if " " in name.words))


def _name_in_address(lowered: str, start: int, end: int) -> Name | None:
    """The name of a parameter of an address or a connection, `&` being escaped or not."""
    if lowered.startswith("==", end):
        return None
    field = lowered[start:end]
    if lowered.startswith("\\", start - 1):
        return IN_ADDRESSES.get(field.removeprefix("u0026")) if field[:5] == "u0026" else None
    if lowered[start - 1 : start] in {"?", "&"} or lowered.endswith("&amp;", 0, start):
        return IN_ADDRESSES.get(field)
    return IN_CONNECTIONS.get(field) if lowered.startswith(";", start - 1) else None


def _is_in_address(text: str, start: int) -> bool:
    """Whether a name stands where one of a parameter does, behind `?` or `&`, escaped or not."""
    return (
        text[max(0, start - 1) : start] in {"?", "&", "#"}
        or text.endswith("&amp;", 0, start)
        or text.startswith("\\u0026", max(0, start - 1))
    )


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
    # What stands between two tags is in no quotes.
    if after["tag"] or after["close"]:
        return bool(after["tag"])
    return after["open"] == '"' or bool(_AFTER_TEXT.match(text, after.end()))


def _is_prose(text: str, start: int, after: re.Match[str]) -> bool:
    """Whether a quote behind a name need not be its value: `"password", "email"`."""
    if after["space"]:
        return bool(after["close"]) or not after["open"].endswith("'")
    if not after["item"]:
        return False
    if not text.startswith("-", start):
        return True
    end = end_of_quoted(text, after.end(), after["open"])
    return end is None or bool(_KEY_END.match(text, end + len(after["open"])))


def _quoted_values(text: str, after: re.Match[str], name: Name) -> Iterator[Span]:
    opening: str = after["open"]
    start = after.end()
    for _ in range(_MOST_IN_LIST if after["list"] else 1):
        end = end_of_quoted(text, start, opening)
        if end is None:
            return
        kept = kept_of_quoted(text[start:end], name)
        if kept is not None:
            yield Span(start + kept, end)
        following = _NEXT_ITEM.match(text, end + len(opening))
        if following is None:
            return
        opening, start = following[1], following.end()


def _bare_value(text: str, start: int, after: re.Match[str], name: Name) -> Span | None:
    if after["close"]:
        return _number_in_json(text, after, name)
    if name.header:
        return _header_line(text, after)
    if after["space"] and not (text.startswith("--", start) or _is_in_netrc(text, start)):
        return _value_in_sentence(text, after, name)
    if after["tag"] and (
        after.end("tag") != after.end() or text[after.end() : after.end() + 1] in _NO_TEXT
    ):
        return None
    bare = BARE_WORD if _is_in_address(text, start) else BARE_PASSWORD
    match = bare.match(text, after.end())
    if match is None or after["pair"] or after["item"] or (name.assigned and not after["equals"]):
        return None
    span = Span(match.start(), match.start() + len(match[0].rstrip(STOPS)))
    return span if _is_bare_secret(text, start, span, name, after) else None


def _value_in_sentence(text: str, after: re.Match[str], name: Name) -> Span | None:
    """What a sentence says a password or a key is; a word may go on with what is wrong with it."""
    is_telling = name.strict or name.telling or name is IN_WORDS
    verb = _IS.match(text, after.end()) if is_telling else None
    word = None if verb is None else BARE_PASSWORD.match(text, verb.end())
    if word is None or not is_random(value := word[0].rstrip(STOPS)):
        return None
    if _DESCRIPTION.fullmatch(value):
        return None
    if name.hint == "secret" and _WORDS_AND_A_NUMBER.fullmatch(value):
        return None
    return Span(word.start(), word.start() + len(value))


def _is_in_netrc(text: str, start: int) -> bool:
    """Whether a name stands where a list of hosts, users and passwords has it."""
    before = text[max(0, start - _LONGEST_NETRC) : start]
    return "login" in before and _NETRC.search(before) is not None


def _is_bare_secret(text: str, start: int, span: Span, name: Name, after: re.Match[str]) -> bool:
    value = text[span.start : span.end]
    if not is_no_placeholder(value) or _TEST_PASSED.match(text, start):
        return False
    # The number of a field, `string password = 2;`, or a flag.
    if value.isdigit() and len(value) < SHORTEST_WORD:
        return False
    if after["colon"]:
        return _is_secret_after_colon(text, start, span, name)
    if after["equals"] == "=" and _is_in_environment(text, start, span):
        return name.strict or name.telling or is_random(value)
    if after["equals"] in _COMPARED or _OF_ANOTHER.fullmatch(value):
        return is_random(value)
    return name.strict or is_secret_word(value, name)


def _is_in_environment(text: str, start: int, span: Span) -> bool:
    """Whether a line sets a variable of the environment to what looks like an attribute.

    No program stands there: `DB_PASSWORD=prod.token` is a password. One that ends as its name
    does, `DB_PASSWORD=user.password`, may still be code.
    """
    attributes = _ATTRIBUTES.fullmatch(text, span.start, span.end)
    if attributes is None or not _VALUE_END.match(text, span.end):
        return False
    line = _VARIABLE.search(text, max(0, start - _BEFORE_NAME), span.start)
    return line is not None and not line[1].lower().endswith(attributes[1].lower())


def _is_secret_after_colon(text: str, start: int, span: Span, name: Name) -> bool:
    """Whether it is a secret, where it may be the next word of a sentence as well."""
    value = text[span.start : span.end]
    if is_random(value) or (name.strict and len(value) >= SHORTEST_BARE and is_mixed(value)):
        return True
    if _OF_TYPE.match(text, span.end):
        return False
    is_word = name.strict and len(value) >= SHORTEST_WORD and is_told_apart(value)
    return (is_word or is_secret_word(value, name)) and _stands_alone(text, start, span.end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name and its value are a line or an item of a list, not part of a sentence."""
    return (
        _BEFORE_ITEM.search(text, max(0, start - _BEFORE_NAME), start) is not None
        and _AFTER_ITEM.match(text, end) is not None
    )


def _header_line(text: str, after: re.Match[str]) -> Span | None:
    if not (after["colon"] or after["equals"]):
        return None
    match = CREDENTIAL.match(text, after.end())
    if match is not None:
        secret = match[1].rstrip(STOPS)
        if is_credential(secret):
            return Span(match.start(1), match.start(1) + len(secret))
    word = WORD_AFTER_SCHEME.match(text, after.end())
    if word is None:
        return None
    secret = word[1].rstrip(STOPS)
    end = word.start(1) + len(secret)
    if not is_word_for_itself(secret) or not _AFTER_ITEM.match(text, end):
        return None
    return Span(word.start(1), end)


def _number_in_json(text: str, after: re.Match[str], name: Name) -> Span | None:
    match = _NUMBER.match(text, after.end())
    if match is None or not name.strict or not after["colon"]:
        return None
    return Span(*match.span(), f"{after['close']}{MASK}{after['close']}")
