"""What a chat request says: the last words of the user, what came before, what tools returned."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from assay.agents.weather.learning import learn
from assay.agents.weather.source import known_cities
from assay.text.payload import unwrap

_LONGEST_SAID = 20_000
_PLACE = re.compile(r"\b(?:in|for|at|about)\s+((?:[A-Z][\w'-]{1,30})(?:\s[A-Z][\w'-]{1,30}){0,2})")
_NO_PLACES = frozenset(
    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
    | {"Today", "Tomorrow", "Celsius", "I"}
)
_ASKS = re.compile(
    r"\b(?:weather|temperature|forecast|rain|raining|umbrella|jacket|wear|degrees|cold|hot|"
    r"tomorrow|outdoors?|outside|plan)\b|天气|气温|下雨|预报|明天",
    re.IGNORECASE,
)
_OF_LATER = re.compile(
    r"\b(?:tomorrow|forecast|week|weekend|next|days)\b|明天|预报|周末", re.IGNORECASE
)
# The part a tool can play for a weather assistant, by the words its name must have.
_ROLES = (
    ("forecast", {"forecast"}),
    ("remember", {"update", "preferences"}),
    ("recall", {"get", "preferences"}),
    ("current", {"weather"}),
)


class Call(Struct, frozen=True):
    """A tool call to make: its name and its arguments as they are sent."""

    name: str
    arguments: str


class Result(Struct, frozen=True):
    """What a tool returned: the value inside its wrapping, or what went wrong."""

    value: Any
    error: str | None = None


class Situation(Struct, frozen=True):
    """All that the next words depend on."""

    said: str
    earlier: tuple[str, ...]
    results: tuple[Result, ...]
    tools: dict[str, str]
    offered: tuple[str, ...]

    @property
    def asks_for_weather(self) -> bool:
        """Whether the user asks for the weather rather than telling something."""
        return bool(_ASKS.search(self.said)) and not self.learned

    @property
    def asks_for_later(self) -> bool:
        """Whether the days to come are meant."""
        return bool(_OF_LATER.search(self.said))

    @property
    def cities(self) -> list[str]:
        """The cities that the user named now."""
        return cities_in(self.said)

    @property
    def city_before(self) -> str | None:
        """The last city named in an earlier turn."""
        named = [city for text in self.earlier for city in cities_in(text)]
        return named[-1] if named else None

    @property
    def learned(self) -> list[tuple[str, bool]]:
        """What the user's words tell of them."""
        return [(item.flag, item.value) for item in learn(self.said)]

    @property
    def known(self) -> set[str]:
        """What earlier words and looked-up preferences tell of the user."""
        flags = {item.flag: item.value for text in self.earlier for item in learn(text)}
        for result in self.results:
            kept = result.value.get("flags") if isinstance(result.value, dict) else None
            flags |= kept if isinstance(kept, dict) else {}
        return {flag for flag, value in flags.items() if value is True}


def read_request(request: dict[str, Any]) -> Situation:
    """Read a chat request; what is odd in it is passed over."""
    messages = [m for m in request.get("messages") or [] if isinstance(m, dict)]
    spoken = [i for i, message in enumerate(messages) if message.get("role") == "user"]
    last = spoken[-1] if spoken else -1
    names = [
        name
        for tool in request.get("tools") or []
        if isinstance(tool, dict)
        and isinstance(name := (tool.get("function") or {}).get("name"), str)
    ]
    return Situation(
        said=_text(messages[last]) if spoken else "",
        earlier=tuple(_text(messages[i]) for i in spoken[:-1]),
        results=tuple(_result(m) for m in messages[last + 1 :] if m.get("role") == "tool"),
        tools=_by_role(names),
        offered=tuple(names),
    )


def cities_in(text: str) -> list[str]:
    """The cities a text names, in their order: those we know, and capitalised places."""
    found: dict[str, int] = {}
    for name, city in known_cities().items():
        place = re.search(
            rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name), text.lower()
        )
        if place:
            found.setdefault(city.name, place.start())
    for match in _PLACE.finditer(text):
        if match[1].split()[0] not in _NO_PLACES and match[1].lower() not in known_cities():
            found.setdefault(match[1], match.start(1))
    return sorted(found, key=lambda name: found[name])


def _by_role(names: list[str]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for name in names:
        words = set(re.split(r"[\W_]+", name.lower()))
        role = next((role for role, needed in _ROLES if needed <= words), None)
        if role is not None:
            roles.setdefault(role, name)
    return roles


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = " ".join(part for part in parts if isinstance(part, str))
    return content[:_LONGEST_SAID] if isinstance(content, str) else ""


def _result(message: dict[str, Any]) -> Result:
    payload = unwrap(_text(message))
    value = payload.value
    if isinstance(value, dict) and set(value) == {"result"}:
        value = unwrap(value["result"]).value
    if isinstance(value, dict) and value.get("error"):
        return Result(value, str(value["error"]))
    if payload.reported_success is False or not isinstance(value, dict):
        return Result(value, value if isinstance(value, str) else json.dumps(value))
    return Result(value)
