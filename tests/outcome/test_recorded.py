"""The rules against recorded runs: 300 labels made by hand, and every flag that was recorded."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.outcome import recorded_calls

from assay.execution import ToolExecutionResult
from assay.outcome import judge_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.outcome.recorded_calls import Recorded

LABELS: dict[str, Any] = json.loads(Path(__file__).with_name("mcpmark_labels.json").read_text())
STRATA = ("flagged", "error_words", "clean")


def verdict(one: Recorded, *, blind: bool = False) -> tuple[bool, str]:
    """Whether a call failed and by which rule; blind to what the harness reported."""
    reported = None if blind else one.reported
    found = judge_call(ToolExecutionResult(one.tool, {}, one.result, reported_success=reported))
    return found.success is False, found.rule


@cache
def mcpmark_verdicts() -> dict[tuple[str, int], tuple[bool, str]]:
    return {(one.file, one.item): verdict(one) for one in recorded_calls.mcpmark()}


def confusion(stratum: str) -> Counter[tuple[bool, bool]]:
    """How often (labelled as failed, judged as failed) occurs in a stratum."""
    return Counter(
        (label["failed"], mcpmark_verdicts()[label["file"], label["item"]][0])
        for label in LABELS["labels"]
        if label["stratum"] == stratum
    )


def test_the_labels_are_whole() -> None:
    labels = LABELS["labels"]
    assert len(labels) == len({(label["file"], label["item"]) for label in labels}) == 300
    assert Counter(label["stratum"] for label in labels) == dict(
        zip(STRATA, (100, 120, 80), strict=True)
    )
    assert all(
        label["why"] and set(label) == {"file", "item", "stratum", "failed", "why"}
        for label in labels
    )


def test_recall_and_precision_on_the_sample() -> None:
    total = sum((confusion(stratum) for stratum in STRATA), Counter[tuple[bool, bool]]())
    recall = total[True, True] / (total[True, True] + total[True, False])
    precision = total[True, True] / (total[True, True] + total[False, True])
    assert recall >= 0.98
    assert precision >= 0.98


def test_recall_and_precision_for_the_population() -> None:
    """The strata weighed by how many calls they stand for."""
    weighed: Counter[tuple[bool, bool]] = Counter()
    for stratum in STRATA:
        counts = confusion(stratum)
        weight = LABELS["population"][stratum] / counts.total()
        weighed.update({cell: n * weight for cell, n in counts.items()})
    assert weighed[True, True] / (weighed[True, True] + weighed[True, False]) >= 0.98
    assert weighed[True, True] / (weighed[True, True] + weighed[False, True]) >= 0.98


def test_all_failures_of_mcpmark() -> None:
    rules = Counter(rule for failed, rule in mcpmark_verdicts().values() if failed)
    assert len(mcpmark_verdicts()) == 6_575
    assert rules["is_error"] == 536
    assert sum(rules.values()) - rules["is_error"] >= 355


@pytest.mark.parametrize(
    ("source", "calls", "failures"),
    [(recorded_calls.tau_bench, 1_164, 73), (recorded_calls.tau2, 392, 32)],
)
def test_failures_are_found_without_a_flag(
    source: Callable[[], Iterator[Recorded]], calls: int, failures: int
) -> None:
    found = [verdict(one, blind=True)[0] for one in source()]
    assert len(found) == calls
    assert sum(found) == failures


def test_tau2_is_judged_as_it_was_flagged() -> None:
    wrong = [one for one in recorded_calls.tau2() if verdict(one, blind=True)[0] is one.reported]
    assert wrong == []


def test_claude_code_is_hardly_contradicted() -> None:
    """Three commands that printed nothing but the complaint of a shell ended with status 0."""
    calls = list(recorded_calls.claude_code())
    doubted = [one.result for one in calls if one.reported is not False and verdict(one)[0]]
    assert len(calls) == 1_457
    assert len(doubted) == 3


def test_claude_code_failures_are_mostly_found_blind() -> None:
    """Ten failures of seventy are printouts of a command, without a word of its exit status."""
    failed = [one for one in recorded_calls.claude_code() if one.reported is False]
    found = sum(verdict(one, blind=True)[0] for one in failed)
    assert len(failed) == 70
    assert found >= 60


def test_mcp_bench_hides_failures() -> None:
    """21 are reported, two of them without a word; 45 more were reported as good."""
    calls = list(recorded_calls.mcp_bench())
    reported = [one for one in calls if one.reported is False]
    hidden = [one for one in calls if one.reported is True and verdict(one)[0]]
    assert (len(calls), len(reported), len(hidden)) == (820 + 829, 21, 45)
    assert sum(verdict(one, blind=True)[0] for one in reported) == 19
