"""Executions of n8n become runs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.n8n import AGENT_TYPES, ANSWER_KEYS, FAILED, N8N, QUESTION_KEYS, USAGE_KEYS
from assay.run import RunOutcome, Usage

START = 1_767_225_600_000


def step(index: int, sent: Any = None, **data: Any) -> dict[str, Any]:
    """What a node did; `data` is told by the kind of its connection."""
    (kind, value), *_ = data.items() or [("main", None)]
    given = {} if value is None else {kind: [[{"json": value}]]}
    told = {"executionIndex": index, "startTime": START + index, "executionTime": 5}
    override = {} if sent is None else {"inputOverride": {kind: [[{"json": sent}]]}}
    return {**told, "executionStatus": "success", "data": given, **override}


def reply(index: int, text: str) -> dict[str, Any]:
    sent = {"messages": ["System: Be brief\nHuman: Rain?"], "options": {"model": "m"}}
    came = {
        "response": {"generations": [[{"text": text}]]},
        "tokenUsage": {"promptTokens": 10, "completionTokens": 2, "totalTokens": 12},
    }
    return step(index, sent, ai_languageModel=came)


LOOKED = step(3, {"query": '{"city": "Oslo"}'}, ai_tool={"response": "rain"})
FAILING = {
    **step(4, {"query": "Rome", "tool": "listen", "toolCallId": "c2"}, ai_tool=None),
    "executionStatus": "error",
    "error": {"message": "deaf"},
    "data": {"ai_tool": []},
}
RAN: dict[str, Any] = {
    "Chat": [step(0, main={"sessionId": "s", "chatInput": "Rain?"})],
    "Agent": [step(1, main={"output": "Wet."})],
    "Model": [reply(2, ""), reply(5, "Wet.")],
    "Weather": [LOOKED],
    "Ear": [FAILING],
}
NODES = [
    {"name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent", "parameters": {}},
    {
        "name": "Model",
        "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi",
        "parameters": {"model": {"value": "configured"}},
    },
]
EXECUTION: dict[str, Any] = {
    "id": 7,
    "status": "success",
    "workflowId": "w1",
    "startedAt": "2026-01-01T00:00:00Z",
    "stoppedAt": "2026-01-01T00:00:01Z",
    "workflowData": {"name": "Weather", "nodes": NODES},
    "data": {"resultData": {"runData": RAN}},
}


def execution(ran: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"data": {"resultData": {"runData": ran}}, **more}


FORMS = {
    "one": EXECUTION,
    "list": [EXECUTION],
    "lines": (EXECUTION,),
    "listed": {"data": [EXECUTION], "nextCursor": None},
    "wrapped": {"data": EXECUTION},
    "bare": {**EXECUTION, **EXECUTION["data"], "data": None},
}


@pytest.mark.parametrize("form", FORMS)
def test_an_execution_is_a_run(form: str) -> None:
    made_up = recording(FORMS[form])
    assert pick_format(made_up) == (N8N, 0.95)
    run = read_one(N8N, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Wet.", "m")
    assert [
        (c.tool, c.parameters, c.result, c.reported_success, c.error_message, c.turn)
        for c in run.calls
    ] == [
        ("Weather", {"city": "Oslo"}, "rain", True, None, 1),
        ("listen", {"query": "Rome"}, None, False, "deaf", 1),
    ]
    first = run.calls[0]
    assert (first.started_at, first.execution_time) == ((START + 3) / 1e3, 0.005)
    assert first.ended_at == pytest.approx((START + 8) / 1e3)
    assert (run.usage, run.session_id, run.task_id) == (Usage(20, 4), "7", "w1")
    assert (run.started_at, run.ended_at) == (START / 1e3, START / 1e3 + 1)
    assert (run.outcome, run.extra) == (None, {"workflow": "Weather"})


@pytest.mark.parametrize("came", [0, False, [], ""])
def test_a_result_of_nothing_much_is_a_result(came: Any) -> None:
    looked = step(3, {"query": "Oslo"}, ai_tool={"response": came})
    (call,) = read_one(N8N, recording(execution({"Weather": [looked]}))).calls
    assert call.result == came
    assert call.result is not None


@pytest.mark.parametrize("key", QUESTION_KEYS)
@pytest.mark.parametrize("is_object", [False, True])
def test_what_was_asked(key: str, is_object: bool) -> None:
    asked = {key: {"text": "Why?"} if is_object else "Why?"}
    run = read_one(N8N, recording(execution({**RAN, "Chat": [step(0, main=asked)]})))
    assert run.input == "Why?"


def test_the_model_was_asked_where_no_node_says_it() -> None:
    assert read_one(N8N, recording(execution({**RAN, "Chat": [step(0)]}))).input == "Rain?"


@pytest.mark.parametrize("key", ANSWER_KEYS)
@pytest.mark.parametrize("kind", AGENT_TYPES)
def test_what_was_answered(key: str, kind: str) -> None:
    about = {"nodes": [{"name": "Agent", "type": f"x{kind}"}]}
    ran = {**RAN, "Agent": [step(1, main={key: "So."})]}
    assert read_one(N8N, recording(execution(ran, workflowData=about))).actual_output == "So."


@pytest.mark.parametrize("key", USAGE_KEYS)
def test_tokens_are_counted_or_estimated(key: str) -> None:
    told = step(2, ai_languageModel={key: {"promptTokens": 3}})
    assert read_one(N8N, recording(execution({**RAN, "Model": [told]}))).usage == Usage(3)


def test_steps_that_an_agent_lists_count_where_the_tools_left_no_trace() -> None:
    action = {"tool": "look", "toolInput": {"a": 1}, "toolCallId": "c1"}
    listed = {"output": "x", "intermediateSteps": [{"action": action, "observation": "rain"}]}
    ran = {"Agent": [step(1, main=listed)], "Model": [reply(2, "")]}
    run = read_one(N8N, recording({**execution(ran), "workflowData": {"nodes": NODES}}))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [("look", {"a": 1}, "rain")]


def test_the_configured_model_where_no_request_was_kept() -> None:
    ran = {**RAN, "Model": [step(2, ai_languageModel={})]}
    about = {"nodes": NODES}
    assert read_one(N8N, recording(execution(ran, workflowData=about))).model == "configured"


@pytest.mark.parametrize("status", sorted(FAILED))
def test_a_failure_is_an_outcome(status: str) -> None:
    broken = execution(RAN, status=status)
    broken["data"]["resultData"]["error"] = {"message": "boom"}
    outcome = read_one(N8N, recording(broken)).outcome
    assert outcome == RunOutcome(success=False, decided_by="n8n", reason="boom")


def test_without_numbers_times_tell_the_order() -> None:
    ran = {
        node: [{key: v for key, v in each.items() if key != "executionIndex"} for each in steps]
        for node, steps in RAN.items()
    }
    assert [call.tool for call in read_one(N8N, recording(execution(ran))).calls] == [
        *("Weather", "listen")
    ]


def test_an_execution_without_a_model_is_passed_over() -> None:
    plain = execution({"Chat": RAN["Chat"]})
    (found,) = N8N.read(recording(plain))
    assert isinstance(found, Unreadable)
    assert found.kind == "passed_over"
    assert len(read(N8N, recording([EXECUTION, {**EXECUTION, "id": 8}]))) == 2


@pytest.mark.parametrize("value", [{"data": {}}, {"data": []}, {"nodes": NODES}, [1]])
def test_what_is_no_execution_is_left_alone(value: Any) -> None:
    assert N8N.recognise(recording(value)) == 0.0
    assert problems(N8N, recording([EXECUTION, 1])) == [
        "log.json:2: expected an execution with its data, got int 1"
    ]


def test_executions_without_ids_are_told_apart_by_their_places() -> None:
    alone = {key: value for key, value in EXECUTION.items() if key != "id"}
    page = {"data": [alone, alone]}
    runs = read(N8N, recording((page, page)))
    assert len({run.run_id for run in runs}) == 4
    assert [run.source and run.source.position for run in runs] == [1, 1, 2, 2]
