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
    returned = (HELSINKI if result is None else result) if ok else {"error": "service unavailable"}
    return ToolExecutionResult("get_current_weather", {"city": city}, returned, ok, turn=turn)


def wrong_call(**arguments: Any) -> ToolExecutionResult:
    """A call that failed by the agent's own mistake: nobody offered such a tool."""
    error = {"error": "Unknown tool name: 'guess'"}
    return ToolExecutionResult("guess", arguments, error, success=False)


def kept(flag: str = "dislikes_cold") -> ToolExecutionResult:
    sent = {"preference": flag, "value": True}
    return ToolExecutionResult(
        "update_user_preferences_from_insight", sent, {"flags": {flag: True}}, success=True
    )


def remembered(turn: int) -> ToolExecutionResult:
    flags = {"flags": {"outdoor_activities": True}}
    return ToolExecutionResult("get_user_preferences", {}, flags, success=True, turn=turn)


def judged(answer: str, calls: list[ToolExecutionResult], **known: Any) -> Score:
    query = known.pop("query", QUERY)
    case = AgentTestCase(query, answer, execution_data=MCPExecutionData(calls), **known)
    return asyncio.run(EVALUATOR.evaluate(case))


def twin(name: str, answer: str, calls: list[ToolExecutionResult], **known: Any) -> float | None:
    found = judged(answer, calls, **known).part(f"{name}_from_trace")
    assert found is not None
    return found.value


def spoken_of(question: str, answer: str = "") -> dict[str, Any]:
    thanks = {"user": "Thanks!", "assistant": "You are welcome."}
    return {"conversation_history": [{"user": question, "assistant": answer}, thanks]}


OSLO = spoken_of("Weather in Oslo?")
BEIJING = {
    "query": "明天呢？",
    "conversation_history": [{"user": "北京天气怎么样？", "assistant": ""}],
}
COLD = {"temperature": 3.0, "condition": "clouds"}
HATES_COLD = {"additional_metadata": {"user_preferences": {"dislikes_cold": True}}}
MEMORY = [
    {"name": "update_user_preferences_from_insight", "inputSchema": {"type": "object"}},
    {"name": "get_current_weather", "inputSchema": {"type": "object"}},
]
TRUTH = {"additional_metadata": {"ground_truth": {"current": HELSINKI}}}
OPEN = {"query": "What's the weather?"}
WAY_ON = "I could not retrieve the weather data. However, you could try another city."
SAID_BEFORE = spoken_of(QUERY, GOOD)


@pytest.mark.parametrize(
    ("name", "answer", "calls", "known", "expected"),
    [
        ("accuracy", GOOD, [call()], {}, 1.0),
        ("accuracy", "It is 17°C and raining.", [call()], {}, 0.75),
        ("accuracy", "It is 25°C and sunny.", [call()], {}, 0.0),
        ("accuracy", "It is 25°C.", [], {}, None),
        ("accuracy", "It is 25°C.", [], TRUTH, 0.0),
        ("accuracy", "Fine.", [call()], {}, None),
        ("accuracy", "You prefer to avoid snow; it is 15°C.", [call()], {}, 1.0),
        ("accuracy", "小雨，气温15度。", [call()], {"query": "赫尔辛基天气怎么样？"}, 1.0),
        ("accuracy", "晴，气温25度。", [call()], {"query": "赫尔辛基天气怎么样？"}, 0.0),
        ("task_completion", GOOD, [call()], {}, 1.0),
        ("task_completion", GOOD, [call("Oslo")], {}, 2 / 3),
        ("task_completion", GOOD, [], {}, 0.0),
        ("task_completion", "You are welcome.", [], {"query": "Thanks!"}, None),
        ("task_completion", "Which city?", [], OPEN, None),
        ("task_completion", "小雨，15度。", [call()], {"query": "赫尔辛基天气怎么样？"}, 1.0),
        ("recommendation_quality", "Take an umbrella and gloves.", [call()], {}, 0.5),
        ("recommendation_quality", "Wear a jacket.", [call(result=COLD)], {}, 1.0),
        ("recommendation_quality", "Wear a jacket.", [], {}, 0.0),
        ("recommendation_quality", "Wear a jacket.", [], SAID_BEFORE, None),
        ("recommendation_quality", "It is mild.", [call()], {}, None),
        (
            "recommendation_quality",
            "It is 15°C.",
            [call()],
            {"query": "Should I bring an umbrella in Helsinki?"},
            0.0,
        ),
        (
            "recommendation_quality",
            "建议带雨伞。",
            [call()],
            {"query": "赫尔辛基天气怎么样？"},
            1.0,
        ),
        ("context_retention", "Fine.", [call("Oslo")], OSLO | {"query": "And tomorrow?"}, 1.0),
        ("context_retention", "In Oslo.", [call("Paris")], OSLO | {"query": "And tomorrow?"}, 0.0),
        ("context_retention", "Which city?", [], OSLO | {"query": "What about later?"}, 0.0),
        ("context_retention", "In Oslo it is 5°C.", [], OSLO | {"query": "And tomorrow?"}, 1.0),
        # Every city there is, the right one among them: one of four that somebody named.
        (
            "context_retention",
            "Oslo Paris Tokyo Rome",
            [],
            OSLO | {"query": "And tomorrow?"},
            0.25,
        ),
        ("context_retention", "Good night.", [], OSLO | {"query": "Thanks!"}, None),
        ("context_retention", GOOD, [call()], {}, None),
        ("context_retention", "好。", [call("Beijing")], BEIJING, 1.0),
        ("context_retention", "请问哪个城市？", [], BEIJING, 0.0),
        (
            "adaptation_quality",
            "It is cold, and you said you hate that: wear a warm coat.",
            [call(result=COLD)],
            HATES_COLD,
            1.0,
        ),
        # Advice that anybody would have been given.
        ("adaptation_quality", "Cold: wear a warm coat.", [call(result=COLD)], HATES_COLD, 0.5),
        ("adaptation_quality", "It is 3°C.", [call(result=COLD)], HATES_COLD, 0.0),
        ("adaptation_quality", "It is cold: wear a warm coat.", [call()], HATES_COLD, None),
        (
            "adaptation_quality",
            "很冷，我记得你讨厌冷，请穿外套。",
            [call(result=COLD)],
            HATES_COLD,
            1.0,
        ),
        (
            "adaptation_quality",
            "Noted.",
            [kept()],
            {"query": "I hate cold weather.", "available_tools": MEMORY},
            1.0,
        ),
        (
            "adaptation_quality",
            "Noted, I will remember that you hate cold weather.",
            [],
            {"query": "I hate cold weather.", "available_tools": MEMORY},
            0.0,
        ),
        (
            "adaptation_quality",
            "好的。",
            [kept("dislikes_rain")],
            {"query": "我讨厌下雨。", "available_tools": MEMORY},
            1.0,
        ),
        ("adaptation_quality", "Noted.", [], {"query": "I hate cold weather."}, None),
        ("tool_call_count", GOOD, [call()], {}, 1.0),
        ("tool_call_count", GOOD, [call()] * 7, {}, 0.4),
        ("tool_call_count", GOOD, [], {}, 0.0),
        ("tool_call_count", "Bye.", [], {"query": "Thanks!"}, None),
        ("tool_call_count", "Which city?", [], OPEN, None),
        ("tool_call_count", "Noted.", [], {"query": "I hate cold weather."}, None),
        ("tool_call_count", "晴。", [], {"query": "北京天气怎么样？"}, 0.0),
        ("action_planning", GOOD, [call()], {}, 1.0),
        ("action_planning", GOOD, [call(), call()], {}, 0.5),
        ("action_planning", GOOD, [call(turn=1), call(turn=1)], {}, 1.0),
        ("action_planning", GOOD, [call(ok=False), call(ok=False)], {}, 0.5),
        ("action_planning", GOOD, [call("Paris", turn=1), call(turn=1)], {}, 0.5),
        ("action_planning", GOOD, [wrong_call(), call()], {}, 0.5),
        # Trying again what the server could not do at first is no idle repetition.
        ("action_planning", GOOD, [call(ok=False), call()], {}, 1.0),
        ("action_planning", GOOD, [remembered(turn=1), call(turn=1)], {}, 1.0),
        ("action_planning", "Fine.", [call()], {}, 0.5),
        ("action_planning", GOOD, [call(turn=1), call("Oslo", turn=2)], {}, 0.5),
        ("action_planning", GOOD, [], {}, 0.0),
        ("action_planning", "Fine.", [], {}, None),
        ("action_planning", "小雨，15度。", [call()], {"query": "Helsinki 天气怎么样？"}, 1.0),
        ("error_recovery", GOOD, [call()], {}, None),
        ("error_recovery", GOOD, [call(ok=False), call()], {}, 1.0),
        ("error_recovery", GOOD, [wrong_call(), call()], {}, 1.0),
        ("error_recovery", GOOD, [call(ok=False)], {}, 0.0),
        ("error_recovery", WAY_ON, [call(ok=False)], {}, 1.0),
        ("error_recovery", WAY_ON, [wrong_call()], {}, 0.5),
        ("error_recovery", "Sorry, I could not get it.", [call(ok=False)], {}, 0.5),
        ("error_recovery", "Error. Sorry, that failed.", [wrong_call()], {}, 0.0),
        ("error_recovery", "Sorry, but it is 20°C.", [call(ok=False)], {}, 0.0),
        (
            "error_recovery",
            "抱歉，无法获取，您可以试试别的城市。",
            [call(ok=False)],
            {},
            1.0,
        ),
        ("ambiguity_handling", "Which city?", [], OPEN, 1.0),
        ("ambiguity_handling", "Which city?", [], {"query": "How cold is it?"}, 1.0),
        ("ambiguity_handling", GOOD, [call()], OPEN, 0.0),
        ("ambiguity_handling", f"Assuming you mean Helsinki: {GOOD}", [call()], OPEN, 0.5),
        ("ambiguity_handling", "It is nice.", [], OPEN, 0.0),
        ("ambiguity_handling", "Which city? It is 20°C.", [], OPEN, 0.0),
        ("ambiguity_handling", "Noted.", [], {"query": "I hate cold weather."}, None),
        ("ambiguity_handling", GOOD, [call()], {}, None),
        ("ambiguity_handling", "请问哪个城市？", [], {"query": "天气怎么样？"}, 1.0),
        ("ambiguity_handling", "晴，20度。", [], {"query": "天气怎么样？"}, 0.0),
        # No list knows Lhasa; that the call took it from the question says enough.
        ("ambiguity_handling", "晴。", [call("拉萨")], {"query": "拉萨 天气怎么样？"}, None),
        ("repeatability", GOOD, [call()], SAID_BEFORE, 1.0),
        ("repeatability", "It is 15°C and snowing.", [call()], SAID_BEFORE, 1 / 3),
        ("repeatability", "Error.", [], SAID_BEFORE, 0.0),
        ("repeatability", GOOD, [call()], spoken_of("What's the weather in Oslo?", GOOD), None),
        ("repeatability", GOOD, [call()], {}, None),
        (
            "repeatability",
            "晴，20度。",
            [],
            {"query": "北京天气怎么样？"} | spoken_of("北京天气怎么样？", "晴，20度。"),
            1.0,
        ),
        ("groundedness", GOOD, [call()], {}, 1.0),
        ("groundedness", "It is 20°C in Atlantis.", [call()], {}, 0.0),
        # Helsinki is the user's own word: to repeat it earns nothing.
        ("groundedness", "It is 30°C in Helsinki.", [], {}, 0.0),
        ("groundedness", "Still 15°C.", [], SAID_BEFORE, None),
        ("groundedness", "It is 15°C, order 48213.", [call()], {}, 0.5),
        ("groundedness", "小雨，气温30度。", [call()], {}, 0.5),
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
    assert without_calls.value is not None
    assert without_calls.value < 0.1


@pytest.mark.parametrize(
    "name", ["accuracy", "task_completion", "recommendation_quality", "groundedness"]
)
def test_words_lose_against_an_honest_answer_to_the_same_call(name: str) -> None:
    honest, stuffed = twin(name, GOOD, [call()]), twin(name, STUFFED, [call()])
    assert honest == 1.0
    assert stuffed is not None
    assert stuffed <= 0.5


def test_words_lose_on_the_whole_even_beside_a_right_call() -> None:
    honest, stuffed = judged(GOOD, [call()]), judged(STUFFED, [call()])
    assert honest.value == 1.0
    assert honest.reason == "mean of 6 metrics that apply, by the run"
    assert stuffed.value is not None
    assert stuffed.value < 0.6
    in_words = [stuffed.part(name) for name in ("accuracy", "task_completion")]
    assert [score.value for score in in_words if score is not None] == [1.0, 1.0]


def test_results_are_unwrapped() -> None:
    wrapped = {"content": [{"type": "text", "text": '{"temperature": 15.2}'}], "isError": False}
    assert twin("accuracy", "It is 15°C.", [call(result=wrapped)]) == 1.0


def test_an_unrecorded_run_has_no_twins() -> None:
    found = asyncio.run(EVALUATOR.evaluate(AgentTestCase(QUERY, GOOD))).part("trace_twins")
    assert found is not None
    assert (found.value, found.reason) == (None, "no calls were recorded")
