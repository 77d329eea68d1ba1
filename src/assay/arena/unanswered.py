"""Turns without an answer: held against the agent, told again, and replaced when held again.

One rule for suites and for the live page: a turn in which the agent failed (an error, no answer
by the deadline, an empty one) has the score 0; one that a person stopped has none, since the agent
was not given its time. The fifteen metrics judge answers, so a turn without one has none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.agents.harness import ERROR_KEY
from assay.agents.own_thread import STOPPED
from assay.score import Score

if TYPE_CHECKING:
    from assay.metrics.chatbot import ChatbotEvaluator
    from assay.store import Store
    from assay.test_case import AgentTestCase

# A turn that was held again has several runs of one id: the last to begin counts.
LATEST = """
    run_key IN (
        SELECT ARG_MAX(run_key, started_at) FROM runs
        WHERE source_format = $format AND source_path = $suite GROUP BY run_id
    )
"""


_EMPTY = r"[\s\p{Z}]*"


async def score_turn(evaluator: ChatbotEvaluator, case: AgentTestCase) -> Score:
    """Judge a turn of an arena; one in which the agent failed has the score 0.

    Here it is known that the agent had its chance; of a run recorded elsewhere it is not.
    """
    error = case.extra.get(ERROR_KEY)
    if error == STOPPED:
        return Score(evaluator.name, None, "stopped before there was an answer")
    if case.actual_output is not None and not case.actual_output.strip():
        return Score(evaluator.name, 0.0, "no answer: it is empty")
    if case.actual_output is not None or error is None:
        return await evaluator.evaluate(case)
    return Score(evaluator.name, 0.0, f"no answer: {error}")


def replaced(metric: str) -> Score:
    """The score of a turn that was held again."""
    return Score(metric, None, "the turn was held again: the later run counts")


def failures(store: Store, suite: str, source_format: str) -> dict[str, str]:
    """What ended the turns of a suite that have no answer, by the id of the run."""
    where = f"COALESCE(regexp_full_match(actual_output, $empty), TRUE) AND {LATEST}"
    cases = store.cases(where, format=source_format, suite=suite, empty=_EMPTY)
    return {case.run_id: _why(case) for case in cases if case.run_id is not None}


def _why(case: AgentTestCase) -> str:
    """What ended a turn that has no answer."""
    if case.actual_output is not None:
        return "the answer is empty"
    return str(case.extra.get(ERROR_KEY, "no answer was recorded"))
