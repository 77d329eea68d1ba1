"""Test runs of DeepEval: each test case is a run, with what its metrics decided."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.deepeval_results import CASE_LISTS, DEEPEVAL, STATUSES, WRAPPER
from assay.ingest.formats import pick_format
from assay.run import Usage


def span(**known: Any) -> dict[str, Any]:
    times = {"startTime": "2026-01-01T00:00:01Z", "endTime": "2026-01-01T00:00:03Z"}
    return {"uuid": "s1", "status": "SUCCESS", **times, **known}


METRICS = [{"name": "Relevancy", "success": True}, {"name": "Faith", "success": False}]
TOOL = {"name": "rain", "inputParameters": {"city": "Oslo"}, "output": "yes"}
CASE = {
    "name": "weather",
    "input": "Rain?",
    "actualOutput": "Yes.",
    "expectedOutput": "yes",
    "expectedTools": [TOOL],
    "toolsCalled": [TOOL, {"name": "sun"}],
    "success": False,
    "metricsData": METRICS,
}
TRACE = {
    **span(uuid="t", threadId="th"),
    "agentSpans": [span(name="agent", integration="LangGraph")],
    "llmSpans": [
        span(model="m", inputTokenCount=5, outputTokenCount=2.0),
        span(model="n", inputTokenCount=1),
    ],
    "toolSpans": [
        span(name="rain", input={"city": "Oslo"}, output="no", status="ERRORED", error="down")
    ],
}


def test_what_evaluate_returned_is_read_as_well() -> None:
    result = {
        "name": "weather",
        "input": "Rain?",
        "actual_output": "Yes.",
        "expected_output": "yes",
        "success": False,
        "metrics_data": METRICS,
    }
    made_up = recording({"test_results": [result], "confident_link": None})
    assert pick_format(made_up)[0] is DEEPEVAL
    run = read_one(DEEPEVAL, made_up)
    assert (run.input, run.actual_output, run.expected_output) == ("Rain?", "Yes.", "yes")
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "Faith failed")


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_test_case_is_a_run(wrapped: bool) -> None:
    run_file: dict[str, Any] = {"testCases": [CASE], "conversationalTestCases": []}
    made_up = recording({WRAPPER: run_file} if wrapped else run_file)
    assert pick_format(made_up)[0] is DEEPEVAL
    run = read_one(DEEPEVAL, made_up)
    assert (run.input, run.actual_output, run.task_id) == ("Rain?", "Yes.", "weather")
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("rain", {"city": "Oslo"}, "yes", 1),
        ("sun", {}, None, 2),
    ]
    assert run.expected_tools == [{"name": "rain", "input_parameters": {"city": "Oslo"}}]
    assert run.expected_output == "yes"
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "Faith failed")
    assert run.extra["metricsData"] == METRICS


def test_what_was_traced_is_told_with_times_and_failures() -> None:
    run = read_one(DEEPEVAL, recording({"testCases": [{**CASE, "trace": TRACE}]}))
    (call,) = run.calls
    assert (call.result, call.reported_success, call.error_message) == ("no", False, "down")
    assert (call.execution_time, call.success) == (2.0, False)
    assert (run.model, run.framework, run.session_id) == ("m", "LangGraph", "th")
    assert run.usage == Usage(6, 2)


@pytest.mark.parametrize(("status", "meaning"), STATUSES.items())
def test_every_status(status: str, meaning: object) -> None:
    trace = {"toolSpans": [span(name="rain", status=status)]}
    (call,) = read_one(DEEPEVAL, recording({"testCases": [{**CASE, "trace": trace}]})).calls
    assert call.reported_success is meaning


def test_a_conversation_is_told_turn_by_turn() -> None:
    turns = [
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": "Yes.", "toolsCalled": [TOOL]},
    ]
    case = {"name": "talk", "success": True, "metricsData": [], "turns": turns}
    run = read_one(DEEPEVAL, recording({"conversationalTestCases": [case]}))
    assert (run.input, run.actual_output, len(run.calls)) == ("Rain?", "Yes.", 1)


@pytest.mark.parametrize("key", CASE_LISTS)
def test_a_stranger_among_the_cases_is_reported(key: str) -> None:
    made_up = recording({key: [CASE, {"a": 1}]})
    assert problems(DEEPEVAL, made_up) == [
        "log.json:2: expected a test case of DeepEval, got dict {'a': 1}"
    ]


def test_a_file_without_cases_is_reported() -> None:
    assert problems(DEEPEVAL, recording({"testCases": []})) == [
        "log.json: expected a test run of DeepEval, got dict {'testCases': []}"
    ]


def test_two_cases_are_two_runs() -> None:
    assert len(read(DEEPEVAL, recording({"testCases": [CASE, CASE]}))) == 2
