"""What an import is told, and what it tells."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from msgspec import Struct, field

from assay.readers import Unreadable

_MOST_PROBLEMS_KEPT = 1_000


class Watcher(Protocol):
    """Somebody who wants to know how far it has come."""

    def read(self, count: int) -> None:
        """So many more bytes were read."""

    def done(self, count: int) -> None:
        """So many more runs and evaluations were read."""


class ImportSettings(Struct, frozen=True):
    """How to import: into which store, from which format, what is masked, what was named.

    `mapping` is a file of tables that describe formats of the user's own.
    """

    store: str
    format_name: str | None = None
    mapping: str | None = None
    redact: bool = True
    emails: bool = False
    named: frozenset[str] = frozenset()


class ImportReport(Struct):
    """What an import did: every run is added, known already, or in the problems.

    `formats` has the runs that were added or known already, by what they were read as; `left_out`
    has the files of which something was not read, by what that was; `read_beside` are files that
    were read with another, as an outcome beside its messages. `outgrown` are runs of the
    store of which a later state was added; `earlier_states` those of the known ones that were read
    in an earlier state than another.
    """

    added: int = 0
    known_already: int = 0
    outgrown: int = 0
    earlier_states: int = 0
    evaluations: int = 0
    summaries: int = 0
    judged_known_already: int = 0
    redactions: int = 0
    files: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    problems: list[Unreadable] = field(default_factory=list)
    problem_count: int = 0
    passed_over: int = 0
    read_beside: int = 0
    repaired: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False

    @property
    def runs(self) -> int:
        """All runs that were read, new or not."""
        return self.added + self.known_already

    @property
    def items(self) -> int:
        """All that was read, new or not: runs, evaluations and summaries."""
        return self.runs + self.evaluations + self.summaries + self.judged_known_already

    def note(self, problem: Unreadable) -> None:
        """Count a problem; the first thousand are kept."""
        if problem.kind == "passed_over":
            self.passed_over += 1
            return
        if problem.kind == "read_beside":
            self.read_beside += 1
            return
        if problem.kind == "repaired":
            self.repaired += 1
            return
        if problem.kind == "left_out":
            self.left_out[problem.problem] += 1
            return
        self.problem_count += 1
        if len(self.problems) < _MOST_PROBLEMS_KEPT:
            self.problems.append(problem)

    def merge(self, other: ImportReport) -> None:
        """Add what another part of the work did."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.formats += other.formats
        self.left_out += other.left_out
        room = _MOST_PROBLEMS_KEPT - len(self.problems)
        self.problems += other.problems[: max(room, 0)]
        self.interrupted |= other.interrupted


_COUNTS = tuple(name for name, hint in ImportReport.__annotations__.items() if hint == "int")
