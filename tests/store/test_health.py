"""The doctor finds what is wrong, says what to do, and removes only what nobody needs."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from tests.store.runs import SMALL, fill, runs

from assay.errors import NotAStore
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six runs in two batches."""
    fill(Store.create(tmp_path / "store"), runs(6), limit=SMALL)
    return tmp_path / "store"


def first_batch(folder: Path) -> Path:
    return sorted((folder / "batches").iterdir())[0]


def cut(folder: Path) -> None:
    file = first_batch(folder) / "cases.parquet"
    file.write_bytes(file.read_bytes()[:-100])


def flip(folder: Path) -> None:
    file = first_batch(folder) / "cases.parquet"
    data = bytearray(file.read_bytes())
    data[60:90] = bytes(30)
    file.write_bytes(data)


def lose_cases(folder: Path) -> None:
    (first_batch(folder) / "cases.parquet").unlink()


def lose_calls(folder: Path) -> None:
    (first_batch(folder) / "calls.parquet").unlink()


def copy_batch(folder: Path) -> None:
    shutil.copytree(first_batch(folder), folder / "batches" / "9-copy")


def leave_notes(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    (first_batch(folder) / "notes.txt").write_text("mine")
    (folder / "batches" / "notes.txt").write_text("mine")


@pytest.mark.parametrize(
    ("harm", "problems", "harmless"),
    [
        (cut, ["cannot be read: Invalid Input Error"], False),
        (flip, ["cannot be read: "], False),
        (lose_cases, ["cannot be read: 3 runs, but the cases of 0"], False),
        (lose_calls, ["cannot be read: its runs made 6 calls, but rows tell of 0"], False),
        (copy_batch, ["3 runs stand here twice"], False),
        (leave_notes, ["not part of a store"] * 3, True),
    ],
)
def test_every_harm_is_found(
    folder: Path, harm: Callable[[Path], None], problems: list[str], *, harmless: bool
) -> None:
    harm(folder)
    found = Store(folder).doctor(repair=True)
    assert len(found) == len(problems)
    for finding, problem in zip(found, problems, strict=True):
        assert finding.problem.startswith(problem)
        assert finding.path.startswith(str(folder))
        assert finding.advice
        assert finding.harmless is harmless
        assert not finding.repaired


def test_a_healthy_store_has_no_findings(folder: Path) -> None:
    assert Store(folder).doctor() == []


def test_replaced_batches_are_found_and_removed(folder: Path) -> None:
    store = Store(folder)
    reader = store.cases()
    next(reader)
    store.compact()
    found = store.doctor(repair=True)
    assert [(finding.problem, finding.repaired) for finding in found] == [
        ("a compaction replaced this batch", False)
    ] * 2
    reader.close()  # type: ignore[attr-defined]  # a generator
    found = store.doctor(repair=True)
    assert [finding.repaired for finding in found] == [True, True]
    assert store.doctor() == []
    assert store.count() == 6


def test_the_mark_of_one_who_died_making_the_store_is_cleared_away(folder: Path) -> None:
    mark = folder / "assay-store.json.0123"
    mark.write_text('{"store_ver')
    (finding,) = Store(folder).doctor()
    assert (finding.path, finding.harmless) == (str(mark), True)
    assert finding.problem == "a writer died and left this"
    fill(Store(folder), runs(1))
    assert not mark.exists()
    assert Store(folder).doctor() == []


def test_what_an_engine_spilled_goes_after_a_day(folder: Path) -> None:
    spill = folder / "writing" / "spill-1"
    spill.mkdir()
    store = Store(folder)
    assert store.doctor() == []
    old = time.time() - 25 * 3600
    __import__("os").utime(spill, (old, old))
    assert [finding.path for finding in store.doctor(repair=True)] == [str(spill)]
    assert not spill.exists()


def test_a_later_store_is_not_touched(folder: Path) -> None:
    store = Store(folder)
    (folder / "assay-store.json").write_text('{"store_version": 99}')
    with pytest.raises(NotAStore, match="later assay"):
        store.doctor(repair=True)


def test_a_column_may_be_called_anything(folder: Path) -> None:
    file = first_batch(folder) / "runs.parquet"
    secret = folder.parent / "secret.csv"
    secret.write_text("not for the doctor\n")
    called = f"x\"')), (SELECT COUNT(*) FROM read_csv('{secret}', HEADER = false) --"
    escaped = called.replace('"', '""')
    duckdb.execute(
        f"""COPY (SELECT *, 1 AS "{escaped}" FROM read_parquet('{file}'))
            TO '{file}.new' (FORMAT parquet)"""
    )
    Path(f"{file}.new").replace(file)
    assert Store(folder).doctor() == []


def test_who_asks_is_told_how_much_was_looked_at(folder: Path) -> None:
    cut(folder)
    shares: list[float] = []
    assert len(Store(folder).doctor(on_share=shares.append)) == 1
    assert shares == sorted(shares)
    assert len(shares) >= 5  # after each file of two batches, but for the damaged one
    assert shares[-1] == pytest.approx(1)
