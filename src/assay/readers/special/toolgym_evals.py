"""ToolGym's judge output: one evaluation a run, and the summaries over them.

Most of each is a copy of the trajectory: only the marks are kept. Model, judge and attempt stand
in the path and nowhere else, `evaluation/MODEL/MODEL_by_JUDGE/pass@K`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct

from assay.evaluation import Judged, RecordedEvaluation, RecordedSummary
from assay.readers.values import amount, dict_or_empty, objects_in, whole_path

if TYPE_CHECKING:
    from collections.abc import Callable

_Part = TypeVar("_Part", bound=Struct)

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


class Place(Struct, frozen=True):
    """What the folders of an evaluation say of it."""

    model: str | None = None
    judge: str | None = None
    attempt: int | None = None
    experiment: str | None = None


# What a well-written field holds; anything else is read with patience, see `_cleaned`.
_Number = Annotated[float, Meta(ge=0)] | None
_Count = Annotated[int, Meta(ge=0, le=_LARGEST_COUNT)] | None
_Text = Annotated[str, Meta(max_length=_LONGEST_TEXT)] | None
_Query = Annotated[str, Meta(max_length=_LONGEST_QUERY)] | None


class _Tool(Struct, gc=False):
    tool: Any = None


class _Answer(Struct, gc=False):
    final_answer_score: _Number = None
    answer_reasonableness: _Number = None
    grounding: _Number = None
    constraint_adherence: _Number = None
    binary: Any = None
    average_final_answer_score: _Number = None
    average_answer_reasonableness: _Number = None
    average_grounding: _Number = None
    average_constraint_adherence: _Number = None
    total_turns: _Count = None


class _Steps(Struct, gc=False):
    total_steps: _Count = None
    average_step_score: _Number = None


class _GoalAnswer(Struct, gc=False):
    constraint_adherence: _Number = None
    overall_final_answer: _Number = None


class _GoalCalls(Struct, gc=False):
    total_tool_calls: _Count = None
    meta_mcp_calls: _Count = None
    total_reasoning_steps: _Count = None


class _GoalRun(Struct, gc=False):
    goal_completion_rate: _Number = None
    overall_constraint_satisfaction_rate: _Number = None
    goal_achieved: Any = None


class _Document(Struct, gc=False):
    """All that is read of any judge output; the rest is never built."""

    uuid: _Text = None
    trajectory_uuid: _Text = None
    task_id: _Text = None
    trajectory_file: _Text = None
    query: _Query = None
    pass_number: _Count = None
    error: Any = None
    score: _Number = None
    binary: Any = None
    reference_tools: list[_Tool] | None = None
    actual_tools: list[_Tool] | None = None
    final_answer_evaluation: _Answer | None = None
    step_by_step_evaluation: _Steps | None = None
    trajectory_constraint_satisfaction_rate: _Number = None
    goal_completion_rate: _Number = None
    agent_metrics: _GoalCalls | None = None
    trajectory_metrics: _GoalRun | None = None
    agent_final_answer: _GoalAnswer | None = None
    agent_step_avg_score: _Number = None
    overall_score: _Number = None
    evaluation_model: _Text = None
    total_evaluated: _Count = None
    errors: _Count = None
    avg_final_answer_score: _Number = None
    avg_step_score: _Number = None


def is_judged(value: object) -> bool:
    """Whether a value is judge output of any kind, by its keys."""
    keys = dict_or_empty(value).keys()
    return any(known_by <= keys for known_by in _KNOWN_BY)


def judged_from(value: object, name: str) -> Judged | None:
    """An evaluation or summary from a decoded document; None when it is neither."""
    if not is_judged(value):
        return None
    try:
        found: _Document | None = msgspec.convert(value, _Document)
    except msgspec.ValidationError:
        found = _cleaned(_Document, value)
    return None if found is None else _judged(found, read_place(name), name)


def read_place(name: str) -> Place:
    """Read the folders of a path; see `evaluation/MODEL/MODEL_by_JUDGE/pass@K`.

    In the trees of other experiments (`goaloriented`, `Emergency_test`, `Budget_test`) the model
    is the folder below the tree's. What the path does not say is None.
    """
    return _read_folder(whole_path(name).replace("\\", "/").replace("!", "/").rpartition("/")[0])


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
    if found.error or marks != _NO_MARKS:
        return _evaluation(found, place, name)
    return None


def _summary(found: _Document, place: Place, name: str) -> RecordedSummary:
    return RecordedSummary(
        model=place.model,
        judge=place.judge,
        attempt=place.attempt,
        experiment=place.experiment,
        total_evaluated=found.total_evaluated,
        errors=found.errors,
        avg_final_answer_score=found.avg_final_answer_score,
        avg_step_score=found.avg_step_score,
        source_path=name,
    )


def _evaluation(found: _Document, place: Place, name: str) -> RecordedEvaluation:
    answer = found.final_answer_evaluation or _NO_ANSWER
    steps = found.step_by_step_evaluation or _NO_STEPS
    tools = found.actual_tools
    several = answer.average_final_answer_score is not None or answer.total_turns is not None
    default = "multi-turn" if several else "holistic" if found.score is not None else "react"
    # By position, in the record's order: so many keywords would be gathered in a dict first.
    return RecordedEvaluation(
        found.uuid or None,
        found.task_id or None,
        found.query or None,
        place.model,
        place.judge,
        found.pass_number if place.attempt is None else place.attempt,
        place.experiment or default,
        _first(answer.final_answer_score, answer.average_final_answer_score),
        _first(answer.answer_reasonableness, answer.average_answer_reasonableness),
        _first(answer.grounding, answer.average_grounding),
        _first(answer.constraint_adherence, answer.average_constraint_adherence),
        _verdict(found.binary if answer.binary is None else answer.binary),
        steps.average_step_score,
        found.score,
        found.goal_completion_rate,
        found.trajectory_constraint_satisfaction_rate,
        steps.total_steps,
        None if tools is None else len(tools),
        None if tools is None else sum([tool.tool != _SEARCH for tool in tools]),
        None if found.reference_tools is None else len(found.reference_tools),
        _text(str(found.error)) if found.error else None,
        name,
    )


def _goal_evaluation(found: _Document, place: Place, name: str) -> RecordedEvaluation:
    """The goal-oriented judge marks everything from 0 to 10; scores here are tenths of that."""
    answer = found.agent_final_answer or _GoalAnswer()
    calls, run = found.agent_metrics or _GoalCalls(), found.trajectory_metrics or _GoalRun()
    total, searches = calls.total_tool_calls, calls.meta_mcp_calls
    return RecordedEvaluation(
        task_id=found.trajectory_uuid or None,
        trajectory=found.trajectory_file or None,
        model=place.model,
        judge=place.judge or found.evaluation_model or None,
        attempt=place.attempt,
        experiment="goal-oriented",
        final_answer_score=_tenth(answer.overall_final_answer),
        constraint_adherence=answer.constraint_adherence,
        success=_verdict(run.goal_achieved),
        average_step_score=_tenth(found.agent_step_avg_score),
        overall_score=_tenth(found.overall_score),
        goal_completion_rate=run.goal_completion_rate,
        constraint_satisfaction_rate=run.overall_constraint_satisfaction_rate,
        total_steps=calls.total_reasoning_steps,
        actual_tools=total,
        real_tools=None if total is None or searches is None else total - searches,
        error=_text(str(found.error or "")),
        source_path=name,
    )


_NO_MARKS = (None, None, None)
_NO_ANSWER = _Answer()
_NO_STEPS = _Steps()


def _first(one: float | None, other: float | None) -> float | None:
    return other if one is None else one


def _tenth(number: float | None) -> float | None:
    return None if number is None else number / 10


def _verdict(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _VERDICTS.get(value.strip().lower()) if isinstance(value, str) else None


def _cleaned(kind: type[_Part], value: object) -> _Part | None:
    """A part of a document, every field as it should be or None."""
    if not isinstance(value, dict):
        return None
    return kind(**{name: clean(value.get(name)) for name, clean in _cleaners(kind).items()})


@cache
def _cleaners(kind: type[Struct]) -> dict[str, Callable[[object], Any]]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: _CLEANERS[hint] for name, hint in hints.items()}


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _LARGEST_COUNT else None


def _text(value: object, longest: int = _LONGEST_TEXT) -> str | None:
    """The beginning of a text: the run has it whole."""
    return value[:longest] if isinstance(value, str) and value else None


def _tools(value: object) -> list[_Tool] | None:
    if not isinstance(value, list):
        return None
    return [_Tool(tool.get("tool")) for tool in objects_in(value)]


_CLEANERS: dict[Any, Callable[[object], Any]] = {
    Any: lambda value: value,
    _Number: amount,
    _Count: _count,
    _Text: _text,
    _Query: partial(_text, longest=_LONGEST_QUERY),
    list[_Tool] | None: _tools,
    **{
        part | None: partial(_cleaned, part)
        for part in (_Answer, _Steps, _GoalAnswer, _GoalCalls, _GoalRun)
    },
}
