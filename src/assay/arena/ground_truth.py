"""What a question about the weather should have been answered with, from the bundled source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.weather.source import BundledWeather
from assay.errors import WeatherUnavailable
from assay.metrics.chatbot.domain import weather
from assay.metrics.chatbot.entities import entities_in
from assay.metrics.chatbot.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.agents.weather.source import WeatherSource

_MOST_CITIES = 5


def ground_truth(source: WeatherSource, said: Sequence[str]) -> list[dict[str, Any]]:
    """The weather that the last of the user's words asks for; empty where it is not known.

    Only the bundled source is asked: it always says the same, and costs nothing.
    """
    if not isinstance(source, BundledWeather) or not said:
        return []
    named = (entities_in(read_text(text), weather()) for text in reversed(said))
    cities = next((found for found in named if found), [])
    later = weather().terms("outlook").in_(read_text(said[-1]))
    return list(_looked_up(source, cities[:_MOST_CITIES], later=later))


def _looked_up(
    source: WeatherSource, cities: list[str], *, later: bool
) -> Iterator[dict[str, Any]]:
    for city in cities:
        try:
            yield source.forecast(city) if later else source.current(city)
        except WeatherUnavailable:
            continue
