"""JSON as models write it into text: somewhere in it, and with line breaks inside strings."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from assay.json_values import MAX_DEPTH

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(rf'{_STRING}|["{{}}\[\]]', re.DOTALL)
_JSON_STRING = re.compile(_STRING, re.DOTALL)


def end_of_json(text: str, start: int) -> tuple[int, bool]:
    """How far the brackets that open here reach, and whether they close again."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        match token[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case '"':
                break
        if depth == 0 or depth > MAX_DEPTH:
            return token.end(), depth == 0
    return len(text), False


def decoded(text: str) -> Any:
    """The JSON value a text holds; None when it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return msgspec.json.decode(_JSON_STRING.sub(_with_escaped_breaks, text))
    except (ValueError, RecursionError):
        return None


def _with_escaped_breaks(string: re.Match[str]) -> str:
    """Models write line breaks into JSON strings as they are; JSON wants them escaped."""
    return string[0].replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
