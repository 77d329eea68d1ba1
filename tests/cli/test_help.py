"""`--help` of every command: with an example that is one of its own, in eighty columns."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from assay.cli import COMMANDS

if TYPE_CHECKING:
    from tests.command_line import Assay

GROUPS = {
    "analyze": ("report", "errors"),
    "plot": ("tools",),
    "judge": ("show",),
    "cache": ("info", "clear"),
    "mcp": ("record", "replay", "fault"),
    "golden": ("add", "remove", "ls", "check"),
    "arena": ("run", "serve"),
}
CALLED = [(), *((name,) for name in COMMANDS)]
CALLED += [(group, name) for group, names in GROUPS.items() for name in names]


@pytest.mark.parametrize("called", CALLED, ids=" ".join)
def test_help_has_an_example_and_fits_a_narrow_terminal(
    assay: Assay, called: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = assay(*called, "--help")
    lines = done.out.splitlines()
    assert done.code == 0
    assert [line for line in lines if len(line) > 80] == []
    examples = lines[lines.index("  Examples:") + 1 :]
    assert any(line.strip().startswith("assay") for line in examples)
    assert called == () or "Exit codes: 0" in " ".join(done.out.split())


def test_the_list_of_commands_is_not_cut_off(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = assay("--help").out
    listed = [
        line for line in shown.splitlines() if line.split()[:1] and line.split()[0] in COMMANDS
    ]
    assert len(listed) == len(COMMANDS)
    assert [line for line in listed if line.endswith("...")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_tells_of_each_command_what_it_tells_itself(assay: Assay, name: str) -> None:
    told = " ".join(assay(name, "--help").out.split())
    assert f" {COMMANDS[name].purpose} " in told


def test_the_list_is_shown_before_anything_is_loaded() -> None:
    script = "import sys; from assay.cli import _command_line; _command_line('--help')"
    heavy = "{'duckdb', 'assay.store', 'assay.evidence'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"{script}; assert not {heavy}"], check=True)


def test_help_is_had_by_its_short_name_too(assay: Assay) -> None:
    assert assay("-h").out == assay("--help").out
    assert assay("analyze", "-h").out == assay("analyze", "--help").out
    assert assay("analyze", "errors", "-h").out == assay("analyze", "errors", "--help").out


@pytest.mark.parametrize(
    ("called", "hint"),
    [
        ("analyse", "No command named 'analyse'. Did you mean 'analyze'?"),
        ("zzz", "No command named 'zzz'. Known: analyze, arena, "),
    ],
)
def test_a_command_that_is_none_is_told_with_the_nearest(
    assay: Assay, called: str, hint: str
) -> None:
    done = assay(called)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err
