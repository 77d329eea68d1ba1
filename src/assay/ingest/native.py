"""Our own format: cases as `AgentTestCase.to_dict` writes them, in JSON or JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.ingest.documents import Unreadable
from assay.ingest.recording import Format, Recording
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, list) and first:
        first = first[0]
    if not isinstance(first, dict) or "input" not in first or "actual_output" not in first:
        return 0.0
    return 1.0 if "schema_version" in first or "execution_data" in first else 0.6


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif isinstance(document.value, list):
            for i, item in enumerate(document.value, start=1):
                if document.position is None:
                    yield _case(item, recording.name, i)
                else:
                    yield _case(item, recording.name, document.position, f"item {i}: ")
        else:
            yield _case(document.value, recording.name, document.position)


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
