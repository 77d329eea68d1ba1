"""Reading and writing the records: dataclasses to JSON objects and back, nothing lost.

Keys that a record does not know are kept in its `extra` and written back where they stood.
"""

from __future__ import annotations

import re
import reprlib
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from assay.errors import InvalidRecord, NotJson
from assay.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

# Before the name of a fact in `extra` that a file calls as we call a field of ours.
KEPT_APART = "recorded_"
# By this a trajectory tells that its `extra` is our record, without what its steps tell.
ATIF_MARK, ATIF_STEPS = "assay_record", "without what the steps tell"

Record = TypeVar("Record")
_PREVIEW = 60
_LONGEST_NAME = 100
_NAMES_SHOWN = 12


@cache
def field_names(cls: Any) -> frozenset[str]:
    """The names of a record's fields; `extra` is none, it holds the keys of others."""
    return frozenset(field.name for field in fields(cls)) - {"extra"}


def read_record(cls: type[Record], data: object, where: str) -> Record:
    """Build a record from a JSON object; wrong types are errors that name the field."""
    if not isinstance(data, dict):
        raise InvalidRecord(f"{where}: expected an object, got {preview(data)}")
    known = field_names(cast("Any", cls))
    own = {key: value for key, value in data.items() if key in known}
    if len(own) < len(data):
        own["extra"] = {key: value for key, value in data.items() if key not in known}
    try:
        return msgspec.convert(own, cls)
    except msgspec.ValidationError as exc:
        raise InvalidRecord(_explain(str(exc), own, where)) from exc


def write_record(record: Any, where: str, *, always: frozenset[str]) -> dict[str, Any]:
    """Write a record as a JSON object: the fields named in `always`, and all that are set."""
    written: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if field.name == "extra" or (field.name not in always and _is_default(field, value)):
            continue
        written[field.name] = _written(value, f"{where}.{field.name}" if where else field.name)
    place = f"{where}.extra" if where else "extra"
    for key, value in _extra_of(record, place).items():
        if key != "extra" and key in record.__dataclass_fields__:
            raise NotJson(place, f"{key!r} is a field of its own; set it there")
        written[key] = value
    return written


def _extra_of(record: Any, where: str) -> dict[str, Any]:
    if not isinstance(record.extra, dict):
        raise NotJson(where, f"expected a dict, got {preview(record.extra)}")
    found: dict[str, Any] = json_value(record.extra, where)
    return found


def preview(value: object) -> str:
    """A short, safe picture of a value for an error message, however large or deep it is."""
    if value is None:
        return "null"
    text = repr(value[:_PREVIEW]) if isinstance(value, str) else _PICTURE.repr(value)
    return f"{type(value).__name__} {cut(text, _PREVIEW)}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with what it counts: `1 run`, `2 runs`; `many` where no s makes the plural."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def cut(text: str, longest: int) -> str:
    """The text, or as much of it as so many letters hold, an ellipsis being the last."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def one_name(name: str) -> str:
    """A name somebody else gave, as a message may have it: on one line, and not without end."""
    return cut(" ".join(name.split()), _LONGEST_NAME)


def first_names(names: Sequence[str]) -> str:
    """The first of some names that somebody else gave, and how many more there are."""
    more = len(names) - _NAMES_SHOWN
    return ", ".join(map(one_name, names[:_NAMES_SHOWN])) + (
        f" and {more:,} more" if more > 0 else ""
    )


class _Picture(reprlib.Repr):
    """Draws no more than will be shown: a whole picture may need gigabytes, or never end."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 8
        self.maxstring = self.maxother = _PREVIEW

    def repr_int(self, x: int, level: int) -> str:  # noqa: ARG002 - the base class's signature
        return repr(x) if x.bit_length() < 256 else f"of {x.bit_length()} bits"


_PICTURE = _Picture()


def _written(value: Any, where: str) -> Any:
    if _is_record(value):
        return value.to_dict(where)
    if isinstance(value, list) and any(_is_record(item) for item in value):
        return [_written(item, f"{where}[{i}]") for i, item in enumerate(value)]
    return json_value(value, where)


def _is_record(value: object) -> bool:
    """Whether this is one of ours: others have a `to_dict` too, with other arguments."""
    return is_dataclass(value) and hasattr(value, "extra")


def _is_default(field: Any, value: object) -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return type(value) is type(default) and value == default


def _explain(message: str, data: dict[str, Any], where: str) -> str:
    problem, _, path = message.partition(" - at `$")
    path = path.rstrip("`")
    place = f"{where}{path}" if where else path.lstrip(".")
    problem = problem.replace("Object missing", "missing").replace("`", "")
    problem = problem[:1].lower() + problem[1:]
    if not path:
        return f"{where}: {problem}" if where else problem
    wanted = re.sub(r", got .*", "", problem)
    return f"{place}: {wanted}, got {preview(_value_at(data, path))}"


def _value_at(data: Any, path: str) -> Any:
    for name, index in re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            return data
        data = data[int(index)] if index else data[name]
    return data
