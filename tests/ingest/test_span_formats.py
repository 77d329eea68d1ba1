"""The span formats know their own files, leave all others alone, and survive anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.ingest.documents import Unreadable
from assay.ingest.langfuse import LANGFUSE
from assay.ingest.openinference import OPENINFERENCE
from assay.ingest.otel import OTEL
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.traceloop import TRACELOOP
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Shared = Callable[..., Path]

FORMATS = {fmt.name: fmt for fmt in (OTEL, OPENINFERENCE, TRACELOOP, LANGFUSE)}
# A format is taken at its word from here on.
SURE = 0.5
FIXTURES = "strands-evals-otel-spans/mappers/fixtures/"
# Whose each file of the span folders is; files that are not named are nobody's here.
OWNERS = {
    **{
        f"otel-frameworks/spans_{name}.jsonl": "otel"
        for name in (
            "adk_litellm_func",
            "adk_openai_func",
            "adk_openai_func_nocontent",
            "adk_openai_mcp",
            "maf_func",
            "maf_func_nocontent",
            "maf_mcp",
            "openai_agents",
            "pydantic_ai",
        )
    },
    "otel-frameworks/spans_langgraph.jsonl": "traceloop",
    FIXTURES + "openai_agents_genai_live_spans.json": "traceloop",
    **{
        f"{FIXTURES}{name}_spans.json": "otel"
        for name in (
            "adk_live",
            "autogen_live",
            "openai_agents_genai_adot",
            "otel_genai_convention",
            "pydantic_ai_live",
        )
    },
    **{
        f"{FIXTURES}{name}_spans.json": "openinference"
        for name in (
            "claude_adot",
            "claude_live",
            "openai_agents_openinference_adot",
            "openai_agents_openinference_live",
            "openinference_adot",
            "openinference_live",
            "smolagents_live",
        )
    },
    "phoenix-spans/pxi_suggestion_traces.json": "openinference",
    "phoenix-spans/pxi_turn_subagent_trace.json": "openinference",
    "phoenix-spans/pxi_turn_trace.json": "openinference",
}
# Enough of each folder to meet every kind of file in it, without reading gigabytes.
MOST_FILES = 40
LARGEST = 8 * 1024 * 1024


def owner(name: str) -> str | None:
    is_trace = name.startswith("langfuse-framework-traces/") and name.endswith(".trace.json")
    return "langfuse" if is_trace else OWNERS.get(name)


def files_of(folder: Path) -> list[Path]:
    suffixes = {".json", ".jsonl", ".traj"}
    found = [p for p in sorted(folder.rglob("*")) if p.suffix in suffixes and p.is_file()]
    small = [path for path in found if path.stat().st_size < LARGEST]
    return small[:: max(1, len(small) // MOST_FILES)]


def test_every_file_has_one_owner_at_most(shared: Shared) -> None:
    data = shared("data")
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        for path in files_of(folder):
            name = str(path.relative_to(data))
            recording = Recording(FilePlace(path))
            claims = {key for key, fmt in FORMATS.items() if fmt.recognise(recording) >= SURE}
            assert claims == ({owner(name)} - {None}), name


def test_every_owned_file_is_looked_at(shared: Shared) -> None:
    data = shared("data")
    folders = {name.split("/")[0] for name in OWNERS}
    seen = {str(p.relative_to(data)) for folder in folders for p in files_of(data / folder)}
    assert set(OWNERS) <= seen


def test_spans_counts(shared: Shared) -> None:
    """All 127 spans are read, and each of the 11 + 19 of tools is told of by some call."""
    manifest = msgspec.json.decode(shared("data", "MANIFEST.json").read_bytes())
    published = manifest["strands-evals-otel-spans"]
    spans, tools, timed = 0, 0, 0
    names = [name for name in OWNERS if name.startswith(FIXTURES)]
    for name in names:
        path = shared("data", name)
        document = msgspec.json.decode(path.read_bytes())
        records = document["spans"] if isinstance(document, dict) else document
        kinds = [_kind(record["attributes"]) for record in records]
        spans += len(records)
        tools += kinds.count("execute_tool") + kinds.count("TOOL")
        for case in FORMATS[OWNERS[name]].read(Recording(FilePlace(path))):
            assert isinstance(case, AgentTestCase)
            timed += sum(1 for call in case.calls if call.execution_time is not None)
    assert (len(names), spans) == (published["files"], published["spans"])
    assert tools == published["kinds"]["execute_tool"] + published["kinds"]["TOOL"]
    # One more call has a span whose kind stands nowhere but in the form of its result.
    assert timed == tools + 1


def _kind(attributes: dict[str, Any]) -> object:
    named = attributes.get("openinference.span.kind")
    return named or attributes.get("gen_ai.operation.name")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_explains_itself(name: str) -> None:
    fmt = FORMATS[name]
    assert fmt.title
    assert "task succeeded is not recorded" in fmt.fidelity


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff", b"{", b"[]", b"7", b'{"a": 1}', b"null\n1\n"]
)
def test_what_is_no_recording_is_reported(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    recording = Recording(FilePlace(path))
    assert FORMATS[name].recognise(recording) == 0.0
    assert all(isinstance(found, Unreadable) for found in FORMATS[name].read(recording))


ATTRIBUTES = """
gen_ai.operation.name gen_ai.tool.name gen_ai.tool.call.arguments gen_ai.tool.call.result
gen_ai.input.messages gen_ai.output.messages gen_ai.tool.definitions gen_ai.usage.input_tokens
gen_ai.prompt.0.content gen_ai.conversation.id gen_ai.provider.name mcp.method.name error.type
openinference.span.kind tool.name tool.parameters target input.value output.value llm.tools
llm.output_messages.0.message.role llm.output_messages.0.message.tool_calls traceloop.span.kind
traceloop.entity.input traceloop.entity.output events ai.prompt.tools model_request_parameters
"""
KEYS = st.sampled_from(ATTRIBUTES.split())
INNER = st.sampled_from(
    ["role", "type", "parts", "content", "tool_calls", "function", "name", "id", "messages"]
)
WORDS = st.sampled_from(
    [
        "chat",
        "execute_tool",
        "invoke_agent",
        "TOOL",
        "LLM",
        "AGENT",
        "tool",
        "workflow",
        "tools/call",
        '{"a":1}',
        "[1",
        "{'a':1}",
        "agent.x",
        "tool.x.success",
        "assistant",
        "tool_call",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS | INNER | st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)
IDS = st.sampled_from(["a", "b", "c", "d"])
RECORDS = st.fixed_dictionaries(
    {"trace_id": IDS, "traceId": IDS, "span_id": IDS, "id": IDS, "name": st.text()},
    optional={
        "parent_span_id": IDS | VALUES,
        "parentObservationId": IDS,
        "type": st.sampled_from(["TOOL", "GENERATION", "SPAN", "AGENT"]) | VALUES,
        "start_time": st.integers(0, 2 * 10**18) | VALUES,
        "startTime": VALUES,
        "end_time": VALUES,
        "attributes": st.dictionaries(KEYS, VALUES | WORDS, max_size=6) | VALUES,
        "metadata": st.dictionaries(st.just("attributes"), st.dictionaries(KEYS, VALUES)) | VALUES,
        "status": VALUES,
        "level": VALUES,
        "events": st.lists(VALUES, max_size=2) | VALUES,
        "input": VALUES,
        "output": VALUES,
        "usageDetails": VALUES,
        "scope": VALUES,
    },
)


@pytest.mark.parametrize("name", FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=st.lists(RECORDS | VALUES, min_size=1, max_size=6))
def test_no_span_is_too_odd(tmp_path: Path, name: str, records: list[Any]) -> None:
    path = tmp_path / "odd.jsonl"
    try:
        path.write_bytes(b"\n".join(msgspec.json.encode(record) for record in records))
    except UnicodeEncodeError:
        return
    recording = Recording(FilePlace(path))
    assert 0.0 <= FORMATS[name].recognise(recording) <= 1.0
    for found in FORMATS[name].read(recording):
        if isinstance(found, AgentTestCase):
            assert AgentTestCase.from_json(found.to_json()) == found
        else:
            assert isinstance(found, Unreadable)
