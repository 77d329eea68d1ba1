"""A store of what the two engines could take differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.analyses.judged_runs import ANN_AND_BOB, RECORDED, said
from tests.analyses.worked import a_run, bad, ok

from assay import Store
from assay.run import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay import AgentTestCase
    from assay.evaluation import RecordedEvaluation

# Brackets and stars mean something to an engine, and a blank ends a word.
ODD_NAME = "odd [1] {a,b} * é.assay"
WIDE_SPACES = "\u00a0\u3000\u2003"


def odd_runs() -> Iterator[AgentTestCase]:
    """Runs with parallel calls, retries, no names, odd letters and answers of spaces only."""
    yield a_run("ann", "t1", bad("look"), ok("look", parameters={"a": 1}))
    yield a_run("ann", "t2", bad("look"), bad("look"), ok("find"), answer=WIDE_SPACES)
    yield a_run("ann", "t2", ok("find"), bad("look", "429 too many requests"), attempt=2)
    yield a_run("bob", "t1", bad("look", turn=1), ok("look", turn=1), bad("look", turn=2))
    yield a_run("bob", "t3", bad("find", server=""), answer="")
    yield a_run("Ωmega 'x' \\n", "täsk\t3", bad("löök"), ok("löök"), ok("löök", server="Ü"))
    yield a_run("ann", "t4", outcome=RunOutcome(success=True, score=0.1, decided_by="a test"))
    yield a_run("bob", "t4", ok("look", execution_time=0.1), ok("look", execution_time=0.2))
    yield a_run(
        "bob", "t5", ok("look", execution_time=0.3), bad("look", "no such file", server="z")
    )
    for number in range(9):
        success = number % 3 == 0
        yield a_run(
            "cy", f"t{number}", ok("a"), bad("b"), ok("b"), outcome=RunOutcome(success=success)
        )
    nameless = a_run("", "", bad("look"))
    nameless.model = nameless.task_id = nameless.attempt = None
    yield nameless
    yield grown(3)


def grown(calls: int) -> AgentTestCase:
    """A run that was recorded after so many calls, and is the same run each time."""
    run = a_run("dee", "t1", *[bad("look"), ok("look"), bad("find")][:calls])
    run.run_id, run.started_at = "grown", 1.0
    return run


def odd_evaluations() -> Iterator[RecordedEvaluation]:
    """Scores whose sums depend on the order, and ties, several of them from one file."""
    yield from ANN_AND_BOB
    for model in ("ann", "bob", "cy"):
        for number, score in enumerate((0.1, 0.2, 0.3, 0.7, 0.1)):
            one = said(model, f"u{number}", "jo", score, 0.1 + score, attempt=number % 3 + 1)
            yield replace(one, source_path="evaluation/all.jsonl", query=f"question {number}")


def odd_store(folder: Path) -> Store:
    """All of it, in two batches, in a folder with an odd name; one run grew meanwhile."""
    store = Store.create(folder / ODD_NAME)
    runs = list(odd_runs())
    for part in ([grown(1), *runs[::2]], runs[1::2]):
        with store.writer() as writer:
            for run in part:
                writer.add(run)
    with store.writer() as writer:
        for one in odd_evaluations():
            writer.add_evaluation(one)
        for summary in RECORDED:
            writer.add_evaluation(summary)
    return store
