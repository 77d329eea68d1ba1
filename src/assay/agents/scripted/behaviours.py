"""The parts the scripted model can play, each a function from the situation to the next words."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.agents.scripted import PREFIX
from assay.agents.scripted.dialogue import Call, Situation
from assay.agents.scripted.phrases import UNDERSTOOD, WHICH_CITY, answer
from assay.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

_DIRECTION = re.compile(r"\[([a-z][a-z0-9-]{2,30})(?:\s+([^\[\]]{1,2000}))?\]")
HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=alert(1)> "
    "[link](javascript:alert(1)) \x1b[31mred\x1b[0m \u202eesrever\u202c **bold** &amp; done."
)


class Words(Struct, frozen=True):
    """What the model does next: speaks, calls tools, or fails in one of several ways."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    status: int = 200
    hangs: bool = False
    drops: bool = False
    cut_off: bool = False


def play(model: str, situation: Situation, variant: int = 0) -> Words:
    """The next words of the part that a model's name asks for; stage directions come first."""
    part = PARTS.get(model.removeprefix(PREFIX))
    if part is None:
        raise UnknownName("scripted model", model, [PREFIX + name for name in PARTS])
    directed = _directed(situation)
    return part(situation, variant) if directed is None else directed


def _directed(situation: Situation) -> Words | None:
    """A direction in brackets is followed once, before any result has come."""
    match = _DIRECTION.search(situation.said)
    if match is None or match[1] not in DIRECTIONS:
        return None
    if situation.results and match[1] not in _EVERY_TIME:
        return None
    return DIRECTIONS[match[1]](situation, match[2] or "")


def _any_tool(situation: Situation) -> str:
    return situation.tools.get("current") or next(iter(situation.offered), "get_current_weather")


def _named_call(situation: Situation, written: str) -> Words:
    name, _, arguments = written.partition(" ")
    return Words(calls=(Call(name or _any_tool(situation), arguments or "{}"),))


# What a prompt can ask for in brackets, to see how an agent bears it: "[http-500]".
DIRECTIONS: dict[str, Callable[[Situation, str], Words]] = {
    "http-500": lambda _, __: Words(status=500),
    "http-429": lambda _, __: Words(status=429),
    "hang": lambda _, __: Words(hangs=True),
    "drop": lambda _, __: Words(text="I was just about to", drops=True),
    "cut-off": lambda _, __: Words(text="The weather is going to", cut_off=True),
    "hostile": lambda _, __: Words(text=HOSTILE),
    "unknown-tool": lambda _, __: Words(calls=(Call("no_such_tool", "{}"),)),
    "broken-arguments": lambda s, _: Words(calls=(Call(_any_tool(s), '{"city": "Hels'),)),
    "wrong-arguments": lambda s, _: Words(calls=(Call(_any_tool(s), '{"town": 42}'),)),
    "call": _named_call,
}
_EVERY_TIME = frozenset({"http-500", "http-429", "hang", "drop", "hostile"})


def sensible(situation: Situation, variant: int) -> Words:
    """Look things up, remember, and say what was found."""
    if situation.results:
        return Words(answer(situation, variant))
    remembered = _remembering(situation)
    if remembered:
        return Words(calls=remembered)
    if not situation.asks_for_weather:
        return Words(UNDERSTOOD)
    cities = situation.cities or ([situation.city_before] if situation.city_before else [])
    if not cities:
        return Words(WHICH_CITY)
    return _look_up(situation, cities) or Words(
        "I have no tools, so I am unable to get weather data. "
        "You could try a forecast site instead."
    )


def sloppy(situation: Situation, variant: int) -> Words:
    """Ask twice for the same, in the wrong place first, and leave out the advice."""
    if len(situation.results) > 2:
        first = answer(situation, variant).split(". ")[0]
        return Words(f"{first}.")
    if situation.asks_for_weather and situation.cities and "current" in situation.tools:
        city = situation.cities[0]
        places = ("somewhere", city, city)
        return Words(
            calls=(_call(situation.tools["current"], city=places[len(situation.results)]),)
        )
    return Words("OK." if situation.results else UNDERSTOOD)


def ungrounded(situation: Situation, variant: int) -> Words:
    """Answer at once with figures that no tool returned."""
    if not situation.asks_for_weather:
        return Words(UNDERSTOOD)
    city = next(iter(situation.cities), situation.city_before) or "your city"
    drawn = blake2b(f"{city}{variant}".encode(), digest_size=2).digest()
    temperature, humidity = 31 + drawn[0] % 8, 11 + drawn[1] % 9
    return Words(
        f"The temperature in {city} is {temperature}°C with a thunderstorm and {humidity}% "
        "humidity. I recommend an umbrella because storms are likely."
    )


def forgetful(situation: Situation, variant: int) -> Words:
    """Do as the sensible one does, knowing nothing of what was said before."""
    unremembered = Situation(
        situation.said, (), situation.results, _without_memory(situation), situation.offered
    )
    return sensible(unremembered, variant)


def failing(situation: Situation, variant: int) -> Words:
    """Break in a different way each time: wrong tools, wrong arguments, and then a curt refusal."""
    if situation.results:
        return Words("Error. Sorry, that failed.")
    if not situation.asks_for_weather:
        return Words(UNDERSTOOD)
    ways = ("unknown-tool", "wrong-arguments", "broken-arguments")
    drawn = blake2b(f"{situation.said}{variant}".encode(), digest_size=1).digest()[0]
    return DIRECTIONS[ways[drawn % len(ways)]](situation, "")


PARTS: dict[str, Callable[[Situation, int], Words]] = {
    "good": sensible,
    "sloppy": sloppy,
    "ungrounded": ungrounded,
    "forgetful": forgetful,
    "failing": failing,
}


def _remembering(situation: Situation) -> tuple[Call, ...]:
    if "remember" not in situation.tools:
        return ()
    name = situation.tools["remember"]
    return tuple(_call(name, preference=flag, value=value) for flag, value in situation.learned)


def _look_up(situation: Situation, cities: list[str]) -> Words | None:
    role = "forecast" if situation.asks_for_later and "forecast" in situation.tools else "current"
    if role not in situation.tools:
        return None
    more: dict[str, object] = {"days": 3} if role == "forecast" else {}
    return Words(calls=tuple(_call(situation.tools[role], city=city, **more) for city in cities))


def _without_memory(situation: Situation) -> dict[str, str]:
    kept = {"current", "forecast"}
    return {role: name for role, name in situation.tools.items() if role in kept}


def _call(name: str, **arguments: object) -> Call:
    return Call(name, json.dumps(arguments))
