"""Who spoke to whom in one turn, as arrows between lanes: only what was recorded is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.records import cut
from assay.render.pages.figures import seconds
from assay.render.pages.json_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.agents.harness import Event

_ROW = 30
_HEAD = 26
_LEFT, _RIGHT = 16.0, 92.0
_LONGEST_LABEL = 26
_LONGEST_NOTE = 200
_MOST_STEPS = 200
YOU, AGENT, MODEL, TOOLS, MEMORY = "you", "agent", "model", "tools", "preferences"


class Arrow(Struct, frozen=True):
    """One step: from lane to lane, places as percents of the width and pixels from the top."""

    at: str
    source: str
    target: str
    label: str
    words: str
    start: float
    end: float
    y: int
    failed: bool

    @property
    def middle(self) -> float:
        """Where the label stands."""
        return round((self.start + self.end) / 2, 2)

    @property
    def points_left(self) -> bool:
        """Which way the head points."""
        return self.end < self.start


class Diagram(Struct, frozen=True):
    """A diagram: lanes by their place, arrows in their order."""

    lanes: list[tuple[str, float]]
    arrows: list[Arrow]
    left_out: int = 0

    @property
    def height(self) -> int:
        """In pixels."""
        return _HEAD + _ROW * len(self.arrows) + 8


class _Step(Struct, frozen=True):
    at: float
    source: str
    target: str
    words: str
    failed: bool = False


def _reply(data: dict[str, Any]) -> str:
    if data.get("error"):
        return f"failed: {data['error']}"
    count = data.get("calls")
    if isinstance(count, int) and count:
        return f"asks for {count} call" + ("s" if count > 1 else "")
    return "text"


def _result(data: dict[str, Any]) -> str:
    return f"failed: {data['error']}" if data.get("error") else "result"


# Kind of event to the lanes of its arrow and its words.
EXECUTION: dict[str, tuple[str, str, Callable[[dict[str, Any]], str]]] = {
    "query": (YOU, AGENT, lambda _: "prompt"),
    "model_request": (AGENT, MODEL, lambda _: "request"),
    "model_reply": (MODEL, AGENT, _reply),
    "tool_call": (
        AGENT,
        TOOLS,
        lambda data: f"{data.get('tool')} {one_line(data.get('arguments'), 60)}",
    ),
    "tool_result": (TOOLS, AGENT, _result),
    "call": (AGENT, TOOLS, lambda data: f"{data.get('tool')} (told by the agent)"),
    "note": (AGENT, YOU, lambda data: f"note: {data.get('text')}"),
    "final": (AGENT, YOU, lambda _: "answer"),
    "failed": (AGENT, YOU, lambda data: f"no answer: {data.get('error')}"),
}


def execution(events: Iterable[Event]) -> Diagram | None:
    """The turn from prompt to answer; None without events."""
    steps = [
        _Step(event.at, source, target, words(event.data), _has_failed(event))
        for event in events
        if event.kind in EXECUTION
        for source, target, words in (EXECUTION[event.kind],)
    ]
    return _drawn(steps, (YOU, AGENT, MODEL, TOOLS))


def learning(events: Iterable[Event]) -> Diagram | None:
    """What was learned of the user and looked up again; None if nothing was."""
    steps: list[_Step] = []
    for event in events:
        name, data = str(event.data.get("tool", "")), event.data
        if event.kind == "learned":
            yes = "yes" if data.get("value") else "no"
            words = f"{data.get('flag')}: {yes} (“{data.get('said')}”)"
            steps.append(_Step(event.at, YOU, MEMORY, words))
        elif event.kind == "tool_call" and "preferences" in name:
            words = f"{name} {one_line(data.get('arguments'), 60)}"
            steps.append(_Step(event.at, AGENT, MEMORY, words))
        elif event.kind == "tool_result" and "preferences" in name:
            steps.append(_Step(event.at, MEMORY, AGENT, _result(data), bool(data.get("error"))))
    return _drawn(steps, (YOU, AGENT, MEMORY))


def _has_failed(event: Event) -> bool:
    return event.kind == "failed" or bool(event.data.get("error"))


def _drawn(steps: list[_Step], lanes: Sequence[str]) -> Diagram | None:
    if not steps:
        return None
    used = {name for step in steps for name in (step.source, step.target)}
    names = [name for name in lanes if name in used]
    width = (_RIGHT - _LEFT) / max(1, len(names) - 1)
    places = {name: round(_LEFT + i * width, 2) for i, name in enumerate(names)}
    arrows = [
        Arrow(
            at=seconds(step.at) if step.at else "0 s",
            source=step.source,
            target=step.target,
            label=_short(step.words),
            words=step.words[:_LONGEST_NOTE],
            start=places[step.source],
            end=places[step.target],
            y=_HEAD + _ROW * (i + 1) - 8,
            failed=step.failed,
        )
        for i, step in enumerate(steps[:_MOST_STEPS])
    ]
    return Diagram(list(places.items()), arrows, max(0, len(steps) - _MOST_STEPS))


def _short(words: str) -> str:
    return cut(" ".join(words.split()), _LONGEST_LABEL)
