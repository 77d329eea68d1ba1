"""Which engine does the work: the embedded one, or Spark."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store import Store
    from assay.store.spark import Spark

_LOCAL = "local[*]"


class Engine(StrEnum):
    """What can be named as an engine."""

    DUCKDB = "duckdb"
    SPARK = "spark"


EngineOption = Annotated[
    Engine,
    typer.Option("--engine", help="What does the work; spark needs the extra assay[spark]."),
]
MasterOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help=f"Where Spark works: {_LOCAL} (the default), spark://..."),
]
# The same as the commands have them whose signature is put together.
ENGINE: dict[str, tuple[Any, Any]] = {
    "engine": (EngineOption, Engine.DUCKDB),
    "master": (MasterOption, None),
}


def spark_of(engine: Engine, master: str | None) -> Spark | None:
    """Spark if it was asked for, not yet started."""
    if engine is Engine.SPARK:
        spark: Spark = import_module("assay.store.spark").Spark(master or _LOCAL)
        return spark
    if master is not None:
        raise typer.BadParameter("is for --engine spark only", param_hint="--master")
    return None


@contextmanager
def answering(store: Store, spark: Spark | None) -> Iterator[Store]:
    """The store as the engine answers for it, while the block lasts."""
    if spark is None:
        yield store
        return
    with spark:
        yield import_module("assay.store.spark").SparkStore(store.path, spark)
