"""When the calls of a run happened: a lane a server, calls at the same time one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.render.pages.figures import seconds
from assay.render.run_page import state_of

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

_ROW_HEIGHT = 20
_LEAST_WIDTH = 0.3
_MOST_LANES = 40
_MOST_NUMBERED = 60
_MOST_LINKED = 300
_TICKS = 5
# The distances between ticks that people read easily, in seconds.
_STEPS = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30),
    *(60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400),
)


class Bar(Struct, frozen=True):
    """One call on its lane; places are percents of the width, `row` counts from the top."""

    number: int
    left: float
    width: float
    row: int
    state: str
    label: str


class Lane(Struct, frozen=True):
    """The calls of one server."""

    name: str
    bars: list[Bar]

    @property
    def height(self) -> int:
        """In pixels."""
        return _ROW_HEIGHT * (1 + max((bar.row for bar in self.bars), default=0)) + 2


class Timeline(Struct, frozen=True):
    """All lanes on one axis; without recorded times it shows the order, not the time."""

    lanes: list[Lane]
    ticks: list[tuple[float, str]]
    is_time: bool
    left_out: int = 0
    thinking: list[tuple[float, float]] = []
    seconds: float | None = None
    tool_seconds: float | None = None

    @property
    def model_seconds(self) -> float | None:
        """The time in which no call was under way."""
        if self.seconds is None or self.tool_seconds is None:
            return None
        return self.seconds - self.tool_seconds

    @property
    def is_crowded(self) -> bool:
        """Whether there are so many bars that only failures lead to their calls."""
        return sum(len(lane.bars) for lane in self.lanes) > _MOST_LINKED

    @property
    def is_dense(self) -> bool:
        """Whether there are too many bars to number each."""
        return sum(len(lane.bars) for lane in self.lanes) > _MOST_NUMBERED


class _Span(Struct, frozen=True):
    number: int
    lane: str
    start: float
    end: float
    state: str
    label: str


def timeline(case: AgentTestCase) -> Timeline | None:
    """The timeline of a run; None without calls."""
    if not case.calls:
        return None
    timed = all(c.started_at is not None and c.ended_at is not None for c in case.calls)
    spans = _timed(case) if timed else _ordered(case)
    begin, end = min(s.start for s in spans), max(s.end for s in spans)
    if timed and case.started_at is not None and case.ended_at is not None:
        begin, end = min(begin, case.started_at), max(end, case.ended_at)
    length = (end - begin) or 1.0
    names = list(dict.fromkeys(span.lane for span in spans))
    lanes = [
        _lane(name, [s for s in spans if s.lane == name], begin, length)
        for name in names[:_MOST_LANES]
    ]
    left_out = max(0, len(names) - _MOST_LANES)
    if not timed:
        return Timeline(lanes, [], timed, left_out)
    gaps = _gaps(spans, begin, end)
    thinking = [
        (round(100 * (start - begin) / length, 2), round(100 * (stop - start) / length, 2))
        for start, stop in gaps
    ]
    busy = end - begin - sum(stop - start for start, stop in gaps)
    return Timeline(lanes, _ticks(length), timed, left_out, thinking, end - begin, busy)


def _gaps(spans: list[_Span], begin: float, end: float) -> list[tuple[float, float]]:
    """When no call was under way: the model's time, or whatever else the run did."""
    gaps, at = [], begin
    for span in sorted(spans, key=lambda span: span.start):
        if span.start > at:
            gaps.append((at, span.start))
        at = max(at, span.end)
    return [*gaps, (at, end)] if end > at else gaps


def _timed(case: AgentTestCase) -> list[_Span]:
    return [
        _Span(
            i,
            call.server or call.tool,
            call.started_at or 0.0,
            max(call.ended_at or 0.0, call.started_at or 0.0),
            state_of(call),
            f"{call.tool}, {seconds((call.ended_at or 0.0) - (call.started_at or 0.0))}",
        )
        for i, call in enumerate(case.calls, start=1)
    ]


def _ordered(case: AgentTestCase) -> list[_Span]:
    """Equal steps: calls of one turn stand side by side, others one after the other."""
    step, last, spans = -1, object(), []
    for i, call in enumerate(case.calls, start=1):
        together = call.turn is not None and call.turn == last
        step += not together
        last = call.turn if call.turn is not None else object()
        state = state_of(call)
        lane = call.server or call.tool
        spans.append(_Span(i, lane, float(step), step + 0.9, state, call.tool))
    return spans


def _lane(name: str, spans: list[_Span], begin: float, length: float) -> Lane:
    ends: list[float] = []
    bars = []
    for span in sorted(spans, key=lambda span: span.start):
        row = next((i for i, end in enumerate(ends) if end <= span.start), len(ends))
        ends[row : row + 1] = [span.end]
        width = max(100 * (span.end - span.start) / length, _LEAST_WIDTH)
        left = 100 * (span.start - begin) / length
        bars.append(Bar(span.number, round(left, 2), round(width, 2), row, span.state, span.label))
    return Lane(name, bars)


def _ticks(length: float) -> list[tuple[float, str]]:
    step = next((step for step in _STEPS if length / step <= _TICKS), length / _TICKS)
    places = [i * step for i in range(int(length / step) + 1)]
    return [
        (round(100 * place / length, 2), seconds(place) if place else "0 s") for place in places
    ]
