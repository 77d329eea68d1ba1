"""Which runs are looked at, and by whose rules: the filters that every analysis takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

from msgspec import Struct

from assay.errors import UnknownName

Rules = Literal["assay", "seed"]
RULES: tuple[Rules, ...] = get_args(Rules)


class Filters(TypedDict, total=False):
    """What every analysis takes besides its own parameters; names are matched in any case."""

    models: Sequence[str]
    judges: Sequence[str]
    attempts: Sequence[int]
    tasks: Sequence[str]
    servers: Sequence[str]
    tools: Sequence[str]
    experiments: Sequence[str]
    rules: Rules


class Selection(Struct, frozen=True):
    """Filters as values; an empty one lets everything through."""

    models: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    rules: Rules = "assay"

    def __post_init__(self) -> None:
        """Refuse rules that nobody has."""
        if self.rules not in RULES:
            raise UnknownName("set of rules", self.rules, RULES)

    @classmethod
    def of(cls, filters: Filters) -> Selection:
        """The selection that keyword arguments mean."""
        given = dict(filters)
        rules = given.pop("rules", "assay")
        unknown = next((name for name in given if name not in NAMES), None)
        if unknown is not None:
            raise UnknownName("filter", unknown, NAMES)
        chosen = {name: _values(values) for name, values in given.items() if values is not None}
        return cls(**chosen, rules=rules)  # type: ignore[arg-type]  # checked just above

    def chosen(self) -> list[tuple[str, str]]:
        """All filters as pairs of a filter's name and a value that it lets through."""
        return [(name, value) for name in NAMES for value in getattr(self, name)]

    def has(self, name: str) -> bool:
        """Whether there is a filter of this name."""
        return bool(getattr(self, name))


NAMES = tuple(name for name in Selection.__struct_fields__ if name != "rules")


def _values(values: object) -> tuple[str, ...]:
    listed = values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    return tuple(str(value).lower() for value in listed)
