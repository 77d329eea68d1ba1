"""smolagents: the steps of an agent's memory, and the messages made of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.smolagents import FAILED_STATES, SMOLAGENTS, STEP_LISTS
from assay.run import Usage

START = 1_767_225_600.0


def step(number: int, *calls: Any, **facts: Any) -> dict[str, Any]:
    timing = {"start_time": START + number, "end_time": START + number + 0.5, "duration": 0.5}
    usage = {"input_tokens": 10, "output_tokens": number, "total_tokens": 10 + number}
    return {
        "step_number": number,
        "timing": timing,
        "token_usage": usage,
        "tool_calls": [*calls],
        "model_output": f"step {number}",
        "observations": None,
        "error": None,
        **facts,
    }


def call(own_id: str, tool: str, arguments: Any) -> dict[str, Any]:
    return {"id": own_id, "type": "function", "function": {"name": tool, "arguments": arguments}}


FAILURE = {"type": "AgentExecutionError", "message": "no such city"}
STEPS = [
    {"system_prompt": "You are"},
    {"task": "Rain?", "task_images": None},
    {"plan": "Look, then say."},
    step(1, call("a", "rain", {"city": "Oslo"}), observations="yes"),
    step(2, call("b", "python_interpreter", "rain('X')"), error=FAILURE),
    step(3, error={"type": "AgentParsingError", "message": "no call in there"}),
    step(4, call("c", "final_answer", {"answer": "Yes."}), action_output="Yes.", observations=""),
]
RESULT = {"output": "Yes.", "state": "success", "steps": STEPS}
LOGS: dict[str, Any] = {"a list": STEPS, "lines": tuple(STEPS), "the result of a run": RESULT}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_steps_are_read(log: Any) -> None:
    made_up = recording(log, "s.jsonl" if isinstance(log, tuple) else "s.json")
    assert pick_format(made_up)[0] is SMOLAGENTS
    run = read_one(SMOLAGENTS, made_up)
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.tool, c.result, c.turn, c.reported_success) for c in run.calls] == [
        ("rain", "yes", 1, None),
        ("python_interpreter", "no such city", 2, False),
        ("final_answer", "Yes.", 3, None),
    ]
    assert run.calls[1].parameters == "rain('X')"
    assert run.calls[1].extra == {"error_type": "AgentExecutionError"}
    assert (run.calls[0].started_at, run.calls[0].ended_at) == (START + 1, START + 1.5)
    assert run.usage == Usage(input_tokens=40, output_tokens=10)
    assert run.conversation_history is not None
    assert "no call in there" in [turn["content"] for turn in run.conversation_history]


@pytest.mark.parametrize("key", STEP_LISTS)
def test_every_list_of_steps(key: str) -> None:
    assert len(read_one(SMOLAGENTS, recording({key: STEPS})).calls) == 3


@pytest.mark.parametrize("state", sorted(FAILED_STATES))
def test_a_run_that_used_up_its_steps_is_an_outcome(state: str) -> None:
    outcome = read_one(SMOLAGENTS, recording({**RESULT, "state": state})).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, state)


def said(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": words}]}


def test_messages_are_read() -> None:
    called = f"Calling tools:\n{[call('a', 'rain', {'city': 'Oslo'})]!r}"
    messages = [
        said("system", "You are"),
        said("user", "New task:\nRain?"),
        said("assistant", "I look."),
        said("tool-call", called),
        said("tool-response", "Observation:\nyes"),
        said("assistant", "Yes."),
    ]
    made_up = recording(messages)
    assert pick_format(made_up)[0] is SMOLAGENTS
    run = read_one(SMOLAGENTS, made_up)
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("rain", {"city": "Oslo"}, "yes")
    ]


def told_calls(*asked: dict[str, Any]) -> dict[str, Any]:
    return said("tool-call", f"Calling tools:\n{[*asked]!r}")


def test_what_was_observed_goes_to_no_call_of_an_earlier_step() -> None:
    run = read_one(
        SMOLAGENTS,
        recording(
            [
                said("user", "New task:\nRain?"),
                told_calls(call("a", "rain", {"city": "Oslo"}), call("b", "rain", {"city": "X"})),
                said("tool-response", "Observation:\nboth"),
                told_calls(call("c", "snow", {})),
                said("tool-response", "Observation:\nno snow"),
                said("tool-response", f"Error:\n{RAISED}"),
                said("tool-response", f"Error:\n{RAISED.replace('X', '')}".replace("''", "[")),
            ]
        ),
    )
    assert [(c.call_id, c.result, c.reported_success) for c in run.calls[:-1]] == [
        ("a", None, None),
        ("b", "both", None),
        ("c", "no snow", None),
        (None, RAISED, False),
    ]
    assert run.calls[-1].parameters == "{'city': [}"


RAISED = "Error executing tool 'rain' with arguments {'city': 'X'}: ValueError: no such city"


def test_where_one_of_several_calls_raised_the_models_reply_has_them() -> None:
    asked = [call("a", "rain", {"city": "X"}), call("b", "rain", {"city": "Oslo"})]
    reply = {"content": "Both.", "tool_calls": asked, "raw": {"model": "m"}}
    failure = {"type": "AgentToolExecutionError", "message": RAISED}
    broke = step(1, error=failure, model_output=None, model_output_message=reply)
    last = step(2, call("c", "final_answer", {"answer": "Yes."}), is_final_answer=True)
    run = read_one(SMOLAGENTS, recording([{"task": "Rain?"}, broke, last]))
    assert (run.model, run.actual_output) == ("m", "Yes.")
    assert [(c.call_id, c.turn, c.result, c.reported_success) for c in run.calls] == [
        ("a", 1, RAISED, False),
        ("b", 1, None, None),
        ("c", 2, None, None),
    ]


def test_a_message_that_tells_of_a_call_by_its_error_alone_is_a_failed_call() -> None:
    called = f"Calling tools:\n{[call('c', 'final_answer', {'answer': 'Yes.'})]!r}"
    messages = [
        said("user", "New task:\nRain?"),
        said("assistant", "Both."),
        said("tool-response", f"Error:\n{RAISED}"),
        said("tool-call", called),
        said("tool-response", "Observation:\nYes."),
    ]
    run = read_one(SMOLAGENTS, recording(messages))
    assert run.actual_output == "Yes."
    assert [(c.tool, c.parameters, c.reported_success) for c in run.calls] == [
        ("rain", {"city": "X"}, False),
        ("final_answer", {"answer": "Yes."}, None),
    ]
    assert run.calls[0].error_message == RAISED


def test_strangers_are_reported() -> None:
    assert problems(SMOLAGENTS, recording((*STEPS, {"x": 1}))) == [
        "log.json:8: expected a step of smolagents, got dict {'x': 1}"
    ]
