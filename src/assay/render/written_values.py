"""How a value of an analysis is written, in the terminal and on pages alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.analyses.analysis import ColumnKind

TEXTS: frozenset[ColumnKind] = frozenset({"name", "text"})
WRITTEN: dict[ColumnKind, Callable[[Any], str]] = {
    "name": str,
    "text": str,
    "count": lambda value: f"{value:,}",
    "share": lambda value: f"{100 * value:.1f} %",
    "score": lambda value: f"{value:.3f}",
    "number": lambda value: f"{value:,.2f}",
    "seconds": lambda value: f"{value:,.2f}",
    "flag": lambda value: "yes" if value else "no",
}
