"""Tools whose parameters are described with Python's names of types, as JSON Schema has them."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import dict_or_empty

# Names of types that JSON Schema calls otherwise; a type it does not know is left open.
TYPES = {
    "dict": "object",
    "float": "number",
    "tuple": "array",
    "list": "array",
    "bool": "boolean",
    **{name: name for name in ("object", "number", "array", "boolean", "string", "integer")},
}
# The same for parameters that are listed without a schema around them.
SHORT_TYPES = {**TYPES, "str": "string", "int": "integer", "set": "array"}
_DEEPEST = 50
_OPTIONAL = "optional"


def in_json_schema(value: Any, depth: int = 0) -> Any:
    """A schema with the types that JSON Schema knows; what it does not know has none."""
    if isinstance(value, list):
        return [in_json_schema(item, depth + 1) for item in value] if depth < _DEEPEST else value
    if not isinstance(value, dict) or depth >= _DEEPEST:
        return value
    found = {key: in_json_schema(item, depth + 1) for key, item in value.items()}
    kind = found.get("type")
    if isinstance(kind, str):
        found.pop("type")
        if kind in TYPES:
            found["type"] = TYPES[kind]
    return found


def with_schema(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool with a schema for its parameters, also where they are only listed (xLAM)."""
    parameters = tool.get("parameters")
    if not isinstance(parameters, dict):
        return tool
    if isinstance(parameters.get("properties"), dict) or isinstance(parameters.get("type"), str):
        return {**tool, "parameters": in_json_schema(parameters)}
    told = {name: dict_or_empty(value) for name, value in parameters.items()}
    required = [
        name
        for name, value in told.items()
        if "default" not in value and _OPTIONAL not in str(value.get("type")).lower()
    ]
    properties = {name: _described(value) for name, value in told.items()}
    schema = {"type": "object", "properties": properties, "required": required}
    return {**tool, "parameters": schema}


def _described(parameter: dict[str, Any]) -> dict[str, Any]:
    kind = str(parameter.get("type")).partition(",")[0].partition("[")[0].strip().lower()
    told = {key: value for key, value in parameter.items() if key != "type"}
    return {**told, "type": SHORT_TYPES[kind]} if kind in SHORT_TYPES else told
