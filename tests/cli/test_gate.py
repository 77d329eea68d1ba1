"""`assay gate` as people and CI use it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from tests.cli.processes import ASSAY
from tests.cli.rated_stores import put_here, store_of

from assay.gate import schema_text

if TYPE_CHECKING:
    from tests.command_line import Assay


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good and a bad store; nobody changes them."""
    folder = tmp_path_factory.mktemp("stores")
    store_of(folder / "good.assay", {"ada": 1.0}, tasks=30)
    store_of(folder / "bad.assay", {"ada": 0.1}, tasks=30)
    return folder


@pytest.fixture
def assay(assay: Assay, monkeypatch: pytest.MonkeyPatch, stores: Path) -> Assay:
    """Run `assay` in a folder that has the stores, on no machine of GitHub's."""
    monkeypatch.setenv("COLUMNS", "160")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    put_here(stores)
    return assay


def config(text: str) -> None:
    Path("assay.yaml").write_text(text, encoding="utf-8")


VERDICTS = {
    "a limit that is kept": (["good.assay", "--min", "success=0.8"], 0, "pass"),
    "a limit that is not": (["bad.assay", "--min", "success=0.8"], 1, "regression"),
    "a limit amid the interval": (
        ["bad.assay", "--min", "success=0.1"],
        3,
        "insufficient",
    ),
    "no such value": (["good.assay", "--max", "tool_use=0.8"], 3, "insufficient"),
    "as good as the baseline": (
        ["good.assay", "--baseline", "good.assay", "--margin", "success=0.15"],
        0,
        "pass",
    ),
    "worse than the baseline": (
        ["bad.assay", "--baseline", "good.assay", "--margin", "success=15%"],
        1,
        "regression",
    ),
    "a regression wins over what is missing": (
        ["bad.assay", "--min", "success=0.8", "--min", "tool_use=0.1"],
        1,
        "regression",
    ),
    "a margin without a baseline": (["good.assay", "--margin", "success=0.1"], 3, "insufficient"),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_verdict_and_exit_code(assay: Assay, case: str) -> None:
    arguments, code, verdict = VERDICTS[case]
    done = assay("gate", *arguments, "--json")
    assert (done.code, json.loads(done.out)["verdict"]) == (code, verdict)
    assert assay("gate", *arguments).code == code


def test_a_misspelt_quantity_is_wrong_usage(assay: Assay) -> None:
    done = assay("gate", "good.assay", "--min", "sucess=0.8")
    assert done.code == 2
    assert "No quantity named 'sucess'. Did you mean 'success'?" in done.err
    config("store: good.assay\ngate: {checks: {secnds: {max: 1}}}\n")
    assert assay("gate").code == 2


def test_a_committed_baseline(assay: Assay) -> None:
    written = assay("gate", "good.assay", "--write-baseline", "base/line.json")
    assert (written.code, written.out) == (0, "")
    assert "60 runs of 30 tasks written to base/line.json" in written.err
    config("store: bad.assay\ngate: {baseline: base/line.json, checks: {success: {margin: 0.2}}}\n")
    done = assay("gate", "-o", "gate.xml", "-o", "gate.md", "-o", "gate.json")
    assert done.code == 1
    assert "regression: bad.assay against good.assay, 60 runs of 30 tasks" in done.out
    root = ET.parse("gate.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")
    assert Path("gate.md").read_text(encoding="utf-8").startswith("<!-- assay gate -->")
    document = json.loads(Path("gate.json").read_text(encoding="utf-8"))
    check = document["checks"][1]
    assert (check["name"], check["verdict"]) == ("success margin 0.2", "regression")
    assert check["value"] == pytest.approx(-0.9)
    assert assay("gate", "good.assay").code == 0
    lenient = assay("gate", "--margin", "success=1")
    assert lenient.code == 0  # an option wins over the settings


def test_paths_in_the_settings_start_at_their_file(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    config("store: good.assay\ngate: {checks: {success: {min: 0.5}}}\n")
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    assert assay("gate", "--config", "../assay.yaml").code == 0


def test_pyproject_will_do(assay: Assay) -> None:
    Path("pyproject.toml").write_text(
        '[tool.assay]\nstore = "good.assay"\n[tool.assay.gate.checks.success]\nmin = 0.8\n'
    )
    assert assay("gate").code == 0


def test_tasks_that_were_not_run_again(assay: Assay) -> None:
    store_of("fewer.assay", {"ada": 1.0}, tasks=20)
    done = assay("gate", "fewer.assay", "--baseline", "good.assay", "--min", "success=0.5")
    assert done.code == 3
    assert "10 of 30 tasks of good.assay not run: task-20" in done.out


def test_on_github(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n", encoding="utf-8")
    done = assay("gate", "bad.assay", "--min", "success=0.8")
    assert done.code == 1
    assert "\n::error title=assay gate%3A success min 0.8::success is 0.100" in done.out
    assert Path("summary.md").read_text(encoding="utf-8").startswith("before\n<!-- assay gate -->")
    quiet = assay("gate", "bad.assay", "--min", "success=0.8", "--json")
    json.loads(quiet.out)
    assert quiet.err.startswith("::error ")
    off = assay("gate", "bad.assay", "--min", "success=0.8", "--no-github")
    assert "::error" not in off.out + off.err


# The verdict stands without a listener; data that nobody took is incomplete.
UNHEARD = {
    "a pass": (["good.assay", "--min", "success=0.8"], 0),
    "a regression": (["bad.assay", "--min", "success=0.8"], 1),
    "a pass as data": (["good.assay", "--min", "success=0.8", "--json"], 3),
    "a regression as data": (["bad.assay", "--min", "success=0.8", "--json"], 1),
}


@pytest.mark.parametrize("case", UNHEARD)
def test_a_verdict_stands_when_its_reader_goes_away(
    stores: Path, tmp_path: Path, case: str
) -> None:
    arguments, code = UNHEARD[case]
    reading, writing = os.pipe()
    os.close(reading)
    summary = tmp_path / "summary.md"
    done = subprocess.run(
        [*ASSAY, "gate", *arguments, "--github"],
        cwd=stores,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
    )
    os.close(writing)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert summary.read_text(encoding="utf-8").startswith("<!-- assay gate -->")


def test_annotations_can_be_asked_for_elsewhere(assay: Assay) -> None:
    done = assay("gate", "bad.assay", "--min", "success=0.8", "--github")
    assert "::error " in done.out


def test_the_schema_is_shown(assay: Assay) -> None:
    done = assay("gate", "--schema")
    assert (done.code, done.out) == (0, schema_text())


def test_a_damaged_store_is_incomplete_not_a_regression(assay: Assay) -> None:
    store_of("damaged.assay", {"ada": 1.0})
    for file in Path("damaged.assay").rglob("runs.parquet"):
        file.write_bytes(b"PAR1 cut off")
    done = assay("gate", "damaged.assay", "--min", "success=0.8", "-o", "gate.xml")
    assert done.code == 3
    root = ET.parse("gate.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == ("0", "1")


def test_an_empty_store_has_nothing_to_say(assay: Assay) -> None:
    store_of("empty.assay", {}, tasks=0)
    assert assay("gate", "empty.assay", "--min", "success=0.1").code == 3
    none = assay("gate", "empty.assay", "--write-baseline", "b.json")
    assert none.code == 3
    assert not Path("b.json").exists()


WRONG = {
    "no store": ([], "name a store, here or as `store` in assay.yaml"),
    "nothing to check": (["good.assay"], "there is nothing to check: give --min success=0.6"),
    "no number": (["good.assay", "--min", "success=high"], "'high' is not a number"),
    "no end": (["good.assay", "--max", "success=inf"], "'inf' is not a number"),
    "no name": (["good.assay", "--min", "0.5"], "'0.5' is not NAME=NUMBER"),
    "below nothing": (["good.assay", "--margin", "success=-1"], "margin is float -1.0; expected a"),
    "no such config": (["good.assay", "--config", "x.yaml"], "x.yaml cannot be read"),
    "no such baseline": (
        ["good.assay", "--min", "success=0.1", "--baseline", "x"],
        "x names no store",
    ),
    "no such baseline file": (
        ["good.assay", "--margin", "success=0.1", "--baseline", "x.json"],
        "there is no baseline x.json; write one with: assay gate STORE --write-baseline x.json",
    ),
    "no such format": (
        ["good.assay", "--min", "success=0.1", "-o", "x.pdf"],
        "No output format named '.pdf'",
    ),
    "no such store": (["none.assay", "--min", "success=0.1"], "none.assay names no store"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage(assay: Assay, case: str) -> None:
    arguments, problem = WRONG[case]
    done = assay("gate", *arguments)
    assert done.code == 2
    assert problem in " ".join(done.err.split())


def test_wrong_settings_are_wrong_usage(assay: Assay) -> None:
    config("gate: {checks: {success: {mim: 1}}}\n")
    done = assay("gate", "good.assay")
    assert done.code == 2
    assert "assay.yaml: there is no key gate.checks.success.mim; did you mean 'min'?" in done.err
