"""The parts of a text that can be checked: numbers, dates, times, ids, addresses, quotes, names.

What an address or a quotation holds is part of it and is not told again. Fenced code is not
looked into: what it says is no claim.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.evidence.codes import GROUPED
from assay.evidence.durations import durations_in
from assay.evidence.moments import Day, dates_in, times_in
from assay.evidence.names import names_in
from assay.evidence.quantities import NUMBER, Quantity, decimals_of, size_of, unit_after
from assay.evidence.words import half_width, phrase_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Finder = Callable[[str], Iterator["Atom"]]

AtomKind = Literal[
    "number", "percentage", "date", "time", "id", "url", "email", "path", "quoted", "code", "name"
]
LONGEST_TEXT = 200_000
_LEAST_ID = 4

_FILE_TYPES = (
    "py|json|jsonl|csv|tsv|md|txt|ya?ml|toml|xml|html?|css|jsx?|tsx?|sql|db|pdf|docx?|xlsx?|pptx?"
    "|png|jpe?g|gif|svg|zip|gz|tar|log|sh|ini|cfg|conf|env|java|go|rs|c|cpp|h|rb|php|ipynb|parquet"
)
_PATH_CHARS = r"[\w.@%+~-]"
_QUOTED = re.compile(
    r"[`\"'“「《](?:(?<=`)[^`\n]{1,120}`|(?<=\")(?<!\w\")[^\"\n]{1,120}\"(?!\w)|(?<=“)[^”\n]{1,120}”"
    r"|(?<=「)[^」\n]{1,120}」|(?<=《)[^》\n]{1,120}》|(?<![\w'].)(?<=')[^'\n]{1,80}'(?![\w']))"
)
_URL = re.compile(r"https?://[^\s<>\"'`)\]}|*，。；！？、）」》\0]+")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PATH = re.compile(
    rf"(?<![\w/.:<@$€£¥%°²)])(?:~|\.{{1,2}})?/{_PATH_CHARS}++(?:/{_PATH_CHARS}++)*+"
    rf"|(?<![\w/.@-])(?:[\w.@+-]{{1,80}}/){{0,20}}[\w@+-][\w@+.-]{{0,80}}\.(?:{_FILE_TYPES})(?![\w/(])"
)
_FILE_ENDING = re.compile(rf"\.(?:{_FILE_TYPES})(?![\w/])")
# An id is found by a digit that follows letters, and then read from where its letters begin.
_DIGIT_AFTER_LETTER = re.compile(r"[0-9](?:(?<=[A-Za-z][0-9])|(?<=[A-Za-z][-_.][0-9]))")
_REST_OF_ID = re.compile(r"[A-Za-z0-9]++(?:[-_.][A-Za-z0-9]++)*+")
_LONGEST_ID_START = 48
_ID_SIGNS = frozenset(ascii_letters + digits + "-_.")
_CAPITAL_ID = re.compile(r"[A-Z](?<![\w-][A-Z])[A-Z]++(?:-[A-Z0-9]{2,}+)++(?![\w-])")
_LONGEST_CAPITALS = 4
# Codes of computing that everybody knows.
_KNOWN_TO_ALL = re.compile(
    r"(?i:utf-?(?:8|16|32)|latin-?1|base(?:16|32|64)|sha-?[0-9]{1,3}|md5|x86_64|u?int[0-9]{1,3}"
    r"|float[0-9]{2}|python3)"
)
_NO_ATOMS = re.compile(r"[^0-9`\"'“「《/@.A-Z]*")
_NUMBER = re.compile(NUMBER)
# What follows a number that has its unit together with another: 15.4 of 15.9 GB, 3–5 km.
_OTHER_END = re.compile(r"\s?(?:of|to|[-–/至到])\s?[0-9]{1,9}(?:[.,][0-9]{1,9})?(?![0-9.,])")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAKEN = "\0"
_START = attrgetter("start")
_SENTENCE_END = ".,;:!?"
_LIST_MARK = re.compile(r"(?:^|\n)[ \t>*#-]*\Z")
_LIST_MARK_AFTER = re.compile(r"[.)、]\s|[.)]$")
# Headings, and items of lists in lists, are numbered such as 2.1.
_SECTION_MARK = re.compile(r"(?:^|\n)[ \t>*-]*#{1,6}[ \t*]*\Z")
_SECTION_MARK_AFTER = re.compile(r"[.):]?[ \t*]")
# The rows of a table are counted in its first column.
_ROW_MARK = re.compile(r"(?:^|\n)[ \t>]*\|[ \t*#]*\Z")
_ROW_MARK_AFTER = re.compile(r"[ \t*.]*\|")
_LONGEST_MARK = 3
_SECTION = "§"
# A name such as Vue.js is no file.
_NAMED_LIKE_FILE = re.compile(r"[A-Z][A-Za-z]*\.js")
# The key of an object in JSON says nothing.
_KEY = re.compile(r"\s{0,3}:(?!//)")
_KEY_QUOTES = "\"'"
_KEY_NAME = re.compile(r"[A-Za-z_]\w*")


class Atom(Struct, frozen=True, gc=False):
    """One checkable part of a text; what is known of it depends on its kind."""

    kind: AtomKind
    text: str
    start: int
    phrase: str = ""
    quantity: Quantity | None = None
    days: tuple[Day, ...] = ()
    minute: int | None = None
    shorter: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """Where the text goes on after it."""
        return self.start + len(self.text)


def atoms_in(text: str, *, names: bool = True) -> tuple[Atom, ...]:
    """The checkable parts of a text, kind by kind."""
    if text.isascii() and _NO_ATOMS.fullmatch(text):
        return ()
    return _atoms_in(text[:LONGEST_TEXT], "atoms and names" if names else "atoms")


def items_in(text: str) -> tuple[Atom, ...]:
    """The things a text names exactly: quotations, code, addresses, paths and ids."""
    return _atoms_in(text[:LONGEST_TEXT], "items")


@lru_cache(maxsize=512)
def _atoms_in(text: str, looked_for: str) -> tuple[Atom, ...]:
    rest = half_width(text)
    if "```" in rest:
        rest = _FENCE.sub(lambda found: _TAKEN * len(found[0]), rest)
    found: list[Atom] = []
    for finder in _FINDERS[looked_for]:
        atoms = list(finder(rest))
        if atoms:
            found += atoms
            rest = _without(rest, atoms)
    return tuple(found)


def _without(text: str, atoms: list[Atom]) -> str:
    """The text with those parts taken out, everything else in its place."""
    pieces: list[str] = []
    place = 0
    for atom in sorted(atoms, key=_START):
        pieces += (text[place : atom.start], _TAKEN * (atom.end - atom.start))
        place = atom.end
    return "".join((*pieces, text[place:]))


def _quoted(text: str) -> Iterator[Atom]:
    for match in _QUOTED.finditer(text):
        inner = match[0][1:-1].strip()
        phrase = phrase_of(inner)
        if phrase.strip() and not _is_key(text, match):
            kind: AtomKind = "code" if match[0][0] == "`" else "quoted"
            yield Atom(kind, inner, match.start() + match[0].find(inner, 1), phrase)


def _is_key(text: str, quoted: re.Match[str]) -> bool:
    named = quoted[0][0] in _KEY_QUOTES and _KEY_NAME.fullmatch(quoted[0], 1, len(quoted[0]) - 1)
    return bool(named) and _KEY.match(text, quoted.end()) is not None


def _urls(text: str) -> Iterator[Atom]:
    if "://" in text:
        for match in _URL.finditer(text):
            url = match[0].rstrip(_SENTENCE_END)
            yield Atom("url", url, match.start(), phrase_of(url))


def _emails(text: str) -> Iterator[Atom]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Atom("email", match[0], match.start(), phrase_of(match[0]))


def _paths(text: str) -> Iterator[Atom]:
    if "/" in text or _FILE_ENDING.search(text):
        for match in _PATH.finditer(text):
            path = match[0].rstrip(_SENTENCE_END)
            if len(path) > 2 and not _NAMED_LIKE_FILE.fullmatch(path):
                yield Atom("path", path, match.start(), phrase_of(path))


def _dates(text: str) -> Iterator[Atom]:
    for start, end, days in dates_in(text):
        found = text[start:end]
        yield Atom("date", found, start, phrase_of(found), days=days)


def _times(text: str) -> Iterator[Atom]:
    for start, end, minute in times_in(text):
        found = text[start:end]
        yield Atom("time", found, start, phrase_of(found), minute=minute)


def _grouped(text: str) -> Iterator[Atom]:
    for match in GROUPED.finditer(text):
        start = match.start()
        # The letters of an account, or the sign of a telephone, stand before its first digit.
        while start and (text[start - 1].isupper() or text[start - 1] == "+"):
            start -= 1
        found = text[start : match.end()]
        yield Atom("id", found, start, phrase_of(found))


def _durations(text: str) -> Iterator[Atom]:
    for start, end, seconds, to_the_second in durations_in(text):
        found = text[start:end]
        size = Quantity(seconds, 0, "s") if to_the_second else Quantity(seconds / 60, 0, "min")
        yield Atom("number", found, start, phrase_of(found), size, shorter=(found,))


def _ids(text: str) -> Iterator[Atom]:
    end = 0
    for digit in _DIGIT_AFTER_LETTER.finditer(text):
        if digit.start() < end:
            continue
        start = digit.start() - 1
        begin = max(end, start - _LONGEST_ID_START)
        while start > begin and text[start - 1] in _ID_SIGNS:
            start -= 1
        match = _REST_OF_ID.search(text, start)
        if match is not None and sum(map(str.isalnum, match[0])) >= _LEAST_ID:
            end = match.end()
            if not _KNOWN_TO_ALL.fullmatch(match[0]):
                yield Atom("id", match[0], match.start(), phrase_of(match[0]))
    if "-" in text:
        for match in _CAPITAL_ID.finditer(text):
            if _is_of_codes(match[0]):
                yield Atom("id", match[0], match.start(), phrase_of(match[0]))


def _is_of_codes(capitals: str) -> bool:
    """Whether capitals are codes, such as EWR-DFW, rather than words, such as READ-ONLY."""
    lengths = sorted(map(len, capitals.split("-")))
    return lengths[0] < _LONGEST_CAPITALS >= lengths[-1] and not any(map(str.isdecimal, capitals))


def _numbers(text: str) -> Iterator[Atom]:
    for match in _NUMBER.finditer(text):
        found, start, end = match[0], match.start(), match.end()
        if len(found) <= _LONGEST_MARK and _is_list_mark(text, start, end):
            continue
        if text[start - 1 : start] == _SECTION:
            continue
        unit = unit_after(text, end)
        if not unit and (other := _OTHER_END.match(text, end)):
            unit = unit_after(text, other.end())
        quantity = Quantity(size_of(found), decimals_of(found), unit)
        kind: AtomKind = "percentage" if quantity.is_percentage else "number"
        yield Atom(kind, found, start, phrase_of(found), quantity)


def _is_list_mark(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 8) : start]
    if _SECTION_MARK_AFTER.match(text, end) and _SECTION_MARK.search(before):
        return True
    if _LIST_MARK_AFTER.match(text, end):
        return _LIST_MARK.search(before) is not None
    return _ROW_MARK_AFTER.match(text, end) is not None and _ROW_MARK.search(before) is not None


def _names(text: str) -> Iterator[Atom]:
    for name in names_in(text):
        yield Atom("name", name.text, name.start, phrase_of(name.text), shorter=name.shorter)


# Most telling first: what one kind has taken the next does not see.
_ADDRESS_FINDERS: tuple[Finder, ...] = (_quoted, _urls, _emails, _paths)
_ATOM_FINDERS = (*_ADDRESS_FINDERS, _dates, _grouped, _durations, _times, _ids, _numbers)
_FINDERS: dict[str, tuple[Finder, ...]] = {
    "items": (*_ADDRESS_FINDERS, _grouped, _ids),
    "atoms": _ATOM_FINDERS,
    "atoms and names": (*_ATOM_FINDERS, _names),
}
