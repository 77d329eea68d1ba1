"""What was found in a file, by which sign, and a mapping to start from.

For recordings of formats that assay does not know: `assay formats --explain FILE`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers.documents import Document, Unreadable
from assay.readers.engine import find_runs
from assay.readers.files.sources import files_of
from assay.readers.formats import pick_format
from assay.readers.generic import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.readers.engine import FoundRun
    from assay.readers.files.file import File

_LOOKED_AT = 2_000
_MOST_SIGNS = 12
_MOST_KEYS = 4
_DEEPEST_FACT = 3
_INDEX = re.compile(r"\[\d{1,9}\]")
_PLAIN_KEY = re.compile(r"[\w-]+")
# Keys that usually hold a fact of a run, the most telling first.
_FACT_KEYS = {
    "task_id": ("task_id", "instance_id", "case_id", "sample_id", "task_name", "problem_id"),
    "attempt": ("attempt", "trial"),
    "model": ("model", "model_name", "model_id", "llm"),
    "session_id": ("session_id", "sessionId", "conversation_id", "thread_id", "run_id"),
    "input": ("question", "query", "instruction", "prompt", "task"),
    "actual_output": ("final_answer", "final_output", "final_response", "answer"),
    "success": ("success", "passed", "resolved", "correct"),
    "score": ("score", "reward"),
    "started_at": ("started_at", "start_time", "startTime", "created_at"),
    "ended_at": ("ended_at", "end_time", "endTime", "finished_at"),
}


class Sign(Struct, frozen=True):
    """Calls that were found in places alike, by the same sign."""

    sign: str
    place: str
    calls: int
    answered: int
    example: str


class Explanation(Struct, frozen=True):
    """What was found in one file, and a table to start from."""

    file: str
    format: str | None
    runs: int
    calls: int
    messages: int
    signs: tuple[Sign, ...]
    mapping: str


def explain(source: str | Path) -> Iterator[Explanation | Unreadable]:
    """Explain each file of a source, by shape alone; the format that would read it is named."""
    for file in files_of(source):
        yield file if isinstance(file, Unreadable) else _explained(file)


def _explained(file: File) -> Explanation:
    chosen = pick_format(file)
    found = [item.value for item in file.documents() if isinstance(item, Document)]
    values = found[:_LOOKED_AT]
    value: Any = values[0] if len(values) == 1 else values or text_of(file)
    runs = find_runs(value)
    return Explanation(
        file.name,
        None if chosen is None else chosen.name,
        len(runs),
        sum(len(run.calls) for run in runs),
        sum(len(run.messages) for run in runs),
        tuple(_signs(runs)),
        _mapping(value, runs, is_lines=len(values) > 1),
    )


def _signs(runs: list[FoundRun]) -> Iterator[Sign]:
    calls = [call for run in runs for call in run.calls]
    kinds = Counter((call.sign, general_path(call.where)) for call in calls)
    for (sign, place), count in kinds.most_common(_MOST_SIGNS):
        alike = [c for c in calls if (c.sign, general_path(c.where)) == (sign, place)]
        first = alike[0]
        answered = sum(call.has_result for call in alike)
        yield Sign(sign, place or ".", count, answered, f"{first.tool}({_short(first.arguments)})")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


def general_path(where: str) -> str:
    """A place as a path expression of tables: `messages[3].tool_calls[0]` is one of many."""
    steps = [
        step if _PLAIN_KEY.fullmatch(step) or step == "[]" else f"'{step}'"
        for step in _INDEX.sub(".[]", where).split(".")
        if step and "'" not in step
    ]
    return ".".join(steps)


# -- the mapping


def _mapping(value: Any, runs: list[FoundRun], *, is_lines: bool) -> str:
    """A table in TOML that names what was found; its signs are to be made rarer by hand."""
    if not runs:
        return ""
    places = {general_path(run.where) for run in runs}
    one_place = next(iter(places)) if len(places) == 1 else ""
    lines = ["[my-format]", 'title = "My format"', 'cannot = ""']
    lines += [f"is = {_strings(_signs_of(value))}"]
    run, key = value, ""
    if "[]" in one_place.split("."):
        lines += [f"runs = {_string(one_place)}"]
        run = _first_at(value, one_place.split("."))
    elif len(runs) > 1:
        lines += ["many = true  # the runs are told apart by their shape or by the id they name"]
    elif is_lines:
        run, key = _first_line(value), "[]."
    lines += [f"{fact} = {_string(key + path)}" for fact, path in _facts(run)]
    return "\n".join(lines) + "\n"


def _signs_of(value: Any) -> list[str]:
    """The keys at the top, which most files of the format have."""
    prefix = "[]." if isinstance(value, list) else ""
    first = _first_line(value) if prefix else value
    keys = list(first) if isinstance(first, dict) else []
    return [prefix + _key(key) for key in islice(keys, _MOST_KEYS)] or ["[]"]


def _first_line(value: Any) -> Any:
    return next((item for item in value if isinstance(item, dict)), None) if value else None


def _first_at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if step == "[]":
            value = value[0] if isinstance(value, list) and value else None
        else:
            value = value.get(step.strip("'")) if isinstance(value, dict) else None
    return value


def _facts(run: Any) -> Iterator[tuple[str, str]]:
    """The facts of a run that its keys give away, and their paths."""
    places = dict(_scalars(run, "", 0))
    for fact, keys in _FACT_KEYS.items():
        named = (path for key in keys for path in places if path == key or path.endswith(f".{key}"))
        path = min(named, key=lambda path: path.count("."), default=None)
        if path is not None:
            yield fact, path


def _scalars(value: Any, prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict) or depth > _DEEPEST_FACT:
        return
    for key, inner in value.items():
        path = f"{prefix}{_key(key)}"
        if isinstance(inner, dict):
            yield from _scalars(inner, f"{path}.", depth + 1)
        elif inner is not None and not isinstance(inner, list):
            yield path, inner


def _key(key: object) -> str:
    return str(key) if _PLAIN_KEY.fullmatch(str(key)) else f"'{key}'"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _strings(texts: list[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)
