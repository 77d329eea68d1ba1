"""What the scripted model says of the weather: sentences from what the tools returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.agents.scripted.dialogue import Result, Situation

_OPENINGS = ("", "Here is what I found. ", "Let me tell you. ")
_COLD, _HOT = 10.0, 25.0
WHICH_CITY = "I'd be happy to help! Could you please specify which city you'd like to know about?"
UNDERSTOOD = "Understood, I will keep that in mind."


def answer(situation: Situation, variant: int = 0) -> str:
    """The whole answer to a question about the weather, from results alone."""
    parts = [_tell(result, situation) for result in situation.results]
    told = [part for part in parts if part]
    if not told:
        return UNDERSTOOD
    return _OPENINGS[variant % len(_OPENINGS)] + " ".join([*told, *_adapted(situation)])


def _tell(result: Result, situation: Situation) -> str:
    if result.error is not None:
        return (
            f"I could not retrieve the weather data ({result.error[:120]}). "
            "However, you might want to try another city, or ask me again later."
        )
    now = result.value.get("current") if isinstance(result.value, dict) else None
    if isinstance(now, dict):
        return _now(now)
    days = result.value.get("daily_summaries") if isinstance(result.value, dict) else None
    if isinstance(days, list) and days:
        return _later(str(result.value.get("city")), days, situation)
    return ""


def _now(now: dict[str, Any]) -> str:
    temperature, sky = now.get("temperature"), str(now.get("description"))
    told = f"The temperature in {now.get('city')} is {temperature}°C with {sky}."
    return " ".join([told, *_advice(temperature, str(now.get("main_condition")))])


def _later(city: str, days: list[dict[str, Any]], situation: Situation) -> str:
    one = "tomorrow" in situation.said.lower() or "明天" in situation.said
    chosen = days[1:2] if one and len(days) > 1 else days
    lines = [
        f"{day.get('date')}: {day.get('temp_min')} to {day.get('temp_max')}°C, "
        f"{day.get('description')}"
        for day in chosen
    ]
    opening = f"The forecast for {city}" + (" tomorrow" if one else "")
    coldest = min((day["temp_min"] for day in chosen if "temp_min" in day), default=None)
    rainy = any(day.get("main_condition") == "Rain" for day in chosen)
    return " ".join([f"{opening}: {'; '.join(lines)}.", *_advice(coldest, "Rain" if rainy else "")])


def _advice(temperature: object, condition: str) -> list[str]:
    told = []
    if condition in {"Rain", "Snow"}:
        told.append(
            f"Based on this, I recommend an umbrella because {condition.lower()} is expected."
        )
    if isinstance(temperature, int | float):
        if temperature < _COLD:
            told.append("You should wear a warm jacket since it is cold.")
        elif temperature > _HOT:
            told.append("I suggest staying in the shade because it is hot.")
    return told


def _adapted(situation: Situation) -> list[str]:
    known, told = situation.known, []
    if "dislikes_cold" in known:
        told.append("I remember that you dislike cold weather, so bring warm layers.")
    if "dislikes_rain" in known:
        told.append("Since you prefer to avoid rain, consider indoor plans and take an umbrella.")
    if "outdoor_activities" in known and "dislikes_rain" not in known:
        told.append("Considering your preference for outdoor activities, check the sky first.")
    return told
