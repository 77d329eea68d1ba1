"""The options of `assay compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.finite import finite
from assay.cli.output_places import outside_stores

Sides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SIDE...",
        help="STORE, STORE:MODEL, STORE@ATTEMPT; with --store what --by names, or none: all.",
    ),
]
Store = Annotated[
    Path | None, typer.Option(metavar="STORE", help="All sides are parts of this store.")
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --store: model (the default), framework, agent, session, attempt, format, "
        "folder.",
    ),
]
Quantity = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="What decides: success (the default), pass^k, a metric, seconds..."
    ),
]
Against = Annotated[
    str | None,
    typer.Option(metavar="SIDE", help="Of several: compare each with this one only."),
]
Smallest = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", callback=finite, help="The smallest difference that matters."),
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=outside_stores,
        help="Repeatable: .csv, .md or .json.",
    ),
]
