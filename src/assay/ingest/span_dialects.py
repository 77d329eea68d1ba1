"""Spans as MLflow and LangSmith export them, put into OpenInference's words."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import count_or_none, decode_json_text, dict_or_empty, text_at

KIND = "openinference.span.kind"
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
SESSION_KEYS = ("session_id", "thread_id", "conversation_id")


def spelled_out(record: dict[str, Any]) -> dict[str, Any]:
    """A span in OpenInference's words; one that is no such export stays as it is."""
    if isinstance(record.get("run_type"), str) and isinstance(record.get("inputs"), dict):
        return _of_langsmith(record)
    attributes = record.get("attributes")
    if isinstance(attributes, dict) and MLFLOW_KIND in attributes:
        return {**record, "attributes": _of_mlflow(record, attributes)}
    return record


def _kind(named: object, *, outermost: bool) -> str:
    kind = KINDS.get(str(named).lower(), "UNKNOWN")
    return "AGENT" if outermost and kind in OUTERMOST else kind


def _of_langsmith(run: dict[str, Any]) -> dict[str, Any]:
    kind = _kind(run["run_type"], outermost=not run.get("parent_run_id"))
    about = dict_or_empty(dict_or_empty(run.get("extra")).get("metadata"))
    told, said = run["inputs"], dict_or_empty(run.get("outputs"))
    if kind == "TOOL":
        told, said = _lone(told, "input"), _lone(said, "output")
    error = text_at(run, "error")
    session = next(filter(None, (text_at(about, key) for key in SESSION_KEYS)), None)
    facts = {
        KIND: kind,
        "input.value": told,
        "output.value": said,
        "llm.model_name": text_at(about, "ls_model_name"),
        "llm.token_count.prompt": count_or_none(run.get("prompt_tokens")),
        "llm.token_count.completion": count_or_none(run.get("completion_tokens")),
        "session.id": session,
    }
    return {
        **run,
        "parent_span_id": run.get("parent_run_id"),
        "attributes": {key: value for key, value in facts.items() if value is not None},
        "events": [],
        "status": {"code": "error" if error else "ok", "message": error},
    }


def _lone(value: dict[str, Any], key: str) -> Any:
    return value[key] if set(value) == {key} else value


def _of_mlflow(span: dict[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    known = {key: _value(value) for key, value in attributes.items()}
    usage = dict_or_empty(known.get("mlflow.chat.tokenUsage"))
    tools = known.get("mlflow.chat.tools")
    parent = span.get("parent_span_id") or span.get("parent_id")
    facts = {
        KIND: _kind(known[MLFLOW_KIND], outermost=not parent),
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
