"""Interactions of the Gemini API, by their steps and as they were before there were steps."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.gemini_api import GEMINI_API
from assay.ingest.gemini_interactions import FAILED
from assay.run import Usage

ABOUT = {
    "object": "interaction",
    "model": "gemini-3",
    "status": "completed",
    "created": "2026-10-01T10:00:00Z",
    "updated": "2026-10-01T10:00:05Z",
}
USED = {"total_input_tokens": 10, "total_output_tokens": 5, "total_thought_tokens": 2}
THOUGHT = {"type": "thought", "summary": [{"type": "text", "text": "hm"}], "signature": "x"}
CALLED = {"type": "function_call", "id": "f1", "name": "rain", "arguments": {"city": "Oslo"}}
CAME = {"type": "function_result", "call_id": "f1", "name": "rain", "result": "no"}
REFUSED = {**CAME, "is_error": True}
SEARCHED = {"type": "google_search_call", "id": "g1", "arguments": {"queries": ["x"]}}
FOUND = {"type": "google_search_result", "call_id": "g1", "result": [{"url": "u"}]}
SERVED = {"type": "mcp_server_tool_call", "id": "m1", "name": "list", "server_name": "gh"}
LISTED = {"type": "mcp_server_tool_result", "call_id": "m1", "name": "list", "result": "[]"}
WORDS = {"type": "text", "text": "Cold."}
HOSTED = [SEARCHED, FOUND, SERVED, LISTED]
FIRST: dict[str, Any] = {
    **ABOUT,
    "id": "i1",
    "input": "Rain?",
    "steps": [THOUGHT, CALLED],
    "usage": USED,
}
SAID = {"type": "model_output", "content": [WORDS]}
SECOND = {**ABOUT, "id": "i2", "previous_interaction_id": "i1", "input": [REFUSED], "usage": USED}
OLD = {
    **ABOUT,
    "id": "i1",
    "input": [
        {"role": "user", "content": "Rain?"},
        {"role": "model", "content": [THOUGHT, CALLED]},
        {"role": "user", "content": [REFUSED]},
    ],
    "outputs": [*HOSTED, WORDS],
    "usage": {"total_input_tokens": 20, "total_output_tokens": 10, "total_reasoning_tokens": 4},
}
WHOLE = {
    **OLD,
    "input": "Rain?",
    "steps": [
        {"type": "user_input", "content": [{"type": "text", "text": "Rain?"}]},
        *(THOUGHT, CALLED, REFUSED, *HOSTED),
        SAID,
    ],
}


@pytest.mark.parametrize(
    "recorded",
    [(FIRST, {**SECOND, "steps": [*HOSTED, SAID]}), OLD, [OLD], WHOLE],
    ids=["two", "outputs", "list", "steps"],
)
def test_interactions_are_one_run(recorded: Any) -> None:
    made_up = recording(recorded)
    assert pick_format(made_up)[0] is GEMINI_API
    run = read_one(GEMINI_API, made_up)
    assert (run.run_id, run.model) == ("i1", "gemini-3")
    assert (run.input, run.actual_output) == ("Rain?", "Cold.")
    assert [(c.tool, c.server, c.turn, c.reported_success) for c in run.calls] == [
        ("rain", None, 1, False),
        ("google_search", None, 2, None),
        ("list", "gh", 3, None),
    ]
    rain, search, _ = run.calls
    assert (rain.parameters, rain.result, rain.error_message) == ({"city": "Oslo"}, "no", "no")
    assert (search.parameters, search.result) == ({"queries": ["x"]}, [{"url": "u"}])
    assert run.usage == Usage(input_tokens=20, output_tokens=10, reasoning_tokens=4)
    assert (run.started_at, run.ended_at) == (1790848800.0, 1790848805.0)
    assert (run.outcome, run.extra) == (None, {})


def test_interactions_that_name_no_other_are_runs_of_their_own() -> None:
    runs = read(GEMINI_API, recording((FIRST, {**FIRST, "id": "i9"})))
    assert [run.run_id for run in runs] == ["i1", "i9"]


@pytest.mark.parametrize("status", sorted(FAILED))
def test_an_interaction_that_failed_is_the_outcome(status: str) -> None:
    outcome = read_one(GEMINI_API, recording({**FIRST, "status": status})).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, status)


def test_what_is_unknown_is_counted_and_what_is_no_interaction_is_told() -> None:
    odd = {**FIRST, "steps": [{"type": "x_new"}, CALLED]}
    assert read_one(GEMINI_API, recording(odd)).extra == {"unread_parts": {"x_new": 1}}
    (told,) = problems(GEMINI_API, recording((FIRST, {"a": 1})))
    assert told == "log.json:2: expected an interaction with the Gemini API, got dict {'a': 1}"


@pytest.mark.parametrize("key", ["input", "steps", "usage", "created", "tools", "id", "status"])
@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [None, 7, [{}], {"type": []}], {"a": {}}])
def test_odd_values_break_nothing(key: str, odd: Any) -> None:
    assert list(GEMINI_API.read(recording({**FIRST, key: odd})))
