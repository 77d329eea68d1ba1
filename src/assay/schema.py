"""Do a call's arguments fit the schema its tool declared?

Validators are compiled once per schema. The draft is the one `$schema` names, else 2020-12;
formats are not asserted. Nothing is ever fetched: a remote `$ref` makes the schema broken,
and a broken schema is the server's fault, not the agent's. The validator is compiled code that
nothing can interrupt, so whether a schema can be checked in bounded time is decided before it runs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from urllib.parse import unquote

import jsonschema_rs
import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

Fit = Literal["fits", "violates", "broken_schema"]

_KNOWN_DIALECTS = frozenset(
    {
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    }
)
_LARGE = 20_000
_MOST_LISTED = 10_000
_MOST_MISFITS = 3
# What a value may raise on its way into JSON: too deep or cyclic, of no JSON type, not UTF-8.
_OPENS_AS_JSON = re.compile(r"\s*\{(?!\s*')")
_CUT_SHORT = ("…", "...", "[truncated]", "<truncated>", "(truncated)")
_NOT_JSON = (RecursionError, TypeError, ValueError, OverflowError)
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


class _Broken(Struct, frozen=True):
    problem: str


class Misfit(Struct, frozen=True):
    """What does not fit, and the keys and places that lead to it; none where it is the whole."""

    place: tuple[str | int, ...]
    problem: str

    def sentence(self) -> str:
        """The problem, after its place if it has one."""
        place = "".join(f"[{step!r}]" for step in self.place)
        return f"{place}: {self.problem}" if place else self.problem


def schema_fit(schema: object, arguments: object) -> Fit:
    """Whether the arguments fit; a missing or empty schema asks for nothing."""
    return SchemaFit(schema).of(arguments)


class SchemaFit:
    """One schema, looked up once for many calls; a missing or empty one asks for nothing."""

    def __init__(self, schema: object) -> None:
        """Take the schema as it came from the server."""
        self._validator = None if schema is None or schema == {} else _validator(schema)

    def of(self, arguments: object) -> Fit:
        """Whether the arguments fit."""
        validator = self._validator
        if validator is None:
            return "fits"
        if isinstance(validator, _Broken):
            return "broken_schema"
        try:
            msgspec.json.encode(arguments)  # a cheap guard: the validator would recurse for ever
            return "fits" if validator.is_valid(arguments) else "violates"
        except _NOT_JSON:
            return "violates"


def breaks_off(arguments: object) -> bool:
    """Whether what was sent opens as an object and is no JSON, as where a model was cut off.

    What Python prints of an object, or what is marked as cut, is what somebody made of it later.
    """
    if not isinstance(arguments, str) or not _OPENS_AS_JSON.match(arguments):
        return False
    if arguments.rstrip().endswith(_CUT_SHORT):
        return False
    try:
        msgspec.json.decode(arguments)
    except _NOT_JSON:
        return True
    return False


def explain_misfit(schema: object, arguments: object) -> str:
    """One sentence on what does not fit first, or what is broken in the schema."""
    found = misfit(schema, arguments)
    return "" if found is None else found.sentence()


def explain_misfits(schema: object, arguments: object) -> str:
    """All that does not fit, up to a few things, or what is broken in the schema."""
    return "; ".join(found.sentence() for found in misfits(schema, arguments))


def misfits(schema: object, arguments: object) -> list[Misfit]:
    """The first few things that do not fit; of large arguments the first alone."""
    first = misfit(schema, arguments)
    validator = _validator(schema)
    if first is None or isinstance(validator, _Broken):
        return [] if first is None else [first]
    try:
        # The validator lists every problem before it hands out one: there may be millions.
        if len(msgspec.json.encode(arguments)) > _MOST_LISTED:
            return [first]
        found = islice(validator.iter_errors(arguments), _MOST_MISFITS)
        return [Misfit(tuple(each.instance_path), each.message) for each in found]
    except _NOT_JSON:
        return [first]


def misfit(schema: object, arguments: object) -> Misfit | None:
    """The first thing that does not fit, or that is broken in the schema; None if all is well."""
    validator = _validator(schema)
    if isinstance(validator, _Broken):
        return Misfit((), validator.problem)
    try:
        msgspec.json.encode(arguments)
        validator.validate(arguments)  # stops at the first problem; a list may have millions
    except jsonschema_rs.ValidationError as exc:
        return Misfit(tuple(exc.instance_path), exc.message)
    except _NOT_JSON as exc:
        return Misfit((), f"the arguments are not JSON: {exc}")
    return None


def _validator(schema: object) -> Any:
    try:
        text = msgspec.json.encode(schema)
    except _NOT_JSON as exc:
        return _Broken(f"the schema is not JSON: {exc}")
    return _compiled(text) if len(text) <= _LARGE else _compiled_large(text)


def _compiled_anew(schema_text: bytes) -> Any:
    try:
        schema = msgspec.json.decode(schema_text)
        if not isinstance(schema, dict | bool):
            return _Broken(f"a schema is an object or a boolean, not {schema_text[:60].decode()}")
        problem = why_too_costly(schema)
        if problem:
            return _Broken(problem)
        return jsonschema_rs.validator_for(
            _with_known_dialect(schema), validate_formats=False, retriever=_refuse
        )
    except (ValueError, RecursionError, msgspec.DecodeError) as exc:
        return _Broken(f"the server's schema is broken: {_first_line(exc)}")


# Large schemas are remembered too, but few: compiled, they take much more room than as text.
_compiled = lru_cache(maxsize=4096)(_compiled_anew)
_compiled_large = lru_cache(maxsize=16)(_compiled_anew)


def _with_known_dialect(schema: Any) -> Any:
    """Without a `$schema` that nobody knows, so that the newest draft applies."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return schema
    dialect = schema["$schema"]
    if isinstance(dialect, str) and dialect.rstrip("#") in _KNOWN_DIALECTS:
        return schema
    return {key: value for key, value in schema.items() if key != "$schema"}


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is remote, and remote schemas are never fetched")


def _first_line(exc: Exception) -> str:
    return str(exc).partition("\n")[0][:200]


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
