"""Tools on offer that the words to a model describe: in blocks, or as objects among the words."""

from __future__ import annotations

import json
import re
from typing import Any

from assay.errors import NotJson
from assay.ingest.fields import dict_or_empty, objects_in, text_at
from assay.json_values import json_value

# OpenHands, SWE-smith and R2E-Gym write each tool between such lines.
_BLOCK = re.compile(r"[-–]{2,4} BEGIN FUNCTION #\d{1,4}: ([\w.-]{1,100}) [-–]{2,4}\n")
_BLOCK_END = re.compile(r"[-–]{2,4} END FUNCTION #\d")
_PARAMETER = re.compile(
    r"(?m)^[ \t]*\(?\d{1,3}[.)][ \t]*\(?(\w{1,100})\)?[ \t]*\((\w{1,20}), (required|optional)\)"
    r"[ \t:–-]*([^\n]*)"
)
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
# How the object of a tool begins, as Glaive writes it, or a list of such objects.
_OBJECT = re.compile(r'(?:\[\s{0,20})?\{\s{0,20}"(?:name|type)"\s{0,20}:')
# So many beginnings may be none: each is read as far as it goes.
_MOST_WRONG = 20


def described_tools(words: str) -> list[dict[str, Any]]:
    """The tools that words describe, each with a name and a schema; none of other words."""
    blocks = list(_BLOCK.finditer(words))
    if not blocks:
        return _objects(words)
    ends = [*(block.start() for block in blocks[1:]), len(words)]
    return [
        _in_block(block[1], words[block.end() : end])
        for block, end in zip(blocks, ends, strict=True)
    ]


def _in_block(name: str, text: str) -> dict[str, Any]:
    if ended := _BLOCK_END.search(text):
        text = text[: ended.start()]
    about, _, listed = text.partition("Parameters:")
    found = list(_PARAMETER.finditer(listed))
    properties = {
        match[1]: {
            **({"type": match[2]} if match[2] in _TYPES else {}),
            "description": match[4].strip(),
        }
        for match in found
    }
    required = [match[1] for match in found if match[3] == "required"]
    return {
        "name": name,
        "description": about.strip().removeprefix("Description:").strip(),
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


def _objects(words: str) -> list[dict[str, Any]]:
    """The tools that stand as objects among words; what they are told for is not looked at."""
    tools: list[dict[str, Any]] = []
    place = wrong = 0
    while wrong < _MOST_WRONG and (begin := _OBJECT.search(words, place)):
        try:
            value, place = json.JSONDecoder().raw_decode(words, begin.start())
            value = json_value(value, "")
        except (ValueError, RecursionError, NotJson):
            wrong, place = wrong + 1, begin.end()
            continue
        tools += filter(_is_tool, objects_in(value if isinstance(value, list) else [value]))
    return tools


def _is_tool(value: dict[str, Any]) -> bool:
    """Whether an object describes a tool: an example of a call has a name and parameters too."""
    body = dict_or_empty(value.get("function")) or value
    is_told = text_at(body, "name") and text_at(body, "description")
    return bool(is_told) and isinstance(body.get("parameters"), dict)
