"""Are a call's arguments the expected ones, and which are not?"""

from __future__ import annotations

from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct

from assay.errors import InvalidRecord, UnknownName
from assay.records import preview
from assay.schema import explain_misfit, schema_fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics.trajectory.expected import Reference

Compare = Literal["name", "required", "all"]
MATCHES = "$matches"
_ABSENT: Any = object()
_MOST_PROBLEMS = 5


class ArgumentRules(Struct, frozen=True):
    """How arguments are held against the expected ones.

    `compare` is "name" for the tool's name alone, "required" for the arguments that the
    expectation names, "all" for these and no others. Arguments in `ignore` are never looked at;
    one that is left out takes its value from `defaults`. Numbers may differ by `tolerance`, or
    by the share `relative_tolerance` of the larger one.
    """

    compare: Compare = "required"
    ignore: tuple[str, ...] = ()
    defaults: dict[str, Any] = {}
    tolerance: float = 0.0
    relative_tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a rule that no call could be held against."""
        if self.compare not in get_args(Compare):
            raise UnknownName("way to compare arguments", self.compare, get_args(Compare))
        if self.tolerance < 0 or self.relative_tolerance < 0:
            least = min(self.tolerance, self.relative_tolerance)
            raise InvalidRecord(f"tolerance: expected 0 or more, got {least}")


class ArgumentMatch(Struct, frozen=True):
    """How many of the arguments looked at are right, and what is wrong with the others."""

    right: int
    compared: int
    problems: tuple[str, ...] = ()

    @property
    def share(self) -> Fraction:
        """The share that is right; 1 when there is nothing to look at."""
        return Fraction(self.right, self.compared) if self.compared else Fraction(1)


def match_arguments(
    expected: dict[str, Any] | None, sent: Any, rules: ArgumentRules
) -> ArgumentMatch:
    """Hold the arguments sent against the expected ones, by name."""
    if expected is None or rules.compare == "name":
        return ArgumentMatch(0, 0)
    sent = {} if sent is None else sent
    if not isinstance(sent, dict):
        return ArgumentMatch(0, max(1, len(expected)), (f"arguments are {preview(sent)}",))
    names = list(_compared(expected, sent, rules))
    sides = [
        (name, _value_of(name, expected, rules), _value_of(name, sent, rules)) for name in names
    ]
    wrong = [(name, wanted, got) for name, wanted, got in sides if not _equal(wanted, got, rules)]
    problems = tuple(
        f"{name} is {_picture(got)}, expected {_picture(wanted)}"
        for name, wanted, got in wrong[:_MOST_PROBLEMS]
    )
    return ArgumentMatch(len(names) - len(wrong), len(names), problems)


def check_patterns(references: tuple[Reference, ...]) -> None:
    """Refuse a pattern that is none before any run is held against it."""
    calls = (call for reference in references for group in reference for call in group)
    for call in calls:
        for pattern in _patterns(call.arguments):
            if schema_fit(_schema(pattern), "") == "broken_schema":
                problem = explain_misfit(_schema(pattern), "")
                raise InvalidRecord(f"{call.tool}: {preview(pattern)} is no pattern: {problem}")


def _value_of(name: str, arguments: dict[str, Any], rules: ArgumentRules) -> Any:
    return arguments.get(name, rules.defaults.get(name, _ABSENT))


def _compared(
    expected: dict[str, Any], sent: dict[str, Any], rules: ArgumentRules
) -> Iterator[str]:
    yield from (name for name in expected if name not in rules.ignore)
    if rules.compare == "all":
        for name, value in sent.items():
            # A default spelled out says nothing more than one left out.
            usual = name in rules.defaults and _equal(rules.defaults[name], value, rules)
            if name not in expected and name not in rules.ignore and not usual:
                yield name


def _equal(wanted: Any, got: Any, rules: ArgumentRules) -> bool:
    """Whether two JSON values are equal; looks no deeper than the expected one goes."""
    if _is_pattern(wanted):
        return schema_fit(_schema(wanted[MATCHES]), got) == "fits"
    if isinstance(wanted, dict):
        return (
            isinstance(got, dict)
            and wanted.keys() == got.keys()
            and all(_equal(value, got[key], rules) for key, value in wanted.items())
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(wanted) == len(got)
            and all(_equal(one, other, rules) for one, other in zip(wanted, got, strict=True))
        )
    if _is_number(wanted) and _is_number(got):
        return bool(wanted == got) or _close(wanted, got, rules)
    return type(wanted) is type(got) and bool(wanted == got)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _close(wanted: float, got: float, rules: ArgumentRules) -> bool:
    if not rules.tolerance and not rules.relative_tolerance:
        return False
    try:
        return isclose(wanted, got, rel_tol=rules.relative_tolerance, abs_tol=rules.tolerance)
    except OverflowError:  # a whole number too large for a float
        return False


def _is_pattern(wanted: Any) -> bool:
    return isinstance(wanted, dict) and wanted.keys() == {MATCHES}


def _patterns(value: Any) -> Iterator[Any]:
    if _is_pattern(value):
        yield value[MATCHES]
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _patterns(inner)


def _schema(pattern: Any) -> dict[str, Any]:
    """As a schema, because its engine bounds the time that a hostile text can cost."""
    return {"type": "string", "pattern": pattern}


def _picture(value: Any) -> str:
    return "left out" if value is _ABSENT else preview(value)
