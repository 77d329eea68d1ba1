"""The order of conversations: everything once, nobody always first, the same for one seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.arena.planning import plan, undone
from assay.arena.suite import Suite, Task

NAMES = ["a", "b", "c"]


def suite_of(tasks: int, turns: int = 1) -> Suite:
    return Suite("s", [Task(f"t{i}", ["hello"] * turns) for i in range(tasks)])


@given(
    tasks=st.integers(1, 6), agents=st.integers(1, 3), repeat=st.integers(1, 4), seed=st.integers()
)
def test_everybody_does_everything_once(tasks: int, agents: int, repeat: int, seed: int) -> None:
    planned = plan(suite_of(tasks), NAMES[:agents], repeat=repeat, seed=seed)
    held = Counter((c.task.id, c.entrant, c.attempt) for c in planned)
    assert set(held.values()) == {1}
    assert len(held) == tasks * agents * repeat
    for place in range(0, len(planned), agents):
        together = planned[place : place + agents]
        assert len({c.task.id for c in together}) == 1
        assert {c.entrant for c in together} == set(NAMES[:agents])
    assert planned == plan(suite_of(tasks), NAMES[:agents], repeat=repeat, seed=seed)


def test_nobody_is_always_first() -> None:
    planned = plan(suite_of(100), NAMES, repeat=3, seed=7)
    first = Counter(c.entrant for c in planned[::3])
    assert all(80 <= first[name] <= 120 for name in NAMES)
    assert plan(suite_of(5), NAMES, repeat=1, seed=1) != plan(suite_of(5), NAMES, repeat=1, seed=2)


def test_a_turn_is_known_by_task_agent_and_attempt() -> None:
    suite = suite_of(1, turns=2)
    one, two = plan(suite, ["a"], repeat=2, seed=0)
    assert one.run_ids == [f"s-{suite.digest}/t0.1/a/1", f"s-{suite.digest}/t0.2/a/1"]
    assert undone([one, two], one.run_ids) == [two]
    assert undone([one, two], one.run_ids[:1]) == [one, two]
    assert undone([one, two], [*one.run_ids, *two.run_ids]) == []
