"""Replies with blocks of HTML in them, as Open WebUI shows thoughts, calls and code.

The text is taken apart, never rendered: what a block's attributes hold is data.
"""

from __future__ import annotations

import re
from collections import deque
from html import unescape
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import decode_arguments, decode_json_text, objects_in, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS, THOUGHTS, CODE = "tool_calls", "reasoning", "code_interpreter"
_BEGIN = re.compile(rf'<details\s+type="({CALLS}|{THOUGHTS}|{CODE})"')
_END = "</details>"
# A name is tried from its first letter only: a tag may be one long word.
_ATTRIBUTE = re.compile(r'(?<![a-z_])([a-z_]++)="([^"]*+)"')
_SUMMARY = re.compile(r"<summary>[^<]*</summary>")
_FENCE = re.compile(r"^```(\w*)\n(.*?)\n?```$", re.DOTALL)


class Words(NamedTuple):
    """What a reply says between its blocks."""

    text: str


class Thought(NamedTuple):
    """What a reply says that the model thought."""

    text: str


class ShownCall(NamedTuple):
    """A call as a block shows it; `is_done` says whether anything came back."""

    tool: str
    arguments: Any
    call_id: str | None
    result: Any
    is_done: bool


def shown_in(text: str) -> Iterator[Words | Thought | list[ShownCall]]:
    """The pieces of a reply in order; the calls of one block are a list."""
    place = 0
    while begin := _BEGIN.search(text, place):
        # Attributes are escaped, so that a tag ends with the first bracket.
        shut = text.find(">", begin.end())
        if shut < 0:
            break
        yield from _words(text[place : begin.start()])
        end = text.find(_END, shut)
        end = len(text) if end < 0 else end
        body = _SUMMARY.sub("", text[shut + 1 : end], count=1).strip()
        attributes = _ATTRIBUTE.findall(text[begin.end() : shut])
        told = {name: unescape(value) for name, value in attributes}
        yield from _block(begin[1], told, unescape(body))
        place = end + len(_END)
    yield from _words(text[place:])


def _words(text: str) -> list[Words]:
    return [Words(text.strip())] if text.strip() else []


def _block(
    kind: str, told: dict[str, str], body: str
) -> Iterator[Words | Thought | list[ShownCall]]:
    if kind == THOUGHTS:
        thought = "\n".join(line.removeprefix(">").strip() for line in body.splitlines())
        yield Thought(thought.strip())
    elif kind == CODE:
        yield [_run_code(told, body)]
    elif calls := _listed(told) if "content" in told else [_named(told, body)]:
        yield calls


def _run_code(told: dict[str, str], body: str) -> ShownCall:
    fenced = _FENCE.match(body)
    code = {"code": fenced[2], "language": fenced[1]} if fenced else {"code": body}
    return ShownCall(CODE, code, None, _decoded(told.get("output")), "output" in told)


def _named(told: dict[str, str], body: str) -> ShownCall:
    """The one call of a block, its result an attribute or, of some pipes, the block's text."""
    result = told.get("result", body or None)
    sent = _decoded(told.get("arguments"))
    return ShownCall(
        told.get("name", ""),
        decode_arguments(sent),
        told.get("id") or None,
        _decoded(result),
        result is not None,
    )


def _listed(told: dict[str, str]) -> list[ShownCall]:
    """The calls of a block that lists those of one reply, results beside them."""
    results: dict[str | None, deque[Any]] = {}
    for came in objects_in(decode_json_text(told.get("results", ""))):
        results.setdefault(text_at(came, "tool_call_id"), deque()).append(came.get("content"))
    calls = []
    for item in objects_in(decode_json_text(told["content"])):
        function = item.get("function")
        body = function if isinstance(function, dict) else item
        own = text_at(item, "id")
        waiting = results.get(own)
        is_done = bool(waiting)
        calls.append(
            ShownCall(
                text_at(body, "name") or "",
                decode_arguments(body.get("arguments")),
                own,
                waiting.popleft() if waiting else None,
                is_done,
            )
        )
    return calls


def _decoded(text: str | None) -> Any:
    """What an attribute holds: JSON where it is some, else its words."""
    value = decode_json_text(text) if text else None
    return text if value is None else value
