"""Calls of voice agents: three vendors' records, turn by turn, and what webhooks send of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.voice_calls import VOICE_CALLS
from assay.ingest.voice_facts import VERDICTS
from assay.run import Usage


def eleven(role: str, words: str | None, at: int, **more: Any) -> dict[str, Any]:
    return {
        "role": role,
        "message": words,
        "time_in_call_secs": at,
        "tool_calls": [],
        "tool_results": [],
        **more,
    }


BOOKING = {"tool_name": "book", "request_id": "r1", "params_as_json": '{"day": "Monday"}'}
REFUSAL = {"tool_name": "book", "request_id": "r1", "result_value": "full", "is_error": True}
TOKENS = {"model_usage": {"m": {"input": {"tokens": 9}, "output_total": {"tokens": 4}}}}
ELEVENLABS = {
    "conversation_id": "c1",
    "agent_id": "a1",
    "transcript": [
        eleven("agent", "Good day!", 0),
        eleven("user", "A table for Monday.", 3),
        eleven("agent", None, 5, tool_calls=[BOOKING], llm_usage=TOKENS),
        eleven("agent", None, 6, tool_results=[{**REFUSAL, "tool_latency_secs": 0.5}]),
        eleven("agent", "Monday is full.", 8),
    ],
    "metadata": {"start_time_unix_secs": 1700000000, "call_duration_secs": 20},
    "analysis": {"call_successful": "failure"},
}
RETELL = {
    "call_id": "c2",
    "start_timestamp": 1700000000000,
    "end_timestamp": 1700000020000,
    "transcript_object": [{"role": "agent", "content": "Good day!"}],
    "transcript_with_tool_calls": [
        {"role": "agent", "content": "Good day!", "words": []},
        {"role": "user", "content": "A table for Monday.", "words": []},
        {
            "role": "tool_call_invocation",
            "tool_call_id": "t",
            "name": "book",
            "arguments": '{"day": "Monday"}',
            "time_sec": 5.0,
        },
        {"role": "node_transition", "new_node_id": "n"},
        {
            "role": "tool_call_result",
            "tool_call_id": "t",
            "successful": False,
            "content": "full",
            "time_sec": 6.0,
        },
        {"role": "agent", "content": "Monday is full.", "words": []},
    ],
    "call_analysis": {"call_successful": False},
}
VAPI_TURNS = [
    {"role": "system", "message": "Book tables.", "secondsFromStart": 0},
    {"role": "bot", "message": "Good day!", "secondsFromStart": 1},
    {"role": "user", "message": "A table for Monday.", "secondsFromStart": 3},
    {
        "role": "tool_calls",
        "secondsFromStart": 5,
        "toolCalls": [{"id": "t", "function": {"name": "book", "arguments": '{"day": "Monday"}'}}],
    },
    {"role": "tool_call_result", "toolCallId": "t", "name": "book", "result": "full"},
    {"role": "bot", "message": "Monday is full.", "secondsFromStart": 8},
]
VAPI = {
    "id": "c3",
    "startedAt": "2023-11-14T22:13:20Z",
    "endedAt": "2023-11-14T22:13:40Z",
    "cost": 0.25,
    "costs": [
        {"type": "voice", "cost": 0.2},
        {"type": "model", "model": {"model": "m"}, "promptTokens": 9, "completionTokens": 4},
    ],
    "messages": VAPI_TURNS,
    "artifact": {"messages": VAPI_TURNS},
    "analysis": {"successEvaluation": "false"},
}


@pytest.mark.parametrize("told", [ELEVENLABS, RETELL, VAPI], ids=["elevenlabs", "retell", "vapi"])
def test_a_call_is_a_run_whoever_recorded_it(told: dict[str, Any]) -> None:
    assert pick_format(recording(told)) == (VOICE_CALLS, 0.95)
    run = read_one(VOICE_CALLS, recording(told))
    (call,) = run.calls
    assert (run.input, run.actual_output) == ("A table for Monday.", "Monday is full.")
    assert (call.tool, call.parameters, call.result) == ("book", {"day": "Monday"}, "full")
    assert call.started_at == 1700000005.0
    assert (run.started_at, run.ended_at) == (1700000000.0, 1700000020.0)
    assert run.outcome is not None
    assert run.outcome.success is False


def test_what_each_vendor_says_of_failures_models_and_tokens() -> None:
    eleven_run, retell_run, vapi_run = (
        read_one(VOICE_CALLS, recording(told)) for told in (ELEVENLABS, RETELL, VAPI)
    )
    runs = (eleven_run, retell_run, vapi_run)
    assert [run.calls[0].reported_success for run in runs] == [False, False, None]
    assert [run.model for run in runs] == ["m", None, "m"]
    assert eleven_run.calls[0].execution_time == 0.5
    assert eleven_run.usage == Usage(input_tokens=9, output_tokens=4)
    assert vapi_run.usage == Usage(input_tokens=9, output_tokens=4, cost_usd=0.25)


@pytest.mark.parametrize(
    ("sent", "session"),
    [
        ({"type": "post_call_transcription", "data": ELEVENLABS}, "c1"),
        ({"event": "call_analyzed", "call": RETELL}, "c2"),
        (
            {
                "message": {
                    "type": "end-of-call-report",
                    "call": {"id": "c3"},
                    "artifact": {"messages": VAPI_TURNS},
                }
            },
            "c3",
        ),
    ],
)
def test_what_a_webhook_sends_is_the_call_in_it(sent: dict[str, Any], session: str) -> None:
    run = read_one(VOICE_CALLS, recording(sent))
    assert (run.session_id, len(run.calls)) == (session, 1)


def test_what_a_workflow_called_is_nested_below_it() -> None:
    inner = {"tool_name": "pay", "request_id": "r2", "params_as_json": "{}"}
    paid = {"tool_name": "pay", "request_id": "r2", "result_value": "ok", "is_error": False}
    steps = [{"type": "nested_tools", "requests": [inner], "results": [paid]}]
    done = {**REFUSAL, "is_error": False, "result": {"steps": steps}}
    turns = [eleven("agent", "One moment.", 1, tool_calls=[BOOKING], tool_results=[done])]
    run = read_one(VOICE_CALLS, recording({"simulated_conversation": turns}))
    assert [(call.tool, call.parent_id, call.result) for call in run.calls] == [
        ("book", None, "full"),
        ("pay", "r1", "ok"),
    ]


@pytest.mark.parametrize("said", VERDICTS)
def test_verdicts_in_words(said: str) -> None:
    told = {**ELEVENLABS, "analysis": {"call_successful": said}}
    outcome = read_one(VOICE_CALLS, recording(told)).outcome
    assert outcome is not None
    assert outcome.success is VERDICTS[said]


def test_an_unknown_verdict_is_none_and_other_records_are_named() -> None:
    told = {**ELEVENLABS, "analysis": {"call_successful": "unknown"}}
    assert read_one(VOICE_CALLS, recording(told)).outcome is None
    assert len(problems(VOICE_CALLS, recording((ELEVENLABS, {"transcript": []})))) == 1
