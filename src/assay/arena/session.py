"""A session: prompts that a person gave to all agents, the answers as they come, and the news."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Literal

from msgspec import Struct, field

from assay.agents.harness import ERROR_KEY, PARTIAL_KEY, Event
from assay.score import Score
from assay.test_case import AgentTestCase

LETTERS = "ABCD"
SCRIPTED_PREFIX = "scripted-"
# Where a case keeps its place in the session.
PLACE_KEY = "arena"
_MOST_NEWS = 4_000
_MOST_EVENTS = 2_000
LONGEST_SHOWN = 200_000

State = Literal["running", "done", "failed", "stopped"]


class Cell(Struct):
    """One agent's part of one prompt: what it said and did so far, then the recorded run.

    `seq` is the number of the last news that it has taken in.
    """

    letter: str
    label: str
    model: str
    state: State = "running"
    said: str = ""
    events: list[Event] = field(default_factory=list)
    case: AgentTestCase | None = None
    score: Score | None = None
    seq: int = 0

    @property
    def is_scripted(self) -> bool:
        """Whether a script plays the model."""
        return self.model.startswith(SCRIPTED_PREFIX)

    @property
    def answer(self) -> str:
        """The answer; where there is none, what had been said when the turn ended."""
        if self.case is None:
            return self.said
        return self.case.actual_output or str(self.case.extra.get(PARTIAL_KEY, ""))

    @property
    def error(self) -> str | None:
        """What ended the turn without an answer."""
        found = None if self.case is None else self.case.extra.get(ERROR_KEY)
        return None if found is None else str(found)

    @property
    def seconds(self) -> float | None:
        """How long the whole turn took."""
        case = self.case
        if case is None or case.started_at is None or case.ended_at is None:
            return None
        return case.ended_at - case.started_at

    def take(self, event: Event) -> None:
        """Take in what happened while the turn runs."""
        if event.kind == "delta":
            self.said = (self.said + str(event.data.get("text", "")))[:LONGEST_SHOWN]
        elif len(self.events) < _MOST_EVENTS:
            self.events.append(event)

    def finish(self, case: AgentTestCase, score: Score) -> None:
        """Take the recorded run in place of what was seen of it."""
        self.case, self.score = case, score
        self.state = state_of(case)


def state_of(case: AgentTestCase) -> State:
    """How a recorded turn ended."""
    if ERROR_KEY not in case.extra:
        return "done"
    return "stopped" if case.extra[ERROR_KEY] == STOPPED else "failed"


STOPPED = "AgentFailed: stopped"


class Prompt(Struct):
    """One prompt, and each agent's part by its letter; `order` is how they were asked."""

    number: int
    text: str
    order: str
    began_at: float
    cells: dict[str, Cell]

    @property
    def is_running(self) -> bool:
        """Whether an agent is still at it."""
        return any(cell.state == "running" for cell in self.cells.values())


class News:
    """The latest messages of a session, numbered, for any number of readers at their own pace."""

    def __init__(self) -> None:
        """Begin with none."""
        self.seq = 0
        self._kept: deque[dict[str, Any]] = deque(maxlen=_MOST_NEWS)
        self._fresh = asyncio.Event()

    def post(self, kind: str, **data: Any) -> int:
        """Tell all readers; the number of the message."""
        self.seq += 1
        self._kept.append({"seq": self.seq, "kind": kind, **data})
        self.wake()
        return self.seq

    def wake(self) -> None:
        """Let readers look again."""
        self._fresh.set()
        self._fresh = asyncio.Event()

    async def after(self, seq: int, patience: float) -> list[dict[str, Any]] | None:
        """What came after a message, waiting a while for it; None if some of it is gone."""
        if seq >= self.seq:
            try:
                await asyncio.wait_for(self._fresh.wait(), patience)
            except TimeoutError:
                return []
        if self._kept and self._kept[0]["seq"] > seq + 1:
            return None
        return [message for message in self._kept if message["seq"] > seq]


class Session:
    """Prompts and answers in their order; only a live one can be continued."""

    def __init__(self, session_id: str, began_at: float, *, is_live: bool) -> None:
        """Begin with no prompt."""
        self.id = session_id
        self.began_at = began_at
        self.is_live = is_live
        self.prompts: list[Prompt] = []
        self.news = News()

    @property
    def is_running(self) -> bool:
        """Whether the last prompt is still being answered."""
        return bool(self.prompts) and self.prompts[-1].is_running

    def prompt(self, number: int) -> Prompt | None:
        """A prompt by its number."""
        return self.prompts[number - 1] if 1 <= number <= len(self.prompts) else None

    def columns(self) -> list[tuple[str, str, str]]:
        """Letter, agent and model of each column."""
        last = self.prompts[-1].cells if self.prompts else {}
        return [(cell.letter, cell.label, cell.model) for cell in last.values()]
