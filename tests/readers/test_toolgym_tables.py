"""The seed's loaders: records, filters and defaults as it has them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path, unpacked_ds200

from assay.readers.special.toolgym_tables import (
    load_individual_evals,
    load_summary_files,
    load_trajectory_data,
)

if TYPE_CHECKING:
    from pathlib import Path

FAILED = "meta=None content=[TextContent(type='text', text='{}', annotations=None)] isError=True"


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def trajectory(*calls: Any, **metadata: Any) -> dict[str, Any]:
    return {"metadata": metadata, "execution": {"tool_calls": list(calls)}}


def a_call(**changed: Any) -> dict[str, Any]:
    return {
        "server": "s",
        "tool": "t",
        "status": "success",
        "duration_seconds": 2,
        "dynamically_loaded": True,
        "result": "fine",
        **changed,
    }


def test_calls_and_runs(tmp_path: Path) -> None:
    failed = FAILED.format("Too Many Requests")
    path = tmp_path / "Mod" / "pass@3" / "trajectory_1.json"
    write(path, trajectory(a_call(), "noise", a_call(result=failed), pass_number=2, query_uuid="u"))
    calls, runs = load_trajectory_data(tmp_path)
    assert calls[0] == {
        "model": "Mod",
        "pass_number": 2,
        "server": "s",
        "tool": "t",
        "status": "success",
        "is_error": False,
        "error_category": None,
        "error_subcategory": None,
        "error_message": None,
        "duration_seconds": 2,
        "dynamically_loaded": True,
        "trajectory_file": str(path),
        "call_index": 0,
    }
    assert calls[1] | {"call_index": 0, "trajectory_file": ""} == {
        **calls[0],
        "is_error": True,
        "error_category": "SERVER_ERROR",
        "error_subcategory": "rate_limit",
        "error_message": "Too Many Requests",
        "trajectory_file": "",
    }
    assert calls[1]["call_index"] == 2
    assert runs == [
        {
            "model": "Mod",
            "pass_number": 2,
            "query_uuid": "u",
            "trajectory_file": str(path),
            "tool_sequence": [
                {"server": "s", "tool": "t", "is_error": False, "error_category": None},
                {"server": "s", "tool": "t", "is_error": True, "error_category": "SERVER_ERROR"},
            ],
            "total_tool_calls": 2,
        }
    ]


def test_what_is_missing_takes_the_seeds_defaults(tmp_path: Path) -> None:
    odd = [
        {"result": "x" * 300},
        a_call(server=None, tool=None, duration_seconds=None, dynamically_loaded=None),
        a_call(duration_seconds="2", result=None),
        a_call(status="error", result=None),
        a_call(result={"isError=True": 1}),
    ]
    write(tmp_path / "trajectory_1.json", trajectory(*odd, query_uuid=None))
    calls, runs = load_trajectory_data(str(tmp_path))
    keys = ("server", "tool", "status", "is_error", "duration_seconds", "dynamically_loaded")
    assert [tuple(call[key] for key in keys) for call in calls] == [
        ("unknown", "unknown", "unknown", True, 0, False),
        ("unknown", "unknown", "success", False, 0, False),
        ("s", "t", "success", False, 0, True),
        ("s", "t", "error", True, 2, True),
        ("s", "t", "success", False, 2, True),
    ]
    assert calls[0]["error_subcategory"] == "status_not_success"
    assert [call["error_message"] for call in calls] == ["x" * 200, None, None, "None", None]
    assert (runs[0]["pass_number"], runs[0]["query_uuid"]) == (1, "")
    assert runs[0]["model"] == "trajectory_1.json"


@pytest.mark.parametrize(
    "broken",
    [
        '{"metadata": {"query_uuid": "cut',
        "[]",
        "7",
        "",
        '{"execution": null}',
        '{"metadata": [], "execution": {}}',
        '{"execution": {"tool_calls": null}}',
        "[" * 100_000,
    ],
)
def test_a_broken_file_is_a_warning(
    broken: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "m" / "trajectory_1.json", broken)
    write(tmp_path / "m" / "trajectory_2.json", trajectory(a_call()))
    (tmp_path / "m" / "trajectory_3.json").mkdir()
    calls, runs = load_trajectory_data(tmp_path)
    assert (len(calls), len(runs)) == (1, 1)
    first, second = (record.getMessage() for record in caplog.records)
    assert str(tmp_path / "m" / "trajectory_1.json") in first
    assert str(tmp_path / "m" / "trajectory_3.json") in second


def test_models_are_filtered_whatever_their_case(tmp_path: Path) -> None:
    for model in ("b", "A"):
        write(tmp_path / model / "trajectory_1.json", trajectory(a_call()))
    assert [run["model"] for run in load_trajectory_data(tmp_path)[1]] == ["A", "b"]
    assert [run["model"] for run in load_trajectory_data(tmp_path, "a")[1]] == ["A"]
    assert load_trajectory_data(tmp_path / "none") == ([], [])


def test_summaries(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "_summary.json", {"left": "out"})
    write(tmp_path / "m" / "m_by_x_by_j" / "_summary.json", {"total": 1})
    write(tmp_path / "m" / "m_by_j" / "pass@2" / "_summary.json", {"total": 2})
    write(tmp_path / "m" / "other" / "_summary.json", {"total": 3})
    write(tmp_path / "m" / "m_by_j" / "pass@x" / "_summary.json", {})
    write(tmp_path / "m" / "m_by_k" / "_summary.json", "{")
    found = load_summary_files(tmp_path)
    keys = ("model", "judge", "pass_number", "is_overall", "data")
    assert [tuple(summary[key] for key in keys) for summary in found] == [
        ("m", "j", 2, False, {"total": 2}),
        ("m", "j", None, True, {"total": 1}),
        ("m", "", None, True, {"total": 3}),
    ]
    assert found[0]["filepath"] == str(tmp_path / "m" / "m_by_j" / "pass@2" / "_summary.json")
    assert len(caplog.records) == 2


def test_evaluations(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "eval_0.json", {"left": "out"})
    write(tmp_path / "m" / "m_by_j" / "pass@2" / "eval_1.json", {"uuid": "u", "score": 1})
    write(tmp_path / "m" / "m_by_k" / "eval_2.json", {})
    write(tmp_path / "n" / "n_by_j" / "eval_3.json", [])
    found = load_individual_evals(tmp_path)
    assert found[0] == {
        "model": "m",
        "judge": "j",
        "pass_number": 2,
        "uuid": "u",
        "filepath": str(tmp_path / "m" / "m_by_j" / "pass@2" / "eval_1.json"),
        "data": {"uuid": "u", "score": 1},
    }
    assert [(found["judge"], found["pass_number"], found["uuid"]) for found in found[1:]] == [
        ("k", 1, None)
    ]
    assert len(caplog.records) == 1
    assert len(load_individual_evals(tmp_path, model="m", judge="k")) == 1
    assert load_individual_evals(tmp_path, model="M") == []
    assert load_individual_evals(tmp_path, judge="J") == []


@pytest.fixture(scope="module")
def ds200(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked_ds200(tmp_path_factory)


def test_the_reference_dataset(
    ds200: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    oracle = json.loads(shared_path("oracle", "toolgym", "oracle.json").read_bytes())["loaders"]
    monkeypatch.chdir(ds200)
    calls, runs = load_trajectory_data("trajectories")
    assert (len(calls), len(runs)) == (oracle["tool_calls"], oracle["trajectories"])
    assert (len(calls), len(runs)) == (1760, 200)
    assert len(caplog.records) == len(oracle["warnings"]) == 1
    assert calls[0] == oracle["first_tool_call_record"]
    assert next(call for call in calls if call["is_error"]) == oracle["first_error_record"]
    digest = hashlib.sha256(json.dumps(calls, sort_keys=True).encode()).hexdigest()
    assert digest == oracle["sha256_tool_call_records"]
    gemini = load_trajectory_data("trajectories", "GEMINI-3PRO")
    assert [len(part) for part in gemini] == oracle["model_filter_GEMINI-3PRO"]
    summaries = load_summary_files("evaluation")
    evaluations = load_individual_evals("evaluation")
    assert (len(summaries), len(evaluations)) == (oracle["summaries"], oracle["evals"])
    assert sorted({found["judge"] for found in evaluations}) == oracle["judges"]
    assert len(load_individual_evals("evaluation", "gemini-3pro")) == 0


def test_one_odd_value_never_costs_the_rest(ds200: Path) -> None:
    crash = ds200 / "variants" / "crash"
    loaded = {
        case.name: len(load_trajectory_data(case / "trajectories")[1])
        for case in crash.iterdir()
        if any(case.rglob("trajectory_*.json"))
    }
    assert loaded == {
        "null_duration": 1,
        "null_execution": 0,
        "null_query_uuid": 1,
        "null_server": 1,
        "null_tool_calls": 0,
        "null_tool_error": 1,
        "string_duration": 1,
    }
