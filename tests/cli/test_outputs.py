"""Where commands write, and what they say where they cannot."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.store.runs import fill, samples

from assay.cli.output_places import STORE_MARK
from assay.store import Store
from assay.store.layout import MARK

if TYPE_CHECKING:
    from tests.command_line import Assay

WRITING = {
    "export": ["export", "{store}", "-o", "{place}.jsonl"],
    "export a table": ["export", "{store}", "-o", "{place}.parquet"],
    "report": ["report", "{store}", "-o", "{place}.html"],
    "score": ["score", "{store}", "-o", "{place}.csv"],
    "analyze": ["analyze", "tools", "{store}", "-o", "{place}.parquet"],
    "analyze and export": ["analyze", "{store}", "--export", "{place}.csv"],
    "plot": ["plot", "tools", "{store}", "-o", "{place}.svg"],
    "compare": ["compare", "--store", "{store}", "-o", "{place}.md"],
    "gate": ["gate", "{store}", "--min", "success=0", "-o", "{place}.md"],
    "a baseline": ["gate", "{store}", "--write-baseline", "{place}.json"],
}
# A file of more than 4 kB cannot be written: what a full disk says, without one.
_SMALL_DISK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.argv[0] = "assay"
from assay.__main__ import main
main()
"""


@pytest.fixture
def store(assay: Assay) -> Path:
    """A store in the folder the commands run in."""
    made = Path("runs.assay")
    fill(Store.create(made), samples())
    return made


def _words(command: str, store: Path, place: str) -> list[str]:
    return [word.format(store=store, place=place) for word in WRITING[command]]


def _on_small_disk(words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _SMALL_DISK, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_store_is_known_by_its_mark() -> None:
    assert STORE_MARK == MARK


@pytest.mark.parametrize("command", WRITING)
def test_nothing_is_written_into_a_store(assay: Assay, store: Path, command: str) -> None:
    before = sorted(store.rglob("*"))
    done = assay(*_words(command, store, f"{store}/batches/out"))
    assert done.code == 2
    assert "lies within the store" in " ".join(done.err.split())
    assert sorted(store.rglob("*")) == before


@pytest.mark.parametrize("command", ["export", "export a table", "analyze"])
def test_a_folder_that_takes_no_file_is_told(assay: Assay, store: Path, command: str) -> None:
    Path("taken").write_text("a file", encoding="utf-8")
    done = assay(*_words(command, store, "taken/out"))
    assert done.code == 2
    assert "cannot be written: " in done.err
    assert "IO Error" not in done.err


@pytest.mark.parametrize("command", ["export", "export a table", "analyze"])
def test_a_disk_that_is_full_is_told_in_our_words(store: Path, command: str) -> None:
    words = _words(command, store, "out")
    done = _on_small_disk(words)
    assert done.returncode == 2
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("assay: ")]
    assert told == f"assay: {words[words.index('-o') + 1]} cannot be written: File too large"


def test_scores_that_the_disk_does_not_hold_end_in_one_line(store: Path) -> None:
    runs = [str(store)] * 20  # more than one buffer of rows
    done = _on_small_disk(["score", *runs, "-o", "out.csv"])
    assert done.returncode == 3
    assert done.stderr.splitlines() == ["assay: out.csv cannot be written: File too large"]
    kept = _on_small_disk(["score", str(store)])
    assert kept.returncode == 3
    assert "the last scores are not kept: File too large" in kept.stderr


def test_an_import_that_the_disk_does_not_hold_names_the_store(store: Path) -> None:
    exported = [sys.executable, "-m", "assay", "export", str(store), "-o", "runs.jsonl"]
    subprocess.run(exported, check=True, capture_output=True)
    done = _on_small_disk(["import", "runs.jsonl", "--store", "new.assay"])
    assert done.returncode == 3
    assert "assay: new.assay cannot be written: File too large; what was read" in done.stderr
    assert "Traceback" not in done.stderr
