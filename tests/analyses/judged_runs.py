"""Evaluations small enough to work out the answers by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay import Store
from assay.evaluation import RecordedEvaluation, RecordedSummary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assay import AgentTestCase
    from assay.evaluation import Judged


def said(
    model: str,
    task: str,
    judge: str,
    score: float | None,
    step: float | None,
    **known: Any,
) -> RecordedEvaluation:
    """What a judge said of the first pass of a model at a task; a score from 0.7 up is a pass."""
    attempt = known.setdefault("attempt", 1)
    known.setdefault("experiment", "react")
    known.setdefault("real_tools", None if score is None else 1)
    known.setdefault("total_steps", None if score is None else 1)
    folder = f"evaluation/{model}/{model}_by_{judge}/pass@{attempt}"
    return RecordedEvaluation(
        task_id=task,
        query=f"question {task}",
        model=model,
        judge=judge,
        final_answer_score=score,
        average_step_score=step,
        success=None if score is None else score >= 0.7,
        error="the judge did not answer" if score is None else None,
        source_path=f"{folder}/eval_{task}.json",
        **known,
    )


# The example of the pages: one evaluation failed, one run of ann's used no tool.
ANN_AND_BOB = (
    said("ann", "t1", "jo", 0.8, 0.6, real_tools=2, total_steps=3),
    said("ann", "t1", "kim", 0.6, 0.6, real_tools=2, total_steps=3),
    said("ann", "t2", "jo", 0.4, 0.8, real_tools=0, total_steps=2),
    said("ann", "t2", "kim", None, None),
    said("bob", "t1", "jo", 0.5, 0.5),
    said("bob", "t1", "kim", 0.3, 0.5),
    said("bob", "t2", "jo", 0.7, 0.9),
    said("bob", "t2", "kim", 0.5, 0.7),
)
# What the judge's own script recorded beside them.
RECORDED = (
    RecordedSummary("ann", "jo", None, None, 2, 0, 0.6, 0.7, "ann/ann_by_jo/_summary.json"),
    RecordedSummary("ann", "jo", 1, None, 2, 0, 0.6, 0.7, "ann/ann_by_jo/pass@1/_summary.json"),
    RecordedSummary("ann", "kim", None, None, 2, 1, 0.6, 0.6, "ann/ann_by_kim/_summary.json"),
    RecordedSummary("bob", "jo", None, None, 2, 0, 0.61, 0.7, "bob/bob_by_jo/_summary.json"),
    RecordedSummary("bob", "kim", None, None, 2, 0, 0.4, 0.6, "bob/bob_by_kim/_summary.json"),
)


def judged_store(
    folder: Path, judged: Iterable[Judged] = ANN_AND_BOB, runs: Iterable[AgentTestCase] = ()
) -> Store:
    """A store that holds these evaluations and runs."""
    store = Store.create(folder / "judged.assay")
    with store.writer() as writer:
        for run in runs:
            writer.add(run)
        for one in judged:
            writer.add_evaluation(one)
    return store
