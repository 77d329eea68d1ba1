"""The checkable parts of an answer, and what the run says of each."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.evidence.index import REQUEST
from assay.text.dates import days_in, is_known_day, iso_dates_in
from assay.text.entities import ids_in, is_date_like, shape_of
from assay.text.numbers import is_calculated, is_difference, is_shown, numbers_in
from assay.text.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.index import RunIndex
    from assay.text.numbers import Number

ClaimKind = Literal["number", "date", "id"]
ClaimStatus = Literal["supported", "requested", "calculated", "absent"]

_DERIVING = re.compile(
    r"\b(?:remain\w*|balance|differ\w*|total\w*|sum|average|mean|median|change\w*|increase\w*|decrease\w*"
    r"|sav(?:ed|ings?)|refund\w*|gap|net|ratio|combined|left|deduct\w*|per|overall|estimat\w*|growth"
    r"|share|spread|margin|profit|cost|score|index)\b|[=×÷+*/]|余|共|差|平均",
    re.IGNORECASE,
)
_NEIGHBOURS = 2
_LEAST_DIGITS = 2
_MOST_NUMBERS = 400
_MOST_NEAR = 12
_ROUNDS = 3


class Claim(Struct, frozen=True, gc=False):
    """One checkable part of the answer; `origin` is the call whose result first has it.

    `in_sum` says of a number whether its line speaks of sums, averages or changes.
    """

    kind: ClaimKind
    text: str
    start: int
    status: ClaimStatus
    origin: int | None = None
    digits: int = 0
    value: float | None = None
    in_sum: bool = False


class Grounding(Struct, frozen=True, gc=False):
    """The claims of an answer in order."""

    claims: tuple[Claim, ...]

    @property
    def share(self) -> float | None:
        """The share of the claims that the run backs; None without claims that are not repeated."""
        found = Counter(claim.status for claim in self.claims)
        backed = found["supported"] + found["calculated"]
        checked = backed + found["absent"]
        return backed / checked if checked else None

    def with_status(self, *statuses: ClaimStatus) -> list[Claim]:
        """The claims of these statuses, in order."""
        return [claim for claim in self.claims if claim.status in statuses]


def ground_answer(run: RunIndex) -> Grounding:
    """The claims of the run's answer."""
    if not run.answer or not any(map(str.isdigit, run.answer)):
        return Grounding(())
    found = [*_days(run), *_ids(run), *_numbers(run)]
    taken: set[int] = set()
    kept = []
    for claim in found:  # what stands inside of a date or an id is part of it
        span = range(claim.start, claim.start + len(claim.text))
        if taken.isdisjoint(span):
            kept.append(claim)
            taken.update(span)
    return Grounding(tuple(sorted(kept, key=lambda claim: claim.start)))


def _days(run: RunIndex) -> Iterator[Claim]:
    at = 0
    for text in iso_dates_in(run.answer):
        at = run.answer.find(text, at)
        start, at = at, at + len(text)
        days = days_in(text)
        if any(is_known_day(day, run.request_days) for day in days if day[2]):
            yield Claim("date", text, start, "requested")
            continue
        places = [run.first_days[day] for day in days if day[2] and day in run.first_days]
        known = bool(places) or any(is_known_day(day, run.known_days) for day in days if day[2])
        yield Claim(
            "date", text, start, "supported" if known else "absent", min(places, default=None)
        )


def _ids(run: RunIndex) -> Iterator[Claim]:
    at = 0
    for text in ids_in(run.answer):
        if is_date_like(text):
            continue
        at = run.answer.find(text)
        tokens = tokens_of(text)
        place = run.first_of_all(tokens)
        if place is not None:
            status: ClaimStatus = "requested" if place == REQUEST else "supported"
            yield Claim("id", text, at, status, None if place == REQUEST else place)
        elif run.argument_tokens.issuperset(tokens) or run.schema_tokens.issuperset(tokens):
            yield Claim("id", text, at, "supported")
        elif "".join(tokens) in run.joined or not _has_known_shape(run, text):
            continue
        else:
            yield Claim("id", text, at, "absent")


def _has_known_shape(run: RunIndex, text: str) -> bool:
    shape = shape_of(text)
    return shape in run.first_shapes or shape in run.request_shapes


def _numbers(run: RunIndex) -> list[Claim]:
    """The numbers of the answer: those the run states, then those calculated from these."""
    lines = run.answer.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    shown = [
        (row, number)
        for row, line in enumerate(lines)
        for number in numbers_in(line)
        if number.digits >= _LEAST_DIGITS
    ][:_MOST_NUMBERS]
    found = [_stated(run, number) for _, number in shown]
    for _ in range(_ROUNDS):
        left = [i for i, (status, _) in enumerate(found) if status == "absent"]
        pairs = zip(shown, found, strict=True)
        backed = [(row, n.value) for (row, n), (status, _) in pairs if status != "absent"]
        new = [i for i in left if _is_derived(run, *shown[i], lines, backed)]
        for i in new:
            found[i] = ("calculated", None)
        if not new:
            break
    return [
        Claim(
            "number",
            number.text,
            starts[row] + number.start,
            status,
            origin,
            number.digits,
            number.value,
            status == "absent" and _DERIVING.search(lines[row]) is not None,
        )
        for (row, number), (status, origin) in zip(shown, found, strict=True)
        if status != "absent" or not _is_year_of_day(lines[row], number.text)
    ]


def _is_year_of_day(line: str, text: str) -> bool:
    return len(text) == 4 and text[:2] in ("19", "20") and bool(days_in(line))


def _stated(run: RunIndex, number: Number) -> tuple[ClaimStatus, int | None]:
    """Whether the run states a number, and which call returned it first."""
    value = number.value
    if value in run.first_numbers:
        return "supported", run.first_numbers[value]
    if value in run.request_numbers:
        return "requested", None
    is_known = value in run.argument_numbers or is_shown(
        value, number.decimals, run.result_numbers, in_units=number.has_unit
    )
    return ("supported" if is_known else "absent"), None


def _is_derived(
    run: RunIndex, row: int, number: Number, lines: list[str], backed: list[tuple[int, float]]
) -> bool:
    """Whether a number is one step away from backed numbers near it, or a sum of those above it."""
    value, decimals = number.value, number.decimals
    near = [other for place, other in backed if abs(place - row) <= _NEIGHBOURS and other != value]
    if is_calculated(value, decimals, near):
        return True
    above = [other for place, other in backed if place < row]
    if _is_sum_of_last(value, decimals, above):
        return True
    if not _DERIVING.search(lines[row]):
        return False
    return is_difference(value, decimals, near[:_MOST_NEAR], run.result_numbers)


def _is_sum_of_last(value: float, decimals: int, column: list[float]) -> bool:
    """Whether the value is the sum of the numbers above it."""
    half = 0.51 * 10**-decimals
    sums = list(accumulate(reversed(column[-_MOST_NUMBERS:])))
    return any(abs(total - value) < half for total in sums[1:])
