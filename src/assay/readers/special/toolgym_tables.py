"""The seed's loaders: ToolGym's trees as flat records, one a call, run, summary or evaluation.

A file that cannot be read is a warning in the log and left out; the rest is loaded. Files are
taken in the order of their paths, so that ties in later rankings fall the same way everywhere.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct

from assay.errors import InvalidRecord
from assay.outcome.seed import classify_error, seed_message
from assay.readers.documents import LONGEST_DOCUMENT, decode_json
from assay.readers.values import amount
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger(__name__)
_FAILED = "isError=True"
_LONGEST_MESSAGE = 200
_ATTEMPT = "pass@"
_JUDGED_BY = "_by_"


class _Trajectory(Struct):
    """The two parts of a trajectory that the tables need; the rest is never built."""

    metadata: Any = UNSET
    execution: Any = UNSET


_TRAJECTORY = msgspec.json.Decoder(_Trajectory)


def load_trajectory_data(
    traj_dir: str | Path, model_filter: str | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All calls and all runs of a tree of trajectories, or of one model's, whatever its case.

    The model is the first folder below `traj_dir`.
    """
    tool_calls: list[dict[str, Any]] = []
    trajectories: list[dict[str, Any]] = []
    for path, parts in _files(traj_dir, "trajectory_*.json"):
        if model_filter and parts[0].lower() != model_filter.lower():
            continue
        try:
            run, calls = _trajectory(path, parts[0])
        except (InvalidRecord, OSError) as exc:
            _warn(path, exc)
            continue
        trajectories.append(run)
        tool_calls.extend(calls)
    return tool_calls, trajectories


def load_summary_files(eval_dir: str | Path) -> list[dict[str, Any]]:
    """All summaries of a tree of evaluations, those of one pass and those over all."""
    found: list[dict[str, Any]] = []
    for path, parts in _files(eval_dir, "_summary.json"):
        if len(parts) < 2:
            continue
        is_of_pass = _ATTEMPT in str(path)
        try:
            summary = {
                "model": parts[0],
                "judge": _judge(parts[1]),
                "pass_number": _pass_number(parts) if is_of_pass else None,
                "is_overall": not is_of_pass,
                "filepath": str(path),
                "data": decode_json(_bytes(path)),
            }
        except (InvalidRecord, OSError) as exc:
            _warn(path, exc)
            continue
        found.append(summary)
    return found


def load_individual_evals(
    eval_dir: str | Path, model: str | None = None, judge: str | None = None
) -> list[dict[str, Any]]:
    """All evaluations of a tree, or of one model and judge, each with its whole document."""
    found: list[dict[str, Any]] = []
    for path, parts in _files(eval_dir, "eval_*.json"):
        if len(parts) < 2:
            continue
        its_judge = _judge(parts[1])
        if (model and parts[0] != model) or (judge and its_judge != judge):
            continue
        try:
            document = _object(decode_json(_bytes(path)), "the document")
            number = _pass_number(parts)
        except (InvalidRecord, OSError) as exc:
            _warn(path, exc)
            continue
        found.append(
            {
                "model": parts[0],
                "judge": its_judge,
                "pass_number": 1 if number is None else number,
                "uuid": document.get("uuid"),
                "filepath": str(path),
                "data": document,
            }
        )
    return found


def _files(root: str | Path, pattern: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    root = Path(root)
    for path in sorted(root.rglob(pattern)):
        yield path, path.relative_to(root).parts


def _warn(path: Path, problem: Exception) -> None:
    _LOG.warning("Could not load %s: %s", path, problem)


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > LONGEST_DOCUMENT:
        raise InvalidRecord(f"more than {LONGEST_DOCUMENT >> 20} MB")
    return path.read_bytes()


def _judge(folder: str) -> str:
    return folder.rpartition(_JUDGED_BY)[2] if _JUDGED_BY in folder else ""


def _pass_number(parts: tuple[str, ...]) -> int | None:
    named = next((part for part in parts if part.startswith(_ATTEMPT)), None)
    if named is None:
        return None
    number = named.removeprefix(_ATTEMPT)
    if not number.isdecimal():
        raise InvalidRecord(f"the folder {named!r} names no pass; expected pass@1, pass@2, …")
    return int(number)


def _object(value: Any, where: str) -> dict[str, Any]:
    if value is UNSET:
        return {}
    if not isinstance(value, dict):
        raise InvalidRecord(f"{where} must be an object, got {preview(value)}")
    return value


def _trajectory(path: Path, model: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    document = _decoded(_bytes(path))
    calls = _object(document.execution, "execution").get("tool_calls", [])
    if not isinstance(calls, list):
        raise InvalidRecord(f"execution.tool_calls must be a list, got {preview(calls)}")
    metadata = _object(document.metadata, "metadata")
    number = metadata.get("pass_number")
    place = {"model": model, "pass_number": 1 if number is None else number}
    records = [
        _call(call, place, str(path), i) for i, call in enumerate(calls) if isinstance(call, dict)
    ]
    sequence = [{key: record[key] for key in _OF_SEQUENCE} for record in records]
    run = {
        **place,
        "query_uuid": _text(metadata.get("query_uuid")) or "",
        "trajectory_file": str(path),
        "tool_sequence": sequence,
        "total_tool_calls": len(sequence),
    }
    return run, records


_OF_SEQUENCE = ("server", "tool", "is_error", "error_category")


def _decoded(text: bytes) -> _Trajectory:
    try:
        return _TRAJECTORY.decode(text)
    except (msgspec.DecodeError, RecursionError):
        # Decoding again costs nothing that matters and says what is wrong and where.
        document = _object(decode_json(text), "the document")
        raise InvalidRecord(f"no trajectory: {preview(document)}") from None


def _call(call: dict[str, Any], place: dict[str, Any], file: str, index: int) -> dict[str, Any]:
    status = _text(call.get("status")) or "unknown"
    category, subcategory, message = _error(status, call.get("result", ""))
    return {
        **place,
        "server": _text(call.get("server")) or "unknown",
        "tool": _text(call.get("tool")) or "unknown",
        "status": status,
        "is_error": category is not None,
        "error_category": category,
        "error_subcategory": subcategory,
        "error_message": message,
        "duration_seconds": _duration(call.get("duration_seconds")),
        "dynamically_loaded": call.get("dynamically_loaded") is True,
        "trajectory_file": file,
        "call_index": index,
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _duration(value: object) -> float:
    """As recorded, so that 2 stays 2; what is no duration counts as 0, as the seed has it."""
    if amount(value) is None or not isinstance(value, int | float):
        return 0
    return value


def _error(status: str, result: object) -> tuple[str | None, str | None, str | None]:
    if status != "success":
        return "SERVER_ERROR", "status_not_success", str(result)[:_LONGEST_MESSAGE]
    if isinstance(result, str) and _FAILED in result:
        return (*classify_error(result), seed_message(result))
    return None, None, None
