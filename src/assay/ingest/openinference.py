"""Spans in OpenInference's conventions, as Phoenix and Arize keep them.

Exports of MLflow, LangSmith, Weave, Braintrust and Opik are read the same way: see `span_dialects`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.ingest import otel
from assay.ingest.fields import objects_in, text_or_none
from assay.ingest.otel import decoded, first, first_text
from assay.ingest.python_literals import decode_loosely
from assay.ingest.recording import Format, Recording
from assay.ingest.span_dialects import KIND, MAY_BE_A_TOOL
from assay.ingest.span_messages import Message, answer_in, messages_in, prompt_in
from assay.ingest.span_results import reply_in
from assay.ingest.span_runs import read_runs
from assay.ingest.span_steps import Role, Step, call_of, definitions_in, usage_in, with_stated
from assay.ingest.spans import Span, below, sampled_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

SCOPE = "openinference."
KINDS: dict[str, Role] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent", "CHAIN": "chain"}
MODEL_KEYS = ("llm.model_name", "gen_ai.request.model", "gen_ai.response.model")
AGENT_KEYS = ("agent.name", "gen_ai.agent.name", "graph.node.id")
SESSION_KEYS = ("session.id", "gen_ai.conversation.id")
USAGE = {
    "input_tokens": ("llm.token_count.prompt",),
    "output_tokens": ("llm.token_count.completion",),
    "cache_read_tokens": ("llm.token_count.prompt_details.cache_read",),
    "cache_write_tokens": ("llm.token_count.prompt_details.cache_write",),
    "reasoning_tokens": ("llm.token_count.completion_details.reasoning",),
    "cost_usd": ("llm.cost.total",),
}
# BeeAI writes an event of a tool as a span; only the last of them tells of the whole call.
PASSING_EVENTS = (".start", ".finish", ".retry")
NOT_OUTERMOST = "remaining_steps"
# Where Google's SDK keeps the calls that it made itself.
SDK_CALLS = "automatic_function_calling_history"
# `Name(field=…` as classes print, `field='…' field=` as Pydantic's models do.
_PRINTED_OBJECT = re.compile(r"[A-Z]\w*\([a-z_]+=|[a-z_]+='[^']*' [a-z_]+=")


def step_of(span: Span) -> Step:
    """What a span says by OpenInference's conventions; one of another kind by OTel's."""
    span = _with_body(span)
    kind = first_text(span, (KIND,))
    if kind is None:
        return otel.step_of(span)
    role = KINDS.get(kind.upper(), "other")
    if role == "tool" and str(span.attributes.get("target", "")).endswith(PASSING_EVENTS):
        role = "other"
    step = Step(
        span=span,
        role=role,
        model=_requested_model(span) or first_text(span, MODEL_KEYS),
        agent=first_text(span, AGENT_KEYS),
        session=first_text(span, SESSION_KEYS),
        usage=usage_in(span.attributes, USAGE),
        tools=_tools(span),
    )
    if role == "tool":
        step.call = _tool_call(span)
        step.is_unsure = MAY_BE_A_TOOL in span.attributes
    elif _plans_a_call(span):
        step.role, step.call = "tool", _planned_call(span)
        step.key = f"{span.parent_id}/{step.call.tool}/{span.attributes['tool.parameters']}"
    else:
        _read_conversation(span, step)
    return step


def _read_conversation(span: Span, step: Step) -> None:
    told, said = span.attributes.get("input.value"), span.attributes.get("output.value")
    step.inputs = messages_in(below(span.attributes, "llm.input_messages"), "user")
    step.outputs = messages_in(below(span.attributes, "llm.output_messages"), "assistant")
    if step.role == "model":
        step.inputs = step.inputs or messages_in(told, "user") or messages_in(_prompts(span))
        step.outputs = step.outputs or messages_in(said, "assistant")
        step.outputs = [*_called_on_the_way(said), *step.outputs]
    elif step.role in {"agent", "chain"}:
        asked = prompt_in(told)
        step.prompt = _first_task(span) if asked is None or _is_printed(asked) else asked
        step.answer = None if step.role == "chain" and _is_printed(said) else answer_in(said)


def _first_task(span: Span) -> str | None:
    """What the first task of a crew asks for; CrewAI's spans have no other question."""
    tasks = objects_in(decoded(span.attributes.get("crew_tasks")))
    return text_or_none(tasks[0].get("description")) if tasks else None


def _is_printed(said: Any) -> bool:
    """Whether a framework handed an object on: how it prints is nobody's words."""
    return isinstance(said, str) and bool(_PRINTED_OBJECT.match(said))


def _called_on_the_way(said: Any) -> list[Message]:
    """The calls that Google's SDK made itself before the model answered, with their results."""
    # Replies are many and may be long: those without a history are not read again.
    whole = decoded(said) if not isinstance(said, str) or SDK_CALLS in said else None
    history = whole.get(SDK_CALLS) if isinstance(whole, dict) else None
    told = messages_in(history)
    asked = max((i for i, m in enumerate(told) if m.role == "user" and m.texts), default=-1)
    return told[asked + 1 :]


def _requested_model(span: Span) -> str | None:
    """The model that was asked for; the one beside it may be the version that answered."""
    sent = decoded(span.attributes.get("llm.invocation_parameters"))
    return text_or_none(sent.get("model")) if isinstance(sent, dict) else None


def _prompts(span: Span) -> Any:
    """The prompts of a completion model, which has no messages."""
    return decoded(span.attributes.get("llm.prompts"))


def _tool_call(span: Span) -> ToolExecutionResult:
    reply = reply_in(first(span, otel.RESULT_KEYS))
    named = first_text(span, ("tool.name", "gen_ai.tool.name")) or _target(span)
    call_id = first_text(span, ("tool.id", "tool_call.id", "gen_ai.tool.call.id"))
    call = call_of(
        span,
        named or reply.tool or span.name.removesuffix(".__call__"),
        arguments=_arguments(span),
        result=reply.content,
        call_id=call_id or reply.call_id,
    )
    return with_stated(call, failed=reply.failed)


def _arguments(span: Span) -> Any:
    """What the tool was called with; `tool.parameters` may be its schema instead."""
    sent = first(span, ("input.value", "gcp.vertex.agent.tool_call_args"))
    if sent is None:
        parameters = span.attributes.get("tool.parameters")
        return None if _is_schema(decoded(parameters)) else parameters
    call = decoded(sent)
    if isinstance(call, dict) and isinstance(call.get("kwargs"), dict) and _is_wrapped(call, span):
        return {**_named(call.get("args"), span), **call["kwargs"]}
    return sent


def _is_wrapped(call: dict[str, Any], span: Span) -> bool:
    """Whether arguments stand under what Python calls them, and the tool has none of that name."""
    declared = decoded(span.attributes.get("tool.parameters"))
    names = declared.get("properties", declared) if isinstance(declared, dict) else {}
    return "args" in call or (set(call) == {"kwargs"} and "kwargs" not in names)


def _named(values: Any, span: Span) -> dict[str, Any]:
    """Arguments that were passed by place, under the names the tool declares."""
    declared = decoded(span.attributes.get("tool.parameters"))
    names = list(declared) if isinstance(declared, dict) else []
    listed = values if isinstance(values, list) else []
    return {names[i] if i < len(names) else f"arg{i}": v for i, v in enumerate(listed)}


def _is_schema(parameters: Any) -> bool:
    return isinstance(parameters, dict) and isinstance(parameters.get("properties"), dict)


def _plans_a_call(span: Span) -> bool:
    """Whether an agent's step names a tool and what to call it with."""
    planned = span.attributes.get("tool.parameters")
    is_update = str(span.attributes.get("target", "")).startswith("agent.")
    return is_update and "tool.name" in span.attributes and planned not in (None, "null")


def _planned_call(span: Span) -> ToolExecutionResult:
    call = call_of(
        span,
        str(span.attributes["tool.name"]),
        arguments=span.attributes["tool.parameters"],
        result=span.attributes.get("output.value"),
    )
    # Such spans are closed when the run ends: theirs is not the end of the call.
    call.execution_time = call.ended_at = None
    return call


def _target(span: Span) -> str | None:
    """The tool in a name such as `tool.search.wikipedia.success`."""
    parts = str(span.attributes.get("target", "")).split(".")
    return ".".join(parts[1:-1]) or None if parts[0] == "tool" else None


def _tools(span: Span) -> list[dict[str, Any]]:
    listed = decoded(below(span.attributes, "llm.tools"))
    entries = (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )
    return definitions_in([_definition(entry) for entry in entries]) or otel.tools_on_offer(span)


def _definition(entry: dict[str, Any]) -> Any:
    tool = entry.get("tool")
    schema = decoded((tool if isinstance(tool, dict) else entry).get("json_schema"))
    if schema is None and "tool.name" in entry:
        return {"name": entry["tool.name"], "description": entry.get("tool.description")}
    return schema


def _with_body(span: Span) -> Span:
    """A span whose content was moved into an event, with it back in its place."""
    bodies = (event.body for event in span.events)
    body = next((b for b in bodies if isinstance(b, dict) and "output" in b), None)
    if body is None or KIND in span.attributes or not span.scope.startswith(SCOPE):
        return span
    told, said = _only_content(body.get("input")), _only_content(body["output"])
    kind = _kind_of(told, decode_loosely(said) if isinstance(said, str) else said)
    found = {"input.value": told, "output.value": said, KIND: kind}
    span.attributes.update({key: value for key, value in found.items() if value is not None})
    return span


def _only_content(side: Any) -> Any:
    messages = side.get("messages") if isinstance(side, dict) else None
    only = messages[0] if isinstance(messages, list) and len(messages) == 1 else None
    return only.get("content") if isinstance(only, dict) else None


def _kind_of(told: Any, said: Any) -> str:
    """The kind of a span that does not name it, by the form of what it gave back."""
    if not isinstance(said, dict):
        return "UNKNOWN"
    if "generations" in said:
        return "LLM"
    if "tool_call_id" in said:
        return "TOOL"
    is_run = "messages" in said and NOT_OUTERMOST not in str(told)
    return "AGENT" if is_run else "CHAIN"


def _recognise(recording: Recording) -> float:
    spans = sampled_spans(recording)
    keys = any(key.startswith(SCOPE) for span in spans for key in span.attributes)
    return 0.95 if keys or any(span.scope.startswith(SCOPE) for span in spans) else 0.0


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return read_runs(recording, OPENINFERENCE.name, step_of)


OPENINFERENCE = Format(
    name="openinference",
    title="OpenInference spans (Phoenix, Arize), and exports of MLflow, LangSmith and others",
    fidelity=(
        "Whether the task succeeded is not recorded; a run counts as failed only where its "
        "agent's span ended in an error. A span status of OK is what the instrumentation says, "
        "not the tool. No server is named. Where an agent SDK writes one span for all its model "
        "calls, which calls were asked for together is known only from their times. "
        "Redacted inputs stay as the placeholder text."
    ),
    recognise=_recognise,
    read=_read,
)
