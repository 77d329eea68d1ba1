"""Several analyses as one report: which sections each of the seed's flags asks for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from assay.analyses.analysis import Analysis
from assay.analyses.catalogue import ANALYSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.analyses.view import View


class Section(Struct, frozen=True):
    """One table of a report: an analysis asked in one way, and how many of its rows are shown.

    `leading` columns are shown wherever there is room for them.
    """

    name: str
    analysis: str
    title: str
    parameters: dict[str, Any] = field(default_factory=dict)
    shown: int | None = None
    leading: tuple[str, ...] = ()
    unknown_to_the_seed: bool = False


class Answered(Struct, frozen=True):
    """A section with its rows; all of them, whatever is shown."""

    section: Section
    analysis: Analysis
    rows: Sequence[Struct]


# The part of a report to its sections, in the order in which they stand there.
PARTS: dict[str, tuple[Section, ...]] = {
    "comparison": (Section("comparison", "summary", "Models"),),
    "passes": (
        Section("attempts", "attempts", "Attempt by attempt"),
        Section("passes", "passes", "pass@k and pass^k", unknown_to_the_seed=True),
    ),
    "detailed": (Section("detailed", "detailed", "Best and worst evaluations"),),
    "distribution": (Section("distribution", "distribution", "How scores are spread"),),
    "tool-stats": (
        Section(
            "all-calls",
            "tools",
            "All calls",
            {"by": "all"},
            leading=("calls", "failures", "success_rate", "loading_calls", "mean_seconds"),
        ),
        Section("models", "tools", "Calls by model", {"by": "model"}),
        Section("servers", "servers", "Servers", shown=20),
        Section("tools", "tools", "Tools with the most failures", shown=15),
        Section("blame", "errors", "Whose failures they were", {"by": "blame"}),
        Section("kinds", "errors", "Kinds of failure"),
        Section(
            "model-failures",
            "tools",
            "Models by the share of their own failures",
            {"by": "model", "order": "model_failure_rate"},
            leading=("calls", "model_failures", "model_failure_rate"),
        ),
        Section(
            "server-failures",
            "servers",
            "Servers by their own failures",
            {"order": "server_failures"},
            shown=15,
            leading=("calls", "server_failures", "server_failure_rate"),
        ),
    ),
    "retry-analysis": (
        Section(
            "retry",
            "retry",
            "After a failure",
            leading=("failures", "retry_rate", "switch_rate", "give_up_rate"),
        ),
        Section("persistence", "persistence", "Streaks and variety"),
        Section("longest", "longest", "Longest runs"),
        Section("most-work", "workload", "Tasks that took the most calls"),
        Section("least-work", "workload", "Tasks that took the fewest calls", {"order": "fewest"}),
    ),
    "auto-correction": (
        Section("correction", "correction", "Self-correction by model"),
        Section(
            "correction-tools", "correction", "Self-correction by tool", {"by": "tool"}, shown=15
        ),
        Section("correction-blame", "correction", "Self-correction by blame", {"by": "blame"}),
        Section(
            "corrected",
            "episodes",
            "Episodes that were corrected",
            {"ending": "corrected", "limit": 10},
        ),
    ),
    "weighted": (
        Section(
            "weighted",
            "weighted",
            "Weighted scores",
            leading=("score", "weighted", "rank_by_score", "rank"),
        ),
        Section("marked-down", "weighted_runs", "Marked down", {"which": "penalised", "top_n": 15}),
        Section(
            "not-marked-down", "weighted_runs", "Not marked down", {"which": "clean", "top_n": 10}
        ),
    ),
}


def answers(
    view: View, parts: Iterable[str], parameters: Mapping[str, Any] | None = None
) -> Iterator[Answered]:
    """The sections of the parts asked for, in their order.

    `parameters` go to every analysis that has one of the name, unless its section says else.
    """
    sections = [
        section
        for part in parts
        for section in PARTS[part]
        if not (section.unknown_to_the_seed and view.rules == "seed")
    ]
    given = parameters or {}
    of_calls = [s for s in sections if "calls" in ANALYSES[s.analysis].tables]
    if len(of_calls) > 1:
        view.expect_many()
    others = [section for section in sections if section not in of_calls]
    with ThreadPoolExecutor(max_workers=1) as thread, view.beside() as other:
        if other is view or not of_calls or not others:
            yield from (_answered(view, section, given) for section in sections)
            return
        # Calls and evaluations have nothing in common, so that they can be asked at the same time.
        there = {s.name: thread.submit(_answered, other, s, given) for s in others}
        try:
            here = {section.name: _answered(view, section, given) for section in of_calls}
        except BaseException:
            thread.shutdown(wait=False, cancel_futures=True)
            raise
        for section in sections:
            name = section.name
            yield here[name] if name in here else there[name].result()


def _answered(view: View, section: Section, parameters: Mapping[str, Any]) -> Answered:
    analysis = ANALYSES[section.analysis]
    own = {parameter.name for parameter in analysis.parameters}
    given = {key: item for key, item in parameters.items() if key in own}
    return Answered(section, analysis, analysis.answer(view, **(given | section.parameters)))
