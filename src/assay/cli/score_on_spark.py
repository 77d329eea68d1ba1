"""Scores that Spark's workers give first; what is told of them is then read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from assay.cli.console import Terminal
from assay.cli.score_keeping import settings_of
from assay.cli.sources import names_a_store
from assay.cli.stores import interruptible
from assay.records import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.cli.score_metrics import MadeMetric
    from assay.expectation import Expectations
    from assay.judge.session import JudgeSession
    from assay.store.spark import Spark


def check_for_spark(
    files: Sequence[str], made: Sequence[MadeMetric], session: JudgeSession
) -> None:
    """Refuse what cannot be done by workers: other files than stores, and models that cost."""
    if not all(map(names_a_store, files)):
        problem = "spark scores the runs of stores: bring them into one with assay import"
        raise typer.BadParameter(problem, param_hint="--engine")
    own = [item.metric.name for item in made if item.options is None]
    if own or session.asks_models:
        told = f"a metric of your own ({own[0]})" if own else f"the judge {session.name}"
        problem = f"spark scores by what can be measured, not with {told}; leave --engine out"
        raise typer.BadParameter(problem, param_hint="--engine")


def score_first(
    spark: Spark,
    files: Sequence[str],
    made: Sequence[MadeMetric],
    expected: Mapping[str, Expectations] | None,
    *,
    again: bool,
) -> None:
    """Give every run its missing scores, and say how many."""
    from assay.scoring.on_spark import MetricJob, score_on_spark  # noqa: PLC0415 - seldom needed
    from assay.store.spark import SparkStore  # noqa: PLC0415 - the same

    messages = Terminal(stderr=True)
    with interruptible("the scores given so far are kept; run it again to go on"), spark:
        for path in files:
            for item in made:
                job = MetricJob(item.metric, settings_of(item), dict(expected or {}))
                found = score_on_spark(SparkStore(path, spark), spark, job, again=again)
                failed = f", {found.failed:,} could not be scored" if found.failed else ""
                scored = counted(found.scored, "run", "runs")
                messages.tell(f"{path}: {scored} scored by {item.metric.name} on Spark{failed}")
