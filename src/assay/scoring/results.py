"""What goes through scoring and what comes out of it."""

from __future__ import annotations

from msgspec import Struct

from assay.score import Score
from assay.test_case import AgentTestCase


class Failed(Struct, frozen=True):
    """A metric could not do its work on a case: something to mend, not a grade."""

    name: str
    problem: str


class KnownCase(Struct, frozen=True):
    """A case of a store: the key of its run, and what metrics have said of it, by their names.

    What is there already is not judged again. `store` is where the store lies.
    """

    case: AgentTestCase
    run_key: str
    scores: dict[str, Score] = {}
    store: str = ""


class CaseScores(Struct, frozen=True):
    """What each metric said of one case, in the order of the metrics.

    `known` are the metrics whose scores were there already, in the store it came from.
    """

    case: AgentTestCase
    results: tuple[Score | Failed, ...]
    run_key: str | None = None
    known: frozenset[str] = frozenset()
    store: str = ""
