"""Where a number or date of a call came from that nobody said: by which simple working."""

from __future__ import annotations

from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from assay.evidence.backing import Backer
from assay.evidence.json_leaves import ROOT
from assay.evidence.quantities import number_in
from assay.evidence.relative_days import is_of_month, near_today
from assay.evidence.sources import AFTER_ALL, BEFORE_ALL
from assay.evidence.steps import digits_of
from assay.evidence.totals import total_key
from assay.evidence.traced_value import Origin
from assay.evidence.workings import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.evidence.atoms import Atom
    from assay.evidence.json_leaves import Leaf
    from assay.evidence.moments import Day
    from assay.evidence.source import Source
    from assay.evidence.sources import Sources

_LEAST = 10
_FEW_TOLD = 4
_MINUTES_OF_HOUR = 60
_HOURS = 24
_HALF = 0.5 + 1e-9
_CALCULATION = "calculation"
_BY_CLOCK = "date_arithmetic"
# The field of a case that says when its run began.
_CLOCK = "started_at"


class Workings:
    """What the calls of a run could have worked out from what was known before them."""

    def __init__(self, sources: Sources) -> None:
        """Take the sources of the run."""
        self._sources = sources

    @cached_property
    def _spelled_out(self) -> dict[float, int]:
        return spelled_out(self._sources.messages, self._is_known)

    @cached_property
    def _of_told(self) -> frozenset[float]:
        """What two of the numbers that the agent was told make, where they are few."""
        told = self._sources.asked.numbers
        if len(told) > _FEW_TOLD:
            return frozenset()
        pairs = permutations(told, 2)
        return frozenset(
            size for a, b in pairs for size in (a + b, a - b, a * b, a / b if b else a)
        )

    def _is_known(self, atom: Atom, step: int) -> bool:
        # Of messages whose time is not recorded it is only known that they belong to the run.
        before = step if step > BEFORE_ALL else AFTER_ALL
        return Backer(self._sources, before=before, echoes=False).of_atom(atom) is not None

    def of_number(self, size: float, step: int, backer: Backer) -> Origin | None:
        """By which working a number was known at a step."""
        if size < _LEAST:
            return None
        total = backer.by_calculation(size)
        if total is not None:
            return Origin("result", total.path, total.source.call, _CALCULATION)
        said = self._spelled_out.get(size)
        if said is not None and said <= step:
            return Origin("conversation", "conversation_history", None, _CALCULATION)
        if size in self._of_told:
            return Origin("prompt", "input", None, _CALCULATION)
        return self._of_factors(size, backer) or self._of_year(size)

    def _of_year(self, size: float) -> Origin | None:
        """The year of the run, the one before or the one after."""
        today = self._sources.today
        if today is not None and abs(size - today.year) <= 1:
            return Origin("conversation", _CLOCK, None, _BY_CLOCK)
        return None

    def _of_factors(self, size: float, backer: Backer) -> Origin | None:
        """A number of a result, so many times as much as was told, or more or less by a share.

        By mere numbers only what has many digits: chance finds something for any other.
        """
        factors = set(self._sources.asked.factors)
        if digits_of(size) > _FEW_TOLD - 1:
            told = self._sources.asked.numbers
            factors |= told if len(told) <= 2 * _FEW_TOLD else set()
        elif not backer.knows_few_numbers:
            return None
        reach = _HALF * 10.0 ** -min(len(repr(size).partition(".")[2].rstrip("0")), 9)
        for factor in factors - {0.0, 1.0}:
            found = backer.of_range((size - reach) / factor, (size + reach) / factor)
            if found is not None and found.source.kind == "result":
                return Origin("result", found.path, found.source.call, _CALCULATION)
        return None

    def of_hour(self, size: float, step: int) -> Origin | None:
        """The full hour of a time of day that this is."""
        if size > _HOURS:
            return None
        source = self._sources.fresh.minutes.get(int(size * _MINUTES_OF_HOUR))
        return _from(source, "time_format") if _before(source, step) else None

    def of_rest(self, size: float, whole: float | None, step: int, backer: Backer) -> Origin | None:
        """A number that makes up a known one, the whole, together with the others of its field."""
        if whole is None or size < _LEAST or whole == size:
            return None
        known = _from(backer.knows_number(whole), _CALCULATION)
        return known or self.of_number(whole, step, backer)

    def of_days(self, days: Sequence[Day]) -> Origin | None:
        """The day of the run, where the user spoke of a time as seen from it, or of a month."""
        today, asked = self._sources.today, self._sources.asked
        if today is None:
            return None
        days = [day for told in days for day in _with_year(told, today.year)]
        relative = asked.speaks_of_time and any(
            near_today(day, today, within_week=asked.speaks_of_days_only) for day in days
        )
        if relative or any(
            abs(day[0] - today.year) <= 1 and is_of_month(day, asked.months_named) for day in days
        ):
            return Origin("conversation", _CLOCK, None, _BY_CLOCK)
        return None


def _with_year(day: Day, year: int) -> tuple[Day, ...]:
    """A day in the years around one, if it says none."""
    return (
        (day,) if day[0] else tuple((near, day[1], day[2]) for near in (year, year + 1, year - 1))
    )


def wholes_of(leaves: Iterable[Leaf]) -> dict[str, float]:
    """What the numbers of each field add up to."""
    found: dict[str, float] = {}
    for leaf in leaves:
        size = number_in(leaf.value)
        if size is not None:
            found[leaf.field] = found.get(leaf.field, 0.0) + size
    return {field: total_key(whole) for field, whole in found.items()}


def _before(source: Source | None, step: int) -> bool:
    return source is not None and source.step < step


def _from(source: Source | None, step: str) -> Origin | None:
    if source is None:
        return None
    place = ROOT if source.kind == "result" else source.place
    return Origin(source.kind, place, source.call, step)
