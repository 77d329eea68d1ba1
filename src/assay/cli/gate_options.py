"""The options of `assay gate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output_places import outside_stores

Runs = Annotated[
    str | None,
    typer.Argument(
        metavar="STORE", help="STORE, STORE:MODEL or STORE@ATTEMPT; else `store` of the config."
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="FILE|STORE", help="What it may not be worse than."),
]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A YAML file, or a TOML file with [tool.assay]."),
]
Minimum = Annotated[
    list[str] | None,
    typer.Option("--min", metavar="NAME=NUMBER", help="Repeatable: the mean is at least this."),
]
Maximum = Annotated[
    list[str] | None,
    typer.Option("--max", metavar="NAME=NUMBER", help="Repeatable: the mean is at most this."),
]
Margin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER", help="Repeatable: so much worse than the baseline; 0.1 or 10%."
    ),
]
WriteBaseline = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=outside_stores,
        help="Write the runs as a baseline and check nothing.",
    ),
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=outside_stores,
        help="Repeatable: .xml (JUnit), .md or .json.",
    ),
]
Github = Annotated[
    bool | None,
    typer.Option(
        "--github/--no-github",
        help="Annotations and a step summary for GitHub; by default where it runs there.",
    ),
]
Schema = Annotated[
    bool, typer.Option("--schema", help="Show the JSON Schema of the config and exit.")
]
