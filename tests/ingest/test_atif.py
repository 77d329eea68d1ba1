"""ATIF: results find their calls, copied steps count once, sub-agents are nested."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.ingest.atif import ATIF
from assay.ingest.reading import read_recording
from assay.ingest.recording import FilePlace, Recording
from assay.render.atif_document import atif_document
from assay.run import RunOutcome, Source, Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s1",
        "agent": {"name": "terminus-2", "version": "2.0", "model_name": "gpt-x"},
        "steps": list(steps),
        **more,
    }


def step(source: str, message: Any = "", *calls: str, **more: Any) -> dict[str, Any]:
    made = [{"tool_call_id": c, "function_name": f"tool_{c}", "arguments": {"n": c}} for c in calls]
    return {"source": source, "message": message, "tool_calls": made, **more}


def observed(*results: dict[str, Any]) -> dict[str, Any]:
    return {"observation": {"results": list(results)}}


def run_of(*steps: dict[str, Any], **more: Any) -> Any:
    return read_one(ATIF, recording(trajectory(*steps, **more)))


@pytest.mark.parametrize("version", ["ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.8"])
def test_every_version_is_recognised(version: str) -> None:
    made_up = recording(trajectory(step("user", "Hi"), schema_version=version))
    assert ATIF.recognise(made_up) == 1.0
    assert read_one(ATIF, made_up).extra["atif_version"] == version


def test_results_in_a_step_of_their_own_and_messages_as_the_model_had_them() -> None:
    asked = {"role": "user", "content": "Compare"}
    sent = {"role": "assistant", "content": None, "reasoning": "two looks"}
    seen = [{"source_call_id": "b", "content": "B"}, {"source_call_id": "a", "content": "A"}]
    case = run_of(
        step("user", [asked]),
        step("agent", sent, "a", "b", model_name="other"),
        step("system", None, **observed(*seen, {"source_call_id": "z", "content": "Z"})),
        step("user", [asked, sent, {"role": "tool", "content": "A"}]),
        step("agent", "Alike.", model_name="other"),
    )
    assert (case.input, case.actual_output, case.model) == ("Compare", "Alike.", "other")
    assert [(call.call_id, call.result) for call in case.calls] == [("a", "A"), ("b", "B")]
    told = [(turn["role"], turn["content"]) for turn in case.conversation_history]
    assert told == [("user", "Compare"), ("assistant", ""), ("tool", "Z"), ("assistant", "Alike.")]
    assert case.conversation_history[1]["reasoning"] == "two looks"


@pytest.mark.parametrize(
    ("named", "told"),
    [(None, "openai/gpt-x"), ("gpt-x", "openai/gpt-x"), ("x", "x"), ("mini/gpt-x", "mini/gpt-x")],
)
def test_a_step_may_name_its_model_without_the_provider(named: str | None, told: str) -> None:
    agent = {"name": "terminus-2", "model_name": "openai/gpt-x"}
    case = run_of(step("agent", "Done.", model_name=named), agent=agent)
    assert case.model == told


def test_a_trajectory() -> None:
    tools = [{"type": "function", "function": {"name": "tool_a"}}]
    case = run_of(
        step("system", "Be"),
        step("user", [{"type": "text", "text": "Compare"}, {"type": "image"}]),
        step(
            "agent",
            "Looking.",
            "a",
            "b",
            timestamp="2026-01-01T00:00:01Z",
            reasoning_content="both at once",
            metrics={"prompt_tokens": 9, "completion_tokens": 1, "cost_usd": 0.1},
            **observed(
                {"source_call_id": "b", "content": "B"},
                {"source_call_id": "a", "content": "A"},
            ),
        ),
        step("agent", "Equal.", metrics={"prompt_tokens": 11, "cached_tokens": 4}),
        agent={"name": "terminus-2", "model_name": "gpt-x", "tool_definitions": tools},
    )
    assert (case.input, case.actual_output) == ("Compare\n[image]", "Equal.")
    first, second = case.calls
    assert (first.tool, first.parameters, first.result) == ("tool_a", {"n": "a"}, "A")
    assert (second.result, second.turn, first.turn) == ("B", 1, 1)
    assert (first.started_at, first.reported_success) == (1767225601.0, None)
    assert (case.model, case.framework, case.available_tools) == ("gpt-x", "terminus-2", tools)
    assert case.usage == Usage(input_tokens=20, output_tokens=1, cache_read_tokens=4, cost_usd=0.1)
    assert case.conversation_history[2]["reasoning"] == "both at once"


def test_the_sums_at_the_end_are_believed() -> None:
    sums = {"total_prompt_tokens": 5, "total_completion_tokens": 6, "total_cost_usd": 0.7}
    case = run_of(step("agent", "x", metrics={"prompt_tokens": 1}), final_metrics=sums)
    assert case.usage == Usage(input_tokens=5, output_tokens=6, cost_usd=0.7)


def test_results_without_an_id_pair_in_order_or_with_the_last_call() -> None:
    in_order = run_of(step("agent", "", "a", "b", **observed({"content": "1"}, {"content": "2"})))
    assert [call.result for call in in_order.calls] == ["1", "2"]
    one_screen = run_of(step("agent", "", "a", "b", **observed({"content": "screen"})))
    assert [call.result for call in one_screen.calls] == [None, "screen"]


def test_what_assay_wrote_is_read_back() -> None:
    flagged = {"source_call_id": "a", "content": "404"}
    flagged["extra"] = {"is_error": True, "server": "web", "duration_s": 1.5}  # type: ignore[assignment]
    call = run_of(step("agent", "", "a", **observed(flagged))).calls[0]
    assert (call.reported_success, call.error_message) == (False, "404")
    assert (call.server, call.execution_time) == ("web", 1.5)


def test_what_assay_says_of_a_run_is_read_back() -> None:
    outcome = RunOutcome(success=False, score=0.25, decided_by="the file's 'reward'", reason="x")
    written = AgentTestCase("q", "a", task_id="lamp", attempt=3, run_id="r", outcome=outcome)
    back = read_one(ATIF, recording(atif_document(written, "key")))
    assert (back.task_id, back.attempt, back.outcome) == ("lamp", 3, outcome)
    silent = read_one(ATIF, recording(atif_document(AgentTestCase("q", "a"), "key")))
    assert (silent.task_id, silent.attempt, silent.outcome) == (None, None, None)


def whole_run() -> AgentTestCase:
    """A run with much that ATIF has no field for, and no framework or session."""
    calls = [
        ToolExecutionResult("f", "no object", "text", success=True, call_id="a", turn=1),
        ToolExecutionResult("f", None, {"b": [1, 2.5], "a": None}, success=True, call_id="a"),
        ToolExecutionResult("g", {}, None, error_message="late", execution_time=0.1, turn=2),
        ToolExecutionResult("g", {"x": 1}, call_id="p", parent_id="a", success_rule="guessed"),
        ToolExecutionResult("g", {}, '{"n": 1}', call_id="q", started_at=1.1234567, server="s"),
    ]
    calls[1].extra = {"rule": "theirs", "arguments": None}
    return AgentTestCase(
        "q",
        "",
        execution_data=MCPExecutionData(calls, 7, planning_json_compliance=None),
        conversation_history=[{"role": "critic", "content": "Hm"}],
        available_tools={"s": [{"name": "g"}]},
        agent_id="agent-7",
        started_at=1767225601.1234567,
        ended_at=1767225609.7654321,
        usage=Usage(reasoning_tokens=3),
        source=Source("log.jsonl", "codex-cli", 4),
        extra={"session": "theirs", "nothing": None},
    )


def test_what_assay_exported_comes_back_as_it_was() -> None:
    silent = AgentTestCase("", None)
    no_tools = AgentTestCase("q", "a", available_tools=[], source=Source("f"), run_id="r")
    for case in (whole_run(), no_tools):
        back = read_one(ATIF, recording(json.loads(json.dumps(atif_document(case, "key")))))
        assert back.to_json() == case.to_json()
    back = read_one(ATIF, recording(atif_document(silent, "key")))
    assert back.source == Source("log.json", "atif")
    assert (back.session_id, back.framework, back.execution_data) == (None, None, None)


@pytest.mark.parametrize("change", ["a step more", "a result less", "no call's name", "odd json"])
def test_an_export_that_somebody_changed_is_read_as_anybodys(change: str) -> None:
    written = atif_document(whole_run(), "key")
    first, second = written["steps"][1:3]
    if change == "a step more":
        written["steps"].append({"source": "agent", "message": "More."})
    elif change == "a result less":
        first["observation"]["results"].clear()
    elif change == "no call's name":
        del first["tool_calls"][0]["function_name"]
    else:
        second["observation"]["results"][0]["content"] = "{"
    back = read_one(ATIF, recording(written))
    assert (back.input, len(back.calls), back.source) == ("q", 5, Source("log.json", "atif"))


@pytest.mark.parametrize("content", ["[" * 100_000, "1e999", "9" * 5_000, '"\\ud800"', 5])
def test_what_claims_to_be_json_in_an_export_and_is_none_is_a_text(content: Any) -> None:
    written = atif_document(whole_run(), "key")
    written["steps"][2]["observation"]["results"][0]["content"] = content
    back = read_one(ATIF, recording(written))
    assert back.source == Source("log.json", "atif")
    assert back.calls[1].result == content


@pytest.mark.parametrize("where", ["before the answer", "at the end", "in a call's step"])
def test_an_export_that_somebody_went_on_with_loses_no_words(where: str) -> None:
    """Also where they counted their steps."""
    written = atif_document(whole_run(), "key")
    steps = written["steps"]
    if where == "in a call's step":
        steps[1]["message"] = "More?"
    else:
        at = len(steps) - (where == "before the answer")
        steps.insert(at, {"source": "user", "message": "More?"})
    written["final_metrics"]["total_steps"] = len(steps)
    back = read_one(ATIF, recording(written))
    assert back.source == Source("log.json", "atif")
    assert "More?" in [turn["content"] for turn in back.conversation_history or []]


def test_an_export_says_nothing_against_its_own_steps() -> None:
    written = atif_document(whole_run(), "key")
    hidden = {"tool": "x", "result": "x", "success": True, "success_rule": "x"}
    failed = written["steps"][3]["tool_calls"][0]
    failed["extra"] = {**failed["extra"], **hidden}
    written["extra"] |= {"input": "x"}
    back = read_one(ATIF, recording(written))
    assert back.to_json() == whole_run().to_json()
    del written["extra"]["execution_data"]
    assert len(read_one(ATIF, recording(written)).calls) == 5


def test_what_a_later_assay_exported_is_told() -> None:
    written = atif_document(whole_run(), "key")
    written["extra"]["schema_version"] = 99
    [told] = problems(ATIF, recording(written))
    assert "99 was written by a later assay" in told


def test_calls_come_back_apart_whatever_ids_the_recording_has() -> None:
    """The second has none, and the first the one that ours would be; the last repeats both."""
    ids = ["call-2", None, "call-2", "call-3"]
    calls = [
        ToolExecutionResult("f", {}, str(i), success=True, call_id=name, turn=1)
        for i, name in enumerate(ids)
    ]
    case = AgentTestCase("q", "a", execution_data=MCPExecutionData(calls))
    written = atif_document(case, "key")
    names = [call["tool_call_id"] for call in written["steps"][1]["tool_calls"]]
    assert names == ["call-2", "call-2+", "call-3+", "call-3"]
    back = read_one(ATIF, recording(written))
    assert [(call.call_id, call.result) for call in back.calls] == [
        (name, str(i)) for i, name in enumerate(ids)
    ]


def test_only_what_others_wrote_is_judged() -> None:
    """In one file, whatever stands beside it."""
    other = trajectory(step("agent", "", "a"))
    mixed = recording([atif_document(whole_run(), "key"), other, atif_document(whole_run(), "k")])
    own, theirs, last = read_recording(mixed, ATIF)
    assert isinstance(own, AgentTestCase)
    assert isinstance(theirs, AgentTestCase)
    assert isinstance(last, AgentTestCase)
    assert own.to_json() == last.to_json() == whole_run().to_json()
    assert theirs.calls[0].success_rule == "no_result"


def test_calls_of_a_meta_tool_are_read_back_once() -> None:
    entries = [{"recipient_name": f"functions.{name}", "parameters": {}} for name in "ab"]
    outer = {"tool_call_id": "c", "function_name": "batch", "arguments": {"tool_uses": entries}}
    written = run_of({"source": "agent", "message": "", "tool_calls": [outer]})
    exported = atif_document(written, "key")
    back = read_one(ATIF, recording(exported))
    unmarked = read_one(ATIF, recording({**exported, "extra": {}}))
    for case in (written, back, unmarked):
        told = [(call.call_id, call.parent_id) for call in case.calls]
        assert told == [("c", None), ("c/1", "c"), ("c/2", "c")]


@pytest.mark.parametrize("odd", ["good", 1, ["success"], {"state": "done"}, {"success": "so so"}])
def test_what_others_call_an_outcome_is_none(odd: Any) -> None:
    case = run_of(step("user", "Hi"), extra={"outcome": odd, "attempt": "first"})
    assert (case.outcome, case.attempt) == (None, None)
    assert case.extra["atif_extra"]["outcome"] == odd


def test_copied_steps_are_said_but_not_done_again() -> None:
    case = run_of(
        step("user", "Do it", is_copied_context=True),
        step(
            "agent",
            "Doing.",
            "a",
            is_copied_context=True,
            metrics={"prompt_tokens": 99},
            **observed({"content": "x"}),
        ),
        step("agent", "Going on.", "b", metrics={"prompt_tokens": 1}),
        continued_trajectory_ref="next.json",
    )
    assert [call.call_id for call in case.calls] == ["b"]
    assert (case.input, case.usage) == ("Do it", Usage(input_tokens=1))
    assert [turn["role"] for turn in case.conversation_history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (case.extra["copied_steps"], case.extra["copied_calls"]) == (2, 1)
    assert case.extra["continued_in"] == "next.json"


def test_calls_of_sub_agents_name_the_call_that_started_them() -> None:
    ref = [{"trajectory_id": "child", "session_id": "s1"}]
    child = trajectory(
        step("user", "copied", is_copied_context=True),
        step("agent", "", "c", **observed({"source_call_id": "c", "content": "C"})),
        trajectory_id="child",
        subagent_trajectories=[trajectory(step("agent", "", "d"), trajectory_id="lost")],
    )
    case = run_of(
        step(
            "agent",
            "",
            "a",
            **observed({"source_call_id": "a", "content": "ok", "subagent_trajectory_ref": ref}),
        ),
        subagent_trajectories=[child],
    )
    assert [(call.call_id, call.parent_id, call.turn) for call in case.calls] == [
        ("a", None, 1),
        ("c", "a", None),
        ("d", "a", None),
    ]
    assert case.calls[1].result == "C"


def test_a_sub_agent_that_no_call_started_is_nested_all_the_same() -> None:
    lost = trajectory(step("agent", "", "d"), trajectory_id="lost", session_id="own")
    case = run_of(step("agent", "x"), subagent_trajectories=[lost])
    assert case.calls[0].parent_id == "lost"


def test_the_words_that_end_a_run_through_a_tool_are_its_answer() -> None:
    assert run_of(step("agent", "All done.", "finish")).actual_output == "All done."
    answered = step("agent", "Waiting.", "a", **observed({"content": "timeout"}))
    assert run_of(answered).actual_output is None


def test_an_unknown_source_is_kept_under_its_name() -> None:
    case = run_of(step("critic", "Hm"), step("<redacted>", "", "a"))
    assert case.conversation_history[0] == {"role": "critic", "content": "Hm"}
    assert len(case.calls) == 1


def test_lines_and_lists_of_trajectories() -> None:
    one = trajectory(step("user", "Hi"))
    assert len(read(ATIF, recording((one, one), "t.jsonl"))) == 2
    assert len({case.run_id for case in read(ATIF, recording([one, one]))}) == 2
    told = "expected an ATIF trajectory with schema_version and steps, got dict {'steps': []}"
    assert problems(ATIF, recording([one, {"steps": []}])) == [f"log.json:2: {told}"]


def test_recorded_trajectories_have_the_published_counts(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    for path in sorted(shared("data", "atif").rglob("*.json")):
        found = Recording(FilePlace(path))
        if not ATIF.recognise(found):
            continue
        case = read_one(ATIF, found)
        counts["trajectories"] += 1
        counts[case.extra["atif_version"]] += 1
        counts["own calls"] += len(case.calls)
        counts["copied calls"] += case.extra.get("copied_calls", 0)
    # 52 calls are counted there: these 44 and the 8 that are copied from another trajectory.
    assert counts == {
        "trajectories": 25,
        "ATIF-v1.4": 3,
        "ATIF-v1.5": 11,
        "ATIF-v1.6": 9,
        "ATIF-v1.7": 2,
        "own calls": 44,
        "copied calls": 8,
    }
