"""The formats that are spans: one reader, told apart by the dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.readers.documents import Unreadable
from assay.readers.spans.shape import Span, dialect_of, spans_in
from assay.readers.spans.trace import case_of, conversations, link_tree
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

_SAMPLED = 60


class SpanFormat(Struct, frozen=True):
    """Traces in one dialect."""

    name: str
    title: str
    cannot: str
    framework: str | None = None

    def matches(self, file: File) -> bool:
        """Whether the first spans of a file speak this dialect."""
        sample: list[Span] = []
        for value in file.head():
            sample += spans_in(value)
            if len(sample) > _SAMPLED:
                break
        return bool(sample) and dialect_of(sample) == self.name

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """A run for each trace; each conversation is one where a trace holds several."""
        traces: dict[str, dict[str, Span]] = {}
        for item in file.documents():
            if isinstance(item, Unreadable):
                yield item
                continue
            for span in spans_in(item.value, item.position):
                known = traces.setdefault(span.trace, {})
                # A span that was written when it began and again at its end counts as it ended.
                if span.id not in known or span.end is not None:
                    known[span.id] = span
        for trace, spans in traces.items():
            yield from self._runs(trace, list(spans.values()), file)

    def _runs(self, trace: str, spans: list[Span], file: File) -> Iterator[AgentTestCase]:
        parts = conversations(spans, link_tree(spans))
        for part in parts:
            first = min(part, key=lambda span: span.begins)
            case = case_of(part, trace if len(parts) == 1 else f"{trace}/{first.id}")
            if case is not None:
                case.framework = case.framework or self.framework
                case.source = Source(file.name, self.name, first.position)
                yield case


LANGFUSE = SpanFormat(
    "langfuse",
    "Langfuse exports: traces with observations, JSON or JSONL; spans its SDK sends",
    "Servers, tool schemas; parameters of calls that only a model's reply names.",
)
OPENINFERENCE = SpanFormat(
    "openinference",
    "OpenInference spans (Phoenix, Arize), and exports of MLflow, LangSmith and others",
    "Servers, the outcome; content that was not recorded.",
)
TRACELOOP = SpanFormat(
    "traceloop",
    "Traceloop (OpenLLMetry) spans: OTLP JSON, lines or arrays of spans",
    "Servers, the outcome; content that was not recorded.",
)
OTEL = SpanFormat(
    "otel",
    "OpenTelemetry GenAI spans: OTLP JSON, collector or SDK lines, arrays of spans",
    "The outcome; arguments and results unless content was recorded.",
)
OPENAI_AGENTS = SpanFormat(
    "openai-agents",
    "OpenAI Agents SDK: exported traces and spans",
    "Models of responses, tool schemas, the outcome beyond failures.",
    framework="openai-agents",
)
