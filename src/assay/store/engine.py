"""The database engine behind one door: its settings, its quoting, its errors in our words."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from assay.errors import DamagedStore, QueryFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Engine = duckdb.DuckDBPyConnection
SELECT = duckdb.StatementType.SELECT

# What does not fit is spilled to disk, which takes many times as long.
_MOST_MEMORY = 3 * 1024**3
_SHARE_OF_MEMORY = 0.5
_MOST_THREADS = 8
_GLOB = re.compile(r"([*?\[])")


def connect(*, spill: Path, threads: int | None = None) -> Engine:
    """An engine of its own, in memory; it loads nothing and asks nobody."""
    return duckdb.connect(
        config={
            "threads": threads or min(os.cpu_count() or 1, _MOST_THREADS),
            "memory_limit": f"{_memory_limit()}B",
            "temp_directory": str(spill),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


def _memory_limit() -> int:
    """What the engine may hold, in bytes: part of what the machine has."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_MEMORY, int(_SHARE_OF_MEMORY * has))


def read_in_order(engine: Engine) -> None:
    """From now on rows come in the order of the files, however they are filtered.

    And the long side of a join is streamed: it may be larger than the memory.
    """
    engine.execute("SET threads = 1")
    engine.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")


def lock_in(engine: Engine, folder: Path) -> None:
    """From now on the engine reads and writes below this folder only."""
    spellings = (
        str(folder),
        _as_glob(folder),
    )  # it compares what it was asked for, letter by letter
    allowed = ", ".join(quoted(spelling + os.sep) for spelling in spellings)
    engine.execute(f"SET allowed_directories = [{allowed}]")
    engine.execute("SET enable_external_access = false")


@contextmanager
def in_our_words(store: Path) -> Iterator[None]:
    """Translate what the engine raises; Ctrl-C stays what it is."""
    try:
        yield
    except duckdb.Error as exc:
        message = str(exc).strip()
        if isinstance(exc, duckdb.IOException | duckdb.InvalidInputException) and (
            str(store) in message
        ):
            problem = message.splitlines()[0]
            raise DamagedStore(f"{problem}. `assay doctor {store}` looks at every file") from exc
        raise QueryFailed(message) from exc
    except RuntimeError as exc:
        # The engine swallows the signal and says so in these words.
        if "interrupted" in str(exc).lower():
            raise KeyboardInterrupt from exc
        raise


def quoted(text: str) -> str:
    """The text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def file_list(files: list[Path]) -> str:
    """The files as a list in SQL; a bracket in a folder's name is only a bracket."""
    return "[" + ", ".join(quoted(_as_glob(file)) for file in files) + "]"


def _as_glob(path: Path) -> str:
    return _GLOB.sub(r"[\1]", str(path))
