"""Spans as other platforms export them, put into OpenInference's words.

These are MLflow, LangSmith, W&B Weave, Braintrust, Opik and PostHog.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    stable_id,
    text_at,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

KIND = "openinference.span.kind"
COST = "llm.cost.total"
# Says of a span that its platform calls tools and the steps around them alike.
MAY_BE_A_TOOL = "may_be_a_tool"
KINDS = {
    "llm": "LLM",
    "chat_model": "LLM",
    "tool": "TOOL",
    "agent": "AGENT",
    "chain": "CHAIN",
    "retriever": "RETRIEVER",
    "embedding": "EMBEDDING",
}
# What the outermost span of these kinds does is the run's work.
OUTERMOST = frozenset({"CHAIN", "UNKNOWN"})
MLFLOW_KIND = "mlflow.spanType"
# With this MLflow writes by OTel's conventions, too.
OPERATION = "gen_ai.operation.name"
# What has none of these is no record of a platform; there are many, and this is quick.
_SIGNS = frozenset({"op_name", "span_attributes", "trace_id", "spans", "properties"})
SESSION_KEYS = ("session_id", "thread_id", "conversation_id")
QUESTION_KEYS = ("question", "query", "prompt", "input", "task", "message")


def spelled_out(record: dict[str, Any]) -> dict[str, Any]:
    """A span in OpenInference's words; one that is no such export stays as it is."""
    if isinstance(record.get("run_type"), str) and isinstance(record.get("inputs"), dict):
        return _of_langsmith(record)
    attributes = record.get("attributes")
    if isinstance(attributes, dict) and MLFLOW_KIND in attributes:
        parent = record.get("parent_span_id") or record.get("parent_id")
        return {**record, "attributes": _of_mlflow(attributes, outermost=not parent)}
    if record.keys().isdisjoint(_SIGNS):
        return record
    put = next((put for keys, put in PLATFORMS if keys <= record.keys()), None)
    return record if put is None else put(record)


def spelled_attributes(attributes: dict[str, Any], *, outermost: bool) -> dict[str, Any]:
    """Attributes that MLflow sent in OTLP, in OpenInference's words; others as they are."""
    is_sent = MLFLOW_KIND in attributes and attributes.keys().isdisjoint((KIND, OPERATION))
    return _of_mlflow(attributes, outermost=outermost) if is_sent else attributes


def patched(batch: dict[str, Any]) -> dict[str, Any]:
    """The runs of a batch as LangSmith's client sends it: begun in one list, ended in another."""
    begun, ended = objects_in(batch.get("post")), objects_in(batch.get("patch"))
    if not begun:
        return batch
    told: dict[Any, dict[str, Any]] = {}
    for run in [*begun, *ended]:
        known = told.setdefault(text_at(run, "id") or len(told), {})
        known |= {key: value for key, value in run.items() if value or key not in known}
    return {"spans": list(told.values())}


def _kind(named: object, *, outermost: bool) -> str:
    kind = KINDS.get(str(named).lower(), "UNKNOWN")
    return "AGENT" if outermost and kind in OUTERMOST else kind


def _of_langsmith(run: dict[str, Any]) -> dict[str, Any]:
    kind = _kind(run["run_type"], outermost=not run.get("parent_run_id"))
    about = dict_or_empty(dict_or_empty(run.get("extra")).get("metadata"))
    told, said = run["inputs"], dict_or_empty(run.get("outputs")) or None
    error, used = text_at(run, "error"), dict_or_empty(dict_or_empty(said).get("usage_metadata"))
    if kind == "TOOL":
        told, said = _lone(told, "input"), _lone(said or {}, "output")
    elif kind == "AGENT":
        told = _asked(told)
    session = next(filter(None, (text_at(about, key) for key in SESSION_KEYS)), None)
    facts = {
        KIND: kind,
        "input.value": told,
        "output.value": said,
        "llm.model_name": text_at(about, "ls_model_name"),
        "llm.token_count.prompt": count_or_none(run.get("prompt_tokens", used.get("input_tokens"))),
        "llm.token_count.completion": count_or_none(
            run.get("completion_tokens", used.get("output_tokens"))
        ),
        COST: run.get("total_cost"),
        "session.id": session,
    }
    return {
        **run,
        "parent_span_id": run.get("parent_run_id"),
        "attributes": {key: value for key, value in facts.items() if value is not None},
        "events": [],
        "status": {"code": "error" if error else "ok", "message": error},
    }


def _spelled(record: dict[str, Any], kind: str, **facts: Any) -> dict[str, Any]:
    """A span with its facts by OpenInference's names; what is unknown is left out."""
    error = text_of(record.get("error") or record.get("exception")) or None
    usage = dict_or_empty(facts.get("usage"))
    tools = facts.get("tools")
    known = {
        KIND: kind,
        "input.value": facts.get("told"),
        "output.value": facts.get("said"),
        "llm.model_name": facts.get("model"),
        "llm.token_count.prompt": usage.get("prompt_tokens", usage.get("input_tokens")),
        "llm.token_count.completion": usage.get("completion_tokens", usage.get("output_tokens")),
        COST: usage.get("cost", usage.get("estimated_cost")),
        "llm.tools": [{"json_schema": tool} for tool in tools] if isinstance(tools, list) else None,
        "session.id": facts.get("session"),
        **dict_or_empty(facts.get("more")),
    }
    return {
        **record,
        "attributes": {key: value for key, value in known.items() if value is not None},
        "events": [],
        "status": {"code": "error" if error else None, "message": error},
    }


def _of_weave(call: dict[str, Any]) -> dict[str, Any]:
    """A call of W&B Weave; what kind it is shows in its attributes, or in what it took."""
    told, said = dict_or_empty(call.get("inputs")), call.get("output")
    about = dict_or_empty(dict_or_empty(call.get("attributes")).get("weave"))
    is_model = "messages" in told and "model" in told
    named = text_at(about, "kind") or ("llm" if is_model else None)
    kind = _kind(named, outermost=not call.get("parent_id"))
    record = {
        **call,
        # `weave:///team/project/op/NAME:DIGEST`
        "name": str(call["op_name"]).rsplit("/", 1)[-1].split(":", 1)[0],
        "start_time": call.get("started_at"),
        "end_time": call.get("ended_at"),
    }
    usage = dict_or_empty(said).get("usage")
    return _spelled(
        record,
        kind,
        told=_asked(told) if kind == "AGENT" else told,
        said=said,
        usage=usage,
        model=text_at(told, "model"),
        tools=told.get("tools"),
        session=text_at(call, "thread_id"),
    )


def _of_braintrust(row: dict[str, Any]) -> dict[str, Any]:
    about, metrics = dict_or_empty(row["span_attributes"]), dict_or_empty(row.get("metrics"))
    metadata = dict_or_empty(row.get("metadata"))
    parents = row.get("span_parents")
    parent = parents[0] if isinstance(parents, list) and parents else None
    record = {
        **row,
        "trace_id": row["root_span_id"],
        "parent_span_id": parent,
        "name": text_at(about, "name") or "span",
        "start_time": metrics.get("start"),
        "end_time": metrics.get("end"),
    }
    return _spelled(
        record,
        _kind(about.get("type"), outermost=parent is None),
        told=row.get("input"),
        said=row.get("output"),
        usage=metrics,
        model=text_at(metadata, "model"),
        tools=metadata.get("tools"),
        session=text_at(metadata, "session_id"),
    )


def _of_opik(span: dict[str, Any]) -> dict[str, Any]:
    """A span of Opik; one without a parent belongs to its trace, which may be there as well."""
    told = span.get("input")
    record = {**span, "parent_span_id": span.get("parent_span_id") or span["trace_id"]}
    return _spelled(
        record,
        _kind(span.get("type"), outermost=False),
        told=told,
        said=span.get("output"),
        usage=span.get("usage"),
        model=text_at(span, "model"),
        tools=dict_or_empty(told).get("tools"),
    )


def _of_opik_trace(trace: dict[str, Any]) -> dict[str, Any]:
    record = {**trace, "trace_id": trace["id"], "span_id": trace["id"]}
    told, said = dict_or_empty(trace.get("input")), dict_or_empty(trace.get("output"))
    return _spelled(
        record,
        "AGENT",
        told=_only(told, trace.get("input")),
        said=_only(said, trace.get("output")),
        session=text_at(trace, "thread_id"),
    )


def _of_posthog(event: dict[str, Any]) -> dict[str, Any]:
    """An event of PostHog about a model; any other event stays as it is."""
    written = event.get("properties")
    told = dict_or_empty(decode_json_text(written) if isinstance(written, str) else written)
    trace, ended = told.get("$ai_trace_id"), epoch_seconds(event.get("timestamp"))
    kind = POSTHOG_KINDS.get(str(event.get("event")))
    if kind is None or not isinstance(trace, str):
        return event
    took = amount_or_none(told.get("$ai_latency"))
    record = {
        "trace_id": trace,
        "span_id": text_at(told, "$ai_span_id") or text_at(event, "uuid") or stable_id(event),
        "parent_span_id": told.get("$ai_parent_id"),
        "name": text_at(told, "$ai_span_name") or kind,
        "start_time": ended if ended is None or took is None else ended - took,
        "end_time": ended,
        "error": _complaint(told) if told.get("$ai_is_error") else None,
    }
    replies = [m.get("message", m) for m in objects_in(told.get("$ai_output_choices"))]
    said = [{"message": _called(m)} for m in objects_in(replies)]
    is_model = kind == "LLM"
    return _spelled(
        record,
        kind,
        told={"messages": told.get("$ai_input")} if is_model else told.get("$ai_input_state"),
        said={"choices": said} if is_model else told.get("$ai_output_state"),
        usage={name: count_or_none(told.get(f"$ai_{name}")) for name in POSTHOG_COUNTS},
        model=text_at(told, "$ai_model"),
        tools=told.get("$ai_tools"),
        session=text_at(told, "$ai_session_id"),
        more={
            **({MAY_BE_A_TOOL: True} if kind == "TOOL" else {}),
            **{ours: told[theirs] for theirs, ours in POSTHOG_FACTS if theirs in told},
        },
    )


def _complaint(told: dict[str, Any]) -> str:
    """Why a step failed, in words; that it did is known."""
    error = told.get("$ai_error")
    inner = dict_or_empty(decode_json_text(error) if isinstance(error, str) else error)
    return text_at(inner, "message") or text_of(error) or "failed"


def _called(message: dict[str, Any]) -> dict[str, Any]:
    """A reply with its calls beside its words, where PostHog writes them among these."""
    parts = objects_in(message.get("content"))
    calls = [part for part in parts if isinstance(part.get("function"), dict)]
    words = [part for part in parts if part not in calls]
    return {**message, "content": words, "tool_calls": calls} if calls else message


def _asked(told: dict[str, Any]) -> Any:
    """What a run was asked, where one of its inputs is called so."""
    return next((told[key] for key in QUESTION_KEYS if isinstance(told.get(key), str)), told)


def _only(value: dict[str, Any], otherwise: Any) -> Any:
    """The one text in an object of one text."""
    texts = list(value.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else otherwise


def _lone(value: dict[str, Any], key: str) -> Any:
    return value[key] if set(value) == {key} else value


def _of_mlflow(attributes: dict[str, Any], *, outermost: bool) -> dict[str, Any]:
    known = {key: _value(value) for key, value in attributes.items()}
    usage = dict_or_empty(known.get("mlflow.chat.tokenUsage"))
    tools = known.get("mlflow.chat.tools")
    facts = {
        KIND: _kind(known[MLFLOW_KIND], outermost=outermost),
        "input.value": known.get("mlflow.spanInputs"),
        "output.value": known.get("mlflow.spanOutputs"),
        "llm.model_name": known.get("mlflow.llm.model") or known.get("model"),
        "llm.token_count.prompt": usage.get("input_tokens"),
        "llm.token_count.completion": usage.get("output_tokens"),
        "llm.tools": [{"json_schema": tool} for tool in tools] if isinstance(tools, list) else None,
    }
    return {**known, **{key: value for key, value in facts.items() if value is not None}}


def _value(written: Any) -> Any:
    """MLflow writes each attribute as JSON text."""
    decoded = decode_json_text(written) if isinstance(written, str) else None
    return written if decoded is None and written != "null" else decoded


POSTHOG_KINDS = {"$ai_generation": "LLM", "$ai_span": "TOOL", "$ai_trace": "AGENT"}
POSTHOG_COUNTS = ("input_tokens", "output_tokens")
POSTHOG_FACTS = (
    ("$ai_cache_read_input_tokens", "llm.token_count.prompt_details.cache_read"),
    ("$ai_cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write"),
    ("$ai_reasoning_tokens", "llm.token_count.completion_details.reasoning"),
    ("$ai_total_cost_usd", "llm.cost.total"),
)
# Each platform by keys that all of its records have; the first that fits is taken.
PLATFORMS: tuple[tuple[frozenset[str], Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
    (frozenset({"op_name", "trace_id", "inputs"}), _of_weave),
    (frozenset({"event", "properties"}), _of_posthog),
    (frozenset({"span_attributes", "root_span_id", "span_id"}), _of_braintrust),
    (frozenset({"trace_id", "type", "start_time", "input", "output"}), _of_opik),
    (frozenset({"id", "name", "start_time", "input", "output", "spans"}), _of_opik_trace),
)
