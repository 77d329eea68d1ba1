"""Metrics as jobs of Spark: each worker scores its part of a store's runs and keeps the scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from assay.expectation import Expectations
from assay.score import Score
from assay.scoring.flight import score_cases
from assay.scoring.results import KnownCase
from assay.store import Settings, Store
from assay.store.case_text import read_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.store.spark import Spark, SparkStore

_ALL_CASES = 'SELECT run_key, source, "case" FROM stored_cases'
_UNSCORED_CASES = f"""
    {_ALL_CASES} WHERE run_key NOT IN (
        SELECT run_key FROM stored_scores WHERE settings_key = $settings_key AND tree IS NOT NULL
    )
"""  # noqa: S608 - our own text


class MetricJob(Struct, frozen=True):
    """A metric, the settings that its scores are kept under, and what tasks expect, by task id.

    The metric travels to other processes, so it must be one that can be pickled.
    """

    metric: Any
    settings: Settings
    expected: dict[str, Expectations] = field(default_factory=dict)


class ScoredRuns(Struct):
    """How many runs have got their score, and how many the metric could not do its work on."""

    scored: int = 0
    failed: int = 0


def score_on_spark(
    store: SparkStore,
    spark: Spark,
    job: MetricJob,
    *,
    again: bool = False,
    on_done: Callable[[int], object] | None = None,
) -> ScoredRuns:
    """Score the runs that have no score under these settings, or all `again`; keep the scores.

    What was kept when it is interrupted stays, and the next time only the others are scored.
    """
    query, params = (
        (_ALL_CASES, {}) if again else (_UNSCORED_CASES, {"settings_key": job.settings.key})
    )
    work = partial(_score_part, str(store.path.absolute()), job)
    total = ScoredRuns()
    with store.questions() as engine:
        for found in spark.each_part_of_rows(work, engine.frame(query, **params)):
            total.scored += found.scored
            total.failed += found.failed
            if on_done is not None:
                on_done(found.scored + found.failed)
    return total


def _score_part(path: str, job: MetricJob, rows: Iterator[Any]) -> ScoredRuns:
    """The life of one part: its runs in, their scores kept, how many of them out."""
    done = ScoredRuns()
    with Store(path).score_writer() as writer:
        for scores in score_cases(_cases(job, rows), [job.metric]):
            (result,) = scores.results
            if isinstance(result, Score) and scores.run_key is not None:
                writer.add(scores.run_key, result, job.settings)
                done.scored += 1
            else:
                done.failed += 1
    return done


def _cases(job: MetricJob, rows: Iterator[Any]) -> Iterator[KnownCase]:
    for row in rows:
        case = read_case(row.asDict())
        if case.task_id in job.expected:
            case.expected_effects = job.expected[case.task_id]
        yield KnownCase(case, row["run_key"])
