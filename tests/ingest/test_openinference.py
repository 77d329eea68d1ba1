"""Runs out of OpenInference spans, worked out by hand and held to recorded ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.openinference import KINDS, OPENINFERENCE, USAGE, step_of
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.span_dialects import KIND, POSTHOG_FACTS, patched
from assay.ingest.spans import SPAN_KINDS, Event, Span
from assay.run import RunOutcome, Usage
from assay.test_case import AgentTestCase

Shared = Callable[..., Path]
# Runs, calls, and how many of the calls have a span of their own.
STRANDS_FILES = {
    "claude_adot_spans": (1, 4, 4),
    "claude_live_spans": (1, 6, 6),
    "openai_agents_openinference_adot_spans": (1, 3, 2),
    "openai_agents_openinference_live_spans": (1, 4, 4),
    "openinference_adot_spans": (2, 1, 1),
    "openinference_live_spans": (1, 2, 1),
    "smolagents_live_spans": (1, 2, 2),
}
PHOENIX_FILES = {
    "pxi_suggestion_traces": (3, 12),
    "pxi_turn_subagent_trace": (1, 18),
    "pxi_turn_trace": (1, 8),
}


def read(path: Path) -> list[AgentTestCase]:
    found = list(OPENINFERENCE.read(Recording(FilePlace(path))))
    cases = [case for case in found if isinstance(case, AgentTestCase)]
    assert len(cases) == len(found), found
    return cases


def span(span_id: str, kind: str, at: int, **attributes: Any) -> dict[str, Any]:
    start = f"2026-01-01T00:00:{at:02}+00:00"
    return {
        "name": span_id,
        "context": {"trace_id": "t", "span_id": span_id},
        "span_kind": kind,
        "parent_id": None if span_id == "turn" else "turn",
        "start_time": start,
        "end_time": start,
        "status_code": attributes.pop("status", "OK"),
        "status_message": attributes.pop("message", ""),
        "attributes": attributes.pop("attributes", attributes),
    }


def tool_step(**attributes: Any) -> Any:
    known = {"openinference.span.kind": "TOOL", "tool.name": "look", **attributes}
    return step_of(Span("t", "s", "n", known)).call


def test_a_run_as_phoenix_keeps_it(tmp_path: Path) -> None:
    asked = "llm.output_messages.0.message.tool_calls.0.tool_call"
    spans = [
        span(
            "turn",
            "AGENT",
            0,
            attributes={"input.value": "Go", "output.value": "Done", "session.id": "s1"},
        ),
        span(
            "llm",
            "LLM",
            1,
            attributes={
                "llm.model_name": "m-1",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "Go",
                "llm.output_messages.0.message.role": "assistant",
                f"{asked}.id": "c1",
                f"{asked}.function.name": "look",
                f"{asked}.function.arguments": '{"at": 1}',
                "llm.token_count.prompt": 11,
                "llm.tools.0.tool.json_schema": '{"name": "look"}',
            },
        ),
        span(
            "look",
            "TOOL",
            2,
            status="ERROR",
            message="gone",
            attributes={
                "tool.name": "look",
                "tool.id": "c1",
                "input.value": '{"at": 1}',
                "output.value": "no",
            },
        ),
    ]
    path = tmp_path / "phoenix.json"
    path.write_bytes(msgspec.json.encode(spans))
    [case] = read(path)
    assert (case.input, case.actual_output, case.session_id) == ("Go", "Done", "s1")
    assert (case.model, case.usage) == ("m-1", Usage(input_tokens=11))
    assert case.available_tools == [{"name": "look"}]
    [call] = case.calls
    assert (call.tool, call.parameters, call.result, call.call_id) == (
        "look",
        {"at": 1},
        "no",
        "c1",
    )
    assert (call.reported_success, call.success, call.error_message) == (False, False, "gone")
    assert call.turn == 1


def test_the_schema_of_a_tool_is_not_its_arguments() -> None:
    schema = '{"type": "object", "properties": {"at": {"type": "integer"}}}'
    assert tool_step(**{"tool.parameters": schema}).parameters == {}
    assert tool_step(**{"tool.parameters": '{"at": 1}'}).parameters == {"at": 1}
    assert tool_step(**{"tool.parameters": schema, "input.value": '{"at": 1}'}).parameters == {
        "at": 1
    }


def test_arguments_by_place_and_by_name() -> None:
    declared = '{"query": {"type": "string"}, "limit": {"type": "integer"}}'
    sent = '{"args": ["cats", 3], "sanitize": false, "kwargs": {"page": 2}}'
    named = tool_step(**{"tool.parameters": declared, "input.value": sent})
    assert named.parameters == {"query": "cats", "limit": 3, "page": 2}
    assert tool_step(**{"input.value": sent}).parameters == {"arg0": "cats", "arg1": 3, "page": 2}
    assert tool_step(**{"input.value": "{'q': 'cats'}"}).parameters == {"q": "cats"}
    assert tool_step(**{"input.value": "redacted"}).parameters == "redacted"


def test_a_result_is_taken_out_of_its_message() -> None:
    message = '{"content": "found", "tool_call_id": "c9", "status": "error", "name": "look"}'
    call = tool_step(**{"output.value": message})
    assert (call.result, call.call_id, call.reported_success) == ("found", "c9", False)
    response = '{"id": "c9", "name": "look", "response": {"n": 1}}'
    assert tool_step(**{"output.value": response}).result == {"n": 1}


@pytest.mark.parametrize(("kind", "role"), KINDS.items())
def test_every_kind(kind: str, role: str) -> None:
    assert step_of(Span("t", "s", "n", {KIND: kind})).role == role
    assert step_of(Span("t", "s", "n", {KIND: kind.lower()})).role == role
    assert kind in SPAN_KINDS


@pytest.mark.parametrize(
    ("field", "key"), [(field, key) for field, keys in USAGE.items() for key in keys]
)
def test_every_count(field: str, key: str) -> None:
    usage = step_of(Span("t", "s", "n", {KIND: "LLM", key: 7})).usage
    assert usage == Usage(**{field: 7})  # type: ignore[arg-type]  # a field of numbers


def test_spans_of_another_kind_are_read_by_otels_conventions() -> None:
    assert step_of(Span("t", "s", "n", {"gen_ai.operation.name": "chat"})).role == "model"
    assert step_of(Span("t", "s", "n", {KIND: "RETRIEVER"})).role == "other"


@pytest.mark.parametrize(
    ("told", "said", "role"),
    [
        ("Hi", '{"generations": [[{"text": "Ho"}]]}', "model"),
        ("{'at': 1}", '{"name": "look", "content": "x", "tool_call_id": "c1"}', "tool"),
        ('{"messages": []}', '{"messages": [{"content": "Ho", "type": "ai"}]}', "agent"),
        ('{"messages": [], "remaining_steps": 9}', '{"messages": []}', "chain"),
        ("x", "__end__", "other"),
    ],
)
def test_content_that_was_moved_into_an_event(told: str, said: str, role: str) -> None:
    body = {"input": {"messages": [{"content": told}]}, "output": {"messages": [{"content": said}]}}
    span = Span("t", "s", "n", {}, events=[Event("x", {}, body)], scope="openinference.x")
    assert step_of(span).role == role


def test_a_call_that_only_a_plan_tells_of(tmp_path: Path) -> None:
    """BeeAI's spans: the plan grows, the tool's events lie below, the last has the result."""
    plan = {"target": "agent.react.update", "tool.name": "Wiki"}
    grown = {**plan, "tool.parameters": '{"q": "cats"}'}
    event = {"tool.parameters": '{"q": "cats", "full": false}'}
    spans = [
        span("turn", "AGENT", 0),
        span("u1", "AGENT", 1, attributes={**plan, "tool.parameters": "null"}),
        span("u2", "AGENT", 2, attributes=grown),
        {
            **span("e1", "TOOL", 3, attributes={**event, "target": "tool.wiki.start"}),
            "parent_id": "u2",
        },
        {
            **span(
                "e2",
                "TOOL",
                4,
                attributes={**event, "target": "tool.wiki.success", "output.value": "meow"},
            ),
            "parent_id": "u2",
        },
        span("u3", "AGENT", 5, attributes={**grown, "output.value": "meow"}),
    ]
    path = tmp_path / "beeai.json"
    path.write_bytes(msgspec.json.encode(spans))
    [case] = read(path)
    [call] = case.calls
    assert (call.tool, call.parameters, call.result) == ("Wiki", {"q": "cats"}, "meow")
    assert (call.execution_time, call.ended_at) == (None, None)


def test_an_event_of_a_tool_without_a_plan() -> None:
    done = {KIND: "TOOL", "target": "tool.search.wiki.success", "tool.parameters": '{"q": 1}'}
    call = step_of(Span("t", "s", "n", done)).call
    assert call is not None
    assert (call.tool, call.parameters) == ("search.wiki", {"q": 1})
    assert (
        step_of(Span("t", "s", "n", {**done, "target": "tool.search.wiki.start"})).role == "other"
    )


@pytest.mark.parametrize("name", STRANDS_FILES)
def test_strands_counts(shared: Shared, name: str) -> None:
    path = shared("data", "strands-evals-otel-spans", "mappers", "fixtures", f"{name}.json")
    assert OPENINFERENCE.recognise(Recording(FilePlace(path))) == 0.95
    cases = read(path)
    calls = [call for case in cases for call in case.calls]
    timed = [call for call in calls if call.execution_time is not None]
    assert (len(cases), len(calls), len(timed)) == STRANDS_FILES[name]
    assert all(case.input and case.actual_output for case in cases)


def test_strands_sub_agents(shared: Shared) -> None:
    folder = shared("data", "strands-evals-otel-spans", "mappers", "fixtures")
    [case] = read(folder / "claude_live_spans.json")
    made = [
        (call.tool, call.turn, (call.parent_id or "").removeprefix("toolu_mock_agent_"))
        for call in case.calls
    ]
    assert made == [
        ("Agent", 1, ""),
        ("Agent", 1, ""),
        ("Bash", 2, "ny"),
        ("Bash", 3, "seattle"),
        ("Agent", 4, ""),
        ("Bash", 5, "math"),
    ]
    [case] = read(folder / "openai_agents_openinference_adot_spans.json")
    handed = [(call.tool, call.reported_success, call.turn) for call in case.calls]
    assert handed == [
        ("transfer_to_math_specialist", False, 1),
        ("transfer_to_research_specialist", None, 1),
        ("multiply_numbers", True, 2),
    ]


@pytest.mark.parametrize("name", PHOENIX_FILES)
def test_phoenix_counts(shared: Shared, name: str) -> None:
    path = shared("data", "phoenix-spans", f"{name}.json")
    assert OPENINFERENCE.recognise(Recording(FilePlace(path))) == 0.95
    cases = read(path)
    assert (len(cases), sum(len(case.calls) for case in cases)) == PHOENIX_FILES[name]


def test_phoenix_failures_and_sub_agents(shared: Shared) -> None:
    [case] = read(shared("data", "phoenix-spans", "pxi_turn_trace.json"))
    assert [call.tool for call in case.calls if call.reported_success is False] == [
        "add_spans_to_dataset"
    ]
    [case] = read(shared("data", "phoenix-spans", "pxi_turn_subagent_trace.json"))
    outer, *inner = case.calls
    assert (outer.tool, outer.parent_id) == ("call_subagent", None)
    assert {call.parent_id for call in inner} == {outer.call_id}
    cases = read(shared("data", "phoenix-spans", "pxi_suggestion_traces.json"))
    assert [case.outcome for case in cases] == [
        None,
        RunOutcome(success=False, decided_by="span status"),
        None,
    ]


def test_a_batch_of_langsmith_begins_runs_in_one_list_and_ends_them_in_another() -> None:
    begun = {
        "id": "r1",
        "trace_id": "r1",
        "name": "ChatOpenAI",
        "run_type": "llm",
        "start_time": "2026-01-01T00:00:00Z",
        "inputs": {"messages": [{"role": "user", "content": "Rain?"}]},
        "outputs": {},
    }
    said = {"role": "assistant", "content": "Yes."}
    usage = {"input_tokens": 9, "output_tokens": 2}
    ended = {
        "id": "r1",
        "end_time": "2026-01-01T00:00:02Z",
        "outputs": {"choices": [{"message": said}], "usage_metadata": usage},
    }
    made_up = recording({"post": [begun], "patch": [ended]})
    assert pick_format(made_up)[0] is OPENINFERENCE
    run = read_one(OPENINFERENCE, made_up)
    assert (run.input, run.actual_output, run.usage) == ("Rain?", "Yes.", Usage(9, 2))
    assert run.ended_at == 1_767_225_602


def test_a_run_of_langsmith_that_said_nothing_but_what_it_cost() -> None:
    run = {"id": "r1", "trace_id": "r1", "name": "agent", "run_type": "chain", "outputs": None}
    asked = {"id": "r2", "run_type": "llm", "parent_run_id": "r1", "total_cost": "0.25"}
    outer = {**run, "inputs": {"input": "Rain?"}}
    case = read_one(OPENINFERENCE, recording((outer, {**outer, **asked})))
    assert (case.actual_output, case.usage) == (None, Usage(cost_usd=0.25))


@pytest.mark.parametrize("key", ["cost", "estimated_cost"])
def test_what_a_row_of_braintrust_cost(key: str) -> None:
    row = {"span_id": "a", "root_span_id": "a", "span_attributes": {"type": "llm", "name": "m"}}
    metrics = {"start": 1.0, "end": 2.0, "prompt_tokens": 9, key: 0.25}
    made_up = recording([{**row, "metrics": metrics, "input": "Rain?", "output": "Yes."}])
    assert read_one(OPENINFERENCE, made_up).usage == Usage(input_tokens=9, cost_usd=0.25)


@pytest.mark.parametrize("own", [None, [], {"a": 1}, 5])
def test_runs_of_a_batch_without_an_id_are_not_taken_for_one(own: Any) -> None:
    batch = {"post": [{"id": own, "name": "a"}, {"id": own, "name": "b"}], "patch": [{"id": own}]}
    assert len(patched(batch)["spans"]) == 3


def test_a_tool_of_langsmith_may_have_said_one_word() -> None:
    run: dict[str, Any] = {
        "id": "r1",
        "trace_id": "r1",
        "name": "agent",
        "run_type": "chain",
        "start_time": "2026-01-01T00:00:00",
        "inputs": {"input": "Rain?"},
        "outputs": {"output": "yes"},
    }
    used = {**run, "id": "r2", "name": "look", "run_type": "tool", "parent_run_id": "r1"}
    case = read_one(OPENINFERENCE, recording((run, {**used, "inputs": {"city": "Oslo"}})))
    assert (case.input, case.actual_output) == ("Rain?", "yes")
    assert [(c.tool, c.parameters, c.result) for c in case.calls] == [
        ("look", {"city": "Oslo"}, "yes")
    ]


def posthog(second: int, asked: list[Any], said: list[Any], **more: Any) -> dict[str, Any]:
    told = {"$ai_trace_id": "t1", "$ai_model": "m", "$ai_latency": 0.5, "$ai_input": asked}
    counts = {"$ai_input_tokens": 10, "$ai_output_tokens": 2}
    reply = [{"role": "assistant", "content": said}]
    properties = {**told, **counts, "$ai_output_choices": reply, **more}
    at = f"2026-01-01T00:00:0{second}Z"
    return {"event": "$ai_generation", "timestamp": at, "properties": properties}


def test_events_of_posthog_are_spans() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = {"role": "user", "content": "Rain?"}
    earlier = [asked, {"role": "assistant", "content": None, "tool_calls": [call]}]
    seen = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    made_up = recording(
        (
            posthog(1, [asked], [call], **{"$ai_tools": [tool]}),
            posthog(3, [*earlier, seen], [{"type": "text", "text": "Yes."}]),
        )
    )
    assert pick_format(made_up)[0] is OPENINFERENCE
    run = read_one(OPENINFERENCE, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [("look", {}, "rain")]
    assert (run.usage, run.started_at, run.ended_at) == (
        Usage(20, 4),
        1_767_225_600.5,
        1_767_225_603,
    )


def posthog_step(name: str, own: str, parent: str, **told: Any) -> dict[str, Any]:
    about = {"$ai_trace_id": "t1", "$ai_span_id": own, "$ai_parent_id": parent}
    properties = {**about, "$ai_span_name": name, **told}
    return {"event": "$ai_span", "timestamp": "2026-01-01T00:00:02Z", "properties": properties}


def test_steps_of_posthog_are_calls_only_where_a_tool_was_asked_for() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = [{"role": "user", "content": "Rain?"}]
    tool = posthog_step("look", "s3", "s2", **{"$ai_output_state": "rain"})
    around = posthog_step("tools", "s2", "t1", **{"$ai_output_state": {"messages": []}})
    beside = posthog_step("should_continue", "s4", "t1", **{"$ai_output_state": "end"})
    told = [posthog(1, asked, [call]), around, tool, beside]
    run = read_one(OPENINFERENCE, recording(told))
    assert [(c.tool, c.result) for c in run.calls] == [("look", "rain")]
    # Where nothing says what was asked for, whatever contains nothing may be a tool.
    run = read_one(OPENINFERENCE, recording([posthog(1, asked, []), *told[1:]]))
    assert {c.tool for c in run.calls} == {"look", "should_continue"}


def test_posthog_writes_properties_as_text_and_replies_in_choices() -> None:
    said = posthog(1, [{"role": "user", "content": "Rain?"}], [{"type": "text", "text": "Yes."}])
    choices = [{"message": said["properties"]["$ai_output_choices"][0]}]
    told = {**said["properties"], "$ai_output_choices": choices}
    run = read_one(OPENINFERENCE, recording(({**said, "properties": json.dumps(told)},)))
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")


@pytest.mark.parametrize(("theirs", "ours"), POSTHOG_FACTS)
def test_every_count_of_posthog(theirs: str, ours: str) -> None:
    asked = [{"role": "user", "content": "Rain?"}]
    run = read_one(OPENINFERENCE, recording((posthog(1, asked, [], **{theirs: 3}),)))
    (field,) = (name for name, keys in USAGE.items() if ours in keys)
    assert run.usage is not None
    assert getattr(run.usage, field) == 3


@pytest.mark.parametrize(
    ("error", "words"), [("shut", "shut"), ('{"message": "shut"}', "shut"), (None, "failed")]
)
def test_what_failed_at_posthog_says_why(error: str | None, words: str) -> None:
    asked = [{"role": "user", "content": "Rain?"}]
    failed = posthog_step("look", "s1", "t1", **{"$ai_is_error": True, "$ai_error": error})
    (call,) = read_one(OPENINFERENCE, recording([posthog(1, asked, []), failed])).calls
    assert (call.reported_success, call.error_message) == (False, words)


def test_other_events_of_posthog_are_none() -> None:
    page = {"event": "$pageview", "timestamp": "2026-01-01T00:00:00Z", "properties": {"a": 1}}
    assert OPENINFERENCE.recognise(recording((page, page))) == 0.0
