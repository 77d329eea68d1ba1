"""The calls of a run as cards: what was sent and why, what came back, whose fault it was."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec import Struct

from assay.evidence.json_leaves import ROOT
from assay.evidence.payload import unwrap
from assay.render.pages.json_text import JsonText, one_line
from assay.render.pages.visible_text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.evidence.traced_value import Origin, TracedValue
    from assay.execution import ToolExecutionResult
    from assay.render.run_page import JudgedCall

_LONGEST_VALUE = 400
# The sign of an origin, and its words: by the status of the value.
_SIGNS = {
    "reused": ("↻", "used before in this run"),
    "trivial": ("·", "needs no source"),
    "unchecked": ("·", "free text, not checkable"),
    "ahead": ("!", "used before it was known"),
    "nowhere": ("?", "from nowhere"),
}
_BAD = frozenset({"ahead", "nowhere"})


class ArgumentRow(Struct, frozen=True):
    """One value that was sent, and where it came from."""

    name: str
    value: str
    sign: str
    note: str
    target: str = ""
    is_bad: bool = False


class CallCard(Struct, frozen=True):
    """One call for a reader."""

    number: int
    server: str | None
    tool: str
    summary: str
    state: str
    blame: str | None
    kind: str | None
    why: list[str]
    arguments: list[ArgumentRow]
    result: Markup
    result_lines: int
    seconds: float | None
    turn: int | None
    inside: str | None
    left_out: int = 0


class TurnOfCalls(Struct, frozen=True):
    """Calls that were issued together."""

    number: int | None
    cards: list[CallCard]


def call_cards(
    calls: Sequence[JudgedCall],
    traced: Sequence[TracedValue],
    targets: Mapping[tuple[int, str], str],
) -> list[TurnOfCalls]:
    """The calls by turn; `targets` are the ids of values in results that something points to."""
    of_call: dict[int, list[TracedValue]] = {}
    for value in traced:
        of_call.setdefault(value.call, []).append(value)
    cards = [
        _card(place, judged, of_call.get(place, []), targets) for place, judged in enumerate(calls)
    ]
    return [TurnOfCalls(turn, list(held)) for turn, held in groupby(cards, lambda card: card.turn)]


def _card(
    place: int,
    judged: JudgedCall,
    traced: list[TracedValue],
    targets: Mapping[tuple[int, str], str],
) -> CallCard:
    call, blame = judged.call, judged.blame
    marks = {path: name for (owner, path), name in targets.items() if owner == place}
    text = JsonText(marks)
    result = text.write(unwrap(call.result).value) if call.result is not None else Markup("")
    return CallCard(
        number=place + 1,
        server=call.server,
        tool=call.tool,
        summary=one_line(call.parameters),
        state="ok" if call.success else "fail",
        blame=blame.category if blame else None,
        kind=blame.kind if blame else None,
        why=_why(judged),
        arguments=_arguments(call, traced, targets),
        result=result,
        result_lines=result.count("\n") + 1,
        seconds=call.execution_time,
        turn=call.turn,
        inside=call.parent_id,
        left_out=text.left_out,
    )


def _why(judged: JudgedCall) -> list[str]:
    call, blame, siblings = judged.call, judged.blame, judged.siblings
    told = {True: "reported ok", False: "reported a failure", None: "reported nothing"}
    sentences = [f"The server {told[call.reported_success]}."]
    if call.success_rule is not None and call.reported_success is not call.success:
        word = "ok" if call.success else "failed"
        sentences.append(f"Inferred: {word} (rule {call.success_rule}).")
    if not call.success:
        if call.error_message:
            sentences.append(f"“{visible(call.error_message)[:_LONGEST_VALUE]}”")
        if blame is not None:
            sentences.append(f"Blame: {blame.category}, {blame.kind} (rule {blame.rule}).")
        if siblings is not None and siblings.succeeded + siblings.failed:
            total = siblings.succeeded + siblings.failed
            sentences.append(
                f"The same call elsewhere succeeded {siblings.succeeded} of {total} times."
            )
    return sentences


def _arguments(
    call: ToolExecutionResult,
    traced: list[TracedValue],
    targets: Mapping[tuple[int, str], str],
) -> list[ArgumentRow]:
    if traced:
        return [_row(value, targets) for value in traced]
    if isinstance(call.parameters, dict) and not call.parameters:
        return []
    return [ArgumentRow("", _shown(call.parameters), "", "")]


def _row(value: TracedValue, targets: Mapping[tuple[int, str], str]) -> ArgumentRow:
    name = value.path.removeprefix(ROOT).lstrip(".")
    origin = next(iter(value.origins), None)
    sign, note = _SIGNS.get(value.status, ("", ""))
    target = ""
    if not sign and origin is not None:
        sign, note, target = _origin(origin, value, targets)
    if value.missing:
        note = f"{note}; not found: {', '.join(value.missing[:5])}".lstrip("; ")
    return ArgumentRow(name, _shown(value.value), sign, note, target, value.status in _BAD)


def _origin(
    origin: Origin, value: TracedValue, targets: Mapping[tuple[int, str], str]
) -> tuple[str, str, str]:
    """The sign, the words and the id of where a value was known from."""
    step = f" ({origin.step})" if origin.step else ""
    if origin.kind == "result" and origin.call is not None:
        path = origin.place.removeprefix(ROOT).lstrip(".")
        target = targets.get((origin.call, origin.place), f"call-{origin.call + 1}")
        place = f"call {origin.call + 1}" + (f" › {path}" if path else "") + step
        return str(origin.call + 1), place, target
    signs = {"prompt": "P", "conversation": "P", "schema": "S", "call": "↻"}
    words = {
        "prompt": "from the prompt",
        "conversation": "from the conversation",
        "schema": f"from the tool's schema ({origin.place})",
        "call": "used before in this run",
    }
    sign = "ƒ" if value.status == "derived" else signs.get(origin.kind, "?")
    return sign, words.get(origin.kind, "") + step, ""


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    quoted = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else text
    return quoted if len(quoted) <= _LONGEST_VALUE else f"{quoted[:_LONGEST_VALUE]}…"
