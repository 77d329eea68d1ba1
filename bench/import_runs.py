"""Importing a whole benchmark against loading it once the reference's way.

The data is made by `oracle/toolgym/gen.py` of the shared folder: beside the project, or where
ASSAY_SHARED says. Where there is none the benchmark says so and reports nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from assay.evidence.seed_classifier import classify_error, seed_message
from bench.result import Result, Size

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
GENERATOR = SHARED / "oracle" / "toolgym" / "gen.py"
_SEQUENCE = ("server", "tool", "is_error", "error_category")


def run(size: Size) -> list[Result]:
    if not GENERATOR.exists():
        print(f"skipped: needs {GENERATOR.name} of the shared folder", file=sys.stderr)
        return []
    few, many = (2_000, 20_000) if size == "full" else (100, 1_000)
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "few", Path(folder) / "many"
        for target, count in ((small, few), (large, many)):
            made = [sys.executable, str(GENERATOR), "--out", str(target), "--n", str(count)]
            subprocess.run(made, check=True, capture_output=True)
        few_seconds, few_peak, _ = _import(small)
        # Twice in turn: the first time brings the files into the system's memory.
        loads, imports = [], []
        for _ in range(2):
            loads.append(_load_seconds(large))
            imports.append(_import(large))
    seconds, peak, cores = min(imports)
    return [
        _speed(many, seconds, min(loads), cores),
        _growth(few, many, few_seconds, seconds),
        _memory(few, many, few_peak, peak),
    ]


def _speed(count: int, seconds: float, load_seconds: float, cores: float) -> Result:
    return Result(
        name=f"assay import, {count:,} trajectories and {3 * count:,} evaluations",
        ours=seconds,
        peer=load_seconds,
        unit="s",
        peer_name="the reference's loaders in plain Python, once, nothing kept",
        ratio=load_seconds / seconds,
        goal="at least 2x faster",
        met=load_seconds >= 2 * seconds,
        note=f"{cores:.1f} of {os.cpu_count()} cores busy",
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


def _import(folder: Path) -> tuple[float, float, float]:
    """Seconds, the sum of the peaks of all processes in MB, and how many cores were busy."""
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    sources = [str(folder / name) for name in ("trajectories", "evaluation")]
    command = [sys.executable, "-m", "assay", "import", *sources, "--store", str(store)]
    before = os.times()
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peaks: dict[int, int] = {}
    while process.poll() is None:
        for pid in _family(process.pid):
            peaks[pid] = max(peaks.get(pid, 0), _peak_kilobytes(pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - began
    after = os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return seconds, sum(peaks.values()) / 1024, worked / seconds


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


def _load_seconds(folder: Path) -> float:
    """How long a fresh process takes to load everything once."""
    began = time.perf_counter()
    code = f"from bench.import_runs import load; load({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=True)
    return time.perf_counter() - began


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
