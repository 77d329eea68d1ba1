"""Traces of the OpenAI Agents SDK, as its trace processors export them: spans, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.documents import Document, Unreadable, unexpected
from assay.ingest.fields import dict_or_empty, epoch_seconds, id_or_none, text_or_none
from assay.ingest.recording import Format, Recording
from assay.ingest.span_messages import Message, Reply, messages_in
from assay.ingest.span_results import content_in
from assay.ingest.span_runs import read_runs
from assay.ingest.span_steps import Role, Step, call_of, definitions_in, usage_in
from assay.ingest.spans import Piece, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

ROLES: dict[str, Role] = {
    "agent": "agent",
    "generation": "model",
    "response": "model",
    "function": "tool",
    "handoff": "tool",
    "custom": "chain",
}
USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
}
_TRACE, _SPAN = "trace", "trace.span"
_TASK_KEYS = ("task_id", "taskId")


def read_exported(document: Document, name: str) -> Iterator[Piece]:
    """The traces and spans of a document; what is neither is reported."""
    items = document.value if isinstance(document.value, list) else [document.value]
    for i, item in enumerate(items, start=1):
        position = document.position or (i if len(items) > 1 else None)
        if not _is_exported(item):
            yield unexpected(name, item, "a trace or a span of the Agents SDK", position)
        else:
            yield _trace(item, position) if item["object"] == _TRACE else _span(item, position)


_OWN_STEP = "custom"
_TASK = "task"
_OWN_STEPS = (_TASK, "turn")


def step_of(span: Span) -> Step:
    """What an exported trace or span says."""
    told = span.attributes
    if told.get("object") == _TRACE:
        kept = {"metadata": told["metadata"]} if told.get("metadata") else {}
        session = text_or_none(told.get("group_id"))
        return Step(span=span, role="chain", session=session, extra=kept)
    data = dict_or_empty(told.get("span_data"))
    step = Step(
        span=span,
        role=ROLES.get(str(data.get("type")), "other"),
        model=text_or_none(data.get("model")),
        framework="openai-agents",
    )
    if step.role == "model":
        step.inputs = messages_in(data.get("input"), "user")
        step.outputs = messages_in(data.get("output"), "assistant")
        step.usage = usage_in(dict_or_empty(data.get("usage")), USAGE)
    elif step.role == "agent":
        step.agent = span.name
        step.tools = definitions_in([{"name": name} for name in _texts(data.get("tools"))])
    elif data.get("type") == "handoff":
        step.call = call_of(span, _handing_over(text_or_none(data.get("to_agent")) or ""))
    elif step.role == "tool":
        server = text_or_none(dict_or_empty(data.get("mcp_data")).get("server"))
        sent, came = data.get("input"), content_in(data.get("output"))
        step.call = call_of(span, span.name, arguments=sent, result=came, server=server)
    elif data.get("type") == _OWN_STEP:
        _read_own_step(step, dict_or_empty(data.get("data")))
    return step


def _read_own_step(step: Step, told: dict[str, Any]) -> None:
    """The SDK's own steps around the models: the whole task with what it used, and its turns."""
    kind = told.get("sdk_span_type")
    if kind not in _OWN_STEPS:
        return
    step.role, step.agent = "agent", text_or_none(told.get("agent_name"))
    step.usage = usage_in(dict_or_empty(told.get("usage")), USAGE) if kind == _TASK else None
    error = dict_or_empty(step.span.attributes.get("error"))
    refused = text_or_none(dict_or_empty(error.get("data")).get("tool_name"))
    if refused:
        reply = Reply(text_or_none(error.get("message")), tool=refused, failed=True)
        step.outputs = [Message("tool", replies=[reply])]


def _handing_over(agent: str) -> str:
    """The tool by which a model hands over to an agent."""
    return f"transfer_to_{agent.replace(' ', '_').lower()}"


def _trace(item: dict[str, Any], position: int | None) -> Span:
    return Span(
        trace_id=item["id"],
        span_id=_root(item["id"]),
        name=text_or_none(item.get("workflow_name")) or _TRACE,
        attributes=item,
        position=position,
    )


def _span(item: dict[str, Any], position: int | None) -> Span:
    error, trace_id = item.get("error"), item["trace_id"]
    start, end = (epoch_seconds(item.get(key)) for key in ("started_at", "ended_at"))
    return Span(
        trace_id=trace_id,
        span_id=item["id"],
        name=text_or_none(dict_or_empty(item.get("span_data")).get("name")) or "",
        attributes=item,
        parent_id=text_or_none(item.get("parent_id")) or _root(trace_id),
        started_at=start,
        ended_at=end,
        duration=None if start is None or end is None else max(end - start, 0.0),
        status="error" if error else None,
        status_message=_words_of(error),
        position=position,
    )


def _words_of(error: Any) -> str | None:
    """What went wrong; the details say more than the message, which is always the same."""
    told = dict_or_empty(error)
    return text_or_none(dict_or_empty(told.get("data")).get("error")) or text_or_none(
        told.get("message")
    )


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _root(trace_id: str) -> str:
    return f"trace:{trace_id}"


def _is_exported(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        return False
    is_span = item.get("object") == _SPAN and isinstance(item.get("trace_id"), str)
    return is_span or item.get("object") == _TRACE


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, list) and first:
        first = first[0]
    return 1.0 if _is_exported(first) else 0.0


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for found in read_runs(recording, OPENAI_AGENTS.name, step_of, read_exported):
        if not isinstance(found, Unreadable):
            metadata = dict_or_empty(found.extra.get("metadata"))
            names = (id_or_none(metadata.get(key)) for key in _TASK_KEYS)
            found.task_id = next(filter(None, names), None)
        yield found


OPENAI_AGENTS = Format(
    name="openai-agents",
    title="OpenAI Agents SDK: exported traces and spans",
    fidelity=(
        "A function that raised is reported as failed, often without its words. Spans of the "
        "Responses API hold neither question nor answer; those of chat completions do, where "
        "sensitive data is traced. Servers are named for MCP calls; tools by name alone. A task is "
        "known where the trace's metadata has a task_id, the outcome where a run broke off."
    ),
    recognise=_recognise,
    read=_read,
)
