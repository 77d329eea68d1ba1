"""The live sessions: each with its agents, so many at once and for so long."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.agents.own_thread import AgentThread, stoppable
from assay.agents.retold import past_calls
from assay.arena.conversation import Talk, before_of
from assay.arena.entrants import Entrant
from assay.arena.session import MOST_SHOWN, Cell, Prompt, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.agents.protocol import PastCall
    from assay.arena.stage import Stage
    from assay.test_case import AgentTestCase

MOST_LIVE = 200
MOST_BYTES = 300_000_000
IDLE_SECONDS = 3_600.0


class Column(Struct, frozen=True):
    """An agent with its letter, in its thread."""

    letter: str
    entrant: Entrant
    agent: AgentThread


class Room:
    """A live session: a talk for each letter, and a way to stop them all."""

    def __init__(self, stage: Stage, session: Session, seats: Mapping[str, Column]) -> None:
        """Seat the agents; where something was said before, they are told with the next turn."""
        self.session = session
        self.stop = asyncio.Event()
        self.used_at = time.monotonic()
        # From a prompt to the end of its last repeat, also between two of them.
        self.is_busy = False
        # Whether the store has all of it.
        self.is_kept = True
        self._stage = stage
        self._seats = dict(seats)
        self.talks = {letter: self._talk(letter, column) for letter, column in seats.items()}
        self.has_to_retell = bool(session.prompts)

    def _talk(self, letter: str, column: Column) -> Talk:
        agent = stoppable(column.agent, self.stop)
        talk = Talk(self._stage, column.entrant, agent, f"{self.session.id}-{letter}")
        cells = [prompt.cells.get(letter) for prompt in reversed(self.session.prompts)]
        last = next((cell.case for cell in cells if cell is not None and cell.case), None)
        if last is not None:
            talk.go_on_from(before_of(last))
        return talk

    def recall(self, turns: Iterable[tuple[str, AgentTestCase]]) -> None:
        """Have the agents told what their tools returned in these turns, each with its letter."""
        found: dict[str, list[tuple[PastCall, ...]]] = {letter: [] for letter in self.talks}
        for letter, case in turns:
            if letter in found:
                found[letter].append(past_calls(case, len(found[letter])))
        for letter, calls in found.items():
            self.talks[letter].recall(calls)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        shown = self.session.prompts[-MOST_SHOWN:]
        cells = (cell for prompt in shown for cell in prompt.cells.values())
        return sum(cell.size for cell in cells) + sum(talk.size for talk in self.talks.values())

    def leave_to_store(self, before: int) -> None:
        """Let go what the store has by now: all before a prompt, which may be the next one."""
        self.session.leave_to_store(before)
        self.is_kept = before == self.session.next_number and not self.is_busy

    def pose(self, text: str, order: str, *, attempt: int = 1, of: int = 1) -> Prompt:
        """A further prompt of the session, not answered yet."""
        number = self.session.next_number
        cells = {
            letter: Cell(letter, talk.entrant.label, talk.entrant.sure_model or "")
            for letter, talk in self.talks.items()
        }
        prompt = Prompt(
            number,
            text,
            order,
            time.time(),
            cells,
            task=number - attempt + 1,
            attempt=attempt,
            of=of,
            is_blind=self.session.hides_names,
            retold="all" if self.has_to_retell else None,
        )
        self.has_to_retell = self.is_kept = False
        self.session.prompts.append(prompt)
        self.session.news.post("prompt", prompt=number)
        return prompt

    def leave(self) -> None:
        """Let agents and preferences forget the session; its readers are sent away."""
        self.session.is_live = False
        self.session.news.wake()
        for letter, column in self._seats.items():
            column.agent.forget(self.talks[letter].session_id)
            self._stage.book.forget(self.talks[letter].session_id)


class Rooms:
    """The rooms by the id of their session, the one that was used last at the end.

    What leaves memory is in the store, and can be continued from there.
    """

    def __init__(self, stage: Stage) -> None:
        """Begin with none."""
        self._stage = stage
        self._rooms: dict[str, Room] = {}

    def __iter__(self) -> Iterator[Room]:
        """All of them."""
        return iter(list(self._rooms.values()))

    def get(self, session_id: str) -> Room | None:
        """The room of a session, if it is live."""
        return self._rooms.get(session_id)

    def open(self, session: Session, seats: Mapping[str, Column]) -> Room:
        """A room for a session, which is live from now on."""
        self.forget_idle()
        session.is_live = True
        room = self._rooms[session.id] = Room(self._stage, session, seats)
        return room

    def use(self, room: Room) -> None:
        """Note that a room is in use."""
        room.used_at = time.monotonic()
        self._rooms[room.session.id] = self._rooms.pop(room.session.id)

    def forget_idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Let rooms go that nobody used for so long; if they are too many, the oldest too.

        One that the store has not all of stays.
        """
        too_many = len(self._rooms) + 1 - MOST_LIVE
        too_large = sum(room.size for room in self) - MOST_BYTES
        since = time.monotonic() - seconds
        for room in self:
            is_over = too_many > 0 or too_large > 0 or room.used_at < since
            if is_over and not room.is_busy and room.is_kept:
                too_many -= 1
                too_large -= room.size
                del self._rooms[room.session.id]
                room.leave()
