"""Numbers that options take."""

from __future__ import annotations

from math import isfinite

import typer


def finite(number: float | None) -> float | None:
    """The number; what is none, or without end, is refused: no limit would hold against it."""
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"expected a number, got {number}")
    return number
