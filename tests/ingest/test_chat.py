"""A run is put together from its messages as they were told."""

from __future__ import annotations

from time import process_time

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder


def call(tool: str, call_id: str | None = None) -> ToolExecutionResult:
    return ToolExecutionResult(tool, {}, call_id=call_id)


def test_a_whole_run() -> None:
    run = RunBuilder()
    run.system("Be brief.")
    run.user("What is on?")
    run.assistant("Let me look.", [call("look", "a"), call("look", "b")], reasoning="two places")
    run.result("b", "jazz", reported_success=True, ended_at=12.5)
    run.result("a", "no such place", reported_success=False, error_message="404")
    run.assistant(None, [call("book", "c")])
    run.result("c", {"ok": 1})
    run.assistant("Jazz, booked.")
    case = run.finish(model="m", task_id="t")

    assert (case.input, case.actual_output) == ("What is on?", "Jazz, booked.")
    assert (case.model, case.task_id) == ("m", "t")
    first, second, third = case.calls
    assert (first.turn, second.turn, third.turn) == (1, 1, 2)
    assert (first.result, first.success, first.reported_success) == ("no such place", False, False)
    assert (first.error_message, second.ended_at) == ("404", 12.5)
    assert (second.result, second.success, second.reported_success) == ("jazz", True, True)
    assert (third.result, third.success, third.reported_success) == ({"ok": 1}, True, None)
    assert case.execution_data is not None
    assert case.execution_data.total_rounds == 2
    assert case.execution_data.planning_json_compliance is None
    assert case.conversation_history == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is on?"},
        {"role": "assistant", "content": "Let me look.", "reasoning": "two places", "turn": 1},
        {"role": "assistant", "content": "", "turn": 2},
        {"role": "assistant", "content": "Jazz, booked."},
    ]


def test_nothing_recorded_is_an_empty_run() -> None:
    case = RunBuilder().finish()
    assert (case.input, case.actual_output, case.calls) == ("", None, [])
    assert case.conversation_history is None
    assert case.execution_data is not None
    assert case.execution_data.total_rounds == 1


def test_words_before_a_call_are_no_answer() -> None:
    run = RunBuilder()
    run.user("go")
    run.say("I will now")
    run.call(call("go"))
    assert run.finish().actual_output is None


def test_items_of_one_reply_share_a_turn_until_a_result_comes() -> None:
    run = RunBuilder()
    run.think("first")
    run.think("then")
    run.say("I try")
    run.call(call("x", "1"))
    run.call(call("y", "2"))
    run.result("1", "")
    run.result("2", "")
    run.call(call("z", "3"))
    assert [made.turn for made in run.calls] == [1, 1, 2]
    history = run.finish().conversation_history
    assert history is not None
    assert history[0] == {
        "role": "assistant",
        "content": "I try",
        "reasoning": "first\nthen",
        "turn": 1,
    }


def test_results_without_an_id_go_to_the_oldest_call_of_their_tool() -> None:
    run = RunBuilder()
    run.assistant(None, [call("x"), call("y"), call("x")])
    run.result(None, "for y", tool="y")
    run.result(None, "for the first x", tool="x")
    run.result(None, "for the rest")
    assert [made.result for made in run.calls] == ["for the first x", "for y", "for the rest"]


def test_an_id_used_again_means_the_newer_call() -> None:
    run = RunBuilder()
    run.assistant(None, [call("x", "call_0")])
    run.assistant(None, [call("x", "call_0")])
    run.result("call_0", "new")
    assert [made.result for made in run.calls] == [None, "new"]


def test_a_result_nobody_waits_for_is_kept() -> None:
    run = RunBuilder()
    run.result("gone", "late", tool="x")
    run.result(None, 7)
    case = run.finish(extra={"seed": 1})
    assert case.extra == {
        "seed": 1,
        "unmatched_results": [{"call_id": "gone", "tool": "x", "result": "late"}, {"result": 7}],
    }


def test_the_server_stands_in_an_mcp_name() -> None:
    run = RunBuilder()
    run.assistant(None, [call("mcp__exa__web_search"), call("mcp__"), call("plain")])
    assert [made.server for made in run.calls] == ["exa", None, None]
    assert run.calls[0].tool == "mcp__exa__web_search"


def test_many_unanswered_calls_and_stray_results_cost_linear_time() -> None:
    run = RunBuilder()
    run.assistant(None, [call("x", f"a{i}") for i in range(30_000)])
    start = process_time()
    for i in range(30_000):
        run.result(f"b{i}", "")
        run.result(None, "", tool="y")
    assert process_time() - start < 5


def test_a_result_before_its_call_finds_it_in_the_end() -> None:
    run = RunBuilder()
    run.result("a", "early", reported_success=False, error_message="no", ended_at=3.0)
    run.result("b", "of one of two")
    for name in ("a", "b", "b"):
        run.assistant(None, [call("look", name)])
    case = run.finish()
    early = case.calls[0]
    assert (early.result, early.reported_success, early.success) == ("early", False, False)
    assert (early.error_message, early.ended_at) == ("no", 3.0)
    assert [c.result for c in case.calls[1:]] == [None, None]
    assert case.extra["unmatched_results"] == [{"call_id": "b", "result": "of one of two"}]


def test_a_result_told_twice_answers_its_call_once() -> None:
    run = RunBuilder()
    run.assistant(None, [call("look", "a")])
    run.result("a", "first")
    run.result("a", "again")
    case = run.finish()
    assert case.calls[0].result == "first"
    assert case.extra["unmatched_results"] == [{"call_id": "a", "result": "again"}]
