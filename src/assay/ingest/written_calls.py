"""Calls that a model wrote as words, and results that were told it as words.

As ReAct has it: a line with the action, then its input. Or between tags: JSON, Python's
literals, or one more tag for each argument, as Hermes, Qwen, GLM, Glaive and Nemotron write.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.ingest.fields import decode_arguments, objects_in, text_at
from assay.ingest.python_literals import decode_loosely

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTION = re.compile(r"(?m)^[ \t]*Action:[ \t]*([^\s`][^\n`]{0,99})\n[ \t]*Action Input:")
# How a call begins and ends; what has no end of its own reaches to the end of the words.
CALL_TAGS = (
    ("<tool_call>", "</tool_call>"),
    ("<TOOLCALL>", "</TOOLCALL>"),
    ("<function_call>", "</function_call>"),
    ("<functioncall>", "<|endoftext|>"),
)
_ENDLESS = "<functioncall>"
RESULT_TAGS = (
    ("<tool_response>", "</tool_response>"),
    ("<TOOL_RESPONSE>", "</TOOL_RESPONSE>"),
    ("<function_response>", "</function_response>"),
    ("<tool_result>", "</tool_result>"),
    ("<function_results>", "</function_results>"),
)
# What a harness writes before that which came back.
OBSERVED = ("Observation:", "OBSERVATION:")
# `<function=look><parameter=city>Oslo</parameter></function>`, and the same as attributes:
# `<invoke name="look"><parameter name="city">Oslo</parameter></invoke>`
_FUNCTION = re.compile(r"<(?:function=|invoke name=\"?)([^<>\s\"]{1,200})\"?>")
_FUNCTION_ENDS = {"<f": "</function>", "<i": "</invoke>"}
_PARAMETER = re.compile(r"<parameter(?:=| name=\"?)([^<>\s\"]{1,200})\"?>")
_PARAMETER_END = "</parameter>"
# `look<arg_key>city</arg_key><arg_value>Oslo</arg_value>`
_KEY, _KEY_END = "<arg_key>", "</arg_key>"
_VALUE, _VALUE_END = "<arg_value>", "</arg_value>"
_LONGEST_NAME = 200


def written_calls(words: str) -> list[dict[str, Any]]:
    """The calls that a reply states in words, each with a `name` and its `arguments`."""
    return tagged_calls(words) or reacted(words)


def reacted(words: str) -> list[dict[str, Any]]:
    """The call that a model wrote as ReAct has it: a line with the action, then its input."""
    action = _ACTION.search(words)
    if action is None:
        return []
    sent = words[action.end() :].partition("\nObservation")[0].strip().removesuffix("```").strip()
    decoded = decode_loosely(sent)
    return [
        {"name": action[1].strip(), "arguments": decoded if isinstance(decoded, dict) else sent}
    ]


def tagged_calls(words: str) -> list[dict[str, Any]]:
    """The calls that a model wrote between tags, where its server did not take them out."""
    if "<" not in words:
        return []
    found = [
        call
        for begin, end in CALL_TAGS
        for text in _between(words, begin, end)
        for call in _stated(text)
    ]
    return found or list(_functions(words))


def told_results(words: str) -> list[str]:
    """What words tell of results: each between tags, or all behind a mark; none of others."""
    for mark in OBSERVED:
        if words.startswith(mark):
            return [words.removeprefix(mark).strip()]
    found = (text.strip() for begin, end in RESULT_TAGS for text in _between(words, begin, end))
    return list(found)


def _between(words: str, begin: str, end: str) -> Iterator[str]:
    for part in words.split(begin)[1:]:
        inside, closed, _ = part.partition(end)
        if closed or begin == _ENDLESS:
            yield inside


def _stated(text: str) -> list[dict[str, Any]]:
    """The calls that stand between two tags."""
    decoded = decode_loosely(text.strip())
    items = objects_in(decoded if isinstance(decoded, list) else [decoded])
    calls = [
        {**item, "arguments": decode_arguments(item["arguments"])}
        for item in items
        if text_at(item, "name") and "arguments" in item
    ]
    return calls or list(_functions(text)) or _by_keys(text)


def _functions(text: str) -> Iterator[dict[str, Any]]:
    """Calls with a tag for the function and one for each of its parameters."""
    place = 0
    while named := _FUNCTION.search(text, place):
        place = text.find(_FUNCTION_ENDS[named[0][:2]], named.end())
        if place < 0:
            return
        body = text[named.end() : place]
        starts = list(_PARAMETER.finditer(body))
        ends = [start.start() for start in starts[1:]] + [len(body)] * bool(starts)
        sent = {
            start[1]: _unbroken(body[start.end() : stop].rpartition(_PARAMETER_END)[0])
            for start, stop in zip(starts, ends, strict=True)
        }
        yield {"name": named[1], "arguments": sent}


def _by_keys(text: str) -> list[dict[str, Any]]:
    """A call with a tag for each key and one for each value."""
    name, *pairs = text.split(_KEY)
    name = name.strip()
    if not pairs or not name or len(name) > _LONGEST_NAME or "\n" in name:
        return []
    sent = {}
    for pair in pairs:
        key, _, rest = pair.partition(_KEY_END)
        sent[key.strip()] = rest.partition(_VALUE)[2].rpartition(_VALUE_END)[0]
    return [{"name": name, "arguments": sent}]


def _unbroken(value: str) -> str:
    """A value without the line breaks that only set it apart from its tags."""
    return value.removeprefix("\n").removesuffix("\n")
