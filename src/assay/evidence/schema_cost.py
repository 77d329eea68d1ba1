"""Can a schema be checked in bounded time? References make hours of work of a few lines.

The validator is compiled code that nothing can interrupt, so the answer must come before it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

# Checked in some hundredths of a second; real tools need some hundreds of steps.
_LARGEST_EXPANSION = 1_000_000
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# What these hold is checked against the same value, not against a part of it.
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_SAME_VALUE_BY_NAME = ("dependentSchemas", "dependencies")
# What stands here counts where it is referred to.
_DEFINITIONS = frozenset({"$defs", "definitions"})
# What stands here is data, whatever it looks like.
_DATA = frozenset({"const", "default", "enum", "examples"})


def why_too_costly(schema: Any) -> str | None:
    """Why a schema is not to be checked, as one sentence; None when it may be."""
    names = _Names(schema)
    if names.are_ambiguous:
        return "the server's schema names its parts in ways too involved to be checked"
    if _has_circle(schema, names):
        return "the server's schema refers back to itself without end"
    if _expansion(schema, names) > _LARGEST_EXPANSION:
        return "the server's schema refers to itself in too many ways to be checked"
    return None


def expansion(schema: Any) -> int:
    """How many subschemas a value may meet, with every local reference written out."""
    return _expansion(schema, _Names(schema))


class _Names:
    """The parts of a schema that can be referred to, and what each reference means."""

    def __init__(self, schema: Any) -> None:
        self._root = schema
        self._named: dict[str, Any] = {}
        id_key = _id_key(schema)
        # A name that stands twice, or a path from inside a schema with an id of its own, means
        # different things in different places.
        self.are_ambiguous = False
        for part in _parts(schema):
            own_id = part.get(id_key)
            for name in _names_of(part, own_id):
                self.are_ambiguous |= self._named.setdefault(name, part) is not part
            if part is not schema and isinstance(own_id, str) and not own_id.startswith("#"):
                self.are_ambiguous |= any(ref.startswith("#") for ref in _references(part))

    def target(self, reference: str) -> Any:
        """What a local reference points at; None when that is nowhere: compiling will tell."""
        base, _, fragment = reference.partition("#")
        part = self._named.get(_last_step(base)) if base else self._root
        if not fragment.startswith("/"):
            return self._named.get(f"#{fragment}") if fragment else part
        for step in fragment.split("/")[1:]:
            part = _below(part, unquote(step).replace("~1", "/").replace("~0", "~"))
        return part


def _expansion(schema: Any, names: _Names) -> int:
    counted: dict[str, int] = {}

    def count(part: Any) -> int:
        if isinstance(part, list):
            return sum(map(count, part))
        if not isinstance(part, dict):
            return 0
        below = sum(count(item) for key, item in part.items() if key not in _DEFINITIONS)
        return 1 + below + sum(map(count_target, _own_references(part)))

    def count_target(reference: str) -> int:
        if reference not in counted:
            counted[reference] = 0  # a circle counts once: each turn consumes some of the value
            counted[reference] = count(names.target(reference))
        return counted[reference]

    return count(schema)


def _has_circle(schema: Any, names: _Names) -> bool:
    """Whether checking a value leads back to the same check of the same value."""
    is_open: dict[str, bool] = {}

    def comes_back(reference: str) -> bool:
        if reference in is_open:
            return is_open[reference]
        is_open[reference] = True
        found = any(map(comes_back, _same_value_references(names.target(reference))))
        is_open[reference] = False
        return found

    return any(map(comes_back, _references(schema)))


def _same_value_references(part: Any) -> Iterator[str]:
    if not isinstance(part, dict):
        return
    yield from _own_references(part)
    for key in _SAME_VALUE:
        held = part.get(key)
        for item in held if isinstance(held, list) else [held]:
            yield from _same_value_references(item)
    for key in _SAME_VALUE_BY_NAME:
        held = part.get(key)
        for item in held.values() if isinstance(held, dict) else ():
            yield from _same_value_references(item)


def _references(schema: Any) -> Iterator[str]:
    for part in _parts(schema):
        yield from _own_references(part)


def _own_references(part: dict[str, Any]) -> Iterator[str]:
    return (part[key] for key in _REFERENCES if isinstance(part.get(key), str))


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        schema = [item for key, item in schema.items() if key not in _DATA]
    for item in schema if isinstance(schema, list) else ():
        yield from _parts(item)


def _id_key(schema: Any) -> str:
    dialect = schema.get("$schema") if isinstance(schema, dict) else None
    return "id" if isinstance(dialect, str) and "draft-04" in dialect else "$id"


def _names_of(part: dict[str, Any], own_id: object) -> Iterator[str]:
    for key in ("$anchor", "$dynamicAnchor"):
        if isinstance(part.get(key), str):
            yield f"#{part[key]}"
    if isinstance(own_id, str):
        yield _last_step(own_id.removesuffix("#"))


def _last_step(address: str) -> str:
    return address.rpartition("/")[2]


def _below(part: Any, step: str) -> Any:
    if isinstance(part, list) and step.isdigit() and int(step) < len(part):
        return part[int(step)]
    return part.get(step) if isinstance(part, dict) else None
