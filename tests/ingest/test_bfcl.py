"""BFCL's results and scores tell the same runs, whichever is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.bfcl import BFCL, RESULT_NAMES, SCORE_NAMES
from assay.ingest.named_types import TYPES
from assay.ingest.recording import FilePlace, Recording
from assay.run import RunOutcome, Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = (
    {
        "id": "simple_0",
        "result": [{"area": '{"base": 10}'}],
        "input_token_count": 5,
        "output_token_count": 2,
        "latency": 0.5,
    },
    {"id": "simple_1", "result": "I cannot."},
    {"id": "simple_2", "result": "\n[f.g(a=1), h()]"},
)
SCORES = (
    {"accuracy": 0.67, "correct_count": 2, "total_count": 3},
    {
        "id": 2,
        "model_name": "m-7b",
        "test_category": "simple",
        "valid": False,
        "error": ["Failed to decode.", {"more": 1}],
        "error_type": "ast_decoder:decoder_failed",
        "prompt": {
            "id": "simple_1",
            "question": "How far?",
            "function": {"name": "far", "parameters": {"type": "dict", "properties": {}}},
        },
        "model_result_raw": "I cannot.",
    },
)


def lines(path: Path, values: Any) -> Recording:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return Recording(FilePlace(path))


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Recording, Recording]:
    """The result file of one model and category, and its score file."""
    name = "gorilla_openfunctions_v1_test_simple_result.json"
    results = lines(tmp_path / "result" / "m-7b" / name, RESULTS)
    return results, lines(tmp_path / "score" / "m-7b" / "simple_score.json", SCORES)


def test_results_with_their_scores(trees: tuple[Recording, Recording]) -> None:
    right, wrong, written = read(BFCL, trees[0])
    assert [run.task_id for run in (right, wrong, written)] == ["simple_0", "simple_1", "simple_2"]
    assert {run.model for run in (right, wrong, written)} == {"m-7b"}
    assert [(call.tool, call.parameters) for call in right.calls] == [("area", {"base": 10})]
    assert right.outcome == RunOutcome(success=True, decided_by="bfcl checker")
    assert right.usage == Usage(input_tokens=5, output_tokens=2)
    assert right.extra == {"category": "simple", "latency": 0.5}
    assert wrong.outcome == RunOutcome(
        success=False,
        decided_by="bfcl checker",
        reason="Failed to decode.",
        extra={"error_type": "ast_decoder:decoder_failed"},
    )
    assert (wrong.input, wrong.actual_output) == ("How far?", "I cannot.")
    assert wrong.available_tools == [
        {"name": "far", "parameters": {"type": "object", "properties": {}}}
    ]
    assert [(call.tool, call.parameters) for call in written.calls] == [
        ("f.g", {"a": 1}),
        ("h", {}),
    ]
    assert [call.turn for call in written.calls] == [1, 1]


def test_scores_tell_the_same_failures(trees: tuple[Recording, Recording]) -> None:
    results, scores = trees
    assert read(BFCL, scores) == [read(BFCL, results)[1]]
    assert BFCL.recognise(results) == 0.9
    assert BFCL.recognise(scores) == 1.0


def test_scores_alone() -> None:
    run = read_one(BFCL, recording(SCORES, "score/m-7b/simple_score.json"))
    assert (run.task_id, run.model, run.input) == ("simple_1", "m-7b", "How far?")
    assert run.outcome is not None
    assert run.source is not None
    assert (run.outcome.success, run.source.position) == (False, 2)


def test_results_alone_have_no_outcome() -> None:
    runs = read(BFCL, recording(RESULTS, "/x_result.json"))
    assert [run.outcome for run in runs] == [None, None, None]
    assert [run.model for run in runs] == [None, None, None]


@pytest.mark.parametrize("name", RESULT_NAMES)
def test_every_name_of_a_result_file(name: str, tmp_path: Path) -> None:
    lines(tmp_path / "result" / "m-7b" / name.format(category="simple"), RESULTS)
    scores = lines(tmp_path / "score" / "m-7b" / "simple_score.json", SCORES)
    (run,) = read(BFCL, scores)
    assert run.source is not None
    assert str(run.source.path).endswith(name.format(category="simple"))


@pytest.mark.parametrize("name", SCORE_NAMES)
def test_every_name_of_a_score_file(name: str, tmp_path: Path) -> None:
    lines(tmp_path / "score" / "m-7b" / name.format(category="simple"), SCORES)
    results = lines(tmp_path / "result" / "m-7b" / "simple_result.json", RESULTS)
    assert [run.outcome is not None for run in read(BFCL, results)] == [True, True, True]


def answered(result: Any) -> AgentTestCase:
    return read_one(BFCL, recording(({"id": "multi_turn_base_0", "result": result},), "r.json"))


@pytest.mark.parametrize(
    ("result", "calls"),
    [
        ('{"tool_calls": [{"name": "f", "arguments": {"a": 1}}]}', [("f", {"a": 1}, 1)]),
        ('[{"name": "f", "arguments": "{}"}, {"x": 1}]', [("f", {}, 1)]),
        ([[[{"f": "{}"}, {"g": "{}"}], [{"h": "{}"}]]], [("f", {}, 1), ("g", {}, 1), ("h", {}, 2)]),
        ([{"f": "not json"}], [("f", "not json", 1)]),
        (["```python\nprint(f())\n```"], []),
        ([], []),
        (None, []),
        ([[[[[[[[{"f": "{}"}]]]]]]]], []),
    ],
)
def test_every_form_of_an_answer(result: Any, calls: list[tuple[str, Any, int]]) -> None:
    run = answered(result)
    assert [(call.tool, call.parameters, call.turn) for call in run.calls] == calls


@pytest.mark.parametrize(("named", "meant"), TYPES.items())
def test_every_type_in_json_schema(named: str, meant: str) -> None:
    assert schema_of({"type": named, "items": {"type": named}}) == {
        "type": meant,
        "items": {"type": meant},
    }


def test_types_nobody_knows_are_left_open() -> None:
    assert schema_of({"properties": {"type": {"type": "HashMap"}}}) == {"properties": {"type": {}}}


def schema_of(parameters: Any) -> Any:
    failure: Any = {**SCORES[1], "prompt": {"function": [{"name": "f", "parameters": parameters}]}}
    run = read_one(BFCL, recording((SCORES[0], failure), "simple_score.json"))
    return run.available_tools[0]["parameters"]


def test_questions_in_turns() -> None:
    question = [[{"role": "user", "content": "First?"}], [{"role": "user", "content": "Then?"}]]
    failure: Any = {**SCORES[1], "id": "simple_1", "prompt": {"question": question}}
    run = read_one(BFCL, recording((SCORES[0], failure), "simple_score.json"))
    assert (run.input, run.task_id) == ("First?", "simple_1")


def test_strangers() -> None:
    assert problems(BFCL, recording((RESULTS[0], {"id": "x"}), "r.jsonl")) == [
        "r.jsonl:2: expected a result of BFCL, got dict {'id': 'x'}"
    ]
    assert problems(BFCL, recording((SCORES[0], {"id": 1}), "s.jsonl")) == [
        "s.jsonl:2: expected a failure of BFCL, got dict {'id': 1}"
    ]
    assert BFCL.recognise(recording({"id": "a", "result": 1})) == 0.0
    assert BFCL.recognise(recording(b"")) == 0.0


ONE_CALL = [[{"ls": "{}"}]]


def logged(*results: str) -> dict[str, Any]:
    told = [{"role": "tool", "content": result} for result in results]
    return {"begin_of_turn_query": [{"role": "user", "content": "q"}], "step_0": told}


@pytest.mark.parametrize(
    ("result", "log", "results", "problem"),
    [
        ([ONE_CALL, ONE_CALL], [logged("a")], ["a", None], "2 turns were answered, 1 logged"),
        ([ONE_CALL], [logged("a"), logged("b")], ["a"], "1 turns were answered, 2 logged"),
        (
            [ONE_CALL],
            [logged("a", "b")],
            ["a"],
            "turn 1, step 0: 1 calls, but 2 results logged",
        ),
    ],
)
def test_a_log_that_does_not_fit_is_read_as_far_as_it_goes_and_reported(
    result: Any, log: Any, results: list[Any], problem: str
) -> None:
    item = {"id": "multi_turn_base_0", "result": result, "inference_log": log}
    run, *told = BFCL.read(recording((item,), "r.json"))
    assert isinstance(run, AgentTestCase)
    assert [call.result for call in run.calls] == results
    assert [str(found) for found in told] == [f"r.json:1: multi_turn_base_0: {problem}"]


def test_items_of_others_that_are_counted_alike_are_not_bfcls() -> None:
    assert BFCL.recognise(recording({"id": "simple_0", "result": "[f()]"})) == 0.9
    assert BFCL.recognise(recording({"id": "general_scenarios_0", "result": {"turns": []}})) == 0.0


@pytest.mark.parametrize("group", ["non_live", "multi_turn", "agentic/memory/kv", "text"])
def test_files_in_groups_of_categories_belong_to_the_model_above(
    group: str, tmp_path: Path
) -> None:
    name = "BFCL_v4_simple_result.json"
    results = lines(tmp_path / "result" / "m-7b" / group / name, RESULTS)
    lines(tmp_path / "score" / "m-7b" / group / "BFCL_v4_simple_score.json", SCORES)
    runs = read(BFCL, results)
    assert {run.model for run in runs} == {"m-7b"}
    assert [run.outcome is not None and run.outcome.success for run in runs] == [True, False, True]
