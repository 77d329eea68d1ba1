"""The weather of OpenWeather, behind the same interface as the bundled one."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

from assay.agents.weather.source import number_of_days
from assay.errors import WeatherUnavailable
from assay.extras import require

KEY_VARIABLE = "OPENWEATHER_API_KEY"
_ADDRESS = "https://api.openweathermap.org/data/2.5"
_SECONDS = 10.0
_LARGEST_REPLY = 2_000_000
# What a status means to somebody who asked for the weather.
_PROBLEMS = {
    401: f"the key in {KEY_VARIABLE} is not accepted",
    404: "city not found",
    429: "too many requests for this key; try again later",
}


class OpenWeather:
    """Asks OpenWeather; the key comes from the environment and appears in no message."""

    name = "openweather"

    def __init__(self, key: str | None = None, *, address: str = _ADDRESS) -> None:
        """Take a key, or the one that OPENWEATHER_API_KEY holds."""
        self._key = key or os.environ.get(KEY_VARIABLE, "")
        if not self._key:
            raise WeatherUnavailable(f"OpenWeather needs a key: set {KEY_VARIABLE}")
        self._address = address.rstrip("/")
        self._httpx = require("httpx", extra="agents")

    def current(self, city: str) -> dict[str, Any]:
        """The weather now."""
        found = self._ask("weather", city)
        main, sky = _dict(found.get("main")), _first(found.get("weather"))
        return {
            "current": {
                "city": found.get("name"),
                "country": _dict(found.get("sys")).get("country"),
                "temperature": main.get("temp"),
                "feels_like": main.get("feels_like"),
                "humidity": main.get("humidity"),
                "pressure": main.get("pressure"),
                "wind_speed": _dict(found.get("wind")).get("speed"),
                "main_condition": sky.get("main"),
                "description": sky.get("description"),
            }
        }

    def forecast(self, city: str, days: int = 3) -> dict[str, Any]:
        """The days to come, put together from steps of three hours."""
        wanted = number_of_days(days)
        found = self._ask("forecast", city)
        steps: dict[str, list[dict[str, Any]]] = defaultdict(list)
        listed = found.get("list")
        for step in listed if isinstance(listed, list) else []:
            steps[str(_dict(step).get("dt_txt", ""))[:10]].append(_dict(step))
        place = _dict(found.get("city"))
        return {
            "city": place.get("name"),
            "country": place.get("country"),
            "daily_summaries": [_day(on, of_day) for on, of_day in list(steps.items())[:wanted]],
        }

    def _ask(self, what: str, city: str) -> dict[str, Any]:
        parameters = {"q": city, "units": "metric", "appid": self._key}
        try:
            reply = self._httpx.get(f"{self._address}/{what}", params=parameters, timeout=_SECONDS)
        except self._httpx.HTTPError as exc:
            # The exception's own text holds the address, and the address the key.
            raise WeatherUnavailable(f"OpenWeather was not reached: {type(exc).__name__}") from None
        if reply.status_code != 200:
            problem = _PROBLEMS.get(reply.status_code, f"it answered {reply.status_code}")
            raise WeatherUnavailable(f"OpenWeather: {problem}")
        try:
            found = reply.json() if len(reply.content) <= _LARGEST_REPLY else None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise WeatherUnavailable("OpenWeather answered with something that is no weather")
        return found


def _day(on: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    mains = [_dict(step.get("main")) for step in steps]
    middle = steps[len(steps) // 2]
    sky = _first(middle.get("weather"))
    return {
        "date": on,
        "temp_min": min((m["temp_min"] for m in mains if "temp_min" in m), default=None),
        "temp_max": max((m["temp_max"] for m in mains if "temp_max" in m), default=None),
        "humidity": _dict(middle.get("main")).get("humidity"),
        "main_condition": sky.get("main"),
        "description": sky.get("description"),
    }


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: object) -> dict[str, Any]:
    return _dict(value[0]) if isinstance(value, list) and value else {}
