"""`assay analyze` with the seed's flags on its own folders: the reference's tables, one by one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = (
    *("--passes", "--detailed", "--top-n", "3", "--distribution"),
    *("--weighted", "--fa-weight", "0.6", "--step-weight", "0.4", "--no-tool-penalty", "0.3"),
)


def report(dataset: Path, *flags: str) -> dict[str, list[dict[str, Any]]]:
    """The sections of a report over the raw folders, by name."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", "analyze", "--rules", "seed", "--json", *flags],
        cwd=dataset,
        env={"XDG_CACHE_HOME": str(dataset / "cache"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return {section["name"]: section["rows"] for section in json.loads(done.stdout)["sections"]}


def test_the_whole_report(dataset: Path, oracle: dict[str, Any]) -> None:
    found = report(dataset, *FLAGS)
    models = list(dict.fromkeys(row["model"] for row in found["comparison"]))
    assert models == [model for model, _ in oracle["model_comparison_seed"]["order"]]
    assert len(found["attempts"]) == 45
    best = [row["task_id"] for row in found["detailed"] if row["side"] == "best"]
    assert best == [row[3] for row in oracle["detailed"]["best10"][:3]]
    worst = [row["task_id"] for row in found["detailed"] if row["side"] == "worst"]
    assert worst == [row[3] for row in oracle["detailed"]["worst10_as_printed"][-3:]]
    (score, _) = found["distribution"]
    assert score["mean"] == pytest.approx(oracle["distribution"]["final_answer"]["mean"])
    told = oracle["weighted_fa0.6_step0.4_pen0.3"]
    by_model = next(rows for name, rows in told.items() if name.startswith("by_model"))
    weighted = [(row["model"], row["weighted"]) for row in found["weighted"]]
    assert weighted == [(row[0], pytest.approx(row[2])) for row in by_model]


def test_filters_reach_every_section(dataset: Path) -> None:
    flags = ("--models", "grok4", "claude-3.5", "--judge", "gpt4omini")
    found = report(dataset, *flags, *FLAGS)
    for name, rows in found.items():
        assert {row.get("model") for row in rows} <= {"grok4", "claude-3.5", None}, name
        assert {row.get("judge") for row in rows} <= {"gpt4omini", None}, name
    assert [row["evaluations"] for row in found["weighted"]] == [42, 32]
    (score, _) = found["distribution"]
    assert score["n"] + score["missing"] == 42 + 32
