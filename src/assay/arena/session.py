"""A session: prompts that a person gave to all agents, the answers as they come, and the news."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from assay.agents.harness import ERROR_KEY, PARTIAL_KEY, Event
from assay.agents.own_thread import STOPPED
from assay.agents.scripted import is_scripted
from assay.arena.conversation import EVENTS_KEY
from assay.arena.figures import Figures, figures_of, size_of
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Mapping

LETTERS = "ABCD"
# Where a case keeps its place in the session.
PLACE_KEY = "arena"
# So many prompts does a page show at first, and so many stay in memory whole.
MOST_SHOWN = 10
_MOST_CALLS_SHOWN = 150
_MOST_NEWS = 4_000
_LONGEST_NEWS = 1_000_000
_NEWS_OF_IDLE = 100
_MOST_EVENTS = 2_000
LONGEST_SHOWN = 200_000

State = Literal["running", "done", "failed", "stopped"]
# What the agents were told where a session went on from the store.
Retold = Literal["words", "all"]


class Cell(Struct):
    """One agent's part of one prompt: what it said and did so far, then the recorded run.

    `seq` is the number of the last news that it has taken in. The `figures` of a turn that ended
    stay when the rest of it is left to the store.
    """

    letter: str
    label: str
    model: str
    state: State = "running"
    said: str = ""
    events: list[Event] = field(default_factory=list)
    case: AgentTestCase | None = None
    score: Score | None = None
    figures: Figures | None = None
    size: int = 0
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
        return None if self.figures is None else self.figures.seconds

    @property
    def is_whole(self) -> bool:
        """Whether all that a page shows of it is in memory."""
        return self.figures is None or self.case is not None

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
        self.case, self.score, self.said = case, score, ""
        self.model = case.model or ""
        self.figures = figures_of(case, score)
        self.events = events_of(case)
        self.size = size_of(case)
        self.state = state_of(case)

    def lighten(self) -> None:
        """Let go what the store has and no page shows."""
        if self.case is not None:
            self.case.conversation_history = self.case.available_tools = None
            self.case.extra.pop(EVENTS_KEY, None)
            self.size = size_of(self.case)

    def figures_only(self) -> Cell:
        """The same without what can be read from the store again; one not recorded stays whole."""
        if self.figures is None:
            return self
        return replace(self, said="", events=[], case=None, score=None, size=0)

    def break_off(self, problem: str) -> None:
        """End without a record: something of ours failed, and says what."""
        self.state, self.problem = "failed", problem


def events_of(case: AgentTestCase) -> list[Event]:
    """The events that a case keeps; what is odd is passed over."""
    kept: Any = case.extra.get(EVENTS_KEY)
    found = []
    for item in kept if isinstance(kept, list) else []:
        try:
            found.append(convert(item, Event))
        except ValidationError:
            continue
    return found


def state_of(case: AgentTestCase) -> State:
    """How a recorded turn ended."""
    found = case.extra.get(ERROR_KEY)
    return state_after(None if found is None else str(found))


def state_after(error: str | None) -> State:
    """How a turn ended that has this error, or none."""
    if error is None:
        return "done"
    return "stopped" if error == STOPPED else "failed"


class Prompt(Struct):
    """One prompt, and each agent's part by its letter; `order` is how they were asked.

    A prompt that is repeated has the `task` of the first, its `attempt`, and `of` how many.
    `is_blind` says that names were hidden when it was asked, `retold` what the agents were told of
    the turns before, where they had to be, `choice` which answer a person preferred.
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
    retold: Retold | None = None
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

    @property
    def calls(self) -> int:
        """How many calls its answers took, of those that have ended."""
        found = (cell.figures for cell in self.cells.values())
        return sum(figures.calls for figures in found if figures is not None)

    @property
    def is_whole(self) -> bool:
        """Whether all that a page shows of it is in memory."""
        return all(cell.is_whole for cell in self.cells.values())

    def figures_only(self) -> Prompt:
        """The same, its cells without what can be read from the store again."""
        cells = {letter: cell.figures_only() for letter, cell in self.cells.items()}
        return replace(self, cells=cells)


class News:
    """The latest messages of a session, numbered, for any number of readers at their own pace."""

    def __init__(self) -> None:
        """Begin with none."""
        self.seq = 0
        self._kept: deque[dict[str, Any]] = deque()
        self._letters = 0
        self._fresh = asyncio.Event()

    def post(self, kind: str, **data: Any) -> int:
        """Tell all readers; the number of the message."""
        self.seq += 1
        self._kept.append({"seq": self.seq, "kind": kind, **data})
        self._letters += len(data.get("text", ""))
        self._trim(_MOST_NEWS)
        self.wake()
        return self.seq

    def _trim(self, most: int) -> None:
        while len(self._kept) > most or self._letters > _LONGEST_NEWS:
            self._letters -= len(self._kept.popleft().get("text", ""))

    def rest(self) -> None:
        """Keep a few while nothing happens: who has missed the others looks at the whole again."""
        self._trim(_NEWS_OF_IDLE)

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

    def shown(self, before: int | None = None) -> list[Prompt]:
        """The prompts that a page shows at once, the newest first: those before a number, or last.

        Where they have many calls they are fewer, so that a page takes no longer.
        """
        earlier = [p for p in self.prompts if before is None or p.number < before]
        found: list[Prompt] = []
        calls = 0
        for prompt in reversed(earlier[-MOST_SHOWN:]):
            calls += prompt.calls
            if found and calls > _MOST_CALLS_SHOWN:
                break
            found.append(prompt)
        return found

    def leave_to_store(self, before: int) -> None:
        """Let go what the store has of the prompts before a number, all but what is shown first."""
        latest = len(self.prompts) - MOST_SHOWN
        for place, prompt in enumerate(self.prompts):
            if prompt.number >= before or prompt.is_running:
                continue
            if place >= latest:
                for cell in prompt.cells.values():
                    cell.lighten()
            elif prompt.is_whole:
                # A new one: whoever is showing the old one goes on with it.
                self.prompts[place] = prompt.figures_only()
        if not self.is_running:
            self.news.rest()

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
