"""Google ADK: sessions are runs, evaluation sets are expectations, both spellings of keys."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.adk import ADK, STATUSES, field
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def event(author: str, *parts: dict[str, Any], second: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "invocation_id": "i",
        "author": author,
        "content": {"parts": list(parts)},
        "timestamp": 1767225600.0 + second,
        **more,
    }


def call(name: str, call_id: str | None = None, **args: Any) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": args, "id": call_id}}


def answer(name: str, response: Any, call_id: str | None = None) -> dict[str, Any]:
    return {"function_response": {"name": name, "response": response, "id": call_id}}


def session(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "s1", "app_name": "shop", "events": list(events), **more}


def run_of(*events: dict[str, Any]) -> Any:
    return read_one(ADK, recording(session(*events)))


def test_a_session() -> None:
    usage = {"prompt_token_count": 10, "candidates_token_count": 2, "thoughts_token_count": 1}
    made_up = recording(
        session(
            event("user", {"text": "Find a dress"}, second=0),
            event(
                "shopper",
                {"text": "hm", "thought": True},
                {"text": "Searching."},
                call("search", "a", q="dress"),
                call("search", "b", q="skirt"),
                usage_metadata=usage,
                model_version="gemini-x",
            ),
            event(
                "shopper",
                answer("search", {"result": "none"}, "b"),
                answer("search", {"error": "404"}, "a"),
                second=3,
            ),
            event("helper", {"text": "Nothing found."}, second=4, usage_metadata=usage),
        )
    )
    assert ADK.recognise(made_up) == 1.0
    case: Any = read_one(ADK, made_up)
    assert (case.input, case.actual_output) == ("Find a dress", "Nothing found.")
    first, second = case.calls
    assert (first.turn, second.turn) == (1, 1)
    assert (first.tool, first.parameters, first.result) == (
        "search",
        {"q": "dress"},
        {"error": "404"},
    )
    assert (first.reported_success, first.success, second.result) == (
        None,
        True,
        {"result": "none"},
    )
    assert (first.started_at, first.ended_at) == (1767225601.0, 1767225603.0)
    assert (case.session_id, case.agent_id, case.model) == ("s1", "shop", "gemini-x")
    assert case.usage == Usage(input_tokens=20, output_tokens=4, reasoning_tokens=2)
    assert case.extra == {"agents": ["shopper", "helper"]}
    assert case.conversation_history[1]["reasoning"] == "hm"


def test_camel_case_keys() -> None:
    made_up = {
        "id": "s1",
        "appName": "shop",
        "events": [
            {
                "invocationId": "i",
                "author": "shopper",
                "content": {"parts": [{"functionCall": {"name": "search", "args": {"q": 1}}}]},
                "usageMetadata": {"promptTokenCount": 3},
            },
            {
                "invocationId": "i",
                "author": "shopper",
                "content": {"parts": [{"functionResponse": {"name": "search", "response": "x"}}]},
            },
        ],
    }
    assert ADK.recognise(recording(made_up)) == 1.0
    case: Any = read_one(ADK, recording(made_up))
    assert (case.calls[0].tool, case.calls[0].result) == ("search", "x")
    assert case.usage == Usage(input_tokens=3)


@pytest.mark.parametrize("around", ["test", "list", "lines"])
def test_events_without_a_session(around: str) -> None:
    sent = {"functionCall": {"name": "search", "args": {"q": "x"}, "id": "a"}}
    events = (
        {"author": "user", "invocationId": "i", "content": {"parts": [{"text": "Find x"}]}},
        {"author": "shop", "invocationId": "i", "content": {"parts": [sent]}},
        {"author": "shop", "invocationId": "i", "content": {"parts": [{"text": "Found."}]}},
    )
    values: dict[str, Any] = {"test": {"events": events}, "list": list(events), "lines": events}
    made_up = recording(values[around])
    assert ADK.recognise(made_up) == 1.0
    case = read_one(ADK, made_up)
    assert (case.input, case.actual_output) == ("Find x", "Found.")
    assert [(found.tool, found.parameters) for found in case.calls] == [("search", {"q": "x"})]


def test_a_line_among_events_that_is_none_is_reported() -> None:
    event = {"author": "user", "invocationId": "i", "content": {"parts": [{"text": "Find x"}]}}
    made_up = recording((event, event, 5))
    assert ADK.recognise(made_up) == 1.0
    problem, run = ADK.read(made_up)
    assert str(problem).startswith("log.json:3: expected an event, a session, ")
    assert str(problem).endswith(", got int 5")
    assert isinstance(run, AgentTestCase)
    assert ADK.recognise(recording((event, 5, 6))) == 0.0


def test_either_spelling() -> None:
    assert field({"eval_set_id": 1}, "eval_set_id") == 1
    assert field({"evalSetId": 2}, "eval_set_id") == 2
    assert field(None, "eval_set_id") is None


def test_results_without_ids_are_paired_by_tool_and_order() -> None:
    case = run_of(
        event("a", call("x", n=1), call("y"), call("x", n=2)),
        event("a", answer("y", "Y"), answer("x", "X1"), answer("x", "X2")),
    )
    assert [call.result for call in case.calls] == ["X1", "Y", "X2"]


def test_parts_of_a_streamed_reply_are_told_once() -> None:
    case = run_of(event("a", {"text": "Hel"}, partial=True), event("a", {"text": "Hello"}))
    assert [turn["content"] for turn in case.conversation_history] == ["Hello"]


def test_an_error_of_the_model_is_kept_but_is_no_answer() -> None:
    case = run_of(event("user", {"text": "Hi"}), event("a", error_code="429", error_message="busy"))
    assert case.actual_output is None
    assert case.conversation_history[-1] == {"role": "system", "content": "busy"}


def test_a_session_without_events_is_no_run() -> None:
    made_up = recording(session())
    assert ADK.recognise(made_up) == 1.0
    assert read(ADK, made_up) == []


def text(words: str) -> dict[str, Any]:
    return {"parts": [{"text": words}]}


INVOCATION = {
    "user_content": text("Roll a die"),
    "final_response": text("I rolled 3."),
    "intermediate_data": {"tool_uses": [{"name": "roll", "args": {"sides": 6}}]},
}


def test_an_evaluation_set_holds_expectations() -> None:
    first = {"user_content": text("Hi"), "final_response": text("Hello")}
    evalset = {
        "eval_set_id": "dice",
        "eval_cases": [{"eval_id": "roll", "conversation": [first, INVOCATION]}],
    }
    assert ADK.recognise(recording(evalset)) == 1.0
    case: Any = read_one(ADK, recording(evalset))
    assert (case.input, case.actual_output, case.expected_output) == ("Hi", None, "I rolled 3.")
    assert case.expected_tools == [{"name": "roll", "input_parameters": {"sides": 6}}]
    assert (case.task_id, case.execution_data, case.calls) == ("roll", None, [])
    assert case.extra == {"eval_set": "dice", "is_expectation": True}
    assert len(case.conversation_history) == 4


def test_what_was_called_may_stand_in_events() -> None:
    rolled = [call("roll", "a", sides=6), answer("roll", {"result": 3}, "a")]
    events = [{"author": "dicer", "content": {"parts": [part]}} for part in rolled]
    turn = {**INVOCATION, "intermediate_data": {"invocation_events": events}}
    evalset = {"eval_set_id": "e", "eval_cases": [{"eval_id": "1", "conversation": [turn]}]}
    (case,) = read(ADK, recording(evalset))
    assert case.expected_tools == [{"name": "roll", "input_parameters": {"sides": 6}}]
    result = {"eval_id": "1", "eval_metric_result_per_invocation": [{"actual_invocation": turn}]}
    run = read_one(ADK, recording({"eval_set_id": "e", "eval_case_results": [result]}))
    assert [(c.tool, c.result) for c in run.calls] == [("roll", {"result": 3})]


OLD_TURN = {
    "query": "Turn it off",
    "expected_tool_use": [{"tool_name": "set", "tool_input": {"on": False}}],
    "reference": "It is off.",
}


def test_a_user_whom_a_model_plays_has_first_words() -> None:
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Ask for more."}
    value = {
        "eval_set_id": "e",
        "eval_cases": [{"eval_id": "a", "conversation_scenario": scenario}],
    }
    assert read_one(ADK, recording(value)).input == "Hi"


def test_old_test_files() -> None:
    case: Any = read_one(ADK, recording([OLD_TURN], "lamp.test.json"))
    assert ADK.recognise(recording([OLD_TURN])) == 1.0
    assert (case.input, case.expected_output) == ("Turn it off", "It is off.")
    assert case.expected_tools == [{"name": "set", "input_parameters": {"on": False}}]
    assert case.task_id == "lamp"


def test_old_evaluation_sets() -> None:
    sets = [{"name": n, "data": [OLD_TURN], "initial_state": {"n": n}} for n in ("one", "two")]
    assert ADK.recognise(recording(sets)) == 1.0
    first, second = read(ADK, recording(sets))
    assert (first.task_id, second.task_id) == ("one", "two")
    assert first.extra["initial_state"] == {"n": "one"}
    assert first.run_id != second.run_id


@pytest.mark.parametrize(
    ("status", "success"), [*STATUSES.items(), (3, None), ({}, None), ([1], None)]
)
def test_evaluated_runs_have_an_outcome(status: object, *, success: bool | None) -> None:
    actual = {
        "user_content": text("Roll a die"),
        "final_response": text("I rolled 5."),
        "intermediate_data": {
            "tool_uses": [{"name": "roll", "args": {}, "id": "a"}],
            "tool_responses": [{"name": "roll", "response": {"result": 5}, "id": "a"}],
        },
    }
    metric = {"metric_name": "tool_trajectory_avg_score", "score": 0.5}
    results = {
        "eval_set_id": "dice",
        "eval_case_results": [
            {
                "eval_id": "roll",
                "session_id": "s1",
                "final_eval_status": status,
                "overall_eval_metric_results": [metric],
                "eval_metric_result_per_invocation": [
                    {"actual_invocation": actual, "expected_invocation": INVOCATION}
                ],
            }
        ],
    }
    assert ADK.recognise(recording(results)) == 1.0
    case: Any = read_one(ADK, recording(results))
    assert (case.actual_output, case.expected_output) == ("I rolled 5.", "I rolled 3.")
    assert case.calls[0].result == {"result": 5}
    assert (case.outcome.success, case.outcome.score) == (success, 0.5)
    assert case.outcome.decided_by == "tool_trajectory_avg_score"


@pytest.mark.parametrize("value", [{"criteria": {"x": 1}}, [], [{"name": "x", "data": []}], "x"])
def test_what_is_not_adks_is_left_alone(value: Any) -> None:
    assert ADK.recognise(recording(value)) == 0.0
    (problem,) = problems(ADK, recording(value))
    assert problem.startswith("log.json: expected an event, a session, an evaluation set or ")


def test_recorded_files_have_the_published_counts(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    runs = set()
    for path in sorted(shared("data", "google-adk").rglob("*.json")):
        found = Recording(FilePlace(path))
        counts["files"] += 1
        if not ADK.recognise(found):
            assert path.name == "test_config.json"
            counts["configurations"] += 1
            continue
        for case in read(ADK, found):
            runs.add(case.run_id)
            kind = "expectations" if case.extra.get("is_expectation") else "recorded sessions"
            counts[kind] += 1
            counts["calls"] += len(case.calls)
            counts["answered"] += sum(call.result is not None for call in case.calls)
            counts["expected tools"] += len(case.expected_tools or [])
    assert counts["files"] == 39
    assert (counts["configurations"], counts["recorded sessions"]) == (7, 5)
    assert (counts["calls"], counts["answered"]) == (32, 32)
    # One more session is a state without an event; every other file is one conversation.
    assert counts["expectations"] == 39 - 7 - 5 - 1
    assert len(runs) == 31
    assert counts["expected tools"] > 60
