"""Spans of Traceloop's OpenLLMetry: OTel's conventions and `traceloop.*` beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest import otel
from assay.ingest.otel import decoded, first, first_text
from assay.ingest.recording import Format, Recording
from assay.ingest.span_messages import Reply, answer_in, failed, messages_in, prompt_in
from assay.ingest.span_results import named_arguments, reply_in
from assay.ingest.span_runs import read_runs
from assay.ingest.span_steps import Role, Step, call_of, definitions_in, with_stated
from assay.ingest.spans import Span, below, sampled_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

MARK = "traceloop."
KIND = "traceloop.span.kind"
KINDS: dict[str, Role] = {"workflow": "agent", "agent": "agent", "tool": "tool", "task": "chain"}
# Frameworks that share an instrumentation with another, by the provider their spans name.
FRAMEWORKS = {"langgraph": "langgraph"}
SESSION_KEYS = (
    "gen_ai.conversation.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.chat_id",
)
ARGUMENT_KEYS = ("gen_ai.tool.call.arguments", "tool.arguments", "traceloop.entity.input")
RESULT_KEYS = ("gen_ai.tool.call.result", "traceloop.entity.output")
# What a crew was asked and gave back. What it used is told too, but counted from the first of
# all runs that shared a model.
PROMPT_KEYS = ("crewai.task.description",)
ANSWER_KEYS = ("crewai.crew.result",)
# What LangChain's callbacks put around the arguments of a tool.
CALLBACK_KEYS = frozenset({"input_str", "inputs"})
# What the instrumentation of MCP records of a call.
MCP_CALL = frozenset({"tool_name", "arguments"})
STATED = {"success": False, "failure": True}


def step_of(span: Span) -> Step:
    """What a span says by OTel's conventions, and what Traceloop says beside them."""
    step = otel.step_of(span)
    kind = first_text(span, (KIND,))
    if kind and step.role == "other":
        step.role = "tool" if "tool.name" in span.attributes else KINDS.get(kind, "other")
    step.session = first_text(span, SESSION_KEYS) or step.session
    step.framework = FRAMEWORKS.get(first_text(span, ("gen_ai.provider.name",)) or "")
    step.tools = step.tools or definitions_in(below(span.attributes, "llm.request.functions"))
    step.tools = step.tools or definitions_in(_sent_beside_messages(span, "tools"))
    step.tools = step.tools or definitions_in(decoded(span.attributes.get("crewai.task.tools")))
    if step.role == "tool":
        # Spans of the MCP protocol are nobody's but OTel's.
        step.call = step.call if "mcp.method.name" in span.attributes else _tool_call(span)
        return step
    told = span.attributes.get("traceloop.entity.input")
    said = _written(span.attributes.get("traceloop.entity.output"))
    if step.role == "model" and not any(m.texts or m.requests for m in step.outputs):
        step.outputs = messages_in(said, "assistant") or step.outputs
    elif step.role == "agent":
        step.prompt = step.prompt or prompt_in(told) or first_text(span, PROMPT_KEYS)
        step.answer = step.answer or answer_in(said or first_text(span, ANSWER_KEYS))
    elif step.role == "chain":
        # A task that runs tools shows the messages they gave back, with their status.
        step.outputs = [message for message in messages_in(said) if message.replies]
    return step


def _written(value: Any) -> Any:
    """The value of an attribute that may be JSON, or words."""
    read = decoded(value)
    return value if read is None and value != "null" else read


def _sent_beside_messages(span: Span, name: str) -> Any:
    """What a framework passed on to the model beside the messages."""
    told = decoded(span.attributes.get("traceloop.entity.input"))
    passed_on = told.get("kwargs") if isinstance(told, dict) and "messages" in told else None
    return passed_on.get(name) if isinstance(passed_on, dict) else None


def _tool_call(span: Span) -> ToolExecutionResult:
    reply = _of_mcp(span) or reply_in(first(span, RESULT_KEYS))
    entity = first_text(span, ("gen_ai.tool.name", "tool.name", "traceloop.entity.name"))
    call = call_of(
        span,
        entity or reply.tool or span.name.removesuffix(".tool"),
        arguments=_arguments(first(span, ARGUMENT_KEYS)),
        result=reply.content,
        call_id=first_text(span, otel.CALL_ID_KEYS) or reply.call_id,
    )
    status = first_text(span, ("gen_ai.task.status",))
    stated = reply.failed if reply.failed is not None else STATED.get(status or "")
    return with_stated(call, failed=stated)


def _of_mcp(span: Span) -> Reply | None:
    """What an MCP server gave back, out of what the instrumentation of MCP puts around it."""
    sent = decoded(span.attributes.get("traceloop.entity.input"))
    came = decoded(span.attributes.get("traceloop.entity.output"))
    if not isinstance(sent, dict) or set(sent) != MCP_CALL or not isinstance(came, dict):
        return None
    return Reply(came.get("result"), failed=failed(came))


def _arguments(sent: Any) -> Any:
    """The arguments out of what a callback or a decorator recorded around them."""
    recorded = decoded(sent)
    if not isinstance(recorded, dict):
        return sent
    if set(recorded) == MCP_CALL:
        return recorded["arguments"]
    if CALLBACK_KEYS & set(recorded) and "metadata" in recorded:
        inputs = recorded.get("inputs")
        return inputs if isinstance(inputs, dict) else recorded.get("input_str")
    return named_arguments(sent)


def _recognise(recording: Recording) -> float:
    keys = (key for span in sampled_spans(recording) for key in span.attributes)
    return 0.95 if any(key.startswith(MARK) for key in keys) else 0.0


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return read_runs(recording, TRACELOOP.name, step_of)


TRACELOOP = Format(
    name="traceloop",
    title="Traceloop (OpenLLMetry) spans: OTLP JSON, lines or arrays of spans",
    fidelity=(
        "Whether the task succeeded is not recorded; a run counts as failed only where its "
        "workflow or agent ended in an error. A tool that returns an error as text is reported "
        "as a success. No server is named. With content tracing off there is no question, no "
        "answer and no argument; calls are kept with empty ones."
    ),
    recognise=_recognise,
    read=_read,
)
