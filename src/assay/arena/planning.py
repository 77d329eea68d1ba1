"""The order of the conversations: shuffled by a seed, so that no agent is always first."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.arena.suite import Task
from assay.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from assay.arena.suite import Suite


class Conversation(Struct, frozen=True):
    """One task for one agent, at one attempt."""

    suite: str
    task: Task
    entrant: str
    attempt: int

    def task_id(self, turn: int) -> str:
        """What one turn is paired by: the task, and which turn of it where there are several."""
        return self.task.id if len(self.task.turns) == 1 else f"{self.task.id}.{turn + 1}"

    def run_id(self, turn: int) -> str:
        """What one turn is known by in the store, also when it is run again.

        It is masked here as it will be there, so that it is found again.
        """
        return redact_text(f"{self.suite}/{self.task_id(turn)}/{self.entrant}/{self.attempt}")

    @property
    def run_ids(self) -> list[str]:
        """What its turns are known by."""
        return [self.run_id(turn) for turn in range(len(self.task.turns))]


def plan(suite: Suite, entrants: Sequence[str], *, repeat: int, seed: int) -> list[Conversation]:
    """Every task for every agent at every attempt, the agents of one task next to each other."""
    drawn = random.Random(seed)  # noqa: S311 - an order, no secret
    name = f"{suite.name}-{suite.digest}"
    found: list[Conversation] = []
    for attempt in range(1, repeat + 1):
        for task in drawn.sample(suite.tasks, len(suite.tasks)):
            order = drawn.sample(list(entrants), len(entrants))
            found.extend(Conversation(name, task, entrant, attempt) for entrant in order)
    return found


def undone(planned: Sequence[Conversation], known: Collection[str]) -> list[Conversation]:
    """The conversations that are not wholly recorded yet."""
    return [held for held in planned if not set(held.run_ids) <= set(known)]
