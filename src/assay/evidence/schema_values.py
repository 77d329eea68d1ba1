"""The values that a tool's schema itself offers: enum, const, default, examples, description."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.evidence.quantities import number_in
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LISTS = (("enum", "enum"), ("examples", "example"))
_SINGLES = (("const", "const"), ("default", "default"), ("example", "example"))
_MOST_FIELDS = 2_000


class FieldValues(Struct):
    """What the schema says of the fields of one name, at whatever depth."""

    offered: dict[str | float, str]
    described: str = ""

    def keyword_for(self, value: Any) -> str | None:
        """The keyword under which the schema offers a value; None if it does not."""
        found = self.offered.get(_normal(value))
        if found is None and isinstance(value, str) and phrase_of(value) in self.described:
            return "description"
        return found


def schema_values(schema: Any) -> Mapping[str, FieldValues]:
    """The offered values by field name; empty for a schema that is missing or unreadable."""
    if not isinstance(schema, dict):
        return {}
    try:
        return _by_field(msgspec.json.encode(schema))
    except (TypeError, ValueError, RecursionError, OverflowError):
        return {}


@lru_cache(maxsize=2048)
def _by_field(schema_text: bytes) -> dict[str, FieldValues]:
    found: dict[str, FieldValues] = {}
    for name, field in _fields(msgspec.json.decode(schema_text)):
        known = found.setdefault(name, FieldValues({}))
        for keyword, said in _LISTS:
            values = field.get(keyword)
            for value in values if isinstance(values, list) else ():
                known.offered.setdefault(_normal(value), said)
        for keyword, said in _SINGLES:
            if keyword in field:
                known.offered.setdefault(_normal(field[keyword]), said)
        if isinstance(field.get("description"), str):
            known.described += phrase_of(field["description"])
    return found


def _fields(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every sub-schema with the name of the field it belongs to."""
    waiting: list[tuple[str, Any]] = [("", schema)]
    seen = 0
    while waiting and seen < _MOST_FIELDS:
        name, value = waiting.pop()
        seen += 1
        if isinstance(value, list):
            waiting += [(name, item) for item in value]
        elif isinstance(value, dict):
            yield name, value
            for key, item in value.items():
                if key == "properties" and isinstance(item, dict):
                    waiting += item.items()
                elif isinstance(item, dict | list) and key not in {"enum", "examples"}:
                    waiting.append((name, item))


def _normal(value: Any) -> str | float:
    number = number_in(value)
    if number is not None:
        return number
    return phrase_of(value) if isinstance(value, str) else repr(value)
