"""Importing a whole benchmark against loading it once the reference's way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from assay.outcome.seed import classify_error, seed_message
from bench.generated import PROJECT, can_generate, generate
from bench.result import Result, Size

_SEQUENCE = ("server", "tool", "is_error", "error_category")
_ROUNDS = 3
# Whole, or but for files that are broken on purpose.
_IMPORTED = (0, 3)


class _Done(NamedTuple):
    """How long it took, how long the processors worked, and the sum of all peaks in MB."""

    seconds: float
    worked: float
    peak: float = 0.0


def run(size: Size) -> list[Result]:
    if not can_generate():
        return []
    few, many = (2_000, 20_000) if size == "full" else (100, 1_000)
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "few", Path(folder) / "many"
        for target, count in ((small, few), (large, many)):
            generate(target, count)
        _import(small)
        first = _import(small)
        # In turn: the first time brings the files into the system's memory, and what else the
        # machine does meets both.
        loads, imports = [], []
        for _ in range(_ROUNDS):
            loads.append(_load(large))
            imports.append(_import(large))
    best = min(imports)
    return [
        _speed(many, best, min(loads)),
        _growth(few, many, first.seconds, best.seconds),
        _memory(few, many, first.peak, max(done.peak for done in imports)),
    ]


def _speed(count: int, ours: _Done, peer: _Done) -> Result:
    return Result(
        name=f"assay import, {count:,} trajectories and {3 * count:,} evaluations",
        ours=ours.seconds,
        peer=peer.seconds,
        unit="s",
        peer_name="the reference's loaders in plain Python, once, nothing kept",
        ratio=peer.seconds / ours.seconds,
        goal="at least 2x faster",
        met=peer.seconds >= 2 * ours.seconds,
        note=f"{ours.worked / ours.seconds:.1f} of {os.cpu_count()} cores busy; "
        f"{ours.worked:.1f} s of work against {peer.worked:.1f} s",
    )


def _growth(few: int, many: int, few_seconds: float, seconds: float) -> Result:
    ratio = (seconds / many) / (few_seconds / few)
    return Result(
        name=f"time per trajectory, {many:,} against {few:,}",
        ours=seconds / many * 1e3,
        peer=few_seconds / few * 1e3,
        unit="ms",
        peer_name=f"ourselves on {few:,}",
        ratio=ratio,
        goal="linear: within 1.3x",
        met=ratio <= 1.3,
    )


def _memory(few: int, many: int, few_peak: float, peak: float) -> Result:
    return Result(
        name=f"peak memory of assay import, all processes, {many:,} against {few:,}",
        ours=peak,
        peer=few_peak,
        unit="MB",
        peer_name=f"ourselves on {few:,}",
        ratio=peak / few_peak,
        goal="within 1.3x",
        met=peak <= 1.3 * few_peak,
    )


def _import(folder: Path) -> _Done:
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    sources = [str(folder / name) for name in ("trajectories", "evaluation")]
    command = [sys.executable, "-m", "assay", "import", *sources, "--store", str(store)]
    began, worked_before = time.perf_counter(), _worked()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=_environment(folder))
    peaks: dict[int, int] = {}
    ended = threading.Event()
    watching = threading.Thread(target=_watch, args=(process.pid, peaks, ended))
    watching.start()
    code = process.wait()
    seconds = time.perf_counter() - began
    ended.set()
    watching.join()
    if code not in _IMPORTED:
        raise RuntimeError(f"assay import ended with {code}")
    return _Done(seconds, _worked() - worked_before, sum(peaks.values()) / 1024)


def _watch(pid: int, peaks: dict[int, int], ended: threading.Event) -> None:
    """Note what a process and its children hold, until it ended."""
    while True:
        for member in _family(pid):
            peaks[member] = max(peaks.get(member, 0), _peak_kilobytes(member))
        if ended.wait(0.05):
            return


def _environment(folder: Path) -> dict[str, str]:
    """Ours, but compiled modules are kept between runs, as those of an installed package are."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}


def _worked() -> float:
    """The seconds of processor time that finished processes of ours have taken so far."""
    times = os.times()
    return times.children_user + times.children_system


def _family(pid: int) -> list[int]:
    """A process and its children, as the system lists them now."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return [pid]
    return [pid, *map(int, listed.split())]


def _peak_kilobytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0")
    return int(peak.split()[1])


def _load(folder: Path) -> _Done:
    """A fresh process that loads everything once."""
    began, worked_before = time.perf_counter(), _worked()
    code = f"from bench.import_runs import load; load({str(folder)!r})"
    command = [sys.executable, "-c", code]
    subprocess.run(command, cwd=PROJECT, check=True, env=_environment(folder))
    return _Done(time.perf_counter() - began, _worked() - worked_before)


def load(folder: str) -> tuple[list[Any], ...]:
    """What the reference's three loaders do: every file whole, records and documents in memory."""
    root = Path(folder)
    calls: list[dict[str, Any]] = []
    runs = [_load_run(path, root, calls) for path in root.glob("trajectories/**/trajectory_*.json")]
    evaluations = [_load_document(path) for path in root.rglob("eval_*.json")]
    summaries = [_load_document(path) for path in root.rglob("_summary.json")]
    return calls, runs, evaluations, summaries


def _load_document(path: Path) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            document = json.load(file)
    except ValueError:
        return {}
    folders = path.parts
    attempt = next((part for part in folders if part.startswith("pass@")), "pass@1")
    judge = next((part for part in folders if "_by_" in part), "").rpartition("_by_")[2]
    return {
        "model": folders[-4],
        "judge": judge,
        "pass_number": int(attempt[5:]),
        "uuid": document.get("uuid"),
        "filepath": str(path),
        "data": document,
    }


def _load_run(path: Path, root: Path, calls: list[dict[str, Any]]) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            document = json.load(file)
    except ValueError:
        return {}
    metadata = document.get("metadata") or {}
    place = {
        "model": path.relative_to(root / "trajectories").parts[0],
        "pass_number": metadata.get("pass_number", 1),
    }
    recorded = (document.get("execution") or {}).get("tool_calls") or []
    records = [
        {**place, **_load_call(call), "trajectory_file": str(path), "call_index": i}
        for i, call in enumerate(recorded)
        if isinstance(call, dict)
    ]
    calls.extend(records)
    return {
        **place,
        "query_uuid": metadata.get("query_uuid", ""),
        "trajectory_file": str(path),
        "tool_sequence": [{key: record[key] for key in _SEQUENCE} for record in records],
        "total_tool_calls": len(records),
    }


def _load_call(call: dict[str, Any]) -> dict[str, Any]:
    status, result = call.get("status", "unknown"), call.get("result", "")
    category = subcategory = message = None
    if status != "success":
        category, subcategory, message = "SERVER_ERROR", "status_not_success", str(result)[:200]
    elif isinstance(result, str) and "isError=True" in result:
        category, subcategory = classify_error(result)
        message = seed_message(result)
    return {
        "server": call.get("server", "unknown"),
        "tool": call.get("tool", "unknown"),
        "status": status,
        "is_error": category is not None,
        "error_category": category,
        "error_subcategory": subcategory,
        "error_message": message,
        "duration_seconds": call.get("duration_seconds", 0),
        "dynamically_loaded": call.get("dynamically_loaded", False),
    }
