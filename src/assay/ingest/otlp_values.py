"""Attributes and values of OpenTelemetry's exports, out of the wrappings they come in."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import decode_json_text

# Attributes that some exports nest; everything below these names is flattened again.
_NESTED = ("gen_ai", "llm", "openinference", "input", "output", "tool", "session", "traceloop")
_DEEPEST = 32
# What messages of the protocol hold, and where a receiver keeps one that it wrote down.
SIGNALS = frozenset(
    {"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "resourceMetrics"}
)
AROUND_KEYS = ("body", "payload", "data", "request", "trace")


def sent_in(value: Any) -> Any:
    """A message of the protocol without what its receiver wrote around it; else the value."""
    if not isinstance(value, dict) or not SIGNALS.isdisjoint(value):
        return value
    inner = (_message(value.get(key)) for key in AROUND_KEYS)
    return next((found for found in inner if found is not None), value)


def _message(kept: Any) -> dict[str, Any] | None:
    if isinstance(kept, str) and any(signal in kept for signal in SIGNALS):
        kept = decode_json_text(kept)
    return kept if isinstance(kept, dict) and not SIGNALS.isdisjoint(kept) else None


def flat_attributes(recorded: Any) -> dict[str, Any] | None:
    """Flat attributes; None where there is something else in their place."""
    if isinstance(recorded, str):
        recorded = decode_json_text(recorded)
    if recorded is None:
        return {}
    if isinstance(recorded, list):
        return _otlp_attributes(recorded)
    if not isinstance(recorded, dict):
        return None
    nested = [key for key in _NESTED if isinstance(recorded.get(key), dict)]
    if not nested:
        return dict(recorded)
    flat = {key: value for key, value in recorded.items() if key not in nested}
    for key in nested:
        _flatten(recorded[key], key, flat, _DEEPEST)
    return flat


def _flatten(value: Any, name: str, flat: dict[str, Any], depth: int) -> None:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        value = {str(i): item for i, item in enumerate(value)}
    if not isinstance(value, dict) or depth == 0:
        flat[name] = value
        return
    for key, item in value.items():
        _flatten(item, f"{name}.{key}", flat, depth - 1)


def _otlp_attributes(pairs: list[Any]) -> dict[str, Any]:
    return {
        pair["key"]: plain_value(pair.get("value"))
        for pair in pairs
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
    }


def plain_value(value: Any, depth: int = _DEEPEST) -> Any:
    """The value in OTLP's typed wrapping; anything else as it is."""
    if not isinstance(value, dict) or len(value) != 1 or depth == 0:
        return value
    [(kind, inner)] = value.items()
    match kind.replace("_", "").lower():
        case "stringvalue" | "boolvalue" | "doublevalue" | "bytesvalue":
            return inner
        case "intvalue":
            return whole_number(inner)
        case "arrayvalue":
            return [plain_value(item, depth - 1) for item in _values(inner)]
        case "kvlistvalue":
            pairs = [pair for pair in _values(inner) if isinstance(pair, dict)]
            return {str(p.get("key")): plain_value(p.get("value"), depth - 1) for p in pairs}
    return value


def _values(wrapped: Any) -> list[Any]:
    values = wrapped.get("values") if isinstance(wrapped, dict) else None
    return values if isinstance(values, list) else []


def whole_number(value: Any) -> Any:
    """A number that was written as text; anything else as it is."""
    if not isinstance(value, str) or len(value) > 30:
        return value
    try:
        return int(value)
    except ValueError:
        return value
