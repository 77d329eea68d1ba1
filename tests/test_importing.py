"""Importing with several processes: nothing lost, nothing twice, deaths reported."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import resource
import signal
import sys
import tarfile
import threading
import time
import zipfile
from collections import Counter, deque
from contextlib import contextmanager
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from tests.conftest import unpacked_ds200

from assay import AgentTestCase
from assay.errors import AssayError, JudgeUnavailable, NotJson, UnknownName, WriteFailed
from assay.importing import ImportReport, ImportSettings, import_runs, sharing
from assay.importing import hand as importing_hand
from assay.importing import workers as importing_workers
from assay.importing.hand import Hand
from assay.importing.portions import PORTION_BYTES, Portion, portions_of
from assay.importing.workers import Workers, _Far, _Telling, _Told, _Worker
from assay.readers import Unreadable, reading
from assay.store import Store
from assay.store.layout import Layout
from assay.store.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


# Enough bytes that the work is shared.
_FILES = 90
_RUNS_PER_FILE = 20


def case(number: int, size: int = 10_000) -> dict[str, Any]:
    call = {"tool": "look", "parameters": {"n": number}, "result": "x" * size, "success": True}
    return {
        "input": f"question {number}",
        "actual_output": "answer",
        "run_id": f"run-{number}",
        "execution_data": {"tool_executions": [call]},
    }


def write(path: Path, *cases: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in cases), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 1,800 runs, 18 MB."""
    folder = tmp_path_factory.mktemp("many")
    for i in range(_FILES):
        first = i * _RUNS_PER_FILE
        write(folder / f"{i:03}.jsonl", *map(case, range(first, first + _RUNS_PER_FILE)))
    return folder


def run_ids(store: Path) -> list[str]:
    rows = Store(store).query("SELECT run_id FROM runs ORDER BY run_id")
    return [row["run_id"] for row in rows]


ALL = sorted(f"run-{n}" for n in range(_FILES * _RUNS_PER_FILE))


class Counting:
    """A watcher that only counts; `at` so many it does something."""

    def __init__(self, at: int | None = None) -> None:
        self.bytes = self.items = 0
        self.at, self.reached = at, threading.Event()

    def read(self, count: int) -> None:
        self.bytes += count

    def done(self, count: int) -> None:
        self.items += count
        if self.at is not None and self.items >= self.at:
            self.reached.set()


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_any_number_of_processes_imports_the_same(many: Path, tmp_path: Path, jobs: int) -> None:
    watcher = Counting()
    settings = ImportSettings(str(tmp_path / "store"))
    report = import_runs([str(many)], settings, jobs=jobs, watcher=watcher)
    assert (report.added, report.known_already, report.files) == (1_800, 0, _FILES)
    assert (report.problem_count, report.interrupted, report.formats["assay"]) == (0, False, 1_800)
    assert watcher.items == 1_800
    assert watcher.bytes == sum(file.stat().st_size for file in many.iterdir())
    assert run_ids(tmp_path / "store") == ALL
    again = import_runs([str(many)], settings, jobs=jobs)
    assert (again.added, again.known_already) == (0, 1_800)
    assert run_ids(tmp_path / "store") == ALL


def test_a_process_with_threads_does_not_fork(
    many: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    idle = threading.Event()
    thread = threading.Thread(target=idle.wait)
    thread.start()
    try:
        report = import_runs([str(many)], ImportSettings(str(tmp_path / "store")), jobs=2)
    finally:
        idle.set()
        thread.join()
    assert report.added == 1_800
    assert capfd.readouterr() == ("", "")


def children() -> list[int]:
    """The processes that this one has started and that still run."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    if not listed.exists():
        pytest.skip("this system does not list children")
    return [int(pid) for pid in listed.read_text().split()]


class _Killing(Counting):
    """Kills one worker once some work is done."""

    def __init__(self, at: int, before: set[int]) -> None:
        super().__init__(at)
        self._before = before
        self.killed = 0

    def done(self, count: int) -> None:
        super().done(count)
        if self.reached.is_set() and not self.killed:
            # One that has begun: of two, the other may not have had its turn yet.
            self.killed = max((pid for pid in children() if pid not in self._before), key=_read_by)
            os.kill(self.killed, signal.SIGKILL)


def _read_by(pid: int) -> int:
    """How many bytes a process has read."""
    told = Path(f"/proc/{pid}/io").read_text()
    return int(told.partition("rchar: ")[2].split()[0])


@pytest.mark.parametrize("at", [1, 600])
def test_a_worker_that_is_killed_is_reported(many: Path, tmp_path: Path, at: int) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    watcher = _Killing(at, set(children()))
    report = import_runs([str(many)], settings, jobs=2, watcher=watcher)
    assert watcher.killed
    lost = {problem.path for problem in report.problems}
    assert lost
    assert {problem.problem for problem in report.problems} == {
        "a worker process died before this was kept; import it again"
    }
    kept = set(run_ids(tmp_path / "store"))
    assert len(kept) == report.added
    # Whatever is missing was reported, file by file.
    missing = {n for n in range(1_800) if f"run-{n}" not in kept}
    assert missing
    assert {str(many / f"{n // _RUNS_PER_FILE:03}.jsonl") for n in missing} <= lost
    again = import_runs([str(many)], settings, jobs=2)
    assert (again.problem_count, again.added) == (0, len(missing))
    assert run_ids(tmp_path / "store") == ALL


class _KillingAll(Counting):
    """Kills every worker once some work is done."""

    def __init__(self, at: int, before: set[int]) -> None:
        super().__init__(at)
        self._before = before

    def done(self, count: int) -> None:
        super().done(count)
        if self.reached.is_set():
            for pid in set(children()) - self._before:
                os.kill(pid, signal.SIGKILL)


def test_where_all_workers_are_killed_every_file_is_accounted_for(
    many: Path, tmp_path: Path
) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    watcher = _KillingAll(1, set(children()))
    report = import_runs([str(many)], settings, jobs=2, watcher=watcher)
    assert not report.interrupted
    kept = set(run_ids(tmp_path / "store"))
    missing = {n // _RUNS_PER_FILE for n in range(1_800) if f"run-{n}" not in kept}
    lost = [problem.path for problem in report.problems]
    assert {str(many / f"{n:03}.jsonl") for n in missing} <= set(lost)
    assert len(lost) == len(set(lost)) == report.problem_count
    assert "all worker processes died before this was read; import it again" in {
        problem.problem for problem in report.problems
    }


def test_what_a_dead_worker_had_not_begun_is_given_to_others() -> None:
    class Dead:
        def recv(self) -> None:
            raise EOFError

    given = [Portion(["begun"]), Portion(["not begun"])]
    worker = _Worker(None, Dead(), given, [Portion(["not saved"])])  # type: ignore[arg-type]
    crew, report = Workers.__new__(Workers), ImportReport()
    crew._workers, crew._left = [worker], deque()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing_workers, "wait", list)
        crew._listen(report, None)
    assert crew._workers == []
    assert [portion.files for portion in crew._left] == [["not begun"]]
    assert [problem.path for problem in report.problems] == ["not saved", "begun"]


def test_a_disk_that_takes_nothing_from_a_worker_is_told_by_the_parent(
    many: Path, tmp_path: Path
) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises((WriteFailed, OSError), match="File too large"):
            import_runs([str(many)], settings, jobs=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert run_ids(tmp_path / "store") == []
    assert import_runs([str(many)], settings, jobs=2).added == 1_800


@pytest.mark.parametrize(
    "error",
    [
        AssayError("plain"),
        WriteFailed("a file", "No space left on device"),
        NotJson("$.calls", "a set"),
        UnknownName("table", "run", ["runs"]),
        JudgeUnavailable("gone", retryable=True, retry_after=3.0, status=503),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_goes_from_one_process_to_another_as_it_is(error: AssayError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


class _Interrupting(Counting):
    def done(self, count: int) -> None:
        super().done(count)
        if self.reached.is_set():
            self.at = None
            self.reached.clear()
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_was_read(many: Path, tmp_path: Path, jobs: int) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    report = import_runs([str(many)], settings, jobs=jobs, watcher=_Interrupting(100))
    assert report.interrupted
    assert 100 <= report.added < 1_800
    assert len(run_ids(tmp_path / "store")) == report.added
    again = import_runs([str(many)], settings, jobs=jobs)
    assert again.added == 1_800 - report.added
    assert run_ids(tmp_path / "store") == ALL


@contextmanager
def interrupted_in(step: str, at: int) -> Iterator[None]:
    """Ctrl-C as the step of the work begins for this time."""
    left = at

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if event == "call" and frame.f_code.co_name == step:
            left -= 1
            if left == 0:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


# A step, which time Ctrl-C comes in it, and what is kept: of twenty runs in a file sixteen are
# added together, then four, and those that are being added are added to the end.
STEPS = [
    ("_keep", 40, 39),
    ("add_all", 5, 56),
    ("written_case", 40, 40),
    ("_take", 5, 56),
    ("_grow", 5, 56),
]


@pytest.mark.parametrize(("step", "at", "kept"), STEPS)
def test_a_run_that_was_broken_off_is_counted_nowhere(
    many: Path, tmp_path: Path, step: str, at: int, kept: int
) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    with interrupted_in(step, at=at):
        report = import_runs([str(many)], settings, jobs=1)
    assert report.interrupted
    assert report.added == kept
    assert (report.formats, report.known_already) == ({"assay": report.added}, 0)
    assert len(run_ids(tmp_path / "store")) == report.added


def test_ctrl_c_twice_costs_no_more_than_once(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ImportSettings(str(tmp_path / "store"))
    shown = Layout.show

    def interrupted(*given: Any, **options: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        shown(*given, **options)

    monkeypatch.setattr(Layout, "show", interrupted)
    with interrupted_in("_keep", at=40):
        report = import_runs([str(many)], settings, jobs=1)
    assert (report.interrupted, report.added) == (True, 39)
    assert len(run_ids(tmp_path / "store")) == 39
    at_the_end = import_runs([str(many / "002.jsonl")], settings, jobs=1)
    assert (at_the_end.interrupted, at_the_end.added) == (False, 20)


def test_ctrl_c_is_nobody_elses_business_afterwards(many: Path, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    import_runs([str(many)], ImportSettings(str(tmp_path / "store")), jobs=2)
    assert signal.getsignal(signal.SIGINT) is before


def test_workers_end_when_nobody_asks_any_more(many: Path, tmp_path: Path) -> None:
    """The parent is killed; its workers must not stay."""
    pid = os.fork()
    if pid == 0:
        import_runs([str(many)], ImportSettings(str(tmp_path / "store")), jobs=2, watcher=_Stuck())
        os._exit(0)
    until = time.monotonic() + 120
    while len(workers := _children_of(pid)) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


class _Stuck(Counting):
    def done(self, count: int) -> None:
        super().done(count)
        time.sleep(60)


def _children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        pytest.skip("this system does not list children")
    return [int(child) for child in listed.read_text().split()]


def test_portions_are_small_and_complete(tmp_path: Path) -> None:
    sizes = [9_000_000, 10, 10, 4_500_000, 4_500_000, *([1] * 300)]
    files = []
    for i, size in enumerate(sizes):
        files.append(tmp_path / f"{i:03}")
        with files[-1].open("wb") as file:
            file.truncate(size)

    def names() -> Iterator[str]:
        yield from map(str, files)
        yield "gone.json"

    found = list(portions_of(names()))
    assert [name for portion in found for name in portion.files] == [*map(str, files), "gone.json"]
    assert [len(portion.files) for portion in found] == [1, 4, 192, 109]


def test_who_meets_large_files_leaves_some_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the first files nobody asks how large they are: a portion may be of any size."""
    sizes = [*([450_000] * 40), *([700_000] * 40), 6_000_000, *([1_000] * 90)]
    for i, size in enumerate(sizes):
        write(tmp_path / "runs" / f"{i:03}.json", case(i, size))
    left: list[int] = []
    hear = _Worker.hear

    def heard(self: _Worker, told: _Told) -> list[Portion]:
        left.append(told.left)
        return hear(self, told)

    monkeypatch.setattr(_Worker, "hear", heard)
    watcher = Counting()
    settings = ImportSettings(str(tmp_path / "store"))
    report = import_runs([str(tmp_path / "runs")], settings, jobs=2, watcher=watcher)
    assert max(left) > 30
    assert (report.added, report.known_already, report.files) == (len(sizes), 0, len(sizes))
    assert watcher.items == len(sizes)
    assert watcher.bytes == sum(file.stat().st_size for file in (tmp_path / "runs").iterdir())


class _Hearing(Counting):
    """A watcher that keeps what it hears, in order: bytes as they are read, and runs."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[int, int]] = []

    def read(self, count: int) -> None:
        super().read(count)
        self.heard.append((self.bytes, self.items))

    def done(self, count: int) -> None:
        super().done(count)
        self.heard.append((self.bytes, self.items))


def _zipped(path: Path, lines: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/runs.jsonl", lines)


def _tarred(path: Path, lines: bytes) -> None:
    member = tarfile.TarInfo("folder/runs.jsonl")
    member.size = len(lines)
    with tarfile.open(path, "w") as archive:
        archive.addfile(member, io.BytesIO(lines))


# A file by its name, and how the lines of its runs are written into it.
LARGE_FILES: dict[str, Callable[[Path, bytes], object]] = {
    "runs.jsonl": Path.write_bytes,
    "runs.jsonl.gz": lambda path, lines: path.write_bytes(gzip.compress(lines)),
    "runs.jsonl.zst": lambda path, lines: path.write_bytes(
        zstandard.ZstdCompressor().compress(lines)
    ),
    "runs.zip": _zipped,
    "runs.tar": _tarred,
}


@pytest.mark.parametrize("name", LARGE_FILES)
def test_who_watches_hears_of_bytes_and_runs_within_a_large_file(name: str, tmp_path: Path) -> None:
    noise = Random(7)
    runs = [case(n) | {"actual_output": noise.randbytes(2_500).hex()} for n in range(300)]
    LARGE_FILES[name](tmp_path / name, b"".join(json.dumps(run).encode() + b"\n" for run in runs))
    size, watcher = (tmp_path / name).stat().st_size, _Hearing()
    settings = ImportSettings(str(tmp_path / "store"))
    assert import_runs([str(tmp_path / name)], settings, watcher=watcher).added == 300
    assert watcher.items == 300
    assert 0.9 * size < watcher.bytes <= size
    # When half of the bytes were read about half of the runs were, and not all or none.
    halfway = next(items for heard, items in watcher.heard if heard > size / 2)
    assert 50 < halfway < 250


def test_who_watches_hears_of_the_runs_of_a_list_one_by_one(tmp_path: Path) -> None:
    path, watcher = tmp_path / "runs.json", _Hearing()
    path.write_text(json.dumps([case(n) for n in range(50)]), encoding="utf-8")
    import_runs([str(path)], ImportSettings(str(tmp_path / "store")), watcher=watcher)
    size = path.stat().st_size
    assert watcher.heard[-50:] == [(size, n) for n in range(1, 51)]


def test_workers_tell_how_far_they_are_within_a_large_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "runs.jsonl", *map(case, range(100)))
    small = write(tmp_path / "small.jsonl", case(100))
    told: list[_Far] = []

    class Pipe:
        def send(self, far: _Far) -> None:
            told.append(far)

    monkeypatch.setattr(importing_workers, "_TELL_SECONDS", 0.0)
    hand, pipe = Hand(ImportSettings(str(tmp_path / "store"))), Pipe()
    with hand.writer:
        watcher = _Telling(pipe)  # type: ignore[arg-type]
        done = hand.import_files([str(path), str(small)], ImportReport(), watcher=watcher)
    assert len(told) > 100
    assert sum(far.items for far in told) == 100
    assert sum(far.size for far in told) == path.stat().st_size
    worker = _Worker(None, pipe)  # type: ignore[arg-type]
    assert [worker.new_of(far) for far in told] == told
    # What was told already is told no more, and the next portion begins anew.
    last = _Told(ImportReport(), done.items, done.size)
    assert worker.new_of(last) == _Far(1, small.stat().st_size)
    assert worker.new_of(last) == _Far(done.items, done.size)


@pytest.mark.parametrize(
    ("size", "together"),
    [(1_000, [16, 16, 8]), (20_000, [1, 16, 16, 7]), (300_000, [1, 16, 4, *([1] * 19)])],
)
def test_few_large_runs_of_a_file_are_held_at_once(
    size: int, together: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first twenty were read when the file was looked at."""
    added: list[int] = []
    add_all = Writer.add_all

    def counted(self: Writer, cases: list[AgentTestCase], **options: Any) -> int:
        added.append(len(cases))
        return add_all(self, cases, **options)

    monkeypatch.setattr(Writer, "add_all", counted)
    path = write(tmp_path / "runs.jsonl", *(case(n, size) for n in range(40)))
    import_runs([str(path)], ImportSettings(str(tmp_path / "store")))
    assert added == together


@pytest.mark.parametrize(("files", "jobs"), [(20, 8), (20, 12), (100, 2), (100, 16)])
def test_every_core_gets_a_worker(
    files: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(files):
        with (tmp_path / f"{i:03}.json").open("wb") as file:
            file.truncate(1024**2)
    started: list[int] = []

    def crew(count: int, _settings: ImportSettings) -> Workers:
        started.append(count)
        return a_crew(0)

    monkeypatch.setattr(sharing, "Workers", crew)
    settings = ImportSettings(str(tmp_path / "store"))
    report = import_runs([str(tmp_path)], settings, jobs=jobs)
    assert started == [jobs]
    assert report.problem_count == files  # nobody was there to read them, and that is told


def test_large_files_are_shared_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        with (tmp_path / f"{name}.json").open("wb") as file:
            file.truncate(17 * 1024**2)  # one of them alone is worth sharing
    started: list[int] = []

    def crew(count: int, _settings: ImportSettings) -> Workers:
        started.append(count)
        return a_crew(0)

    monkeypatch.setattr(sharing, "Workers", crew)
    report = import_runs([str(tmp_path)], ImportSettings(str(tmp_path / "store")), jobs=2)
    assert (started, report.problem_count) == ([2], 3)


class _Pipe:
    """Where portions for a worker end up, None for the end."""

    def __init__(self) -> None:
        self.sent: list[Portion | None] = []

    def send(self, portion: Portion | None) -> None:
        self.sent.append(portion)


def a_crew(workers: int) -> Workers:
    crew = Workers.__new__(Workers)
    crew._stop, crew._left = RawValue("b", 0), deque()
    crew._workers = [_Worker(None, _Pipe()) for _ in range(workers)]  # type: ignore[arg-type]
    return crew


def test_portions_are_handed_out_in_turns() -> None:
    crew = a_crew(2)
    crew._hand_out(iter([Portion(["a"]), Portion(["b"]), Portion(["c"])]))
    assert [[p.files for p in worker.given] for worker in crew._workers] == [
        [["a"], ["c"]],
        [["b"]],
    ]
    assert not any(worker.ended for worker in crew._workers)


@pytest.mark.parametrize(("files", "ended"), [(["a", "b"], False), (["a"], True)])
def test_who_has_nothing_is_done_once_nobody_can_leave_anything(
    files: list[str], *, ended: bool
) -> None:
    crew = a_crew(2)
    crew._hand_out(iter([Portion(files)]))
    assert [worker.ended for worker in crew._workers] == [False, ended]
    crew._workers[0].given.clear()
    crew._left.append(Portion(["c"]))
    crew._hand_out(iter(()))
    assert [len(worker.given) for worker in crew._workers] == [1, 0]
    crew._workers[0].given.clear()
    crew._hand_out(iter(()))
    crew._hand_out(iter(()))
    pipes: Any = [worker.pipe for worker in crew._workers]
    assert [pipe.sent.count(None) for pipe in pipes] == [1, 1]


def test_what_was_left_is_handed_out_in_portions_of_its_weight() -> None:
    worker = _Worker(None, None, [Portion([str(n) for n in range(10)])])  # type: ignore[arg-type]
    left = worker.hear(_Told(ImportReport(), size=PORTION_BYTES + 100, left=7))
    assert [portion.files for portion in left] == [["3", "4"], ["5", "6"], ["7", "8"], ["9"]]
    assert [portion.files for portion in worker.unsaved] == [["0", "1", "2"]]
    worker.given = [Portion(["a", "b"])]
    left = worker.hear(_Told(ImportReport(), size=100 * PORTION_BYTES, left=1, batches=1))
    assert [portion.files for portion in left] == [["b"]]
    assert [portion.files for portion in worker.unsaved] == [["a"]]


@pytest.mark.parametrize("together", [True, False])
def test_a_run_that_cannot_be_kept_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    """No reader should make one; where one does, it is told of and passed over."""
    finished = reading._finished

    def badly(item: Any, *args: Any) -> Any:
        run = finished(item, *args)
        if isinstance(run, AgentTestCase) and "Number 7?" in run.input:
            run.attempt = "seven"  # type: ignore[assignment]
        return run

    monkeypatch.setattr(reading, "_finished", badly)
    for i in range(20):
        write(tmp_path / "runs" / f"{i:02}.json", a_chat(i))
    hand, report = Hand(ImportSettings(str(tmp_path / "store"))), ImportReport()
    files = [str(file) for file in sorted((tmp_path / "runs").iterdir())]
    with hand.writer:
        if together:
            hand.import_files(files, report)
        else:
            for file in files:
                hand.import_file(file, report)
    assert (hand.written().added, report.files, report.problem_count) == (19, 20, 1)
    assert report.problems[0].path == files[7]
    assert report.problems[0].problem.startswith("cannot be kept: attempt: expected")


def a_chat(number: int) -> list[dict[str, Any]]:
    call = {"id": "c", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    return [
        {"role": "user", "content": f"Number {number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "Error: 404 Not Found"},
    ]


@pytest.mark.parametrize("largest", [100_000, 0])
def test_runs_of_small_files_are_worked_on_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(importing_hand, "_LARGEST_TOGETHER", largest)
    runs = tmp_path / "runs"
    runs.mkdir()
    for i in range(20):
        (runs / f"{i:02}.json").write_text(json.dumps(a_chat(i)))
    write(runs / "own.jsonl", case(1, 10), case(2, 10))
    (runs / "packed.jsonl.gz").write_bytes(gzip.compress(json.dumps(a_chat(20)).encode()))
    (runs / "z.json").write_text("{")
    store = Store.create(tmp_path / "store")
    hand, report = Hand(ImportSettings(str(store.path))), ImportReport()
    with hand.writer:
        found = hand.import_files([*map(str, sorted(runs.iterdir()))], report)
    assert found.size == sum(file.stat().st_size for file in runs.iterdir())
    assert (found.items, report.files, report.problem_count, hand.written().added) == (
        23,
        23,
        1,
        23,
    )
    assert hand.written().formats == {"openai-chat": 21, "assay": 2}
    rules = Counter(call.success_rule for run in store.cases() for call in run.calls)
    assert rules == {"error_noun": 21, None: 2}  # our own cases say themselves how it went


@pytest.mark.parametrize("walked", [True, False])
def test_small_files_of_a_folder_are_read_ahead(tmp_path: Path, *, walked: bool) -> None:
    runs = tmp_path / "runs" / "trajectories" / "m" / "pass@1"
    runs.mkdir(parents=True)
    for i in range(20):
        (runs / f"trajectory_{i:02}.json").write_text(json.dumps(a_trajectory(i), indent=2))
    judged = {"uuid": "u-1", "final_answer_evaluation": {}, "step_by_step_evaluation": {}}
    (runs / "eval_u-1.json").write_text(json.dumps(judged))
    (runs / "trajectory_broken.json").write_text("{")
    store = Store.create(tmp_path / "store")
    named = frozenset({str(tmp_path / "runs")}) if walked else frozenset()
    hand, report = Hand(ImportSettings(str(store.path), named=named)), ImportReport()
    with hand.writer:
        found = hand.import_files([*map(str, sorted(runs.iterdir()))], report)
    assert found.size == sum(file.stat().st_size for file in runs.iterdir())
    assert (found.items, report.files, report.problem_count) == (21, 22, 1)
    assert hand.written().formats == {"toolgym": 20}
    assert (hand.written().added, hand.written().evaluations) == (20, 1)
    told = store.query("SELECT DISTINCT tool, success_rule, blame, folder_model FROM calls")
    assert told == [
        {"tool": "get", "success_rule": "error_noun", "blame": "model", "folder_model": "m"}
    ]


def test_what_was_read_ahead_and_not_imported_is_left(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for i in range(40):
        (runs / f"trajectory_{i:02}.json").write_text(json.dumps(a_trajectory(i), indent=2))
    files = [*map(str, sorted(runs.iterdir()))]
    sizes = [Path(file).stat().st_size for file in files]
    store = Store.create(tmp_path / "store")
    hand = Hand(ImportSettings(str(store.path), named=frozenset({str(runs)})))
    report = ImportReport()
    answers = iter([False] * 5 + [True])
    with hand.writer:
        enough = sum(sizes[:20])
        assert hand.import_files(files, report, enough=enough) == (20, 20, enough)
        rest, asked = files[20:], lambda: next(answers)
        assert hand.import_files(rest, report, stopped=asked) == (5, 5, sum(sizes[20:25]))
        assert (report.files, report.problem_count) == (25, 0)
        hand.import_files(files[25:], report)
    assert (hand.written().added, hand.written().known_already) == (40, 0)
    kept = store.query("SELECT source_path FROM runs ORDER BY source_path")
    assert [row["source_path"] for row in kept] == files


def a_trajectory(number: int) -> dict[str, Any]:
    call = {"tool": "get", "server": "s", "result": "Error: 404 Not Found", "status": "success"}
    return {
        "metadata": {"query": f"Number {number}?", "query_uuid": f"u-{number}"},
        "reasoning_trace": [],
        "execution": {"final_response": "Here.", "tool_calls": [call]},
    }


def test_reports_add_up() -> None:
    total = ImportReport(added=1, problems=[Unreadable("a", "p")], problem_count=1)
    part = ImportReport(added=2, evaluations=3, summaries=4, judged_known_already=5, files=6)
    part.note(Unreadable("b", "q"))
    part.note(Unreadable("c", "none", kind="passed_over"))
    part.note(Unreadable("d", "NaN", kind="repaired"))
    part.note(Unreadable("e", "an outcome", kind="read_beside"))
    part.formats["assay"] += 2
    total.merge(part)
    assert (total.added, total.evaluations, total.summaries, total.files) == (3, 3, 4, 6)
    assert (total.problem_count, total.passed_over, total.repaired) == (2, 1, 1)
    assert total.read_beside == 1
    assert [problem.path for problem in total.problems] == ["a", "b"]
    assert (total.runs, total.items, total.formats["assay"]) == (3, 15, 2)


def test_the_reference_set_comes_in_whole(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unpacked = unpacked_ds200(tmp_path_factory)
    manifest = json.loads((unpacked / "manifest.json").read_text())
    sources = [str(unpacked / "trajectories"), str(unpacked / "evaluation")]
    report = import_runs(sources, ImportSettings(str(tmp_path / "store")))
    assert report.added + report.problem_count == manifest["trajectories"] + 1
    judged = report.evaluations + report.summaries
    assert judged == manifest["files"]["evaluation"]
