"""Which metric tells which behaviour from a good one: the bundled suite, played by scripts.

Four parts of the scripted model (good, ungrounded, forgetful, failing) answer the bundled suite
through the plain loop, in this process. Each metric and its twin is compared task by task.
`python -m bench.discrimination` prints the table, `--write` puts it into the documentation.
"""

from __future__ import annotations

import asyncio
import re
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from assay.agents.model_tap import ModelTap
from assay.agents.scripted import PREFIX
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather
from assay.arena.conversation import Talk, hold
from assay.arena.entrants import entrants
from assay.arena.stage import Stage
from assay.arena.suite import load_suite
from assay.metrics.chatbot import ChatbotEvaluator
from assay.metrics.chatbot.evaluator import METRICS
from assay.metrics.chatbot.trace_twins import SUFFIX
from assay.stats import Resampling, compare

if TYPE_CHECKING:
    from assay.arena.entrants import Entrant
    from assay.score import Score
    from assay.stats import Comparison

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/chatbot-metrics.md"
MARKS = ("<!-- discrimination -->", "<!-- /discrimination -->")
GOOD = "good"
BEHAVIOURS = ("ungrounded", "forgetful", "failing")
# A day on which the made-up weather is cold, wet and warm, depending on the place.
TODAY = date(2026, 3, 2)
# The behaviours that each metric should tell from the good one; the others leave it untouched.
EXPECTED: dict[str, frozenset[str]] = {
    "accuracy": frozenset({"ungrounded"}),
    "task_completion": frozenset(BEHAVIOURS),
    "recommendation_quality": frozenset({"ungrounded", "failing"}),
    "context_retention": frozenset({"forgetful", "failing"}),
    "adaptation_quality": frozenset(BEHAVIOURS),
    "tool_call_count": frozenset({"ungrounded", "forgetful"}),
    "action_planning": frozenset(BEHAVIOURS),
    "error_recovery": frozenset({"failing"}),
    "ambiguity_handling": frozenset({"ungrounded", "failing"}),
    "repeatability": frozenset({"failing"}),
    "groundedness": frozenset({"ungrounded"}),
}
WHOLE = "chatbot"

# Scores by name, behaviour and task, one a repeat; None is left out by the comparison.
Scores = dict[str, dict[str, dict[str, list[float | None]]]]


class Row(NamedTuple):
    """One metric and one behaviour: whether they should part, in words and from the run."""

    metric: str
    behaviour: str
    expected: bool
    worded: Comparison
    traced: Comparison | None

    @property
    def told_apart(self) -> bool:
        """Whether the metric, or its twin, finds the behaviour worse than the good one."""
        found = (self.worded, self.traced)
        return any(each is not None and each.verdict == "worse" for each in found)


def gather(repeat: int = 1) -> Scores:
    """Hold every conversation of the suite with every behaviour, all behaviours at once."""
    return asyncio.run(_gather(repeat))


async def _gather(repeat: int) -> Scores:
    suite, scores = load_suite("weather"), Scores()
    with ScriptedModel() as served, ModelTap() as tap:
        names = [f"plain={PREFIX}{name}" for name in (GOOD, *BEHAVIOURS)]
        entered = entrants(names, model=None, base_url=None, scripted_url=served.base_url)
        stage = Stage(suite, tap, BundledWeather(TODAY), PreferenceBook())
        await asyncio.gather(*(_hold_all(stage, entrant, repeat, scores) for entrant in entered))
    return scores


async def _hold_all(stage: Stage, entrant: Entrant, repeat: int, scores: Scores) -> None:
    agent, evaluator = entrant.adapter.make(), ChatbotEvaluator()
    behaviour = entrant.model.name.removeprefix(PREFIX)
    for task in stage.suite.tasks * repeat:
        talk = Talk(stage, entrant, agent, uuid4().hex)
        turns = [record async for record in hold(talk, task.turns)]
        for place, record in enumerate(turns):
            judged = await evaluator.evaluate(record.case)
            _note(scores, judged, behaviour, f"{task.id}.{place + 1}")


def _note(scores: Scores, judged: Score, behaviour: str, task: str) -> None:
    for score in judged.walk():
        by_task = scores.setdefault(score.name, {}).setdefault(behaviour, {})
        by_task.setdefault(task, []).append(score.value)


def rows_of(scores: Scores) -> list[Row]:
    """Every metric with every behaviour, and the whole last."""
    named = [name for name in METRICS if name in scores and _has_values(scores, name)]
    return [
        Row(
            name,
            behaviour,
            name == WHOLE or behaviour in EXPECTED.get(name, ()),
            _compared(scores, name, behaviour),
            _compared(scores, name + SUFFIX, behaviour) if name + SUFFIX in scores else None,
        )
        for name in (*named, WHOLE)
        for behaviour in BEHAVIOURS
    ]


def _has_values(scores: Scores, name: str) -> bool:
    return any(value is not None for runs in scores[name][GOOD].values() for value in runs)


def _compared(scores: Scores, name: str, behaviour: str) -> Comparison:
    sides = scores[name][GOOD], scores[name][behaviour]
    return compare(*sides, names=(GOOD, behaviour), how=Resampling(resamples=2_000))


def table(rows: list[Row]) -> str:
    """The rows in Markdown."""
    head = "| metric | behaviour | should part | by words | by the run |\n|---|---|---|---|---|"
    return "\n".join([head, *(_line(row) for row in rows)])


def _line(row: Row) -> str:
    cells = (row.metric, row.behaviour, "yes" if row.expected else "")
    figures = [_figure(row.worded), "–" if row.traced is None else _figure(row.traced)]
    if row.metric == WHOLE:  # it takes each metric from the run where the run tells
        figures.reverse()
    return f"| {' | '.join((*cells, *figures))} |"


def _figure(found: Comparison) -> str:
    if found.difference is None or found.interval is None:
        return "nothing to compare"
    figure = f"{found.difference:+.2f} ({found.interval.low:+.2f} to {found.interval.high:+.2f})"
    shown = figure.replace("-", "−")
    mark = "**" if found.verdict == "worse" else ""
    return f"{mark}{shown}{mark}, {found.tasks} tasks"


def write(text: str) -> None:
    """Put the table between its marks in the documentation."""
    first, last = map(re.escape, MARKS)
    page = PAGE.read_text(encoding="utf-8")
    fresh = re.sub(f"{first}.*{last}", f"{MARKS[0]}\n{text}\n{MARKS[1]}", page, flags=re.DOTALL)
    PAGE.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    found = table(rows_of(gather(repeat=3)))
    print(found)
    if "--write" in sys.argv[1:]:
        write(found)
