"""ToolGym's judge output in all its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path
from tests.ingest.reading import problems, recording, unpacked_ds200

from assay.evaluation import RecordedEvaluation, RecordedSummary
from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.reading import RunReader, read_runs
from assay.ingest.toolgym import TOOLGYM
from assay.ingest.toolgym_evals import Place, read_place
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    from assay.evaluation import Judged

HERE = "evaluation/gpt/gpt_by_gpt4omini/pass@2/eval_u-1.json"


def an_eval(**changed: Any) -> dict[str, Any]:
    return {
        "uuid": "u-1",
        "query": "A brief, please.",
        "reference_tools": [{"server": "s", "tool": "t", "why": "w"}],
        "constraints": [],
        "actual_tools": [
            {"server": "meta-mcp", "tool": "search_tools"},
            {"server": "s", "tool": "t"},
            {"server": "s", "tool": "t"},
        ],
        "final_answer": "Here.",
        "final_answer_evaluation": {
            "answer_reasonableness": 8,
            "grounding": 6,
            "constraint_adherence": 7,
            "final_answer_score": 0.7,
            "binary": "success",
            "reasoning": "fine",
        },
        "step_by_step_evaluation": {
            "total_steps": 4,
            "average_step_score": 0.75,
            "steps": [{"step_num": 1, "evaluation": {"step_score": 0.75}}],
        },
        "task_id": "trajectory_u-1.json",
        "pass_number": 9,
        **changed,
    }


def judged(value: Any, name: str = HERE) -> Judged:
    (found,) = TOOLGYM.read(recording(value, name))
    assert isinstance(found, RecordedEvaluation | RecordedSummary)
    return found


def evaluation(value: Any, name: str = HERE) -> RecordedEvaluation:
    found = judged(value, name)
    assert isinstance(found, RecordedEvaluation)
    return found


def test_an_evaluation_of_steps_and_answer() -> None:
    assert evaluation(an_eval()) == RecordedEvaluation(
        task_id="u-1",
        trajectory="trajectory_u-1.json",
        query="A brief, please.",
        model="gpt",
        judge="gpt4omini",
        attempt=2,  # the folder's: the reference goes by it too
        experiment="react",
        final_answer_score=0.7,
        answer_reasonableness=8.0,
        grounding=6.0,
        constraint_adherence=7.0,
        success=True,
        average_step_score=0.75,
        total_steps=4,
        actual_tools=3,
        real_tools=2,
        reference_tools=1,
        source_path=HERE,
    )


def test_a_failed_judgement_is_missing_not_zero() -> None:
    value = {"task_id": "t", "uuid": "u", "query": "q", "pass_number": 3, "error": "APIError"}
    found = evaluation(value)
    assert (found.error, found.task_id, found.trajectory, found.attempt) == (
        "APIError",
        "u",
        "t",
        2,
    )
    assert found.final_answer_score is None
    assert found.average_step_score is None
    assert found.success is None
    assert found.actual_tools is None


def test_several_turns() -> None:
    answer = {
        "per_turn_evaluations": [{"final_answer_score": 0.1}],
        "average_final_answer_score": 0.5,
        "average_answer_reasonableness": 5.5,
        "average_grounding": 4.5,
        "average_constraint_adherence": 3.5,
        "total_turns": 2,
    }
    value = an_eval(
        final_answer_evaluation=answer,
        goal_completion_rate=0.25,
        trajectory_constraint_satisfaction_rate=1.0,
    )
    found = evaluation(value)
    assert found.experiment == "multi-turn"
    marks = (found.answer_reasonableness, found.grounding, found.constraint_adherence)
    assert (found.final_answer_score, *marks) == (0.5, 5.5, 4.5, 3.5)
    assert (found.goal_completion_rate, found.constraint_satisfaction_rate) == (0.25, 1.0)
    assert found.success is None


def test_a_goal_oriented_evaluation_is_brought_to_the_same_scale() -> None:
    value = {
        "trajectory_file": "trajectory_u.json",
        "trajectory_uuid": "u",
        "agent_metrics": {"total_tool_calls": 7, "meta_mcp_calls": 5, "total_reasoning_steps": 9},
        "trajectory_metrics": {
            "goal_completion_rate": 0.5,
            "overall_constraint_satisfaction_rate": 0.75,
            "goal_achieved": False,
        },
        "agent_final_answer": {"constraint_adherence": 3.0, "overall_final_answer": 9.0},
        "agent_step_avg_score": 5.0,
        "overall_score": 6.0,
        "evaluation_model": "openai/gpt-4o",
    }
    where = "evaluation/goaloriented/gpt-4o-mini_by_gpt-4o/eval_trajectory_u.json"
    assert evaluation(value, where) == RecordedEvaluation(
        task_id="u",
        trajectory="trajectory_u.json",
        model="gpt-4o-mini",
        judge="gpt-4o",
        experiment="goal-oriented",
        final_answer_score=0.9,
        constraint_adherence=3.0,
        success=False,
        average_step_score=0.5,
        overall_score=0.6,
        goal_completion_rate=0.5,
        constraint_satisfaction_rate=0.75,
        total_steps=9,
        actual_tools=7,
        real_tools=2,
        source_path=where,
    )
    assert evaluation(value, "loose.json").judge == "openai/gpt-4o"


def test_a_list_of_holistic_evaluations() -> None:
    items = [
        {"task_id": "a", "uuid": "1", "score": 0.9, "binary": "success"},
        {"task_id": "b", "uuid": "2", "score": 0.4, "binary": "failure"},
    ]
    made_up = recording(items, "judged.json")
    assert pick_format(made_up)[0] is TOOLGYM
    found = [item for item in TOOLGYM.read(made_up) if isinstance(item, RecordedEvaluation)]
    assert [(item.overall_score, item.success) for item in found] == [(0.9, True), (0.4, False)]
    assert {item.experiment for item in found} == {"holistic"}
    assert found[0].final_answer_score is None


@pytest.mark.parametrize(
    ("folder", "attempt"), [("pass@3/", 3), ("", None)], ids=["of a pass", "overall"]
)
def test_a_summary(folder: str, attempt: int | None) -> None:
    value = {
        "total_evaluated": 14,
        "errors": 1,
        "avg_final_answer_score": 0.55,
        "avg_step_score": 0.74,
    }
    where = f"evaluation/gpt/gpt_by_j/{folder}_summary.json"
    assert judged(value, where) == RecordedSummary(
        model="gpt",
        judge="j",
        attempt=attempt,
        total_evaluated=14,
        errors=1,
        avg_final_answer_score=0.55,
        avg_step_score=0.74,
        source_path=where,
    )


PLACES = {
    "/evaluation/m/m_by_j/pass@2/eval_u.json": Place("m", "j", 2),
    "/evaluation/m/m_by_j/_summary.json": Place("m", "j"),
    "out.zip!evaluation/m/m_by_j/pass@1/eval_u.json": Place("m", "j", 1),
    "C:\\data\\evaluation\\m\\m_by_j\\pass@1\\eval_u.json": Place("m", "j", 1),
    "/m/m_by_j/pass@1/eval_u.json": Place("m", "j", 1),
    "/m_by_j/pass@1/eval_u.json": Place("m", "j", 1),
    "/evaluation/old/runs/m/m_by_j/eval_u.json": Place("m", "j"),
    "/evaluation/made_by_us/made_by_us_by_j/eval_u.json": Place("made_by_us", "j"),
    "/evaluation/m/plain/eval_u.json": Place("m"),
    "/eval_u.json": Place(),
    "/evaluation/goaloriented/m_by_gpt-4o/eval_u.json": Place("m", "gpt-4o", None, "goal-oriented"),
    "/evaluation/Emergency_test/m/pass@1/random_20/o-j/random_20_by_j/pass@1/eval_u.json": Place(
        "m", "j", 1, "emergency"
    ),
    "/evaluation/Budget_test/o-m/budget_3/pass@1/o-j/pass@1_by_j/pass@1/eval_u.json": Place(
        "o-m", "j", 1, "budget"
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_model_judge_and_attempt_stand_in_the_path(name: str) -> None:
    assert read_place(name) == PLACES[name]


def test_a_path_says_the_same_however_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "evaluation" / "m" / "m_by_j"
    folder.mkdir(parents=True)
    for at in (tmp_path, folder.parent, folder):
        monkeypatch.chdir(at)
        assert read_place(str((folder / "pass@2" / "eval_u.json").relative_to(at))) == Place(
            "m", "j", 2
        )


ODD: dict[str, tuple[dict[str, Any], float | None, float | None]] = {
    "no answer block": ({"final_answer_evaluation": None}, None, 0.75),
    "an answer block of text": ({"final_answer_evaluation": "bad"}, None, 0.75),
    "a score as text": ({"final_answer_evaluation": {"final_answer_score": "0.5"}}, 0.5, 0.75),
    "a score of words": ({"final_answer_evaluation": {"final_answer_score": "high"}}, None, 0.75),
    "a score below nought": ({"final_answer_evaluation": {"final_answer_score": -1}}, None, 0.75),
    "no score": ({"final_answer_evaluation": {"grounding": 3}}, None, 0.75),
    "tools that are no objects": ({"actual_tools": ["t", 1]}, 0.7, 0.75),
    "tools that are no list": ({"actual_tools": 3, "reference_tools": {}}, 0.7, 0.75),
    "a query that is null": ({"query": None}, 0.7, 0.75),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_fields_cost_only_themselves(name: str) -> None:
    changed, answer, steps = ODD[name]
    found = evaluation(an_eval(**changed))
    assert (found.final_answer_score, found.average_step_score) == (answer, steps)


def test_tools_that_are_no_list_are_not_counted() -> None:
    found = evaluation(an_eval(actual_tools=3, reference_tools={}))
    assert (found.actual_tools, found.real_tools, found.reference_tools) == (None, None, None)


def test_what_no_table_can_hold_is_left_out() -> None:
    steps = {"total_steps": 10**30, "average_step_score": 0.5}
    found = evaluation(an_eval(step_by_step_evaluation=steps, query="q" * 10_000, uuid="u" * 9_000))
    assert (found.total_steps, found.average_step_score) == (None, 0.5)
    assert found.query == "q" * 2_000
    assert found.task_id == "u" * 1_000


@pytest.mark.parametrize("name", [HERE, "loose.json"])
def test_evaluations_are_recognised_wherever_they_lie(name: str) -> None:
    assert pick_format(recording(an_eval(), name))[0] is TOOLGYM


def test_a_run_named_like_an_evaluation_stays_a_run() -> None:
    case = {"input": "q", "actual_output": "a", "execution_data": {"tool_executions": []}}
    found = pick_format(recording(case, "eval_1.json"))[0]
    assert found is not None
    assert found.name == "assay"


def test_a_trajectory_named_like_an_evaluation_stays_a_trajectory() -> None:
    told = {"metadata": {"query": "q"}, "execution": {"tool_calls": []}, "error": "timed out"}
    (found,) = TOOLGYM.read(recording({**told, "reasoning_trace": []}, "eval_1.json"))
    assert isinstance(found, AgentTestCase)


def test_a_broken_evaluation_is_reported() -> None:
    text = b'{"uuid": "u", "final_answer_evaluation": {}, "step_by_step_evaluation": {"tot'
    (problem,) = problems(TOOLGYM, recording(text, HERE))
    assert problem.startswith(f"{HERE}: not JSON: Unterminated string")


def test_scoring_passes_evaluations_over(tmp_path: Path) -> None:
    for name in ("eval_1.json", "eval_2.json"):
        (tmp_path / name).write_bytes(recording(an_eval(), name).text or b"")
    found = list(read_runs(tmp_path))
    assert [item.kind for item in found if isinstance(item, Unreadable)] == ["passed_over"] * 2
    assert len(found) == 2


def test_all_evaluations_of_the_reference_set(tmp_path_factory: pytest.TempPathFactory) -> None:
    shared_path("oracle", "toolgym", "ds200.tar.gz")
    folder = unpacked_ds200(tmp_path_factory)
    files = len(list((folder / "evaluation").rglob("eval_*.json")))
    summaries = len(list((folder / "evaluation").rglob("_summary.json")))
    found = list(RunReader().source(folder / "evaluation"))
    evaluations = [item for item in found if isinstance(item, RecordedEvaluation)]
    assert len(evaluations) == files
    assert sum(isinstance(item, RecordedSummary) for item in found) == summaries
    assert len(found) == files + summaries
    failed = [item for item in evaluations if item.error]
    assert all(item.final_answer_score is None for item in failed)
    assert all(item.model and item.judge and item.attempt for item in evaluations)
    assert {item.experiment for item in evaluations} == {"react"}
