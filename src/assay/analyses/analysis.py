"""What an analysis is: a question, the columns of its answer, and the function that asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

ColumnKind = Literal["name", "text", "count", "share", "score", "number", "seconds", "flag"]
"""How a value is shown: a share as per cent, a score with three decimals, and so on."""


class Column(Struct, frozen=True):
    """One column of an answer: the row's field, its heading, and which way is better.

    A share may name the two fields that hold its interval; they stand behind it and not alone.
    """

    name: str
    label: str
    kind: ColumnKind
    lower_is_better: bool | None = None
    interval: tuple[str, str] | None = None
    wide: bool = False
    """The first to be left out where a table has no room for all; files have everything."""


class Parameter(Struct, frozen=True):
    """Something that can be asked differently: a choice of words, a number, or yes and no."""

    name: str
    help: str
    default: str | int | float | bool | None
    choices: tuple[str, ...] = ()


class Analysis(Struct, frozen=True):
    """One question about many runs; `ask` answers it with one struct a row.

    `columns` are the fields of those structs that people are shown, in their order; `tables`
    names the tables that it reads, so that callers know what it needs. `sorted_by` is the column
    that the rows are sorted by, or finds it from the parameters; "" stands for the names.
    """

    name: str
    title: str
    question: str
    columns: tuple[Column, ...]
    row: type[Struct]
    ask: Callable[..., Sequence[Struct]]
    parameters: tuple[Parameter, ...] = ()
    tables: tuple[str, ...] = ("calls",)
    sorted_by: str | Callable[[Mapping[str, Any]], str] = ""

    def sort_column(self, asked: Mapping[str, Any]) -> str:
        """The column that the rows are sorted by when the analysis is asked like this."""
        return self.sorted_by if isinstance(self.sorted_by, str) else self.sorted_by(asked)

    def answer(self, source: Any, **asked: Any) -> Sequence[Struct]:
        """The rows of the answer, for callers that know the analysis by its name only."""
        return self.ask(source, **asked)
