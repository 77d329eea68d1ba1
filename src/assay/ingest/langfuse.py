"""Langfuse exports: a trace with its observations, the observations alone, or as they were sent.

Few observations are typed as tools: what instrumentations wrote as OTel or OpenInference
attributes is in their metadata, and is read from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest import openinference, otel, traceloop
from assay.ingest.documents import Document, Unreadable, unexpected
from assay.ingest.fields import (
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    text_at,
    text_or_none,
)
from assay.ingest.langfuse_spans import OBSERVATION, holds_observations, read_sent
from assay.ingest.otel import decoded
from assay.ingest.recording import Format, Recording
from assay.ingest.span_dialects import KIND
from assay.ingest.span_messages import Reply, answer_in, messages_in, prompt_in
from assay.ingest.span_results import named_arguments, reply_in
from assay.ingest.span_runs import read_runs
from assay.ingest.span_steps import (
    Role,
    Step,
    call_of,
    definitions_in,
    parameters_of,
    usage_in,
    with_stated,
)
from assay.ingest.spans import Piece, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

TYPES: dict[str, Role] = {
    "GENERATION": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "chain",
    "SPAN": "other",
    "EVENT": "other",
    "RETRIEVER": "other",
    "EMBEDDING": "other",
    "EVALUATOR": "other",
    "GUARDRAIL": "other",
}
USAGE = {
    "input_tokens": ("input", "prompt_tokens", "input_tokens", "promptTokens"),
    "output_tokens": ("output", "completion_tokens", "output_tokens", "completionTokens"),
    "cache_read_tokens": (
        "input_cache_read",
        "input_cached_tokens",
        "cache_read_input_tokens",
        "prompt_details.cache_read",
    ),
    "cache_write_tokens": ("input_cache_creation", "cache_creation_input_tokens"),
    "reasoning_tokens": (
        "output_reasoning",
        "output_reasoning_tokens",
        "completion_details.reasoning",
    ),
    "cost_usd": ("totalCost",),
}
# What SDKs put before the name of a tool.
TOOL_PREFIXES = ("execute_tool ", "running tool: ", "tool.")
TRACE = "langfuse.trace"
# How its Python SDK names what the API writes in camel case.
SNAKE_KEYS = {
    "trace_id": "traceId",
    "parent_observation_id": "parentObservationId",
    "start_time": "startTime",
    "end_time": "endTime",
    "status_message": "statusMessage",
    "usage_details": "usageDetails",
    "cost_details": "costDetails",
    "total_cost": "totalCost",
    "session_id": "sessionId",
    "provided_model_name": "providedModelName",
}
SCORE_KEYS = ("name", "value", "stringValue", "comment", "source")


def read_observations(document: Document, name: str) -> Iterator[Piece]:
    """The trace and the observations of a document as spans; what is neither is reported."""
    items = document.value if isinstance(document.value, list) else [document.value]
    if isinstance(document.value, dict) and isinstance(document.value.get("data"), list):
        items = document.value["data"]
    for i, item in enumerate(items, start=1):
        position = document.position or (i if len(items) > 1 else None)
        found = list(_spans_in(item, position))
        if not found:
            yield unexpected(name, item, "a Langfuse trace or observation", position)
        yield from found


def step_of(span: Span) -> Step:
    """What a trace or an observation says, by its own fields and by its attributes."""
    trace = span.attributes.get(TRACE)
    if isinstance(trace, dict):
        return _trace_step(span, trace)
    observation = span.attributes[OBSERVATION]
    step = _by_attributes(span)
    reply = reply_in(_plain(observation.get("output")))
    step.role = _role(observation, step.role, reply)
    step.model = _model(observation) or step.model
    step.usage = _usage(observation) or step.usage
    step.tools = step.tools or _tools(observation)
    metadata = _metadata(observation)
    step.session = step.session or text_or_none(metadata.get("thread_id"))
    if "langgraph_node" in metadata and span.scope == "langfuse-sdk":
        step.framework = "langgraph"
    _read_fields(step, observation, reply)
    return step


def _model(observation: dict[str, Any]) -> str | None:
    """The model as it was told; so exports to a bucket call it."""
    return text_at(observation, "model") or text_at(observation, "providedModelName")


def _trace_step(span: Span, trace: dict[str, Any]) -> Step:
    said = objects_in(trace.get("scores"))
    # A score of 0 is one; a comment that says nothing is none.
    kept = [{k: score[k] for k in SCORE_KEYS if score.get(k) not in (None, "")} for score in said]
    return Step(
        span=span,
        role="chain",
        prompt=prompt_in(_plain(trace.get("input"))),
        answer=answer_in(_plain(trace.get("output"))),
        session=text_or_none(trace.get("sessionId")),
        extra={"scores": kept} if kept else {},
    )


def _by_attributes(span: Span) -> Step:
    if KIND in span.attributes:
        return openinference.step_of(span)
    if any(key.startswith(traceloop.MARK) for key in span.attributes):
        return traceloop.step_of(span)
    return otel.step_of(span)


def _role(observation: dict[str, Any], by_attributes: Role, reply: Reply) -> Role:
    """Langfuse's type where it says something, else what the attributes or the output tell."""
    typed = TYPES.get(str(observation.get("type")), "other")
    if typed != "other" or by_attributes != "other":
        return by_attributes if typed == "other" else typed
    return "tool" if reply.tool and reply.call_id else "other"


def _read_fields(step: Step, observation: dict[str, Any], reply: Reply) -> None:
    told, said = _plain(observation.get("input")), _plain(observation.get("output"))
    if step.role == "tool":
        _read_call(step, told, reply)
    elif step.role == "model":
        step.inputs = step.inputs or messages_in(told, "user")
        step.outputs = step.outputs or messages_in(said, "assistant")
    elif step.role == "agent":
        step.agent = step.agent or text_or_none(step.span.name)
        step.prompt = step.prompt or prompt_in(told)
        step.answer = step.answer or (answer_in(said) if not step.outputs else None)


def _read_call(step: Step, told: Any, reply: Reply) -> None:
    if step.span.scope == "langsmith" and isinstance(wrapped := decoded(told), dict):
        told = wrapped.get("input", told)
    if step.call is None:
        name = step.span.name
        for prefix in TOOL_PREFIXES:
            name = name.removeprefix(prefix)
        step.call = call_of(step.span, reply.tool or name, arguments=named_arguments(told))
    call = step.call
    call.parameters = call.parameters or parameters_of(named_arguments(told))
    call.result = reply.content if call.result is None else call.result
    call.call_id = call.call_id or reply.call_id
    with_stated(call, failed=reply.failed)


def _usage(observation: dict[str, Any]) -> Any:
    details = observation.get("usageDetails") or observation.get("usage")
    found = dict(details) if isinstance(details, dict) else {}
    cost = observation.get("totalCost") or observation.get("calculatedTotalCost")
    cost = cost or dict_or_empty(observation.get("costDetails")).get("total")
    return usage_in({**found, "totalCost": cost}, USAGE)


def _tools(observation: dict[str, Any]) -> list[dict[str, Any]]:
    defined = observation.get("toolDefinitions")
    entries = defined.items() if isinstance(defined, dict) else []
    listed = [{"name": name, **_object(definition)} for name, definition in entries]
    return definitions_in(listed or _shown_tools(decoded(observation.get("input"))))


def _shown_tools(told: Any) -> Any:
    """Tools that were sent with the messages, or that LangChain's handler put among them."""
    if isinstance(told, dict):
        return told.get("tools")
    shown = [dict_or_empty(m.get("content")) for m in objects_in(told) if m.get("role") == "tool"]
    return [content for content in shown if content.get("type") == "function"]


def _spans_in(item: Any, position: int | None) -> Iterator[Span]:
    if not isinstance(item, dict):
        return
    listed = item.get("observations")
    if not isinstance(listed, list):
        yield from _observation_span(item, position)
        return
    inner = item.get("trace")
    trace = _in_camel_case(inner if isinstance(inner, dict) else item)
    around = text_or_none(trace.get("id"))
    if around:
        yield _trace_span(trace, position)
    for observation in objects_in(listed):
        yield from _observation_span(observation, position, around)


def _trace_span(trace: dict[str, Any], position: int | None) -> Span:
    return Span(
        trace_id=trace["id"],
        span_id=f"trace:{trace['id']}",
        name=text_or_none(trace.get("name")) or "trace",
        attributes={TRACE: trace},
        started_at=epoch_seconds(trace.get("timestamp")),
        position=position,
    )


def _in_camel_case(record: dict[str, Any]) -> dict[str, Any]:
    """A record by the API's own names."""
    if SNAKE_KEYS.keys().isdisjoint(record):
        return record
    return {SNAKE_KEYS.get(key, key): value for key, value in record.items()}


def _observation_span(
    observation: dict[str, Any], position: int | None, around: str | None = None
) -> Iterator[Span]:
    """One observation; the trace `around` it is its own where it names none."""
    observation = _in_camel_case(observation)
    trace_id, span_id = observation.get("traceId") or around, observation.get("id")
    if not (isinstance(trace_id, str) and isinstance(span_id, str)):
        return
    metadata = _metadata(observation)
    start, end = (epoch_seconds(observation.get(key)) for key in ("startTime", "endTime"))
    yield Span(
        trace_id=trace_id,
        span_id=span_id,
        name=text_or_none(observation.get("name")) or "",
        attributes={**_object(metadata.get("attributes")), OBSERVATION: observation},
        parent_id=text_or_none(observation.get("parentObservationId")) or f"trace:{trace_id}",
        started_at=start,
        ended_at=end,
        duration=None if start is None or end is None else max(end - start, 0.0),
        status="error" if observation.get("level") == "ERROR" else None,
        status_message=text_or_none(observation.get("statusMessage")),
        scope=text_or_none(_object(metadata.get("scope")).get("name")) or "",
        position=position,
    )


def _metadata(observation: dict[str, Any]) -> dict[str, Any]:
    return _object(observation.get("metadata"))


def _object(value: Any) -> dict[str, Any]:
    value = decoded(value)
    return value if isinstance(value, dict) else {}


def _plain(value: Any) -> Any:
    """Langfuse writes inputs and outputs as JSON, texts too: a text without its quotes."""
    if isinstance(value, str) and value.startswith('"'):
        text = decode_json_text(value)
        return text if isinstance(text, str) else value
    return value


def _recognise(recording: Recording) -> float:
    if holds_observations(recording):
        return 0.97
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, dict) and isinstance(first.get("data"), list):
        first = first["data"]
    if isinstance(first, list) and first:
        first = first[0]
    if not isinstance(first, dict):
        return 0.0
    listed = first.get("observations")
    if isinstance(listed, list):
        return 1.0 if any(map(_is_observation, objects_in(listed))) else 0.0
    # Others name a trace and a time as the Python SDK does, but no parent.
    is_own = "traceId" in first or "parent_observation_id" in first
    named = _in_camel_case(first).get("traceId") if is_own else None
    return 1.0 if _is_observation(first) and isinstance(named, str) else 0.0


def _is_observation(row: dict[str, Any]) -> bool:
    began = "startTime" in row or ("start_time" in row and "span_id" not in row)
    return row.get("type") in tuple(TYPES) and began


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    read = read_sent if holds_observations(recording) else read_observations
    return read_runs(recording, LANGFUSE.name, step_of, read)


LANGFUSE = Format(
    name="langfuse",
    title="Langfuse exports: traces with observations, JSON or JSONL; spans its SDK sends",
    fidelity=(
        "Whether the task succeeded is not recorded; scores given in Langfuse are kept in the "
        "run's extra. Only a level of ERROR reports a failure; every other level says nothing. "
        "Tokens and cost are Langfuse's figures, which it estimates where the model gave none. "
        "Frameworks that write their tools into prompts leave no trace of calls beyond the "
        "spans they emit."
    ),
    recognise=_recognise,
    read=_read,
)
