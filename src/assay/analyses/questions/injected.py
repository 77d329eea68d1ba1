"""Did our rules see the faults that were injected, and whose they were?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column
from assay.analyses.answering import ask, typed

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View


class Injected(Struct, frozen=True):
    """Calls into which one kind of fault was injected, and what our rules made of them.

    `recorded_blame` is whose failure it is by the mark of the fault; None where the call did not
    fail for it. `agreed` counts calls of which our rules say the same.
    """

    injected: str
    recorded_blame: str | None
    calls: int
    agreed: int
    as_model: int
    as_server: int
    as_environment: int
    as_unknown: int
    not_failed: int


def injected(source: Answering | View, **filters: Unpack[Filters]) -> list[Injected]:
    """One row a kind of fault."""
    return typed(ask(source, filters, "injected"), Injected)


INJECTED = Analysis(
    name="injected",
    title="Blame against injected faults",
    question="Did our rules see the faults that were injected, and whose they were?",
    row=Injected,
    ask=injected,
    columns=(
        Column("injected", "injected", "name"),
        Column("recorded_blame", "blame", "name"),
        Column("calls", "calls", "count"),
        Column("agreed", "agreed", "count", lower_is_better=False),
        Column("as_model", "as model", "count"),
        Column("as_server", "as server", "count"),
        Column("as_environment", "as environment", "count"),
        Column("as_unknown", "as unknown", "count"),
        Column("not_failed", "as no failure", "count"),
    ),
)
