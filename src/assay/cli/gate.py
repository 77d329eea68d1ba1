"""`assay gate`: may this change go in?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from assay.cli import gate_options as option
from assay.cli.console import Terminal, fall_silent
from assay.cli.exit_codes import ExitCode
from assay.cli.machine_output import json_line, write_data, write_json
from assay.cli.stores import JsonOption
from assay.errors import DamagedStore, InvalidSettings
from assay.records import counted
from assay.render.output_files import append_text, by_suffix, write_text

if TYPE_CHECKING:
    from assay.gate import FoundSettings, GateReport, GateSettings

EPILOG = """
\b
Examples:
  assay gate runs.assay --min success=0.6
  assay gate runs.assay --write-baseline baseline.json
  assay gate runs.assay --baseline baseline.json --margin cost_usd=20%
  assay gate -o gate.xml -o comment.md

What is checked stands in assay.yaml or [tool.assay] of pyproject.toml; options win over it.
Exit codes: 0 pass, 1 regression, 2 wrong usage, 3 insufficient data or incomplete.
"""
_EXIT_CODES = {
    "pass": ExitCode.OK,
    "regression": ExitCode.BELOW_THRESHOLD,
    "insufficient": ExitCode.INCOMPLETE,
}
_STYLES = {"pass": "green", "regression": "red", "insufficient": "yellow"}


def gate(  # noqa: PLR0917 - each is an option of the command
    store: option.Runs = None,
    baseline: option.Baseline = None,
    config: option.Config = None,
    minimum: option.Minimum = None,
    maximum: option.Maximum = None,
    margin: option.Margin = None,
    write_baseline: option.WriteBaseline = None,
    output: option.Output = None,
    github: option.Github = None,
    schema: option.Schema = False,
    as_json: JsonOption = False,
) -> None:
    """Hold runs against limits and a baseline. Pass, regression or insufficient data."""
    if schema:
        write_data(import_module("assay.gate").schema_text())
        return
    writers = [(path, by_suffix(path, OUTPUTS)) for path in output or []]
    found = _settings(config)
    name = _store_name(store, found)
    if write_baseline is not None:
        _write_baseline(name, write_baseline)
        return
    limits = _with_options(found.settings.gate, {"min": minimum, "max": maximum, "margin": margin})
    report = _report(name, limits, baseline or _from_settings(found, limits.baseline))
    for path, write in writers:
        write_text(path, write(report))
    on_github = _is_on_github() if github is None else github
    if on_github:
        _write_summary(report)
    raise typer.Exit(_told(report, as_json=as_json, on_github=on_github))


def _settings(config: Path | None) -> FoundSettings:
    room = import_module("assay.gate")
    found: FoundSettings = room.find_settings() if config is None else room.read_settings(config)
    return found


def _store_name(given: str | None, found: FoundSettings) -> str:
    name = given or _from_settings(found, found.settings.store)
    if name is None:
        raise typer.BadParameter(
            "name a store, here or as `store` in assay.yaml", param_hint="STORE"
        )
    return name


def _from_settings(found: FoundSettings, name: str | None) -> str | None:
    return None if name is None else str(found.place(name))


def _report(name: str, limits: GateSettings, against: str | None) -> GateReport:
    room = import_module("assay.gate")
    if not limits.checks:
        raise InvalidSettings(
            "there is nothing to check: give --min success=0.6, with a baseline "
            "--margin success=0.1, or write `gate: checks:` into assay.yaml"
        )
    report: GateReport
    try:
        runs = room.read_runs(name)
        held_against = room.read_runs(against) if against else None
        room.refuse_misspelt(limits, runs, *([held_against] if held_against else []))
        report = room.gate(runs, limits, held_against)
    except DamagedStore as exc:
        report = room.unreadable(name, str(exc))
    return report


def _with_options(settings: GateSettings, given: dict[str, list[str] | None]) -> GateSettings:
    """The settings with the limits that options name; an option wins over a setting."""
    checks: dict[str, Any] = msgspec.to_builtins(settings.checks)
    for rule, texts in given.items():
        for text in texts or []:
            quantity, _, limit = text.rpartition("=")
            if not quantity:
                raise typer.BadParameter(
                    f"{text!r} is not NAME=NUMBER, such as success=0.6", param_hint=f"--{rule}"
                )
            checks.setdefault(quantity, {})[rule] = _number(limit, rule)
    said = {"gate": {**msgspec.to_builtins(settings), "checks": checks}}
    changed: GateSettings = import_module("assay.gate").settings_of(said, "options").gate
    return changed


def _number(text: str, rule: str) -> float | str:
    if rule == "margin" and text.endswith("%"):
        return text
    try:
        found = float(text)
    except ValueError:
        found = nan
    if not isfinite(found):
        raise typer.BadParameter(f"{text!r} is not a number", param_hint=f"--{rule}")
    return found


def _write_baseline(name: str, path: Path) -> None:
    room = import_module("assay.gate")
    runs = room.read_runs(name)
    messages = Terminal(stderr=True)
    if not runs.runs:
        messages.tell(f"{name} has no run: no baseline was written", "yellow")
        raise typer.Exit(ExitCode.INCOMPLETE)
    room.write_baseline(runs, path)
    tasks = counted(len(runs.by_task()), "task", "tasks")
    messages.tell(f"{counted(len(runs.runs), 'run', 'runs')} of {tasks} written to {path}")


def _told(report: GateReport, *, as_json: bool, on_github: bool) -> ExitCode:
    """The verdict, told to whoever still listens; it stands when nobody does."""
    code = _EXIT_CODES[report.verdict]
    try:
        _tell(report, as_json=as_json)
        if on_github:
            for line in _renderer("github").workflow_commands(report):
                typer.echo(line, err=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        fall_silent()
        if as_json and code == ExitCode.OK:  # data that nobody took
            return ExitCode.INCOMPLETE
    return code


def _tell(report: GateReport, *, as_json: bool) -> None:
    if as_json:
        write_json(report.to_dict())
        return
    terminal = Terminal()
    tables, github = _renderer("comparison_table"), _renderer("github")
    cells = map(github.check_cells, report.checks)
    terminal.print(tables.text_table("", github.CHECK_HEADERS, cells))
    for check in report.checks:
        if check.verdict != "pass":
            terminal.tell(f"{check.name}: {check.reason}", _STYLES[check.verdict])
    terminal.tell(report.sentence(), f"bold {_STYLES[report.verdict]}")


def _is_on_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _write_summary(report: GateReport) -> None:
    """The report to where GitHub shows it beside the log; that has annotations on either stream."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        append_text(Path(summary), _renderer("github").gate_markdown(report))


def _renderer(name: str) -> Any:
    return import_module(f"assay.render.{name}")


def _json(report: GateReport) -> str:
    return json_line(report.to_dict())


def _markdown(report: GateReport) -> str:
    text: str = _renderer("github").gate_markdown(report)
    return text


def _junit(report: GateReport) -> str:
    text: str = _renderer("junit").junit_xml([report])
    return text


OUTPUTS: dict[str, Callable[[Any], str]] = {".json": _json, ".md": _markdown, ".xml": _junit}
