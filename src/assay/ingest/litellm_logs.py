"""LiteLLM: what its proxy logs of each request, as rows of its callbacks or of its spend table."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import (
    amount_or_none,
    decode_json_text,
    dict_or_empty,
    objects_in,
    text_at,
)

MARKS = frozenset({"call_type", "startTime", "endTime", "response"})
COST_KEYS = ("response_cost", "spend")
SESSION_KEYS = ("session_id", "trace_id")
# Where the request as a client sent it lies, and its body in there.
REQUEST, BODY = "proxy_server_request", "body"


def logged_row(value: dict[str, Any]) -> dict[str, Any]:
    """A row of LiteLLM's as a request with its response; any other value as it is."""
    if "call_type" not in value or not value.keys() >= MARKS:
        return value
    request = _object(value.get(REQUEST))
    request = _object(request.get(BODY)) or request
    response = _object(value.get("response"))
    told = {
        "messages": _messages(value.get("messages")) or _messages(request.get("messages")),
        "response": response,
        "tools": _object(value.get("model_parameters")).get("tools") or request.get("tools"),
        "session_id": next((found for key in SESSION_KEYS if (found := text_at(value, key))), None),
        "created": value["startTime"],
        "ended": value["endTime"],
        "usage": _usage(value, response),
    }
    known = {key: item for key, item in told.items() if item is not None}
    return {k: v for k, v in value.items() if k != REQUEST} | known


def _object(value: object) -> dict[str, Any]:
    return dict_or_empty(decode_json_text(value) if isinstance(value, str) else value)


def _messages(value: object) -> list[dict[str, Any]]:
    return objects_in(decode_json_text(value) if isinstance(value, str) else value)


def _usage(value: dict[str, Any], response: dict[str, Any]) -> dict[str, Any] | None:
    """The tokens of a request, with what it cost."""
    counted = dict_or_empty(response.get("usage")) or {
        key: value[key] for key in ("prompt_tokens", "completion_tokens") if value.get(key)
    }
    costs = (amount_or_none(value.get(key)) for key in COST_KEYS)
    cost = next((found for found in costs if found is not None), None)
    return (counted if cost is None else {**counted, "cost": cost}) or None
