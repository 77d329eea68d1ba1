"""What does a run take, and what does a success?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column
from assay.analyses.answering import question
from assay.analyses.columns import PLACE, SUCCESS_RATE, bounded
from assay.analyses.judged import Mean, mean_of
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View


class Efficiency(Struct, frozen=True):
    """What one model's runs took on average; lower is better but for success and score.

    A mean is over the runs of which the figure is known, None where it is known of none.
    `success_rate` counts the recorded outcome or, without one, the share of judges that passed
    a run. `X_per_success` is what all runs with a verdict took together, over their successes:
    failures are paid for too. `calls_per_tool` is over runs that called anything.
    """

    experiment: str | None
    model: str | None
    runs: int
    tasks: int
    verdicts: int
    success_rate: float | None
    success_rate_low: float | None
    success_rate_high: float | None
    scored: int
    score: float | None
    score_low: float | None
    score_high: float | None
    calls: float | None
    calls_low: float | None
    calls_high: float | None
    calls_per_success: float | None
    tools: float | None
    servers: float | None
    calls_per_tool: float | None
    failed_share: float | None
    rounds: float | None
    timed: int
    seconds: float | None
    seconds_low: float | None
    seconds_high: float | None
    seconds_per_success: float | None
    metered: int
    tokens: float | None
    tokens_low: float | None
    tokens_high: float | None
    tokens_per_success: float | None
    cost_usd: float | None
    cost_usd_per_success: float | None


class Diversity(Struct, frozen=True):
    """Runs of one model that used about as many different tools, or servers, and their scores."""

    experiment: str | None
    model: str | None
    used: str
    from_number: int
    number: str
    runs: int
    scored: int
    score: float | None
    score_low: float | None
    score_high: float | None


# The bins by the least number that falls into them.
_BINS = {
    "tools": {0: "0", 1: "1-2", 3: "3-4", 5: "5-6", 7: "7+"},
    "servers": {0: "0", 1: "1", 2: "2", 3: "3", 4: "4+"},
}


def efficiency(source: Answering | View, **filters: Unpack[Filters]) -> list[Efficiency]:
    """Calls, rounds, time, tokens and cost of a run and of a success; in name order."""
    groups: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
    for line in _run_facts(source, filters, "efficiency"):
        groups.setdefault((line["experiment"], line["model"]), {})[line["measure"]] = line
    return [_efficiency(place, lines) for place, lines in groups.items()]


def diversity(source: Answering | View, **filters: Unpack[Filters]) -> list[Diversity]:
    """Scores by the number of different tools and of different servers that a run used."""
    return [_diversity(line) for line in _run_facts(source, filters, "diversity")]


def _run_facts(source: Answering | View, filters: Filters, name: str) -> list[dict[str, Any]]:
    with opened(source, filters) as view:
        is_seed = view.rules == "seed"
        text = question("run_facts") + question(name)
        return view.rows(text, missing=0 if is_seed else None, first_judge_only=is_seed)


def _efficiency(
    place: tuple[str | None, str | None], lines: dict[str, dict[str, Any]]
) -> Efficiency:
    means = {measure: mean_of(line) for measure, line in lines.items()}
    success, score, calls = means["success"], means["score"], means["calls"]
    seconds, tokens = means["seconds"], means["tokens"]
    return Efficiency(
        *place,
        runs=means["runs"].n,
        tasks=means["runs"].tasks,
        verdicts=success.n,
        success_rate=success.value,
        success_rate_low=success.low,
        success_rate_high=success.high,
        scored=score.n,
        score=score.value,
        score_low=score.low,
        score_high=score.high,
        calls=calls.value,
        calls_low=_not_below_zero(calls),
        calls_high=calls.high,
        calls_per_success=_per_success(lines["calls"]),
        tools=means["tools"].value,
        servers=means["servers"].value,
        calls_per_tool=means["calls_per_tool"].value,
        failed_share=_share(lines["failures"], lines["calls"]),
        rounds=means["rounds"].value,
        timed=seconds.n,
        seconds=seconds.value,
        seconds_low=_not_below_zero(seconds),
        seconds_high=seconds.high,
        seconds_per_success=_per_success(lines["seconds"]),
        metered=tokens.n,
        tokens=tokens.value,
        tokens_low=_not_below_zero(tokens),
        tokens_high=tokens.high,
        tokens_per_success=_per_success(lines["tokens"]),
        cost_usd=means["cost_usd"].value,
        cost_usd_per_success=_per_success(lines["cost_usd"]),
    )


def _not_below_zero(mean: Mean) -> float | None:
    return None if mean.low is None else max(mean.low, 0.0)


def _per_success(line: dict[str, Any]) -> float | None:
    """What the runs with a verdict took for each success; None where nothing succeeded."""
    return line["judged_total"] / line["successes"] if line["successes"] else None


def _share(part: dict[str, Any], whole: dict[str, Any]) -> float | None:
    return part["total"] / whole["total"] if whole["total"] else None


def _diversity(line: dict[str, Any]) -> Diversity:
    mean = mean_of(line)
    used, least = line["used"], int(line["from_number"])
    return Diversity(
        line["experiment"],
        line["model"],
        used,
        least,
        _BINS[used][least],
        mean.asked,
        mean.n,
        *(mean.value, mean.low, mean.high),
    )


_TABLES = ("runs", "calls", "evaluations")

EFFICIENCY = Analysis(
    name="efficiency",
    title="Efficiency",
    question="What does a run take, and what does a success?",
    row=Efficiency,
    ask=efficiency,
    columns=(
        *PLACE,
        Column("runs", "runs", "count"),
        Column("tasks", "tasks", "count", wide=True),
        Column("verdicts", "verdicts", "count", wide=True),
        SUCCESS_RATE,
        Column("scored", "scored", "count", wide=True),
        bounded("score", "score", "score", lower_is_better=False),
        bounded("calls", "calls", "number", lower_is_better=True),
        Column("calls_per_success", "calls per success", "number", lower_is_better=True),
        Column("tools", "tools", "number"),
        Column("servers", "servers", "number", wide=True),
        Column("calls_per_tool", "calls per tool", "number", lower_is_better=True),
        Column("failed_share", "failed calls", "share", lower_is_better=True),
        Column("rounds", "rounds", "number", lower_is_better=True, wide=True),
        Column("timed", "timed", "count", wide=True),
        bounded("seconds", "seconds", "number", lower_is_better=True),
        Column("seconds_per_success", "seconds per success", "seconds", lower_is_better=True),
        Column("metered", "metered", "count", wide=True),
        bounded("tokens", "tokens", "number", lower_is_better=True),
        Column("tokens_per_success", "tokens per success", "number", lower_is_better=True),
        Column("cost_usd", "USD", "number", lower_is_better=True),
        Column("cost_usd_per_success", "USD per success", "number", lower_is_better=True),
    ),
    tables=_TABLES,
)
DIVERSITY = Analysis(
    name="diversity",
    title="Diversity of tools",
    question="Do runs that use more different tools, or servers, score better?",
    row=Diversity,
    ask=diversity,
    columns=(
        *PLACE,
        Column("used", "used", "name"),
        Column("from_number", "from", "count", wide=True),
        Column("number", "different", "name"),
        Column("runs", "runs", "count"),
        Column("scored", "scored", "count"),
        bounded("score", "score", "score", lower_is_better=False),
    ),
    tables=_TABLES,
)
