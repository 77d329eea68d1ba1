"""The worked examples of the seed and its open cases, in the reading that resolves them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.metrics.chatbot import ChatbotEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVALUATOR = ChatbotEvaluator()
PUBLIC = ChatbotEvaluator(profile="public")


def judged(metric: str, args: list[Any], evaluator: ChatbotEvaluator = EVALUATOR) -> float:
    door = getattr(evaluator, f"_evaluate_{metric}")
    if metric == "groundedness" and len(args) == 3:
        return float(door(*args[:2], tools_failed=args[2])["score"])
    return float(door(*args)["score"])


def test_every_vector_comes_out(shared: Callable[..., Path]) -> None:
    lines = shared("oracle", "chatbot", "golden_vectors.jsonl").read_text("utf-8").splitlines()
    vectors = [json.loads(line) for line in lines]
    wrong = [
        (vector, found)
        for vector in vectors
        if (found := judged(vector["metric"], vector["args"])) != vector["recommended"]
    ]
    assert len(vectors) == 75
    assert wrong == []


def test_the_seed_is_matched_but_for_its_one_erratum(shared: Callable[..., Path]) -> None:
    lines = shared("oracle", "chatbot", "golden_vectors.jsonl").read_text("utf-8").splitlines()
    stated = [vector for line in lines if (vector := json.loads(line))["document"] is not None]
    apart = [v["metric"] for v in stated if judged(v["metric"], v["args"]) != v["document"]]
    # The seed adds 0.1 for more than 100 characters to an answer of 82.
    assert apart == ["task_completion"]


def test_the_public_profile_reckons_as_the_published_code(shared: Callable[..., Path]) -> None:
    lines = shared("oracle", "chatbot", "golden_vectors.jsonl").read_text("utf-8").splitlines()
    known = [vector for line in lines if (vector := json.loads(line))["public_code"] is not None]
    apart = [
        (vector["metric"], vector["note"], found)
        for vector in known
        if (found := judged(vector["metric"], vector["args"], PUBLIC)) != vector["public_code"]
    ]
    assert len(known) == 70
    # The same preferences stand in two vectors with two answers: this one is of a store that
    # counts what it learned, which its arguments do not say.
    assert apart == [("adaptation_quality", "doc example", 0.5)]


def test_the_public_profile_follows_a_store_that_counts() -> None:
    answer = "It's quite cold at 5°C. I remember you don't like cold: a warm jacket and layers."
    counted = {"dislikes_cold": True, "learned_from_conversations": 1}
    assert judged("adaptation_quality", [answer, counted], PUBLIC) == 0.75


SUNNY = {"current": {"temperature": 25.0, "main_condition": "clear"}}
DAYS = {
    "daily_summaries": [
        {"date": "2026-03-02", "min_temp": 1.0, "max_temp": 4.0},
        {"date": "2026-03-03", "min_temp": 8.0, "max_temp": 12.0},
        {"date": "2026-03-04", "min_temp": -6.0, "max_temp": -1.0},
    ]
}
ASKED = "What is the weather in Oslo?"


@pytest.mark.parametrize(
    ("metric", "args", "expected"),
    [
        ("accuracy", ["Sunny at 25.5 degrees celsius.", SUNNY], 1.0),
        ("accuracy", ["Sunny at 25.6 degrees.", SUNNY], 0.9),
        ("accuracy", ["Sunny at 27°C.", SUNNY], 0.9),
        ("accuracy", ["Sunny at 27.1°C.", SUNNY], 0.7),
        ("accuracy", ["Rain at 30°C.", SUNNY], 0.5),
        ("accuracy", ["It is not sunny; 25°C.", SUNNY], 0.8),
        ("accuracy", ["Sunny, feels like 30°C.", SUNNY], 1.0),
        ("accuracy", ["Sunny. The temperature in Oslo is 25.", SUNNY], 1.0),
        ("accuracy", ["Sunny, 77 degrees Fahrenheit.", SUNNY], 1.0),
        ("accuracy", ["晴，气温25度。", SUNNY], 1.0),
        ("accuracy", ["晴，零下25度。", SUNNY], 0.7),
        ("accuracy", ["Minus 5°C and snow.", {"current": {"temperature": -5}}], 1.0),
        ("accuracy", ["Tomorrow it will be 10°C.", DAYS, "forecast for tomorrow"], 1.0),
        ("accuracy", ["Tomorrow it will be 13°C.", DAYS, "forecast for tomorrow"], 0.9),
        ("accuracy", ["Tomorrow it will be 30°C.", DAYS, "forecast for tomorrow"], 0.7),
        ("accuracy", ["On Wednesday it is 10°C next week.", DAYS, "forecast"], 0.7),
        ("accuracy", ["The forecast is 30°C.", DAYS, "forecast"], 0.7),
        ("task_completion", [ASKED, "天气晴朗，气温15度，建议带外套，祝您愉快，一路顺风。"], 0.9),
        ("recommendation_quality", ["Take a hat.", ""], 0.7),
        ("recommendation_quality", ["建议带雨伞，因为下雨。", ""], 1.0),
        ("adaptation_quality", ["Stay indoors.", {"prefers_indoor": True}], 0.65),
        ("adaptation_quality", ["Go outdoors.", {"prefers_indoor": True}], 0.5),
        (
            "adaptation_quality",
            ["Outdoor fun.", {"prefers_indoor": True, "outdoor_activities": True}],
            0.5,
        ),
        ("adaptation_quality", ["Outdoor fun.", {"outdoor_activities": True}], 0.65),
        ("adaptation_quality", ["Seek shade.", {"dislikes_heat": True}], 0.6),
        ("adaptation_quality", ["Rain: take an umbrella.", {"a": {"dislikes_rain": True}}], 0.65),
        (
            "adaptation_quality",
            ["Stay indoors.", {"prefers_indoor": True, "learned_from_conversations": 0}],
            0.5,
        ),
        ("response_time", [4.25], 0.75),
        ("tool_call_count", [100], 0.4),
        ("action_planning", [ASKED, "No weather data, sadly.", None, 0], 0.15),
        ("action_planning", [ASKED, "You should bring an umbrella.", SUNNY, 1], 0.5),
        ("action_planning", ["thanks", "Then goodbye.", None, 2], 0.6),
        ("error_recovery", [ASKED, "Which city do you mean?", None], 0.7),
        ("error_recovery", [ASKED, "An error occurred while reading " + "x" * 40, SUNNY], 0.7),
        ("ambiguity_handling", ["weather in bergen?", "Fine."], 0.8),
        ("ambiguity_handling", ["Weather?", "Assuming you mean Oslo, 3°C."], 0.8),
        ("ambiguity_handling", ["Weather?", "x", [{"user": "I am in Oslo", "assistant": ""}]], 0.8),
        ("repeatability", ["hi", "Perhaps."], 0.5),
        (
            "repeatability",
            [ASKED, "The moon is made of cheese, they say.", [{"user": ASKED, "assistant": "5°"}]],
            0.5,
        ),
        ("groundedness", ["It is 59°F.", [{"temperature": 15.0}]], 1.0),
        ("groundedness", ["It is 15°C.", ["Oslo: 15.2°C"]], 1.0),
        ("groundedness", ["40% chance of showers.", [{"pop": 0.4, "main": "Rain"}]], 1.0),
        ("groundedness", ["No rain.", [{"main": "Rain"}]], 0.5),
    ],
)
def test_by_hand(metric: str, args: list[Any], expected: float) -> None:
    assert judged(metric, args) == expected


PAST = [{"user": "weather in oslo please", "assistant": "The temperature is 5. You should rest."}]


@pytest.mark.parametrize(
    ("metric", "args", "expected"),
    [
        ("accuracy", ["It is 15 degrees celsius, sunny", SUNNY], 0.7),
        ("accuracy", ["temperature: 24.5, bright", SUNNY], 1.0),
        ("accuracy", ["23.5° and cloudless", SUNNY], 0.7),
        ("accuracy", ["Clearly 25c", SUNNY], 1.0),
        ("task_completion", [ASKED, "I was unable to feel any wind." + "x" * 90], 0.6),
        ("recommendation_quality", ["Prepare.", ""], 0.5),
        ("context_retention", ["hi", "I like outdoor life today", PAST], 0.5),
        (
            "context_retention",
            ["hi", "I like outdoor life", [{"user": "I love rain", "assistant": ""}]],
            0.65,
        ),
        ("adaptation_quality", ["Indoor.", {"prefers_indoor": True, "n": 1}], 0.5),
        (
            "adaptation_quality",
            [
                "Rain: umbrella, cool shade outdoor.",
                {
                    "dislikes_rain": True,
                    "outdoor_activities": True,
                    "dislikes_heat": True,
                    "learned_from_conversations": 2,
                },
            ],
            0.9,
        ),
        # Facts and advice have their places by the words "temperature" and "recommend" alone.
        ("action_planning", [ASKED, "20 degrees. I recommend boots.", None, 0], 0.0),
        ("action_planning", [ASKED, "Temperature 20. I recommend boots.", None, 0], 0.3),
        ("action_planning", [ASKED, "I recommend boots: temperature 2.", None, 0], 0.2),
        ("action_planning", ["thanks", "The forecast is fine.", None, None], 0.0),
        ("action_planning", [ASKED, "No weather data; 5 degrees.", None, 1], 0.8),
        ("action_planning", [ASKED, "You should rest.", None, None], 0.0),
        ("error_recovery", [ASKED, "No weather data, usually mild.", None], 1.0),
        ("error_recovery", [ASKED, "Which city, an error: option one", SUNNY], 0.7),
        ("ambiguity_handling", ["Go", "Assuming Oslo."], 0.8),
        ("ambiguity_handling", ["Go", "Where? For example, say so."], 1.0),
        ("ambiguity_handling", ["Go", "The weather " + "x" * 100], 0.7),
        ("repeatability", ["Weather in Oslo", "The moon is made of cheese, they say.", PAST], 0.5),
        ("repeatability", ["hello", "The moon is made of cheese, perhaps.", PAST], 0.6),
        ("repeatability", ["hello", "weather" + "x" * 1000], 0.75),
        ("implementation_effort", ["adk"], 0.5),
    ],
)
def test_public_by_hand(metric: str, args: list[Any], expected: float) -> None:
    assert judged(metric, args, PUBLIC) == expected
