"""Do a call's arguments fit the schema its tool declared?

Validators are compiled once per schema. The draft is the one `$schema` names, else 2020-12;
formats are not asserted. Nothing is ever fetched: a remote `$ref` makes the schema broken,
and a broken schema is the server's fault, not the agent's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, NoReturn

import jsonschema_rs
import msgspec
from msgspec import Struct

from assay.evidence.schema_cost import why_too_costly

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
