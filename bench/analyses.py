"""All analyses of the seed from a store, against the same in plain Python from the files.

The second part counts synthetic calls: does time grow as the calls do, and memory hardly?
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, NamedTuple

from bench.generated import PROJECT, can_generate, generate
from bench.import_runs import _load_document, _load_run
from bench.result import Result, Size, peak_megabytes

FLAGS = (
    *("--passes", "--detailed", "--distribution", "--tool-stats", "--retry-analysis"),
    *("--auto-correction", "--weighted", "--rules", "seed", "--json"),
)
CALL_ANALYSES = ("tools", "servers", "errors", "retry", "correction", "persistence", "longest")
_CALLS_A_RUN = 10
_CALLS_A_BATCH = 1_000_000
_ROUNDS = 3
Record = dict[str, Any]


def run(size: Size) -> list[Result]:
    return [*_of_the_seed(size), *_of_many_calls(size)]


def _of_the_seed(size: Size) -> list[Result]:
    if not can_generate():
        return []
    count = 20_000 if size == "full" else 200
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        trees = generate(folder, count)
        command = [sys.executable, "-m", "assay", "import", *trees, "--store", store]
        subprocess.run(command, check=False, capture_output=True)
        return _against_plain_python(folder, store, count)


class Done(NamedTuple):
    """How long it took, how long the processors worked, and the most memory held in MB."""

    seconds: float
    worked: float
    peak: float = 0.0


def _against_plain_python(folder: str, store: str, count: int) -> list[Result]:
    plains, assays = [], []
    # In turn, so that what else the machine does meets both.
    for _ in range(_ROUNDS):
        plains.append(_plain(folder))
        assays += [_analysed([store, *FLAGS]) for _ in range(2)]
    ours, peer = min(assays), min(plains)
    worked = tuple(min(done.worked for done in side) for side in (assays, plains))
    peak = max(done.peak for done in assays)
    what = f"all analyses of the seed, {count:,} trajectories and {3 * count:,} evaluations"
    speed = Result(
        name=what,
        ours=ours.seconds,
        peer=peer.seconds,
        unit="s",
        peer_name="plain Python from the files, each part loading what it needs, as the "
        "reference does",
        ratio=peer.seconds / ours.seconds,
        goal="at least 30x faster",
        met=peer.seconds >= 30 * ours.seconds,
        note="assay analyze from a store, start of the process included; "
        f"{worked[0]:.2f} s of work against {worked[1]:.1f} s: {worked[1] / worked[0]:.0f}x",
    )
    memory = Result(
        name=f"peak memory of {what}",
        ours=peak,
        peer=400,
        unit="MB",
        peer_name="the limit we set",
        ratio=peak / 400,
        goal="under 400 MB",
        met=peak < 400,
    )
    return [speed, memory]


def _plain(folder: str) -> Done:
    began, before = time.perf_counter(), seconds_of_work()
    code = f"from bench.analyses import plain; plain({folder!r})"
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=True)
    return Done(time.perf_counter() - began, seconds_of_work() - before)


def _analysed(arguments: list[str]) -> Done:
    before = seconds_of_work()
    peak, seconds = peak_megabytes(["analyze", *arguments])
    return Done(seconds, seconds_of_work() - before, peak)


def seconds_of_work() -> float:
    """The seconds that processors worked for processes that we started and that ended."""
    times = os.times()
    return times.children_user + times.children_system


def plain(folder: str) -> list[Any]:
    """The reference's tables, each part from the files: nothing is kept between them."""
    root = Path(folder)
    return [
        [_load_document(path) for path in root.rglob("_summary.json")],
        plain_tools(*_trajectories(root)),
        plain_retry(_trajectories(root)[1]),
        plain_correction(_trajectories(root)[1]),
        plain_detailed(_evaluations(root)),
        plain_distribution(_evaluations(root)),
        plain_weighted(_evaluations(root)),
    ]


def _trajectories(root: Path) -> tuple[list[Record], list[Record]]:
    calls: list[Record] = []
    found = sorted((root / "trajectories").rglob("trajectory_*.json"))
    runs = [_load_run(path, root, calls) for path in found]
    return calls, [one for one in runs if one]


def _evaluations(root: Path) -> list[Record]:
    return [found for path in sorted(root.rglob("eval_*.json")) if (found := _load_document(path))]


def plain_tools(calls: list[Record], _: list[Record]) -> list[Any]:
    """Success by model, server and tool, times, and errors by category."""
    counts: dict[str, Counter[Any]] = defaultdict(Counter)
    tools_of = defaultdict(set)
    for call in calls:
        failed = call["is_error"]
        keys = (call["model"], call["server"], (call["server"], call["tool"]))
        for group, key in zip(("model", "server", "tool"), keys, strict=True):
            counts[group][key, failed] += 1
        tools_of[call["server"]].add(call["tool"])
        if failed:
            counts["kind"][call["error_category"], call["error_subcategory"]] += 1
    times = [call["duration_seconds"] for call in calls if call["duration_seconds"] > 0]
    return [counts, tools_of, mean(times), median(times), max(times)]


def plain_retry(runs: list[Record]) -> list[Any]:
    """What came after each error, streaks, variety, and calls by task."""
    after: Counter[tuple[str, str]] = Counter()
    streaks: dict[str, list[int]] = defaultdict(list)
    variety: dict[str, list[int]] = defaultdict(list)
    by_task: dict[str, list[int]] = defaultdict(list)
    for one in runs:
        steps, model = one["tool_sequence"], one["model"]
        keys = [f"{step['server']}::{step['tool']}" for step in steps]
        for i, step in enumerate(steps):
            if step["is_error"]:
                following = keys[i + 1] if i + 1 < len(keys) else None
                kind = "gave_up" if following is None else "same"
                after[model, kind if following in {None, keys[i]} else "switch"] += 1
        streaks[model] += [length for length in _streaks(keys) if length > 1]
        if keys:
            variety[model].append(len(set(keys)))
        by_task[one["query_uuid"]].append(len(keys))
    hardest = sorted(by_task, key=lambda task: mean(by_task[task]), reverse=True)[:10]
    longest = sorted(runs, key=lambda one: one["total_tool_calls"], reverse=True)[:15]
    return [after, {k: mean(v) for k, v in streaks.items() if v}, variety, hardest, longest]


def _streaks(keys: list[str]) -> list[int]:
    lengths: list[int] = []
    for i, key in enumerate(keys):
        if i and keys[i - 1] == key:
            lengths[-1] += 1
        else:
            lengths.append(1)
    return lengths


def plain_correction(runs: list[Record]) -> list[Any]:
    """Errors followed by calls of the same tool, up to the first that works."""
    found: Counter[tuple[str, str]] = Counter()
    for one in runs:
        steps = one["tool_sequence"]
        i = 0
        while i < len(steps) > 1:
            step = steps[i]
            i += 1
            if not step["is_error"]:
                continue
            found[one["model"], "errors"] += 1
            tried = i
            while i < len(steps) and (steps[i]["server"], steps[i]["tool"]) == (
                step["server"],
                step["tool"],
            ):
                i += 1
                if not steps[i - 1]["is_error"]:
                    found[one["model"], "corrected"] += 1
                    break
            found[one["model"], "retried"] += i > tried
    return [found]


def _scores(found: Record) -> tuple[float, float]:
    document = found["data"]
    answer = (document.get("final_answer_evaluation") or {}).get("final_answer_score") or 0
    step = (document.get("step_by_step_evaluation") or {}).get("average_step_score") or 0
    return answer, step


def plain_detailed(evaluations: list[Record]) -> list[Any]:
    """The best and the worst."""
    ranked = sorted(evaluations, key=lambda found: sum(_scores(found)) / 2, reverse=True)
    return [ranked[:10], ranked[-10:]]


def plain_distribution(evaluations: list[Record]) -> list[Any]:
    """How the scores are spread."""
    answers = [_scores(found)[0] for found in evaluations if "error" not in found["data"]]
    bins = Counter(min(int(score * 5), 4) for score in answers)
    return [mean(answers), median(answers), stdev(answers), min(answers), max(answers), bins]


def plain_weighted(evaluations: list[Record]) -> list[Any]:
    """Scores that mark down what used no tools."""
    by_model = defaultdict(list)
    for found in evaluations:
        document = found["data"]
        tools = [t for t in document.get("actual_tools") or [] if t.get("tool") != "search_tools"]
        steps = (document.get("step_by_step_evaluation") or {}).get("total_steps") or 0
        answer, step = _scores(found)
        factor = 1.0 if tools and steps else 0.5
        by_model[found["model"]].append((answer, (0.5 * answer + 0.5 * step) * factor))
    return [{model: mean(w for _, w in pairs) for model, pairs in by_model.items()}]


def _of_many_calls(size: Size) -> list[Result]:
    few, many = (5_000_000, 50_000_000) if size == "full" else (10_000, 100_000)
    with tempfile.TemporaryDirectory() as folder:
        little, much = (_measured(Path(folder), count) for count in (few, many))
    limit = 4096
    growth = (much.seconds / many) / (little.seconds / few)
    work = (much.worked / many) / (little.worked / few)
    memory = Result(
        name=f"peak memory of {len(CALL_ANALYSES)} analyses of {many:,} calls, worst of them",
        ours=much.peak,
        peer=limit,
        unit="MB",
        peer_name="the limit we set",
        ratio=much.peak / limit,
        goal="under 4 GB",
        met=much.peak < limit,
    )
    times = Result(
        name=f"time per million calls, {many:,} against {few:,}",
        ours=much.seconds / many * 1e6,
        peer=little.seconds / few * 1e6,
        unit="s",
        peer_name=f"ourselves on {few:,}",
        ratio=growth,
        goal="linear: within 1.3x",
        met=growth <= 1.3,
        note=f"{much.seconds:,.0f} s for all of them; processors worked {work:.2f}x as long a call",
    )
    return [memory, times]


def _measured(folder: Path, count: int) -> Done:
    """The highest peak, and the seconds of all analyses of calls together."""
    store = folder / f"{count}.assay"
    make_calls(store, count)
    done = [_analysed([name, str(store), "--json"]) for name in CALL_ANALYSES]
    return Done(
        sum(one.seconds for one in done),
        sum(one.worked for one in done),
        max(one.peak for one in done),
    )


def make_calls(path: Path, count: int) -> None:
    """A store of so many calls in batches of a million, ten calls a run, one in ten failed."""
    import duckdb

    from assay import Store

    Store.create(path)
    with duckdb.connect(config={"memory_limit": "2GB", "temp_directory": str(path)}) as engine:
        for number, first in enumerate(range(0, count, _CALLS_A_BATCH), 1):
            batch = path / "batches" / f"{number:020d}-synthetic"
            batch.mkdir()
            last = min(first + _CALLS_A_BATCH, count)
            spans = first // _CALLS_A_RUN, last // _CALLS_A_RUN
            _make_table(engine, batch, "runs", spans, _RUN)
            _make_table(engine, batch, "calls", (first, last), _CALL)


def _make_table(
    engine: Any, batch: Path, table: str, span: tuple[int, int], values: dict[str, str]
) -> None:
    from assay.store import TABLES

    columns = ", ".join(
        f"{values.get(name, 'NULL')}::{kind} AS {name}" for name, kind in TABLES[table].items()
    )
    engine.execute(
        f"COPY (SELECT {columns} FROM range({span[0]}, {span[1]}) AS numbers(i)) "
        f"TO '{batch}/{table}.parquet' (FORMAT parquet, COMPRESSION zstd)"
    )


_OF_RUN = {
    "run_key": "md5(({run})::VARCHAR)",
    "task_id": "'task-' || (({run}) % 1000)",
    "attempt": "1 + ({run}) % 3",
    "model": "'model-' || (({run}) // 1000 % 10)",
}
_RUN = {
    **{name: sql.format(run="i") for name, sql in _OF_RUN.items()},
    "input": "'question'",
    "actual_output": "CASE WHEN i % 20 > 0 THEN 'answer' END",
    "calls": "10",
    "failed_calls": "1",
    "source_path": "'run-' || i",
}
_CALL = {
    **{name: sql.format(run=f"i // {_CALLS_A_RUN}") for name, sql in _OF_RUN.items()},
    "position": f"i % {_CALLS_A_RUN}",
    "turn": f"1 + i % {_CALLS_A_RUN}",
    "server": "'server-' || (hash(i // 2) % 50)",
    "tool": "'tool-' || (hash(i // 2) % 500)",
    "arguments_key": "(hash(i // 3) % 1000000)::VARCHAR",
    "failed": "hash(i) % 10 = 0",
    "blame": "CASE WHEN hash(i) % 10 = 0 THEN ['model', 'server', 'environment'][1 + i % 3] END",
    "kind": (
        "CASE WHEN hash(i) % 10 = 0 "
        "THEN ['wrong_type', 'execution_error', 'rate_limit'][1 + i % 3] END"
    ),
    "blame_rule": "CASE WHEN hash(i) % 10 = 0 THEN 'wording' END",
    "execution_time": "0.001 * (hash(i + 1) % 5000)",
}
