"""Runs out of Langfuse exports, worked out by hand and held to recorded ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.documents import Unreadable
from assay.ingest.fields import decode_arguments
from assay.ingest.langfuse import LANGFUSE, SNAKE_KEYS, TYPES, USAGE, read_observations, step_of
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.spans import Span, traces
from assay.run import RunOutcome, Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Shared = Callable[..., Path]

# The calls of each trace, by hand; traces that are not named here have none.
CALLS = {
    "agno-2025-06-11": ["duckduckgo_search"],
    "beeai-2025-08-01": ["Wikipedia", "OpenMeteoTool"],
    "claude-agent-2025-12-22": ["mcp__weather__get_weather", "mcp__weather__get_weather"],
    "csharp-agent-with-gemini-2026-03-09": ["get_custom_report", "final_result"],
    "google-adk-2025-08-28": ["say_hello"],
    "koog-2025-08-26": ["HelloTool", "ByeTool"],
    "langgraph-js-2025-10-30": ["get_weather"],
    "langgraph-python-2025-08-22": ["Web-Search"],
    "microsoft-agent-2025-12-17": ["get_weather"],
    "openai-agents-2025-09-30": ["get_weather"],
    "pydantic-ai-tools-2025-12-04": [
        "get_pun_suggestion",
        "get_dad_joke_suggestion",
        "get_one_liner_suggestion",
        "final_result",
    ],
    "vercel-aisdk-2025-11-17": ["getWeather"],
}


def read(path: Path) -> list[AgentTestCase]:
    found = list(LANGFUSE.read(Recording(FilePlace(path))))
    cases = [case for case in found if isinstance(case, AgentTestCase)]
    assert len(cases) == len(found), found
    return cases


def observation(span_id: str, kind: str, at: int = 0, **more: Any) -> dict[str, Any]:
    moment = f"2026-01-01T00:00:{at:02}.000Z"
    known = {"id": span_id, "traceId": "t", "type": kind, "name": span_id, "level": "DEFAULT"}
    return {**known, "startTime": moment, "endTime": moment, "parentObservationId": None, **more}


def export(tmp_path: Path, *observations: dict[str, Any], **trace: Any) -> Path:
    path = tmp_path / "trace.json"
    value = {"trace": {"id": "t", "name": "run", **trace}, "observations": observations}
    path.write_bytes(msgspec.json.encode(value))
    return path


def step(kind: str, **more: Any) -> Any:
    record = observation("o", kind, **more)
    return step_of(Span("t", "o", "o", {"langfuse.observation": record}))


def test_a_whole_trace(tmp_path: Path) -> None:
    sent = {"id": "c1", "function": {"name": "look", "arguments": '{"at":1}'}}
    asked = msgspec.json.encode({"role": "assistant", "tool_calls": [sent]}).decode()
    said = '{"role":"assistant","content":"Done"}'
    usage = {"usageDetails": {"input": 7, "output": 2, "total": 9}, "totalCost": 0.5}
    path = export(
        tmp_path,
        observation("g1", "GENERATION", 1, model="m-1", input="Go", output=asked, **usage),
        observation("look", "TOOL", 2, input='{"at":1}', output="found"),
        observation("g2", "GENERATION", 3, model="m-1", output=said, **usage),
        input='"{\\"prompt\\":\\"Go\\"}"',
        output='"Done"',
        sessionId="s1",
        scores=[{"id": "x", "name": "helpful", "value": 0, "source": "EVAL", "comment": None}],
    )
    [case] = read(path)
    assert (case.input, case.actual_output) == ("Go", "Done")
    assert (case.run_id, case.session_id, case.model) == ("t", "s1", "m-1")
    assert case.usage == Usage(input_tokens=14, output_tokens=4, cost_usd=1.0)
    assert case.extra == {
        "trace_id": "t",
        "scores": [{"name": "helpful", "value": 0, "source": "EVAL"}],
    }
    [call] = case.calls
    assert (call.tool, call.parameters, call.result) == ("look", {"at": 1}, "found")
    assert (call.call_id, call.turn, call.reported_success) == ("c1", 1, None)


def test_a_trace_whose_observations_do_not_name_it(tmp_path: Path) -> None:
    agent = observation("agent", "AGENT", input="Go", output="null")
    model = observation("g", "GENERATION", 1, usage={"promptTokens": 7})
    tool = observation("look", "TOOL", 2, parentObservationId="agent", input='{"at":1}')
    for known in (agent, model):
        del known["traceId"]
    tool["traceId"] = None
    path = tmp_path / "trace.json"
    path.write_bytes(msgspec.json.encode({"id": "t", "observations": [agent, model, tool]}))
    assert LANGFUSE.recognise(Recording(FilePlace(path))) == 1.0
    [case] = read(path)
    assert (case.run_id, case.input, case.actual_output) == ("t", "Go", None)
    assert [(call.tool, call.parameters) for call in case.calls] == [("look", {"at": 1})]
    assert case.usage == Usage(input_tokens=7)


def test_the_names_that_the_python_sdk_gives(tmp_path: Path) -> None:
    names = {camel: snake for snake, camel in SNAKE_KEYS.items()}
    whole = [
        observation("agent", "AGENT", input="Go", output="Done"),
        observation("g", "GENERATION", 1, parentObservationId="agent", usageDetails={"input": 7}),
        observation("look", "TOOL", 2, level="ERROR", statusMessage="gone"),
    ]
    renamed = [{names.get(key, key): value for key, value in o.items()} for o in whole]
    path = tmp_path / "trace.json"
    trace = {"id": "t", "session_id": "s1", "observations": renamed}
    path.write_bytes(msgspec.json.encode(trace))
    assert LANGFUSE.recognise(Recording(FilePlace(path))) == 1.0
    [case] = read(path)
    assert (case.input, case.actual_output, case.session_id) == ("Go", "Done", "s1")
    assert case.usage == Usage(input_tokens=7)
    assert [(call.tool, call.error_message) for call in case.calls] == [("look", "gone")]
    renamed[0]["parent_observation_id"] = None
    path.write_bytes(msgspec.json.encode(renamed))
    assert LANGFUSE.recognise(Recording(FilePlace(path))) == 1.0
    [alone] = read(path)
    assert (alone.run_id, alone.input, len(alone.calls)) == ("t", "Go", 1)
    del renamed[0]["parent_observation_id"]
    path.write_bytes(msgspec.json.encode(renamed))
    assert LANGFUSE.recognise(Recording(FilePlace(path))) == 0.0


def test_a_level_of_error_is_a_failure(tmp_path: Path) -> None:
    path = export(
        tmp_path,
        observation("agent", "AGENT", level="ERROR", statusMessage="crashed"),
        observation("look", "TOOL", level="ERROR", statusMessage="gone"),
    )
    [case] = read(path)
    assert case.outcome == RunOutcome(success=False, decided_by="span status", reason="crashed")
    [call] = case.calls
    assert (call.reported_success, call.success, call.error_message) == (False, False, "gone")


def test_tools_that_hide_in_spans(tmp_path: Path) -> None:
    attributes = {"openinference.span.kind": "TOOL", "tool.name": "look", "input.value": "{}"}
    metadata = msgspec.json.encode({"attributes": attributes}).decode()
    [case] = read(export(tmp_path, observation("x", "SPAN", metadata=metadata)))
    assert [call.tool for call in case.calls] == ["look"]
    message = (
        '{"content":"found","tool_call_id":"c1","name":"look","status":"success","type":"tool"}'
    )
    by_form = step("SPAN", input="{'at': 1}", output=message)
    assert (by_form.role, by_form.call.tool, by_form.call.call_id) == ("tool", "look", "c1")
    assert (by_form.call.parameters, by_form.call.result) == ({"at": 1}, "found")
    assert by_form.call.reported_success is True


@pytest.mark.parametrize("prefix", ["execute_tool ", "running tool: ", "tool.", ""])
def test_every_prefix_of_a_tool(tmp_path: Path, prefix: str) -> None:
    [case] = read(export(tmp_path, observation("x", "TOOL", name=f"{prefix}look")))
    assert [call.tool for call in case.calls] == ["look"]


def test_what_langsmith_puts_around_arguments(tmp_path: Path) -> None:
    metadata = {"scope": {"name": "langsmith"}, "attributes": {}}
    path = export(
        tmp_path, observation("look", "TOOL", input='{"input":{"at":1}}', metadata=metadata)
    )
    assert read(path)[0].calls[0].parameters == {"at": 1}


@pytest.mark.parametrize(("kind", "role"), TYPES.items())
def test_every_type(kind: str, role: str) -> None:
    assert step(kind).role == role


@pytest.mark.parametrize(
    ("field", "key"), [(field, key) for field, keys in USAGE.items() for key in keys]
)
def test_every_count(field: str, key: str) -> None:
    more = {"totalCost": 7} if field == "cost_usd" else {"usageDetails": {key: 7}}
    expected = Usage(**{field: 7})  # type: ignore[arg-type]  # a field of numbers
    assert step("GENERATION", **more).usage == expected


def test_other_shapes_of_an_export(tmp_path: Path) -> None:
    rows = [observation("g", "GENERATION"), {**observation("g", "GENERATION"), "traceId": "u"}]
    trace = {"id": "t", "name": "run", "observations": rows[:1]}
    # The first of two answers alone in their traces waits: a later trace may tell it too.
    for value, ids in (
        (rows, ["u", "t"]),
        (trace, ["t"]),
        ([trace], ["t"]),
        ({"data": [trace]}, ["t"]),
    ):
        path = tmp_path / "export.json"
        path.write_bytes(msgspec.json.encode(value))
        assert LANGFUSE.recognise(Recording(FilePlace(path))) == 1.0
        assert [case.run_id for case in read(path)] == ids
    lines = tmp_path / "rows.jsonl"
    lines.write_bytes(b"\n".join(msgspec.json.encode(row) for row in rows))
    assert [case.run_id for case in read(lines)] == ["u", "t"]


def test_what_is_no_observation_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(msgspec.json.encode(observation("g", "GENERATION")) + b'\n{"id": 1}\n7\n')
    case, first, second = sorted(
        LANGFUSE.read(Recording(FilePlace(path))), key=lambda found: isinstance(found, Unreadable)
    )
    assert isinstance(case, AgentTestCase)
    assert isinstance(first, Unreadable)
    assert isinstance(second, Unreadable)
    assert (first.position, second.position) == (2, 3)
    assert "expected a Langfuse trace or observation" in first.problem


def traces_of(shared: Shared) -> Iterator[tuple[str, Path]]:
    folder = shared("data", "langfuse-framework-traces")
    for path in sorted(folder.glob("*.trace.json")):
        yield path.name.removesuffix(".trace.json"), path


def test_frameworks_counts(shared: Shared) -> None:
    manifest = msgspec.json.decode(shared("data", "MANIFEST.json").read_bytes())
    published = manifest["langfuse-framework-traces"]
    found: Counter[str] = Counter()
    for _, path in traces_of(shared):
        recording = Recording(FilePlace(path))
        assert LANGFUSE.recognise(recording) == 1.0
        [spans] = traces(recording, read_observations)
        assert isinstance(spans, list)
        records = [span.attributes.get("langfuse.observation") for span in spans]
        found.update(record["type"] for record in records if record)
    assert len(list(traces_of(shared))) == published["traces"]
    assert found == published["observations"]


def test_frameworks_calls(shared: Shared) -> None:
    for name, path in traces_of(shared):
        [case] = read(path)
        assert [call.tool for call in case.calls] == CALLS.get(name, []), name
        assert all(call.result is not None for call in case.calls), name
        assert case.input, name
        assert case.usage is not None, name
        assert AgentTestCase.from_json(case.to_json()) == case


def expected_calls(chats: dict[str, Any]) -> set[tuple[str, bytes]]:
    """The calls in the answers of the normalised chats that lie beside a trace."""
    found = set()
    for chat in chats.values():
        answer = chat.get("output", {})
        for message in answer.get("data", []) if answer.get("success") else []:
            content = message.get("content")
            parts = content if isinstance(content, list) else []
            calls = [(c["name"], c["arguments"]) for c in message.get("tool_calls", [])]
            calls += [(p["name"], p["input"]) for p in parts if p.get("type") == "tool_use"]
            found |= {(name, sorted_json(decode_arguments(sent))) for name, sent in calls}
    return found


def sorted_json(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def test_every_call_of_the_normalised_chats_is_found(shared: Shared) -> None:
    compared = 0
    for name, path in traces_of(shared):
        chats = msgspec.json.decode(path.with_name(f"{name}.chatml.json").read_bytes())
        [case] = read(path)
        found = {(call.tool, sorted_json(call.parameters)) for call in case.calls}
        expected = expected_calls(chats)
        assert expected <= found, name
        compared += len(expected)
    assert compared == 15


def test_rows_as_they_are_exported_to_a_bucket() -> None:
    about = {"trace_id": "T", "start_time": "2026-10-01 10:00:01.0", "level": "DEFAULT"}
    model = {"id": "1", "type": "GENERATION", "name": "chat", "provided_model_name": "m"}
    tool = {"id": "2", "type": "TOOL", "name": "f", "input": '{"a": 1}', "output": "x"}
    run = read_one(LANGFUSE, recording(({**about, **model}, {**about, **tool})))
    (call,) = run.calls
    assert (run.model, call.tool, call.parameters, call.result) == ("m", "f", {"a": 1}, "x")
