"""Files that belong together tell the same runs in a folder, packed, and however they are named."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path
from tests.ingest.test_bfcl import RESULTS, SCORES

from assay.ingest.reading import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def zipped(folder: Path, target: Path) -> Path:
    """The same folder as a zip archive."""
    with zipfile.ZipFile(target / "packed.zip", "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(file, file.relative_to(folder))
    return target / "packed.zip"


def tarred(folder: Path, target: Path) -> Path:
    """The same folder as a packed tar archive."""
    with tarfile.open(target / "packed.tgz", "w:gz") as archive:
        archive.add(folder, ".")
    return target / "packed.tgz"


def gzipped(folder: Path, target: Path) -> Path:
    """A folder of the same files, each packed."""
    for file in (path for path in folder.rglob("*") if path.is_file()):
        packed = target / "packed" / file.relative_to(folder).with_name(f"{file.name}.gz")
        packed.parent.mkdir(parents=True, exist_ok=True)
        packed.write_bytes(gzip.compress(file.read_bytes()))
    return target / "packed"


PACKINGS = (zipped, tarred, gzipped)


def told(source: Path | str) -> list[tuple[Any, ...]]:
    """What is known of each run, wherever it stands; what is told of twice stands here once."""
    runs = [run for run in read_runs(source) if isinstance(run, AgentTestCase)]
    known = {
        (
            run.model,
            run.task_id,
            run.attempt,
            None if run.outcome is None else run.outcome.success,
            tuple(call.call_id for call in run.calls),
        )
        for run in runs
    }
    return sorted(known, key=str)


def write(path: Path, values: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))


@pytest.fixture
def bfcl(tmp_path: Path) -> Path:
    """Results and scores of one model, in two trees, with a folder for a group of categories."""
    folder = tmp_path / "bfcl"
    write(folder / "result" / "m-7b" / "live" / "BFCL_v3_simple_result.json", RESULTS)
    write(folder / "score" / "m-7b" / "live" / "BFCL_v3_simple_score.json", SCORES)
    return folder


@pytest.mark.parametrize("pack", PACKINGS)
def test_two_trees_of_results_and_scores(
    pack: Callable[[Path, Path], Path], bfcl: Path, tmp_path: Path
) -> None:
    loose = told(bfcl)
    assert sorted((model, task, success) for model, task, _, success, _ in loose) == [
        ("m-7b", "simple_0", True),
        ("m-7b", "simple_1", False),
        ("m-7b", "simple_2", True),
    ]
    assert told(pack(bfcl, tmp_path)) == loose


def test_two_trees_from_within(bfcl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loose = told(bfcl)
    for folder in (bfcl / "result", bfcl / "result" / "m-7b", bfcl / "result" / "m-7b" / "live"):
        monkeypatch.chdir(folder)
        assert told(".") == loose


def test_the_number_of_a_run_stands_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run-3" / "model__task"
    meta = {"task_name": "t", "model_name": "m", "mcp": "s", "execution_result": {"success": True}}
    write(folder / "meta.json", [meta])
    write(folder / "messages.json", [[{"role": "user", "content": "q"}]])
    whole = told(tmp_path / "run-3")
    assert [(attempt, success) for _, _, attempt, success, _ in whole] == [(3, True)]
    for at in (tmp_path / "run-3", folder):
        monkeypatch.chdir(at)
        assert told(".") == whole


@pytest.mark.parametrize("pack", PACKINGS)
def test_sub_agents_of_recorded_sessions(
    pack: Callable[[Path, Path], Path], tmp_path: Path
) -> None:
    recorded = shared_path("data", "coding-agent-sessions", "spotter")
    folder = tmp_path / "sessions"
    shutil.copytree(recorded, folder)
    loose = told(folder)
    assert sum(len(calls) for *_, calls in loose) > 1_000
    assert told(pack(folder, tmp_path)) == loose
