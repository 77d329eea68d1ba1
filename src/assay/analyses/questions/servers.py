"""How reliable are the servers?"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed, with_interval
from assay.analyses.columns import CALLS

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Order = Literal["calls", "server_failures"]


class ServerUse(Struct, frozen=True):
    """Calls of one server; the name is empty where none was recorded."""

    server: str
    tools: int
    models: int
    calls: int
    runs: int
    tasks: int
    failures: int
    unknown_calls: int
    success_rate: float | None
    success_rate_low: float | None
    success_rate_high: float | None
    model_failures: int
    server_failures: int
    environment_failures: int
    unknown_failures: int
    server_failure_rate: float
    median_seconds: float | None


def servers(
    source: Answering | View, *, order: Order = "calls", **filters: Unpack[Filters]
) -> list[ServerUse]:
    """Calls, failures and times by server; the most used first, or the most at fault."""
    first = one_of(order, get_args(Order), "order")
    lines = sorted(ask(source, filters, "servers"), key=itemgetter(first), reverse=True)
    rows = (
        with_interval(line, "success_rate", n="known_calls", successes="successes")
        for line in lines
    )
    return typed(rows, ServerUse)


SERVERS = Analysis(
    name="servers",
    title="Servers",
    question="How reliable are the servers?",
    row=ServerUse,
    ask=servers,
    parameters=(Parameter("order", "What comes first.", "calls", choices=get_args(Order)),),
    columns=(
        Column("server", "server", "name"),
        Column("tools", "tools", "count"),
        Column("models", "models", "count", wide=True),
        *CALLS,
        Column("server_failure_rate", "server's of all", "share", lower_is_better=True),
        Column("median_seconds", "median s", "seconds", lower_is_better=True, wide=True),
    ),
)
