"""Which runs tell the most: those that flipped, those whose attempts disagree, the worst."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.render.latest_scores import LATEST_SCORES, MAIN_METRIC
from assay.render.pages.figures import count
from assay.render.pages.figures import score as score_text
from assay.render.pages.said import Said, words
from assay.store.tables import MODEL, TASK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.comparing import Comparison
    from assay.store import Store
    from assay.store.questioning import QuestionEngine

# Of the runs shown, so many at most are flips, and so many disagree with other attempts.
_SHARE_OF_EACH = 0.3
# Failed runs first, then those of which nobody knows; the lowest score, the most failures.
_WORST = """CASE WHEN success IS NULL THEN 1 WHEN success THEN 2 ELSE 0 END,
    COALESCE(score, outcome_score, 1), failed_calls DESC, calls DESC, run_key"""
_RUNS = f"""
    SELECT run_key, {TASK} AS task, {MODEL} AS model, outcome_success AS success,
           outcome_score, score, calls, failed_calls
    FROM stored_runs LEFT JOIN ({LATEST_SCORES.format(some="")}) USING (run_key)
"""  # noqa: S608 - our own words
_DISAGREEING = f"""
    WITH runs AS ({_RUNS}), grouped AS (
        SELECT *, COUNT(success) OVER attempts AS decided,
               COUNT(*) FILTER (WHERE success) OVER attempts AS succeeded
        FROM runs WINDOW attempts AS (PARTITION BY model, task)
    )
    SELECT * FROM grouped WHERE NOT success AND succeeded > 0
    QUALIFY ROW_NUMBER() OVER (PARTITION BY model, task ORDER BY {_WORST}) = 1
    ORDER BY succeeded / decided DESC, {_WORST} LIMIT $most
"""  # noqa: S608 - our own words
_WORST_OF_TASKS = f"""
    WITH runs AS ({_RUNS}) SELECT * FROM runs WHERE success IS NOT TRUE
    QUALIFY ROW_NUMBER() OVER (PARTITION BY task ORDER BY {_WORST}) = 1
    ORDER BY {_WORST} LIMIT $most
"""  # noqa: S608 - our own words
_WORST_OF_ALL = f"WITH runs AS ({_RUNS}) SELECT * FROM runs ORDER BY {_WORST} LIMIT $most"  # noqa: S608 - our own words


class Telling(Struct, frozen=True):
    """A run to look at, and why."""

    run_key: str
    why: Said


def metric_of(store: Store) -> str | None:
    """The metric that most runs were scored by; None if none was."""
    with store.questions() as engine:
        rows = engine.sql(MAIN_METRIC)
    return rows[0]["metric"] if rows else None


def telling_runs(
    store: Store, most: int, metric: str | None, pair: Comparison | None
) -> list[Telling]:
    """The most telling runs of a store, the most telling first."""
    if most < 1:
        return []
    some = max(1, round(_SHARE_OF_EACH * most))
    with store.questions() as engine:

        def ask(sql: str, limit: int) -> list[dict[str, Any]]:
            return engine.sql(sql, metric=metric or "", most=limit)

        flipped = list(islice(_flipped(engine, pair), some))
        disagreeing = list(_disagreeing(ask(_DISAGREEING, some)))
        worst = [
            *_worst(ask(_WORST_OF_TASKS, most), "the worst of its task"),
            *_worst(ask(_WORST_OF_ALL, most)),
        ]
    known = {run.run_key for run in disagreeing}
    others = [run for run in worst if run.run_key not in known]
    first = _first_of_each([*flipped, *others])[: most - len(disagreeing)]
    return _first_of_each([*first, *disagreeing, *others])[:most]


def _flipped(engine: QuestionEngine, pair: Comparison | None) -> Iterator[Telling]:
    """Of every flip the run that failed and one that did not."""
    if pair is None or not pair.flips:
        return
    keys = {key for flip in pair.flips for key in (*flip.baseline_runs, *flip.candidate_runs)}
    sql = "SELECT run_key, outcome_success AS success FROM stored_runs WHERE run_key IN "
    rows = engine.sql(f"{sql} (SELECT UNNEST($keys::VARCHAR[]))", keys=list(keys))
    success = {row["run_key"]: row["success"] for row in rows}
    for flip in sorted(pair.flips, key=lambda flip: flip.way):
        broken = flip.way == "broken"
        loser, winner = (
            (pair.candidate, pair.baseline) if broken else (pair.baseline, pair.candidate)
        )
        sides = (flip.candidate_runs, flip.baseline_runs)
        lost, won = sides if broken else sides[::-1]
        failed = next((key for key in lost if success.get(key) is False), None)
        passed = next((key for key in won if success.get(key)), None)
        if failed is not None:
            yield Telling(
                failed, words("{loser} fails what {winner} passes", loser=loser, winner=winner)
            )
        if failed is not None and passed is not None:
            yield Telling(
                passed, words("{winner} passes what {loser} fails", loser=loser, winner=winner)
            )


def _disagreeing(rows: Iterable[dict[str, Any]]) -> Iterator[Telling]:
    for row in rows:
        counts = {"n": str(row["succeeded"]), "total": str(row["decided"])}
        yield Telling(
            row["run_key"], words("attempts disagree: {n} of {total} succeeded", **counts)
        )


def _worst(rows: Iterable[dict[str, Any]], place: str = "") -> Iterator[Telling]:
    for row in rows:
        told = [words(place)] if place else []
        if row["score"] is not None:
            told.append(words("score {score}", score=score_text(row["score"])))
        if row["failed_calls"]:
            text = "1 failed call" if row["failed_calls"] == 1 else "{n} failed calls"
            told.append(words(text, n=count(row["failed_calls"])))
        yield Telling(row["run_key"], _listed(told or [words("no failed call")]))


def _listed(said: list[Said]) -> Said:
    """Sentences one after the other."""
    first, *rest = said
    return words("{one}, {other}", one=first, other=_listed(rest)) if rest else first


def _first_of_each(found: Iterable[Telling]) -> list[Telling]:
    first: dict[str, Telling] = {}
    for run in found:
        first.setdefault(run.run_key, run)
    return list(first.values())
