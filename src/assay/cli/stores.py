"""What the commands on a store share: opening it, choosing runs, being interrupted."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.filter_names import unknown_name
from assay.errors import OF_THE_DISK, AssayError, UnknownName, WriteFailed
from assay.json_values import without_surrogates
from assay.render.run_names import KEY_LENGTH, name_of_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store import Store

StoreArgument = Annotated[
    Path, typer.Argument(metavar="STORE", help="The folder of a store, as `assay import` makes it.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Only runs of this model, by its folder's name or its file's."
    ),
]
TaskOption = Annotated[str | None, typer.Option(metavar="ID", help="Only runs of this task.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document to standard output.")]

_MOST_NAMED = 5
_MOST_COMPARED = 10_000
_NAMES = "SELECT run_id, run_key, source_path, source_position FROM runs LIMIT $limit"
# A whole id means that run alone, also where it begins another one.
_MATCHING = """
    SELECT run_key FROM runs WHERE run_id = $run
    UNION ALL
    SELECT run_key FROM runs
    WHERE (starts_with(run_key, $run) OR starts_with(run_id, $run) OR task_id = $run)
      AND NOT EXISTS (SELECT 1 FROM runs WHERE run_id = $run)
    ORDER BY run_key LIMIT $limit
"""
_IN_SESSION = """
    SELECT run_key FROM runs WHERE starts_with(session_id, $run) ORDER BY run_key LIMIT $limit
"""
_READ_FROM = """
    SELECT run_key FROM (
        SELECT run_key, '/' || source_path AS file,
               '/' || CONCAT_WS(':', source_path, source_position) AS place
        FROM runs
    )
    WHERE {condition} ORDER BY run_key LIMIT $limit
"""
# From what a run is called to a part of its file's name, as a table that was too narrow shows it.
_WAYS = (
    _MATCHING,
    _IN_SESSION,
    _READ_FROM.format(
        condition="ends_with(file, '/' || $run) OR ends_with(place, '/' || $run)"
        " OR starts_with(string_split(file, '/')[-1], $run || '.')"
    ),
    _READ_FROM.format(
        condition="ends_with(place, $run) OR starts_with(string_split(place, '/')[-1], $run)"
    ),
)


def open_store(path: Path) -> Store:
    """Open a store; the engine is loaded now, and not by commands that need none."""
    store: Store = import_module("assay.store").Store(path)
    return store


@contextmanager
def created_store(path: Path) -> Iterator[Store]:
    """A store, made first if it is not there; an error before anything is in it takes it away."""
    is_new = not path.exists()
    store: Store = import_module("assay.store").Store.create(path)
    try:
        yield store
    except AssayError:
        with suppress(OSError):  # the error itself is what is to be told
            if is_new:
                store.withdraw()
        raise


def chosen(store: Store, model: str | None, task: str | None) -> tuple[str | None, dict[str, Any]]:
    """The condition on `runs` that the options mean, and its parameters."""
    conditions = {"model": import_module("assay.store.tables").IS_MODEL, "task": "task_id = $task"}
    params = {
        name: value for name, value in {"model": model, "task": task}.items() if value is not None
    }
    for name, value in params.items():
        if not store.query(f"SELECT 1 FROM runs WHERE {conditions[name]} LIMIT 1", **{name: value}):  # noqa: S608 - ours
            raise unknown_name(store, f"{name}s", value)
    return " AND ".join(conditions[name] for name in params) or None, params


def find_run(store: Store, run: str) -> str:
    """The key of the run that a key, an id, the first letters, a task, a session or a file mean."""
    told = without_surrogates(run)
    answers = (store.query(way, run=told, limit=_MOST_NAMED + 1) for way in _WAYS)
    found = [row["run_key"] for row in next(filter(None, answers), [])]
    found = found or store.later_states(told)
    if len(found) == 1:
        key: str = found[0]
        return key
    if not found:
        raise UnknownName("run", run, _nearest(store, run))
    named = ", ".join(key[:KEY_LENGTH] for key in found[:_MOST_NAMED])
    more = ", ..." if len(found) > _MOST_NAMED else ""
    raise typer.BadParameter(f"{run!r} means several runs, name one: {named}{more}")


def _nearest(store: Store, run: str) -> list[str]:
    rows = store.query(_NAMES, limit=_MOST_COMPARED)
    names = [name for row in rows if (name := name_of_row(row))]
    some = ", ".join(row["run_key"][:KEY_LENGTH] for row in rows[:3])
    known = f"{some} (assay ls {store.path} lists them)" if some else "none, the store is empty"
    return get_close_matches(run, names, n=1) or [known]


@contextmanager
def interruptible(state: str) -> Iterator[None]:
    """Say what Ctrl-C left behind, with the exit code of work that was not done."""
    try:
        yield
    except KeyboardInterrupt:
        Terminal(stderr=True).tell(f"Interrupted: {state}", "yellow")
        raise typer.Exit(ExitCode.INCOMPLETE) from None


@contextmanager
def as_far_as_the_disk_goes(store: Path, state: str) -> Iterator[None]:
    """Say what a disk that is full, or that we may not write to, left behind; the same code."""
    try:
        yield
    except (OSError, WriteFailed) as exc:
        reason = exc.reason if isinstance(exc, WriteFailed) else exc.strerror
        if isinstance(exc, OSError) and exc.errno not in OF_THE_DISK:
            raise
        told = f"{WriteFailed(store, reason)}; {state}"
        Terminal(stderr=True).tell(f"assay: {told}", "red")
        raise typer.Exit(ExitCode.INCOMPLETE) from None
