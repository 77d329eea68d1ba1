"""ToolGym's judge output: one evaluation a run, and the summaries over them.

There are many, and most of each is a copy of the trajectory: only the marks are decoded. Model,
judge and attempt stand in the path and nowhere else, `evaluation/MODEL/MODEL_by_JUDGE/pass@K`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.evaluation import Judged, RecordedEvaluation, RecordedSummary
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    dict_or_empty,
    objects_in,
    text_or_none,
)

if TYPE_CHECKING:
    from assay.ingest.recording import Recording

_SUMMARY_NAMES = frozenset({"_summary.json", "evaluation_summary.json"})
_SEARCH = "search_tools"
_LONGEST_TEXT = 1_000
_LONGEST_QUERY = 2_000
_LARGEST_COUNT = 2**53
_VERDICTS = {"success": True, "failure": False, "fail": False, "1": True, "0": False}
_ATTEMPT = re.compile(r"pass@(\d{1,6})")
_JUDGED_BY = "_by_"
_ROOTS = frozenset({"evaluation", "evaluations"})
# Folders of other experiments: the model's is the one below.
_EXPERIMENTS = {
    "goaloriented": "goal-oriented",
    "emergency_test": "emergency",
    "budget_test": "budget",
    "multiturn": "multi-turn",
}
# What each kind of judge output is known by: the keys that it has.
_KNOWN_BY = (
    frozenset({"final_answer_evaluation", "step_by_step_evaluation"}),
    frozenset({"task_id", "uuid", "query", "pass_number", "error"}),
    frozenset({"agent_metrics", "trajectory_metrics"}),
    frozenset({"task_id", "score", "binary"}),
    frozenset({"total_evaluated", "errors", "avg_final_answer_score"}),
)
_QUOTED_KEYS = tuple([f'"{key}"'.encode() for key in keys] for keys in _KNOWN_BY)


class Place(Struct, frozen=True):
    """What the folders of an evaluation say of it."""

    model: str | None = None
    judge: str | None = None
    attempt: int | None = None
    experiment: str | None = None


class _Tool(Struct, gc=False):
    tool: Any = None


class _Answer(Struct, gc=False):
    final_answer_score: Any = None
    answer_reasonableness: Any = None
    grounding: Any = None
    constraint_adherence: Any = None
    binary: Any = None
    average_final_answer_score: Any = None
    average_answer_reasonableness: Any = None
    average_grounding: Any = None
    average_constraint_adherence: Any = None
    total_turns: Any = None


class _Steps(Struct, gc=False):
    total_steps: Any = None
    average_step_score: Any = None


class _GoalAnswer(Struct, gc=False):
    constraint_adherence: Any = None
    overall_final_answer: Any = None


class _GoalCalls(Struct, gc=False):
    total_tool_calls: Any = None
    meta_mcp_calls: Any = None
    total_reasoning_steps: Any = None


class _GoalRun(Struct, gc=False):
    goal_completion_rate: Any = None
    overall_constraint_satisfaction_rate: Any = None
    goal_achieved: Any = None


class _Document(Struct, gc=False):
    """All that is read of any judge output; the rest is never built."""

    uuid: Any = None
    trajectory_uuid: Any = None
    task_id: Any = None
    trajectory_file: Any = None
    query: Any = None
    pass_number: Any = None
    error: Any = None
    score: Any = None
    binary: Any = None
    reference_tools: list[_Tool] | None = None
    actual_tools: list[_Tool] | None = None
    final_answer_evaluation: _Answer | None = None
    step_by_step_evaluation: _Steps | None = None
    trajectory_constraint_satisfaction_rate: Any = None
    goal_completion_rate: Any = None
    agent_metrics: _GoalCalls | None = None
    trajectory_metrics: _GoalRun | None = None
    agent_final_answer: _GoalAnswer | None = None
    agent_step_avg_score: Any = None
    overall_score: Any = None
    evaluation_model: Any = None
    total_evaluated: Any = None
    errors: Any = None
    avg_final_answer_score: Any = None
    avg_step_score: Any = None


_DECODER = msgspec.json.Decoder(_Document)
_PARTS = (
    *("final_answer_evaluation", "step_by_step_evaluation", "agent_metrics"),
    *("trajectory_metrics", "agent_final_answer"),
)
_LISTS = ("reference_tools", "actual_tools")


def is_judged(value: object) -> bool:
    """Whether a value is judge output of any kind, by its keys."""
    keys = dict_or_empty(value).keys()
    return any(known_by <= keys for known_by in _KNOWN_BY)


def looks_judged(recording: Recording) -> bool:
    """Whether a file is judge output, by its name and a glance: it is not decoded for that."""
    name = _file_name(recording.name)
    named = name.startswith("eval_") and name.endswith(".json")
    if not named and name not in _SUMMARY_NAMES:
        return False
    text = recording.text
    return text is not None and any(
        all(key in text for key in quoted_keys) for quoted_keys in _QUOTED_KEYS
    )


def _file_name(name: str) -> str:
    return name.replace("\\", "/").replace("!", "/").rpartition("/")[2]


def read_quickly(recording: Recording) -> Judged | None:
    """The evaluation or summary a file holds, only its marks decoded.

    None where the file does not look like one or takes more patience to read.
    """
    if not looks_judged(recording):
        return None
    try:
        found = _DECODER.decode(recording.text or b"")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return _judged(found, read_place(recording.name), recording.name)


def judged_from(value: object, name: str) -> Judged | None:
    """An evaluation or summary from a decoded document; None when it is neither."""
    if not isinstance(value, dict) or not is_judged(value):
        return None
    usable = dict(value)
    usable.update({key: None for key in _PARTS if not isinstance(value.get(key), dict)})
    for key in _LISTS:
        usable[key] = objects_in(value[key]) if isinstance(value.get(key), list) else None
    return _judged(msgspec.convert(usable, _Document), read_place(name), name)


def read_place(name: str) -> Place:
    """Read the folders of a path; see `evaluation/MODEL/MODEL_by_JUDGE/pass@K`.

    In the trees of other experiments (`goaloriented`, `Emergency_test`, `Budget_test`) the model
    is the folder below the tree's. What the path does not say is None.
    """
    return _read_folder(name.replace("\\", "/").replace("!", "/").rpartition("/")[0])


@lru_cache(maxsize=1024)
def _read_folder(path: str) -> Place:
    folders = path.split("/")
    attempt = next((m for folder in folders if (m := _ATTEMPT.fullmatch(folder))), None)
    number = int(attempt[1]) if attempt else None
    marked = [i for i, folder in enumerate(folders) if _JUDGED_BY in folder]
    judged, _, judge = folders[marked[-1]].rpartition(_JUDGED_BY) if marked else ("", "", "")
    for i, folder in enumerate(folders[:-1]):
        if experiment := _EXPERIMENTS.get(folder.lower()):
            model = folders[i + 1].rpartition(_JUDGED_BY)[0] or folders[i + 1]
            return Place(model, judge or None, number, experiment)
    if marked:
        above = folders[marked[-1] - 1] if marked[-1] else ""
        is_model = above and above not in {*_ROOTS, ".", ".."}
        return Place(above if is_model else judged or None, judge or None, number)
    roots = [i for i, folder in enumerate(folders[:-1]) if folder in _ROOTS]
    return Place(folders[roots[-1] + 1] if roots else None, None, number)


def _judged(found: _Document, place: Place, name: str) -> Judged | None:
    """The record of a document; None when it holds nothing that was judged."""
    if found.total_evaluated is not None:
        return _summary(found, place, name)
    if found.agent_metrics is not None or found.agent_final_answer is not None:
        return _goal_evaluation(found, place, name)
    marks = (found.final_answer_evaluation, found.step_by_step_evaluation, found.binary)
    if found.error or any(part is not None for part in marks):
        return _evaluation(found, place, name)
    return None


def _summary(found: _Document, place: Place, name: str) -> RecordedSummary:
    return RecordedSummary(
        model=place.model,
        judge=place.judge,
        attempt=place.attempt,
        experiment=place.experiment,
        total_evaluated=_count(found.total_evaluated),
        errors=_count(found.errors),
        avg_final_answer_score=_number(found.avg_final_answer_score),
        avg_step_score=_number(found.avg_step_score),
        source_path=name,
    )


def _evaluation(found: _Document, place: Place, name: str) -> RecordedEvaluation:
    answer = found.final_answer_evaluation or _NO_ANSWER
    steps = found.step_by_step_evaluation or _NO_STEPS
    tools = found.actual_tools
    recorded = _count(found.pass_number)
    several = answer.average_final_answer_score is not None or answer.total_turns is not None
    default = "multi-turn" if several else "holistic" if found.score is not None else "react"
    return RecordedEvaluation(
        task_id=_text(found.uuid),
        trajectory=_text(found.task_id),
        query=_text(found.query, _LONGEST_QUERY),
        model=place.model,
        judge=place.judge,
        attempt=recorded if place.attempt is None else place.attempt,
        experiment=place.experiment or default,
        final_answer_score=_number(answer.final_answer_score, answer.average_final_answer_score),
        answer_reasonableness=_number(
            answer.answer_reasonableness, answer.average_answer_reasonableness
        ),
        grounding=_number(answer.grounding, answer.average_grounding),
        constraint_adherence=_number(
            answer.constraint_adherence, answer.average_constraint_adherence
        ),
        success=_verdict(found.binary if answer.binary is None else answer.binary),
        average_step_score=_number(steps.average_step_score),
        overall_score=_number(found.score),
        goal_completion_rate=_number(found.goal_completion_rate),
        constraint_satisfaction_rate=_number(found.trajectory_constraint_satisfaction_rate),
        total_steps=_count(steps.total_steps),
        actual_tools=None if tools is None else len(tools),
        real_tools=None if tools is None else sum(tool.tool != _SEARCH for tool in tools),
        reference_tools=None if found.reference_tools is None else len(found.reference_tools),
        error=_text(str(found.error or "")),
        source_path=name,
    )


def _goal_evaluation(found: _Document, place: Place, name: str) -> RecordedEvaluation:
    """The goal-oriented judge marks everything from 0 to 10; scores here are tenths of that."""
    answer = found.agent_final_answer or _GoalAnswer()
    calls, run = found.agent_metrics or _GoalCalls(), found.trajectory_metrics or _GoalRun()
    total, searches = _count(calls.total_tool_calls), _count(calls.meta_mcp_calls)
    return RecordedEvaluation(
        task_id=_text(found.trajectory_uuid),
        trajectory=_text(found.trajectory_file),
        model=place.model,
        judge=place.judge or _text(found.evaluation_model),
        attempt=place.attempt,
        experiment="goal-oriented",
        final_answer_score=_tenth(answer.overall_final_answer),
        constraint_adherence=_number(answer.constraint_adherence),
        success=_verdict(run.goal_achieved),
        average_step_score=_tenth(found.agent_step_avg_score),
        overall_score=_tenth(found.overall_score),
        goal_completion_rate=_number(run.goal_completion_rate),
        constraint_satisfaction_rate=_number(run.overall_constraint_satisfaction_rate),
        total_steps=_count(calls.total_reasoning_steps),
        actual_tools=total,
        real_tools=None if total is None or searches is None else total - searches,
        error=_text(str(found.error or "")),
        source_path=name,
    )


_NO_ANSWER = _Answer()
_NO_STEPS = _Steps()


def _text(value: object, longest: int = _LONGEST_TEXT) -> str | None:
    """The beginning of a text: the run has it whole."""
    text = text_or_none(value)
    return text[:longest] if text else None


def _count(value: object) -> int | None:
    """A count that a table can hold."""
    count = count_or_none(value)
    return count if count is not None and abs(count) < _LARGEST_COUNT else None


def _number(*values: object) -> float | None:
    """The first of one or two that was given, if it is a number, be it written as text."""
    value = values[0]
    if value is None and len(values) > 1:
        value = values[1]
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return amount_or_none(value)


def _tenth(value: object) -> float | None:
    number = _number(value)
    return None if number is None else number / 10


def _verdict(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _VERDICTS.get(value.strip().lower()) if isinstance(value, str) else None
