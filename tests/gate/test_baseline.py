"""The baseline file: small, sorted, a line a task, and the same runs again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.comparing.made_runs import merged, runs_of
from tests.store.runs import fill, run

from assay.comparing import RunFacts, RunSet
from assay.errors import InvalidSettings
from assay.gate import read_baseline, read_runs, write_baseline
from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path

RUNS = merged(
    "some/where/v1.assay",
    runs_of("v1", {"b": [1, None], "a": [0]}),
    runs_of("v1", {"b": [1.5, 2.123456789], "a": [None]}, "seconds"),
)


def test_the_file_is_sorted_and_has_a_line_a_task(tmp_path: Path) -> None:
    path = tmp_path / "new" / "baseline.json"
    write_baseline(RUNS, path)
    assert path.read_text().splitlines() == [
        "{",
        '"assay_baseline": 1,',
        '"name": "v1.assay",',
        '"tasks": {',
        '"a": {"success":[0]},',
        '"b": {"seconds":[1.5,2.123457],"success":[1,null]}',
        "}",
        "}",
    ]


def test_the_same_runs_are_read_again(tmp_path: Path) -> None:
    write_baseline(RUNS, tmp_path / "b.json")
    found = read_baseline(tmp_path / "b.json")
    assert found == RunSet(
        "v1.assay",
        (
            RunFacts("a", {"success": 0.0}),
            RunFacts("b", {"seconds": 1.5, "success": 1.0}),
            RunFacts("b", {"seconds": 2.123457}),
        ),
    )
    write_baseline(found, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_order_of_the_runs_does_not_change_the_file(tmp_path: Path) -> None:
    write_baseline(RUNS, tmp_path / "b.json")
    turned = sorted(RUNS.runs, key=lambda each: each.task)
    write_baseline(RunSet(RUNS.name, tuple(turned)), tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_run_of_which_nothing_is_known_still_was_a_run(tmp_path: Path) -> None:
    write_baseline(runs_of("x", {"t": [None, None]}), tmp_path / "b.json")
    assert len(read_baseline(tmp_path / "b.json").runs) == 2


def test_hostile_task_names_stay_names(tmp_path: Path) -> None:
    name = 'a": {}}, "x\n\x1b\u2028'
    write_baseline(runs_of("x", {name: [1]}), tmp_path / "b.json")
    assert list(json.loads((tmp_path / "b.json").read_text())["tasks"]) == [name]
    assert read_baseline(tmp_path / "b.json").runs[0].task == name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is no baseline: Input data was truncated"),
        ("[]", "is no baseline: Expected `object`"),
        ('{"assay_baseline": 2, "name": "", "tasks": {}}', "was written by a later assay"),
        (
            '{"assay_baseline": 1, "name": "", "tasks": {"t": {"a": [1], "b": [1, 2]}}}',
            r"task 't' has lists of different lengths: \[1, 2\]",
        ),
        ('{"assay_baseline": 1, "name": "", "tasks": {"t": {"a": ["x"]}}}', "is no baseline: Exp"),
    ],
)
def test_what_is_no_baseline(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(InvalidSettings, match=problem):
        read_baseline(path)


def test_a_file_is_a_baseline_and_a_folder_a_store(tmp_path: Path) -> None:
    write_baseline(RUNS, tmp_path / "b.json")
    assert len(read_runs(str(tmp_path / "b.json")).runs) == 3
    fill(Store.create(tmp_path / "runs.assay"), [run(1), run(2)])
    assert len(read_runs(str(tmp_path / "runs.assay")).runs) == 2
    with pytest.raises(InvalidSettings, match="cannot be read"):
        read_baseline(tmp_path / "none.json")
