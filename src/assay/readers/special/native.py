"""Cases as assay writes them: JSON or JSONL of `AgentTestCase.to_dict`, read strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import AssayError
from assay.readers.documents import Document, Unreadable, read_items
from assay.readers.engine import find_runs
from assay.records import field_names
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File

NAME = "assay"
_LOOKED_AT = 20
_DEEPEST = 3
_DISTINCTIVE = frozenset({"actual_output", "execution_data", "expected_output"})
_OWN_CALLS = frozenset({"execution_data", "tools_called"})


class Native(Struct, frozen=True):
    """The format of the record itself."""

    name: str = NAME
    title: str = "assay's own cases, JSON or JSONL"
    cannot: str = ""

    def matches(self, file: File) -> bool:
        """Whether one of the first documents is a case, or looks like a broken one."""
        return any(_is_case(value) for value in file.head())

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The cases; one that does not fit the record stands as an error that names the field."""
        for document in file.documents():
            if isinstance(document, Unreadable):
                yield document
            elif document.repaired and isinstance(document.value, list) and file.text():
                for item in read_items(file.text() or b"", file.name):
                    yield _strict(item, file)
            elif isinstance(document.value, list):
                yield from _items(document, file)
            else:
                yield _strict(document, file)


def _strict(item: Document | Unreadable, file: File) -> AgentTestCase | Unreadable:
    """A case; nothing is repaired in what assay wrote itself."""
    if isinstance(item, Unreadable):
        return item
    if item.repaired:
        return Unreadable(file.name, f"not strict JSON: {item.repaired}", item.position)
    return _case(item.value, file, item.position)


def _is_case(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list):
        items = value[:_LOOKED_AT] if depth < _DEEPEST else []
        return any(_is_case(item, depth + 1) for item in items)
    if not isinstance(value, dict):
        return False
    if "input" in value and ("schema_version" in value or "execution_data" in value):
        return True
    if _DISTINCTIVE.isdisjoint(value) or "schema_version" in value:
        return "schema_version" in value and not _DISTINCTIVE.isdisjoint(value)
    return not _has_foreign_calls(value)


def _has_foreign_calls(value: dict[str, Any]) -> bool:
    """Whether calls stand under keys that the record does not have: another program's case."""
    if not _OWN_CALLS.isdisjoint(value):
        return False
    known = field_names(AgentTestCase)
    others = {key: item for key, item in value.items() if key not in known}
    return any(run.calls for run in find_runs(others))


def _items(document: Document, file: File) -> Iterator[AgentTestCase | Unreadable]:
    for number, item in enumerate(document.value, start=1):
        if document.position is None:
            yield _case(item, file, number)
        else:
            yield _case(item, file, document.position, f"item {number}: ")


def _case(
    value: Any, file: File, position: int | None, place: str = ""
) -> AgentTestCase | Unreadable:
    if file.is_table and isinstance(value, dict) and isinstance(value.get("execution_data"), dict):
        # A table has NULL where nobody measured how the run was planned.
        value["execution_data"].setdefault("planning_json_compliance", None)
    try:
        case = AgentTestCase.from_dict(value)
    except AssayError as exc:
        return Unreadable(file.name, f"{place}{exc}", position)
    if case.source is None:
        case.source = Source(file.name, NAME, position)
    return case


NATIVE = Native()
