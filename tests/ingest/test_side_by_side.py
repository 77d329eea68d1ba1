"""Calls and results that stand side by side are put together, where it is plain how."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.generic import GENERIC
from assay.ingest.side_by_side import NAME_COLUMNS, RESULT_LISTS, SENT_COLUMNS, arranged, exchange

TWO = [{"id": "a", "name": "f", "args": {"n": 1}}, {"id": "b", "name": "g", "args": {"n": 2}}]


def results_in(value: dict[str, Any]) -> list[Any]:
    told = arranged(value)
    return [call.get("result") for call in told["calls"]]


@pytest.mark.parametrize("key", RESULT_LISTS)
def test_every_list_of_results_by_place_and_by_id(key: str) -> None:
    assert results_in({"calls": TWO, key: ["x", {"y": 1}]}) == ["x", {"y": 1}]
    assert results_in({"calls": TWO, key: {"b": "y", "a": "x"}}) == ["x", "y"]
    assert results_in({"calls": TWO, key: {"b": "y"}}) == [None, "y"]


@pytest.mark.parametrize(
    "results",
    [["x"], ["x", "y", "z"], {"a": "x", "c": "z"}, {}, [], "xy", [{"call_id": "b"}, {"id": "a"}]],
)
def test_what_does_not_fit_is_left_as_it_is(results: Any) -> None:
    value = {"calls": TWO, "results": results}
    assert arranged(value) is value


def test_two_lists_of_calls_leave_open_whose_the_results_are() -> None:
    value = {"calls": TWO, "planned": TWO, "results": ["x", "y"]}
    assert arranged(value) is value


def test_flags_beside_results_are_those_of_the_calls() -> None:
    came = [{"ok": True, "value": 7}, {"success": False, "error": "gone"}]
    told = arranged({"calls": TWO, "results": came})["calls"]
    assert (told[0]["ok"], told[0]["result"]) == (True, 7)
    assert (told[1]["success"], told[1]["error"], "result" in told[1]) == (False, "gone", False)


@pytest.mark.parametrize("names", NAME_COLUMNS)
@pytest.mark.parametrize("sent", SENT_COLUMNS)
def test_every_pair_of_columns(names: str, sent: str) -> None:
    row = {"question": "q", names: ["f", "g"], sent: [{"n": 1}, {"n": 2}], "results": ["x", "y"]}
    run = read_one(GENERIC, recording(row))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("f", {"n": 1}, "x"),
        ("g", {"n": 2}, "y"),
    ]


def test_columns_of_other_lengths_are_none() -> None:
    value = {"actions": ["f"], "inputs": [1, 2]}
    assert arranged(value) is value


def test_an_exchange_is_a_question_its_calls_and_its_answer() -> None:
    told = exchange({"user": "q", "assistant": "a", "calls": TWO, "results": ["x", "y"]})
    assert [part.get("role") or part["result"] for part in told] == ["user", "x", "y", "assistant"]
    assert exchange({"user": "bob", "assistant": {"name": "x"}}) == []


OSLO = {"city": "Oslo"}


def test_steps_keep_the_time_of_the_event_around_them_and_calls_their_own() -> None:
    lines = (
        {"timestamp": "2026-01-01T00:00:00Z", "fields": {"prompt": "Rain?"}},
        {
            "timestamp": "2026-01-01T00:00:01Z",
            "fields": {"tool_name": "rain", "arguments": '{"city": "Oslo"}'},
        },
        {
            "timestamp": "2026-01-01T00:00:02Z",
            "fields": {"tool_name": "rain", "output": "7 mm", "duration_ms": 12},
        },
    )
    run = read_one(GENERIC, recording(lines, "x.jsonl"))
    (call,) = run.calls
    assert (run.input, call.parameters, call.result) == ("Rain?", OSLO, "7 mm")
    assert (call.started_at, call.ended_at) == (1767225601.0, 1767225602.0)
    assert call.execution_time == 0.012


def test_a_run_that_says_when_it_was_made_does_not_say_that_of_its_calls() -> None:
    made = {"tool": "rain", "args": OSLO, "result": "7 mm"}
    run = read_one(GENERIC, recording({"created_at": 1767225600, "steps": [made, made]}))
    assert [call.started_at for call in run.calls] == [None, None]
    assert run.started_at == 1767225600.0
    counted = {"created_at": 1767225600, "steps": {"0": made, "1": made}}
    assert [c.started_at for c in read_one(GENERIC, recording(counted)).calls] == [None, None]


def test_ids_may_be_numbers() -> None:
    told = [
        {"type": "call", "id": 1, "fn": "rain", "params": OSLO},
        {"type": "call", "id": 2, "fn": "rain", "params": {}},
        {"type": "return", "id": 2, "data": "none"},
        {"type": "return", "id": 1, "data": "7 mm"},
        {"type": "note", "id": 1, "data": "nothing of a call"},
    ]
    run = read_one(GENERIC, recording(told))
    assert [(call.call_id, call.result) for call in run.calls] == [("1", "7 mm"), ("2", "none")]


def test_a_message_that_is_its_call_says_its_words() -> None:
    lines = (
        {"role": "human", "content": "Rain?"},
        {"role": "ai", "content": "I look.", "tool": "rain", "tool_input": OSLO},
        {"role": "tool", "content": "7 mm"},
        {"role": "ai", "content": "7 mm."},
    )
    run = read_one(GENERIC, recording(lines, "x.jsonl"))
    assert [call.result for call in run.calls] == ["7 mm"]
    assert [m["content"] for m in run.conversation_history or []] == ["Rain?", "I look.", "7 mm."]


def test_what_was_put_in_and_put_out_as_objects() -> None:
    value = {
        "inputs": {"question": "Rain?"},
        "outputs": {"answer": "7 mm."},
        "intermediate_steps": [{"tool": "rain", "tool_input": OSLO, "observation": "7 mm"}],
    }
    run = read_one(GENERIC, recording(value))
    assert (run.input, run.actual_output, len(run.calls)) == ("Rain?", "7 mm.", 1)


def test_rows_in_a_list_of_their_own_are_a_run_each() -> None:
    rows = [
        {"prompt": f"Rain {n}?", "trace": [{"tool": "rain", "args": {}, "ok": True, "data": n}]}
        for n in (1, 2)
    ]
    runs = read(GENERIC, recording({"made": "today", "runs": rows}))
    assert [(run.input, run.calls[0].result) for run in runs] == [("Rain 1?", 1), ("Rain 2?", 2)]


def test_what_is_told_differently_or_in_passing_is_left_out() -> None:
    call = {"tool": "rain", "args": OSLO, "result": "7 mm", "latency": 120}
    lines = (
        {"event": "heartbeat", "ok": True, "model": "m1"},
        {**call, "model": "m1"},
        {**call, "model": "m2"},
        {"event": "heartbeat", "passed": False},
    )
    run = read_one(GENERIC, recording(lines, "x.jsonl"))
    assert (run.model, run.outcome) == (None, None)
    assert [made.execution_time for made in run.calls] == [None, None]


def test_a_single_call_is_no_verdict_and_no_answer_of_its_run() -> None:
    call = {"tool": "rain", "args": OSLO, "result": "7 mm", "ok": True, "model": "m1"}
    run = read_one(GENERIC, recording((call,), "x.jsonl"))
    assert (run.outcome, run.actual_output, run.model) == (None, None, "m1")
    assert run.calls[0].reported_success is True
