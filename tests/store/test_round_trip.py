"""A run read back equals the run imported."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.any_records import records
from tests.store.runs import fill, run, runs, samples

from assay import (
    AgentTestCase,
    Expectations,
    MCPExecutionData,
    RunOutcome,
    Source,
    ToolExecutionResult,
    Usage,
)
from assay.errors import InvalidRecord, NotJson
from assay.store import Store
from assay.store.case_text import case_text

if TYPE_CHECKING:
    from pathlib import Path


def test_the_sample_runs_come_back_as_they_were(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    cases = samples()
    assert fill(store, cases) == (len(cases), 0)
    assert list(store.cases()) == cases


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(records(AgentTestCase), min_size=1, max_size=6))
def test_any_case_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, cases: list[AgentTestCase]
) -> None:
    store = Store.create(tmp_path_factory.mktemp("any") / "store")
    fill(store, cases, redact=False)
    expected: dict[str, AgentTestCase] = {}
    for case in cases:
        expected.setdefault(case_text(case).decode(), case)
    assert list(store.cases()) == list(expected.values())


@settings(deadline=None)
@given(records(AgentTestCase))
def test_the_text_is_the_record_without_its_source(case: AgentTestCase) -> None:
    written = case.to_dict()
    written.pop("source", None)
    assert msgspec.json.decode(case_text(case)) == written
    assert case_text(case, trusted=True) == case_text(case)


@pytest.mark.parametrize(
    "empty",
    [
        AgentTestCase("", None),
        MCPExecutionData([]),
        ToolExecutionResult("", {}),
        RunOutcome(),
        Usage(),
        Source(),
    ],
    ids=lambda empty: type(empty).__name__,
)
def test_what_a_record_leaves_out_is_always_none(empty: Any) -> None:
    left_out = {field.name for field in fields(empty)} - empty.to_dict().keys() - {"extra"}
    assert [name for name in left_out if getattr(empty, name) is not None] == []


class OwnCase(AgentTestCase):
    """Somebody's subclass."""


def test_a_case_of_a_subclass_is_the_same_run(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    case = run(1)
    own = OwnCase(**{field.name: getattr(case, field.name) for field in fields(AgentTestCase)})
    assert fill(store, [case, own]) == (1, 1)


def test_expectations_as_a_plain_dict_come_back_as_a_record(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    expected: Any = {"writes": [{"tool": "pay"}], "answer": ["42"]}
    fill(store, [run(1, expected_effects=expected)])
    (found,) = store.cases()
    assert found.expected_effects == Expectations.from_dict(expected)


def test_a_tuple_comes_back_as_a_list(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1, extra={"pair": (1, 2)})])
    (found,) = store.cases()
    assert found.extra == {"pair": [1, 2]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"extra": {"x": float("nan")}}, r"extra\.x: nan is not a JSON number"),
        ({"extra": {"x": {1: 2}}}, r"extra\.x: the key 1 is a int"),
        ({"extra": {"x": b"raw"}}, r"extra\.x: a bytes is not JSON"),
        ({"extra": {"x": "\ud800"}}, r"extra\.x: text with a lone surrogate"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_name(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as writer:
        with pytest.raises(NotJson, match=message):
            writer.add(run(1, **fields))
        assert writer.add(run(2))
    assert [case.run_id for case in store.cases()] == ["run-2"]


def test_a_field_of_a_wrong_type_is_refused_by_name(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with (
        store.writer(trusted=True) as writer,
        pytest.raises(InvalidRecord, match="model: expected"),
    ):
        writer.add(run(1, model=5))
    assert store.count() == 0


def test_numbers_too_large_for_a_column_are_kept_in_the_case(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    case = run(1, attempt=10**30)
    fill(store, [case])
    assert list(store.cases()) == [case]
    assert store.query("SELECT attempt, run_id FROM runs") == [{"attempt": None, "run_id": "run-1"}]


def test_long_texts_are_whole_in_the_case(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    case = run(1, model="m" * 5_000)
    case.input = "é" * 250_000
    fill(store, [case])
    assert list(store.cases()) == [case]
    assert store.query("SELECT length(input) AS i, length(model) AS m FROM runs") == [
        {"i": 100_000, "m": 1_000}
    ]


def test_odd_characters_come_back(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    case = run(1, model="a\x00b\u2028\U0001f600\\'\"")
    fill(store, [case])
    assert list(store.cases()) == [case]
    assert store.query("SELECT model FROM runs") == [{"model": case.model}]


def test_cases_come_in_the_order_they_were_added(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(50))
    assert [case.run_id for case in store.cases()] == [f"run-{number}" for number in range(50)]


def test_readers_cases_need_no_proof(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, samples(), trusted=True) == (20, 0)
    assert fill(store, samples()) == (0, 20)
