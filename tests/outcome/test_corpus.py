"""The labelled corpus: what the rules must reach on recorded calls that they were not fitted to."""

from __future__ import annotations

from functools import cache

import pytest
from bench.outcome import GOALS, Tally, labelled, rules, tallies, together
from tests.conftest import shared_path


@cache
def whole(*, flags: bool) -> Tally:
    shared_path("corpus", "labelled.jsonl")
    return together(tallies(labelled(), flags=flags).values())


@pytest.mark.parametrize("flags", [False, True])
@pytest.mark.parametrize("figure", GOALS)
def test_the_goals_are_met(figure: str, flags: bool) -> None:
    assert getattr(whole(flags=flags), figure) >= GOALS[figure]


def test_the_blame_is_right_more_often_than_always_the_model() -> None:
    found = whole(flags=False)
    assert found.blame > found.model_blamed / found.blame_known


def test_no_source_has_many_false_alarms() -> None:
    shared_path("corpus", "labelled.jsonl")
    by_source = tallies(labelled(), flags=True)
    assert {name for name, found in by_source.items() if found.precision < 0.9} == set()


def test_each_rule_is_right() -> None:
    shared_path("corpus", "labelled.jsonl")
    wrong = {name for name, rule in rules().items() if rule.right < 0.9 * rule.labelled}
    assert wrong == set()
