"""What kind of thing a value or a part of a text is: an id, a name, an address, a path, a date."""

from __future__ import annotations

import re
from typing import Any, Literal

from assay.text.dates import is_clock, is_date
from assay.text.numbers import parse_number

Kind = Literal[
    "number", "date", "time", "email", "url", "ref", "path", "id", "code", "name", "word", "phrase",
    "text",
]  # fmt: skip

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
_REF = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_MEDIA_OR_FOLDER = re.compile(
    r"(?:text|image|audio|video|application|src|docs?|tests?|data|lib|app|feature|fix|bug\w*|release"
    r"|hotfix|chore|refs)/"
)
_FILE_ENDING = re.compile(r"\.[A-Za-z]\w{0,4}$")
_PATTERN_SIGNS = re.compile(r"[|\\*(){}<>=$;]|(?:^| )-")
# Letters, digits and the signs that join the parts of an identifier.
_ITEM = re.compile(r"[A-Za-z0-9]\w*(?:[.@:/+#-]\w+)*", re.ASCII)
_HEX = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{12,64}",
    re.IGNORECASE,
)
_DATE_SIGNS = re.compile(r"[\dT:.Z+/-]*[-:.TZ+][\dT:.Z+/-]*")
# A day that stands for "open" rather than for itself.
_SENTINEL_DAY = re.compile(r"(?:9999|[01]00\d)-\d{2}-\d{2}")
_COUNTED = re.compile(r"(?:[A-Za-z][a-z]+[-_ ./]?){1,6}\d{1,2}")
_PARTS = re.compile(r"[A-Za-z]+|\d+|[^\x00-\x7f]+")
_CAPITALIZED = re.compile(r"\b[A-Z][\w'&-]+(?: [A-Z][\w'&-]+){0,3}")
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{2,40})'(?!\w)|\"([^\"\n]{2,40})\"|`([^`\n]{2,40})`|“([^”\n]{2,40})”|「([^」\n]{2,40})」"
)
# Values that agents write by convention: cell ranges, colours, sizes, versions, encodings,
# models, media types, quarters, numbered items.
_CONVENTION = re.compile(
    r"(?:[A-Za-z ]{1,40}!)?\$?[A-Z]{1,3}\$?\d{1,5}(?::\$?[A-Z]{1,3}\$?\d{0,5})?|#[0-9A-Fa-f]{3,8}"
    r"|[\d.]+(?:px|em|rem|pt|%|k?m?s|[dhmwyk]|[kmg]?i?b|[ck]?m|in|x\d+)|v?\d+(?:\.\d+){1,3}[\w.-]*"
    r"|utf-?8|latin-?1|sha-?(?:1|256|512)|md5|base64|mp[34]|h26[45]|python[\d.]*"
    r"|(?:gpt|claude|gemini|o\d|qwen|llama)[-\w.]*|(?:text|image|audio|video|application)/[\w.+-]+"
    r"|(?:\d{1,2}[-/]){2}\d{2,4}|[A-Za-z]{3,9}[ -]\d{1,2}(?:, ?\d{4})?|Q[1-4][ -]?\d{4}"
    r"|\d{4}[ -]?Q[1-4]|#\d{1,4}",
    re.IGNORECASE,
)
_SHAPE = {ord(c): "9" for c in "0123456789"} | {
    **{ord(c): "a" for c in "abcdefghijklmnopqrstuvwxyz"},
    **{ord(c): "A" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
}
_LARGEST_NUMBER = 1e18
_LONGEST_ATOM = 80
_MOST_WORDS = 5
_LONGEST_CODE = 6
_LEAST_ID_DIGITS = 5
_LEAST_ID, _LONGEST_ID = 6, 64


def kind_of(value: Any) -> Kind | None:
    """The kind of an argument value; None for flags, nothing, and empty text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return "number" if abs(value) < _LARGEST_NUMBER else None  # neither NaN nor endless
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        return None
    if len(text) > _LONGEST_ATOM or "\n" in text:
        return "text"
    return _kind_of_figures(text) or _kind_of_address(text) or _kind_of_words(text)


def _kind_of_figures(text: str) -> Kind | None:
    if not any(map(str.isdigit, text)):
        return None
    if is_date(text):
        return "date"
    if is_clock(text):
        return "time"
    if _SENTINEL_DAY.match(text):
        return "word"
    if parse_number(text) is not None:
        return "number" if sum(map(str.isdigit, text)) < _LEAST_ID_DIGITS else "id"
    return None


def _kind_of_address(text: str) -> Kind | None:
    if "@" in text and _EMAIL.fullmatch(text):
        return "email"
    if "://" in text:
        return "url"
    if "/" in text and _REF.fullmatch(text):
        is_place = _FILE_ENDING.search(text) or _MEDIA_OR_FOLDER.match(text)
        return "path" if is_place else "ref"
    if " " not in text and ("/" in text or _FILE_ENDING.search(text)):
        return "path"
    return None


def _kind_of_words(text: str) -> Kind:
    words = text.split()
    if len(words) > _MOST_WORDS:
        return "text"
    is_plain = not _PATTERN_SIGNS.search(text)
    if len(words) > 1:
        capitals = all(word[:1].isupper() or len(word) < 4 for word in words)
        return "name" if is_plain and text[0].isupper() and capitals else "phrase"
    if any(map(str.isdigit, text)):
        return "id"
    if text.isupper() and 2 <= len(text) <= _LONGEST_CODE:
        return "code"
    return "name" if is_plain and text[0].isupper() else "word"


def shape_of(text: str) -> str:
    """The text with digits as 9 and letters as a or A: values of one kind share it."""
    if _HEX.fullmatch(text):
        return f"hex{len(text)}"
    return text.translate(_SHAPE)


def is_convention(text: str) -> bool:
    """Whether a value is written by convention rather than taken from somewhere."""
    return _CONVENTION.fullmatch(text) is not None


def is_counted(text: str) -> bool:
    """Whether a value is words with a small number behind, such as part1 or step_2."""
    return _COUNTED.fullmatch(text) is not None


def items_in(text: str) -> list[str]:
    """The words and identifiers of a text, in order, each once, with the signs that join them."""
    return list(dict.fromkeys(_ITEM.findall(text)))


def ids_in(text: str) -> list[str]:
    """The identifiers of a text: several digits beside letters, or a long number."""
    return [item for item in items_in(text) if is_id(item)]


def is_id(item: str) -> bool:
    """Whether an item of a text is an identifier rather than a word, a date or an amount."""
    if not _LEAST_ID <= len(item) <= _LONGEST_ID or "/" in item or is_date(item):
        return False
    digits = sum(map(str.isdigit, item))
    if digits < 2:
        return False
    return digits > 2 or any(map(str.isupper, item)) or _HEX.fullmatch(item) is not None


def is_date_like(text: str) -> bool:
    """Whether an item is made of the signs of dates, times and ranges alone."""
    return _DATE_SIGNS.fullmatch(text) is not None


def names_in(text: str) -> list[str]:
    """Runs of up to four capitalized words, in order, each once."""
    return list(dict.fromkeys(_CAPITALIZED.findall(text)))


def quotations_in(text: str) -> list[str]:
    """The short quotations of a text."""
    return [next(filter(None, found)) for found in _QUOTED.findall(text)]


def share_half_their_parts(one: str, other: str) -> bool:
    """Whether two values have at least half of their words and numbers in common."""
    some, others = set(_PARTS.findall(one.lower())), set(_PARTS.findall(other.lower()))
    common = len(some & others)
    return common > 0 and 2 * common >= max(len(some), len(others))
