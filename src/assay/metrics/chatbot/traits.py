"""What is known of an implementation besides its answers."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord
from assay.metrics.chatbot.source_measure import SourceMeasure

if TYPE_CHECKING:
    from collections.abc import Mapping

Grade = Literal["low", "medium", "high"]
# What source code tells; whatever else is known of an implementation somebody asserts.
MEASURED = frozenset({"files", "setup", "code"})
# The names that the adapters have for what the seed asserts something of.
SEED_NAMES = {
    "adk": "GADK",
    "google-adk": "GADK",
    "weather-adk": "GADK",
    "agent-framework": "MS",
    "weather-agent-framework": "MS",
}


class Traits(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of one implementation; None is not known."""

    files: int | None = None
    setup: Grade | None = None
    code: Grade | None = None
    tool_files: int | None = None
    memory: Literal["built-in", "manual"] | None = None
    errors: Literal["framework", "manual"] | None = None
    logging: Literal["framework", "basic"] | None = None
    documentation: Literal["comprehensive", "moderate"] | None = None
    measure: SourceMeasure | None = None
    """What was counted from the source, where `files`, `setup` and `code` come from there."""

    def to_dict(self) -> dict[str, Any]:
        """The traits that are known."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        del found["measure"]
        return {name: value for name, value in found.items() if value is not None}

    def sources_of(self, *names: str) -> dict[str, Any]:
        """Which of these traits were measured, which are only asserted, and what was counted."""
        measured = [name for name in names if self.measure is not None and name in MEASURED]
        counted = {} if self.measure is None else msgspec.to_builtins(self.measure)
        asserted = [name for name in names if name not in measured]
        return {"measured": measured, "asserted": asserted, "counted": counted}


@cache
def seed_traits() -> dict[str, Traits]:
    """The traits that the seed asserts, by framework name."""
    text = (Path(__file__).parent / "traits.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Traits])


def read_traits(given: Mapping[str, Any] | None) -> dict[str, Traits]:
    """The seed's traits and those given, which win."""
    try:
        own = {
            name: found if isinstance(found, Traits) else msgspec.convert(found, Traits)
            for name, found in (given or {}).items()
        }
    except msgspec.ValidationError as exc:
        raise InvalidRecord(f"traits: {exc}") from exc
    return {**seed_traits(), **own}


def traits_of(framework: str, known: Mapping[str, Traits]) -> Traits:
    """What is known of a framework: by its name, by that before "=MODEL", by the seed's name."""
    name = framework.partition("=")[0]
    for each in (framework, name, SEED_NAMES.get(name, "")):
        if each in known:
            return known[each]
    return Traits()
