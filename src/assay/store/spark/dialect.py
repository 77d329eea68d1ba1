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
_READING = frozenset({"FROM", "JOIN"})


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


class Step(NamedTuple):
    """One of the tables that a query makes on its way, and whether it is read more than once."""

    name: str
    query: str
    is_shared: bool


@cache
def steps_of(text: str) -> tuple[tuple[Step, ...], str]:
    """The steps of a query's WITH, and what is left: a query that reads on from them.

    DuckDB makes a table once that is read twice; Spark makes it again each time, unless it is
    told what to keep.
    """
    tokens = require("sqlglot", extra="spark").tokenize(text, read="duckdb")
    kinds = [token.token_type.name for token in tokens]
    if kinds[:1] != ["WITH"]:
        return (), text
    steps: list[Step] = []
    at = 0
    while at == 0 or kinds[at] == "COMMA":
        name, opened = tokens[at + 1].text, at + 3
        closed = opened + _closing(tokens[opened:])
        read = sum(
            before in _READING and token.text == name
            for before, token in zip(kinds[closed:], tokens[closed + 1 :], strict=False)
        )
        query = text[tokens[opened].end + 1 : tokens[closed].start]
        steps.append(Step(name, query, is_shared=read > 1))
        at = closed + 1
    return tuple(steps), text[tokens[at].start :]


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
    end = inside[_closing(inside)].start
    return [Edit(name.start, name.end + 1, "BTRIM"), Edit(end, end, f", '{_SPACES}'")]


def _row_number(tokens: Tokens, number: int) -> list[Edit]:
    name, inside = tokens[number], tokens[number + 1 :]
    is_call = name.token_type.name == "VAR" and name.text.upper() == "ROW_NUMBER"
    if not is_call or not inside or inside[0].token_type.name != "L_PAREN":
        return []
    window = next(i for i, token in enumerate(inside) if token.token_type.name == "OVER") + 1
    end = inside[window + _closing(inside[window:])].end + 1
    return [Edit(name.start, name.start, "CAST("), Edit(end, end, " AS BIGINT)")]


def _accurate_sum(tokens: Tokens, number: int) -> list[Edit]:
    name, inside = tokens[number], tokens[number + 1 :]
    is_call = name.token_type.name == "VAR" and name.text.upper() == "FSUM"
    if not is_call or not inside or inside[0].token_type.name != "L_PAREN":
        return []
    return [Edit(name.start, name.end + 1, "SUM")]


def _closing(tokens: Tokens) -> int:
    """The number of the token that closes the bracket which the first one opens."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.token_type.name, 0)
        if not depth:
            return number
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
    Difference(
        "ROW_NUMBER() OVER (...)",
        "CAST(ROW_NUMBER() OVER (...) AS BIGINT)",
        "Spark counts in 32 bits, and what is calculated from them must not be cut off",
        _row_number,
    ),
    Difference(
        "FSUM(number)",
        "SUM(number)",
        "DuckDB's comes to the same in whatever order it adds; Spark has none such",
        _accurate_sum,
    ),
)
