"""Lines of another program amid a session are told, whichever they are."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, recording

from assay.ingest.claude_code import CLAUDE_CODE
from assay.ingest.codex_cli import CODEX_CLI
from assay.ingest.droid import DROID
from assay.ingest.kimi_cli import KIMI_CLI
from assay.ingest.mcp_wire import MCP_WIRE
from assay.ingest.openclaw import OPENCLAW
from assay.ingest.pi import PI
from assay.ingest.qwen_code import QWEN_CODE

SAID: dict[str, Any] = {"uuid": "u1", "parentUuid": None, "sessionId": "s1"}
CLAUDE = (
    {**SAID, "type": "user", "message": {"role": "user", "content": "Weather?"}},
    {**SAID, "type": "file-history-snapshot", "messages": []},
    {**SAID, "type": "assistant", "message": {"role": "assistant", "content": "Rain."}},
)
CODEX = (
    {"type": "session_meta", "payload": {"id": "s1", "cwd": "/x"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}},
    {"type": "surprise", "payload": {}},
)
MCP = (
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", "arguments": {}}},
    {"level": "info", "msg": "a line of a log"},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "x"}]}},
    # A message of the protocol, whatever else is told around it.
    {"traceId": "t", "spanId": "s", "message": {"jsonrpc": "2.0", "method": "ping"}},
)
TOLD = {"role": "user", "content": "Hello"}
KIMI = (
    {"type": "context.append_message", "message": TOLD, "time": 1},
    {"type": "usage.record", "usage": {}, "time": 2},
)
PI_LINES = (
    {"type": "session", "version": 3, "id": "s1"},
    {"type": "message", "id": "a", "parentId": None, "message": TOLD},
    {"type": "message", "id": "b", "message": {"role": "assistant", "content": "Hi"}},
    # The conversation again, at the end of a stream.
    {"type": "agent_end", "messages": [TOLD]},
    {"type": "surprise"},
)
OPENCLAW_LINES = (
    {"type": "agent.start", "sessionKey": "s1", "prompt": "Hello"},
    {"type": "agent.end", "sessionKey": "s1", "messages": [TOLD]},
)
DROID_LINES = ({"type": "session_start", "id": "s1"}, PI_LINES[1])
QWEN = ({**SAID, "type": "user", "message": {"role": "user", "parts": [{"text": "Hello"}]}},)
OTHERS = {
    "Kimi": KIMI[0],
    "Qwen Code": QWEN[0],
    "Pi or Droid": PI_LINES[1],
    "OpenClaw": OPENCLAW_LINES[0],
    "a chat": {"model": "m", "messages": [{"role": "user", "content": "Hello"}]},
    "the MCP protocol": MCP[0],
    "Claude Code": CLAUDE[0],
    "Codex": CODEX[1],
    "OpenTelemetry": {"resourceSpans": []},
    "Langfuse": {"id": "t1", "observations": []},
}
SESSIONS = [
    (CLAUDE_CODE, CLAUDE, "Claude Code"),
    (CODEX_CLI, CODEX, "Codex"),
    (MCP_WIRE, MCP, "the MCP protocol"),
    (KIMI_CLI, KIMI, "Kimi"),
    (PI, PI_LINES, "Pi or Droid"),
    (DROID, DROID_LINES, "Pi or Droid"),
    (OPENCLAW, OPENCLAW_LINES, "OpenClaw"),
    (QWEN_CODE, QWEN, "Qwen Code"),
]
# The newer Kimi speaks its own wire, the older that of the protocol, too.
SPOKEN = {(KIMI_CLI, "the MCP protocol")}


@pytest.mark.parametrize(("known", "lines", "own"), SESSIONS)
def test_what_a_program_writes_itself_is_no_stranger(known: Any, lines: Any, own: str) -> None:
    assert problems(known, recording(lines)) == []
    assert problems(known, recording((*lines, OTHERS[own]))) == []


@pytest.mark.parametrize(
    ("known", "lines", "writer"),
    [
        (known, lines, other)
        for known, lines, own in SESSIONS
        for other in OTHERS
        if other != own and (known, other) not in SPOKEN
    ],
)
def test_a_line_of_another_program_is_told(known: Any, lines: Any, writer: str) -> None:
    place = len(lines) + 1
    assert problems(known, recording((*lines, OTHERS[writer]))) == [
        f"log.json:{place}: is of {writer}, amid {known.name}; import it from a file of its own"
    ]


def test_spans_are_known_by_their_ids_and_other_lines_by_having_no_type() -> None:
    spans = [{"traceId": "t", "spanId": "s"}, {"context": {"trace_id": "t", "span_id": "s"}}]
    found = problems(CLAUDE_CODE, recording((*CLAUDE, *spans, {"steps": []})))
    told = [line.partition(": is of ")[2].partition(",")[0] for line in found]
    assert told == ["OpenTelemetry", "OpenTelemetry", "another program"]


def test_events_of_the_older_kimi_are_told_too() -> None:
    event = {"timestamp": 1.0, "message": {"type": "ToolCall", "payload": {"id": "a"}}}
    assert problems(PI, recording((*PI_LINES, event))) == [
        "log.json:6: is of Kimi, amid pi; import it from a file of its own"
    ]
