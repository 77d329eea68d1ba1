"""The records that a result tells side by side, by the names they go by."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.evidence.json_leaves import ROOT, SCALARS, step_to
from assay.evidence.text_tables import tables_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence.call_facts import CallFacts
    from assay.evidence.source import Source
    from assay.evidence.traced_value import Origin

_IN_LIST = re.compile(r"(.*)\[[0-9]+\]([^\[\]]*)\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]|\['([^'\\]*)'\]")
_MOST_RESULTS = 16
_MOST_RECORDS = 200
_LONGEST_NAME = 80
_SHORTEST_NAME = 3
_NAMING = re.compile(
    r"(?:^|_|\b)(?:name|title|label|id|sku|code|no|number|login|user|username|author|email|city"
    r"|place|station|team|player|product|model|symbol|ticker|sample|country|region|hotel|ref)$"
    r"|Id$|Name$|No$|[名称号]|标题|城市|产品|门店"
)

# Words of such a field may be said of anything.
_TELLS_STATE = re.compile(
    r"stat(?:us|e)|type|kind|level|categor|condition|phase|unit|currency|date|time"
)


class Record:
    """One of several records, where it stands, and its scalars."""

    __slots__ = ("_raw", "call", "fields_read", "path")

    def __init__(self, raw: dict[str, Any], call: int, path: str) -> None:
        """Keep the record; most are never looked into."""
        self._raw = raw
        self.call = call
        self.path = path
        self.fields_read: dict[str, Any] | None = None

    @property
    def key(self) -> int:
        """What tells it from all others."""
        return id(self._raw)

    @property
    def fields(self) -> dict[str, Any]:
        """Its scalars, those one level down too."""
        if self.fields_read is None:
            self.fields_read = _flat(self._raw)
        return self.fields_read

    def names(self) -> list[str]:
        """What it is called, in small letters: by its fields for names, else by any words."""
        fields = [field for field in self._raw if _names(field)]
        if not fields:
            fields = [
                field
                for field, value in self._raw.items()
                if type(value) is str and not _TELLS_STATE.search(str(field).lower())
            ]
        return [name for field in fields if (name := _name(self._raw[field]))]


def records_beside(
    origin: Origin, calls: Sequence[CallFacts], results: Sequence[Source]
) -> list[Record]:
    """The records of the list, or table, in which a value was found.

    Results of the same tool that tell one record each belong together.
    """
    if origin.call is None:
        return []
    source = results[origin.call]
    if not source.is_data:
        tables = tables_in(source.text) if "\n" in source.text or "<tr" in source.text else []
        rows = [row for table in tables for row in table][:_MOST_RECORDS]
        return [Record(row, origin.call, ROOT) for row in rows]
    listed = _IN_LIST.fullmatch(origin.place)
    path = ROOT if listed is None else listed[1]
    tool = calls[origin.call].call.tool
    alike = [known.position for known in calls if known.call.tool == tool][:_MOST_RESULTS]
    found = (
        record for position in alike for record in _records_at(results[position], path, position)
    )
    return list(islice(found, _MOST_RECORDS))


def names_of_record(origin: Origin, results: Sequence[Source]) -> list[str]:
    """What the record is called in whose own field a value was found, in small letters."""
    source = None if origin.call is None else results[origin.call]
    if source is None or not source.is_data:
        return []
    record = _at(source.value, origin.place.rpartition(".")[0])
    return Record(record, 0, "").names() if type(record) is dict else []


def _at(value: Any, path: str) -> Any:
    """What stands at a path; None if nothing does."""
    for key, index, quoted in _STEP.findall(path):
        try:
            value = value[int(index)] if index else value[key or quoted]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value


def _records_at(source: Source, path: str, call: int) -> Iterator[Record]:
    value = _at(source.value, path)
    if type(value) is dict:
        yield Record(value, call, path)
    elif type(value) is list:
        for i, item in enumerate(value[:_MOST_RECORDS]):
            if type(item) is dict:
                yield Record(item, call, f"{path}[{i}]")


def unique_names(group: Sequence[Record], text: str) -> list[tuple[str, Record]]:
    """The names of records that stand in a text in small letters, if no other goes by them."""
    named = [(name, record) for record in group for name in record.names()]
    said = [(name, record) for name, record in named if name in text]
    return [
        (name, record)
        for name, record in said
        if not any(name in other and whose is not record for other, whose in named)
    ]


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, value in record.items():
        if isinstance(value, SCALARS):
            found[str(field)] = value
        elif type(value) is dict:
            for inner, held in value.items():
                if isinstance(held, SCALARS):
                    found[f"{field}{step_to(str(inner))}"] = held
    return found


@lru_cache(maxsize=4096)
def _names(field: str) -> bool:
    return _NAMING.search(field.lower()) is not None or _NAMING.search(field) is not None


def _name(value: Any) -> str:
    """What a record is called in small letters; empty if that is no name to be found by."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not 1 < len(text) <= _LONGEST_NAME:
        return ""
    # A plain word may stand in any sentence.
    if text.isalpha() and text.islower() and text.isascii():
        return ""
    lower = text.lower()
    coded = lower != text or any(map(str.isdigit, text)) or not text.isascii()
    return lower if coded or len(text) >= _SHORTEST_NAME else ""
