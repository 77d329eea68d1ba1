"""The options of `assay score`, those of the judge last."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.finite import finite
from assay.cli.output_places import outside_stores
from assay.judge.limits import Limits
from assay.judge.marks import Middle
from assay.metrics.catalogue import METRICS

DEFAULT_DEADLINE = Limits().deadline

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Recorded runs of any format: files, folders, globs, stores, or - for a pipe.",
    ),
]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help=f"Repeatable: {', '.join(METRICS)}, or your own as package.module:Name.",
    ),
]
ToolsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="Tool definitions (JSON) for all cases.",
    ),
]
ExpectFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="What each task expects (JSON or YAML), by task id.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0.0,
        max=1.0,
        callback=finite,
        help="Exit with 1 if any case scores below this.",
    ),
]
Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=outside_stores,
        help="Repeatable: .csv, .json, .jsonl or .md by suffix.",
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell why, case by case.")]
Concurrency = Annotated[int, typer.Option(metavar="N", min=1, help="Cases judged at once.")]
Again = Annotated[
    bool, typer.Option("--again", help="Score runs of a store again that have their scores.")
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="NAME",
        help="evidence (the default), none, or a model: provider:model.",
    ),
]
JudgeRuns = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        max=100,
        help="Ask a model so often, in seeded orders, and take the mean.",
    ),
]
JuryNames = Annotated[
    str | None,
    typer.Option(
        "--jury",
        metavar="A,B,C",
        help="Several judges, their marks as one, and their agreement.",
    ),
]
JuryVerdict = Annotated[
    Middle,
    typer.Option("--jury-verdict", help="How the marks of a jury become one."),
]
Language = Annotated[
    str,
    typer.Option(metavar="en|zh", help="The language a model is asked in."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="An OpenAI-compatible server that has the model.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        metavar="DOLLARS", min=0.0, callback=finite, help="Ask no more once this is spent."
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Ask no more once so many are spent."),
]
JudgeDeadline = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=0.1,
        callback=finite,
        help="How long to wait for one answer.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Neither take replies from the cache nor keep them.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", help="Decides orders, waits and the model's seed."),
]
