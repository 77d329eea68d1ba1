"""A session: prompts that a person gave to all agents, the answers as they come, and the news."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from assay.agents.harness import ERROR_KEY, PARTIAL_KEY, Event
from assay.agents.own_thread import STOPPED
from assay.agents.scripted import is_scripted
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Mapping

LETTERS = "ABCD"
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
    preferred: float | None = None
    problem: str | None = None
    seq: int = 0

    @property
    def is_scripted(self) -> bool:
        """Whether a script plays the model."""
        return is_scripted(self.model)

    @property
    def answer(self) -> str:
        """The answer; where there is none, what had been said when the turn ended."""
        if self.case is None:
            return self.said
        return self.case.actual_output or str(self.case.extra.get(PARTIAL_KEY, ""))

    @property
    def error(self) -> str | None:
        """What ended the turn without an answer."""
        found = self.problem if self.case is None else self.case.extra.get(ERROR_KEY)
        return None if found is None else str(found)

    @property
    def seconds(self) -> float | None:
        """How long the whole turn took."""
        case = self.case
        if case is None or case.started_at is None or case.ended_at is None:
            return None
        return case.ended_at - case.started_at

    def hear(self, text: str) -> str:
        """Take in a piece of the answer; as much of it as is shown while the turn runs."""
        heard = text[: LONGEST_SHOWN - len(self.said)]
        self.said += heard
        return heard

    def take(self, event: Event) -> None:
        """Take in what else happened while the turn runs."""
        if len(self.events) < _MOST_EVENTS:
            self.events.append(event)

    def finish(self, case: AgentTestCase, score: Score) -> None:
        """Take the recorded run in place of what was seen of it."""
        self.case, self.score = case, score
        self.state = state_of(case)

    def break_off(self, problem: str) -> None:
        """End without a record: something of ours failed, and says what."""
        self.state, self.problem = "failed", problem


def state_of(case: AgentTestCase) -> State:
    """How a recorded turn ended."""
    if ERROR_KEY not in case.extra:
        return "done"
    return "stopped" if case.extra[ERROR_KEY] == STOPPED else "failed"


class Prompt(Struct):
    """One prompt, and each agent's part by its letter; `order` is how they were asked.

    A prompt that is repeated has the `task` of the first, its `attempt`, and `of` how many.
    `is_blind` says that names were hidden when it was asked, `is_retold` that the agents had to be
    told what was said before, `choice` which answer a person preferred.
    """

    number: int
    text: str
    order: str
    began_at: float | None
    cells: dict[str, Cell]
    task: int
    attempt: int = 1
    of: int = 1
    is_blind: bool = False
    is_retold: bool = False
    choice: str | None = None

    @property
    def waits_for_choice(self) -> bool:
        """Whether a person has still to say which answer is better."""
        return self.is_blind and self.choice is None

    def choose(self, choice: str, worths: Mapping[str, float | None]) -> None:
        """Take a person's choice, and what it says of each answer."""
        self.choice = choice
        for letter, worth in worths.items():
            self.cells[letter].preferred = worth

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
        """What came after a message, waiting a while for it; None if that cannot be told."""
        if seq > self.seq:  # of the same session before the server began anew
            return None
        if seq == self.seq:
            try:
                await asyncio.wait_for(self._fresh.wait(), patience)
            except TimeoutError:
                return []
        if self._kept and self._kept[0]["seq"] > seq + 1:
            return None
        return [message for message in self._kept if message["seq"] > seq]


class Session:
    """Prompts and answers in their order; a live one has agents that remember it."""

    def __init__(
        self, session_id: str, began_at: float | None, *, is_live: bool, begins_blind: bool = False
    ) -> None:
        """Begin with no prompt; names are hidden from the start where it begins blind."""
        self.id = session_id
        self.began_at = began_at
        self.is_live = is_live
        self._begins_blind = begins_blind
        self.prompts: list[Prompt] = []
        self.news = News()

    @property
    def is_running(self) -> bool:
        """Whether the last prompt is still being answered."""
        return bool(self.prompts) and self.prompts[-1].is_running

    @property
    def hides_names(self) -> bool:
        """Whether names are hidden: in a blind session, until every prompt has been judged."""
        if not self.prompts:
            return self._begins_blind
        return any(prompt.waits_for_choice for prompt in self.prompts)

    def prompt(self, number: int) -> Prompt | None:
        """A prompt by its number."""
        return next((prompt for prompt in self.prompts if prompt.number == number), None)

    @property
    def next_number(self) -> int:
        """The number that the next prompt gets."""
        return self.prompts[-1].number + 1 if self.prompts else 1

    def columns(self) -> list[tuple[str, str, str]]:
        """Letter, agent and model of each column; names that are hidden are empty."""
        last = self.prompts[-1].cells.values() if self.prompts else ()
        if self.hides_names:
            return [(cell.letter, "", "") for cell in last]
        return [(cell.letter, cell.label, cell.model) for cell in last]
