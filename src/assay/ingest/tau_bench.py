"""tau-bench results: a list of runs with their reward and chat messages."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    dict_or_empty,
    id_or_none,
    objects_in,
    stable_id,
)
from assay.ingest.openai_chat import add_message
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

# The files do not say which model ran; these are the two ways tau-bench names them.
FILE_NAMES = (
    re.compile(r"(?:tool-calling|act|react|few-shot)-(?P<model>.+?)-\d+\.\d+_range_.*"),
    re.compile(r"(?P<model>.+)-(?:airline|retail)"),
)
_FULL_REWARD = 1.0 - 1e-6


def _is_run(value: object) -> bool:
    return isinstance(value, dict) and {"task_id", "reward", "traj"} <= value.keys()


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, list) and first:
        first = first[0]
    return 1.0 if _is_run(first) else 0.0


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    model = _model_named(recording.name)
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif _is_run(entry.value) and isinstance(entry.value["traj"], list):
            yield _run(entry.value, model, Source(recording.name, TAU_BENCH.name, entry.position))
        else:
            yield unexpected(
                recording.name, entry.value, "task_id, reward and traj", entry.position
            )


def _run(value: dict[str, Any], model: str | None, source: Source) -> AgentTestCase:
    run = RunBuilder()
    for message in objects_in(value["traj"]):
        add_message(run, message)
    trial = count_or_none(value.get("trial"))
    info = dict_or_empty(value.get("info"))
    task = dict_or_empty(info.get("task"))
    known = {"instruction": task.get("instruction"), "user_cost": info.get("user_cost")}
    return run.finish(
        run_id=stable_id(TAU_BENCH.name, model, value["task_id"], trial, value["traj"]),
        task_id=id_or_none(value["task_id"]),
        attempt=None if trial is None else trial + 1,
        model=model,
        framework="tau-bench",
        outcome=_outcome(value["reward"], info),
        expected_tools=_expected(task.get("actions")),
        source=source,
        extra={key: item for key, item in known.items() if item is not None},
    )


def _outcome(reward: object, info: dict[str, Any]) -> RunOutcome | None:
    score = amount_or_none(reward)
    if score is None:
        return None
    error = info.get("error")
    return RunOutcome(
        success=score >= _FULL_REWARD,
        score=score,
        decided_by="tau-bench reward",
        reason=error if isinstance(error, str) else None,
        extra={"reward_info": info["reward_info"]} if "reward_info" in info else {},
    )


def _expected(actions: object) -> list[Any] | None:
    return [
        {"name": action.get("name"), "input_parameters": action.get("kwargs")}
        for action in objects_in(actions)
    ] or None


def _model_named(name: str) -> str | None:
    stem = PurePath(name).stem
    found = (match for pattern in FILE_NAMES if (match := pattern.fullmatch(stem)))
    match = next(found, None)
    return match["model"] if match else None


TAU_BENCH = Format(
    name="tau-bench",
    title="tau-bench results: runs with reward and chat messages",
    fidelity=(
        "No error flag on tool results, no tool schemas, no times, no tokens of the agent; the "
        "model stands in the file's name only. Outcome is the benchmark's reward."
    ),
    recognise=_recognise,
    read=_read,
)
