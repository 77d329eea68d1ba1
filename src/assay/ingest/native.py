"""Our own format: cases as `AgentTestCase.to_dict` writes them, in JSON or JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.ingest.documents import Document, Unreadable
from assay.ingest.fields import dict_or_empty, objects_in
from assay.ingest.parquet_files import ParquetPlace
from assay.ingest.recording import Format, Recording
from assay.records import field_names
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOOKED_AT = 20
_DEEPEST = 3
_BARELY = 0.35
_TELLING = frozenset({"actual_output", "execution_data", "expected_output"})
_OWN_CALLS = frozenset({"execution_data", "tools_called"})


def _recognise(recording: Recording) -> float:
    return max(map(_likeness, recording.sample), default=0.0)


def _likeness(value: Any, depth: int = 0) -> float:
    """How much a document looks like a case of ours, or like a broken one."""
    if isinstance(value, list) and depth < _DEEPEST:
        likely = (_likeness(item, depth + 1) for item in value[:_LOOKED_AT])
        return max(likely, default=_BARELY)
    if not isinstance(value, dict):
        return 0.0
    if "input" in value and ("schema_version" in value or "execution_data" in value):
        return 1.0
    if "input" in value and "actual_output" in value:
        return 0.0 if _has_foreign_calls(value) else 0.6
    # Not enough to be sure, but then our own complaint says best what is missing.
    return 0.0 if _TELLING.isdisjoint(value) else _BARELY


def _has_foreign_calls(value: dict[str, Any]) -> bool:
    """Whether somebody else's words for calls stand in a document: ours would leave them out."""
    from assay.ingest.generic_runs import EXPECTATION_STARTS  # noqa: PLC0415 - seldom needed
    from assay.ingest.shapes import is_call  # noqa: PLC0415 - seldom needed

    if not _OWN_CALLS.isdisjoint(value):
        return False
    others = [key for key in value if key not in field_names(AgentTestCase)]
    made = (value[key] for key in others if not key.startswith(EXPECTATION_STARTS))
    return any(is_call(call) for listed in made for call in objects_in(listed)[:1])


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if isinstance(recording.place, ParquetPlace):
        yield from _cases(map(_of_a_table, recording.documents()), recording.name)
        return
    for document in recording.documents():
        if isinstance(document, Document) and document.mended and document.position is None:
            # Our own format is read strictly: only the items that are really broken are lost.
            yield from _cases(recording.documents(mend=False), recording.name)
        else:
            yield from _cases([document], recording.name)


def _of_a_table(document: Document | Unreadable) -> Document | Unreadable:
    """A row that says nothing of planning: a table has NULL there, and nobody measured it."""
    if isinstance(document, Document):
        dict_or_empty(dict_or_empty(document.value).get("execution_data")).setdefault(
            "planning_json_compliance", None
        )
    return document


def _cases(
    documents: Iterable[Document | Unreadable], name: str
) -> Iterator[AgentTestCase | Unreadable]:
    for document in documents:
        if isinstance(document, Unreadable):
            yield document
        elif document.mended:
            yield Unreadable(name, document.mended, document.position)
        elif isinstance(document.value, list):
            for i, item in enumerate(document.value, start=1):
                if document.position is None:
                    yield _case(item, name, i)
                else:
                    yield _case(item, name, document.position, f"item {i}: ")
        else:
            yield _case(document.value, name, document.position)


def _case(
    value: Any, name: str, position: int | None, place: str = ""
) -> AgentTestCase | Unreadable:
    try:
        case = AgentTestCase.from_dict(value)
    except AssayError as exc:
        return Unreadable(name, f"{place}{exc}", position)
    if case.source is None:
        case.source = Source(name, NATIVE.name, position)
    return case


NATIVE = Format(
    name="assay",
    title="assay's own cases, JSON or JSONL",
    fidelity="Says everything: it is the record itself.",
    recognise=_recognise,
    read=_read,
)
