"""The evaluator: the seed's dict, the tree of scores, metrics of one's own."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.errors import InvalidRecord, UnknownName
from assay.metrics.chatbot import CATEGORIES, ChatbotEvaluator, Domain, Turn, Verdict, band
from assay.metrics.chatbot.turn import read_history

EVALUATOR = ChatbotEvaluator()
PUBLIC = ChatbotEvaluator(profile="public")
NAMES = [name for metrics in CATEGORIES.values() for name in metrics]
EXTRAS = {
    "accuracy": {"factual_errors"},
    "task_completion": {"completed"},
    "recommendation_quality": {"has_recommendations", "recommendation_count"},
    "context_retention": {"retained_items"},
    "adaptation_quality": {"adaptations_detected"},
    "response_time": {"time_seconds", "efficiency_level"},
    "tool_call_count": {"count", "efficiency_level"},
    "action_planning": {"strengths", "issues"},
    "implementation_effort": {"effort_level"},
    "integration_simplicity": {"simplicity_level"},
    "debuggability": {"debuggability_level"},
    "error_recovery": {"strengths", "issues"},
    "ambiguity_handling": {"strengths", "issues", "is_ambiguous"},
    "repeatability": {"strengths", "issues"},
    "groundedness": set(),
}


def test_fifteen_in_three_categories() -> None:
    assert [len(metrics) for metrics in CATEGORIES.values()] == [8, 3, 4]


def test_the_seeds_signature() -> None:
    assert list(inspect.signature(EVALUATOR.evaluate_response).parameters) == [
        "user_query",
        "response",
        "framework_name",
        "weather_data_used",
        "conversation_history",
        "user_preferences",
        "response_time",
        "tool_call_count",
    ]


@pytest.mark.parametrize("profile", ["seed", "public"])
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_door_and_a_place_in_the_result(
    name: str, profile: Literal["seed", "public"]
) -> None:
    evaluator = ChatbotEvaluator(profile=profile)
    assert callable(getattr(evaluator, f"_evaluate_{name}"))
    found = evaluator.evaluate_response("hi", "hello", "GADK")[name]
    assert {"score", "details", "band", "applicable"} | EXTRAS[name] <= found.keys()
    assert found["details"]


def test_frameworks_are_known_by_their_traits() -> None:
    known = EVALUATOR._load_framework_characteristics()
    assert known["GADK"]["files"] == 5
    assert known["MS"]["memory"] == "manual"


NOT_APPLICABLE = {
    "accuracy": 0.5,
    "recommendation_quality": 0.5,
    "context_retention": 0.5,
    "adaptation_quality": 0.5,
    "response_time": 0.5,
    "tool_call_count": 0.5,
    "implementation_effort": 0.5,
    "integration_simplicity": 0.5,
    "debuggability": 0.5,
    "groundedness": 0.5,
    "ambiguity_handling": 0.8,
    "repeatability": 0.6,
}


def test_what_does_not_apply_keeps_the_seeds_figure_and_is_none_in_the_tree() -> None:
    query, answer = "Weather in Oslo?", "All is well."
    as_dict = EVALUATOR.evaluate_response(query, answer, "X")
    assert {n: f["score"] for n, f in as_dict.items() if not f["applicable"]} == NOT_APPLICABLE
    tree = asyncio.run(EVALUATOR.evaluate(AgentTestCase(query, answer)))
    values = tree.values()
    assert {name for name in NAMES if values[name] is None} == NOT_APPLICABLE.keys()
    # 0.1 for the task (too short), 0.0 for planning, 0.3 for recovery; nothing else applies.
    assert tree.value == pytest.approx((0.1 + 0.0 + 0.3) / 3)


def test_without_an_answer_there_is_no_score() -> None:
    found = asyncio.run(EVALUATOR.evaluate(AgentTestCase("hi", None)))
    assert (found.value, found.reason) == (None, "the run has no answer")


def test_a_recorded_run_fills_every_argument() -> None:
    result = {"temperature": 20.0, "condition": "clear"}
    case = AgentTestCase(
        "Weather in Oslo?",
        "Clear, 20°C.",
        execution_data=MCPExecutionData(
            [ToolExecutionResult("current", {"city": "Oslo"}, result, success=True)]
        ),
        framework="MS",
        conversation_history=[
            {"role": "user", "content": "Weather in Oslo?"},
            {"role": "assistant", "content": "Clear, 20°C."},
        ],
        started_at=100.0,
        ended_at=103.5,
    )
    values = asyncio.run(EVALUATOR.evaluate(case)).values()
    assert values["response_time"] == 0.8
    assert values["tool_call_count"] == 1.0
    assert values["accuracy"] == 1.0
    assert values["groundedness"] == 1.0
    assert values["debuggability"] == 0.35
    # The present turn stood in the history: it is no past.
    assert values["context_retention"] is None


def test_what_a_framework_asks_of_developers_does_not_move_the_whole() -> None:
    cases = [AgentTestCase("Weather in Oslo?", "Clear.", framework=name) for name in ("GADK", "MS")]
    gadk, ms = (asyncio.run(EVALUATOR.evaluate(case)) for case in cases)
    assert gadk.values()["debuggability"] != ms.values()["debuggability"]
    assert gadk.value == ms.value


def politeness(turn: Turn, _: Domain) -> Verdict:
    return Verdict(1.0 if "please" in turn.response.normal else 0.0, "says please or not")


def test_a_metric_of_ones_own_stands_beside_the_fifteen() -> None:
    evaluator = ChatbotEvaluator(metrics={"politeness": politeness})
    found = evaluator.evaluate_response("hi", "Please do.", "X")
    assert found["politeness"]["score"] == 1.0
    tree = asyncio.run(evaluator.evaluate(AgentTestCase("hi", "Please do.")))
    assert tree.values()["politeness"] == 1.0
    assert tree.value == asyncio.run(EVALUATOR.evaluate(AgentTestCase("hi", "Please do."))).value


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"user_query": None}, "user_query: expected text, got null"),
        ({"response": 3}, "response: expected text, got int 3"),
        ({"response_time": -1.0}, "response_time: expected seconds from 0 on, got float -1.0"),
        ({"response_time": float("nan")}, "response_time: expected seconds from 0 on"),
        ({"tool_call_count": -1}, "tool_call_count: expected a count from 0 on, got int -1"),
        ({"tool_call_count": True}, "tool_call_count: expected a count from 0 on, got bool True"),
        ({"conversation_history": "hi"}, "conversation_history: expected a list, got str 'hi'"),
        ({"conversation_history": ["hi"]}, "conversation_history[0]: expected a dict"),
        (
            {"conversation_history": [{"question": "hi", "answer": "hello"}]},
            "conversation_history[0]: expected user and assistant, user_message and response, or",
        ),
        ({"conversation_history": [{"user": "hi"}]}, "conversation_history[0]: expected user and"),
        (
            {"conversation_history": [{"user": 5, "assistant": ""}]},
            "conversation_history[0].user: expected text, got int 5",
        ),
        (
            {"conversation_history": [{"role": "narrator", "content": "hi"}]},
            "conversation_history[0].role: expected one of agent, ai, assistant, ",
        ),
        (
            {"conversation_history": [{"role": "user", "words": "hi"}]},
            "conversation_history[0]: a message without content",
        ),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], problem: str) -> None:
    right = {"user_query": "hi", "response": "hello", "framework_name": "X"}
    with pytest.raises(InvalidRecord, match=re.escape(problem)):
        EVALUATOR.evaluate_response(**(right | given))


ASKED_BEFORE, ANSWERED_BEFORE = "I hate cold weather in Oslo", "Noted: indoors, then."


@pytest.mark.parametrize(
    "history",
    [
        [{"user": ASKED_BEFORE, "assistant": ANSWERED_BEFORE}],
        [{"user_message": ASKED_BEFORE, "response": ANSWERED_BEFORE, "timestamp": "2025-12-01"}],
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": ASKED_BEFORE},
            {"role": "assistant", "tool_calls": [{"id": "1"}]},
            {"role": "tool", "content": "cold"},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWERED_BEFORE}]},
        ],
        [
            {"role": "user", "parts": [{"text": ASKED_BEFORE}]},
            {"role": "model", "parts": [{"text": ANSWERED_BEFORE}]},
        ],
    ],
)
def test_a_history_is_read_in_every_form_that_is_known(history: list[dict[str, Any]]) -> None:
    (past,) = read_history(history)
    assert (past.user.raw, past.assistant.raw) == (ASKED_BEFORE, ANSWERED_BEFORE)


def test_the_details_say_what_was_compared() -> None:
    past = [{"user": "Weather in Oslo today?", "assistant": "Temperature: 15°C. Take a jacket."}]
    data = {"current": {"temperature": 3, "main_condition": "Clear"}}
    for evaluator in (EVALUATOR, PUBLIC):
        found = evaluator.evaluate_response(
            "Weather in Oslo now?", "Temperature: 3°C, clear. Wear a jacket.", "X", data, past
        )
        assert "a temperature in both answers" in found["repeatability"]["details"]
        assert "an item in both answers" in found["repeatability"]["details"]
        compared = "temperature agrees with the data; condition agrees with the data"
        assert found["accuracy"]["details"] == compared
        found = evaluator.evaluate_response("hi", "Hello.", "X", {"current": {"temperature": 3}})
        said = "the answer states nothing to compare with the data"
        assert found["accuracy"]["details"] == said


def test_wrong_setup_is_named() -> None:
    with pytest.raises(InvalidRecord, match="'accuracy' is one of the fifteen"):
        ChatbotEvaluator(metrics={"accuracy": politeness})
    with pytest.raises(UnknownName, match=r"No profile named 'pubic'\. Did you mean 'public'"):
        ChatbotEvaluator(profile="pubic")  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match=r"traits: .*Invalid enum value 'hard'"):
        ChatbotEvaluator(traits={"mine": {"setup": "hard"}})


def test_traits_given_are_used() -> None:
    evaluator = ChatbotEvaluator(traits={"mine": {"files": 9, "setup": "high", "code": "low"}})
    # The effort is 0.5 and 0.2 for files, 0.25 for setup, less 0.15 for code: 0.8 in all.
    assert evaluator._evaluate_implementation_effort("mine")["score"] == 0.2
    assert evaluator._evaluate_integration_simplicity("mine")["applicable"] is False


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (0.0, "poor"),
        (0.39, "poor"),
        (0.4, "acceptable"),
        (0.69, "acceptable"),
        (0.7, "good"),
        (0.89, "good"),
        (0.9, "excellent"),
        (1.0, "excellent"),
    ],
)
def test_bands_leave_no_gap(score: float, word: str) -> None:
    assert band(score) == word


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80), st.text(max_size=200), ANY_JSON, st.dictionaries(st.text(), ANY_JSON))
def test_whatever_is_said_the_scores_are_shares(
    query: str, answer: str, data: object, preferences: dict[str, Any]
) -> None:
    history: list[dict[str, Any]] = [
        {"user": query, "assistant": answer},
        {"role": "user", "content": [{"text": query}, {"image": data}]},
    ]
    for evaluator in (EVALUATOR, PUBLIC):
        found = evaluator.evaluate_response(query, answer, "MS", data, history, preferences, 1.0, 1)
        assert list(found) == NAMES
        assert all(0.0 <= metric["score"] <= 1.0 for metric in found.values())


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["And tomorrow?", "What's the weather in Oslo?", "我讨厌下雨。", "Hi"]),
    st.text(max_size=80),
    st.lists(st.tuples(ANY_JSON, ANY_JSON, st.booleans()), max_size=4),
    ANY_JSON,
)
def test_whatever_was_called_the_twins_are_shares_or_none(
    query: str, answer: str, calls: list[tuple[Any, Any, bool]], truth: object
) -> None:
    case = AgentTestCase(
        query,
        answer,
        execution_data=MCPExecutionData(
            [ToolExecutionResult("get_weather", sent, got, success=ok) for sent, got, ok in calls]
        ),
        conversation_history=[{"user": "Rain in Paris?", "assistant": answer}],
        additional_metadata={"ground_truth": truth, "user_preferences": {"dislikes_rain": True}},
    )
    values = asyncio.run(EVALUATOR.evaluate(case)).values()
    assert all(value is None or 0.0 <= value <= 1.0 for value in values.values())


@pytest.mark.parametrize(
    "piece",
    ["temperature is ", "1,", "minus ", "9", "in A ", "rain not ", "tomorrow 5°C ", "\ufdfa"],
)
@pytest.mark.timeout(120)
def test_hostile_length_ends_in_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    days = {"daily_summaries": [{"date": "2026-03-02", "min_temp": 1, "max_temp": 2}]}
    history = [{"user": text, "assistant": text}]
    for evaluator in (EVALUATOR, PUBLIC):
        found = evaluator.evaluate_response(text, text, "X", days, history)
        assert all(0.0 <= metric["score"] <= 1.0 for metric in found.values())
    text = text[:100_000]
    history = [{"user": text, "assistant": text}]
    call = ToolExecutionResult("current", {"city": text}, {"said": text}, success=True)
    case = AgentTestCase(
        text, text, execution_data=MCPExecutionData([call]), conversation_history=history
    )
    twins = asyncio.run(EVALUATOR.evaluate(case)).part("trace_twins")
    assert twins is not None
    assert all(part.value is None or 0.0 <= part.value <= 1.0 for part in twins.parts)
