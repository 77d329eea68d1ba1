"""The same judge asked several times: the mean, how far it wobbles, and whether order matters."""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable
from assay.judge.asked import AskedJudge, total
from assay.judge.marks import Marks, OrderEffect, Spread
from assay.judge.ordering import Order, order_plan
from assay.judge.rubric import DIMENSION_NAMES
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from assay.judge.asked import Inquirer
    from assay.judge.marks import Judge
    from assay.judge.prompt import Inquiry
    from assay.test_case import AgentTestCase

    Middle = Callable[[Iterable[float | None]], float | None]


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
    def preparation(self) -> Inquirer | None:
        """What makes a case ready to be asked about; None for a judge that is asked otherwise."""
        return self._judge.preparation if isinstance(self._judge, AskedJudge) else None

    async def mark(self, case: AgentTestCase) -> Marks:
        """The mean marks of all runs that could be read."""
        prepare = self.preparation
        return await self.mark_prepared(case, None if prepare is None else prepare(case))

    async def mark_prepared(self, case: AgentTestCase, prepared: Inquiry | None) -> Marks:
        """The mean marks for a case that was made ready; None where that is not known of."""
        seed = self._judge.manner.seed if isinstance(self._judge, AskedJudge) else 0
        orders = order_plan(self._runs, seed)
        outcomes = await asyncio.gather(
            *self._asked(case, prepared, orders), return_exceptions=True
        )
        read: list[tuple[Order, Marks]] = []
        failed: list[BaseException] = []
        for order, outcome in zip(orders, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                failed.append(outcome)
            else:
                read.append((order, outcome))
        fatal = [exc for exc in failed if not _is_unreadable(exc)]
        if fatal or not read:
            raise (fatal or failed)[0]
        return self._summary(read, failed)

    def _asked(
        self, case: AgentTestCase, prepared: Inquiry | None, orders: Sequence[Order]
    ) -> list[Coroutine[None, None, Marks]]:
        judge = self._judge
        if prepared is None or not isinstance(judge, AskedJudge):
            return [judge.mark(case) for _ in orders]
        return [
            judge.mark_in_order(prepared, case.model, order, run=run)
            for run, order in enumerate(orders)
        ]

    def _summary(self, read: list[tuple[Order, Marks]], failed: Sequence[BaseException]) -> Marks:
        every = [marks for _, marks in read]
        found = combined(self.name, every, mean)
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


def combined(judge: str, every: Sequence[Marks], middle: Middle) -> Marks:
    """Several marks as one: the middle of each dimension, the spread, what it all cost."""
    given = {name: [marks.values.get(name) for marks in every] for name in DIMENSION_NAMES}
    return Marks(
        judge,
        {name: middle(values) for name, values in given.items()},
        _first_reasons(every),
        cost_usd=total(marks.cost_usd for marks in every),
        input_tokens=total(marks.input_tokens for marks in every),
        output_tokens=total(marks.output_tokens for marks in every),
        recalled=all(marks.recalled for marks in every),
        spread={
            name: spread
            for name, values in given.items()
            if (spread := spread_of(values)) is not None
        },
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
    marked: dict[str, str] = {}
    unmarked: dict[str, str] = {}
    for marks in every:
        for name, text in marks.reasons.items():
            (marked if name in marks.given else unmarked).setdefault(name, text)
    found = {**unmarked, **marked}
    return {name: found[name] for name in DIMENSION_NAMES if name in found}


def order_effect(read: Sequence[tuple[Order, Marks]]) -> OrderEffect:
    """What the order did to the marks, each compared with its own dimension's mean."""
    means = {name: mean(marks.values.get(name) for _, marks in read) for name in DIMENSION_NAMES}
    early: dict[bool, list[float]] = {True: [], False: []}
    high: dict[bool, list[float]] = {True: [], False: []}
    for order, marks in read:
        for place, name in enumerate(order.dimensions):
            value, middle = marks.values.get(name), means[name]
            if value is not None and middle is not None:
                early[place < len(order.dimensions) // 2].append(value - middle)
                high[order.high_bands_first].append(value - middle)
    if len({order for order, _ in read}) < 2:
        return OrderEffect()
    return OrderEffect(_difference(early), _difference(high))


def _difference(groups: dict[bool, list[float]]) -> float | None:
    with_it, without = mean(groups[True]), mean(groups[False])
    return None if with_it is None or without is None else with_it - without
