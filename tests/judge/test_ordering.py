"""The orders in which a judge is asked: seeded, and balanced."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.judge.prompt import USUAL_ORDER, Order, order_plan
from assay.judge.rubric import AGGREGATES, DIMENSION_NAMES, DIMENSIONS

GROUP_OF = {d.name: d.aggregate for d in DIMENSIONS}
SEEDS = range(20)


def test_a_single_run_has_the_usual_order() -> None:
    assert order_plan(1, 7) == [USUAL_ORDER]
    assert Order(DIMENSION_NAMES, (0, 1, 2, 3)) == USUAL_ORDER


def test_the_same_seed_gives_the_same_plan() -> None:
    assert order_plan(5, 1) == order_plan(5, 1)
    assert len({tuple(order_plan(5, seed)) for seed in SEEDS}) > 15


@pytest.mark.parametrize("seed", SEEDS)
def test_every_order_is_complete_and_keeps_groups_together(seed: int) -> None:
    for order in order_plan(6, seed):
        assert sorted(order.dimensions) == sorted(DIMENSION_NAMES)
        assert sorted(order.bands) == [0, 1, 2, 3]
        groups = [GROUP_OF[name] for name in order.dimensions]
        assert groups[::2] == groups[1::2]


@pytest.mark.parametrize("runs", [2, 4, 6, 10])
@pytest.mark.parametrize("seed", SEEDS)
def test_even_numbers_are_balanced(runs: int, seed: int) -> None:
    plan = order_plan(runs, seed)
    early = Counter(name for order in plan for name in order.dimensions[:3])
    assert early == dict.fromkeys(DIMENSION_NAMES, runs // 2)
    assert sum(order.high_bands_first for order in plan) == runs // 2


@pytest.mark.parametrize("seed", SEEDS)
def test_six_runs_have_every_group_at_every_place(seed: int) -> None:
    places = Counter(
        (place, GROUP_OF[name])
        for order in order_plan(6, seed)
        for place, name in enumerate(order.dimensions[::2])
    )
    assert set(places.values()) == {2}
    assert len(places) == 3 * len(AGGREGATES)
