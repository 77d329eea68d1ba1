"""Parts of a run's page, each worked out by hand."""

from __future__ import annotations

import pytest

from assay import AgentTestCase, MCPExecutionData, RunOutcome, Score, ToolExecutionResult
from assay.render.pages.call_graph import call_graph
from assay.render.pages.run_view import call_parts, run_view
from assay.render.pages.score_tree import score_node
from assay.render.pages.timeline import timeline
from assay.render.run_page import judged_calls
from assay.score import Evidence


def _call(tool: str, start: float, end: float, **known: object) -> ToolExecutionResult:
    given = {"parameters": {}, "success": True, "server": "s"} | known
    return ToolExecutionResult(tool=tool, started_at=start, ended_at=end, **given)  # type: ignore[arg-type]


def _case(*calls: ToolExecutionResult, **known: object) -> AgentTestCase:
    data = MCPExecutionData(tool_executions=list(calls))
    given = {"input": "Why?", "actual_output": "So."} | known
    return AgentTestCase(execution_data=data, **given)  # type: ignore[arg-type]


def test_the_time_without_a_call_is_the_models() -> None:
    found = timeline(_case(_call("a", 2, 4), _call("b", 3, 5), started_at=0.0, ended_at=10.0))
    assert found is not None
    assert found.thinking == [(0.0, 20.0), (50.0, 50.0)]
    assert (found.seconds, found.tool_seconds, found.model_seconds) == (10.0, 3.0, 7.0)
    assert [bar.row for bar in found.lanes[0].bars] == [0, 1]


def test_without_times_there_is_an_order() -> None:
    case = _case(*(ToolExecutionResult(tool="t", parameters={}, turn=n) for n in (1, 1, 2)))
    found = timeline(case)
    assert found is not None
    assert (found.is_time, found.thinking, found.seconds) == (False, [], None)


def test_a_graph_has_what_was_needed_to_the_left() -> None:
    graph = call_graph(["ok", "ok", "fail"], {1: (0,), 2: (0, 1)}, (0, 1, 2))
    assert graph is not None
    assert [node.x for node in graph.nodes] == [16.67, 50.0, 83.33]
    assert [edge.is_critical for edge in graph.edges] == [True, False, True]
    assert graph.needs == [(2, [1]), (3, [1, 2])]
    assert call_graph(["ok", "ok"], {0: (), 1: ()}, (0,)) is None


def test_too_many_calls_are_told_and_not_drawn() -> None:
    graph = call_graph(["ok"] * 100, {i: (i - 1,) for i in range(1, 100)}, tuple(range(100)))
    assert graph is not None
    assert graph.nodes == []
    assert len(graph.needs) == 99


def test_a_tree_is_open_on_the_way_to_its_worst_part() -> None:
    score = Score(
        "whole",
        0.5,
        parts=(
            Score("good", 0.9, parts=(Score("x", 0.1), Score("y", None))),
            Score("fair", 0.4, parts=(Score("z", 0.4),)),
            Score("valid_call_failure_rate", 0.0),
        ),
    )
    node = score_node(score)
    assert [part.is_open for part in node.parts] == [True, False, False]
    assert [part.is_open for part in node.parts[0].parts] == [True, False]


def test_what_is_said_of_several_calls_stands_once() -> None:
    evidence = (Evidence("slow", call=0), Evidence("slow", call=3), Evidence("why"), Evidence("b"))
    node = score_node(Score("s", 0.5, "why", evidence=evidence))
    assert [(line.text, line.calls) for line in node.evidence] == [("slow", [1, 4]), ("b", [])]


@pytest.mark.parametrize(("call", "expected"), [(2, True), (None, False)])
def test_a_reason_stands_beside_its_calls_if_it_has_any(call: int | None, expected: bool) -> None:
    node = score_node(Score("s", 0.5, "why", evidence=(Evidence("why", call=call),)))
    assert node.tells_reason_below is expected


@pytest.mark.parametrize(
    ("count", "wanted", "this"), [(301, 1, (1, 100)), (301, 4, (301, 301)), (301, 99, (1, 100))]
)
def test_very_many_calls_come_in_parts(count: int, wanted: int, this: tuple[int, int]) -> None:
    parts = call_parts(count, wanted)
    assert len(parts) == 4
    assert [(part.first, part.last) for part in parts if part.is_this] == [this]


def test_as_many_as_fit_are_one_page() -> None:
    assert call_parts(300, 1) == []


def test_a_failure_says_what_became_of_it() -> None:
    case = _case(
        _call("a", 0, 1, success=False, reported_success=False),
        _call("a", 1, 2, success=True),
        _call("b", 2, 3, success=False, reported_success=True, success_rule="body-error-key"),
    )
    view = run_view("key", case, judged_calls(case, {}))
    first, _, last = (card.why for turn in view.turns for card in turn.cards)
    assert [said.words for said in first][-1] == "Called again as call {n}: ok."
    words = [said.words for said in last]
    assert words[:2] == ["Reported: ok.", "Inferred: failed (rule {rule})."]
    assert words[-1] == "Never called again."
    assert view.counts["fail"] == 2


def test_only_what_stands_nowhere_else_is_conversation() -> None:
    history = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}]},
        {"role": "tool", "content": "42"},
        {"role": "user", "content": {"odd": 1}},
        {"role": "assistant", "content": None},
    ]
    case = _case(conversation_history=history)
    view = run_view("key", case, [])
    assert [message.text for message in view.system] == ["Be kind."]
    assert [message.text for message in view.messages] == ["Let me see.", '{"odd": 1}']


def test_a_long_prompt_is_cut_at_a_word() -> None:
    view = run_view("key", _case(input="word " * 200), [])
    assert view.is_heading_cut
    assert view.heading.endswith("word…")
    assert len(view.heading) <= 321


_BOOKING = {
    "name": "book",
    "input_schema": {
        "type": "object",
        "properties": {"who": {"type": "object"}, "nights": {"type": "integer"}},
        "required": ["nights"],
    },
}


@pytest.mark.parametrize(
    ("parameters", "marked"),
    [
        ({"nights": "two"}, [("nights", '"two"', '"two" is not of type "integer"')]),
        ({}, [("", "", '"nights" is a required property')]),
        ({"nights": 2, "who": "Ann"}, [("who", '"Ann"', '"Ann" is not of type "object"')]),
        (
            {"who": "Ann"},
            [
                ("who", '"Ann"', '"Ann" is not of type "object"'),
                ("", "", '"nights" is a required property'),
            ],
        ),
        ({"nights": 2}, []),
    ],
)
def test_what_breaks_the_schema_is_marked_where_it_stands(
    parameters: dict[str, object], marked: list[tuple[str, str, str]]
) -> None:
    case = _case(_call("book", 0, 1, parameters=parameters), available_tools=[_BOOKING])
    view = run_view("key", case, judged_calls(case, {}))
    rows = view.turns[0].cards[0].arguments
    assert [(row.name, row.value, row.misfit) for row in rows if row.misfit] == marked


def test_arguments_that_nobody_recorded_are_no_empty_ones() -> None:
    hidden = _call("a", 0, 1, extra={"arguments_recorded": False})
    case = _case(hidden, _call("a", 1, 2))
    view = run_view("key", case, judged_calls(case, {}))
    cards = [card for turn in view.turns for card in turn.cards]
    assert [[row.note.words for row in card.arguments] for card in cards] == [["not recorded"], []]


@pytest.mark.parametrize(("word", "state"), [("passed", "ok"), ("failed", "fail")])
def test_a_models_marks_decide_where_nobody_else_did(word: str, state: str) -> None:
    marked = Score("m", 0.9, evidence=(Evidence(word, "verdict"), Evidence("judge", "basis")))
    case = _case(_call("a", 0, 1))
    assert run_view("key", case, judged_calls(case, {}), scores=[marked]).state == state
    case.outcome = RunOutcome(success=word != "passed")
    view = run_view("key", case, judged_calls(case, {}), scores=[marked])
    assert view.verdict == ("Task failed." if word == "passed" else "Task succeeded.")


def test_what_is_made_for_gates_is_no_part_of_the_tree() -> None:
    parts = (Score("judged", 0.9), Score("uncapped", 0.8), Score("suspect", 0.0, "failed"))
    node = score_node(Score("mcp_tool", 0.6, parts=parts))
    assert [(part.name, part.is_open) for part in node.parts] == [("judged", True)]
    assert node.uncapped == 0.8
