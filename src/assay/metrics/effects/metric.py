"""The metric: what a run did against what is expected of it, or against golden runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.evidence import (
    EffectComparison,
    RunEffects,
    best_comparison,
    compare_effects,
    read_effects,
)
from assay.expectation import Expectations
from assay.metrics.agent_case import as_agent_case
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

_INFERRED = "calls inferred from text"
# A longer id was made up by a machine and tells a reader nothing.
_LONGEST_NAME = 24
_NOTHING_EXPECTED = "nothing is expected: the case has no expectations, its task no golden run"


class _Golden(NamedTuple):
    """A golden run, how to call it, and what it did."""

    case: AgentTestCase
    name: str
    effects: RunEffects


class EffectMatch:
    """Holds what a run did against what is expected; 1 is a full match, higher is better.

    What is expected are the `expectations` given here, for all cases or by task id; else those
    of the case; else what the golden runs of its task did, of which the best match counts. None
    when nothing is known to be expected of a case, or it is the only golden run of its task.
    """

    name = "effect_match"

    def __init__(
        self,
        *,
        expectations: Expectations | Mapping[str, Expectations] | None = None,
        golden: Iterable[AgentTestCase] = (),
    ) -> None:
        """Take what is expected, and runs known to be good; both may be left out."""
        self._expectations = expectations
        self._golden: defaultdict[str, list[_Golden]] = defaultdict(list)
        for run in golden:
            case, _ = as_agent_case(run)
            known = self._golden[task_of(run)]
            known.append(_Golden(run, _name(run, len(known) + 1), read_effects(case)))

    async def evaluate(self, case: AgentTestCase) -> Score:
        """The match of one case, with every missing, extra, different and forbidden write."""
        read, inferred = as_agent_case(case)
        unknown = case.execution_data is None and not inferred
        expected = self._expected(case)
        if expected is not None and expected.states_anything:
            expected = _of_answer(expected) if unknown else expected
            if not expected.states_anything:
                return Score(self.name, None, "writes are expected, and no calls were recorded")
            found = compare_effects(read_effects(read), expected)
            return self._score(found, label=_INFERRED if inferred else "")
        return self._against_golden(case, None if unknown else read_effects(read))

    def _expected(self, case: AgentTestCase) -> Expectations | None:
        given = self._expectations
        if isinstance(given, Mapping):
            given = None if case.task_id is None else given.get(case.task_id)
        return _read(case.expected_effects if given is None else given)

    def _against_golden(self, case: AgentTestCase, effects: RunEffects | None) -> Score:
        known = self._golden.get(task_of(case), [])
        others = [one for one in known if one.case is not case and one.case != case]
        if effects is None:
            return Score(self.name, None, "no calls were recorded")
        best = best_comparison(effects, [one.effects for one in others])
        if best is None:
            problem = "this is the only golden run of its task" if known else _NOTHING_EXPECTED
            return Score(self.name, None, problem)
        place, found = best
        which = f" (the best match of {len(others)})" if len(others) > 1 else ""
        return self._score(found, against=f"against golden run {others[place].name}{which}")

    def _score(self, found: EffectComparison, *, against: str = "", label: str = "") -> Score:
        parts = tuple(
            Score(part.name, part.value, part.reason, evidence=part.evidence)
            for part in found.parts
        )
        reason = f"{found.reason}; {against}" if against else found.reason
        return Score(self.name, found.value, reason, parts, label=label)


def task_of(case: AgentTestCase) -> str:
    """What makes two runs attempts at the same: their task id, or else what was asked."""
    return case.input if case.task_id is None else case.task_id


def _read(given: Any) -> Expectations | None:
    """Expectations as they come: a plain dict will do where somebody wrote one."""
    if given is None or isinstance(given, Expectations):
        return given
    return Expectations.from_dict(given)


def _of_answer(expected: Expectations) -> Expectations:
    """What can be held against a run whose calls nobody recorded."""
    return replace(expected, writes=None, write_count=None, forbidden=None)


def _name(run: AgentTestCase, number: int) -> str:
    if run.run_id and len(run.run_id) <= _LONGEST_NAME:
        return run.run_id
    if run.attempt is None and run.model is None:
        return str(number)
    attempt = "" if run.attempt is None else f"attempt {run.attempt}"
    model = "" if run.model is None else f"of {run.model}"
    return f"{number} ({' '.join(part for part in (attempt, model) if part)})"
