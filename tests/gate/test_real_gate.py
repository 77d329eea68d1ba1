"""A gate on two real sets, two database servers on the same tasks, computed a second time.

Nothing of ours is used for the second computation: the outcomes are read from the recorded
verification, the figures come from numpy, scipy and the textbook.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import product
from math import comb, sqrt
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path

from assay.comparing import read_side
from assay.gate import CheckSettings, GateReport, GateSettings, gate
from assay.importing import ImportSettings, import_runs

if TYPE_CHECKING:
    from pathlib import Path

np = pytest.importorskip("numpy")
scipy_stats = pytest.importorskip("scipy.stats")

BEFORE, AFTER = "insforge", "supabase"
SETTINGS = GateSettings(
    checks={
        "success": CheckSettings(min=0.3, max=0.9, margin=0.3),
        "pass^4": CheckSettings(min=0.1, margin=0.1),
    }
)


def folder_of(server: str) -> Path:
    return shared_path("data", "mcpmark-postgres", "mcp_servers", "postgres", server)


def outcomes(server: str) -> dict[str, list[bool]]:
    """Whether each run of each task was verified, read from the recordings themselves."""
    found: dict[str, list[bool]] = defaultdict(list)
    for meta in sorted(folder_of(server).glob("run-*/*/meta.json")):
        found[meta.parent.name].append(json.loads(meta.read_bytes())["execution_result"]["success"])
    return dict(sorted(found.items()))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> GateReport:
    root = tmp_path_factory.mktemp("stores")
    for server in (BEFORE, AFTER):
        settings = ImportSettings(str(root / server))
        assert import_runs([str(folder_of(server))], settings, jobs=1).added == 84
    before, after = (read_side(str(root / server)) for server in (BEFORE, AFTER))
    return gate(after, SETTINGS, before)


def check(report: GateReport, name: str) -> Any:
    return next(each for each in report.checks if each.name == name)


def bootstrap(values: Any) -> tuple[float, float]:
    """A percentile interval of the mean of tasks, widened for few tasks by Student's t."""
    n = len(values)
    wide = scipy_stats.t.ppf(0.975, n - 1) * sqrt(n / (n - 1))
    level = 1 - 2 * scipy_stats.norm.cdf(-wide)
    found = scipy_stats.bootstrap(
        (np.array(values),),
        np.mean,
        n_resamples=20_000,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    return found.low, found.high


def test_the_minimum(report: GateReport) -> None:
    rates = [np.mean(seen) for seen in outcomes(AFTER).values()]
    found = check(report, "success min 0.3")
    assert (found.tasks, found.runs, found.missing) == (21, 84, 0)
    assert found.value == pytest.approx(np.mean(rates))
    low, high = bootstrap(rates)
    assert found.interval.low == pytest.approx(low, abs=0.02)
    assert found.interval.high == pytest.approx(high, abs=0.02)
    assert low > 0.3
    assert found.verdict == "pass"
    assert check(report, "success max 0.9").verdict == "pass"
    assert high < 0.9


def test_the_margin_to_the_baseline(report: GateReport) -> None:
    before, after = outcomes(BEFORE), outcomes(AFTER)
    gains = np.array([np.mean(after[task]) - np.mean(before[task]) for task in before])
    found = check(report, "success margin 0.3")
    assert (found.tasks, found.value) == (21, pytest.approx(gains.mean()))
    low, high = bootstrap(gains)
    assert found.interval.low == pytest.approx(low, abs=0.02)
    assert found.interval.high == pytest.approx(high, abs=0.02)
    assert low > -0.3
    assert found.verdict == "pass"
    changed = gains[gains != 0]
    sums = [abs((signs * changed).sum()) for signs in product((-1, 1), repeat=len(changed))]
    assert found.p_value == pytest.approx(np.mean(np.array(sums) >= abs(gains.sum()) - 1e-9))


def test_all_of_four_runs(report: GateReport) -> None:
    """Every task has four runs, so pass^4 of a task is 0 or 1 and the interval is Wilson's."""
    every = {
        server: [all(seen) for seen in outcomes(server).values()] for server in (BEFORE, AFTER)
    }
    c, n = sum(every[AFTER]), len(every[AFTER])
    found = check(report, "pass^4 min 0.1")
    wilson = scipy_stats.binomtest(c, n).proportion_ci(method="wilson")
    assert (found.value, found.tasks, found.runs) == (c / n, 21, 84)
    assert found.interval.low == pytest.approx(wilson.low)
    assert found.interval.high == pytest.approx(wilson.high)
    assert found.verdict == ("pass" if wilson.low >= 0.1 else "insufficient")
    paired = check(report, "pass^4 margin 0.1")
    lost = sum(b and not a for b, a in zip(every[BEFORE], every[AFTER], strict=True))
    gained = sum(a and not b for b, a in zip(every[BEFORE], every[AFTER], strict=True))
    tail = sum(comb(lost + gained, i) for i in range(min(lost, gained) + 1))
    assert paired.p_value == pytest.approx(min(1, 2 * tail / 2 ** (lost + gained)))
    assert paired.value == pytest.approx((gained - lost) / n)


def test_the_verdict_is_that_four_tasks_of_doubt_are_too_many(report: GateReport) -> None:
    paired = check(report, "pass^4 margin 0.1")
    assert paired.interval.low < -0.1 < paired.interval.high
    assert paired.verdict == report.verdict == "insufficient"
    assert "more runs" in paired.reason
