"""Several processes on one store, and processes that are killed at any moment."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.store import workers
from tests.store.runs import SMALL, as_set, fill, runs

from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

KILLS = 70 if os.environ.get("ASSAY_SLOW") else 7
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


class Work(NamedTuple):
    """What a process does to a folder, and how much of it there is."""

    do: Callable[..., None]
    arguments: tuple[Any, ...]
    steps: int
    seconds: float

    @classmethod
    def measured(cls, make: Callable[[str], Path], do: Callable[..., None], *more: Any) -> Work:
        """Do it once by the clock, and once to count how often it reaches into the folder."""
        process, report = start(do, make("timed"), *more)
        began = time.monotonic()
        report.recv()
        process.join()
        seconds = time.monotonic() - began
        process, report = start(workers.counted, do, make("counted"), *more)
        report.recv()
        steps = report.recv()
        process.join()
        return cls(do, more, steps, seconds)

    def killed(self, make: Callable[[str], Path]) -> Iterator[Path]:
        """Folders in which it was killed: all through its steps, and in the midst of some."""
        for i in range(KILLS):
            # Some way beyond the last step: one is killed by nobody.
            step = int(1.2 * self.steps * i / (KILLS - 1))
            folder = make(f"step-{i}")
            process, _ = start(workers.killed, step, self.do, folder, *self.arguments)
            process.join()
            yield folder
        for i in range(KILLS // 2):
            folder = make(f"moment-{i}")
            process, _ = start(self.do, folder, *self.arguments)
            time.sleep(random.Random(i).uniform(0, 1.2 * self.seconds))
            process.kill()
            process.join()
            yield folder


def copies_of_a_store(folder: Path) -> Callable[[str], Path]:
    """What makes a copy of a store of five batches, by its name."""
    pattern = folder / "pattern"
    fill(Store.create(pattern), runs(RUNS), limit=SMALL)
    return lambda name: shutil.copytree(pattern, folder / name)


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
    work = Work.measured(tmp_path.joinpath, workers.write, list(range(RUNS)))
    left = Counter[int]()
    for folder in work.killed(tmp_path.joinpath):
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


def calls_of_sessions(store: Store) -> list[tuple[int, int]]:
    """How many calls count of each session that counts, and how many of these have as many."""
    return sorted(Counter(len(case.calls) for case in store.cases()).items())


def test_a_killed_import_of_runs_that_grew_counts_each_once(tmp_path: Path) -> None:
    pattern, sessions = tmp_path / "pattern", 8
    fill(Store.create(pattern), [workers.grown(n, 1) for n in range(sessions)], limit=SMALL)
    work = Work.measured(
        lambda name: shutil.copytree(pattern, tmp_path / name), workers.write_grown, sessions, 3
    )
    left = Counter[int]()
    for folder in work.killed(lambda name: shutil.copytree(pattern, tmp_path / name)):
        store = Store(folder)
        assert [finding for finding in store.doctor() if not finding.harmless] == []
        assert sum(count for _, count in calls_of_sessions(store)) == sessions
        left[dict(calls_of_sessions(store)).get(6, 0)] += 1
        fill(store, [workers.grown(n, 3) for n in range(sessions)], limit=SMALL)
        assert calls_of_sessions(store) == [(6, sessions)]
        assert store.compact().merged
        assert calls_of_sessions(store) == [(6, sessions)]
        assert store.doctor() == []
        shutil.rmtree(folder)
    assert set(left) > {0, sessions}, f"the kills all came at the same moment: {left}"


def test_processes_that_import_several_states_at_once_leave_the_last(tmp_path: Path) -> None:
    folder, sessions = tmp_path / "store", 10
    states = (2, 4, 1, 3)
    started = [start(workers.write_grown, folder, sessions, rounds) for rounds in states]
    reports = [report.recv() for _, report in started]
    for process, _ in started:
        process.join()
    store = Store(folder)
    assert calls_of_sessions(store) == [(8, sessions)]
    assert sum(added - outgrown for added, outgrown in reports) == sessions
    assert store.count("outgrown") == sum(outgrown for _, outgrown in reports)


def test_a_killed_compaction_loses_nothing_and_is_completed_by_the_next(tmp_path: Path) -> None:
    make = copies_of_a_store(tmp_path)
    left = Counter[int]()
    for folder in Work.measured(make, workers.merge).killed(make):
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
    make = copies_of_a_store(tmp_path)
    left = Counter[int]()
    for folder in Work.measured(make, workers.score_missing).killed(make):
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
    looks = 0
    lots = 0
    while looks < 2:
        lots += 1
        process, report = start(workers.write_and_merge, tmp_path / "store", 100 * lots, 4)
        while not report.poll():
            seen = Counter(case.run_id for case in store.cases())
            assert set(seen.values()) == {1}
            assert {f"run-{number}" for number in range(12)} <= seen.keys()
            assert store.count() >= len(seen)
            looks += 1
        process.join()
    assert store.count() == 12 + 24 * lots


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


def test_a_batch_that_is_shown_may_be_abandoned_for_nothing(tmp_path: Path) -> None:
    """As where Ctrl-C comes right then; its handle may be another file's by now."""
    layout = Store.create(tmp_path / "store")._layout
    batch = layout.begin()
    with layout.locked("publish"):
        layout.show(batch)
    with (tmp_path / "another").open("w") as other:
        batch.abandon()
        other.write("still open")
    assert len(layout.batches()) == 1


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
