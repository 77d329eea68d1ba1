"""How numbers are written in the sentences of results."""

from __future__ import annotations


def number(value: float) -> str:
    """A score with three decimals."""
    return f"{value:.3f}"


def change(value: float) -> str:
    """A difference with its sign."""
    return f"{value:+.3f}"


def p_text(p_value: float) -> str:
    """A p-value, never as 0."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
