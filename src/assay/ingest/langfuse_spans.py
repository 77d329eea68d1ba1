"""Spans as Langfuse's SDK sends them, each with its observation as an export has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import decode_json_text, text_or_none
from assay.ingest.spans import Span, below, read_spans, sampled_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.documents import Document
    from assay.ingest.recording import Recording
    from assay.ingest.spans import Piece

OBSERVATION = "langfuse.observation"
TYPE = "langfuse.observation.type"
# A field of an observation, by the attribute that carries it.
FIELDS = {
    "input": "langfuse.observation.input",
    "output": "langfuse.observation.output",
    "model": "langfuse.observation.model.name",
    "usageDetails": "langfuse.observation.usage_details",
    "costDetails": "langfuse.observation.cost_details",
}
WRITTEN_AS_JSON = ("usageDetails", "costDetails")


def holds_observations(recording: Recording) -> bool:
    """Whether spans of a recording were sent by Langfuse's SDK."""
    return any(TYPE in span.attributes for span in sampled_spans(recording))


def read_sent(document: Document, name: str) -> Iterator[Piece]:
    """The spans of a document, each with its observation; others have an empty one."""
    for piece in read_spans(document, name):
        if isinstance(piece, Span):
            piece.attributes[OBSERVATION] = _observation(piece.attributes)
        yield piece


def _observation(attributes: dict[str, Any]) -> dict[str, Any]:
    found = {field: attributes[key] for field, key in FIELDS.items() if key in attributes}
    for field in WRITTEN_AS_JSON:
        if field in found:
            found[field] = _decoded(found[field])
    metadata = below(attributes, f"{OBSERVATION}.metadata")
    if isinstance(metadata, dict):
        found["metadata"] = {key: _decoded(value) for key, value in metadata.items()}
    return {"type": (text_or_none(attributes.get(TYPE)) or "").upper(), **found}


def _decoded(value: Any) -> Any:
    read = decode_json_text(value) if isinstance(value, str) else None
    return value if read is None else read
