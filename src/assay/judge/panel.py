"""Several opinions as one: one judge asked several times, or a panel of judges.

What they agree on is measured on what varies from case to case: a level that a dimension has in
all cases, such as one given for its place in the prompt, is no agreement about the cases.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter
from typing import TYPE_CHECKING, get_args

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable, UnknownName
from assay.judge.llm import LLMJudge, PrepareInquiry, total
from assay.judge.marks import (
    JudgedBy,
    Marks,
    Middle,
    OrderEffect,
    Preparation,
    Spread,
    family_of,
    marked,
    preparation_of,
)
from assay.judge.prompt import order_plan
from assay.judge.rubric import DIMENSION_NAMES
from assay.score import mean
from assay.stats import Agreement, Resampling, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.judge.marks import Judge
    from assay.judge.prompt import Inquiry, Order
    from assay.test_case import AgentTestCase

    JurorMarks = Mapping[str, Mapping[str, float | None]]

_RESAMPLES = Resampling(resamples=200)


def median(values: Iterable[float | None]) -> float | None:
    """Median of the values that are there; None when none is."""
    seen = [value for value in values if value is not None]
    return statistics.median(seen) if seen else None


_MIDDLES: dict[str, Callable[[Iterable[float | None]], float | None]] = {
    "mean": mean,
    "median": median,
}


class RepeatedJudge:
    """Asks one judge several times, each time in another order, and takes the mean.

    A run whose reply cannot be read is left out and counted. An endpoint that is not available
    fails the case instead: asking again later completes it.
    """

    def __init__(self, judge: Judge, runs: int) -> None:
        """Take the judge and the number of runs."""
        if runs < 1:
            raise InvalidJudge(f"judge_runs: expected 1 or more, got {runs}")
        self.name = judge.name
        self._judge = judge
        self._runs = runs

    @property
    def preparation(self) -> PrepareInquiry | None:
        """What makes a case ready to be asked about; None for a judge that is asked otherwise."""
        return self._judge.preparation if isinstance(self._judge, LLMJudge) else None

    async def mark(self, case: AgentTestCase) -> Marks:
        """The mean marks of all runs that could be read."""
        prepare = self.preparation
        return await self.mark_prepared(case, None if prepare is None else prepare(case))

    async def mark_prepared(self, case: AgentTestCase, prepared: Inquiry | None) -> Marks:
        """The mean marks for a case that was made ready; None where that is not known of."""
        judge, orders = self._judge, order_plan(self._runs, 0)
        if prepared is not None and isinstance(judge, LLMJudge):
            orders = order_plan(self._runs, judge.options.seed)
            asked = [
                judge.mark_in_order(prepared, case.model, order, run=run)
                for run, order in enumerate(orders)
            ]
        else:
            asked = [judge.mark(case) for _ in orders]
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        read = [(o, m) for o, m in zip(orders, outcomes, strict=True) if isinstance(m, Marks)]
        failed = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        fatal = [exc for exc in failed if not _is_unreadable(exc)]
        if fatal or not read:
            raise (fatal or failed)[0]
        return self._summary(read, failed)

    def _summary(self, read: list[tuple[Order, Marks]], failed: Sequence[BaseException]) -> Marks:
        every = [marks for _, marks in read]
        found = combined(self.name, every, "mean")
        first = every[0].provenance
        warnings = found.warnings
        if failed:
            warnings += (
                f"{len(failed)} of {self._runs} replies could not be read, such as: {failed[0]}",
            )
        return replace(
            found,
            order_effect=order_effect(read),
            provenance=first and replace(first, runs=self._runs, read=len(read)),
            warnings=warnings,
        )


def _is_unreadable(exc: BaseException) -> bool:
    return isinstance(exc, JudgeFailed) and not isinstance(exc, JudgeUnavailable)


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


class Panel:
    """Asks all its judges at once. One that fails is named in the warnings and left out."""

    def __init__(self, judges: Sequence[Judge], middle: Middle = "mean") -> None:
        """Take two judges or more, of different names, and how their marks become one."""
        if middle not in get_args(Middle):
            raise UnknownName("verdict of a jury", middle, get_args(Middle))
        names = [judge.name for judge in judges]
        if len(set(names)) < max(len(names), 2):
            raise InvalidJudge(
                f"jury: expected two or more different judges, got {', '.join(names) or 'none'}. "
                "To ask one judge several times, use judge_runs"
            )
        self.name = f"jury of {', '.join(names)}"
        self._judges = judges
        self._middle: Middle = middle

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
        warnings = (*_shared_families(answered), *failed)
        if failed:
            warnings += (f"{len(answered)} of {len(self._judges)} jurors answered",)
        found = combined(self.name, answered, self._middle)
        by = tuple(marks.provenance or JudgedBy(marks.judge) for marks in answered)
        return replace(
            found,
            jurors=tuple(answered),
            provenance=JudgedBy(
                self.name,
                runs=len(self._judges),
                read=len(answered),
                jurors=by,
                verdict=self._middle,
            ),
            warnings=(*found.warnings, *warnings),
        )


def _shared_families(answered: Sequence[Marks]) -> list[str]:
    models = [((by := marks.provenance) and by.model) or marks.judge for marks in answered]
    families = Counter(family_of(model) for model in models)
    return [
        f"{count} jurors are of one family, {family}: their agreement says less than it seems"
        for family, count in families.items()
        if family is not None and count > 1
    ]


def combined(judge: str, every: Sequence[Marks], middle: Middle) -> Marks:
    """Several marks as one: the middle of each dimension, the spread, what it all cost."""
    given = {name: [marks.values.get(name) for marks in every] for name in DIMENSION_NAMES}
    spreads = {name: spread_of(values) for name, values in given.items()}
    return Marks(
        judge,
        {name: _MIDDLES[middle](values) for name, values in given.items()},
        _first_reasons(every),
        cost_usd=total(marks.cost_usd for marks in every),
        input_tokens=total(marks.input_tokens for marks in every),
        output_tokens=total(marks.output_tokens for marks in every),
        recalled=all(marks.recalled for marks in every),
        spread={name: spread for name, spread in spreads.items() if spread is not None},
        run_scores=tuple(score for marks in every if (score := marks.score) is not None),
        warnings=tuple(dict.fromkeys(text for marks in every for text in marks.warnings)),
    )


def spread_of(values: Iterable[float | None]) -> Spread | None:
    """How far marks lie apart; None without any."""
    seen = [value for value in values if value is not None]
    if not seen:
        return None
    sd = statistics.stdev(seen) if len(seen) > 1 else None
    return Spread(min(seen), max(seen), sd, len(seen))


def _first_reasons(every: Sequence[Marks]) -> dict[str, str]:
    """For each dimension the first sentence that was given, best with a mark to explain."""
    found: dict[str, str] = {}
    for with_mark in (True, False):
        for marks in every:
            for name, text in marks.reasons.items():
                if (name in marks.given) is with_mark:
                    found.setdefault(name, text)
    return {name: found[name] for name in DIMENSION_NAMES if name in found}


def order_effect(read: Sequence[tuple[Order, Marks]]) -> OrderEffect:
    """What the order did to the marks of one case.

    None unless each dimension was asked as often early as late, and with the upper bands as often
    first as last: else the level of a dimension or of a run would pass for an effect.
    """
    early: list[float | None] = []
    high: list[float | None] = []
    for name in DIMENSION_NAMES:
        given = [(o, value) for o, m in read if (value := m.values.get(name)) is not None]
        half = len(DIMENSION_NAMES) // 2
        early.append(_difference([(o.dimensions.index(name) < half, v) for o, v in given]))
        high.append(_difference([(o.high_bands_first, v) for o, v in given]))
    return OrderEffect(_mean_of_all(early), _mean_of_all(high))


def _difference(values: Sequence[tuple[bool, float]]) -> float | None:
    """How much higher the marks of one group are; None unless both are of one size."""
    one = [value for first, value in values if first]
    other = [value for first, value in values if not first]
    if not one or len(one) != len(other):
        return None
    return statistics.fmean(one) - statistics.fmean(other)


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known and len(known) == len(values) else None


class PanelAgreement(Struct, frozen=True):
    """How far jurors agree about cases: each dimension alone, and all with their offsets removed.

    `overall` is over the differences of each mark from the mean of its dimension over all cases
    and jurors; its interval is one over cases.
    """

    overall: Agreement
    dimensions: dict[str, Agreement]


def panel_agreement(cases: Sequence[JurorMarks]) -> PanelAgreement:
    """The agreement of jurors over cases; each case has the marks of each juror by name."""
    dimensions: dict[str, Agreement] = {}
    pooled: list[list[float | None]] = []
    for name in DIMENSION_NAMES:
        units = [[marks.get(name) for marks in case.values()] for case in cases]
        dimensions[name] = krippendorff_alpha(units, scale="interval", how=_RESAMPLES)
        # Of units that two rated: only they say how far raters agree.
        level = mean(v for unit in units if _is_rated_twice(unit) for v in unit)
        pooled += [[_less(value, level) for value in unit] for unit in units]
    # A juror who is strict with a case is so in all its dimensions: they go together.
    clusters = [*range(len(cases))] * len(DIMENSION_NAMES)
    overall = krippendorff_alpha(pooled, scale="interval", how=_RESAMPLES, clusters=clusters)
    return PanelAgreement(overall, dimensions)


def _is_rated_twice(unit: Sequence[float | None]) -> bool:
    return sum(value is not None for value in unit) > 1


def _less(value: float | None, level: float | None) -> float | None:
    # Rounded: what floating point leaves of equal marks is no disagreement.
    return None if value is None or level is None else round(value - level, 9)
