"""How a judge's reply is read: in whatever wrapping it comes, and never as a zero."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from assay.errors import JudgeFailed
from assay.judge.marks import mark_of, reasons_in
from assay.judge.rubric import DIMENSION_NAMES, VOID_ALLOWED
from assay.records import preview

# A thought never reaches past the next one: looking further for its end would cost a square.
_THINKING = re.compile(
    r"<think(?:ing)?>(?:(?!<think).)*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE
)
# A judge that writes more than this has lost its way; its last words count.
_LONGEST_REPLY = 50_000
_OPENING = re.compile(r'\{(?=\s*["}])')  # of no other brace can an object come
_DECODER = json.JSONDecoder()
_MARKS = Decoder(dict[str, Any])
_DIMENSIONS = frozenset(DIMENSION_NAMES)
_WRAPPERS = ("scores", "marks", "evaluation", "result")
_NAME = f"""["'](?P<name>{"|".join(DIMENSION_NAMES)})"""
# A number is whole only if something follows it: the 1 of a reply cut off may have been a 10.
_LOOSE_MARK = re.compile(
    _NAME
    + r"""["']\s*:\s*(?:\{\s*["'](?:score|mark|value)["']\s*:\s*)?"""
    + r"""(?:(?P<number>-?\d{1,6}(?:\.\d{1,12})?)(?=[\s,}\]])|"(?P<text>[^"\n]{1,20})"|null)"""
)
_LOOSE_REASON = re.compile(
    _NAME + r"""_reason(?:ing)?["']\s*:\s*"(?P<text>(?:[^"\\]|\\.){1,2000})\""""
)


class Replied(Struct, frozen=True):
    """What a reply says: marks (None is void), reasons, and what is wrong with the other marks.

    The problem of a mark that is not there at all is empty.
    """

    values: dict[str, float | None]
    reasons: dict[str, str] = {}
    problems: dict[str, str] = {}

    @property
    def complaint(self) -> str:
        """What is wrong, in a few words; empty when all is there."""
        return complaint(self.problems)

    def joined(self, other: Replied) -> Replied:
        """This reading completed by a later one."""
        values = {**other.values, **self.values}
        still = {n: p for n, p in {**self.problems, **other.problems}.items() if n not in values}
        return Replied(values, {**other.reasons, **self.reasons}, still)


def read_reply(judge: str, reply: object, asked: tuple[str, ...] = DIMENSION_NAMES) -> Replied:
    """Read a reply: an object, or text with JSON somewhere in it, whole or not.

    A dimension that is missing or no mark is named in `problems`. A reply without a single
    mark is an error.
    """
    found = _object_in(reply)
    if found is None:
        raise JudgeFailed(f"{judge} replied without a JSON object: {preview(reply)}")
    values: dict[str, float | None] = {}
    problems: dict[str, str] = {}
    for name in asked:
        try:
            value = mark_of(found.get(name), name)
        except JudgeFailed as exc:
            problems[name] = str(exc)
            continue
        if value is not None or (name in found and name in VOID_ALLOWED):
            values[name] = value
        else:
            problems[name] = ""
    if problems and all(value is None for value in values.values()):
        raise JudgeFailed(f"{judge} {complaint(problems)}: {preview(reply)}")
    return Replied(values, reasons_in(found), problems)


def complaint(problems: Mapping[str, str]) -> str:
    """What is wrong with a reply in a few words: what was left out, then what is no mark."""
    missing = [name for name, problem in problems.items() if not problem]
    left_out = [f"left out {', '.join(missing)}"] if missing else []
    wrong = [f"gave no mark ({problem})" for problem in problems.values() if problem]
    return "; ".join([*left_out, *wrong])


def _object_in(reply: object) -> Mapping[str, Any] | None:
    if isinstance(reply, str):
        reply = _only_json_in(reply) or _json_in(_THINKING.sub("", reply[-_LONGEST_REPLY:]))
    elif hasattr(reply, "model_dump"):
        reply = reply.model_dump()
    if not isinstance(reply, Mapping):
        return None
    for key in _WRAPPERS:
        if key in reply and isinstance(reply[key], Mapping):
            return {**reply[key], **reply}
    return reply


def _only_json_in(text: str) -> Mapping[str, Any] | None:
    """The marks of a reply that is nothing else, as most are; None where there is more to it."""
    if len(text) > _LONGEST_REPLY:
        return None
    try:
        found = _MARKS.decode(text)
    except (MsgspecError, UnicodeError, RecursionError):
        return None
    return found if _names_dimension(found) else None


def _json_in(text: str) -> Mapping[str, Any] | None:
    """The last JSON object that names a dimension, else what can be picked up of a broken one."""
    found: Mapping[str, Any] | None = None
    opening = _OPENING.search(text)
    while opening is not None:
        try:
            value, end = _DECODER.raw_decode(text, opening.start())
        except ValueError:
            end = opening.end()
        except RecursionError:  # no reply is so deep; from each next brace it would be as deep
            break
        else:
            if found is None or _names_dimension(value) or not _names_dimension(found):
                found = value
        opening = _OPENING.search(text, end)
    if found is None or not _names_dimension(found):
        return _picked_up(text) or found
    return found


def _names_dimension(value: Mapping[str, Any]) -> bool:
    return not _DIMENSIONS.isdisjoint(value) or any(
        not _DIMENSIONS.isdisjoint(inner) for inner in value.values() if isinstance(inner, Mapping)
    )


def _picked_up(text: str) -> dict[str, Any]:
    """Marks and reasons of JSON that is cut off or not well formed; of several the last."""
    reasons = {f"{m['name']}_reason": m["text"] for m in _LOOSE_REASON.finditer(text)}
    marks = {m["name"]: m["number"] or m["text"] for m in _LOOSE_MARK.finditer(text)}
    return {**reasons, **marks} if marks else {}
