"""The seed's document on analysing evaluations: each line, table and listing of it."""

from __future__ import annotations

import csv
import inspect
import json
import re
import shlex
import tarfile
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.command_line import Assay, Done, in_this_process
from tests.conftest import PROJECT, shared_path

from analyze_scripts import data_loaders
from assay.analyses import ANALYSES, opened
from assay.analyses.report import PARTS, Answered, Section
from assay.evidence.seed_classifier import RULES, STATUS_NOT_SUCCESS
from assay.importing import ImportSettings, import_runs
from assay.render.analysis_table import analysis_table
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SCRIPTS = "analyze_scripts/"
# What each script is here; its own options follow.
COMMANDS = {
    "analyze_evaluations.py": ("analyze",),
    "analyze_tool_stats.py": ("analyze", "--tool-stats"),
    "analyze_retry.py": ("analyze", "--retry-analysis"),
    "analyze_auto_correction.py": ("analyze", "--auto-correction"),
    "analyze_weighted.py": ("analyze", "--weighted"),
}
# The document names models by example; these three are none of the recorded ones.
NOT_RECORDED = {"gemini-2.5pro", "gpt-4o-mini"}


class Line(NamedTuple):
    """A command line of the document: the script, and what stands behind it."""

    script: str
    options: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """The same as a command of ours."""
        return (*COMMANDS[self.script], *self.options)


def document() -> str:
    return shared_path("seeds", "002-evaluation-analysis.txt").read_text(encoding="utf-8")


def command_lines() -> list[Line]:
    found = []
    for language, block in BLOCK.findall(document()):
        if language != "bash":
            continue
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                assert words[0] == "python"
                found.append(Line(words[1].removeprefix(SCRIPTS), tuple(words[2:])))
    return found


def rows_below(heading: str) -> list[list[str]]:
    """The cells of the table that follows a line of the document."""
    lines = document().split(heading, 1)[1].splitlines()
    begun = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table: list[list[str]] = []
    for line in lines[begun:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table[2:]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with the document's `trajectories/` and `evaluation/`."""
    folder = tmp_path_factory.mktemp("seed-2")
    with tarfile.open(shared_path("oracle", "toolgym", "ds200.tar.gz")) as packed:
        packed.extractall(folder, filter="data")
    return folder / "ds200"


@pytest.fixture(scope="module")
def store(dataset: Path) -> Store:
    path = dataset.parent / "runs.assay"
    folders = [str(dataset / name) for name in ("trajectories", "evaluation")]
    import_runs(folders, ImportSettings(str(path)), jobs=1)
    return Store(path)


@pytest.fixture
def assay(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Run `assay` where the document's scripts are run, 120 letters wide."""
    monkeypatch.chdir(dataset)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("XDG_CACHE_HOME", str(dataset.parent / "cache"))
    return in_this_process(monkeypatch, capsys)


def sections_of(line: Line) -> list[str]:
    """The titles that the report of a line has."""
    parts = [part for part in PARTS if f"--{part}" in line.command]
    return [section.title for part in ("comparison", *parts) for section in PARTS[part]]


def assert_answered(done: Done, line: Line) -> None:
    assert done.code == 0, done.err
    for title in sections_of(line):
        assert title in done.out
    unknown = {name for name in line.options if name in NOT_RECORDED}
    assert all(name in done.err for name in unknown)


def test_the_document_has_these_lines() -> None:
    lines = command_lines()
    assert len(lines) == 20
    assert {line.script for line in lines} == set(COMMANDS)


def test_every_line_works_where_the_scripts_are_run(assay: Assay, dataset: Path) -> None:
    for line in command_lines():
        assert_answered(assay(*line.command), line)
    for name, rows in (("results", 600), ("analysis_results", 600)):
        with (dataset / f"{name}.evals.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == rows
        assert (dataset / f"{name}.summaries.csv").exists()


@pytest.mark.parametrize("place", ["before", "behind"])
def test_every_line_works_with_a_store(
    assay: Assay, store: Store, place: str, tmp_path: Path
) -> None:
    for line in command_lines():
        command, *options = (
            str(tmp_path / word) if word.endswith(".csv") else word for word in line.command
        )
        words = (store.path, *options) if place == "before" else (*options, store.path)
        assert_answered(assay(command, *words), line)


def test_every_flag_works_alone_with_a_value_that_is_no_flag(assay: Assay) -> None:
    for part in (part for part in PARTS if part != "comparison"):
        line = Line("analyze_evaluations.py", (f"--{part}", "--rules", "seed"))
        assert assay(*line.command).code == 0


def test_a_flag_that_nobody_knows_is_named_as_one(assay: Assay) -> None:
    done = assay("analyze", "--pases")
    assert done.code == 2
    assert "--pases" in done.err
    assert "analysis named" not in done.err


def test_the_documentation_has_every_script_and_option_of_the_document() -> None:
    page = PROJECT / "docs" / "reference" / "analyses" / "index.md"
    table: dict[str, str] = {}
    script = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3:
            script = cells[0].strip("`") or script
            table[script] = f"{table.get(script, '')}\n{cells[1]}"
    listed = {row[0].strip("`") for row in rows_below("## Overview")}
    assert listed <= set(table)
    for command in command_lines():
        options = [word for word in command.options if word.startswith("--")]
        assert [option for option in options if f"`{option}" not in table[command.script]] == []


def test_the_loaders_have_their_names_and_parameters() -> None:
    signatures = [row[0].strip("`") for row in rows_below("**Functions:**")]
    listed = {sig.partition("(")[0]: sig.partition("(")[2].rstrip(")") for sig in signatures}
    assert sorted(listed) == data_loaders.__all__
    for name, parameters in listed.items():
        ours = inspect.signature(getattr(data_loaders, name)).parameters
        assert ", ".join(ours) == parameters


def test_the_loaders_give_the_records_of_the_document(dataset: Path) -> None:
    calls, runs = data_loaders.load_trajectory_data(dataset / "trajectories")
    assert (len(calls), len(runs)) == (1760, 200)
    listings = [block for language, block in BLOCK.findall(document()) if block.startswith("{")]
    for listing, record in zip(listings, (calls[0], runs[0]), strict=True):
        assert list(record) == re.findall(r'^    "(\w+)":', listing, re.MULTILINE)
    assert set(runs[0]["tool_sequence"][0]) == {"server", "tool", "is_error", "error_category"}
    assert len(data_loaders.load_summary_files(dataset / "evaluation")) == 60
    evaluations = data_loaders.load_individual_evals(dataset / "evaluation", "claude-3.5")
    assert {found["model"] for found in evaluations} == {"claude-3.5"}


def test_failures_have_the_categories_and_subcategories_of_the_document() -> None:
    listed = {
        (category, name.strip())
        for category, _, names in rows_below("**Error Classification:**")
        for name in names.split(",")
    }
    ours = {(category, name) for _, category, name in RULES}
    ours |= {data_loaders.classify_error(text) for text in ("Error calling tool", "odd")}
    assert ours == listed
    assert STATUS_NOT_SUCCESS not in {name for _, name in listed}


def test_the_defaults_are_those_of_the_document() -> None:
    listed = {row[0]: float(row[1]) for row in rows_below("**Default Parameters:**")}
    ours = {parameter.name: parameter.default for parameter in ANALYSES["weighted"].parameters}
    assert {name: ours[name] for name in listed} == listed


@pytest.mark.parametrize("rules", ["assay", "seed"])
def test_one_report_counts_one_blame_per_call(assay: Assay, rules: str) -> None:
    done = assay("analyze", "--tool-stats", "--retry-analysis", "--rules", rules, "--json")
    rows: dict[str, Any] = {found["name"]: found["rows"] for found in done.json["sections"]}
    (every,) = rows["all-calls"]
    by_use = {
        name: every[f"{name}_failures"] for name in ("model", "server", "environment", "unknown")
    }
    words = {"MODEL_ERROR": "model", "SERVER_ERROR": "server", "UNKNOWN": "unknown"}
    blamed = {words.get(row["blame"], row["blame"]): row["failures"] for row in rows["blame"]}
    assert blamed == {name: count for name, count in by_use.items() if count}
    for name, count in by_use.items():
        kinds = (row for row in rows["kinds"] if words.get(row["blame"], row["blame"]) == name)
        assert sum(row["failures"] for row in kinds) == count
        for section in ("models", "servers", "tools", "model-failures", "server-failures"):
            assert sum(row[f"{name}_failures"] for row in rows[section]) == count
    assert sum(row["failures"] for row in rows["retry"]) == every["failures"]
    if rules == "seed":
        assert (every["calls"], every["failures"]) == (1760, 272)
        assert by_use == {"model": 73, "server": 177, "environment": 0, "unknown": 22}


# Where the document promises a figure: the section that has it, and its heading.
PROMISED = (
    ("analyze_tool_stats.py", "all-calls", ("loading_calls", "mean_seconds")),
    ("analyze_tool_stats.py", "models", ("success_rate",)),
    ("analyze_tool_stats.py", "servers", ("success_rate",)),
    ("analyze_tool_stats.py", "tools", ("failures",)),
    ("analyze_tool_stats.py", "blame", ("share",)),
    ("analyze_tool_stats.py", "model-failures", ("model_failure_rate",)),
    ("analyze_retry.py", "retry", ("retry_rate", "switch_rate", "give_up_rate")),
    ("analyze_retry.py", "persistence", ("mean_streak", "mean_tools")),
    ("analyze_retry.py", "most-work", ("mean_calls",)),
    ("analyze_auto_correction.py", "correction", ("retried", "corrected", "correction_rate")),
    ("analyze_weighted.py", "weighted", ("score", "weighted", "rank_by_score", "rank")),
)


def _answered(section: Section, store: Store) -> Answered:
    analysis = ANALYSES[section.analysis]
    with opened(store) as view:
        return Answered(section, analysis, analysis.answer(view, **section.parameters))


def _headings(found: Answered, width: int) -> list[str]:
    return [str(column.header) for column in analysis_table(found, width=width).columns]


@pytest.mark.parametrize(("script", "name", "columns"), PROMISED, ids=lambda given: str(given)[:30])
def test_promised_figures_are_in_the_terminal(
    script: str, name: str, columns: tuple[str, ...], store: Store
) -> None:
    flag = next(word for word in COMMANDS[script] if word.startswith("--"))
    section = next(found for found in PARTS[flag.removeprefix("--")] if found.name == name)
    shown = _headings(_answered(section, store), 120)
    labels = {column.name: column.label for column in ANALYSES[section.analysis].columns}
    assert [labels[column] for column in columns if labels[column] not in shown] == []


def _orders() -> Iterator[tuple[str, dict[str, Any]]]:
    for analysis in ANALYSES.values():
        choices = {p.name: p.choices for p in analysis.parameters if p.name in {"by", "order"}}
        for by in choices.get("by", (None,)):
            for order in choices.get("order", (None,)):
                given = {"by": by, "order": order}
                yield analysis.name, {k: value for k, value in given.items() if value is not None}


@pytest.mark.parametrize(("name", "asked"), list(_orders()), ids=str)
def test_no_table_is_sorted_by_a_column_that_it_does_not_show(
    name: str, asked: dict[str, Any], store: Store
) -> None:
    analysis = ANALYSES[name]
    column = analysis.sort_column(asked)
    if not column:
        return
    labels = {column.name: column.label for column in analysis.columns}
    found = _answered(Section(name, name, name, asked), store)
    for width in (60, 80, 100, 160):
        assert labels[column] in _headings(found, width)


def test_what_was_written_is_what_was_shown(assay: Assay, tmp_path: Path) -> None:
    done = assay("analyze", "--weighted", "-o", tmp_path / "w.json", "--json")
    assert json.loads((tmp_path / "w.json").read_text()) == done.json
