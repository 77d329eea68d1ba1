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
from assay.errors import AssayError, InvalidRecord, NotJson
from assay.outcome import settle
from assay.store import Store
from assay.store.case_text import _MOST_SKETCHES, case_text, written_case
from assay.store.tables import run_key

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
    assert written_case(case, trusted=True).text == case_text(case)


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


def _settled(case: AgentTestCase) -> AgentTestCase:
    for call in case.calls:
        call.success_rule = None
    return settle(case)


@settings(deadline=None)
@given(records(AgentTestCase).map(_settled))
def test_what_a_reader_read_is_written_to_the_letter_as_what_is_proven(case: AgentTestCase) -> None:
    quick, proven = written_case(case, trusted=True), written_case(case)
    assert (quick.text, quick.recorded) == (proven.text, proven.recorded)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(records(AgentTestCase).map(_settled), min_size=1, max_size=6))
def test_rows_are_the_same_whether_from_a_case_or_from_its_text(
    tmp_path_factory: pytest.TempPathFactory, cases: list[AgentTestCase]
) -> None:
    told = []
    for trusted in (True, False):
        store = Store.create(tmp_path_factory.mktemp("rows") / "store")
        fill(store, cases, redact=False, trusted=trusted)
        told.append([store.query(f"SELECT * FROM {table}") for table in ("runs", "calls")])
    assert told[0] == told[1]


def test_verdicts_are_left_out_of_what_makes_a_run_the_same() -> None:
    """The text that runs are known by, to the letter: stores are full of its digests."""
    calls = [
        ToolExecutionResult("a", {"x": 1}, "Error: no", success=False, error_message="no"),
        ToolExecutionResult("b", {}, "Error: no", extra={"seen": 1, "odd key": None}),
        ToolExecutionResult("c", {}, "fine", success=True, success_rule=None),
    ]
    for call in calls[:2]:
        call.success_rule, call.error_message = "error_prefix", "Error: no"
    case = AgentTestCase("q", "a", execution_data=MCPExecutionData(calls))
    for told in (written_case(case, trusted=True), written_case(case)):
        _, _, listed = told.recorded.decode().partition('"tool_executions":')
        assert listed.startswith(
            '[{"tool":"a","parameters":{"x":1},"result":"Error: no","success":null,"server":null,'
            '"execution_time":null,"error_message":null},'
            '{"tool":"b","parameters":{},"result":"Error: no","server":null,'
            '"execution_time":null,"seen":1,"odd key":null},'
            '{"tool":"c","parameters":{},"result":"fine","success":true,"server":null,'
            '"execution_time":null,"error_message":null}],"total_rounds":1,'
        )
        assert run_key(told.recorded) == "1ca357512e2db8ea8f3d3659957f64dd"


@pytest.mark.parametrize("name", ["source", "context", "comments", "schema_version"])
def test_a_run_is_known_without_what_stores_did_not_keep_of_it(name: str) -> None:
    case, fuller = run(1, extra={"mood": 1}), run(1, extra={"mood": 1, f"recorded_{name}": 5})
    for trusted in (True, False):
        plain, told = (written_case(item, trusted=trusted) for item in (case, fuller))
        assert told.recorded == plain.recorded
        assert told.text != plain.text


def test_a_fact_that_is_read_as_ours_makes_the_run_it_made(tmp_path: Path) -> None:
    call = ToolExecutionResult("t", {}, "Error: no")
    data = MCPExecutionData([call])
    case = settle(AgentTestCase("q", "a", model="m", execution_data=data, extra={"attempt": 2}))
    told = written_case(case, trusted=True)
    assert told.recorded.endswith(b'"model":"m","attempt":2}')
    assert told.calls is None
    store = Store.create(tmp_path / "store")
    fill(store, [case], trusted=True)
    assert store.query("SELECT attempt FROM runs UNION ALL SELECT attempt FROM calls") == [
        {"attempt": 2},
        {"attempt": 2},
    ]


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "é", "class", "", "__init__", "self"])
def test_any_text_may_be_the_name_of_another_fact(name: str) -> None:
    call = ToolExecutionResult("t", {}, "Error: no", execution_time=2, extra={name: 1})
    case = settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call]), extra={name: 1}))
    quick = written_case(case, trusted=True)
    assert AgentTestCase.from_json(quick.text) == case
    assert b'"execution_time":2,' in quick.recorded
    assert b'"success' not in quick.recorded


def test_any_number_of_kinds_of_other_fields_is_written(tmp_path: Path) -> None:
    cases = [
        run(
            n,
            extra={f"own {n}": n},
            execution_data=MCPExecutionData([ToolExecutionResult("t", {}, extra={f"k{n}": n})]),
        )
        for n in range(_MOST_SKETCHES + 20)
    ]
    for case in cases:
        assert written_case(case, trusted=True)[:2] == written_case(case)[:2]
    store = Store.create(tmp_path / "store")
    fill(store, cases, trusted=True)
    assert list(store.cases()) == cases


@pytest.mark.parametrize(
    "fields",
    [
        {"attempt": "3"},
        {"attempt": True},
        {"started_at": "now"},
        {"extra": {5: "five"}},
        {"execution_data": MCPExecutionData([ToolExecutionResult("t", {}, turn="1")])},  # type: ignore[arg-type]
        {"execution_data": MCPExecutionData([ToolExecutionResult(None, {})])},  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_a_field_of_a_wrong_type_is_refused_though_it_is_trusted(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer(trusted=True) as writer, pytest.raises(AssayError):
        writer.add(run(1, **fields))
    assert store.count() == 0


def test_readers_cases_need_no_proof(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, samples(), trusted=True) == (20, 0)
    assert fill(store, samples()) == (0, 20)
