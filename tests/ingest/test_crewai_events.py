"""CrewAI's events become runs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.crewai_events import (
    COMPLETED,
    CREWAI,
    ENVELOPE_KEYS,
    ERRORS,
    FAILURES,
    NAME_KEYS,
    OUTPUT_KEYS,
    OWN_EVENTS,
    REASON_KEYS,
)
from assay.ingest.formats import pick_format
from assay.run import RunOutcome, Usage


def event(kind: str, second: int, **facts: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": f"2026-01-01T00:00:0{second}Z", **facts}


EVENTS: list[dict[str, Any]] = [
    event("crew_kickoff_started", 0, inputs={"city": "Oslo"}),
    event("task_started", 1, task={"description": "Find the weather"}),
    event("tool_usage_started", 2, tool_name="look", tool_args='{"city": "Oslo"}'),
    event("tool_usage_finished", 3, tool_name="look", output="rain"),
    event("tool_usage_error", 4, tool_name="ask", tool_args={"q": 1}, error="no such tool"),
    event("llm_call_completed", 5, model="m", usage={"prompt_tokens": 7, "completion_tokens": 2}),
    event("task_completed", 6, output={"raw": "It rains."}),
    event("crew_kickoff_completed", 7, output={"raw": "Rain in Oslo."}),
]


def enveloped(key: str) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"type": e["type"], "timestamp": e["timestamp"], key: {**e, "type": "inner"}}
        for e in EVENTS
    )


FORMS = {
    "lines": recording(tuple(EVENTS)),
    "list": recording(EVENTS),
    "object": recording({"events": EVENTS}),
    "nodes": recording({"nodes": {str(i): {"event": e} for i, e in enumerate(EVENTS)}}),
    **{key: recording(enveloped(key)) for key in ENVELOPE_KEYS},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_crew_is_a_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is CREWAI
    run = read_one(CREWAI, FORMS[form])
    assert [(c.tool, c.parameters, c.result, c.reported_success, c.turn) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain", True, 1),
        ("ask", {"q": 1}, "no such tool", False, 2),
    ]
    assert (run.calls[0].started_at, run.calls[0].ended_at) == (1_767_225_602, 1_767_225_603)
    assert (run.input, run.actual_output) == ("Find the weather", "Rain in Oslo.")
    assert (run.model, run.usage, run.extra) == ("m", Usage(7, 2), {"inputs": {"city": "Oslo"}})
    assert (run.started_at, run.ended_at) == (1_767_225_600, 1_767_225_607)


def test_each_kickoff_is_a_run() -> None:
    assert len(read(CREWAI, recording((*EVENTS, *EVENTS)))) == 2


@pytest.mark.parametrize("kind", sorted(FAILURES))
def test_a_crew_that_failed_is_an_outcome(kind: str) -> None:
    failed = event(kind, 8, error="no money")
    assert read_one(CREWAI, recording((*EVENTS[:4], failed))).outcome == RunOutcome(
        success=False, decided_by="crewai", reason="no money"
    )


@pytest.mark.parametrize("kind", sorted(COMPLETED))
def test_a_failure_that_was_made_good_is_none(kind: str) -> None:
    told = (*EVENTS[:4], event("llm_call_failed", 4, error="overloaded"), event(kind, 5))
    assert read_one(CREWAI, recording(told)).outcome is None


def test_what_only_went_wrong_beside_the_work_is_no_failure() -> None:
    told = (*EVENTS, event("memory_save_failed", 8, error="no disk"))
    assert read_one(CREWAI, recording(told)).outcome is None


def test_an_error_may_be_an_object() -> None:
    failed = event("tool_usage_error", 3, tool_name="look", error={"message": "no station"})
    (call,) = read_one(CREWAI, recording((*EVENTS[:3], failed))).calls
    assert (call.result, call.success) == ({"message": "no station"}, False)


@pytest.mark.parametrize("kind", sorted(OWN_EVENTS))
def test_every_event_of_its_own_is_known(kind: str) -> None:
    assert CREWAI.recognise(recording([{"type": kind}])) == 0.92


def test_what_is_no_event_is_reported_with_its_place() -> None:
    assert problems(CREWAI, recording((EVENTS[0], {"a": 1}))) == [
        "log.json:2: expected an event of CrewAI, with a type, got dict {'a': 1}"
    ]


BEGUN = EVENTS[2]


def calls_of(*told: dict[str, Any]) -> list[tuple[Any, ...]]:
    run = read_one(CREWAI, recording((EVENTS[0], *told)))
    return [(c.tool, c.result, c.reported_success, c.error_message, c.server) for c in run.calls]


@pytest.mark.parametrize("kind", sorted(ERRORS))
@pytest.mark.parametrize("begun", [(), (BEGUN,)])
def test_every_failure_of_a_tool_is_told_once(kind: str, begun: tuple[dict[str, Any], ...]) -> None:
    failed = event(kind, 3, tool_name="look", tool_args={"city": "Oslo"}, error="no station")
    again = {**failed, "type": "tool_usage_error"}
    assert calls_of(*begun, failed, again) == [("look", "no station", False, "no station", None)]


@pytest.mark.parametrize("key", REASON_KEYS)
def test_a_tool_may_say_itself_that_it_failed(key: str) -> None:
    ended = event("tool_usage_finished", 3, tool_name="look", output="?", failure={key: "shut"})
    assert calls_of(BEGUN, ended) == [("look", "?", False, "shut", None)]
    found = event("tool_failure_detected", 4, tool_name="look", failure={key: "shut"})
    assert calls_of(BEGUN, EVENTS[3], found) == [("look", "rain", False, "shut", None)]
    assert calls_of(found) == []


def mcp(kind: str, **facts: Any) -> dict[str, Any]:
    return event(f"mcp_tool_execution_{kind}", 3, server_name="yr", tool_name="look", **facts)


def test_the_server_of_a_tool_is_told_by_its_client() -> None:
    begun = {**BEGUN, "tool_name": "yr_look"}
    ended = {**EVENTS[3], "tool_name": "yr_look"}
    told = (begun, mcp("started"), mcp("completed", result="raw"), ended)
    assert calls_of(*told) == [("yr_look", "rain", True, None, "yr")]


def test_the_client_may_be_heard_after_the_tool() -> None:
    begun = {**BEGUN, "tool_name": "yr_look"}
    ended = {**EVENTS[3], "tool_name": "yr_look"}
    told = (begun, mcp("started"), ended, mcp("completed", result="raw"))
    assert calls_of(*told) == [("yr_look", "rain", True, None, "yr")]


def test_a_tool_whose_name_only_ends_alike_is_another() -> None:
    begun = {**BEGUN, "tool_name": "overlook"}
    told = (begun, mcp("started"), mcp("completed", result="rain"))
    assert calls_of(*told) == [
        ("overlook", None, None, None, None),
        ("look", "rain", True, None, "yr"),
    ]


def test_calls_that_only_the_client_of_a_server_told() -> None:
    told = (
        mcp("started"),
        mcp("completed", result="rain"),
        mcp("started"),
        mcp("failed", error="x"),
    )
    assert calls_of(*told) == [
        ("look", "rain", True, None, "yr"),
        ("look", "x", False, "x", "yr"),
    ]


@pytest.mark.parametrize("name", NAME_KEYS)
@pytest.mark.parametrize("given", OUTPUT_KEYS[1:])
def test_listeners_have_words_of_their_own(name: str, given: str) -> None:
    begun = event("tool_usage_started", 2, **{name: "look"})
    ended = event("tool_usage_finished", 3, **{name: "look", given: "rain"})
    assert calls_of(begun, ended) == [("look", "rain", True, None, None)]


def test_tools_that_were_printed_are_read_as_they_were() -> None:
    city = {"type": "string", "title": "City"}
    schema = {"properties": {"city": repr(city)}, "required": [repr("city")]}
    printed = {"name": "'rain'", "description": "'How wet?'", "parameters": repr(schema)}
    asked = event("llm_call_started", 1, tools=[{"type": "function", "function": printed}])
    run = read_one(CREWAI, recording((*EVENTS, asked)))
    meant = {"properties": {"city": city}, "required": ["city"]}
    told = {"name": "rain", "description": "How wet?", "parameters": meant}
    assert run.available_tools == [{"type": "function", "function": told}]


def test_times_agents_tools_and_totals() -> None:
    ended = event("tool_usage_finished", 9, tool_name="look", finished_at="2026-01-01T00:00:04Z")
    tool = {"type": "function", "function": {"name": "look"}}
    asked = event("llm_call_started", 1, model="m", tools=[tool])
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    done = event("crew_kickoff_completed", 9, output={"raw": "x", "token_usage": usage})
    begun = {**BEGUN, "agent_role": "Looker"}
    late = event("task_completed", 9, output={"raw": "x"})
    run = read_one(CREWAI, recording((EVENTS[0], asked, begun, ended, done, late)))
    (call,) = run.calls
    assert (call.ended_at, call.extra) == (1_767_225_604, {"agent_role": "Looker"})
    assert (run.model, run.available_tools, run.usage) == ("m", [tool], Usage(5, 1))
