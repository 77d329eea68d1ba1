"""What a server promises: its tools, what they take and what they give, and how that changed.

A change is judged by its direction. What a tool takes may grow and must not shrink; what it gives
may shrink and must not grow. Whether one schema admits all that another does is decided by
jsonschema-rs; what it cannot decide counts as no.
"""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import jsonschema_rs
import msgspec
from msgspec import Struct

from assay.errors import InvalidTools
from assay.mcp.frames import parse_any, read_recording, recorded_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
Level = Literal["breaking", "risky", "unstated", "fine"]
LEVELS: Final[tuple[Level, ...]] = ("breaking", "risky", "unstated", "fine")
Schema = dict[str, Any] | bool
Tool = dict[str, Any]
# What a schema says to people, or how it is identified; nothing is accepted or refused by it.
_NOT_BINDING = frozenset(
    {"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"}
    | {"readOnly", "writeOnly"}
)
_OF_SCHEMAS = frozenset({"items", "not", "if", "then", "else", "contains", "propertyNames"}) | {
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
}
_OF_NAMED_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_OF_LISTED_SCHEMAS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
# Generators write the bounds of what JavaScript can count, or of a machine's integers.
_LARGEST_INTEGERS = (2**53 - 1, 2**53, 2**63 - 1)
_BOUNDS = {"minimum": -1, "exclusiveMinimum": -1, "maximum": 1, "exclusiveMaximum": 1}
_DEEPEST = 30
_MOST_VISITED = 2000
# A hint that is not given means this, by the protocol: the worst.
_HINTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


class Change(Struct, frozen=True):
    """One difference between two contracts, and what it means to whoever calls the tool."""

    tool: str
    level: Level
    what: str
    place: str = ""

    def sentence(self) -> str:
        """Where, and what."""
        return f"{self.tool}{' ' if self.place else ''}{self.place}: {self.what}"


def names_a_file(target: str) -> bool:
    """Whether a target is a file to read, and no address and no command."""
    if target.endswith((".json", ".jsonl")) and " " not in target:
        return True
    try:
        return Path(target).is_file() and not os.access(target, os.X_OK)
    except OSError:  # a command may be longer than a name
        return False


def read_tool_list(path: Path) -> list[Tool]:
    """The tools in a file: a recording, or a list as the protocol or a client writes it."""
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise InvalidTools(f"{path} cannot be read: {exc.strerror}") from exc
    value = parse_any(data)
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value = value["tools"]
    if not isinstance(value, list):
        tools = recorded_tools(read_recording(path))
        if not tools:
            raise InvalidTools(f"{path} holds no answer to tools/list")
        return tools
    return [tool for tool in value if isinstance(tool, dict)]


def contract_hash(tools: Sequence[Tool]) -> str:
    """The identity of a contract: the same for the same names, schemas and hints in any order."""
    known = sorted(
        (
            str(tool.get("name")),
            encoded(binding(tool.get("inputSchema", {}))),
            encoded(binding(tool.get("outputSchema", {}))),
            _hints(tool),
        )
        for tool in tools
    )
    return blake2b(msgspec.json.encode(known), digest_size=8).hexdigest()


def encoded(schema: object) -> str:
    """A schema as text, its keys in order."""
    return msgspec.json.encode(schema, order="deterministic").decode()


def binding(schema: Any, depth: int = 0) -> Any:
    """What of a schema decides which values it admits, written in one way."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _OF_NAMED_SCHEMAS and isinstance(value, dict):
            found[key] = {name: binding(each, depth + 1) for name, each in value.items()}
        elif key in _OF_LISTED_SCHEMAS and isinstance(value, list):
            found[key] = [binding(each, depth + 1) for each in value]
        elif key in _OF_SCHEMAS:
            found[key] = binding(value, depth + 1)
        elif key == "required" and isinstance(value, list):
            found[key] = sorted(map(str, value))
        elif key not in _NOT_BINDING and not _bounds_nothing(key, value):
            found[key] = value
    for key, nothing in (("required", []), ("properties", {}), ("additionalProperties", {})):
        if found.get(key) == nothing or (key == "additionalProperties" and found.get(key) is True):
            del found[key]
    return found


def _bounds_nothing(key: str, value: object) -> bool:
    sign = _BOUNDS.get(key)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return sign is not None and number and value * sign in _LARGEST_INTEGERS  # type: ignore[operator]


def compare_tools(old: Sequence[Tool], new: Sequence[Tool]) -> list[Change]:
    """Every change from one contract to the other, worst first."""
    before = {str(tool.get("name")): tool for tool in old}
    after = {str(tool.get("name")): tool for tool in new}
    found = [Change(name, "breaking", "is gone") for name in before if name not in after]
    found += [Change(name, "fine", "is new") for name in after if name not in before]
    for name in before.keys() & after.keys():
        found += (
            Change(name, level, what, place)
            for level, place, what in _changes(before[name], after[name])
        )
    return sorted(found, key=lambda each: (LEVELS.index(each.level), each.tool, each.place))


_Found = tuple[Level, str, str]


def _changes(old: Tool, new: Tool) -> Iterator[_Found]:
    yield from _of_input(old.get("inputSchema"), new.get("inputSchema"))
    yield from _of_output(old.get("outputSchema"), new.get("outputSchema"))
    turned: dict[Level, list[str]] = {}
    for hint, before, after in zip(_HINTS, _hints(old), _hints(new), strict=True):
        if before != after:
            what = f"{hint} is {_text(after)}, and was {_text(before)}"
            turned.setdefault("risky" if after is _HINTS[hint] else "fine", []).append(what)
    yield from ((level, "", "; ".join(told)) for level, told in turned.items())
    if (old.get("description") or "") != (new.get("description") or ""):
        yield "fine", "", "the description changed: a model may choose otherwise"


def _hints(tool: Tool) -> list[bool]:
    """The hints as they are meant: what only reads destroys nothing and can be repeated."""
    given = tool.get("annotations")
    known = given if isinstance(given, dict) else {}
    values = [bool(known.get(name, default)) for name, default in _HINTS.items()]
    return [True, False, True, values[3]] if values[0] else values


def _of_input(old: Any, new: Any) -> Iterator[_Found]:
    old, new = (each if isinstance(each, dict) else {} for each in (old, new))
    before, after = binding(old), binding(new)
    if before != after and before == {}:
        yield "unstated", "input", "the old contract said nothing of what it takes"
        return
    if before != after and after == {}:
        yield "risky", "input", "the new contract says nothing of what it takes"
        return
    # Arguments are an object, whether a schema says so or not.
    old, new = {"type": "object"} | old, {"type": "object"} | new
    admits_all = covers(new, old)
    for level, place, what in _Walk(old, new, is_input=True).changes(old, new, "input"):
        # What moved within the schema may look narrower in one place and not be so as a whole.
        yield ("fine" if admits_all and level == "breaking" else level), place, what


def _of_output(old: Any, new: Any) -> Iterator[_Found]:
    if old is None and new is not None:
        yield "unstated", "output", "the old contract said nothing of what it gives"
    elif old is not None and new is None:
        yield "breaking", "output", "what it gives is not promised any more"
    elif old is not None:
        yield from _Walk(old, new, is_input=False).changes(old, new, "output")


class _Walk:
    """Goes through two schemas side by side, as far as both are objects and lists."""

    def __init__(self, old: Any, new: Any, *, is_input: bool) -> None:
        self._roots = (old, new)
        self._is_input = is_input
        self._left = _MOST_VISITED
        self._seen: set[tuple[str, str]] = set()

    def changes(self, old: Any, new: Any, place: str, depth: int = 0) -> Iterator[_Found]:
        if old == new and self._roots[0] == self._roots[1]:
            return
        before, after = _followed(old, self._roots[0]), _followed(new, self._roots[1])
        self._left -= 1
        if self._left > 0 and isinstance(before, dict) and isinstance(after, dict):
            if (was := before.get("default")) != (now := after.get("default")):
                yield "risky", place, f"the default is {_text(now)}, and was {_text(was)}"
            if (form := after.get("format")) != before.get("format"):
                how = f"its format is {_text(form)}, and was {_text(before.get('format'))}"
                yield ("risky" if form else "fine"), place, how
            if self._was_seen(old, new):
                return
            if depth < _DEEPEST and _is_object(before) and _is_object(after):
                yield from self._of_objects(before, after, place, depth)
                return
            if depth < _DEEPEST and _is_list(before) and _is_list(after):
                inner = before.get("items", True), after.get("items", True)
                yield from self.changes(*inner, f"{place}[]", depth + 1)
                rest = [{k: v for k, v in each.items() if k != "items"} for each in (before, after)]
                yield from self._of_values(rest[0], rest[1], place)
                return
        yield from self._of_values(before, after, place)

    def _was_seen(self, old: Any, new: Any) -> bool:
        """Whether these two definitions were compared already, where they were met first."""
        pair = (str(old.get("$ref", "")), str(new.get("$ref", "")))
        seen = all(pair) and pair in self._seen
        self._seen.add(pair)
        return seen

    def _of_objects(self, old: Tool, new: Tool, place: str, depth: int) -> Iterator[_Found]:
        before, after = _properties(old), _properties(new)
        others = [each.get("additionalProperties", True) for each in (old, new)]
        required = [_required(each) for each in (old, new)]
        for name in sorted(before.keys() - after.keys()):
            if self._is_input and others[1] is False:
                yield "breaking", f"{place}.{name}", "is refused now"
            elif self._is_input and _says_something(others[1]):
                yield from self._of_values(before[name], others[1], f"{place}.{name}")
            else:
                yield self._removed(f"{place}.{name}", was_required=name in required[0])
        for name in sorted(before.keys() & after.keys()):
            yield from self.changes(before[name], after[name], f"{place}.{name}", depth + 1)
        for name in sorted(required[1] - required[0]):
            level: Level = "breaking" if self._is_input else "fine"
            yield level, f"{place}.{name}", "is required now"
        for name in sorted(after.keys() - before.keys() - (required[1] - required[0])):
            if self._is_input and _says_something(others[0]) and others[0] is not False:
                yield from self._of_values(others[0], after[name], f"{place}.{name}")
            else:
                yield "fine", f"{place}.{name}", "is new and optional"
        for name in sorted((required[0] - required[1]) & after.keys()):
            level = "fine" if self._is_input else "breaking"
            yield level, f"{place}.{name}", "is not required any more"
        yield from self._of_others(others[0], others[1], place)
        beside = {"properties", "required", "additionalProperties"}
        rest = [{k: v for k, v in each.items() if k not in beside} for each in (old, new)]
        yield from self._of_values(rest[0], rest[1], place)

    def _removed(self, place: str, *, was_required: bool) -> _Found:
        if not self._is_input:
            return ("breaking" if was_required else "risky"), place, "is not promised any more"
        return "risky", place, "is not known any more, and may be ignored"

    def _of_others(self, old: Any, new: Any, place: str) -> Iterator[_Found]:
        """What is said of properties that are not named."""
        before, after = ({} if each is True else binding(each) for each in (old, new))
        if before == {} and after != {} and self._is_input:
            what = "the old contract said nothing of other arguments; they are refused now"
            yield "unstated", place, what
        elif self._is_input or {} not in (before, after):
            yield from self._of_values(before, after, f"{place}.*")

    def _of_values(self, old: Any, new: Any, place: str) -> Iterator[_Found]:
        """What is no object and no list with one schema for its items."""
        before, after = (
            _rooted(each, root) for each, root in zip((old, new), self._roots, strict=True)
        )
        if before == after:
            return
        wider, narrower = covers(after, before), covers(before, after)
        if wider and narrower:
            return
        if self._is_input:
            level: Level = "fine" if wider else "breaking"
        else:
            level = "fine" if narrower else "risky" if wider else "breaking"
        how = "takes more" if wider else "takes less" if narrower else "takes something else"
        if not self._is_input:
            how = how.replace("takes", "may give")
        yield level, place, f"{how}: {_text(binding(new))}, and was {_text(binding(old))}"


def covers(wide: Any, narrow: Any) -> bool:
    """Whether a schema is known to admit every value that the other admits."""
    try:
        found = _canonical(encoded(binding(wide))).covers(_canonical(encoded(binding(narrow))))
    except (ValueError, RecursionError):
        return False
    return bool(found == jsonschema_rs.canonical.Containment.YES)


@lru_cache(maxsize=4096)
def _canonical(text: str) -> Any:
    return jsonschema_rs.canonicalize(msgspec.json.decode(text), offline=True)


def _is_object(schema: Tool) -> bool:
    return schema.get("type", "object") == "object" and ("properties" in schema or "type" in schema)


def _properties(schema: Tool) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _required(schema: Tool) -> set[str]:
    found = schema.get("required")
    return set(map(str, found)) if isinstance(found, list) else set()


def _says_something(schema: Any) -> bool:
    """Whether a schema refuses anything."""
    return schema is not True and binding(schema) != {}


def _is_list(schema: Tool) -> bool:
    return schema.get("type") == "array" and not isinstance(schema.get("items"), list)


def _followed(schema: Any, root: Any) -> Any:
    """What a reference within the document points to; the schema itself where it has none."""
    for _ in range(_DEEPEST):
        pointer = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(pointer, str) or not pointer.startswith("#/") or len(schema) > 4:
            break
        found: Any = root
        for step in pointer[2:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        if found is None:
            break
        schema = {**found, **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def _rooted(schema: Any, root: Any) -> Any:
    """A part of a document with the definitions that it may refer to."""
    found = binding(schema)
    if isinstance(found, dict) and isinstance(root, dict) and '"$ref"' in encoded(found):
        return binding({k: root[k] for k in ("$defs", "definitions") if k in root}) | found
    return found


def _text(value: object) -> str:
    text = encoded(value) if value is not None else "none"
    return text if len(text) <= 60 else f"{text[:57]}..."
