"""Spans that Langfuse's SDK sends are read as its exports are."""

from __future__ import annotations

import json
from typing import Any

from tests.ingest.reading import read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.langfuse import LANGFUSE
from assay.run import Usage

START = 1_767_225_600
TOOL = {"type": "function", "function": {"name": "rain", "parameters": {"type": "object"}}}
QUESTION = {"role": "user", "content": "Rain?"}
ASKED = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "function": {"name": "rain", "arguments": '{"city": "Oslo"}'}}],
}
GIVEN = {"role": "tool", "tool_call_id": "c", "content": "yes"}


def sent(name: str, kind: str, at: int, **facts: Any) -> dict[str, Any]:
    """A span as the SDK's own exporter prints it."""
    fields = {f"langfuse.observation.{key}": _text(value) for key, value in facts.items()}
    return {
        "context": {"trace_id": "t", "span_id": name},
        "parent_id": None if kind == "agent" else "helper",
        "name": name,
        "start_time": START + at,
        "end_time": START + at + 1,
        "attributes": {"langfuse.observation.type": kind, "session.id": "s", **fields},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def generation(name: str, at: int, told: Any, said: Any) -> dict[str, Any]:
    used = {"prompt_tokens": 5, "completion_tokens": 1}
    facts = {"model.name": "m", "usage_details": used, "cost_details": {"total": 0.5}}
    return sent(name, "generation", at, input=told, output=said, **facts)


AGENT = sent("helper", "agent", 0, input={"args": ["Rain?"], "kwargs": {}}, output="Yes.")
RAIN = sent("rain", "tool", 2, input={"args": [], "kwargs": {"city": "Oslo"}}, output="yes")
SPANS = (
    AGENT,
    generation("a", 1, {"tools": [TOOL], "messages": [QUESTION]}, ASKED),
    RAIN,
    generation("b", 3, {"messages": [QUESTION, ASKED, GIVEN]}, "Yes."),
)


def test_observations_as_they_were_sent() -> None:
    made_up = recording(SPANS, "spans.jsonl")
    assert pick_format(made_up)[0] is LANGFUSE
    run = read_one(LANGFUSE, made_up)
    assert run.execution_data is not None
    (call,) = run.execution_data.tool_executions
    assert (call.tool, call.call_id, call.parameters) == ("rain", "c", {"city": "Oslo"})
    assert (call.result, call.reported_success) == ("yes", None)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    assert (run.agent_id, run.session_id) == ("helper", "s")
    assert run.available_tools == [TOOL]
    assert run.usage == Usage(input_tokens=10, output_tokens=2, cost_usd=1.0)


def test_a_call_that_raised_has_failed() -> None:
    failed = {**RAIN, "status": {"code": "ERROR", "message": "no gauge"}}
    run = read_one(LANGFUSE, recording((AGENT, failed)))
    assert run.execution_data is not None
    (call,) = run.execution_data.tool_executions
    assert (call.reported_success, call.error_message) == (False, "no gauge")


def test_tools_that_langchains_handler_puts_among_the_messages() -> None:
    told = [QUESTION, {"role": "tool", "content": TOOL}]
    node = {"metadata.langgraph_node": '"model"', "metadata.thread_id": '"s2"'}
    model = sent("a", "generation", 1, input=told, output=ASKED, **node)
    model["instrumentation_scope"] = {"name": "langfuse-sdk"}
    run = read_one(LANGFUSE, recording((model,)))
    assert run.available_tools == [TOOL]
    assert (run.framework, run.session_id) == ("langgraph", "s")


def test_spans_of_others_beside_them() -> None:
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-2"}
    other = {**RAIN, "name": "chat", "attributes": {**chat, "gen_ai.input.messages": [QUESTION]}}
    (run,) = read(LANGFUSE, recording((AGENT, other)))
    assert (run.model, run.input) == ("m-2", "Rain?")
