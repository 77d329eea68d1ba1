"""What holds for every format of logs and sessions: manners, and keeping to its own files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from tests.ingest.reading import recording
from tests.ingest.test_ag_ui import EVENTS as AG_UI_EVENTS
from tests.ingest.test_agent_formats import JSON, MISPLACED, behaves, places, replaced
from tests.ingest.test_bedrock import LOG, MESSAGES, TRACE
from tests.ingest.test_cli_telemetry import SESSION as TELEMETRY
from tests.ingest.test_cline import TASK
from tests.ingest.test_copilot_cli import EVENTS as COPILOT_EVENTS
from tests.ingest.test_copilot_cli import ROUNDS, chat
from tests.ingest.test_cursor import EVENTS as CURSOR_EVENTS
from tests.ingest.test_gemini_api import CONTENTS, RESPONSE, TOOLS, session
from tests.ingest.test_goose import EXPORT
from tests.ingest.test_mcp_wire import SESSION
from tests.ingest.test_opencode import FORMS as OPENCODE_FORMS
from tests.ingest.test_promptfoo import FUNCTION, WHOLE, row
from tests.ingest.test_smolagents import RESULT, STEPS
from tests.ingest.test_span_logs import EXCHANGES, otlp
from tests.ingest.test_span_logs import LOGS as SPAN_LOGS

from assay.ingest.documents import Unreadable
from assay.ingest.formats import all_formats, format_named
from assay.ingest.recording import FilePlace, Recording
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Each format with a small recording of it; a tuple is a file of lines.
EXAMPLES: dict[str, tuple[str, Any]] = {
    "AG-UI": ("ag-ui", AG_UI_EVENTS),
    "Bedrock's messages": ("bedrock", MESSAGES),
    "Bedrock's log": ("bedrock", LOG),
    "Bedrock's traces": ("bedrock", TRACE),
    "agents' telemetry": ("cli-telemetry", TELEMETRY),
    "Cline": ("cline", TASK),
    "Copilot's events": ("copilot", COPILOT_EVENTS),
    "VS Code's chat": ("copilot", chat()),
    "VS Code's chat with rounds": ("copilot", chat(result={"metadata": ROUNDS})),
    "VS Code's changes": (
        "copilot",
        ({"kind": 0, "v": chat()}, {"kind": 2, "k": ["requests", 0, "response"], "v": [{}]}),
    ),
    "Cursor": ("cursor", CURSOR_EVENTS),
    "Gemini's contents": ("gemini-api", CONTENTS),
    "Gemini's response": ("gemini-api", {"contents": CONTENTS, "tools": TOOLS, **RESPONSE}),
    "Goose": ("goose", EXPORT),
    "MCP": ("mcp", SESSION),
    "MCP with times": ("mcp", tuple({"ts": 1, "server": "s", "raw": m} for m in SESSION[7:11])),
    "OpenCode's export": ("opencode", OPENCODE_FORMS["an export"]),
    "OpenCode's events": ("opencode", OPENCODE_FORMS["the server's events"]),
    "promptfoo": ("promptfoo", WHOLE),
    "promptfoo's lines": ("promptfoo", (row([FUNCTION]),)),
    "Qwen Code": ("qwen-code", session()),
    "smolagents' steps": ("smolagents", STEPS),
    "smolagents' result": ("smolagents", RESULT),
    "OpenTelemetry's events": ("otel", SPAN_LOGS["the SDK's records, a message each"]),
    "OpenTelemetry's exchange": ("otel", otlp(*EXCHANGES[0])),
}
NAMES = sorted({name for name, _ in EXAMPLES.values()} - {"otel"})


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_recording_is_recognised_by_its_format_alone(name: str) -> None:
    expected, value = EXAMPLES[name]
    sure = {known.name: known.recognise(recording(value)) for known in all_formats()}
    claims = {known for known, how in sure.items() if how >= 0.8}
    assert claims - {"anthropic-messages"} == {expected}
    assert max(sure, key=lambda known: sure[known]) == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_reading_twice_gives_the_same_runs(name: str) -> None:
    reader, value = format_named(EXAMPLES[name][0]), EXAMPLES[name][1]
    first = list(reader.read(recording(value)))
    assert first == list(reader.read(recording(value)))
    assert len([item for item in first if isinstance(item, AgentTestCase)]) == len(first) > 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_anything_may_stand_anywhere(name: str) -> None:
    reader, value = format_named(EXAMPLES[name][0]), EXAMPLES[name][1]
    for path in places(value):
        for misplaced in MISPLACED:
            behaves(reader, recording(replaced(value, path, misplaced), "log.json"))


@settings(max_examples=30)
@given(value=JSON)
def test_no_format_claims_or_breaks_on_arbitrary_json(value: Any) -> None:
    for name in NAMES:
        assert format_named(name).recognise(recording(value)) == 0
        behaves(format_named(name), recording(value))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\xff\xfe", b"{", b"PK\x03\x04", b"null"])
@pytest.mark.parametrize("name", NAMES)
def test_files_that_hold_nothing(name: str, content: bytes) -> None:
    found = recording(content, "log.jsonl")
    assert format_named(name).recognise(found) == 0
    assert all(isinstance(item, Unreadable) for item in format_named(name).read(found))


def test_no_recorded_file_of_another_format_is_claimed(shared: Callable[..., Path]) -> None:
    claimed = {
        ("storage" in path.parts, name)
        for path in sorted(shared("data").rglob("*.json*"))
        if path.stat().st_size < 2_000_000
        for found in [Recording(FilePlace(path))]
        for name in NAMES
        if format_named(name).recognise(found) > 0
    }
    assert claimed == {(True, "opencode")}  # a storage folder lies among the sessions
