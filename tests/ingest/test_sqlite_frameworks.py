"""What frameworks and `llm` keep in SQLite, read as documents their readers know."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.ingest.databases import write_database
from tests.ingest.test_n8n import EXECUTION
from tests.ingest.test_sqlite_kinds import START, calls_of, outcomes, runs_in

from assay.errors import InvalidRecord
from assay.ingest.documents import Unreadable
from assay.ingest.flatted_json import whole_of
from assay.ingest.reading import read_runs
from assay.run import Usage

if TYPE_CHECKING:
    from pathlib import Path


def item(number: int, **message: Any) -> dict[str, Any]:
    """An item of the OpenAI Agents SDK in its row."""
    return {
        "id": number,
        "session_id": "user-1",
        "message_data": message,
        "created_at": "2026-01-01 00:00:00",
    }


ITEMS = [
    item(1, role="user", content="Weather?"),
    item(
        2,
        type="function_call",
        call_id="a",
        name="weather",
        arguments='{"city": "Oslo"}',
        provider_data={"model": "m"},
    ),
    item(3, type="function_call_output", call_id="a", output="3 degrees"),
    item(4, type="message", role="assistant", content=[{"type": "output_text", "text": "3."}]),
]


def test_sessions_of_the_agents_sdk(tmp_path: Path) -> None:
    sessions = [{"session_id": "user-1", "created_at": "2026-01-01 00:00:00"}]
    (run,) = runs_in(tmp_path / "a.db", {"mine": sessions, "my_messages": ITEMS})
    assert (run.input, run.actual_output, run.session_id) == ("Weather?", "3.", "user-1")
    assert (run.model, run.started_at, run.usage) == ("m", START, None)
    assert outcomes(run) == [("weather", {"city": "Oslo"}, None, None)]
    assert calls_of(run)[0].result == "3 degrees"
    # What is said later makes no other run of it.
    more = [*ITEMS, item(5, role="user", content="Thanks"), item(6, role="user", content="!")]
    (tmp_path / "a.db").unlink()
    assert runs_in(tmp_path / "a.db", {"my_messages": more})[0].run_id == run.run_id


def test_the_main_branch_of_a_session_is_read(tmp_path: Path) -> None:
    def branched(message: int, branch: str) -> dict[str, Any]:
        return {"session_id": "user-1", "message_id": message, "branch_id": branch}

    spent = {"session_id": "user-1", "branch_id": "main", "input_tokens": 100, "output_tokens": 9}
    (run,) = runs_in(
        tmp_path / "a.db",
        {
            "agent_messages": [*ITEMS, item(5, role="user", content="Elsewhere")],
            "message_structure": [branched(n, "main") for n in (1, 2, 3, 4)]
            + [branched(n, "other") for n in (1, 5)],
            "turn_usage": [spent, spent, spent | {"branch_id": "other"}],
        },
    )
    assert run.actual_output == "3."
    assert run.usage == Usage(input_tokens=200, output_tokens=18)
    assert run.extra == {"other_branches": 1}


def adk_event(number: int, author: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": f"e{number}",
        "timestamp": START + number,
        "invocation_id": "i",
        "author": author,
        "content": {"role": author, "parts": [*parts]},
        **more,
    }


ADK_EVENTS = [
    adk_event(0, "user", {"text": "Weather?"}),
    adk_event(
        1,
        "helper",
        {"function_call": {"id": "a", "name": "weather", "args": {"city": "Oslo"}}},
        usage_metadata={"prompt_token_count": 100, "candidates_token_count": 20},
        model_version="m",
    ),
    adk_event(
        2, "helper", {"function_response": {"id": "a", "name": "weather", "response": {"r": 3}}}
    ),
    adk_event(3, "helper", {"text": "3."}),
]


@pytest.mark.parametrize("generation", ["columns", "event_data"])
def test_sessions_of_adk(tmp_path: Path, generation: str) -> None:
    rows = []
    for event in ADK_EVENTS:
        own = {key: event[key] for key in ("id", "timestamp", "invocation_id")}
        told: dict[str, Any] = {"event_data": event}
        if generation == "columns":
            columns = ("author", "content", "usage_metadata", "model_version")
            told = {key: event.get(key) for key in columns} | {"actions": b"\x80\x05cos\nsystem\n"}
        rows.append({**own, "app_name": "app", "user_id": "u", "session_id": "s", **told})
    stranger = rows[0] | {"user_id": "somebody else"}
    session = {"app_name": "app", "user_id": "u", "id": "s", "state": {}}
    (run,) = runs_in(tmp_path / "a.db", {"sessions": [session], "events": [*rows, stranger]})
    assert (run.input, run.actual_output, run.session_id) == ("Weather?", "3.", "s")
    assert (run.model, run.usage) == ("m", Usage(input_tokens=100, output_tokens=20))
    assert (run.started_at, run.ended_at) == (START, START + 3)
    assert outcomes(run) == [("weather", {"city": "Oslo"}, None, None)]
    assert run.conversation_history is not None
    assert len([m for m in run.conversation_history if m["role"] == "user"]) == 1


@pytest.mark.parametrize("generation", [2, 3])
def test_sessions_of_agno(tmp_path: Path, generation: int) -> None:
    tool = {"tool_call_id": "a", "tool_name": "weather", "tool_args": {"city": "Oslo"}}
    call = {"id": "a", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    run = {
        "run_id": "r1",
        "agent_id": "helper",
        "session_id": "s",
        "model": "m",
        "content": "No.",
        "created_at": START,
        "metrics": {"input_tokens": 200, "output_tokens": 40, "duration": 0.5},
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "cannot", "tool_call_error": True},
            {"role": "assistant", "content": "No."},
        ],
        "tools": [tool | {"tool_call_error": True, "result": "cannot"}],
    }
    session: dict[str, Any] = {"session_id": "s", "session_type": "agent", "session_data": {}}
    tables: dict[str, Any] = {
        "mine": [session | {"runs": msgspec.json.encode(msgspec.json.encode([run]).decode())}]
    }
    if generation == 3:
        kept = {"run_id": "r1", "session_id": "s", "run_type": "agent", "run_data": run}
        tables = {
            "mine": [session, session | {"session_id": "new"}],
            "my_runs": [kept],
        }
    (found,) = runs_in(tmp_path / "a.db", tables)
    assert (found.input, found.actual_output, found.model) == ("Weather?", "No.", "m")
    assert found.usage == Usage(input_tokens=200, output_tokens=40)
    assert (found.started_at, found.ended_at) == (START, START + 0.5)
    assert outcomes(found) == [("weather", {"city": "Oslo"}, False, "cannot")]


def test_chats_of_open_webui(tmp_path: Path) -> None:
    asked = {"id": "1", "parentId": None, "role": "user", "content": "Weather?"}
    reply = {"id": "2", "parentId": "1", "role": "assistant", "content": "", "done": False}
    history = {"messages": {"1": asked, "2": reply}, "currentId": "2"}
    chat = {"id": "c", "user_id": "u", "title": "Oslo", "chat": {"history": history}, "meta": {}}
    output = [
        {
            "type": "function_call",
            "call_id": "a",
            "name": "weather",
            "arguments": '{"city": "Oslo"}',
        },
        {"type": "function_call_output", "call_id": "a", "output": "3 degrees"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "3."}],
        },
    ]
    # The row of a message is newer than what the chat says of it.
    kept = {
        "id": "c-2",
        "chat_id": "c",
        "role": "assistant",
        "parent_id": "1",
        "content": '"3."',
        "output": output,
        "model_id": "m",
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        "error": None,
        "created_at": START,
    }
    empty = chat | {"id": "d", "chat": {}}
    (run,) = runs_in(tmp_path / "webui.db", {"chat": [chat, empty], "chat_message": [kept]})
    assert (run.input, run.actual_output, run.session_id) == ("Weather?", "3.", "c")
    assert (run.model, run.usage) == ("m", Usage(input_tokens=100, output_tokens=20))
    assert outcomes(run) == [("weather", {"city": "Oslo"}, None, None)]
    assert run.ended_at == START


def graph_message(kind: str, **more: Any) -> msgspec.msgpack.Ext:
    """A message as LangGraph packs it: module, class, fields and how to make it of them."""
    parts = [f"langchain_core.messages.{kind}", "os.system", {"type": kind, **more}, "run"]
    return msgspec.msgpack.Ext(5, msgspec.msgpack.encode(parts))


def checkpoint(thread: str, number: int, *messages: Any, inside: str = "") -> dict[str, Any]:
    state = {"ts": "2026-01-01T00:00:09+00:00", "channel_values": {"messages": [*messages]}}
    return {
        "thread_id": thread,
        "checkpoint_ns": inside,
        "checkpoint_id": str(number),
        "type": "msgpack",
        "checkpoint": msgspec.msgpack.encode(state),
    }


def test_threads_of_langgraph(tmp_path: Path) -> None:
    asked = graph_message("human", content="Weather?", id="1")
    call = {"id": "a", "name": "weather", "args": {"city": "Oslo"}}
    called = graph_message(
        "ai",
        content="",
        id="2",
        tool_calls=[call],
        usage_metadata={"input_tokens": 100, "output_tokens": 20},
        response_metadata={"model_name": "m"},
    )
    came = graph_message("tool", content="cannot", tool_call_id="a", status="error", id="3")
    said = graph_message("ai", content="No.", id="4")
    rows = [
        checkpoint("t1", 1, asked),
        checkpoint("t1", 2, asked, called, came, said),
        checkpoint("t1", 3, asked, inside="inner:1"),
        checkpoint("t2", 4) | {"checkpoint": b"\xc1"},
        checkpoint("t3", 5) | {"type": "pickle"},
        checkpoint("t4", 6),
    ]
    run, *bad = read_runs(write_database(tmp_path / "c.sqlite", {"checkpoints": rows}))
    assert not isinstance(run, Unreadable)
    assert (run.input, run.actual_output, run.session_id) == ("Weather?", "No.", "t1")
    assert (run.model, run.usage) == ("m", Usage(input_tokens=100, output_tokens=20))
    assert run.ended_at == START + 9
    assert outcomes(run) == [("weather", {"city": "Oslo"}, False, "cannot")]
    problems = [item.problem for item in bad if isinstance(item, Unreadable)]
    assert problems[0].startswith("thread t2 cannot be read")
    assert problems[1:] == ["thread t3 is written as pickle, which is not read"]


def span(number: int, kind: str, status: str, **attributes: Any) -> dict[str, Any]:
    """A span of which the first is the outermost."""
    return {
        "trace_id": "t",
        "span_id": f"s{number}",
        "parent_id": "s0" if number else None,
        "name": kind.lower(),
        "kind": kind,
        "start": START + number,
        "end": START + number + 0.5,
        "status": status,
        "attributes": attributes,
    }


SPANS = [
    span(2, "TOOL", "ERROR", name="weather", input='{"city": "Oslo"}'),
    span(1, "LLM", "OK", model="m", tokens=(100, 20)),
    span(0, "AGENT", "OK", input="Weather?", output="No."),
]


def in_mlflow(told: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """A span as MLflow keeps it: whole, its attributes each as JSON."""
    about = told["attributes"]
    tokens = about.get("tokens")
    attributes = {
        "mlflow.spanType": told["kind"],
        "mlflow.spanInputs": {"city": "Oslo"} if "name" in about else about.get("input"),
        "mlflow.spanOutputs": about.get("output"),
        "model": about.get("model"),
        "mlflow.chat.tokenUsage": tokens
        and {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    written = {k: msgspec.json.encode(v).decode() for k, v in attributes.items() if v is not None}
    content = {
        "trace_id": "t",
        "span_id": told["span_id"],
        "parent_span_id": told["parent_id"],
        "name": about.get("name", told["name"]),
        "start_time_unix_nano": int(told["start"] * 1e9),
        "end_time_unix_nano": int(told["end"] * 1e9),
        "status": {"code": f"STATUS_CODE_{told['status']}", "message": "cannot"},
        "attributes": written,
    }
    keys = ("trace_id", "span_id", "start_time_unix_nano")
    return {"spans": [{**{key: content[key] for key in keys}, "content": content}]}


def in_phoenix(told: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """A span as Phoenix keeps it: in columns, its attributes nested."""
    about = told["attributes"]
    tokens = dict(zip(("prompt", "completion"), about.get("tokens", ()), strict=False))
    attributes = {
        "openinference": {"span": {"kind": told["kind"]}},
        "input": {"value": about.get("input")},
        "output": {"value": about.get("output")},
        "llm": {"model_name": about.get("model"), "token_count": tokens},
        "tool": {"name": about.get("name")},
    }
    row = {
        "trace_rowid": 1,
        "span_id": told["span_id"],
        "parent_id": told["parent_id"],
        "name": told["name"],
        "span_kind": told["kind"],
        "start_time": told["start"],
        "end_time": told["end"],
        "attributes": attributes,
        "events": [],
        "status_code": told["status"],
        "status_message": "cannot",
    }
    return {"traces": [{"id": 1, "trace_id": "t"}], "spans": [row]}


@pytest.mark.parametrize("keep", [in_mlflow, in_phoenix])
def test_traces_of_mlflow_and_phoenix(tmp_path: Path, keep: Any) -> None:
    tables = [keep(told) for told in SPANS]
    spans = [row for each in tables for row in each["spans"]]
    (run,) = runs_in(tmp_path / "t.db", {**tables[0], "spans": spans})
    assert (run.input, run.actual_output, run.model) == ("Weather?", "No.", "m")
    assert run.usage == Usage(input_tokens=100, output_tokens=20)
    assert (run.started_at, run.ended_at) == (START, START + 2.5)
    assert outcomes(run) == [("weather", {"city": "Oslo"}, False, "cannot")]
    assert calls_of(run)[0].execution_time == 0.5


def flattened(value: Any) -> list[Any]:
    """A value as a list of values that name each other, as n8n keeps it."""
    listed: list[Any] = []

    def place_of(inner: Any) -> Any:
        if not isinstance(inner, dict | list | str):
            return inner
        own = len(listed)
        listed.append(inner)
        if isinstance(inner, dict):
            listed[own] = {key: place_of(each) for key, each in inner.items()}
        elif isinstance(inner, list):
            listed[own] = [place_of(each) for each in inner]
        return str(own)

    place_of(value)
    return listed


def test_executions_of_n8n(tmp_path: Path) -> None:
    tables = {
        "execution_entity": [
            {
                key: EXECUTION[key]
                for key in ("id", "workflowId", "startedAt", "stoppedAt", "status")
            }
        ],
        "execution_data": [
            {
                "executionId": 7,
                "workflowData": EXECUTION["workflowData"],
                "data": flattened(EXECUTION["data"]),
            }
        ],
    }
    (run,) = runs_in(tmp_path / "database.sqlite", tables)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Wet.", "m")
    assert run.usage == Usage(input_tokens=20, output_tokens=4)
    assert (run.started_at, run.ended_at) == (START, START + 1)
    assert outcomes(run) == [
        ("Weather", {"city": "Oslo"}, True, None),
        ("listen", {"query": "Rome"}, False, "deaf"),
    ]


def test_values_that_name_each_other() -> None:
    assert whole_of([{"a": "1", "b": ["x"][:0], "c": 3}, "text"]) == {"a": "text", "b": [], "c": 3}
    assert whole_of([{"self": "0", "twice": "1", "again": "1"}, ["2"], "x"]) == {
        "self": None,
        "twice": ["x"],
        "again": ["x"],
    }
    laughs = [*([str(n + 1)] * 10 for n in range(9)), "ha"]
    deep = [[str(n + 1)] for n in range(5000)] + ["end"]
    long = [["1"] * 10_000, "x" * 10_000]
    wrong: list[Any] = [{}, [], [["1"]], [["-1"]], [["²"]], laughs, deep, long]
    for bad in wrong:
        with pytest.raises(InvalidRecord):
            whole_of(bad)


TOOL = {"id": 7, "name": "weather", "description": "Of a city", "input_schema": {"type": "object"}}


def old_log() -> dict[str, list[dict[str, Any]]]:
    """What older versions of llm log: responses with calls, and the results they were sent."""
    spent = {"input_tokens": 100, "output_tokens": 20, "duration_ms": 500, "token_details": None}
    response = {"conversation_id": "c", "system": "Be brief", "resolved_model": "m", **spent}
    return {
        "conversations": [{"id": "c", "name": "Weather", "model": "alias"}],
        "responses": [
            {"id": "r2", "prompt": "", "response": "No.", "datetime_utc": START + 1, **response},
            {"id": "r1", "prompt": "Weather?", "response": "", "datetime_utc": START, **response},
        ],
        "tools": [TOOL],
        "tool_responses": [{"tool_id": 7, "response_id": "r1"}],
        "tool_calls": [
            {
                "response_id": "r1",
                "name": "weather",
                "arguments": {"city": "X"},
                "tool_call_id": "a",
            }
        ],
        "tool_results": [
            {
                "response_id": "r2",
                "name": "weather",
                "output": "Error: cannot",
                "tool_call_id": "a",
                "exception": "ValueError: cannot",
            }
        ],
        "prompt_fragments": [{"response_id": "r1", "fragment_id": 3, "order": 0}],
        "fragments": [{"id": 3, "content": "Facts."}],
    }


def new_log() -> dict[str, list[dict[str, Any]]]:
    """What newer ones log: messages that name the one before them, and turns that end in one."""

    def part(
        number: int, message: str, kind: str, text: str | None, payload: Any
    ) -> dict[str, Any]:
        told = {"id": number, "message_hash": message, "position": number, "type": kind}
        return {**told, "text": text, "payload": payload}

    spent = {"input_tokens": 100, "output_tokens": 20, "duration_ms": 500}
    turn = {"thread_id": "c", "model": "m", "resolved_model": None, **spent}
    came = {"name": "weather", "output": "Error: cannot", "tool_call_id": "a", "exception": "E"}
    call = {"name": "weather", "arguments": {"city": "X"}, "tool_call_id": "a"}
    chain = ["system", "user", "assistant", "tool", "assistant"]
    return {
        "threads": [{"id": "c", "name": "Weather", "tip_message_hash": "h4"}],
        "turns": [
            {"id": "t1", "tip_message_hash": "h2", "datetime_utc": START, **turn},
            {"id": "t2", "tip_message_hash": "h4", "datetime_utc": START + 1, **turn},
        ],
        "messages": [
            {"hash": f"h{n}", "parent_hash": f"h{n - 1}" if n else None, "role": role}
            for n, role in enumerate(chain)
        ],
        "parts": [
            part(1, "h0", "text", "Be brief", None),
            part(2, "h1", "text", None, {"text_ref": [{"fragment": 3}, {"literal": "\nWeather?"}]}),
            part(3, "h2", "tool_call", None, call),
            part(4, "h3", "tool_result", None, came),
            part(5, "h4", "text", "No.", None),
        ],
        "tools": [TOOL],
        "turn_tools": [{"turn_id": "t1", "tool_id": 7}],
        "fragments": [{"id": 3, "content": "Facts."}],
    }


@pytest.mark.parametrize("log", [old_log, new_log])
def test_the_log_of_llm(tmp_path: Path, log: Any) -> None:
    (run,) = runs_in(tmp_path / "logs.db", log())
    assert (run.input, run.actual_output, run.session_id) == ("Facts.\nWeather?", "No.", "c")
    assert (run.model, run.usage) == ("m", Usage(input_tokens=200, output_tokens=40))
    assert (run.started_at, run.ended_at) == (START, START + 1.5)
    assert outcomes(run) == [("weather", {"city": "X"}, False, "Error: cannot")]
    assert [tool["function"]["name"] for tool in run.available_tools] == ["weather"]
    assert run.conversation_history is not None
    assert [m["role"] for m in run.conversation_history][:2] == ["system", "user"]


def test_messages_that_name_each_other_end(tmp_path: Path) -> None:
    tables = new_log()
    tables["messages"][0]["parent_hash"] = "h4"
    (run,) = runs_in(tmp_path / "logs.db", tables)
    assert run.actual_output == "No."


ODD: tuple[Any, ...] = (
    None,
    0,
    -1.5,
    "",
    "x",
    "null",
    [],
    {},
    [1, [2]],
    {"a": {"b": [1]}},
    [{"type": 1, "text": [1]}],
)


def changed(value: Any, chance: random.Random) -> Any:
    """The same with some of what is in it replaced by what nobody expects there."""
    if chance.random() < 0.1:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: changed(inner, chance) for key, inner in value.items()}
    return [changed(inner, chance) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("log", [old_log, new_log])
def test_anything_may_stand_in_a_row(tmp_path: Path, log: Any) -> None:
    chance = random.Random(1)
    for number in range(25):
        tables = {
            table: [{key: changed(value, chance) for key, value in row.items()} for row in rows]
            for table, rows in log().items()
        }
        for found in read_runs(write_database(tmp_path / f"{number}.db", tables)):
            assert isinstance(found, Unreadable) or found.to_json()
