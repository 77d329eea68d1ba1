"""What a failed result says of its failure beside the message: codes, types, reasons, statuses."""

from __future__ import annotations

from typing import Any

from assay.evidence.body_roles import Body

_MOST_BODIES = 12
_LONGEST_WORD = 300
# What may hold another body that tells of the same failure.
_INSIDE = ("error", "errors", "message")
_INSIDE_KEYS = ("extensions", "data", "response", "body")
_SPEAKING = ("error_code", "code", "status", "error", "message")
_NAMES = ("type", "name", "kind", "category", "__type", "error_type", "errorType")
_NUMBERED = ("http", "status", "code", "error_code", "error")


def bodies_of(result: Any) -> list[dict[Any, Any]]:
    """The dicts that tell of a failure, the innermost first."""
    if not isinstance(result, dict | list):  # most are told in words
        return []
    found: list[dict[Any, Any]] = []
    waiting: list[Any] = [result]
    while waiting and len(found) < _MOST_BODIES:
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting.extend(item[:2])
        elif isinstance(item, dict):
            found.append(item)
            inside = Body(item).all(*_INSIDE)
            inside += [item.get(key) for key in _INSIDE_KEYS]
            waiting.extend(inner for inner in inside if isinstance(inner, dict | list))
    return found[::-1]


def words_beside(result: Any) -> str:
    """The short words with which a failed result names its failure, one a line."""
    words = [
        word
        for body in bodies_of(result)
        for word in (*Body(body).all(*_SPEAKING), *(body.get(key) for key in _NAMES))
        if isinstance(word, str) and len(word) <= _LONGEST_WORD
    ]
    return "\n".join(dict.fromkeys(words))


def numbers_in(result: Any) -> list[int]:
    """The numbers that stand where a code or a status stands, the innermost first."""
    found = [number for body in bodies_of(result) for number in Body(body).all(*_NUMBERED)]
    return [int(number) for number in found if _is_number(number)]


def _is_number(item: Any) -> bool:
    if isinstance(item, str):
        return len(item) <= 6 and item.removeprefix("-").isdecimal()  # as -32603
    return isinstance(item, int) and not isinstance(item, bool)
