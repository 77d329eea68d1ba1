"""What programs keep in SQLite, read as their exports are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import zstandard
from tests.ingest.databases import write_database

from assay.ingest.reading import read_runs
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    from assay.execution import ToolExecutionResult

# Milliseconds and seconds of the same moment.
START_MS = 1_767_225_600_000
START = START_MS / 1000


def runs_in(path: Path, tables: dict[str, list[dict[str, Any]]]) -> list[AgentTestCase]:
    """The runs of a database that holds nothing else."""
    found = list(read_runs(write_database(path, tables)))
    assert [item for item in found if not isinstance(item, AgentTestCase)] == []
    return [item for item in found if isinstance(item, AgentTestCase)]


def calls_of(run: AgentTestCase) -> list[ToolExecutionResult]:
    assert run.execution_data is not None
    return run.execution_data.tool_executions


def outcomes(run: AgentTestCase) -> list[tuple[str, Any, bool | None, str | None]]:
    """Of each call the tool, what it was sent, whether it went well and what was said if not."""
    return [(c.tool, c.parameters, c.reported_success, c.error_message) for c in calls_of(run)]


def opencode_part(number: int, message: int, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"prt_{number}",
        "message_id": f"msg_{message}",
        "session_id": "ses_1",
        "data": data,
    }


def opencode_tool(tool: str, call: str, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": tool, "callID": call, "state": state}


def test_sessions_of_opencode(tmp_path: Path) -> None:
    user = {"role": "user", "time": {"created": START_MS}, "agent": "build"}
    reply = {"role": "assistant", "modelID": "m", "time": {"created": START_MS + 1000}}
    when = {"start": START_MS + 2000, "end": START_MS + 2500}
    failed = opencode_tool("read", "b", status="error", input={"p": 1}, error="no file", time=when)
    worked = opencode_tool(
        "bash", "a", status="completed", input={"command": "ls"}, output="x", time=when
    )
    spent = {"type": "step-finish", "tokens": {"input": 90, "output": 20}, "cost": 0.5}
    session = {
        "id": "ses_1",
        "parent_id": None,
        "directory": "/w",
        "title": "Look",
        "version": "1.18.33",
        "time_created": START_MS,
        "time_updated": START_MS + 9000,
    }
    message = {"session_id": "ses_1", "time_created": START_MS}
    (run,) = runs_in(
        tmp_path / "opencode.db",
        {
            "session": [session, session | {"id": "ses_empty"}],
            "message": [
                {"id": "msg_3", **message, "data": reply},
                {"id": "msg_2", **message, "data": reply},
                {"id": "msg_1", **message, "data": user},
            ],
            # Rows lie in no order; ids tell when they were begun.
            "part": [
                opencode_part(5, 2, spent),
                opencode_part(4, 3, {"type": "text", "text": "Done."}),
                opencode_part(3, 2, failed),
                opencode_part(2, 2, worked),
                opencode_part(1, 1, {"type": "text", "text": "Look around"}),
            ],
        },
    )
    assert (run.input, run.actual_output, run.session_id) == ("Look around", "Done.", "ses_1")
    assert (run.model, run.agent_id, run.extra) == ("m", "build", {"title": "Look"})
    assert run.usage == Usage(input_tokens=90, output_tokens=20, cost_usd=0.5)
    assert (run.started_at, run.ended_at) == (START, START + 9)
    assert outcomes(run) == [
        ("bash", {"command": "ls"}, True, None),
        ("read", {"p": 1}, False, "no file"),
    ]
    assert [c.execution_time for c in calls_of(run)] == [0.5, 0.5]


def goose_message(number: int, role: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number,
        "session_id": "20260101_1",
        "role": role,
        "content_json": [*content],
        "created_timestamp": START_MS // 1000 + number,
        "metadata_json": {"userVisible": True, "agentVisible": True},
    }


def test_sessions_of_goose(tmp_path: Path) -> None:
    asked = {"status": "success", "value": {"name": "developer__shell", "arguments": {"c": "ls"}}}
    came = {"content": [{"type": "text", "text": "denied"}], "isError": True}
    session = {
        "id": "20260101_1",
        "name": "Look",
        "working_dir": "/w",
        "created_at": "2026-01-01 00:00:00",
        "updated_at": "2026-01-01T00:00:09+00:00",
        "accumulated_input_tokens": 50,
        "accumulated_output_tokens": 7,
        "provider_name": "openai",
        "model_config_json": {"model_name": "m", "context_limit": 128000},
        "recipe_json": None,
    }
    (run,) = runs_in(
        tmp_path / "sessions.db",
        {
            "schema_version": [{"version": 6}],
            "sessions": [session, session | {"id": "20260101_2"}],
            "messages": [
                goose_message(1, "user", {"type": "text", "text": "Look around"}),
                goose_message(
                    2, "assistant", {"type": "toolRequest", "id": "a", "toolCall": asked}
                ),
                goose_message(
                    3,
                    "user",
                    {
                        "type": "toolResponse",
                        "id": "a",
                        "toolResult": {"status": "success", "value": came},
                    },
                ),
                goose_message(4, "assistant", {"type": "text", "text": "I may not."}),
            ],
        },
    )
    assert (run.input, run.actual_output, run.model) == ("Look around", "I may not.", "m")
    assert run.usage == Usage(input_tokens=50, output_tokens=7)
    assert (run.started_at, run.ended_at) == (START, START + 9)
    assert run.extra == {"name": "Look", "working_dir": "/w", "provider_name": "openai"}
    assert outcomes(run) == [("shell", {"c": "ls"}, False, "denied")]
    assert run.calls[0].server == "developer"
    assert calls_of(run)[0].server == "developer"


def cursor_call(status: str, **told: Any) -> dict[str, Any]:
    return {"type": 2, "text": "", "toolFormerData": {"status": status, **told}}


CURSOR_BUBBLES = {
    "1": {"type": 1, "text": "Look around", "createdAt": "2026-01-01T00:00:00.000Z"},
    "2": {
        "type": 2,
        "text": "I look.",
        "thinking": {"text": "hm"},
        "tokenCount": {"inputTokens": 0, "outputTokens": 0},
    },
    "3": cursor_call(
        "completed",
        name="read_file",
        toolCallId="a",
        modelCallId="r1",
        rawArgs='{"target_file": "a.py"}',
        params='{"targetFile": "a.py", "effectiveUri": "file:///a.py"}',
        result='{"contents": "x = 1"}',
    ),
    "4": cursor_call(
        "completed",
        name="run_terminal_command_v2",
        toolCallId="b",
        modelCallId="r1",
        params='{"command": "make"}',
        result='{"output": "No rule", "exitCode": 2, "rejected": false}',
    ),
    "5": cursor_call(
        "error",
        name="mcp_docs_search",
        toolCallId="c",
        params='{"tools": [{"name": "search", "parameters": {"q": 1}, "serverName": "docs"}]}',
        error='{"clientVisibleErrorMessage": "Not found", "modelVisibleErrorMessage": ""}',
    ),
    "6": cursor_call("cancelled", name="edit_file", toolCallId="d", rawArgs='{"cut'),
    "7": cursor_call("loading", name="edit_file", toolCallId="e", params='{"p": 1}'),
    "8": {
        "type": 2,
        "text": "Done.",
        "modelInfo": {"modelName": "m"},
        "tokenCount": {"inputTokens": 10, "outputTokens": 3},
        "createdAt": "2026-01-01T00:00:09.000Z",
    },
}
CURSOR_OUTCOMES = [
    ("read_file", {"target_file": "a.py"}, True, None),
    ("run_terminal_command_v2", {"command": "make"}, False, "No rule"),
    ("search", {"q": 1}, False, "Not found"),
    ("edit_file", '{"cut', False, "cancelled"),
    ("edit_file", {"p": 1}, None, None),
]


def cursor_rows(chat: dict[str, Any], bubbles: dict[str, Any]) -> list[dict[str, Any]]:
    own = chat["composerId"]
    stored = [{"key": f"bubbleId:{own}:{key}", "value": told} for key, told in bubbles.items()]
    return [*stored, {"key": f"composerData:{own}", "value": chat}]


def test_chats_of_cursor(tmp_path: Path) -> None:
    headers = [{"bubbleId": key, "type": told["type"]} for key, told in CURSOR_BUBBLES.items()]
    chat = {
        "composerId": "c1",
        "name": "Look",
        "createdAt": START_MS - 1,
        "modelConfig": {"modelName": "default"},
        "fullConversationHeadersOnly": [*headers, {"bubbleId": "gone", "type": 2}],
    }
    old = {"composerId": "c2", "conversation": list(CURSOR_BUBBLES.values())}
    new_map = {**chat, "composerId": "c3", "conversationMap": CURSOR_BUBBLES}
    draft = {"composerId": "c4", "fullConversationHeadersOnly": [], "text": "Not sent"}
    rows = cursor_rows(chat, CURSOR_BUBBLES) + [
        row for other in (old, new_map, draft) for row in cursor_rows(other, {})
    ]
    settings: list[dict[str, Any]] = [
        {"key": "theme", "value": "dark"},
        {"key": "nothing", "value": None},
    ]
    runs = runs_in(tmp_path / "state.vscdb", {"ItemTable": settings, "cursorDiskKV": rows})
    assert [run.session_id for run in runs] == ["c1", "c2", "c3"]
    for run in runs:
        assert (run.input, run.model, run.framework) == ("Look around", "m", "cursor")
        assert run.actual_output == "Done."
        assert run.usage == Usage(input_tokens=10, output_tokens=3)
        assert (run.started_at, run.ended_at) == (START, START + 9)
        assert outcomes(run) == CURSOR_OUTCOMES
    assert [c.server for c in calls_of(runs[0])] == [None, None, "docs", None, None]
    assert runs[0].extra == {"name": "Look"}
    # The first two name the same request to the model; what was said before is a reply of its own.
    assert [c.turn for c in calls_of(runs[0])] == [1, 1, 2, 3, 4]


def test_threads_of_zed(tmp_path: Path) -> None:
    used = {"id": "a", "name": "terminal", "input": {"c": 1}, "is_input_complete": True}
    result = {"tool_name": "terminal", "is_error": True, "content": {"Text": "no such file"}}
    thread = {
        "version": "0.3.0",
        "title": "Look",
        "updated_at": "2026-01-01T00:00:09Z",
        "messages": [
            {"User": {"id": "u", "content": [{"Text": "Look around"}]}},
            {"Agent": {"content": [{"ToolUse": used}], "tool_results": {"a": result}}},
            {"Agent": {"content": [{"Text": "Done."}], "tool_results": {}}},
            "Resume",
        ],
        "model": {"provider": "x", "model": "m"},
        "cumulative_token_usage": {"input_tokens": 7, "output_tokens": 2},
    }
    packed = zstandard.ZstdCompressor().compress(msgspec.json.encode(thread))
    row = {"summary": "Look", "updated_at": "2026-01-01T00:00:09Z"}
    runs = runs_in(
        tmp_path / "threads.db",
        {
            "threads": [
                {"id": "t1", **row, "data_type": "zstd", "data": packed},
                {"id": "t2", **row, "data_type": "json", "data": thread},
            ]
        },
    )
    assert [run.session_id for run in runs] == ["t1", "t2"]
    for run in runs:
        assert (run.input, run.actual_output, run.model) == ("Look around", "Done.", "m")
        assert run.usage == Usage(input_tokens=7, output_tokens=2)
        assert run.ended_at == START + 9
        assert outcomes(run) == [("terminal", {"c": 1}, False, "no such file")]


def test_a_session_is_one_run_wherever_its_database_lies_and_as_an_export(tmp_path: Path) -> None:
    text = {"type": "text", "text": "Hello"}
    about = {"id": "20260101_1", "working_dir": "/w", "created_at": "2026-01-01"}
    said = {"role": "user", "created": START_MS // 1000 + 1, "content": [text]}
    goose = {"sessions": [about], "messages": [goose_message(1, "user", text)]}
    info = {"role": "user", "time": {"created": START_MS}}
    own = {"id": "m", "sessionID": "ses_1"}
    part = text | {"id": "p", "sessionID": "ses_1", "messageID": "m"}
    opencode = {
        "session": [{"id": "ses_1", "directory": "/w", "version": "1", "title": "T"}],
        "message": [{"id": "m", "session_id": "ses_1", "data": info}],
        "part": [{"id": "p", "message_id": "m", "session_id": "ses_1", "data": text}],
    }
    exports: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (goose, {**about, "message_count": 1, "conversation": [said]}),
        (
            opencode,
            {
                "info": {"id": "ses_1", "title": "T", "directory": "/w"},
                "messages": [{"info": info | own, "parts": [part]}],
            },
        ),
    ]
    for tables, export in exports:
        (tmp_path / "export.json").write_bytes(msgspec.json.encode(export))
        found = [
            *runs_in(tmp_path / "a.db", tables),
            *runs_in(tmp_path / "b.db", tables),
            *read_runs(tmp_path / "export.json"),
        ]
        first, *others = [msgspec.to_builtins(run) | {"source": None} for run in found]
        assert others == [first, first]
        for path in tmp_path.iterdir():
            path.unlink()
