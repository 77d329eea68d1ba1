"""A report reads the calls once and keeps them: its answers are those of questions asked singly."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.analyses.worked import a_run, bad, ok, store_of

from assay import Store
from assay.analyses import ANALYSES, Filters, opened
from assay.analyses.report import PARTS, answers
from assay.errors import UnknownName
from assay.store import questioning

if TYPE_CHECKING:
    from assay import AgentTestCase
    from assay.analyses import Rules

MESSAGES = ("boom", "429 too many requests", "'city' is a required property", "no such file")


def some_runs(count: int) -> list[AgentTestCase]:
    chance = Random(4)
    return [_some_run(chance, number) for number in range(count)]


def _some_run(chance: Random, number: int) -> AgentTestCase:
    calls = []
    for place in range(chance.randint(0, 7)):
        tool, server = chance.choice("abc"), chance.choice(("", "s", "Ünit", "z"))
        known = {"turn": place // 2 + 1, "parameters": {"n": chance.randint(0, 1)}}
        if chance.random() < 0.4:
            calls.append(bad(tool, chance.choice(MESSAGES), server=server, **known))
        else:
            calls.append(ok(tool, server=server, execution_time=chance.random(), **known))
    answer = chance.choice(("done", None))
    run = a_run(chance.choice(("ann", "bob")), f"t{number % 9}", *calls, answer=answer)
    if chance.random() < 0.2:
        run.task_id = run.model = None
    run.attempt = number
    return run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return store_of(tmp_path_factory.mktemp("report"), some_runs(60))


@pytest.mark.parametrize(
    "chosen", [Filters(), Filters(servers=["s", "z"]), Filters(models=["ann"])]
)
@pytest.mark.parametrize("rules", ["assay", "seed"])
def test_a_report_says_what_its_questions_say_singly(
    store: Store, rules: Rules, chosen: Filters
) -> None:
    filters = Filters(**chosen, rules=rules)
    with opened(store, filters) as view:
        found = list(answers(view, PARTS))
    assert found
    for answered in found:
        alone = answered.analysis.answer(store, **answered.section.parameters, **filters)
        assert _rounded(answered.rows) == _rounded(alone), answered.section.name


def test_sections_keep_their_order_however_they_are_asked(store: Store) -> None:
    with opened(store) as view:
        found = [answered.section.name for answered in answers(view, PARTS)]
    assert found == [section.name for part in PARTS for section in PARTS[part]]


@pytest.mark.parametrize(
    ("wrong", "error"), [({"by": "shoe size"}, UnknownName), ({"top_n": "many"}, TypeError)]
)
def test_what_fails_on_either_side_is_told_and_spoils_nothing(
    store: Store, wrong: dict[str, Any], error: type[Exception]
) -> None:
    with opened(store) as view:
        with pytest.raises(error):
            list(answers(view, ["detailed", "tool-stats"], wrong))
        assert [found.section.name for found in answers(view, ["detailed"])] == ["detailed"]


@pytest.mark.parametrize(
    "name", [name for name, known in ANALYSES.items() if "calls" in known.tables]
)
def test_every_grouping_is_the_same_over_kept_calls(store: Store, name: str) -> None:
    analysis = ANALYSES[name]
    by = next((each for each in analysis.parameters if each.name == "by"), None)
    with opened(store) as view:
        view.expect_many()
        for choice in by.choices if by else (None,):
            asked = {} if choice is None else {"by": choice}
            rows = _rounded(analysis.answer(view, **asked))
            assert rows == _rounded(analysis.answer(store, **asked))
            assert rows


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of three batches."""
    folder = tmp_path_factory.mktemp("parted")
    runs = some_runs(40)
    for few in (runs[:4], runs[4:8], runs[8:]):
        store_of(folder, few)
    return Store(folder / "runs.assay")


@pytest.mark.parametrize("at_once", [40, 7])
@pytest.mark.parametrize("rules", ["assay", "seed"])
@pytest.mark.parametrize("name", ["retry", "correction", "persistence", "episodes"])
def test_a_large_store_read_part_by_part_says_the_same(
    parted: Store, monkeypatch: pytest.MonkeyPatch, name: str, rules: Rules, at_once: int
) -> None:
    whole = ANALYSES[name].answer(parted, rules=rules)
    monkeypatch.setattr(questioning, "_MOST_CALLS_AT_ONCE", at_once)
    assert _rounded(ANALYSES[name].answer(parted, rules=rules)) == _rounded(whole)
    with parted.questions() as engine:
        parts = engine._parts()
    assert len({batch for part in parts for batch in part.batches}) == 3
    assert len(parts) > 2


def _rounded(rows: Any) -> list[dict[str, Any]]:
    """Sums of floats may be added up in another order."""
    return [
        {
            name: round(value, 12) if isinstance(value, float) else value
            for name in row.__struct_fields__
            for value in [getattr(row, name)]
        }
        for row in rows
    ]
