"""`assay analyze`: questions about many runs, one by one or as a report."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from assay.analyses import ANALYSES, analysis_named, opened
from assay.analyses.questions.errors import ERRORS
from assay.analyses.questions.exports import EXPORTED_EVALUATIONS, EXPORTED_SUMMARIES
from assay.analyses.questions.injected import INJECTED
from assay.analyses.report import Answered, Section, answers
from assay.cli.analyze_options import (
    FILTERS,
    OUTPUT,
    SOURCE,
    Options,
    analysis_command,
    filters_of,
    refuse_swapped,
    spread_names,
    with_options,
)
from assay.cli.analyze_source import chosen_store
from assay.cli.console import Terminal
from assay.cli.engines import ENGINE, answering, spark_of
from assay.cli.filter_names import unknown_names
from assay.cli.finite import finite
from assay.cli.machine_output import write_data
from assay.cli.output_places import outside_stores
from assay.cli.stores import interruptible
from assay.errors import UnknownName
from assay.render.analysis_files import check_suffix, document, write_answers
from assay.render.analysis_table import analysis_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.analyses import Analysis, View

EPILOG = """
\b
Examples:
  assay analyze runs.assay --tool-stats --retry-analysis
  assay analyze --traj-dir trajectories --models claude-3.5 grok4
  assay analyze tools runs.assay --by model
  assay analyze errors runs.assay --model gpt-5-mini -o errors.csv --json

Without the name of an analysis it is a report: see assay analyze report --help.
Exit codes: 0 ok, 2 wrong usage, 3 interrupted.
"""
_OF_ONE = """
\b
Examples:
  assay analyze {name} runs.assay
  assay analyze {name} runs.assay {narrower}
  assay analyze {name} runs.assay -o {name}.csv

STORE may be a folder of recordings too. Exit codes: 0 ok, 2 wrong usage, 3 interrupted.
"""
_UNJUDGED = (
    "No run here says how it ended, and nobody judged one. What their calls tell: "
    "assay analyze errors {store}; to judge them: assay score {store}; "
    "to compare them: assay compare --store {store}"
)
_REPORT = "report"
_HELP = ("--help", "-h")
_FLAGS = (
    ("passes", "Attempt by attempt, pass@k and pass^k."),
    ("detailed", "The best and the worst evaluations."),
    ("distribution", "How the scores are spread."),
    ("tool-stats", "Calls, servers, tools and failures."),
    ("retry-analysis", "What agents do after a failed call."),
    ("auto-correction", "Whether agents mend what they got wrong."),
    ("weighted", "Scores that mark down runs without tools."),
)
_PARTS: Options = {
    flag.replace("-", "_"): (Annotated[bool, typer.Option(f"--{flag}", help=text)], False)
    for flag, text in _FLAGS
}
_NUMBERS: Options = {
    "top_n": (
        Annotated[int, typer.Option(min=1, metavar="N", help="So many best and worst.")],
        10,
    ),
    "fa_weight": (
        Annotated[float, typer.Option(callback=finite, help="How much the final answer counts.")],
        0.5,
    ),
    "step_weight": (
        Annotated[float, typer.Option(callback=finite, help="How much the steps count.")],
        0.5,
    ),
    "no_tool_penalty": (
        Annotated[
            float,
            typer.Option(callback=finite, help="What a score without tools is multiplied by."),
        ],
        0.5,
    ),
}
_EXPORT: Options = {
    "export": (
        Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                callback=outside_stores,
                help="Write X.csv as X.summaries.csv and X.evals.csv, as recorded.",
            ),
        ],
        None,
    ),
}
_AGAINST: Options = {
    "against": (
        Annotated[
            str | None,
            typer.Option(metavar="WHAT", help="injected: our blame beside that of faults."),
        ],
        None,
    ),
}
_EXPORTED = {"summaries": EXPORTED_SUMMARIES, "evals": EXPORTED_EVALUATIONS}


class _Group(TyperGroup):
    """Takes the name of an analysis, or goes without one for the report."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        args = spread_names(args)
        if args and args[0] not in self.commands:
            refuse_swapped("analyze", *args[:2])
            if not args[0].startswith("-") and not Path(args[0]).exists():
                _refuse_misspelt(*args[:2])
        if not args or (args[0] not in self.commands and args[0] not in _HELP):
            args = [_REPORT, *args]
        return super().parse_args(ctx, args)


def _refuse_misspelt(word: str, after: str = "-") -> None:
    """Say so where a word is no folder and nearly the name of an analysis, or stands for one."""
    is_followed = not after.startswith("-")
    if is_followed or get_close_matches(word, ANALYSES, n=1):
        analysis_named(word)


app = typer.Typer(
    cls=_Group,
    help="Ask questions about many runs. Tools, failures, retries, scores, and more.",
    subcommand_metavar="[ANALYSIS] [STORE]",
    rich_markup_mode=None,
)


def _answer(analysis: Analysis, parameters: dict[str, Any], given: dict[str, Any]) -> None:
    if (against := given.pop("against", None)) is not None:
        if against != INJECTED.name:
            raise UnknownName("blame to compare with", against, [INJECTED.name])
        analysis, parameters = INJECTED, {}
    section = Section(analysis.name, analysis.name, analysis.title, parameters)

    def found(view: View) -> Iterator[Answered]:
        yield Answered(section, analysis, analysis.answer(view, **parameters))

    _show(found, given)


def _report(**given: Any) -> None:
    """The report: models compared, and every part that a flag asks for."""
    parts = ["comparison", *(flag for flag, _ in _FLAGS if given.pop(flag.replace("-", "_")))]
    parameters = {name: given.pop(name) for name in _NUMBERS}
    export: Path | None = given.pop("export")

    def found(view: View) -> Iterator[Answered]:
        yield from answers(view, parts, parameters)
        if export is not None:
            _export(view, export)

    _show(found, given)


def _show(found: Callable[[View], Iterator[Answered]], given: dict[str, Any]) -> None:
    """Answer, then render: to files, to standard output, to the terminal."""
    filters = filters_of(given)
    outputs: Sequence[Path] = given.pop("output") or ()
    for path in outputs:
        check_suffix(path)
    as_json: bool = given.pop("as_json")
    spark = spark_of(given.pop("engine"), given.pop("master"))
    messages = Terminal(stderr=True)
    with interruptible("nothing was written"):
        store = chosen_store(given["store"], given["traj_dir"], given["eval_dir"], messages)
        with answering(store, spark) as source, opened(source, filters) as view:
            answered = list(found(view))
        for unknown in unknown_names(store, filters):
            messages.tell(str(unknown), "yellow")
    about = {"store": str(store.path), "filters": dict(filters)}
    for path in outputs:
        for written in write_answers(path, answered, about):
            messages.tell(f"written: {written}")
    if as_json:
        write_data(document(answered, about).decode() + "\n")
    else:
        _tell(answered, Terminal())
        if any(map(_is_unjudged, answered)):
            messages.tell(_UNJUDGED.format(store=store.path), "yellow")


def _is_unjudged(found: Answered) -> bool:
    """Whether models are compared of whose runs nothing is known but their calls."""
    rows: Any = found.rows
    is_summary = found.analysis.name == "summary" and rows
    return is_summary and all(row.score is None and row.success_rate is None for row in rows)


def _epilog(analysis: Analysis) -> str:
    choice = next((each for each in analysis.parameters if each.choices), None)
    narrower = f"--{choice.name} {quote(choice.choices[-1])}" if choice else "--model gpt-5-mini"
    return _OF_ONE.format(name=analysis.name, narrower=narrower)


def _tell(answered: Sequence[Answered], terminal: Terminal) -> None:
    for found in answered:
        if found.rows:
            terminal.print(analysis_table(found, width=terminal.width))
        else:
            terminal.tell(f"{found.section.title}: nothing to count\n")


def _export(view: View, path: Path) -> None:
    stem = path.with_suffix("") if path.suffix else path
    for ending, analysis in _EXPORTED.items():
        section = Section(ending, analysis.name, analysis.title)
        answered = Answered(section, analysis, analysis.answer(view))
        for written in write_answers(Path(f"{stem}.{ending}.csv"), [answered], {}):
            Terminal(stderr=True).tell(f"written: {written}")


app.command(_REPORT, epilog=EPILOG)(
    with_options(_report, SOURCE | _PARTS | _NUMBERS | FILTERS | _EXPORT | OUTPUT | ENGINE)
)
for _analysis in ANALYSES.values():
    app.command(_analysis.name, epilog=_epilog(_analysis))(
        analysis_command(
            _analysis, (_AGAINST if _analysis is ERRORS else {}) | OUTPUT | ENGINE, _answer
        )
    )
