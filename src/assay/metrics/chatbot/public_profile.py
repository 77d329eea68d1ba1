"""The metrics as the seed's published code reckons them, defects and all: for comparison only.

Words are found anywhere in the lower-cased text, "hat" in "what" and "as" in "was". Groundedness
is none of its metrics and never applies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from assay.metrics.chatbot.answers import COMPLETE_FROM
from assay.metrics.chatbot.cost import response_time, tool_call_count
from assay.metrics.chatbot.developer import PUBLIC_EFFORT, debuggability, integration_simplicity
from assay.metrics.chatbot.developer import implementation_effort as weighed_effort
from assay.metrics.chatbot.facts import compared
from assay.metrics.chatbot.memory import LEARNED, NOTHING_IN_BOTH, in_both, stored_items
from assay.metrics.chatbot.public_conduct import action_planning, ambiguity_handling, error_recovery
from assay.metrics.chatbot.public_words import condition_words, found, has, lowered
from assay.metrics.chatbot.quantities import number_at, value_at
from assay.metrics.chatbot.turn import Tally, Turn, Verdict, not_applicable

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics.chatbot.domain import Domain

# The first that hits tells the temperature; signs and Fahrenheit are not seen.
_TEMPERATURES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(\d{1,9}(?:\.\d{1,9})?)\s{0,9}°?\s{0,9}c",
        r"(\d{1,9}(?:\.\d{1,9})?)\s{0,9}degrees?\s{1,9}(?:celsius|centigrade)",
        r"temperature[:\s]{1,9}(\d{1,9}(?:\.\d{1,9})?)",
        r"(\d{1,9}(?:\.\d{1,9})?)\s{0,9}°",
    )
)
_AFTER_IN = re.compile(r"\bin\s{1,9}(\w{1,40})")
_BEFORE_DAY = re.compile(r"\b(\w{1,40})\s{1,9}(?:today|tomorrow|weather)\b")
_KINDS = ("kind_of_temperature", "kind_of_rain", "kind_of_place")
_FORECASTS = ("daily_summaries", "detailed_forecast")


def accuracy(turn: Turn, _: Domain) -> Verdict:
    """Does the answer agree with the data? Within one degree is free."""
    if not turn.data:
        return not_applicable("no data to compare with", {"factual_errors": []})
    tally = Tally(1.0)
    actual, stated = number_at(turn.data, ["current.temperature"]), _temperature(turn)
    agreed: list[str] = []
    if actual is not None and stated is not None:
        apart = abs(stated - actual)
        if apart > 1:
            told = f"temperature is {actual:g}, the answer says {stated:g}"
            tally.add(-0.3 if apart > 2 else -0.1, told)
        else:
            agreed.append("temperature")
    named = value_at(turn.data, ["current.main_condition"])
    words = condition_words(named.lower()) if isinstance(named, str) else []
    if any(word in lowered(turn.response) for word in words):
        agreed.append("condition")
    elif words:
        tally.add(-0.2, f"the condition {named[:60]!r} is not mentioned")
    forecast = isinstance(turn.data, dict) and any(name in turn.data for name in _FORECASTS)
    if forecast and has("outlook", turn.query) and not has("outlook", turn.response):
        tally.add(-0.2, "the forecast that was asked for is not addressed")
    return tally.verdict(compared(tally.issues, agreed), {"factual_errors": tally.issues})


def _temperature(turn: Turn) -> float | None:
    text = lowered(turn.response)
    matches = (pattern.search(text) for pattern in _TEMPERATURES)
    return next((float(match[1]) for match in matches if match), None)


def task_completion(turn: Turn, _: Domain) -> Verdict:
    """Was the request met?"""
    response = turn.response
    faults = (
        (has("error", response) and len(response) < 100, 0.2, "a brief error message"),
        (len(response.raw.strip()) < 20, 0.1, "too short to be an answer"),
        (
            has("topic", turn.query) and not has("topic", response),
            0.4,
            "does not speak of what was asked",
        ),
    )
    for is_so, score, why in faults:
        if is_so:
            return Verdict(score, why, extras={"completed": False})
    tally = Tally(0.5)
    if any(letter.isdigit() for letter in lowered(response)):
        tally.add(0.2, "figures given")
    if has("task_advice", response):
        tally.add(0.2, "advice given")
    if len(response) > 100:
        tally.add(0.1, "a substantial answer")
    verdict = tally.verdict()
    return replace(verdict, extras={"completed": verdict.score >= COMPLETE_FROM})


def recommendation_quality(turn: Turn, _: Domain) -> Verdict:
    """Is there advice, with things to do and a reason?"""
    advice = found("advice", turn.response)
    told = {"has_recommendations": bool(advice), "recommendation_count": len(advice)}
    if not advice and has("advice_asked", turn.query):
        return Verdict(0.2, "advice was asked for and not given", extras=told)
    if not advice:
        return not_applicable("no advice was asked for or given", told)
    tally = Tally(0.5)
    if has("item", turn.response):
        tally.add(0.2, "something to do or take is named")
    if has("reason", turn.response):
        tally.add(0.2, "a reason is given")
    if len(advice) >= 3:
        tally.add(0.1, "several words of advice")
    return tally.verdict(extras=told)


def context_retention(turn: Turn, _: Domain) -> Verdict:
    """Does the answer take up what was said before? "Cold weather" makes a city of "cold"."""
    if not turn.history:
        return not_applicable("no earlier turns", {"retained_items": []})
    tally = Tally(0.5)
    said = [past.user for past in turn.history]
    cities = {city for text in said for city in _cities(text)}
    named = [city for city in sorted(cities) if city in lowered(turn.response)]
    if named:
        tally.add(0.2, f"city: {', '.join(named)}")
    elif any(city in lowered(turn.query) for city in cities):
        tally.add(-0.1, "ignores the city")
    prefers = any(has("preferring", t) and any(has(kind, t) for kind in _KINDS) for t in said)
    if prefers and has("acknowledging", turn.response) and has("acknowledged", turn.response):
        tally.add(0.15, "preference")
    days = {day for text in said for day in found("day", text)}
    if days & set(found("day", turn.response)):
        tally.add(0.15, "day")
    return tally.verdict(extras={"retained_items": tally.strengths})


def _cities(text: Any) -> list[str]:
    plain = lowered(text)
    return [*found("city", text), *_AFTER_IN.findall(plain), *_BEFORE_DAY.findall(plain)]


def adaptation_quality(turn: Turn, _: Domain) -> Verdict:
    """Does the answer follow what was learned? Only of a store that counts what it learned."""
    known = dict(stored_items(turn.preferences or {}))
    if not known.get(LEARNED):
        return not_applicable("nothing was learned of the user", {"adaptations_detected": []})
    tally, said = Tally(0.5), turn.response
    indoor, outdoor = "indoor" in lowered(said), "outdoor" in lowered(said)
    follows = {
        "dislikes_cold": has("warm", said) and has("cold", said),
        "dislikes_rain": "rain" in lowered(said) and has("shelter", said),
        "prefers_indoor": indoor and not outdoor,
        "outdoor_activities": outdoor and not known.get("prefers_indoor"),
        "dislikes_heat": has("cool", said),
    }
    for flag, is_met in follows.items():
        if known.get(flag) and is_met:
            tally.add(0.1 if flag == "dislikes_heat" else 0.15, flag)
    if has("awareness", said):
        tally.add(0.1, "speaks of preferences")
    return tally.verdict(extras={"adaptations_detected": tally.strengths})


def implementation_effort(turn: Turn, domain: Domain) -> Verdict:
    """How hard is it to build the same thing? Four or five files are neither few nor many."""
    return weighed_effort(turn, domain, PUBLIC_EFFORT)


def repeatability(turn: Turn, _: Domain) -> Verdict:
    """Does the same question get the same kind of answer?"""
    tally = Tally(0.7)
    asked = _long_tokens(turn.query)
    alike = [p.assistant for p in turn.history if len(asked & _long_tokens(p.user)) >= 2]
    if alike:
        shared = {"same_temperature": 0.3, "same_recommendation": 0.3, "same_item": 0.2}
        worth = {g: w for g, w in shared.items() if _in_both(g, turn, alike)}
        tally.total = 0.5 if worth else tally.total
        for group, amount in worth.items():
            tally.add(amount, in_both(group.removeprefix("same_")))
        if not worth:
            tally.add(-0.2, NOTHING_IN_BOTH)
    elif not turn.history and has("on_topic", turn.response):
        tally.add(0.1, "keeps to the topic")
    if has("uncertain", turn.response):
        tally.add(-0.1, "wavers")
    if len(turn.response) < 30:
        tally.add(-0.1, "very short")
    elif len(turn.response) > 1000:
        tally.add(-0.05, "very long")
    return tally.verdict(extras=tally.reasons())


def _long_tokens(text: Any) -> set[str]:
    return {token for token in lowered(text).split() if len(token) > 3}


def _in_both(group: str, turn: Turn, earlier: list[Any]) -> bool:
    return has(group, turn.response) and any(has(group, answer) for answer in earlier)


def groundedness(_: Turn, __: Domain) -> Verdict:
    """Nothing: the published code has no such metric."""
    return not_applicable("the published code has no such metric", {"claims": 0})


PUBLIC_METRICS: dict[str, Callable[[Turn, Domain], Verdict]] = {
    "accuracy": accuracy,
    "task_completion": task_completion,
    "recommendation_quality": recommendation_quality,
    "context_retention": context_retention,
    "adaptation_quality": adaptation_quality,
    "response_time": response_time,
    "tool_call_count": tool_call_count,
    "action_planning": action_planning,
    "implementation_effort": implementation_effort,
    "integration_simplicity": integration_simplicity,
    "debuggability": debuggability,
    "error_recovery": error_recovery,
    "ambiguity_handling": ambiguity_handling,
    "repeatability": repeatability,
    "groundedness": groundedness,
}
