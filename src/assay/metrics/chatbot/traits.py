"""What is known of an implementation besides its answers."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

Grade = Literal["low", "medium", "high"]


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

    def to_dict(self) -> dict[str, Any]:
        """The traits that are known."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in found.items() if value is not None}


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
