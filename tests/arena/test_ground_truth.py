"""What a question should have been answered with."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from assay.agents.weather.source import BundledWeather
from assay.arena.ground_truth import ground_truth

WEATHER = BundledWeather(date(2026, 3, 2))


def cities(found: list[dict[str, Any]]) -> list[str]:
    return [str(known.get("city") or known["current"]["city"]) for known in found]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["What's the weather in Oslo?"], ["Oslo"]),
        (["Compare the weather in Oslo and Madrid."], ["Oslo", "Madrid"]),
        (["What's the weather in Oslo?", "What should I wear there?"], ["Oslo"]),
        (["What's the weather in Oslo?", "And in Paris?"], ["Paris"]),
        (["北京今天天气怎么样？"], ["Beijing"]),
        (["What's the weather in Atlantis?"], []),
        (["What's the weather?"], []),
        ([], []),
    ],
)
def test_the_city_is_the_last_that_was_named(said: list[str], expected: list[str]) -> None:
    assert cities(ground_truth(WEATHER, said)) == expected


def test_a_question_about_later_is_answered_by_a_forecast() -> None:
    (now,) = ground_truth(WEATHER, ["What's the weather in Oslo?"])
    (later,) = ground_truth(WEATHER, ["What's the weather in Oslo?", "And tomorrow?"])
    assert now == WEATHER.current("Oslo")
    assert later == WEATHER.forecast("Oslo")


class Metered:
    """A source that costs something."""

    name = "metered"

    def current(self, city: str) -> dict[str, Any]:
        raise AssertionError(f"{city} was asked for")

    forecast = current


def test_a_source_that_costs_something_is_not_asked() -> None:
    assert ground_truth(Metered(), ["What's the weather in Oslo?"]) == []  # type: ignore[arg-type]
