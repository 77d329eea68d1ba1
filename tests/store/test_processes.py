"""Several processes on one store, and processes that are killed at any moment."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest
from tests.store import workers
from tests.store.runs import SMALL, as_set, fill, runs

from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

KILLS = 100 if os.environ.get("ASSAY_SLOW") else 20
SCORING_KILLS = 100 if os.environ.get("ASSAY_SLOW") else 8
RUNS = 15
# One process with everything loaded, from which all others are split off.
CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.store.workers"])


def start(work: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=work, args=(*arguments, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "begins"
    return process, ours


def kill_after(seconds: float, work: Callable[..., None], *arguments: Any) -> None:
    process, report = start(work, *arguments)
    time.sleep(seconds)
    process.kill()
    process.join()
    report.close()


def kill_at_batch(number: int, folder: Path, work: Callable[..., None], seconds: float) -> None:
    """Kill some moments after so many new batches are there, or when the work is done."""
    before = len(list((folder / "batches").iterdir()))
    process, report = start(work, folder)
    while process.is_alive() and len(list((folder / "batches").iterdir())) < before + number:
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    process.join()
    report.close()


def seconds_of(work: Callable[..., None], *arguments: Any) -> float:
    process, report = start(work, *arguments)
    began = time.monotonic()
    report.recv()
    process.join()
    return time.monotonic() - began


def check_whole(store: Store, limit: int | None = None) -> None:
    """Every visible batch is whole: each run with its case and both its calls, and stands once."""
    damages = [finding for finding in store.doctor() if not finding.harmless]
    assert damages == []
    counts = store.query(
        """
        SELECT COUNT(*) AS runs, COUNT(DISTINCT run_key) AS different,
               (SELECT COUNT(*) FROM calls) AS calls, (SELECT COUNT(*) FROM cases) AS cases
        FROM runs
        """
    )[0]
    assert counts["runs"] == counts["different"] == counts["cases"] == counts["calls"] / 2
    if limit is not None:
        assert counts["runs"] % limit == 0


def test_four_processes_lose_and_double_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shares = [range(20), range(10, 30), range(20, 40), range(0, 40, 3)]
    started = [start(workers.write, folder, list(share)) for share in shares]
    reports = [report.recv() for _, report in started]
    for process, _ in started:
        process.join()
    store = Store(folder)
    assert as_set(store.cases()) == as_set(runs(40))
    assert store.count() == 40
    assert sum(added for added, _ in reports) == 40
    assert sum(map(sum, reports)) == sum(map(len, shares))
    check_whole(store)


def test_a_killed_import_leaves_whole_batches_and_is_completed_by_the_next(
    tmp_path: Path,
) -> None:
    numbers = list(range(RUNS))
    usual = seconds_of(workers.write, tmp_path / "timed", numbers)
    left = Counter[int]()
    for i in range(KILLS):
        folder = tmp_path / f"store-{i}"
        moment = random.Random(i).uniform(0, 1.2 * usual)
        kill_after(moment, workers.write, folder, numbers)
        store = Store.create(folder)
        check_whole(store, SMALL.runs)
        kept = store.count()
        left[kept] += 1
        assert as_set(store.cases()) <= as_set(runs(RUNS))
        assert fill(store, runs(RUNS), limit=SMALL) == (RUNS - kept, kept)
        assert as_set(store.cases()) == as_set(runs(RUNS))
        assert store.doctor() == []
        shutil.rmtree(folder)
    assert len(left) > 2, f"the kills all came at the same moment: {left}"


def test_a_killed_compaction_loses_nothing_and_is_completed_by_the_next(tmp_path: Path) -> None:
    pattern = tmp_path / "pattern"
    fill(Store.create(pattern), runs(RUNS), limit=SMALL)
    timed = tmp_path / "timed"
    shutil.copytree(pattern, timed)
    usual = seconds_of(workers.merge, timed)
    left = Counter[int]()
    for i in range(KILLS):
        folder = tmp_path / f"store-{i}"
        shutil.copytree(pattern, folder)
        kill_after(random.Random(i).uniform(0, 1.2 * usual), workers.merge, folder)
        store = Store(folder)
        left[len(store.batches())] += 1
        check_whole(store)
        assert as_set(store.cases()) == as_set(runs(RUNS))
        store.compact()
        assert len(store.batches()) == 1
        assert len(list((folder / "batches").iterdir())) == 1
        assert as_set(store.cases()) == as_set(runs(RUNS))
        assert store.doctor() == []
        shutil.rmtree(folder)
    assert set(left) == {1, 5}, f"the kills all came at the same moment: {left}"


def check_scores_whole(store: Store) -> None:
    """Every visible score has all its rows, and every run at most one."""
    rows = store.query(
        "SELECT score_key, COUNT(*) AS rows, COUNT(tree) AS wholes FROM scores GROUP BY score_key"
    )
    assert {(row["rows"], row["wholes"]) for row in rows} <= {(3, 1)}
    runs_of = store.query("SELECT run_key FROM scores WHERE path = name")
    assert len(runs_of) == len({row["run_key"] for row in runs_of})


def test_a_killed_scoring_leaves_whole_scores_and_is_completed_by_the_next(
    tmp_path: Path,
) -> None:
    pattern = tmp_path / "pattern"
    fill(Store.create(pattern), runs(RUNS), limit=SMALL)
    timed = tmp_path / "timed"
    shutil.copytree(pattern, timed)
    usual = seconds_of(workers.score_missing, timed)
    left = Counter[int]()
    for i in range(SCORING_KILLS):
        folder = tmp_path / f"store-{i}"
        shutil.copytree(pattern, folder)
        kill_at_batch(i % 5, folder, workers.score_missing, random.Random(i).uniform(0, usual / 5))
        store = Store(folder)
        left[len(store.query("SELECT DISTINCT run_key FROM scores"))] += 1
        check_whole(store)
        check_scores_whole(store)
        workers.score_rest(store)
        check_scores_whole(store)
        assert len(store.query("SELECT DISTINCT run_key FROM scores")) == RUNS
        store.compact()
        check_scores_whole(store)
        assert as_set(store.cases()) == as_set(runs(RUNS))
        assert store.doctor() == []
        shutil.rmtree(folder)
    assert len(left) > 2, f"the kills all came at the same moment: {left}"


def test_all_kinds_of_writers_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    fill(Store.create(folder), runs(12), limit=SMALL)
    started = [
        start(workers.write, folder, list(range(10, 30))),
        start(workers.write, folder, list(range(20, 40))),
        start(workers.score_missing, folder),
        start(workers.mark_and_judge, folder),
        start(workers.merge, folder),
    ]
    for process, report in started:
        report.recv()
        process.join()
    store = Store(folder)
    check_whole(store)
    check_scores_whole(store)
    assert as_set(store.cases()) == as_set(runs(40))
    scored = len(store.query("SELECT DISTINCT run_key FROM scores"))
    assert 12 <= scored <= 40
    assert store.query("SELECT COUNT(*) AS n FROM golden")[0]["n"] >= 12
    judged = store.query("SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS tasks FROM evaluations")
    assert judged[0]["n"] == judged[0]["tasks"] >= 12
    store.compact()
    assert as_set(store.cases()) == as_set(runs(40))
    assert len(store.query("SELECT DISTINCT run_key FROM scores")) == scored
    assert store.doctor() == []


def test_readers_see_every_run_once_while_others_write_and_compact(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(12), limit=SMALL)
    process, report = start(workers.write_and_merge, tmp_path / "store", 100, 4)
    looks = 0
    while not report.poll():
        seen = Counter(case.run_id for case in store.cases())
        assert set(seen.values()) == {1}
        assert {f"run-{number}" for number in range(12)} <= seen.keys()
        assert store.count() >= len(seen)
        looks += 1
    process.join()
    assert looks > 1
    assert store.count() == 36


def test_a_reader_in_the_middle_is_not_disturbed_by_a_compaction(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(9), limit=SMALL)
    reader = store.cases()
    first = next(reader)
    assert store.compact().merged == 3
    assert len(store.batches()) == 1
    assert len(list((tmp_path / "store" / "batches").iterdir())) == 4
    assert [first, *reader] == runs(9)
    assert store.compact().removed == 3
    assert list(store.cases()) == runs(9)


@pytest.mark.parametrize("stop", [False, True], ids=["alive", "dead"])
def test_only_what_dead_writers_left_is_cleared_away(tmp_path: Path, *, stop: bool) -> None:
    store = Store.create(tmp_path / "store")
    batch = store._layout.begin()
    (batch.folder / "runs.jsonl").write_text("half a ro")
    if stop:
        batch.close()
    assert [finding.problem for finding in store.doctor()] == ["a writer died and left this"] * stop
    assert fill(store, runs(1)) == (1, 0)
    assert batch.folder.exists() is not stop
