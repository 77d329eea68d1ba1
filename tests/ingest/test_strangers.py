"""Lines of another program amid a session are told, whichever they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

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
from assay.ingest.reading import read_runs

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize(
    ("known", "lines"),
    [(CLAUDE_CODE, CLAUDE), (CODEX_CLI, CODEX), (MCP_WIRE, MCP[:1]), (PI, PI_LINES)],
)
def test_a_file_of_another_format_than_the_named_is_told_once(
    known: Any, lines: Any, tmp_path: Path
) -> None:
    other = "codex-cli" if known is CLAUDE_CODE else "claude-code"
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(json.dumps(line).encode() for line in lines))
    [found] = read_runs(path, format_name=other)
    assert str(found) == (
        f"{path}: is no {other}, but looks like {known.name}: leave out --format {other}"
    )


def test_no_more_strangers_wait_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.ingest.reading._MOST_HELD", 2)
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(OTHERS['Codex'])}\n" * 4)
    found = [item for item in read_runs(path, format_name="pi") if "Codex" in str(item)]
    assert [getattr(item, "position", None) for item in found] == [1, 2, 3, 4]


def test_a_chat_that_was_named_a_session_is_told_what_it_seems(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    said = [*OTHERS["a chat"]["messages"], {"role": "assistant", "content": "Hi"}]
    path.write_text(json.dumps({"model": "m", "messages": said}))
    [found] = read_runs(path, format_name="claude-code")
    told = "is no claude-code, but looks like openai-chat: leave out --format claude-code"
    assert str(found) == f"{path}: {told}"
    path.write_text(json.dumps({"messages": [], "resourceSpans": []}))
    [found] = read_runs(path, format_name="pi")
    assert str(found).startswith(f"{path}: is no pi")


def test_strangers_in_a_session_of_the_named_format_are_told_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = (OTHERS["a chat"], *CLAUDE, OTHERS["Codex"])
    path.write_bytes(b"\n".join(json.dumps(line).encode() for line in lines))
    found = [str(item) for item in read_runs(path, format_name="claude-code")]
    assert [line.partition(" is of ")[2].partition(",")[0] for line in found][:2] == [
        "a chat",
        "Codex",
    ]
    assert len(found) == 3


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
