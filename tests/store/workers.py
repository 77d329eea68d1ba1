"""What the store's tests let other processes do; each says when it begins."""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.store.runs import SMALL, run

from assay import AgentTestCase, MCPExecutionData, Source, ToolExecutionResult
from assay.evaluation import RecordedEvaluation
from assay.score import Score
from assay.store import Store
from assay.store.scores import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path


SCORE = Score("whole", 0.5, parts=(Score("one", 1.0), Score("other", 0.0)))
SETTINGS = Settings("whole")


def counted(work: Callable[..., None], folder: Path, *arguments: Any) -> None:
    """Do a work, and say at last how often it reached for something in the folder."""
    steps = count()
    _watch(folder, lambda: next(steps))
    work(folder, *arguments)
    report: Connection = arguments[-1]
    report.send(next(steps))


def killed(at_step: int, work: Callable[..., None], folder: Path, *arguments: Any) -> None:
    """Do a work, but be killed when it reaches into the folder for this time, if it does."""
    steps = count()

    def step() -> None:
        if next(steps) == at_step:
            os.kill(os.getpid(), signal.SIGKILL)

    _watch(folder, step)
    work(folder, *arguments)


def _watch(folder: Path, step: Callable[[], object]) -> None:
    """Do something before each file or folder in there is opened, made, moved or removed."""

    def hook(_: str, arguments: tuple[object, ...]) -> None:
        paths = (given for given in arguments[:2] if isinstance(given, str | os.PathLike))
        if any(str(path).startswith(str(folder)) for path in paths):
            step()

    sys.addaudithook(hook)


def write(folder: Path, numbers: Sequence[int], report: Connection) -> None:
    """Import the runs of these numbers in batches of three."""
    report.send("begins")
    with Store.create(folder).writer(limit=SMALL) as writer:
        for number in numbers:
            writer.add(run(number))
    report.send((writer.added, writer.known_already))


def grown(number: int, rounds: int) -> AgentTestCase:
    """The session of that number after so many rounds, with two calls in each."""
    made = [
        ToolExecutionResult("look", {"key": i}, {"found": i}, success=True, call_id=f"c{i}")
        for i in range(2 * rounds)
    ]
    return AgentTestCase(
        f"question {number}",
        f"answer {rounds}",
        run_id=f"session-{number}",
        session_id=f"session-{number}",
        started_at=1000.0 + number,
        execution_data=MCPExecutionData(made),
        source=Source(f"session-{number}.jsonl", "claude-code"),
    )


def write_grown(folder: Path, sessions: int, rounds: int, report: Connection) -> None:
    """Import the state of some sessions in batches of three."""
    report.send("begins")
    with Store.create(folder).writer(limit=SMALL) as writer:
        for number in range(sessions):
            writer.add(grown(number, rounds))
    report.send((writer.added, writer.outgrown))


def merge(folder: Path, report: Connection) -> None:
    """Compact the store."""
    report.send("begins")
    Store(folder).compact()
    report.send("done")


def score_rest(store: Store) -> None:
    """Score all runs that have no score yet, a few at a time."""
    scored = {row["run_key"] for row in store.query("SELECT DISTINCT run_key FROM scores")}
    with store.score_writer() as writer:
        for i, row in enumerate(store.query("SELECT run_key FROM runs ORDER BY run_key")):
            if row["run_key"] not in scored:
                writer.add(row["run_key"], SCORE, SETTINGS)
            if i % 4 == 3:
                writer.flush()


def score_missing(folder: Path, report: Connection) -> None:
    """The same, as the work of a process."""
    report.send("begins")
    score_rest(Store(folder))
    report.send("done")


def mark_and_judge(folder: Path, report: Connection) -> None:
    """Mark runs as golden and keep what somebody else's judge said, in turns."""
    report.send("begins")
    store = Store(folder)
    for number, row in enumerate(store.query("SELECT run_key FROM runs ORDER BY run_key")):
        store.mark_golden([row["run_key"]])
        with store.writer(limit=SMALL) as writer:
            writer.add_evaluation(RecordedEvaluation(task_id=f"task-{number}", judge="j"))
    report.send("done")


def write_and_merge(folder: Path, first: int, rounds: int, report: Connection) -> None:
    """Import and compact in turns."""
    report.send("begins")
    for i in range(rounds):
        with Store(folder).writer(limit=SMALL) as writer:
            for number in range(first + 6 * i, first + 6 * i + 6):
                writer.add(run(number))
        Store(folder).compact()
    report.send("done")
