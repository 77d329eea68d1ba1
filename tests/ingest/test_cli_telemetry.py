"""What coding agents send to OpenTelemetry's logs is a run for each session."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording
from tests.ingest.test_span_logs import logs, pairs

from assay.ingest.cli_telemetry import (
    AGENTS,
    ARGUMENT_KEYS,
    CALL_ID_KEYS,
    CALLS,
    CLI_TELEMETRY,
    ERROR_KEYS,
    SESSION_KEYS,
    SUCCESS,
    TOOL_KEYS,
    USAGE_KEYS,
)
from assay.ingest.formats import pick_format
from assay.ingest.otlp_values import AROUND_KEYS
from assay.run import Usage

START = 1_767_225_600


def event(name: str, second: int = 0, **facts: Any) -> dict[str, Any]:
    """A record as Claude Code writes it: every value a text."""
    told = {"event.name": name.partition(".")[2], "session.id": "s", **facts}
    at = str((START + second) * 10**9)
    return {"timeUnixNano": at, "body": {"stringValue": name}, "attributes": pairs(told)}


PROMPTED = event("claude_code.user_prompt", prompt="Build it")
ASKED = event(
    "claude_code.api_request", 1, model="m", input_tokens="9", output_tokens="3", cost_usd="0.5"
)
CALLED = event(
    "claude_code.tool_result",
    4,
    tool_name="Bash",
    success="false",
    duration_ms="1500",
    error="exit code 2",
    tool_parameters='{"bash_command": "make"}',
)
SESSION = logs(PROMPTED, ASKED, CALLED, ASKED)


@pytest.mark.parametrize("log", [SESSION, (SESSION,), (PROMPTED, ASKED, CALLED, ASKED)])
def test_a_session_is_a_run(log: Any) -> None:
    made_up = recording(log, "logs.jsonl" if isinstance(log, tuple) else "logs.json")
    assert pick_format(made_up)[0] is CLI_TELEMETRY
    run = read_one(CLI_TELEMETRY, made_up)
    (call,) = run.calls
    assert (call.tool, call.parameters) == ("Bash", {"bash_command": "make"})
    assert (call.reported_success, call.error_message) == (False, "exit code 2")
    assert (call.started_at, call.ended_at) == (START + 2.5, START + 4)
    assert call.execution_time == 1.5
    assert (run.input, run.model, run.framework) == ("Build it", "m", "claude-code")
    assert run.usage == Usage(input_tokens=18, output_tokens=6, cost_usd=1.0)
    assert run.extra == {"other_events": {"api_request": 2}}


@pytest.mark.parametrize(("start", "agent"), AGENTS.items())
@pytest.mark.parametrize("kind", sorted(CALLS))
def test_every_agent_and_kind_of_call(start: str, agent: str, kind: str) -> None:
    record = {"attributes": {"event.name": f"{start}{kind}", "session.id": "s", "tool_name": "f"}}
    made_up = recording((record,))
    assert pick_format(made_up)[0] is CLI_TELEMETRY
    run = read_one(CLI_TELEMETRY, made_up)
    assert (run.framework, [c.tool for c in run.calls]) == (agent, ["f"])


def called(**facts: Any) -> Any:
    record = {"attributes": {"event.name": "codex.tool_result", "tool_name": "f", **facts}}
    return read_one(CLI_TELEMETRY, recording((record,)))


@pytest.mark.parametrize("key", TOOL_KEYS)
def test_every_name_of_a_tool(key: str) -> None:
    record = {"attributes": {"event.name": "codex.tool_result", key: "g"}}
    assert read_one(CLI_TELEMETRY, recording((record,))).calls[0].tool == "g"


@pytest.mark.parametrize("key", ARGUMENT_KEYS)
def test_every_name_of_arguments(key: str) -> None:
    run = called(**{key: '{"a": 1, "mcp_server_name": "w"}'})
    assert run.calls[0].parameters["a"] == 1
    assert run.calls[0].server == "w"


@pytest.mark.parametrize("key", CALL_ID_KEYS)
def test_every_name_of_a_calls_id(key: str) -> None:
    assert called(**{key: "c"}).calls[0].call_id == "c"


@pytest.mark.parametrize("key", ERROR_KEYS)
def test_every_name_of_an_error(key: str) -> None:
    call = called(success=False, **{key: "no"}).calls[0]
    assert (call.reported_success, call.error_message, call.result) == (False, "no", "no")


@pytest.mark.parametrize(("text", "meaning"), SUCCESS.items())
def test_every_word_for_success(text: str, meaning: object) -> None:
    assert called(success=text).calls[0].reported_success is meaning


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_sessions_are_runs_of_their_own(key: str) -> None:
    records = [
        {"attributes": {"event.name": "codex.tool_result", "tool_name": "f", key: name}}
        for name in ("a", "b")
    ]
    assert [run.session_id for run in read(CLI_TELEMETRY, recording(tuple(records)))] == ["a", "b"]


@pytest.mark.parametrize("names", [keys for _, keys in USAGE_KEYS])
def test_every_name_of_a_count(names: tuple[str, ...]) -> None:
    for name in names:
        record = {"attributes": {"event.name": "codex.sse_event", name: 7}}
        usage = read_one(CLI_TELEMETRY, recording((record,))).usage
        assert usage is not None
        assert 7 in usage.to_dict().values()


def test_spans_before_the_events_do_not_hide_them() -> None:
    scope = {"name": "gemini-cli", "version": "v1"}
    span = {"_spanContext": {"traceId": "t"}, "instrumentationScope": scope, "name": "llm_call"}
    called = {"attributes": {"event.name": "gemini_cli.tool_call", "function_name": "read"}}
    made_up = recording((*[span] * 30, called), "telemetry.jsonl")
    assert pick_format(made_up)[0] is CLI_TELEMETRY
    assert [call.tool for call in read_one(CLI_TELEMETRY, made_up).calls] == ["read"]


def test_other_logs_are_left_alone() -> None:
    other = logs({"body": {"stringValue": "started"}, "attributes": []})
    assert CLI_TELEMETRY.recognise(recording(other)) == 0
    assert problems(CLI_TELEMETRY, recording(other)) == [
        "log.json: holds no event of a coding agent that we know"
    ]


@pytest.mark.parametrize("key", AROUND_KEYS)
@pytest.mark.parametrize("as_text", [False, True])
def test_what_a_receiver_wrote_around_a_message_is_left_out(key: str, *, as_text: bool) -> None:
    sent = json.dumps(SESSION) if as_text else SESSION
    log = ({key: {"hello": "world"}}, {"path": "/v1/logs", "headers": {}, key: sent})
    assert pick_format(recording(log))[0] is CLI_TELEMETRY
    run = read_one(CLI_TELEMETRY, recording(log))
    assert (run.input, len(run.calls)) == ("Build it", 1)
