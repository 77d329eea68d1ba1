"""Inspect logs: samples are runs, epochs attempts, scores outcomes; references are undone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.inspect_log import INSPECT, SCORE_WORDS, resolved
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVAL = {"task": "ctf", "model": "openai/x", "run_id": "r1", "task_id": "t1", "created": "2026"}
LONG = "a very long text"


def log(*samples: Any, **more: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": EVAL, "samples": list(samples), **more}


def asked(call_id: str, **sent: Any) -> dict[str, Any]:
    return {"id": call_id, "function": "bash", "arguments": sent, "type": "function"}


def answered(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "function": "bash",
        "content": content,
        **more,
    }


SAMPLE: dict[str, Any] = {
    "id": 7,
    "epoch": 2,
    "input": "Find the flag",
    "target": ["flag{1}", "flag{2}"],
    "uuid": "u7",
    "attachments": {"h1": LONG},
    "messages": [
        {"role": "system", "content": "Be a hacker"},
        {"role": "user", "content": "Find the flag"},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "look first"},
                {"type": "text", "text": "Looking."},
            ],
            "tool_calls": [asked("a", cmd="ls"), asked("b", cmd="attachment://h1")],
        },
        answered("b", "attachment://h1"),
        answered("a", "", error={"type": "timeout", "message": "took too long"}),
        {"role": "assistant", "content": "flag{1}"},
    ],
    "output": {"completion": "flag{1}", "choices": []},
    "scores": {"match": {"value": "C", "explanation": "same"}, "other": {"value": 0.5}},
    "model_usage": {
        "openai/x": {"input_tokens": 10, "output_tokens": 2, "input_tokens_cache_read": 4},
        "grader": {"input_tokens": 1, "output_tokens": 1, "total_cost": 0.25},
    },
    "started_at": "2026-01-01T00:00:00Z",
    "completed_at": "2026-01-01T00:00:09Z",
    "events": [
        {
            "event": "model",
            "tools": [{"name": "bash", "description": "tc://h1", "parameters": {}}],
        },
        {
            "event": "tool",
            "id": "a",
            "function": "bash",
            "timestamp": "2026-01-01T00:00:01Z",
            "completed": "2026-01-01T00:00:03Z",
            "working_time": 1.5,
        },
    ],
}


def sample(**more: Any) -> dict[str, Any]:
    return {"id": 1, "epoch": 1, "input": "x", "messages": [], **more}


def run_of(found: dict[str, Any]) -> Any:
    return read_one(INSPECT, recording(log(found)))


def test_a_sample() -> None:
    made_up = recording(log(SAMPLE))
    assert INSPECT.recognise(made_up) == 1.0
    case: Any = read_one(INSPECT, made_up)
    assert (case.input, case.actual_output) == ("Find the flag", "flag{1}")
    assert case.expected_output == "flag{1}\nflag{2}"
    assert (case.task_id, case.attempt, case.model) == ("ctf/7", 2, "openai/x")
    assert (case.outcome.success, case.outcome.score) == (True, 1.0)
    assert (case.outcome.decided_by, case.outcome.reason) == ("match", "same")
    assert case.outcome.extra["scores"]["other"] == {"value": 0.5}
    first, second = case.calls
    assert (first.turn, second.turn) == (1, 1)
    assert (first.reported_success, first.error_message) == (False, "took too long")
    assert first.extra == {"error_type": "timeout"}
    assert (first.execution_time, first.started_at, first.ended_at) == (
        1.5,
        1767225601.0,
        1767225603.0,
    )
    assert (second.parameters, second.result) == ({"cmd": LONG}, LONG)
    assert second.reported_success is True
    assert case.available_tools == [{"name": "bash", "description": LONG, "parameters": {}}]
    assert case.usage == Usage(input_tokens=11, output_tokens=3, cache_read_tokens=4, cost_usd=0.25)
    assert (case.started_at, case.ended_at) == (1767225600.0, 1767225609.0)
    assert case.conversation_history[2]["reasoning"] == "look first"
    assert case.extra == {"eval_run_id": "r1", "log_status": "success"}


@pytest.mark.parametrize(("word", "worth"), SCORE_WORDS.items())
def test_every_word_of_a_score(word: str, worth: tuple[bool | None, float]) -> None:
    outcome = run_of(sample(scores={"s": {"value": word}})).outcome
    assert (outcome.success, outcome.score) == worth


@pytest.mark.parametrize(
    ("value", "worth"),
    [
        (True, (True, 1.0)),
        (0, (False, 0.0)),
        (0.7, (None, 0.7)),
        (8, (None, 8.0)),
        ("YES", (True, 1.0)),
        ("maybe", (None, None)),
        ({"a": 1}, (None, None)),
        (None, (None, None)),
    ],
)
def test_every_kind_of_score(value: Any, worth: tuple[bool | None, float | None]) -> None:
    outcome = run_of(sample(scores={"s": {"value": value}})).outcome
    assert (outcome.success, outcome.score) == worth


def test_what_was_asked_is_known_without_messages_of_a_user() -> None:
    found = run_of(sample(messages=[{"role": "assistant", "content": "y"}]))
    assert (found.input, found.actual_output) == ("x", "y")


def test_a_sample_without_a_score_has_no_outcome() -> None:
    assert run_of(sample()).outcome is None
    assert run_of(sample(score={"value": "I"})).outcome.success is False


def test_a_sample_that_was_cut_off_has_no_answer() -> None:
    reply = {"role": "assistant", "content": "Let me try", "tool_calls": [asked("a")]}
    cut = sample(
        messages=[reply],
        output={"choices": [{"message": reply}]},
        limit={"type": "message", "limit": 50},
    )
    case = run_of(cut)
    assert (case.actual_output, case.extra["limit"]["limit"]) == (None, 50)


def test_an_answer_handed_in_through_a_tool_is_the_answer() -> None:
    reply = {
        "role": "assistant",
        "content": "flag{1}",
        "tool_calls": [asked("a", answer="flag{1}")],
    }
    case = run_of(sample(messages=[reply], output={"choices": [{"message": reply}]}))
    assert case.actual_output == "flag{1}"


def test_a_result_that_only_an_event_knows() -> None:
    reply = {"role": "assistant", "content": "", "tool_calls": [asked("a")]}
    event = {"event": "tool", "id": "a", "function": "bash", "result": "attachment://h1"}
    call = run_of(sample(messages=[reply], events=[event], attachments={"h1": LONG})).calls[0]
    assert (call.result, call.reported_success) == (LONG, True)


def test_calls_of_a_sub_agent_in_spans() -> None:
    events = [
        {"event": "tool", "id": "a", "function": "ask", "agent_span_id": "s1", "span_id": "s0"},
        {"event": "span_begin", "id": "s1", "parent_id": "s0"},
        {"event": "span_begin", "id": "s2", "parent_id": "s1"},
        {
            "event": "tool",
            "id": "b",
            "function": "look",
            "arguments": {"q": 1},
            "span_id": "s2",
            "error": {"type": "permission", "message": "no"},
        },
    ]
    reply = {"role": "assistant", "content": "", "tool_calls": [{**asked("a"), "function": "ask"}]}
    outer, inner = run_of(sample(messages=[reply], events=events)).calls
    assert (outer.tool, outer.parent_id, outer.turn) == ("ask", None, 1)
    assert (inner.tool, inner.parent_id, inner.parameters) == ("look", "a", {"q": 1})
    assert (inner.reported_success, inner.error_message) == (False, "no")
    assert inner.extra == {"error_type": "permission"}


def test_calls_of_a_sub_agent_in_old_logs() -> None:
    inner_event = {"event": "tool", "id": "b", "function": "look", "failed": True}
    events = [{"event": "tool", "id": "a", "function": "ask", "events": [inner_event]}]
    outer, inner = run_of(sample(events=events)).calls
    assert (outer.parent_id, inner.parent_id, inner.reported_success) == (None, "a", False)


def test_calls_that_the_provider_ran() -> None:
    part = {
        "type": "tool_use",
        "tool_type": "mcp_call",
        "id": "m1",
        "name": "search",
        "context": "deepwiki",
        "arguments": '{"q": "x"}',
        "result": "",
        "error": "not found",
    }
    call = run_of(sample(messages=[{"role": "assistant", "content": [part]}])).calls[0]
    assert (call.tool, call.server, call.parameters) == ("search", "deepwiki", {"q": "x"})
    assert (call.reported_success, call.error_message) == (False, "not found")


@pytest.mark.parametrize("pool", ["message_pool", "events_data"])
def test_messages_that_stand_only_in_a_pool(pool: str) -> None:
    pooled: Any = [
        {"role": "user", "content": "unused"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [asked("a")]},
        answered("a", "x"),
    ]
    event = {
        "event": "model",
        "input": [],
        "input_refs": [[1, 2], [2, 4], ["odd"]],
        "output": {"choices": [{"message": {"role": "assistant", "content": "Bye"}}]},
    }
    where = {pool: pooled if pool == "message_pool" else {"messages": pooled}}
    case = run_of(sample(events=[event], **where))
    assert (case.input, case.actual_output, case.calls[0].result) == ("Hi", "Bye", "x")


def test_arguments_that_could_not_be_parsed() -> None:
    call = {**asked("a"), "arguments": {}, "parse_error": "bad JSON"}
    case = run_of(sample(messages=[{"role": "assistant", "content": "", "tool_calls": [call]}]))
    assert case.calls[0].extra == {"parse_error": "bad JSON"}


def test_references_inside_anything_are_resolved() -> None:
    value = {"a": ["attachment://1", {"b": "tc://2"}, "attachment://3", 4]}
    assert resolved(value, {"1": "one", "2": "two"}) == {
        "a": ["one", {"b": "two"}, "attachment://3", 4]
    }


def test_a_sample_that_is_none_is_reported() -> None:
    told = "log.json:1: expected a sample as an object, got int 3"
    assert problems(INSPECT, recording(log(3))) == [told]


def test_a_line_that_is_no_log_is_reported_in_its_place() -> None:
    found = problems(INSPECT, recording((log(), {"a": 1}), "log.jsonl"))
    told = "expected an Inspect log with an eval section, got dict {'a': 1}"
    assert found == [f"log.jsonl:2: {told}"]


@pytest.mark.parametrize("value", [{"eval": {}}, {"version": 2, "eval": []}, [], 3])
def test_what_is_no_log_is_not_recognised(value: Any) -> None:
    assert INSPECT.recognise(recording(value)) == 0.0
    assert len(problems(INSPECT, recording(value))) == 1


def test_a_log_without_samples_has_no_runs() -> None:
    assert read(INSPECT, recording(log(samples=None))) == []


def test_recorded_logs_have_the_published_counts(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    for path in sorted(shared("data", "inspect-logs").rglob("*")):
        if path.suffix not in {".eval", ".json"}:
            continue
        found = Recording(FilePlace(path))
        if not INSPECT.recognise(found):
            counts[f"{path.suffix} of others"] += 1
            continue
        counts[f"{path.suffix} logs"] += 1
        for case in read(INSPECT, found):
            counts[f"{path.suffix} samples"] += 1
            counts[f"{path.suffix} calls"] += len(case.calls)
            failed = (call.reported_success is False for call in case.calls)
            counts[f"{path.suffix} errors"] += sum(failed)
    assert counts == {
        ".eval logs": 15,
        ".eval samples": 263,
        ".eval calls": 126,
        ".eval errors": 6,
        # The published counts are of the .eval files; of the .json files one is tau-bench's.
        ".json logs": 11,
        ".json of others": 1,
        ".json samples": 14,
        ".json calls": 4,
        ".json errors": 0,
    }


def test_outcomes_agree_with_the_accuracy_a_recorded_log_states(
    shared: Callable[..., Path],
) -> None:
    path = shared("data", "inspect-logs", "docent", "log.eval")
    cases = read(INSPECT, Recording(FilePlace(path)))
    solved = [case.outcome is not None and case.outcome.success for case in cases]
    assert (sum(map(bool, solved)), len(solved)) == (9, 15)
    errors = Counter(c.extra.get("error_type") for case in cases for c in case.calls)
    assert sum(count for kind, count in errors.items() if kind) == 6
