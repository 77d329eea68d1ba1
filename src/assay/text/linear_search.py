"""Searching a text for a pattern in linear time, whatever the pattern and the text."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

import jsonschema_rs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PART = re.compile(
    r"[a-z ]{2,}(?![?*+{])|\\.|\[(?:\\.|[^\\\]])*\]|\(\?(?:<?[=!]|[a-z-]*:)|[()]|\{\d+,\d+\}|.",
    re.DOTALL,
)
_LOOK_AROUND = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_LIMITS = re.compile(r"\{\d+,\d+\}")
_ASCII = "".join(map(chr, range(128)))
_ENDS = {"$": r"\n?\z", r"\Z": r"\z"}
_SETS = frozenset({".", r"\s", r"\S", r"\w", r"\W", r"\d", r"\D"})
# Letters beyond ASCII that are one of ASCII, upper and lower case aside; there are no others.
_ALIKE = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}
# A set must not be empty, and a capital is never met in lower case.
_NEVER_MET = "[A]"


def occurrence_of(*patterns: str) -> Callable[[str], bool]:
    """A test whether any of the patterns occurs in a text, each looked for by itself.

    The engine is the one inside the JSON Schema validator: a schema of one pattern is a search.
    It needs 10 us where `re` needs 700, and knows no look-around and no back-references.
    """
    validator = jsonschema_rs.Draft202012Validator(
        {"anyOf": [{"pattern": pattern} for pattern in patterns]},
        pattern_options=jsonschema_rs.RegexOptions(),
    )
    return validator.is_valid


def occurrence_in_lower_case(*patterns: str) -> Callable[[str], bool]:
    """The same for texts in lower case; mostly it is made in a tenth of the time.

    Most texts have ASCII letters only, and patterns of these are compiled that fast. Others are
    compiled when the first text asks for them. No pattern may have look-around,
    a letter's case or possessive quantifiers.
    """
    in_ascii = occurrence_of(*(_widened(pattern) for pattern in patterns))
    in_all = cache(lambda: occurrence_of(*patterns))
    return lambda text: in_ascii(text) if text.isascii() else in_all()(text)


def in_letters(text: str) -> str:
    """The text without half a letter, which Python's texts may have and this engine refuses."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _widened(pattern: str) -> str:
    """The pattern for ASCII letters in lower case, without look-around."""
    kept: list[str] = []
    depth, left_out = 0, None
    for part in _PART.findall(pattern):
        depth += part[0] == "("
        if left_out is None and part in _LOOK_AROUND:
            left_out = depth
        if left_out is None:
            kept.append(part if _LIMITS.fullmatch(part) else _widened_part(part))
        if part == ")":
            left_out = None if left_out == depth else left_out
            depth -= 1
    return "".join(kept)


@cache
def _widened_part(part: str) -> str:
    if part in _ENDS:
        return _ENDS[part]
    if len(part) == 1 and not part.isascii():
        return _ALIKE.get(part, _NEVER_MET)
    if part in _SETS or (part[0] == "[" and len(part) > 1):
        return _among_ascii(part)
    if part.startswith("(?"):
        return "(?:"
    return part if part[0] == "\\" else part.lower()


@cache
def _among_ascii(letters: str) -> str:
    """Those of a set of letters that an ASCII text in lower case may have."""
    found = sorted(set("".join(re.findall(letters, _ASCII, re.IGNORECASE)).lower()))
    return f"[{''.join(_ranges(list(map(ord, found))))}]" if found else _NEVER_MET


def _ranges(numbers: list[int]) -> Iterator[str]:
    """Sorted numbers of letters, neighbours taken together, for what is short is read faster."""
    for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0]):
        together = [number for _, number in run]
        yield rf"\x{together[0]:02x}-\x{together[-1]:02x}"
