"""The assistant's tools, as plain functions that any framework can offer to its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.agents.weather.preferences import PreferenceBook
    from assay.agents.weather.source import WeatherSource

INSTRUCTIONS = (
    "You are a weather assistant. Look up the weather with your tools before you speak of it, and "
    "say only what they returned. Ask which city is meant when none is known from the "
    "conversation. Give advice that fits the weather and what you know of the user, and say "
    "plainly when something could not be found out."
)


def weather_tools(
    source: WeatherSource, book: PreferenceBook, user_id: str
) -> list[Callable[..., Any]]:
    """The tools for one user: current weather, forecast, and the user's preferences."""

    def get_current_weather(city: str) -> dict[str, Any]:
        """Get the weather of a city as it is now: temperature in °C, condition, humidity, wind."""
        return source.current(city)

    def get_weather_forecast(city: str, days: int = 3) -> dict[str, Any]:
        """Get the forecast of a city, today first, for 1 to 5 days."""
        return source.forecast(city, days)

    def get_forecast(city: str, days: int = 3) -> dict[str, Any]:
        """Get the forecast of a city: get_weather_forecast by its other name."""
        return source.forecast(city, days)

    def get_user_preferences() -> dict[str, Any]:
        """Get what is known of the user's likes and dislikes."""
        return book.of(user_id)

    def update_user_preferences_from_insight(
        preference: str,
        value: bool,  # noqa: FBT001 - a model's
    ) -> dict[str, Any]:
        """Remember a like or dislike of the user.

        preference is dislikes_cold, dislikes_heat, dislikes_rain, prefers_indoor or
        outdoor_activities; value says whether it holds.
        """
        return book.set(user_id, preference, value=value)

    return [
        get_current_weather,
        get_weather_forecast,
        get_forecast,
        get_user_preferences,
        update_user_preferences_from_insight,
    ]
