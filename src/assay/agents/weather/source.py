"""Where the weather comes from: an interface, and a bundled source that needs no network."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from math import cos, pi
from typing import Any, Protocol

from msgspec import Struct, convert

from assay.errors import WeatherUnavailable
from assay.records import preview

MOST_DAYS = 5
_DAYS_IN_YEAR = 365.25
_COLDEST_DAY = 15


class WeatherSource(Protocol):
    """Says what the weather is and will be; raises WeatherUnavailable with the reason."""

    name: str

    def current(self, city: str) -> dict[str, Any]:
        """The weather now: `{"current": {"city", "temperature", "main_condition", ...}}`."""

    def forecast(self, city: str, days: int = 3) -> dict[str, Any]:
        """The days to come, today first: `{"city", "daily_summaries": [{"date", ...}]}`."""


class City(Struct, frozen=True):
    """A city's climate in a few figures; `aliases` are its names in other languages."""

    name: str
    country: str
    mean: float
    swing: float
    rain: float
    aliases: list[str] = []


class _Day(Struct, frozen=True):
    low: float
    high: float
    condition: str
    description: str
    humidity: int
    wind: float


# Below this chance the sky is so; rain turns to snow in the frost.
_SKIES = (("Rain", "light rain"), ("Clouds", "overcast clouds"), ("Clear", "clear sky"))


class BundledWeather:
    """Made-up weather of real cities: the same for the same city and date, on any machine."""

    name = "bundled"

    def __init__(self, today: date | None = None) -> None:
        """Take the date that counts as today; without one it is today's."""
        self._today = today

    @property
    def today(self) -> date:
        """The first day of a forecast."""
        return self._today or datetime.now(UTC).date()

    def current(self, city: str) -> dict[str, Any]:
        """The weather now."""
        place = find_city(city)
        day = _weather_on(place, self.today)
        temperature = round((day.low + 2 * day.high) / 3, 1)
        return {
            "current": {
                "city": place.name,
                "country": place.country,
                "temperature": temperature,
                "feels_like": round(temperature - day.wind / 5, 1),
                "humidity": day.humidity,
                "wind_speed": day.wind,
                "main_condition": day.condition,
                "description": day.description,
            }
        }

    def forecast(self, city: str, days: int = 3) -> dict[str, Any]:
        """The days to come, today first."""
        place = find_city(city)
        dates = [self.today + timedelta(days=i) for i in range(number_of_days(days))]
        return {
            "city": place.name,
            "country": place.country,
            "daily_summaries": [_summary(on, _weather_on(place, on)) for on in dates],
        }


def number_of_days(days: object) -> int:
    """The number of days asked for, if a forecast reaches so far."""
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise WeatherUnavailable(
            f"days: expected a whole number from 1 to {MOST_DAYS}, got {preview(days)}"
        )
    return days


@cache
def known_cities() -> dict[str, City]:
    """The cities of the bundled source, by each of their names in lower case."""
    text = (files("assay.agents.weather") / "cities.toml").read_text(encoding="utf-8")
    cities = convert(tomllib.loads(text)["cities"], list[City])
    return {name.lower(): city for city in cities for name in (city.name, *city.aliases)}


def find_city(name: object) -> City:
    """The city of that name, in any of its spellings."""
    if not isinstance(name, str) or not name.strip():
        raise WeatherUnavailable(f"city: expected the name of a city, got {preview(name)}")
    found = known_cities().get(name.partition(",")[0].strip().lower())
    if found is None:
        raise WeatherUnavailable(f"city not found: {name[:80]}")
    return found


def _weather_on(city: City, on: date) -> _Day:
    season = -cos(2 * pi * (on.timetuple().tm_yday - _COLDEST_DAY) / _DAYS_IN_YEAR)
    chance, warmth, wind = (_draw(city, on, what) for what in ("sky", "warmth", "wind"))
    middle = city.mean + city.swing * season + 6 * (warmth - 0.5)
    limits = (city.rain, city.rain + (1 - city.rain) / 2, 1.0)
    sky = next(sky for sky, limit in zip(_SKIES, limits, strict=True) if chance <= limit)
    if sky[0] == "Rain" and middle < 0:
        sky = ("Snow", "light snow")
    return _Day(
        low=round(middle - 3.5, 1),
        high=round(middle + 3.5, 1),
        condition=sky[0],
        description=sky[1],
        humidity=round(55 + 40 * (1 - chance)),
        wind=round(1 + 9 * wind, 1),
    )


def _draw(city: City, on: date, what: str) -> float:
    """A figure between 0 and 1 that belongs to a city and a day."""
    digest = blake2b(f"{city.name}/{on.isoformat()}/{what}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) / 0xFFFFFFFF


def _summary(on: date, day: _Day) -> dict[str, Any]:
    return {
        "date": on.isoformat(),
        "temp_min": day.low,
        "temp_max": day.high,
        "humidity": day.humidity,
        "main_condition": day.condition,
        "description": day.description,
    }
