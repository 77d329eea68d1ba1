"""Several judges as one: the mean or median of each dimension, and how far they lie apart."""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidJudge, JudgeFailed, UnknownName
from assay.judge.marks import JudgedBy, Marks, Preparation, marked, preparation_of
from assay.judge.repeated import combined
from assay.judge.rubric import DIMENSION_NAMES
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.judge.marks import Judge
    from assay.test_case import AgentTestCase

Verdict: TypeAlias = Literal["mean", "median"]


def median(values: Iterable[float | None]) -> float | None:
    """Median of the values that are there; None when none is."""
    seen = [value for value in values if value is not None]
    return statistics.median(seen) if seen else None


_MIDDLES: dict[str, Callable[[Iterable[float | None]], float | None]] = {
    "mean": mean,
    "median": median,
}


class _ForEach(Struct, frozen=True):
    """What each juror needs of a case, in their order; what is the same for several, made once."""

    prepare: tuple[Preparation | None, ...]

    def __call__(self, case: AgentTestCase) -> tuple[object, ...]:
        made: list[object] = []
        for prepare in self.prepare:
            first = self.prepare.index(prepare)
            made.append(made[first] if first < len(made) else _prepared(prepare, case))
        return tuple(made)


def _prepared(prepare: Preparation | None, case: AgentTestCase) -> object:
    """What one juror needs; None where there is nothing, or where it fails."""
    try:
        return None if prepare is None else prepare(case)
    except JudgeFailed:  # the juror is asked for all of it: then it fails alone, by its name
        return None


class Jury:
    """Asks all its judges at once. One that fails is named in the warnings and left out."""

    def __init__(self, judges: Sequence[Judge], verdict: Verdict = "mean") -> None:
        """Take two judges or more, of different names, and how their marks become one."""
        if verdict not in get_args(Verdict):
            raise UnknownName("verdict of a jury", verdict, get_args(Verdict))
        names = [judge.name for judge in judges]
        if len(set(names)) < max(len(names), 2):
            raise InvalidJudge(
                f"jury: expected two or more different judges, got {', '.join(names) or 'none'}. "
                "To ask one judge several times, use judge_runs"
            )
        self.name = f"jury of {', '.join(names)}"
        self._judges = judges
        self._verdict = verdict

    @property
    def preparation(self) -> _ForEach | None:
        """What the jurors need of a case beforehand; None where none of them needs anything."""
        needed = tuple([preparation_of(judge) for judge in self._judges])
        return None if all(found is None for found in needed) else _ForEach(needed)

    async def mark(self, case: AgentTestCase) -> Marks:
        """What the jurors say together; raises JudgeFailed when none of them says anything."""
        prepare = self.preparation
        return await self.mark_prepared(case, None if prepare is None else prepare(case))

    async def mark_prepared(
        self, case: AgentTestCase, prepared: tuple[object, ...] | None
    ) -> Marks:
        """What they say of a case that was made ready for each of them; None where it was not."""
        ready = prepared or (None,) * len(self._judges)
        marking = [marked(judge, case, r) for judge, r in zip(self._judges, ready, strict=True)]
        outcomes = await asyncio.gather(*marking, return_exceptions=True)
        answered: list[Marks] = []
        failed: list[str] = []
        for judge, outcome in zip(self._judges, outcomes, strict=True):
            if isinstance(outcome, JudgeFailed):
                failed.append(f"{judge.name} gave no marks: {outcome}")
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                answered.append(outcome)
        if not answered:
            raise JudgeFailed(f"No juror gave marks. {'; '.join(failed)}")
        return self._together(answered, failed)

    def _together(self, answered: list[Marks], failed: list[str]) -> Marks:
        warnings = tuple(failed)
        if failed:
            warnings += (f"{len(answered)} of {len(self._judges)} jurors answered",)
        found = combined(self.name, answered, _MIDDLES[self._verdict])
        by = tuple(marks.provenance or JudgedBy(marks.judge) for marks in answered)
        return replace(
            found,
            jurors=tuple(answered),
            provenance=JudgedBy(
                self.name,
                runs=len(self._judges),
                read=len(answered),
                jurors=by,
                verdict=self._verdict,
            ),
            warnings=(*found.warnings, *warnings),
        )


def ratings(judged: Iterable[Marks]) -> Iterator[list[float | None]]:
    """What each juror gave, unit by unit (case and dimension), for a measure of agreement.

    `assay.stats.agreement.krippendorff_alpha(ratings(judged), scale="interval")` says how far
    the jurors of many cases agree; each case has six units, one after the other, and its
    `clusters` take them together. Cases without a jury are left out.
    """
    for marks in judged:
        if marks.jurors:
            for name in DIMENSION_NAMES:
                yield [juror.values.get(name) for juror in marks.jurors]
