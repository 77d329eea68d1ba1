"""The calls of a run as cards: what was sent and why, what came back, whose fault it was."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup
from msgspec import Struct

from assay.render.pages.argument_rows import ArgumentRow, argument_rows
from assay.render.pages.json_text import JsonText, is_table, one_line
from assay.render.pages.said import Said
from assay.render.run_page import state_of
from assay.text.leaves import ROOT
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence import ArgumentValue
    from assay.execution import ToolExecutionResult
    from assay.render.pages.sources import Sources
    from assay.render.run_page import JudgedCall

# All results of a page together, the least that each gets, and the most.
_ROOM_OF_PAGE = 160_000
_LEAST_ROOM = 600
_MOST_ROOM = 32_000
_FOLDED_LINES = 12
# Failures are open, but of very many only the first: the page is read from above.
_MOST_OPEN = 12
_ERROR_PATH = f"{ROOT}.error_message"


class Written(Struct, frozen=True):
    """A result as it stands on the page, and how much of it there is."""

    text: Markup
    lines: int
    size: int
    left_out: int
    was_text: bool
    is_table: bool

    @property
    def is_long(self) -> bool:
        """Whether it is folded."""
        return self.lines > _FOLDED_LINES


class CallCard(Struct, frozen=True):
    """One call for a reader."""

    number: int
    server: str | None
    tool: str
    summary: str
    state: str
    blame: str | None
    kind: str | None
    why: list[Said]
    error: Markup | None
    arguments: list[ArgumentRow]
    result: Written | None
    seconds: float | None
    turn: int | None
    inside: str | None
    is_open: bool


class TurnOfCalls(Struct, frozen=True):
    """Calls that were issued together."""

    number: int | None
    cards: list[CallCard]

    @property
    def is_parallel(self) -> bool:
        """Whether there are several in a turn that was recorded."""
        return self.number is not None and len(self.cards) > 1

    @property
    def ok(self) -> list[CallCard]:
        """Those that succeeded."""
        return [card for card in self.cards if card.state == "ok"]


def call_cards(
    calls: Sequence[JudgedCall], traced: Sequence[ArgumentValue], sources: Sources, shown: range
) -> list[TurnOfCalls]:
    """The calls of a page by turn; `shown` are their places."""
    room = min(_MOST_ROOM, max(_LEAST_ROOM, _ROOM_OF_PAGE // max(len(shown), 1)))
    written = {place: _written(calls[place].call, place, sources, room) for place in shown}
    errors = {place: _error(calls[place].call, place, sources) for place in shown}
    of_call: dict[int, list[ArgumentValue]] = {}
    for value in traced:
        of_call.setdefault(value.call, []).append(value)
    cards = [
        _card(calls, place, written[place], errors[place], of_call.get(place, []), sources)
        for place in shown
    ]
    return [TurnOfCalls(turn, list(held)) for turn, held in groupby(cards, lambda card: card.turn)]


def _written(call: ToolExecutionResult, place: int, sources: Sources, room: int) -> Written | None:
    if call.result is None:
        return None
    payload = unwrap(call.result)
    text = JsonText(sources.wanted(place), room=room)
    in_rows = is_table(payload.value)
    shown = text.write_table(payload.value) if in_rows else text.write(payload.value)
    sources.note(place, text.placed)
    lines = shown.count("<tr") if in_rows else shown.count("\n") + 1
    was_text = "json" in payload.layers or "fence" in payload.layers
    return Written(shown, lines, len(raw_result(call)), text.left_out, was_text, in_rows)


def _error(call: ToolExecutionResult, place: int, sources: Sources) -> Markup | None:
    if not call.error_message:
        return None
    text = JsonText(sources.wanted(place), room=2_000)
    shown = text.write(call.error_message, _ERROR_PATH)
    sources.note(place, text.placed)
    return shown


def raw_result(call: ToolExecutionResult) -> bytes:
    """The result as it was recorded: text as it is, all else as JSON."""
    if isinstance(call.result, str):
        return call.result.encode("utf-8", errors="replace")
    try:
        return msgspec.json.format(msgspec.json.encode(call.result), indent=2)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(call.result, default=str).encode("utf-8", errors="replace")


def _card(
    calls: Sequence[JudgedCall],
    place: int,
    written: Written | None,
    error: Markup | None,
    traced: list[ArgumentValue],
    sources: Sources,
) -> CallCard:
    judged = calls[place]
    call, blame = judged.call, judged.blame
    return CallCard(
        number=place + 1,
        server=call.server,
        tool=call.tool,
        summary=one_line(call.parameters),
        state=state_of(call),
        blame=blame.blame if blame else None,
        kind=blame.kind if blame else None,
        why=[*_why(judged), *_afterwards(calls, place)],
        error=error,
        arguments=argument_rows(judged, traced, sources),
        result=written,
        seconds=call.execution_time,
        turn=call.turn,
        inside=call.parent_id,
        is_open=call.failed and _earlier_failures(calls, place) < _MOST_OPEN,
    )


def _earlier_failures(calls: Sequence[JudgedCall], place: int) -> int:
    return sum(judged.call.failed for judged in calls[:place])


_INFERRED = {
    True: "Inferred: ok (rule {rule}).",
    False: "Inferred: failed (rule {rule}).",
    None: "Unknown (rule {rule}).",
}
_REPORTED = {
    True: "Reported: ok.",
    False: "Reported: failed.",
    None: "Nothing was reported.",
}


def _why(judged: JudgedCall) -> list[Said]:
    call, blame, siblings = judged.call, judged.blame, judged.siblings
    said = [Said(_REPORTED[call.reported_success])]
    if call.success_rule is not None and call.reported_success is not call.succeeded:
        word = _INFERRED[call.succeeded]
        said.append(Said(word, {"rule": call.success_rule}))
    if call.failed and blame is not None:
        said.append(Said("Blame by rule {rule}.", {"rule": blame.rule}))
    if call.failed and siblings is not None and siblings.succeeded + siblings.failed:
        counts: dict[str, Any] = {
            "n": siblings.succeeded,
            "total": siblings.succeeded + siblings.failed,
        }
        said.append(Said("The same call in other runs succeeded {n} of {total} times.", counts))
    return said


def _afterwards(calls: Sequence[JudgedCall], place: int) -> list[Said]:
    """What became of a failure: whether the tool was called again, and how that went."""
    failed = calls[place].call
    if not failed.failed:
        return []
    for later in range(place + 1, len(calls)):
        call = calls[later].call
        if (call.server, call.tool) == (failed.server, failed.tool):
            words = (
                "Called again as call {n}: ok."
                if call.success
                else "Called again as call {n}: failed."
            )
            return [Said(words, {"n": later + 1})]
    return [Said("Never called again.")]
