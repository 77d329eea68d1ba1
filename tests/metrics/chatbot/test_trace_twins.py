"""The twins: each told apart by what was called and returned, never by what was worded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assay import AgentTestCase, MCPExecutionData, Score, ToolExecutionResult
from assay.metrics.chatbot import ChatbotEvaluator
from assay.metrics.chatbot.trace_twins import TWINS

EVALUATOR = ChatbotEvaluator()
QUERY = "What's the weather in Helsinki?"
HELSINKI = {"city": "Helsinki", "temperature": 15.2, "condition": "light rain", "humidity": 81}
GOOD = "The temperature in Helsinki is 15°C with light rain. You should bring an umbrella."
STUFFED = (
    "Weather temperature forecast 15°C 20°C 25°C 81% 40%: rain, clear, clouds, snow, mist, "
    "thunderstorm. First, based on your preference, I recommend you should bring an umbrella, "
    "jacket, coat, gloves and sunscreen because it may be cold or warm; today, tomorrow, indoor."
)


def call(
    city: str = "Helsinki", result: Any = None, *, turn: int | None = None, ok: bool = True
) -> ToolExecutionResult:
    returned = (HELSINKI if result is None else result) if ok else {"error": "no such city"}
    return ToolExecutionResult("get_current_weather", {"city": city}, returned, ok, turn=turn)


def judged(answer: str, calls: list[ToolExecutionResult], **known: Any) -> Score:
    query = known.pop("query", QUERY)
    case = AgentTestCase(query, answer, execution_data=MCPExecutionData(calls), **known)
    return asyncio.run(EVALUATOR.evaluate(case))


def twin(name: str, answer: str, calls: list[ToolExecutionResult], **known: Any) -> float | None:
    found = judged(answer, calls, **known).part(f"{name}_from_trace")
    assert found is not None
    return found.value


SPOKEN_OF_OSLO = [{"role": "user", "content": "Weather in Oslo?"}]
COLD = {"temperature": 3.0, "condition": "clouds"}
HATES_COLD = {"user_preferences": {"dislikes_cold": True}}


@pytest.mark.parametrize(
    ("name", "answer", "calls", "known", "expected"),
    [
        ("accuracy", GOOD, [call()], {}, 1.0),
        ("accuracy", "It is 17°C and raining.", [call()], {}, 0.75),
        ("accuracy", "It is 25°C and sunny.", [call()], {}, 0.0),
        ("accuracy", "It is 25°C.", [], {}, None),
        ("accuracy", "Fine.", [call()], {}, None),
        ("task_completion", GOOD, [call()], {}, 1.0),
        ("task_completion", GOOD, [call("Oslo")], {}, 2 / 3),
        ("task_completion", GOOD, [], {}, 0.0),
        ("task_completion", "You are welcome.", [], {"query": "Thanks!"}, None),
        ("recommendation_quality", "Take an umbrella and gloves.", [call()], {}, 0.5),
        ("recommendation_quality", "Wear a jacket.", [call(result=COLD)], {}, 1.0),
        ("recommendation_quality", "Wear a jacket.", [], {}, None),
        (
            "context_retention",
            "Fine.",
            [call("Oslo")],
            {"query": "And the forecast?", "conversation_history": SPOKEN_OF_OSLO},
            1.0,
        ),
        (
            "context_retention",
            "In Oslo it is fine.",
            [call("Paris")],
            {"query": "And the forecast?", "conversation_history": SPOKEN_OF_OSLO},
            0.0,
        ),
        ("context_retention", GOOD, [call()], {}, None),
        (
            "adaptation_quality",
            "It is cold: wear a warm coat.",
            [call(result=COLD)],
            {"additional_metadata": HATES_COLD},
            1.0,
        ),
        (
            "adaptation_quality",
            "It is 3°C.",
            [call(result=COLD)],
            {"additional_metadata": HATES_COLD},
            0.0,
        ),
        (
            "adaptation_quality",
            "It is cold: wear a warm coat.",
            [call()],
            {"additional_metadata": HATES_COLD},
            None,
        ),
        ("tool_call_count", GOOD, [call()], {}, 1.0),
        ("tool_call_count", GOOD, [call()] * 7, {}, 0.4),
        ("tool_call_count", GOOD, [], {}, 0.0),
        ("tool_call_count", "Bye.", [], {"query": "Thanks!"}, None),
        ("action_planning", GOOD, [call()], {}, 1.0),
        ("action_planning", GOOD, [call(), call()], {}, 2 / 3),
        ("action_planning", GOOD, [call(turn=1), call(turn=1)], {}, 1.0),
        ("action_planning", GOOD, [call(ok=False), call(ok=False)], {}, 1 / 3),
        ("action_planning", GOOD, [], {}, 0.0),
        ("error_recovery", GOOD, [call()], {}, None),
        ("error_recovery", GOOD, [call(ok=False), call()], {}, 1.0),
        ("error_recovery", GOOD, [call(ok=False)], {}, 0.0),
        ("error_recovery", "Sorry, I could not get it.", [call(ok=False)], {}, 1.0),
        ("error_recovery", "Sorry, but it is 20°C.", [call(ok=False)], {}, 0.0),
        ("ambiguity_handling", "Which city?", [], {"query": "What's the weather?"}, 1.0),
        ("ambiguity_handling", GOOD, [call()], {"query": "What's the weather?"}, 0.0),
        ("ambiguity_handling", "It is nice.", [], {"query": "What's the weather?"}, 0.0),
        ("ambiguity_handling", GOOD, [call()], {}, None),
        ("groundedness", GOOD, [call()], {}, 1.0),
        ("groundedness", "It is 20°C in Atlantis.", [call()], {}, 0.0),
        ("groundedness", "Hello.", [call()], {}, None),
    ],
)
def test_by_hand(
    name: str,
    answer: str,
    calls: list[ToolExecutionResult],
    known: dict[str, Any],
    expected: float | None,
) -> None:
    assert twin(name, answer, calls, **known) == pytest.approx(expected)


def test_every_twin_has_its_row() -> None:
    (mark,) = (m for m in test_by_hand.pytestmark if m.name == "parametrize")
    assert {row[0] for row in mark.args[1]} == set(TWINS)


def test_words_alone_earn_nothing() -> None:
    without_calls = judged(STUFFED, [])
    assert without_calls.part("task_completion").value == 1.0  # type: ignore[union-attr]
    assert without_calls.part("recommendation_quality").value == 1.0  # type: ignore[union-attr]
    twins = without_calls.part("trace_twins")
    assert twins is not None
    assert twins.value is not None
    assert twins.value < 0.1


@pytest.mark.parametrize(
    "name", ["accuracy", "task_completion", "recommendation_quality", "groundedness"]
)
def test_words_lose_against_an_honest_answer_to_the_same_call(name: str) -> None:
    honest, stuffed = twin(name, GOOD, [call()]), twin(name, STUFFED, [call()])
    assert honest == 1.0
    assert stuffed is not None
    assert stuffed <= 0.5


def test_results_are_unwrapped() -> None:
    wrapped = {"content": [{"type": "text", "text": '{"temperature": 15.2}'}], "isError": False}
    assert twin("accuracy", "It is 15°C.", [call(result=wrapped)]) == 1.0


def test_an_unrecorded_run_has_no_twins() -> None:
    found = asyncio.run(EVALUATOR.evaluate(AgentTestCase(QUERY, GOOD))).part("trace_twins")
    assert found is not None
    assert (found.value, found.reason) == (None, "no calls were recorded")
