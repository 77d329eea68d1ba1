"""From a question's SQL to its rows, the same way for every question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct

from assay.analyses.sql_files import sql_text
from assay.analyses.view import opened
from assay.errors import InvalidSettings, UnknownName
from assay.stats.clustered import ClusterSums, clustered_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.analyses.selection import Filters, Rules
    from assay.analyses.view import Answering, View

Row = TypeVar("Row", bound=Struct)


def question(name: str) -> str:
    """The text of `questions/NAME.sql`."""
    return sql_text("questions", name)


def ask(
    source: Answering | View, filters: Filters, sql: str | Mapping[Rules, str], **params: object
) -> list[dict[str, Any]]:
    """The rows of the question that `sql` names, or names for the rules that hold."""
    with opened(source, filters) as view:
        name = sql if isinstance(sql, str) else sql[view.rules]
        return view.rows(question(name), **params)


def typed(found: Iterable[dict[str, Any]], row: type[Row]) -> list[Row]:
    """Rows of an engine as structs."""
    names = row.__struct_fields__
    return [
        msgspec.convert({name: line.get(name) for name in names}, row, strict=False)
        for line in found
    ]


def with_steady(line: dict[str, Any], *names: str) -> dict[str, Any]:
    """The row with these of its numbers made steady; None stays None."""
    found = {name: steady(line[name]) for name in names if line[name] is not None}
    return line | found


def with_interval(line: dict[str, Any], share: str, n: str, successes: str) -> dict[str, Any]:
    """The row with `SHARE`, `SHARE_low` and `SHARE_high`, from the sums over its clusters.

    The SQL gives them as `SHARE_clusters`, `SHARE_squares_n`, `SHARE_squares` and
    `SHARE_products`; see `ClusterSums`. All three are None where there is nothing to count.
    """
    interval = None
    if line[n]:
        sums = ClusterSums(
            int(line[f"{share}_clusters"]),
            int(line[n]),
            int(line[successes]),
            float(line[f"{share}_squares_n"]),
            float(line[f"{share}_squares"]),
            float(line[f"{share}_products"]),
        )
        interval = clustered_share(sums)
    return line | {
        share: line[successes] / line[n] if line[n] else None,
        f"{share}_low": interval.low if interval else None,
        f"{share}_high": interval.high if interval else None,
    }


def steady(mean: float) -> float:
    """A mean to twelve digits: those beyond depend on the order in which it was added up."""
    return float(f"{mean:.12g}")


def at_least_one(value: int, name: str) -> int:
    """The value of a parameter, if it is a number from 1 up."""
    if value < 1:
        raise InvalidSettings(f"{name}: expected a number from 1 up, got {value}")
    return value


def one_of(value: str, known: Sequence[str], kind: str) -> str:
    """The value, if it is one of those known."""
    if value not in known:
        raise UnknownName(kind, value, known)
    return value
