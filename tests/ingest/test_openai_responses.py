"""Items of the Responses API and the Agents SDK become runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.exchanges import MOST_OPEN
from assay.ingest.formats import pick_format
from assay.ingest.openai_responses import CALLS, HOSTED, ITEM_KINDS, OPENAI_RESPONSES, STATUS
from assay.run import Usage

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

ASKED = {"role": "user", "content": "Migrate it."}


def run_of(*items: dict[str, Any]) -> AgentTestCase:
    return read_one(OPENAI_RESPONSES, recording([ASKED, *items]))


def test_functions_and_their_outputs() -> None:
    run = run_of(
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "two reads"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I"}]},
        {"type": "function_call", "call_id": "a", "name": "read", "arguments": '{"n": 1}'},
        {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{"},
        {"type": "function_call_output", "call_id": "a", "output": '{"isError": true}'},
        {"type": "function_call_output", "call_id": "b", "output": [{"type": "input_text"}]},
        {"type": "function_call", "call_id": "c", "name": "write", "arguments": ""},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And?"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Ok"}],
        },
    )
    first, second, third = run.calls
    assert (run.input, run.actual_output) == ("Migrate it.", "Ok")
    assert [call.turn for call in run.calls] == [1, 1, 2]
    assert (first.parameters, first.result) == ({"n": 1}, '{"isError": true}')
    assert (second.parameters, third.parameters) == ("{", {})
    assert (third.result, third.success) == (None, True)
    assert {call.reported_success for call in run.calls} == {None}
    assert run.conversation_history is not None
    assert run.conversation_history[1] == {
        "role": "assistant",
        "content": "I",
        "reasoning": "two reads",
        "turn": 1,
    }


def test_mcp_calls_name_their_server_and_say_how_they_went() -> None:
    run = run_of(
        {
            "type": "mcp_list_tools",
            "server_label": "db",
            "tools": [{"name": "query", "input_schema": {"type": "object"}}],
        },
        {
            "type": "mcp_call",
            "id": "1",
            "server_label": "db",
            "name": "query",
            "arguments": '{"q": 1}',
            "output": "rows",
            "status": "completed",
            "error": None,
        },
        {
            "type": "mcp_call",
            "id": "2",
            "server_label": "db",
            "name": "query",
            "arguments": "{}",
            "output": None,
            "error": {"type": "mcp_protocol_error", "code": -32602, "message": "no q"},
        },
    )
    good, bad = run.calls
    assert (good.server, good.parameters, good.result) == ("db", {"q": 1}, "rows")
    assert (good.reported_success, bad.reported_success) == (True, False)
    assert bad.error_message == "no q"
    assert bad.result == {"type": "mcp_protocol_error", "code": -32602, "message": "no q"}
    # The API ran them one after the other.
    assert (good.turn, bad.turn) == (1, 2)
    assert run.available_tools == [
        {"name": "query", "input_schema": {"type": "object"}, "server": "db"}
    ]


def test_a_refused_call_is_a_failed_call() -> None:
    asked = {"type": "mcp_approval_request", "id": "r", "server_label": "s", "name": "drop"}
    answer = {"type": "mcp_approval_response", "approval_request_id": "r", "approve": False}
    (call,) = run_of(asked, answer).calls
    assert (call.tool, call.server, call.success) == ("drop", "s", False)
    assert call.error_message == "the call was not approved"
    assert run_of(asked, {**answer, "approve": True}).calls == []


@pytest.mark.parametrize("kind", HOSTED)
def test_every_hosted_tool(kind: str) -> None:
    tool, arguments, result = HOSTED[kind]
    item = {"type": kind, "id": "h", "status": "completed"}
    if arguments:
        item[arguments] = "sent"
    if result:
        item[result] = "came back"
    (call,) = run_of(item).calls
    assert (call.tool, call.call_id, call.reported_success) == (tool, "h", True)
    assert call.parameters == ({arguments: "sent"} if arguments else {})
    assert call.result == ("came back" if result else None)


@pytest.mark.parametrize("status", STATUS)
def test_every_status(status: str) -> None:
    (call,) = run_of({"type": "web_search_call", "id": "w", "status": status, "action": {}}).calls
    assert call.reported_success is STATUS[status]


@pytest.mark.parametrize("kind", CALLS)
def test_every_call_with_an_output_of_its_own(kind: str) -> None:
    tool, arguments = CALLS[kind]
    (call,) = run_of(
        {"type": kind, "call_id": "c", "name": "own", arguments: {"x": 1}},
        {"type": f"{kind}_output", "call_id": "c", "output": "done"},
    ).calls
    assert (call.tool, call.parameters, call.result) == (tool or "own", {"x": 1}, "done")


def test_chat_messages_among_the_items() -> None:
    calls = [{"id": "t", "function": {"name": "f", "arguments": "{}"}}]
    (call,) = run_of(
        {"role": "assistant", "content": "x", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "t", "content": "y"},
    ).calls
    assert (call.tool, call.result) == ("f", "y")


def test_a_response_object() -> None:
    response = {
        "object": "response",
        "id": "resp_1",
        "model": "gpt-5",
        "created_at": 100,
        "completed_at": 104,
        "instructions": "Be brief.",
        "input": "Hi",
        "tools": [{"type": "function", "name": "f", "parameters": {}}],
        "usage": {"input_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}},
        "output": [{"type": "message", "role": "assistant", "content": "Ho"}],
        "temperature": 0,
    }
    made_up = recording((response,), "log.jsonl")
    run = read_one(OPENAI_RESPONSES, made_up)
    assert (run.input, run.actual_output, run.model) == ("Hi", "Ho", "gpt-5")
    assert (run.run_id, run.started_at, run.ended_at) == ("resp_1", 100.0, 104.0)
    assert run.usage == Usage(input_tokens=5, reasoning_tokens=2)
    assert run.available_tools == response["tools"]
    assert run.extra == {"temperature": 0}
    assert OPENAI_RESPONSES.recognise(made_up) == 1.0


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ([{"type": "web_search"}], None),
        ([{"type": "mcp", "server_label": "s"}], None),
        (None, None),
    ],
)
def test_tools_without_names_leave_the_offer_unknown(tools: Any, expected: Any) -> None:
    stored = {"object": "response", "tools": tools, "output": []}
    assert read_one(OPENAI_RESPONSES, recording(stored)).available_tools == expected


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([ASKED, {"type": "reasoning"}], "log.json"),
        ({"items": [ASKED, {"type": "reasoning"}]}, "log.json"),
        ({"data": [ASKED, {"type": "reasoning"}]}, "log.json"),
        ((ASKED, {"type": "reasoning"}), "log.jsonl"),
    ],
)
def test_every_layout(value: Any, name: str) -> None:
    made_up = recording(value, name)
    (run,) = read(OPENAI_RESPONSES, made_up)
    assert run.input == "Migrate it."
    assert OPENAI_RESPONSES.recognise(made_up) == 0.85


def test_strangers() -> None:
    assert problems(OPENAI_RESPONSES, recording(({"a": 1},), "log.jsonl")) == [
        "log.jsonl:1: expected items of the Responses API, got dict {'a': 1}"
    ]
    assert OPENAI_RESPONSES.recognise(recording([ASKED])) == 0.2
    assert OPENAI_RESPONSES.recognise(recording([])) == 0.0
    assert OPENAI_RESPONSES.recognise(recording([{"type": ["reasoning"]}])) == 0.0
    assert "function_call" in ITEM_KINDS


def test_calls_of_a_program_are_nested_below_it() -> None:
    items = [
        {"type": "program", "id": "p", "call_id": "c1", "code": "rain()"},
        {
            "type": "function_call",
            "id": "f",
            "call_id": "c2",
            "name": "rain",
            "arguments": "{}",
            "caller": {"type": "program", "caller_id": "c1"},
        },
        {"type": "program_output", "id": "o", "call_id": "c1", "result": "yes"},
    ]
    outer, inner = read_one(OPENAI_RESPONSES, recording(items)).calls
    assert (outer.tool, outer.parameters, outer.result) == ("program", "rain()", "yes")
    assert (inner.tool, inner.parent_id, inner.turn) == ("rain", "c1", None)


def test_items_of_a_kind_to_come_do_no_harm_and_are_counted() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "rain", "arguments": "{}"}
    made_up = recording([call, {"type": "teleport_call", "id": "x", "status": "completed"}])
    assert OPENAI_RESPONSES.recognise(made_up) == 0.85
    run = read_one(OPENAI_RESPONSES, made_up)
    assert (len(run.calls), run.extra["unread_items"]) == (1, {"teleport_call": 1})


def test_a_search_for_tools_tells_which_are_on_offer() -> None:
    tool = {"type": "function", "name": "rain"}
    items = [
        {"type": "tool_search_call", "id": "s", "arguments": {"query": "wet"}},
        {"type": "tool_search_output", "id": "o", "tools": [tool]},
    ]
    run = read_one(OPENAI_RESPONSES, recording(items))
    assert [(c.tool, c.parameters) for c in run.calls] == [("tool_search", {"query": "wet"})]
    assert run.available_tools == [tool]


def test_the_samples_of_a_data_set_are_no_runs() -> None:
    rows = ({"input": [{"role": "user", "content": "Rain?"}], "target": "yes"},)
    assert pick_format(recording(rows))[0] is None


def answered(number: int, **known: Any) -> dict[str, Any]:
    words = [{"type": "output_text", "text": f"Answer {number}"}]
    said = {"type": "message", "role": "assistant", "content": words}
    asked = {"model": "m", "input": f"Question {number}"}
    return {"request": asked, "response": {"object": "response", "output": [said], **known}}


def test_responses_without_an_id_do_not_go_on_with_each_other() -> None:
    runs = read(OPENAI_RESPONSES, recording(tuple(answered(i) for i in range(3))))
    told = [(run.input, run.actual_output) for run in runs]
    assert told == [(f"Question {i}", f"Answer {i}") for i in range(3)]


def test_a_response_goes_on_with_one_that_is_not_long_gone() -> None:
    others = [answered(i, id=f"r{i}") for i in range(1, 2 + MOST_OPEN)]
    last = answered(99, id="r99", previous_response_id="r0")
    near, far = (answered(0, id="r0"), last), (answered(0, id="r0"), *others, last)
    assert len(read(OPENAI_RESPONSES, recording(near))) == 1
    assert len(read(OPENAI_RESPONSES, recording(far))) == len(far)


CALLED = {"type": "function_call", "call_id": "a", "name": "add", "arguments": '{"n": 1}'}
CAME = {"type": "function_call_output", "call_id": "a", "output": "2"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "2"}]}


def rollout(output: list[Any], index: int = 0, **beside: Any) -> dict[str, Any]:
    return {
        "responses_create_params": {
            "input": [{"role": "user", "content": "Add."}],
            "tools": [{"type": "function", "name": "add"}],
            "model": None,
        },
        "response": {"object": "response", "model": "m", "output": output, "tools": []},
        "reward": 0.5,
        "agent_ref": {"name": "adder"},
        "_ng_task_index": 3,
        "_ng_rollout_index": index,
        **beside,
    }


def test_a_rollout_has_its_question_its_tools_its_reward_and_its_attempt() -> None:
    run = read_one(OPENAI_RESPONSES, recording(rollout([CALLED, CAME, SAID])))
    assert (run.input, run.actual_output, run.model) == ("Add.", "2", "m")
    assert [call.result for call in run.calls] == ["2"]
    assert [tool["name"] for tool in run.available_tools or []] == ["add"]
    assert (run.task_id, run.attempt) == ("adder/3", 1)
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.score) == (None, 0.5)


def test_rollouts_are_attempts_and_none_goes_on_with_another() -> None:
    runs = read(OPENAI_RESPONSES, recording((rollout([]), rollout([CALLED, CAME], 1, task_id="t"))))
    assert [(run.task_id, run.attempt, len(run.calls)) for run in runs] == [
        ("adder/3", 1, 0),
        ("t", 2, 1),
    ]


def test_turns_that_repeat_those_before_are_told_once() -> None:
    second = {**CALLED, "call_id": "b"}
    turns = [[CALLED, CAME], [CALLED, CAME, second, {**CAME, "call_id": "b"}, SAID]]
    run = read_one(OPENAI_RESPONSES, recording(rollout(turns)))
    assert [(call.call_id, call.result) for call in run.calls] == [("a", "2"), ("b", "2")]
    assert run.actual_output == "2"


def test_a_turn_that_begins_anew_loses_no_call() -> None:
    again = [SAID, {**CALLED, "call_id": "b"}, {**CAME, "call_id": "b"}]
    run = read_one(OPENAI_RESPONSES, recording(rollout([[CALLED, CAME], again])))
    assert [call.call_id for call in run.calls] == ["a", "b"]


def test_a_response_that_failed_is_an_outcome() -> None:
    failed = {"object": "response", "status": "failed", "output": [SAID]}
    outcome = read_one(OPENAI_RESPONSES, recording(failed)).outcome
    assert outcome is not None
    assert outcome.success is False


def test_tokens_of_a_saved_state_are_those_of_its_replies() -> None:
    item = {"type": "function_call", "callId": "c", "name": "f", "arguments": "{}"}
    state = {
        "originalInput": "Hi",
        "modelResponses": [{"usage": {"inputTokens": n, "outputTokens": 1}} for n in (3, 4)],
        "generatedItems": [{"type": "tool_call_item", "rawItem": item}],
    }
    run = read_one(OPENAI_RESPONSES, recording(state))
    assert ([c.tool for c in run.calls], run.usage) == (["f"], Usage(7, 2))
