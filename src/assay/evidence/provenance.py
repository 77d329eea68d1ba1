"""Where the values of the arguments came from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.evidence.index import REQUEST
from assay.text.code import is_statement
from assay.text.dates import days_apart, days_in, has_relative_words, is_date, is_edge, is_known_day
from assay.text.entities import Kind, is_convention, kind_of, shape_of
from assay.text.leaves import Path, field_of, leaf_text, path_text
from assay.text.numbers import is_step_away, parse_number
from assay.text.words import tokens_of

if TYPE_CHECKING:
    from assay.evidence.index import IndexedCall, RunIndex

Source = Literal[
    "request",  # the request, a user turn or system text
    "result",  # the result of an earlier call
    "schema",  # the tools on offer
    "derived",  # a step away from a known number or day
    "reused",  # sent by the agent before
    "convention",  # a round number, a size, a version, a cell range
    "echo",  # only its own result has it
    "later",  # only the result of a later call has it
    "nowhere",
    "unchecked",  # flags, free text
]
UNSOURCED: frozenset[Source] = frozenset({"echo", "later", "nowhere"})
SOURCED: frozenset[Source] = frozenset({"request", "result", "schema", "derived"})

# Stands in the path of a value that is quoted in a longer text.
QUOTED = "quoted"
_QUOTING_KINDS = frozenset({"text", "phrase"})
_QUOTED_KINDS = frozenset({"id", "date", "email"})
_LITERAL = re.compile(r"(['\"])([^'\"\\\n]{3,80})\1(?!\s*:)")
_LONGEST_STATEMENT = 100_000
_LEAST_PART = 3
_LEAST_JOINED = 6
_MIDNIGHT = re.compile(r"[T ](?:00:00|23:59)")
_FREE_DAYS = 31
_NEAR_DAYS = 2
_MOST_POOLED = 400
_SMALL = 100
_CLOCK_NUMBERS = frozenset({120, 180, 256, 365, 512, 720, 768, 999, 1024, 1080, 1280, 1440, 1920})
_BINARY = frozenset({2048, 3600, 4096, 8080, 9999, 65536})
_LONG_KINDS = frozenset({"text", "url"})
_WORD_KINDS = frozenset({"name", "word", "phrase", "path", "url", "email", "ref", "text"})
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\x00-\x7f]+")


class ArgumentValue(Struct, frozen=True, gc=False):
    """One value of a call's arguments, its kind, and where it came from.

    `origin` is the call whose result has it first; None where it is in no result.
    """

    call: int
    path: Path
    value: Any
    kind: Kind | None
    source: Source
    origin: int | None = None

    @property
    def field(self) -> str:
        """The name of the argument, or of the field inside of it."""
        return field_of(self.path)

    @property
    def place(self) -> str:
        """The path of the value in the arguments."""
        return path_text(self.path)

    @property
    def text(self) -> str:
        """The value as text."""
        return leaf_text(self.value).strip()


class _Origin(Struct, frozen=True, gc=False):
    """Where a value is first known from, whichever call uses it."""

    source: Source
    place: int | None = None


class Tracer:
    """Traces argument values of one run; each value is looked up once."""

    def __init__(self, run: RunIndex) -> None:
        """Trace against that run's index."""
        self._run = run
        self._known: dict[tuple[str, str], _Origin] = {}
        self._sent: dict[tuple[str, str], int] = {}

    def values(self) -> list[ArgumentValue]:
        """All values of all arguments, in the order of the calls."""
        found = []
        for known in self._run.calls:
            for path, value in known.leaves:
                traced = self._trace(known, path, value)
                found.append(traced)
                if traced.kind in _QUOTING_KINDS:
                    found += self._quoted(known, path, traced.text)
        return found

    def _quoted(self, known: IndexedCall, path: Path, text: str) -> list[ArgumentValue]:
        """The identifiers and days that a statement or a program quotes."""
        if ("'" not in text and '"' not in text) or not is_statement(text):
            return []
        literals = dict.fromkeys(found[1] for found in _LITERAL.findall(text[:_LONGEST_STATEMENT]))
        return [
            self._trace(known, (*path, QUOTED), literal)
            for literal in literals
            if kind_of(literal) in _QUOTED_KINDS and self._is_typical(literal, known.position)
        ]

    def _is_typical(self, literal: str, position: int) -> bool:
        """Whether the run has seen values like it: what a statement makes up has no source."""
        return is_date(literal) or (
            parse_number(literal) is None and self._is_offered(literal, position)
        )

    def _trace(self, known: IndexedCall, path: Path, value: Any) -> ArgumentValue:
        kind = kind_of(value)
        if kind is None or kind == "text":
            return ArgumentValue(known.position, path, value, kind, "unchecked")
        text = leaf_text(value).strip()
        key = (kind, text)
        origin = self._known.get(key)
        if origin is None:
            origin = self._known[key] = self._origin_of(text, value, kind)
        source = self._source_at(origin, known.position, kind, text)
        if source in UNSOURCED:
            sent_by = self._sent.setdefault(key, known.position)
            if sent_by != known.position:
                return ArgumentValue(known.position, path, value, kind, "reused", sent_by)
        return ArgumentValue(known.position, path, value, kind, source, origin.place)

    def _source_at(self, origin: _Origin, position: int, kind: Kind, text: str) -> Source:
        if origin.place is None or origin.source != "result":
            if origin.source == "convention" and kind == "id" and self._is_offered(text, position):
                return "nowhere"
            return origin.source
        if origin.place < position:
            return "result"
        return "echo" if origin.place == position else "later"

    def _is_offered(self, text: str, position: int) -> bool:
        """Whether request or earlier results hold identifiers of that shape."""
        shape = shape_of(text)
        run = self._run
        return shape in run.request_shapes or run.first_shapes.get(shape, position) < position

    def _origin_of(self, text: str, value: Any, kind: Kind) -> _Origin:
        if kind == "number":
            number = float(value) if isinstance(value, int | float) else parse_number(text)
            return self._number(number)
        tokens = tokens_of(text)
        return self._of_text(text, tokens, kind) if tokens else _Origin("unchecked")

    def _of_text(self, text: str, tokens: list[str], kind: Kind) -> _Origin:
        place = self._place_of(text, tokens, kind)
        day = self._day(text) if kind == "date" and place != REQUEST else None
        if day is not None:
            return day
        if place == REQUEST:
            return _Origin("request")
        if self._run.schema_tokens.issuperset(tokens):
            return _Origin("schema")
        if place is not None:
            return _Origin("result", place)
        return _Origin("convention" if kind == "id" and is_convention(text) else "nowhere")

    def _place_of(self, text: str, tokens: list[str], kind: Kind) -> int | None:
        run = self._run
        place = run.first_of_all(tokens)
        if place is not None:
            return place
        if kind == "id":
            place = run.first_of_all(_telling(tokens))
            joined = "".join(tokens)
            if place is None and len(joined) >= _LEAST_JOINED:
                place = run.first(joined)
                place = run.joined.get(joined) if place is None else place
        elif kind in _WORD_KINDS:
            place = self._place_of_words(text)
        return place

    def _place_of_words(self, text: str) -> int | None:
        parts = [
            p.lower()
            for p in _PARTS.findall(text)
            if len(p) >= _LEAST_PART or (len(p) > 1 and p.isdigit())
        ]
        places = [self._place_of_word(part) for part in parts]
        known = [place for place in places if place is not None]
        return max(known) if known and len(known) == len(places) else None

    def _place_of_word(self, word: str) -> int | None:
        place = self._run.first(word)
        return self._run.first_of_stem(word) if place is None else place

    def _number(self, value: float | None) -> _Origin:
        if value is None or is_conventional(value):
            return _Origin("convention")
        run = self._run
        if value in run.request_numbers or abs(value) in run.request_numbers:
            return _Origin("request")
        place = run.first_numbers.get(value, run.first_numbers.get(round(value, 2)))
        if place is not None:
            return _Origin("result", place)
        return _Origin("derived" if self._is_derived(value) else "nowhere")

    def _is_derived(self, value: float) -> bool:
        run = self._run
        return is_step_away(value, self._pool) or is_step_away(value, run.request_numbers)

    @property
    def _pool(self) -> frozenset[float]:
        run = self._run
        return frozenset([*run.request_numbers, *run.result_numbers][:_MOST_POOLED])

    def _day(self, text: str) -> _Origin | None:
        """Where a day is known from in whatever form it is written there."""
        run = self._run
        days = days_in(text)
        exact = [day for day in days if day[2]] or list(days)
        if any(is_known_day(day, run.request_days) for day in exact):
            return _Origin("request")
        places = [run.first_days[day] for day in exact if day in run.first_days]
        if places:
            return _Origin("result", min(places))
        known = run.request_days | set(run.first_days)
        if _MIDNIGHT.search(text) and _is_near(exact, known, _NEAR_DAYS):
            return _Origin("derived")
        if any(is_edge(day) and str(day[0]) in run.context_tokens for day in exact):
            return _Origin("derived")
        if has_relative_words(run.request):
            stated = {day for day in run.request_days if all(day)}
            if not stated or _is_near(exact, stated, _FREE_DAYS):
                return _Origin("derived")
        return None


def _telling(tokens: list[str]) -> list[str]:
    """The parts of an identifier that have to be known: figures and words, not single letters."""
    telling = [token for token in tokens if len(token) >= _LEAST_PART or token.isdigit()]
    return telling if len(tokens) > 1 and any(len(t) >= _LEAST_PART for t in telling) else tokens


def _is_near(days: list[tuple[int, int, int]], known: set[tuple[int, int, int]], most: int) -> bool:
    gaps = (days_apart(day, other) for day in days for other in known)
    return any(gap is not None and gap <= most for gap in gaps)


def is_conventional(value: float) -> bool:
    """Whether a number is one that is written without being taken from anywhere: small or round."""
    size = abs(value)
    if size != int(size) or size > 10**7:
        return False
    digits = str(int(size)).rstrip("0")
    return (
        size <= 10
        or size in _CLOCK_NUMBERS
        or size in _BINARY
        or len(digits) <= (1 if size < _SMALL else 2)
    )


def trace_arguments(run: RunIndex) -> list[ArgumentValue]:
    """Where every value of every call's arguments came from."""
    return Tracer(run).values()
