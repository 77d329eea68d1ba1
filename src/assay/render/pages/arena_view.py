"""Everything the arena's page shows, from the cells of a session as they are now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec import Struct

from assay.agents.harness import Event
from assay.arena.session import LONGEST_SHOWN, Cell, Prompt
from assay.arena.verdicts import OF_CODE, MetricLine, score_of, separating
from assay.metrics.chatbot.case_turn import PREFERENCES_KEY
from assay.metrics.chatbot.evaluator import CATEGORIES
from assay.metrics.chatbot.trace_twins import SUFFIX
from assay.render.pages.figures import NOTHING, score, seconds
from assay.render.pages.json_text import JsonText, one_line
from assay.render.pages.sequence import Diagram, execution, learning
from assay.render.run_page import state_of
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.execution import ToolExecutionResult
    from assay.score import Score

_ROOM = 16_000
_MOST_EVIDENCE = 12
_MOST_CALLS = 60
_MOST_TELLING = 3
_OF_CODE = frozenset(CATEGORIES[OF_CODE])
_LEAST_BAR = 0.4
_LONGEST_PROMPT = 20_000
_LONG, _MANY_LINES = 250, 3
# Errors come in the words of a framework, and would tell which one it is.
_HIDDEN = "hidden until it is judged"
# The state of a cell to its sign and word.
STATES = {
    "running": ("none", "answering"),
    "done": ("ok", "answered"),
    "failed": ("fail", "no answer"),
    "stopped": ("none", "stopped"),
}


class CallLine(Struct, frozen=True):
    """One call of a turn: what was sent, what came back."""

    tool: str
    server: str | None
    summary: str
    state: str
    seconds: float | None
    arguments: Markup
    result: Markup
    error: str | None


class MetricView(Struct, frozen=True):
    """A metric of one answer with its evidence, and what the run says to the same question."""

    name: str
    value: float | None
    reason: str
    label: str
    evidence: list[str]
    twin: MetricView | None = None

    @property
    def counted(self) -> float | None:
        """The value that counts in the score: of the run where it was asked, else of the words."""
        return self.value if self.twin is None else self.twin.value


class CellView(Struct, frozen=True):
    """One agent's part of a prompt; where its name is hidden, nothing here tells it."""

    cell: Cell
    is_hidden: bool
    sign: str
    word: str
    answer: str
    more_letters: int
    is_long: bool
    error: str | None
    calls: list[CallLine]
    more_calls: int
    tokens: int | None
    score: float | None
    why: str
    telling: list[MetricView]
    metrics: list[MetricView]
    execution: Diagram | None
    learning: Diagram | None
    known: list[str]


class Bar(Struct, frozen=True):
    """A stretch of time on the clock that the agents share; percents of the width."""

    kind: str
    left: float
    width: float
    words: str


class ClockLane(Struct, frozen=True):
    """What one agent waited for, and when."""

    letter: str
    bars: list[Bar]
    seconds: float | None


class PromptView(Struct, frozen=True):
    """A prompt with all its cells."""

    prompt: Prompt
    cells: list[CellView]
    clock: list[ClockLane]
    length: str
    text: str
    more_letters: int
    is_long: bool


def prompt_view(prompt: Prompt, *, hidden: bool = False) -> PromptView:
    """A prompt as the page shows it, the agents' names hidden or not."""
    cells = list(prompt.cells.values())
    longest = max((cell.seconds or 0.0 for cell in cells), default=0.0)
    done = not prompt.is_running and longest > 0
    clock = [_lane(cell, longest) for cell in cells] if done else []
    views = [cell_view(cell, cells, hidden=hidden) for cell in cells]
    text = prompt.text[:_LONGEST_PROMPT]
    more = len(prompt.text) - len(text)
    return PromptView(prompt, views, clock, seconds(longest), text, more, _is_long(text))


def _is_long(text: str) -> bool:
    """Whether a text may need to be scrolled, so that the keyboard has to reach it."""
    return len(text) > _LONG or text.count("\n") > _MANY_LINES


def cell_view(cell: Cell, cells: Sequence[Cell], *, hidden: bool = False) -> CellView:
    """A cell as the page shows it beside the others: first the metrics that hold them apart.

    Whoever judges without the names judges without the scores too, and without errors, which tell.
    """
    judged = None if hidden else cell.score
    events = [_neutral(event) for event in cell.events] if hidden else cell.events
    spreads = separating(cells)
    metrics = _metrics(judged, list(spreads))
    telling = sum(spread > 0 for name, spread in spreads.items() if name not in _OF_CODE)
    first = min(telling, _MOST_TELLING)
    sign, word = STATES[cell.state]
    calls = _calls(cell, events, hidden=hidden)
    answer = cell.answer
    usage = cell.case.usage if cell.case is not None else None
    used = (usage.input_tokens, usage.output_tokens) if usage else (None, None)
    return CellView(
        cell=cell,
        is_hidden=hidden,
        sign=sign,
        word=word,
        answer=answer[:LONGEST_SHOWN],
        more_letters=max(0, len(answer) - LONGEST_SHOWN),
        is_long=_is_long(answer),
        error=_HIDDEN if hidden and cell.error is not None else cell.error,
        calls=calls[:_MOST_CALLS],
        more_calls=max(0, len(calls) - _MOST_CALLS),
        tokens=sum(n for n in used if n is not None) if any(n is not None for n in used) else None,
        score=None if hidden else score_of(cell),
        why=judged.reason if judged is not None else "",
        telling=metrics[:first],
        metrics=metrics[first:],
        execution=execution(events),
        learning=learning(events),
        known=_known(cell),
    )


def _neutral(event: Event) -> Event:
    """The event without words that a framework chose."""
    data = {**event.data, "error": _HIDDEN} if event.data.get("error") else event.data
    return Event(event.at, event.kind, {"text": _HIDDEN} if event.kind == "note" else data)


def _calls(cell: Cell, events: Sequence[Event], *, hidden: bool) -> list[CallLine]:
    if cell.case is None:
        return _seen(events)
    return [_recorded(call, hidden=hidden and call.failed) for call in cell.case.calls]


def _recorded(call: ToolExecutionResult, *, hidden: bool) -> CallLine:
    shown = None if hidden else call.result
    return CallLine(
        tool=call.tool,
        server=call.server,
        summary=one_line(call.parameters, 80),
        state=state_of(call),
        seconds=call.execution_time,
        arguments=_json(call.parameters),
        result=_json(unwrap(shown).value) if shown is not None else Markup(""),
        error=_HIDDEN if hidden else call.error_message,
    )


def _seen(events: Sequence[Event]) -> list[CallLine]:
    """The calls of a turn that still runs: each with its result, if it has come."""
    results = [event for event in events if event.kind == "tool_result"]
    lines = []
    for event in events:
        if event.kind == "tool_call":
            own = (r for r in results if r.data.get("tool") == event.data.get("tool"))
            result = next(own, None)
            if result is not None:
                results.remove(result)
            lines.append(_running(event, result))
    return lines


def _running(event: Event, result: Event | None) -> CallLine:
    data, back = event.data, result.data if result is not None else {}
    state = "running" if result is None else "fail" if back.get("error") else "ok"
    return CallLine(
        tool=str(data.get("tool")),
        server=None,
        summary=one_line(data.get("arguments"), 80),
        state=state,
        seconds=None if result is None else result.at - event.at,
        arguments=_json(data.get("arguments")),
        result=_json(back["result"]) if back.get("result") is not None else Markup(""),
        error=back.get("error"),
    )


def _json(value: Any) -> Markup:
    return JsonText(room=_ROOM).write(value)


def _metrics(found: Score | None, order: Sequence[str]) -> list[MetricView]:
    if found is None:
        return []
    parts = {part.name: part for part in found.walk()}
    views = []
    for name in order:
        if name in parts:
            twin = parts.get(name + SUFFIX)
            views.append(_metric(parts[name], None if twin is None else _metric(twin, None)))
    return views


def _metric(part: Score, twin: MetricView | None) -> MetricView:
    evidence = [item.text for item in part.evidence if item.text not in part.reason]
    name = part.name.removesuffix(SUFFIX).replace("_", " ")
    return MetricView(name, part.value, part.reason, part.label, evidence[:_MOST_EVIDENCE], twin)


def _known(cell: Cell) -> list[str]:
    """What is known of the user after the turn."""
    kept: Any = (cell.case.additional_metadata or {}) if cell.case is not None else {}
    page = kept.get(PREFERENCES_KEY)
    flags = page.get("flags") if isinstance(page, dict) else None
    return [
        f"{name.replace('_', ' ')}: {'yes' if value else 'no'}"
        for name, value in (flags.items() if isinstance(flags, dict) else ())
    ]


_PAIRED = {"model_request": "model_reply", "tool_call": "tool_result"}


def _lane(cell: Cell, length: float) -> ClockLane:
    """The waits for model and tools: each event with the first answer to it after it."""
    bars: list[Bar] = []
    open_: list[Event] = []
    for event in cell.events:
        if event.kind in _PAIRED:
            open_.append(event)
            continue
        begun = next((e for e in open_ if _PAIRED[e.kind] == event.kind and _same(e, event)), None)
        if begun is not None:
            open_.remove(begun)
            bars.append(_bar(begun, event, length))
    return ClockLane(cell.letter, bars, cell.seconds)


def _same(begun: Event, ended: Event) -> bool:
    return begun.data.get("tool") == ended.data.get("tool")


def _bar(begun: Event, ended: Event, length: float) -> Bar:
    kind = "tool" if begun.kind == "tool_call" else "model"
    took = ended.at - begun.at
    name = str(begun.data.get("tool", "model"))
    return Bar(
        "fail" if ended.data.get("error") else kind,
        round(100 * min(begun.at / length, 1.0), 2),
        round(max(100 * took / length, _LEAST_BAR), 2),
        f"{name}, {seconds(took)}",
    )


class Formats(Struct, frozen=True):
    """How the figures of the table are written."""

    score: Callable[[float | None], str] = score
    milliseconds: Callable[[float | None], str] = lambda value: seconds(
        None if value is None else value / 1_000
    )
    plain: Callable[[float | None], str] = lambda value: (
        NOTHING if value is None else f"{value:.1f}"
    )


formats = Formats()


def mean_text(line: MetricLine, letter: str, write: Callable[[float | None], str]) -> str:
    """The mean of a letter's answers; a dash where there is none."""
    found = line.means.get(letter)
    return NOTHING if found is None or found.value is None else write(found.value)


def interval_text(line: MetricLine, letter: str, write: Callable[[float | None], str]) -> str:
    """The interval of a mean; nothing where there is none."""
    found = line.means.get(letter)
    if found is None or found.interval is None or found.n < 2:
        return ""
    return f"{write(found.interval.low)}–{write(found.interval.high)}"
