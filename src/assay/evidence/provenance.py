"""Where each value an agent sent to its tools came from.

Every leaf of every call's arguments is traced to the earliest place it could be known from: the
prompt, the tool's schema, the conversation, a result of an earlier turn, or a simple step from
one of these; or it is trivial, or cannot be checked, or comes from nowhere. A value that is only
found in a later result was used before it was known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.run_facts import RunFacts
from assay.evidence.schema_values import FieldValues, schema_values
from assay.evidence.traced_value import Origin, OriginKind, Status, TracedValue
from assay.evidence.value_tracer import OwnValues, ValueTracer
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

__all__ = ["Origin", "OriginKind", "Provenance", "Status", "TracedValue", "trace_arguments"]


class Provenance(Struct, frozen=True):
    """Every argument value of a run, traced, in the order of the calls."""

    values: tuple[TracedValue, ...]

    @property
    def share(self) -> float | None:
        """Share of the checkable values that can be traced; None without any. Higher is better."""
        return mean(value.share for value in self.values)

    def with_status(self, *statuses: Status) -> list[TracedValue]:
        """The values of these statuses, in order."""
        return [value for value in self.values if value.status in statuses]

    @property
    def needs(self) -> dict[int, set[int]]:
        """For each call the earlier calls whose results it used; calls that used none are out."""
        found: dict[int, set[int]] = {}
        for value in self.values:
            for origin in value.origins:
                if origin.kind == "result" and origin.call is not None and value.status != "ahead":
                    found.setdefault(value.call, set()).add(origin.call)
        return found


def trace_arguments(case: AgentTestCase, *, facts: RunFacts | None = None) -> Provenance:
    """Trace every leaf value of every call's arguments."""
    facts = RunFacts(case) if facts is None else facts
    offered = _Offers(facts.tools or {})
    own = OwnValues(facts.sources)
    found: list[TracedValue] = []
    for known in facts.calls:
        tracer = ValueTracer(facts.sources, own, known, offered.by(known.call))
        traced = [tracer.trace(leaf) for leaf in known.leaves]
        found += traced
        if not known.failed:
            own.remember(traced)
    return Provenance(tuple(found))


class _Offers:
    """What the schemas of the tools offer, each read once a run."""

    def __init__(self, tools: Mapping[str, ToolDefinition]) -> None:
        self._tools = tools
        self._read: dict[tuple[str, str | None], Mapping[str, FieldValues]] = {}

    def by(self, call: ToolExecutionResult) -> Mapping[str, FieldValues]:
        key = (call.tool, call.server)
        if key not in self._read:
            tool = self._tools.get(call.tool)
            schema = None if tool is None else tool.on(call.server).input_schema
            self._read[key] = schema_values(schema)
        return self._read[key]
