"""ToolGym's trajectories in all their variants."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path
from tests.ingest.reading import problems, read_one, recording, unpacked_ds200

from assay.ingest.documents import Unreadable
from assay.ingest.reading import Glimpse, RunReader, read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.toolgym import TOOLGYM, Place, read_place
from assay.run import RunOutcome
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path


def a_call(tool: str, result: Any = "fine", **changed: Any) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "thought": None,
        "server": "s",
        "tool": tool,
        "arguments": {"q": tool},
        "dynamically_loaded": False,
        "duration_seconds": 1.5,
        "result_preview": "pre",
        "result": result,
        "status": "success",
        **changed,
    }


def a_step(tool: str, result: str = "fine", thought: str = "hm") -> list[dict[str, str]]:
    return [
        {"type": "Step 1", "content": ""},
        {"type": "thought", "content": thought},
        {"type": "action", "content": f"Using tool `{tool}` in server `s`"},
        {"type": "action input", "content": str({"q": tool})},
        {"type": "result", "content": result},
    ]


def react(calls: Any, trace: Any = (), **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "timestamp": "1970-01-01T00:01:00",
            "query": "A brief, please.",
            "model": "google/gemini",
            "max_iterations": 20,
            "pass_number": 2,
            "query_uuid": "u-1",
            **metadata,
        },
        "reasoning_trace": [item for step in trace for item in step],
        "execution": {"final_response": "Here.", "tool_calls": calls},
        "servers": {"initially_loaded": ["meta-mcp"]},
    }


def test_a_react_run() -> None:
    calls = [a_call("find"), a_call("get", dynamically_loaded=True)]
    value = react(calls, [a_step("find"), a_step("get", thought="got it")])
    made_up = recording(value, "trajectories/iter20/gemini/pass@1/trajectory_u.json")
    run = read_one(TOOLGYM, made_up)
    find, get = run.calls
    assert (run.input, run.actual_output) == ("A brief, please.", "Here.")
    assert (run.model, run.task_id, run.attempt) == ("google/gemini", "u-1", 2)
    assert (run.framework, run.ended_at, run.outcome) == ("toolgym", 60.0, None)
    assert (find.server, find.parameters, find.result) == ("s", {"q": "find"}, "fine")
    assert (find.execution_time, find.turn, get.turn) == (1.5, 1, 2)
    # "success" stands beside failures too and says nothing.
    assert (find.reported_success, find.success) == (None, True)
    assert (find.extra, get.extra) == ({}, {"dynamically_loaded": True})
    assert run.extra == {
        "max_iterations": 20,
        "experiment": "react",
        "folder_model": "gemini",
        "servers": {"initially_loaded": ["meta-mcp"]},
    }
    assert run.conversation_history == [
        {"role": "user", "content": "A brief, please."},
        {"role": "assistant", "content": "", "turn": 1, "reasoning": "hm"},
        {"role": "assistant", "content": "", "turn": 2, "reasoning": "got it"},
        {"role": "assistant", "content": "Here."},
    ]
    assert TOOLGYM.recognise(made_up) == 1.0


def _glimpsed(format_name: str, path: Path) -> Glimpse | None:
    ahead = RunReader(format_name).look_ahead(str(path))
    return None if ahead is None else ahead()


def test_a_file_written_as_usual_needs_but_a_glimpse(tmp_path: Path) -> None:
    value = react([a_call("find")], [a_step("find")])
    judged = {"uuid": "u-1", "final_answer_evaluation": {}, "step_by_step_evaluation": {}}
    files = {
        "trajectory_usual.json": json.dumps(value, indent=2),
        "eval_u.json": json.dumps(judged),
        "trajectory_one_line.json": json.dumps(value),
        "trajectory_odd.json": json.dumps(react(["no call"]), indent=2),
        "trajectory_broken.json": json.dumps(value, indent=2)[:-5],
        "trajectory_long.json": json.dumps(react([a_call("find", "x" * 300_000)]), indent=2),
        "trajectory_none.json": "",
        "elsewhere.json": json.dumps(value, indent=2),
    }
    seen = {}
    for name, text in files.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        found = _glimpsed("toolgym", path)
        seen[name] = found is not None
        read = list(RunReader("toolgym").file(str(path), named=True, judge=lambda _: None))
        assert found is None or ([found.item], found.size) == (read, path.stat().st_size)
        assert read
    assert seen == {name: name in {"trajectory_usual.json", "eval_u.json"} for name in files}
    assert _glimpsed("toolgym", tmp_path / "trajectory_gone.json") is None
    assert _glimpsed("toolgym", tmp_path) is None
    assert _glimpsed("openai-chat", tmp_path / "trajectory_usual.json") is None


@pytest.mark.parametrize(
    "result",
    [
        "meta=None content=[TextContent(type='text', text='x', annotations=None)] isError=True",
        "content=[TextContent(text='x', meta=None)] structuredContent=None isError=False",
        "meta=None content=[] is_error=True",
        "bare text",
    ],
)
def test_every_encoding_of_a_result_is_kept_as_it_stands(result: str) -> None:
    (call,) = read_one(TOOLGYM, recording(react([a_call("t", result)]))).calls
    assert (call.result, call.reported_success) == (result, None)


def test_a_missing_result_is_told_by_the_trace_or_the_preview() -> None:
    without = a_call("t", None)
    del without["result"]
    told = read_one(TOOLGYM, recording(react([without], [a_step("t", "from the trace")])))
    shown = read_one(TOOLGYM, recording(react([without])))
    assert told.calls[0].result == "from the trace"
    assert shown.calls[0].result == "pre"


@pytest.mark.parametrize(
    ("status", "key"), [("error", "error"), ("server_load_failed", "load_error")]
)
def test_other_states_are_failures(status: str, key: str) -> None:
    (call,) = read_one(
        TOOLGYM, recording(react([a_call("t", None, status=status, **{key: "why"})]))
    ).calls
    assert (call.reported_success, call.success, call.error_message) == (False, False, "why")


def test_calls_that_only_the_trace_tells_of() -> None:
    gone = "Error: Tool temporarily unavailable (503 Service Unavailable)"
    stats = {"strategy": "first_non_search", "interception_count": 1}
    value = react(
        [a_call("find"), a_call("get")],
        [a_step("find"), a_step("get", gone), a_step("get")],
        emergency_test=True,
        interception_stats=stats,
    )
    run = read_one(TOOLGYM, recording(value, "Emergency_test/gpt/pass@1/random_20/t.json"))
    assert [(call.tool, call.result, call.turn) for call in run.calls] == [
        ("find", "fine", 1),
        ("get", gone, 2),
        ("get", "fine", 3),
    ]
    lost = run.calls[1]
    assert (lost.parameters, lost.server) == ({"q": "get"}, "s")
    assert [call.extra for call in run.calls] == [{}, {"only_in_trace": True}, {}]
    assert (run.extra["experiment"], run.extra["interception"]) == ("emergency", stats)
    assert run.extra["folder_model"] == "gpt"


def test_a_trace_that_fits_no_call_adds_nothing() -> None:
    value = react([a_call("other")], [a_step("x"), a_step("y")])
    assert [call.tool for call in read_one(TOOLGYM, recording(value)).calls] == ["other"]


def test_results_that_differ_in_form_still_find_their_step() -> None:
    value = react([a_call("get", "something else")], [a_step("find"), a_step("get", "short text")])
    run = read_one(TOOLGYM, recording(value))
    assert [(call.tool, call.result) for call in run.calls] == [
        ("find", "fine"),
        ("get", "something else"),
    ]


def test_budget_runs_are_told_by_their_folder() -> None:
    name = "Budget_test/anthropic-claude/budget_3/pass@4/trajectory_u.json"
    run = read_one(TOOLGYM, recording(react([], pass_number=None), name))
    assert (run.extra["experiment"], run.extra["budget"]) == ("budget", "budget_3")
    assert (run.extra["folder_model"], run.attempt) == ("anthropic-claude", 4)


def test_odd_values_cost_nothing_else() -> None:
    calls = [
        "<dropped>",
        a_call("t", duration_seconds="2", server=None),
        {**a_call("x", duration_seconds=None), "tool": None},
    ]
    run = read_one(TOOLGYM, recording(react(calls, query_uuid=None)))
    assert [(call.tool, call.server, call.execution_time) for call in run.calls] == [
        ("t", None, None),
        ("", "s", None),
    ]
    assert (run.task_id, run.extra["not_calls"]) == (None, ["<dropped>"])
    empty = read_one(TOOLGYM, recording({"metadata": {}, "execution": None}))
    assert (empty.calls, empty.input, empty.model) == ([], "", None)


_ODD_CALL = {**a_call("x", None, duration_seconds="2"), "tool": None, "arguments": "{}"}


@pytest.mark.parametrize(
    "value",
    [
        react([a_call("find"), a_call("get", status="error", error="why")], [a_step("find")] * 2),
        react([a_call("get")], [a_step("find", "gone"), a_step("get")]),
        react([_ODD_CALL, a_call("é")], [a_step("x", "from the trace"), a_step("é")]),
        react(None, [[{"type": "error", "content": "parse error"}, {"type": 1, "content": None}]]),
        react([], query=7, pass_number=None, interception_stats={"n": 1}),
        react(["<dropped>", a_call("t")]),
        {**react([a_call("t")]), "reasoning_trace": ["no step", *a_step("t")]},
        {**react([a_call("t")]), "emergency_interception": {"count": 1}, "turns": None},
        {**react([a_call("t")]), "turns": [{"query": "And?", "tool_calls": [a_call("u")]}]},
        {**react([]), "execution": None},
        {**react([]), "servers": [1, "s"]},
    ],
)
def test_a_file_laid_out_as_toolgym_does_is_read_like_any_other(value: dict[str, Any]) -> None:
    laid_out = json.dumps(value, indent=2, ensure_ascii=False).encode()
    quick, patient = (
        recording(laid_out, f"g/pass@1/{name}.json") for name in ("trajectory_u", "u")
    )
    assert TOOLGYM.recognise(quick) == TOOLGYM.recognise(patient)
    found, wanted = read_one(TOOLGYM, quick), read_one(TOOLGYM, patient)
    assert found.source is not None
    found.source.path = patient.name
    assert found == wanted


@pytest.mark.parametrize(
    "broken",
    [
        json.dumps(react([a_call("t")]), indent=2).encode()[:-9],
        json.dumps(react([a_call("t", thought="~")]), indent=2).encode().replace(b"~", b"\xff"),
        json.dumps(react([a_call("t", thought="~")]), indent=2).encode().replace(b"~", b"\n"),
        json.dumps(react([a_call("t", thought=0)]), indent=2).encode().replace(b": 0", b": 01"),
    ],
)
def test_what_is_broken_is_refused_wherever_it_is_broken(broken: bytes) -> None:
    quick, patient = (recording(broken, f"{name}.json") for name in ("trajectory_u", "u"))
    TOOLGYM.recognise(quick)
    told = [problem.removeprefix("trajectory_") for problem in problems(TOOLGYM, quick)]
    assert told
    assert told == problems(TOOLGYM, patient)


@pytest.mark.parametrize("value", [react([], note="\ud800"), react([a_call("t\ud800")])])
def test_half_a_character_is_mended_wherever_it_stands(value: Any, tmp_path: Path) -> None:
    for name in ("trajectory_u", "u"):
        (tmp_path / f"{name}.json").write_text(json.dumps(value, indent=2))
    told = [str(i).partition("json")[2] for i in read_runs(tmp_path) if isinstance(i, Unreadable)]
    assert len(told) == 2
    assert told[0] == told[1]
    assert told[0].startswith(": mended: not JSON:")


def test_errors_of_the_agent_are_kept() -> None:
    trace = [{"type": "raw_response", "content": "{"}, {"type": "error", "content": "parse error"}]
    run = read_one(TOOLGYM, recording(react([], [trace])))
    assert run.extra["errors"] == ["parse error"]


def test_a_goal_oriented_run() -> None:
    calls = [{"server": "s", "tool": "find", "arguments": {"q": "find"}, "status": "success"}]
    value = {
        "metadata": {
            "conversation_id": "goal_1",
            "uuid": "u-2",
            "seed_query": "Plan a trip.",
            "goal_completion_rate": 0.8,
            "goal_achieved": False,
            "timeout_occurred": True,
            "timestamp": "1970-01-01T00:02:00",
            "agent_model": "openai/gpt",
            "user_model": "openai/gpt",
        },
        "turns": [
            {
                "turn_number": 1,
                "query": "Plan a trip.",
                "agent_response": "Where to?",
                "tool_calls": calls,
                "reasoning_trace": a_step("find", "3 places"),
                "goal_progress": 0.4,
            },
            {"turn_number": 2, "query": "Oslo.", "agent_response": "Done.", "tool_calls": calls},
        ],
        "summary": {"final_decision": "TERMINATE"},
    }
    made_up = recording(value, "trajectories/goaloriented/gpt/pass@2/trajectory_u.json")
    run = read_one(TOOLGYM, made_up)
    assert (run.input, run.actual_output, run.task_id) == ("Plan a trip.", "Done.", "u-2")
    assert (run.model, run.attempt, run.session_id) == ("openai/gpt", 2, "goal_1")
    assert [(call.result, call.turn) for call in run.calls] == [("3 places", 1), (None, 2)]
    assert run.outcome == RunOutcome(
        success=False, score=0.8, decided_by="ToolGym's simulated user", reason="timeout"
    )
    assert run.extra["experiment"] == "goal-oriented"
    assert run.extra["turns"] == [{"turn_number": 1, "goal_progress": 0.4}, {"turn_number": 2}]
    assert run.extra["summary"] == {"final_decision": "TERMINATE"}
    assert TOOLGYM.recognise(made_up) == 1.0


def test_a_multi_turn_run() -> None:
    value = {
        "conversation_id": "c-1",
        "seed_query": "Hi",
        "agent_model": "m",
        "timestamp": "1970-01-01T00:02:00",
        "final_satisfaction": 0.9,
        "turns": [
            {
                "turn_number": 1,
                "query": "Hi",
                "agent_response": "Ho",
                "tool_calls": [{"server": "s", "tool": "t", "arguments": {}}],
                "tool_results": [{"step": 1, "result": "listed apart"}],
            }
        ],
    }
    made_up = recording(value, "trajectories/multiturn/multiturn_001_x.json")
    run = read_one(TOOLGYM, made_up)
    assert (run.task_id, run.model, run.actual_output) == ("c-1", "m", "Ho")
    assert [call.result for call in run.calls] == ["listed apart"]
    assert (run.extra["experiment"], run.extra["final_satisfaction"]) == ("multi-turn", 0.9)
    assert (run.outcome, run.attempt) == (None, None)
    assert TOOLGYM.recognise(made_up) == 1.0


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("trajectories/claude-3.5/pass@2/t.json", Place("claude-3.5", 2)),
        ("trajectories/iter20/claude-3.5/pass@2/t.json", Place("claude-3.5", 2)),
        ("trajectories/iter20/pass@2/t.json", Place(None, 2)),
        ("out/pass@1/t.json", Place(None, 1)),
        ("pass@1/t.json", Place(None, 1)),
        ("trajectories/verification/t.json", Place()),
        ("x/Emergency_test/gpt/pass@1/random_20/t.json", Place("gpt", 1)),
        ("x/Budget_test/openai-gpt/baseline/pass@3/t.json", Place("openai-gpt", 3, "baseline")),
        ("x/Budget_test/openai-gpt/pass@3/t.json", Place("openai-gpt", 3)),
        ("x/goaloriented/gpt/pass@1/t.json", Place("gpt", 1)),
        ("goaloriented/t.json", Place()),
        ("t.json", Place()),
    ],
)
def test_a_model_is_taken_from_a_folder_only_where_the_layout_is_sure(
    name: str, place: Place
) -> None:
    assert read_place(name) == place


def test_strangers() -> None:
    assert problems(TOOLGYM, recording({"metadata": {}})) == [
        "log.json: expected a ToolGym trajectory, got dict {'metadata': {}}"
    ]
    assert TOOLGYM.recognise(recording({"metadata": {}, "turns": []})) == 0.4
    assert TOOLGYM.recognise(recording({"metadata": {}})) == 0.0
    assert TOOLGYM.recognise(recording({"uuid": "u", "final_answer_evaluation": {}})) == 0.0


@pytest.fixture(scope="module")
def ds200(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked_ds200(tmp_path_factory)


def runs_below(folder: Path) -> tuple[list[AgentTestCase], list[Unreadable]]:
    paths = sorted(folder.rglob("trajectory_*.json"))
    found = [item for path in paths for item in TOOLGYM.read(Recording(FilePlace(path)))]
    return (
        [item for item in found if isinstance(item, AgentTestCase)],
        [item for item in found if isinstance(item, Unreadable)],
    )


def test_the_reference_dataset(ds200: Path) -> None:
    oracle = json.loads(shared_path("oracle", "toolgym", "oracle.json").read_bytes())
    runs, unreadable = runs_below(ds200 / "trajectories")
    calls = [call for run in runs for call in run.calls]
    assert (len(runs), len(unreadable)) == (oracle["loaders"]["trajectories"], 1)
    assert len(calls) == oracle["loaders"]["tool_calls"] == 1760
    assert not any("only_in_trace" in call.extra for call in calls)
    by_folder = Counter(run.extra["folder_model"] for run in runs for _ in run.calls)
    by_model = {model: total for model, total, *_ in oracle["tool_stats"][BY_MODEL]}
    assert by_folder == by_model
    by_server = Counter(call.server or "unknown" for call in calls)
    assert by_server == {server: total for server, total, *_ in oracle["tool_stats"][BY_SERVER]}
    times = [call.execution_time for call in calls if call.execution_time]
    durations = oracle["tool_stats"]["durations_gt0"]
    assert (len(times), max(times)) == (durations["n"], durations["max"])
    dynamic = sum("dynamically_loaded" in call.extra for call in calls)
    assert dynamic == oracle["tool_stats"]["dynamic"]["dynamic"]
    assert {run.attempt for run in runs} == set(oracle["loaders"]["pass_numbers"])
    assert len({run.run_id for run in runs}) == 200


BY_MODEL = "by_model[model,total,success,rate]"
BY_SERVER = "by_server[server,total,success,rate,distinct_tools]"


@pytest.mark.parametrize(
    ("variant", "experiment", "runs", "calls"),
    [
        ("emergency", "emergency", 90, 591),
        ("budget", "budget", 120, 727),
        ("goal", "goal-oriented", 60, 743),
    ],
)
def test_the_variants(ds200: Path, variant: str, experiment: str, runs: int, calls: int) -> None:
    found, unreadable = runs_below(ds200 / "variants" / variant / "trajectories")
    assert unreadable == []
    assert {run.extra["experiment"] for run in found} == {experiment}
    assert (len(found), sum(len(run.calls) for run in found)) == (runs, calls)
    # Router ids, never the names of trees or levels.
    assert all(run.model and "/" in run.model for run in found)
    assert len({run.run_id for run in found}) == runs


def test_every_intercepted_call_is_found_in_the_trace(ds200: Path) -> None:
    runs, _ = runs_below(ds200 / "variants" / "emergency" / "trajectories")
    for run in runs:
        log = run.extra["interception"]["interception_log"]
        lost = [call for call in run.calls if "only_in_trace" in call.extra]
        assert [call.tool for call in lost] == [entry["tool_name"] for entry in log]
        assert [call.turn for call in lost] == [entry["tool_call_count"] for entry in log]
        assert {call.result for call in lost} <= {entry["error_message"] for entry in log}
