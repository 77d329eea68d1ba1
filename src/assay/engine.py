"""The database engine behind one door: its settings, its quoting, its errors in our words."""

from __future__ import annotations

import os
import re
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from assay.errors import DamagedStore, QueryFailed, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import Self

SELECT = duckdb.StatementType.SELECT
EngineError = duckdb.Error
OutOfMemory = duckdb.OutOfMemoryException

# What does not fit is spilled to disk, which takes many times as long.
_MOST_MEMORY = 3 * 1024**3
_SHARE_OF_MEMORY = 0.5
_MOST_THREADS = 8
_SECONDS_TO_STOP = 0.05
_SECONDS_TO_LOOK = 0.1
# Who asks for one thread means it. Others that idle give memory back to the system that the one
# has just let go of and is about to take again, which takes a fortieth of an import's time.
_NO_ASYNC_THREADS = {"async_threads": 0}
# What it says of a file that the system keeps it from, also where that is quoted in JSON.
_KEPT_FROM = re.compile(
    r'(?P<deed>Could not write|Cannot open) file \\?"(?P<file>[^"\\]+)\\?": (?P<why>[\w -]+)'
)
_GLOB = re.compile(r"([*?\[])")


class ColumnType(Protocol):
    """The type of a column: `children` has the types of what a nested one holds, by name."""

    @property
    def id(self) -> str:
        """What kind it is, in small letters."""

    @property
    def children(self) -> list[tuple[str, Any]]:
        """The fields of a struct, `key` and `value` of a map, `child` of a list."""


class Engine:
    """A connection to the database; what it gives after `execute` is fetched from itself.

    Ctrl-C ends what it does and is Ctrl-C then. The database looks for signals by itself, but
    what is raised there may leave it waiting for its own threads for ever; so it is told to stop
    first, and the signal is heard when it has stopped.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Take a connection; it is closed with this."""
        self._connection = connection

    def __enter__(self) -> Self:
        """Nothing is to be done."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def execute(self, sql: str, parameters: object = None) -> Self:
        """Do what a statement says."""
        with _told_of_ctrl_c(self._connection):
            self._connection.execute(sql, parameters)
        return self

    def execute_watched(
        self, sql: str, parameters: object, on_share: Callable[[float], object]
    ) -> Self:
        """Do what a statement says; `on_share` hears how much of it is done, between 0 and 1.

        It hears so again and again from another thread, and that all is done from this one.
        """
        self._connection.execute("SET enable_progress_bar = true")
        self._connection.execute("SET enable_progress_bar_print = false")
        done = threading.Event()
        looking = (done, self._connection, on_share)
        watching = threading.Thread(target=_look_until, args=looking, daemon=True)
        watching.start()
        try:
            self.execute(sql, parameters)
        finally:
            done.set()
            watching.join()
        on_share(1.0)
        return self

    def executemany(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """Do what a statement says, for each row of parameters."""
        with _told_of_ctrl_c(self._connection):
            self._connection.executemany(sql, rows)

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        with _told_of_ctrl_c(self._connection):
            return self._connection.fetchall()

    def fetchone(self) -> Any:
        """The next row; None when there is no more."""
        with _told_of_ctrl_c(self._connection):
            return self._connection.fetchone()

    def fetchmany(self, count: int) -> list[Any]:
        """The next rows; none when there are no more."""
        with _told_of_ctrl_c(self._connection):
            return self._connection.fetchmany(count)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns of what was found."""
        return [column[0] for column in self._connection.description or ()]

    def columns_of(self, query: str) -> list[str]:
        """The names of the columns that a query would have."""
        return self._connection.sql(query).columns

    def types_of(self, query: str) -> list[tuple[str, ColumnType]]:
        """The names and types of the columns that a query would have."""
        found = self._connection.sql(query)
        return list(zip(found.columns, found.types, strict=True))

    def kinds_of(self, sql: str) -> list[duckdb.StatementType]:
        """Which kinds of statements a text holds."""
        return [statement.type for statement in self._connection.extract_statements(sql)]

    def cursor(self) -> Engine:
        """A second way into the same tables, for another thread."""
        return Engine(self._connection.cursor())

    def interrupt(self) -> None:
        """End what it does just now; safe from any thread."""
        self._connection.interrupt()

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()


@contextmanager
def _told_of_ctrl_c(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Tell the database to stop when Ctrl-C comes, and raise it when it has stopped."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    done = threading.Event()
    # Again and again: what it hears before it has begun is forgotten.
    stopping = threading.Thread(target=_stop_until, args=(done, connection), daemon=True)
    signal.signal(signal.SIGINT, lambda *_: None if stopping.ident else stopping.start())
    try:
        yield
    except duckdb.InterruptException as exc:
        if stopping.ident:
            raise KeyboardInterrupt from exc
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        done.set()
        if stopping.ident:
            stopping.join()
    if stopping.ident:  # it was done before it could stop
        raise KeyboardInterrupt


def _stop_until(done: threading.Event, connection: duckdb.DuckDBPyConnection) -> None:
    while True:
        connection.interrupt()
        if done.wait(_SECONDS_TO_STOP):
            return


def _look_until(
    done: threading.Event,
    connection: duckdb.DuckDBPyConnection,
    on_share: Callable[[float], object],
) -> None:
    # Older versions have no such method; where it cannot tell, it is below zero.
    percent: Callable[[], float] = getattr(connection, "query_progress", float)
    while not done.wait(_SECONDS_TO_LOOK):
        on_share(max(0.0, percent() / 100))


def connect(*, spill: Path | None, threads: int | None = None) -> Engine:
    """An engine of its own, in memory; it loads nothing and asks nobody.

    Without a folder to spill to, what does not fit into memory is refused.
    """
    config: dict[str, Any] = {
        "threads": threads or min(os.cpu_count() or 1, _MOST_THREADS),
        "memory_limit": f"{_memory_limit()}B",
        "temp_directory": "" if spill is None else str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if threads == 1:
        # Older versions have no such threads, and no such option.
        with suppress(duckdb.InvalidInputException):
            return Engine(duckdb.connect(config=config | _NO_ASYNC_THREADS))
    return Engine(duckdb.connect(config=config))


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
        _tell_of_writing(message, store, exc)
        if isinstance(exc, duckdb.IOException | duckdb.InvalidInputException) and (
            str(store) in message
        ):
            problem = message.splitlines()[0].partition("Error: ")[2]
            raise DamagedStore(
                f"the store is damaged: {problem}. `assay doctor {store}` looks at every file"
            ) from exc
        raise QueryFailed(message) from exc
    except RuntimeError as exc:
        # The engine swallows the signal and says so in these words.
        if "interrupted" in str(exc).lower():
            raise KeyboardInterrupt from exc
        raise


def _tell_of_writing(message: str, store: Path, exc: duckdb.Error) -> None:
    """Say so where a file could not be written; of the store's own others are read, too."""
    found = _KEPT_FROM.search(message)
    if found and (found["deed"] == "Could not write" or str(store) not in found["file"]):
        raise WriteFailed(found["file"], found["why"].strip()) from exc


def quoted(text: str) -> str:
    """The text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def file_list(files: list[Path]) -> str:
    """The files as a list in SQL; a bracket in a folder's name is only a bracket."""
    return "[" + ", ".join(quoted(_as_glob(file)) for file in files) + "]"


def _as_glob(path: Path) -> str:
    return _GLOB.sub(r"[\1]", str(path))
