"""Where the SQL of the two engines differs: the text stays as it is but for these places."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.extras import require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Tokens = Sequence[Any]


# All that Unicode calls a space.
_SPACES = " \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"


class Edit(NamedTuple):
    """A piece of the text, from one place up to another, and what stands there instead."""

    start: int
    end: int
    text: str


class Difference(NamedTuple):
    """Something that the engines write or mean differently."""

    duckdb: str
    spark: str
    why: str
    edits: Callable[[Tokens, int], list[Edit]]
    """The edits that are due at a token, known by its number; none where it is another thing."""


@cache
def in_spark(text: str) -> str:
    """The same query for Spark."""
    tokens = require("sqlglot", extra="spark").tokenize(text, read="duckdb")
    edits = [
        edit
        for number in range(len(tokens))
        for difference in DIFFERENCES
        for edit in difference.edits(tokens, number)
    ]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _parameter(tokens: Tokens, number: int) -> list[Edit]:
    token = tokens[number]
    is_named = number + 1 < len(tokens) and tokens[number + 1].start == token.end + 1
    if token.token_type.name != "PARAMETER" or not is_named:
        return []
    return [Edit(token.start, token.end + 1, ":")]


def _trim(tokens: Tokens, number: int) -> list[Edit]:
    name, inside = tokens[number], tokens[number + 1 :]
    is_call = name.token_type.name == "VAR" and name.text.upper() == "TRIM"
    if not is_call or not inside or inside[0].token_type.name != "L_PAREN":
        return []
    end = _closing(inside)
    return [Edit(name.start, name.end + 1, "BTRIM"), Edit(end, end, f", '{_SPACES}'")]


def _closing(tokens: Tokens) -> int:
    """Where the bracket is closed that the first token opens."""
    depth = 0
    for token in tokens:
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.token_type.name, 0)
        if not depth:
            return int(token.start)
    raise ValueError("a bracket is open to the end")


DIFFERENCES = (
    Difference(
        "$name",
        ":name",
        "a parameter is marked by another sign",
        _parameter,
    ),
    Difference(
        "TRIM(text)",
        "BTRIM(text, '...')",
        "Spark's takes off blanks, DuckDB's all that Unicode calls a space",
        _trim,
    ),
)
