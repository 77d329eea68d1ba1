"""What a run is expected to have done: which writes, which not, and what its answer must say."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Literal

from assay.errors import InvalidRecord
from assay.records import preview, read_record, write_record

ExtraWrites = Literal["count", "ignore"]


@dataclass
class ExpectedWrite:
    """One change that is expected, or forbidden; what is left out may be anything.

    `tool` is a tool's name, in which `*` stands for anything. `target` is the table or view that a
    statement changes. `arguments` are values by the name of the argument, and `key` names
    those that tell one object from another: where they differ it is another write. `values` must
    stand anywhere in the arguments. `count` is how often the write is expected.
    """

    tool: str | None = None
    arguments: dict[str, Any] | None = None
    key: list[str] | None = None
    values: list[Any] | None = None
    target: str | None = None
    count: int = 1
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, where: str = "write") -> dict[str, Any]:
        """The write as a JSON object; what is not stated is left out."""
        return write_record(self, where, always=frozenset())

    @classmethod
    def from_dict(cls, data: object, where: str = "write") -> ExpectedWrite:
        """Read an expected write; a tool's name alone will do."""
        found = read_record(cls, {"tool": data} if isinstance(data, str) else data, where)
        _refuse_unknown(found, where)
        if found.count < 1:
            raise InvalidRecord(f"{where}.count: expected 1 or more, got {found.count}")
        if not any((found.tool, found.arguments, found.values, found.target)):
            raise InvalidRecord(
                f"{where}: says nothing; give it a tool, arguments, values or a target"
            )
        unknown = [name for name in found.key or [] if name not in (found.arguments or {})]
        if unknown:
            raise InvalidRecord(f"{where}.key: {unknown[0]!r} is none of the arguments given")
        return found


@dataclass
class Expectations:
    """What a case or a task expects; what is None is not looked at.

    `writes` of an empty list expects that nothing is changed. `write_count` is how many writes
    are expected, whichever. A write that is `forbidden` makes the run worthless. `answer` holds
    what the answer must say: numbers, dates, ids, names. Writes beyond the expected ones count
    against a run unless `extra_writes` is "ignore".
    """

    writes: list[ExpectedWrite] | None = None
    write_count: int | None = None
    forbidden: list[ExpectedWrite] | None = None
    answer: list[str] | None = None
    extra_writes: ExtraWrites = "count"
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, where: str = "expected_effects") -> dict[str, Any]:
        """The expectations as a JSON object; what is not stated is left out."""
        return write_record(self, where, always=frozenset())

    @classmethod
    def from_dict(cls, data: object, where: str = "expected_effects") -> Expectations:
        """Read expectations; errors name the field below `where`."""
        if not isinstance(data, dict):
            raise InvalidRecord(f"{where}: expected an object, got {preview(data)}")
        lists = {name: data[name] for name in ("writes", "forbidden") if data.get(name) is not None}
        found = read_record(cls, data | dict.fromkeys(lists), where)
        _refuse_unknown(found, where)
        if found.write_count is not None and found.write_count < 0:
            raise InvalidRecord(f"{where}.write_count: expected 0 or more, got {found.write_count}")
        for name, entries in lists.items():
            setattr(found, name, _writes(entries, f"{where}.{name}"))
        return found

    @property
    def states_anything(self) -> bool:
        """Whether there is anything to hold a run against."""
        stated = (self.writes, self.write_count, self.forbidden, self.answer)
        return any(part is not None for part in stated)


def _writes(entries: object, where: str) -> list[ExpectedWrite]:
    if not isinstance(entries, list):
        raise InvalidRecord(f"{where}: expected a list of writes, got {preview(entries)}")
    return [ExpectedWrite.from_dict(entry, f"{where}[{i}]") for i, entry in enumerate(entries)]


def _refuse_unknown(record: ExpectedWrite | Expectations, where: str) -> None:
    """An expectation that nobody looks at would be met by every run."""
    known = [own.name for own in fields(record) if own.name != "extra"]
    for key in record.extra:
        close = get_close_matches(key, known, n=1, cutoff=0.0)
        nearest = close[0] if close else known[0]
        raise InvalidRecord(
            f"{where}.{key}: no such field. Did you mean {nearest!r}? Known: {', '.join(known)}"
        )
