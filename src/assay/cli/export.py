"""`assay export`: the runs of a store, for other tools."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
import typer
from msgspec.structs import replace

from assay import __version__
from assay.cli.console import Terminal, data_to_standard_output
from assay.cli.exit_codes import ExitCode
from assay.cli.output_places import outside_stores
from assay.cli.progress import ReadingProgress, ShareOf
from assay.cli.stores import (
    ModelOption,
    StoreArgument,
    TaskOption,
    chosen,
    interruptible,
    open_store,
)
from assay.errors import UnknownName, WriteFailed
from assay.records import counted
from assay.render.output_files import written_whole
from assay.render.row_files import CsvFile

STDOUT = "-"
_RUNS = "runs"
EPILOG = """
\b
Examples:
  assay export runs.assay -o runs.jsonl
  assay export runs.assay -o calls.csv --table calls --model gpt-5-mini
  assay export runs.assay -o scores.otel.jsonl -o runs.atif.json

The suffix says how: .jsonl native cases (- writes them to standard output), .parquet and .csv
a table, .otel.jsonl OpenTelemetry evaluation events, .atif.json or .atif.jsonl trajectories.
Exit codes: 0 ok, 2 wrong usage, 3 there was no run to export.
"""


class _Chosen(msgspec.Struct, frozen=True):
    """Which runs to export, which table of them, which metrics to ask, and who watches.

    `total` are all runs, or rows of the table; None where nobody watches.
    """

    store: Any
    where: str | None
    params: dict[str, Any]
    table: str
    metrics: tuple[str, ...]
    total: int | None = None
    watch: Callable[[int], object] = int

    def count(self, table: str) -> int:
        """How many rows of a table there are to export."""
        found: int = self.store.count(table, self.where, **self.params)
        return found


_Writer = Callable[[_Chosen, str], int]


def export(
    store: StoreArgument,
    output: Annotated[
        list[str],
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=outside_stores,
            help="Repeatable; its suffix says how.",
        ),
    ],
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=_RUNS,
            help="For .parquet and .csv: a table of the store.",
        ),
    ] = None,
    model: ModelOption = None,
    task: TaskOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="For .otel.jsonl, repeatable: as in `assay score`."),
    ] = None,
) -> None:
    """Write the runs of a store to files that other tools read."""
    opened = open_store(store)
    if table is not None:
        _check_table(table)
    writers = [(target, _writer_for(target)) for target in output]
    told = {"--table": table is not None, "--metric": bool(metric)}
    _refuse_idle([option for option in told if told[option]], [write for _, write in writers])
    where, params = chosen(opened, model, task)
    choice = _Chosen(opened, where, params, table or _RUNS, tuple(metric or ["mcp_tool"]))
    messages = Terminal(stderr=True)
    empty = False
    for target, write in writers:
        with interruptible(f"{target} was not written"):
            count = _watched(choice, target, write, messages)
        empty = empty or not count
        if target != STDOUT:
            messages.tell(f"{_counted(count, target, choice.table)} to {target}")
    if empty:
        messages.tell("There was nothing to export", "yellow")
    raise typer.Exit(ExitCode.INCOMPLETE if empty else ExitCode.OK)


def _watched(choice: _Chosen, target: str, write: _Writer, messages: Terminal) -> int:
    """Write one file; a bar shows how far it is, unless the data itself passes by there."""
    things, table = ("rows", choice.table) if _is_table(target) else ("runs", _RUNS)
    shown = messages.is_watched and not (target == STDOUT and sys.stdout.isatty())
    total = choice.count(table) if shown else None
    with ReadingProgress(messages, total, shown=shown, things=things) as progress:
        return write(replace(choice, total=total, watch=progress.read_and_done), target)


def _check_table(table: str) -> None:
    known = import_module("assay.store").TABLES
    if table not in known:
        raise UnknownName("table", table, known)


def _counted(count: int, target: str, table: str) -> str:
    if _is_table(target):
        return f"{counted(count, 'row')} of {table}"
    return counted(count, "run")


def _is_table(target: str) -> bool:
    return target.lower().endswith((".csv", ".parquet"))


def _native(choice: _Chosen, target: str) -> int:
    return _write_lines(choice, target, choice.store.lines(choice.where, **choice.params))


def _parquet(choice: _Chosen, target: str) -> int:
    on_share = None if choice.total is None else ShareOf(choice.total, choice.watch).reach
    table, where = choice.table, choice.where
    with _told(target), written_whole(Path(target)) as part:
        count: int = choice.store.export(part, table, where, on_share=on_share, **choice.params)
    return count


def _csv(choice: _Chosen, target: str) -> int:
    columns = list(import_module("assay.store").TABLES[choice.table])
    count = 0
    with _opened(target) as stream:
        file = CsvFile(stream, columns)
        for row in choice.store.rows(choice.table, choice.where, **choice.params):
            file.write(row)
            choice.watch(1)
            count += 1
    return count


def _events(choice: _Chosen, target: str) -> int:
    """Scores that the store has under the same settings are taken from it, as by `assay score`."""
    render = import_module("assay.render.evaluation_events").evaluation_events
    metrics, cases = _metrics_and_cases(choice)
    scoring = import_module("assay.scoring")
    with scoring.Crew() as crew:
        lines = (
            _json(render(scores.case, scores.results, scores.run_key, version=__version__))
            for scores in scoring.score_cases(cases, metrics, crew=crew)
        )
        return _write_lines(choice, target, lines)


def _metrics_and_cases(choice: _Chosen) -> tuple[list[Any], Iterator[Any]]:
    asked = import_module("assay.cli.score_metrics")
    judging = import_module("assay.judge.session")
    session = judging.JudgeSession(judging.JudgeConfig())
    instructions = asked.Instructions(choice.metrics, None, None, session)
    made = asked.made_metrics(instructions)
    keeper = import_module("assay.cli.score_keeping").ScoreKeeper(made, again=False)
    return [found.metric for found in made], _only(choice, keeper.cases(choice.store.path))


def _only(choice: _Chosen, cases: Iterator[Any]) -> Iterator[Any]:
    """Those of the cases that are to be exported."""
    if choice.where is None:
        yield from cases
        return
    sql = f"SELECT run_key FROM runs WHERE {choice.where}"  # noqa: S608 - ours
    wanted = {row["run_key"] for row in choice.store.query(sql, **choice.params)}
    yield from (item for item in cases if item.run_key in wanted)


def _trajectories(choice: _Chosen) -> Iterator[str]:
    render = import_module("assay.render.atif_document").atif_document
    for key, case in choice.store.keyed_cases(choice.where, **choice.params):
        yield _json(render(case, key))


def _atif_lines(choice: _Chosen, target: str) -> int:
    return _write_lines(choice, target, _trajectories(choice))


def _atif(choice: _Chosen, target: str) -> int:
    """One trajectory as it is, several as a list."""
    found = _trajectories(choice)
    first = next(found, None)
    if first is None:
        return 0
    second = next(found, None)
    if second is None:
        return _write_lines(choice, target, [first])
    count = 2
    with _opened(target) as stream:
        stream.write(f"[\n{first},\n{second}")
        for line in found:
            stream.write(f",\n{line}")
            choice.watch(1)
            count += 1
        stream.write("\n]\n")
    return count


# The longest suffix that fits is taken.
EXPORTS: dict[str, _Writer] = {
    ".otel.jsonl": _events,
    ".atif.jsonl": _atif_lines,
    ".atif.json": _atif,
    ".jsonl": _native,
    ".parquet": _parquet,
    ".csv": _csv,
}


# Options that mean something for some files only, and the writers of those.
_ONLY_FOR: dict[str, tuple[_Writer, ...]] = {"--table": (_parquet, _csv), "--metric": (_events,)}


def _refuse_idle(given: list[str], writers: list[_Writer]) -> None:
    """Say which option means nothing for any of the files."""
    for option in given:
        wanted = _ONLY_FOR[option]
        if not any(write in wanted for write in writers):
            suffixes = " and ".join(name for name, write in EXPORTS.items() if write in wanted)
            raise typer.BadParameter(f"is for {suffixes} only", param_hint=option)


def _writer_for(target: str) -> _Writer:
    if target == STDOUT:
        return _native
    for suffix, write in EXPORTS.items():
        if target.lower().endswith(suffix):
            return write
    raise UnknownName("export format", "".join(Path(target).suffixes) or target, EXPORTS)


def _write_lines(choice: _Chosen, target: str, lines: Iterable[str]) -> int:
    count = 0
    with _opened(target) as stream:
        for line in lines:
            stream.write(f"{line}\n")
            choice.watch(1)
            count += 1
    return count


@contextmanager
def _opened(target: str) -> Iterator[IO[str]]:
    """The file, or standard output; a file that is cut short does not look whole."""
    if target == STDOUT:
        data_to_standard_output()
        yield sys.stdout
        return
    with (
        _told(target),
        written_whole(Path(target)) as part,
        part.open("w", encoding="utf-8", newline="") as stream,
    ):
        yield stream


@contextmanager
def _told(target: str) -> Iterator[None]:
    """Say which file it is that cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except WriteFailed as exc:  # the engine names the file by the name it has until it is whole
        raise WriteFailed(target, exc.reason) from exc
    except OSError as exc:
        raise WriteFailed(target, exc.strerror) from exc


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
