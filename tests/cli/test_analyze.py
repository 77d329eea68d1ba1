"""`assay analyze` as people and scripts use it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shlex
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.analyses.worked import a_run, bad, ok, store_of
from tests.conftest import shared_path, unpacked_ds200

from assay import AgentTestCase
from assay.analyses import ANALYSES
from assay.analyses.report import PARTS
from assay.cli.analyze_options import spread_names
from assay.run import RunOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command_line import Assay


HOSTILE = "\x1b[31mred\u202e[b]x[/b]"


@pytest.fixture(autouse=True)
def cache_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    runs = [
        a_run("ann", "t1", bad("book", "boom", server=HOSTILE), ok("book", server=HOSTILE)),
        a_run("bob", "t2", ok("find"), ok("find", parameters={"a": 1})),
        a_run("cleo", "t2", ok("find")),
    ]
    store_of(tmp_path, runs)
    return tmp_path / "runs.assay"


def test_one_analysis_as_a_table(assay: Assay, store: Path) -> None:
    done = assay("analyze", "tools", store, "--by", "model")
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines() if line.strip()]
    assert ["bob", "2", "0", "100.0", "%"] in [line[:5] for line in lines]
    assert ["ann", "2", "1", "50.0", "%"] in [line[:5] for line in lines]


def test_a_name_that_nobody_recorded_is_a_dash(assay: Assay, tmp_path: Path) -> None:
    store_of(tmp_path, [a_run("ann", "t1", ok("find", server=""), ok("book", server="shop"))])
    done = assay("analyze", "servers", tmp_path / "runs.assay")
    rows = [line.split()[:3] for line in done.out.splitlines() if line.strip()]
    assert ["–", "1", "1"] in rows
    assert ["shop", "1", "1"] in rows


def test_nothing_hostile_reaches_the_terminal(assay: Assay, store: Path) -> None:
    done = assay("analyze", "tools", store)
    assert "\x1b" not in done.out
    assert "\\x1b[31mred\\u202e[b]" in done.out


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_by_itself_as_json(assay: Assay, store: Path, name: str) -> None:
    done = assay("analyze", name, store, "--json", "--rules", "seed")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["filters"] == {"rules": "seed"}
    (section,) = found["sections"]
    assert section["analysis"] == name
    fields = set(ANALYSES[name].row.__struct_fields__)
    assert all(set(row) == fields for row in section["rows"])


def test_files_by_suffix(assay: Assay, store: Path, tmp_path: Path) -> None:
    files = [
        tmp_path / "out" / f"t.{suffix}" for suffix in ("csv", "md", "json", "jsonl", "parquet")
    ]
    outputs = [part for file in files for part in ("-o", file)]
    done = assay("analyze", "tools", store, "--by", "model", *outputs)
    assert done.code == 0
    assert all(f"written: {file}" in done.err for file in files)
    rows = list(csv.DictReader(io.StringIO(files[0].read_text())))
    assert [(row["model"], row["calls"], row["success_rate"]) for row in rows] == [
        ("bob", "2", "1.0"),
        ("cleo", "1", "1.0"),
        ("ann", "2", "0.5"),
    ]
    assert files[1].read_text().startswith("## Tool calls\n\n| model | server |")
    assert json.loads(files[2].read_text())["sections"][0]["rows"][2]["failures"] == 1
    assert [json.loads(line)["calls"] for line in files[3].read_text().splitlines()] == [2, 1, 2]
    with duckdb.connect() as engine:
        sql = f"SELECT model, calls, server, success_rate FROM '{files[4]}'"
        found = engine.execute(sql).fetchall()
    assert found == [("bob", 2, None, 1.0), ("cleo", 1, None, 1.0), ("ann", 2, None, 0.5)]


def test_a_report_writes_one_file_a_section(assay: Assay, store: Path, tmp_path: Path) -> None:
    done = assay("analyze", store, "--retry-analysis", "-o", tmp_path / "r.csv")
    assert done.code == 0
    written = {path.name for path in tmp_path.glob("r.*")}
    parts = [section.name for part in ("comparison", "retry-analysis") for section in PARTS[part]]
    assert written == {f"r.{name}.csv" for name in parts}


@pytest.mark.parametrize("part", [part for part in PARTS if part != "comparison"])
def test_every_flag_of_the_report(assay: Assay, store: Path, part: str) -> None:
    done = assay("analyze", store, f"--{part}", "--json")
    assert done.code == 0
    names = [section["name"] for section in json.loads(done.out)["sections"]]
    assert names == ["comparison", *(section.name for section in PARTS[part])]


@pytest.mark.parametrize(
    "args",
    [
        ["--models", "ann", "bob", "STORE"],
        ["STORE", "--models", "ann", "bob"],
        ["STORE", "--models", "ann", "--models", "bob"],
        ["--model", "ann", "--model", "BOB", "STORE"],
        ["STORE", "--models", "ann", "bob", "--rules", "assay"],
    ],
)
def test_several_models_after_one_flag(assay: Assay, store: Path, args: list[str]) -> None:
    given = [store if arg == "STORE" else arg for arg in args]
    done = assay("analyze", "tools", "--by", "model", "--json", *given)
    rows = json.loads(done.out)["sections"][0]["rows"]
    assert [row["model"] for row in rows] == ["bob", "ann"]


def test_names_that_nothing_bears_are_told_and_the_others_answered(
    assay: Assay, store: Path
) -> None:
    done = assay("analyze", "tools", store, "--by", "model", "--json", "--models", "ann", "bop")
    assert done.code == 0
    assert [row["model"] for row in json.loads(done.out)["sections"][0]["rows"]] == ["ann"]
    assert done.err == "No model named 'bop'. Did you mean 'bob'?\n"
    found = assay("analyze", "tools", store, "--server", "nix", "--tool", "nix").err
    assert "No server named 'nix'. Known: " in found
    assert "No tool named 'nix'. Known: " in found


def test_names_are_spread_up_to_the_next_option() -> None:
    assert spread_names(["--models", "a", "b", "--json"]) == [
        *("--models", "a"),
        *("--models", "b"),
        "--json",
    ]
    assert spread_names(["--models"]) == ["--models"]


def test_raw_files_are_imported_once_and_again_when_they_change(
    assay: Assay, tmp_path: Path
) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    a_run("ann", "t1", ok("find")).save(raw / "1.json")
    first = assay("analyze", "tools", raw, "--json")
    assert "importing into the cache" in first.err
    assert "read: 1 run," in first.err
    again = assay("analyze", "tools", raw, "--json")
    assert "is up to date" in again.err
    assert again.out == first.out
    a_run("ann", "t1", bad("find")).save(raw / "1.json")
    changed = assay("analyze", "tools", raw, "--json")
    assert "importing into the cache" in changed.err
    (row,) = json.loads(changed.out)["sections"][0]["rows"]
    assert (row["calls"], row["failures"]) == (1, 1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["analyze"], "name a STORE or a folder"),
        (["analyze", "nowhere"], "does not exist"),
        (["analyze", "tool", "nowhere"], "Did you mean 'tools'"),
        (["analyze", "nonsense", "x"], "No analysis named 'nonsense'. Known: agreement, attempts,"),
        (["analyze", "tools", "x", "--traj-dir", "y"], "not both"),
        (["analyze", "--traj-dir", "y"], "no such folder: y"),
        (["analyze", "some runs", "tools"], "type: assay analyze tools 'some runs'"),
        (["analyze", "some runs", "tool"], "No analysis named 'tool'. Did you mean 'tools'?"),
        (["analyze", "."], ". holds no recording that can be read"),
        (["analyze", "tools", "x", "-o", "a.xls"], "output format named '.xls'"),
        (["analyze", "tools", "x", "--by", "colour"], "colour"),
    ],
)
def test_wrong_usage_is_told(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some runs").mkdir()
    done = assay(*args)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_the_help_shows_every_analysis_and_the_flags(assay: Assay) -> None:
    shown = assay("analyze", "--help").out
    assert all(f"  {name} " in shown for name in ANALYSES)
    report = assay("analyze", "report", "--help").out
    seeds = (
        *("--models", "--model", "--judge", "--passes", "--detailed", "--top-n"),
        *("--distribution", "--export", "--tool-stats", "--retry-analysis"),
        *("--auto-correction", "--weighted", "--fa-weight", "--step-weight"),
        *("--no-tool-penalty", "--traj-dir", "--eval-dir"),
    )
    assert [flag for flag in seeds if flag not in report] == []


@pytest.mark.parametrize("name", ANALYSES)
def test_the_examples_in_the_help_of_an_analysis_can_be_run(
    assay: Assay, store: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.parent)
    shown = assay("analyze", name, "--help").out.splitlines()
    examples = [shlex.split(line) for line in shown if line.startswith("    assay analyze ")]
    assert len(examples) == 3
    assert [assay(*words).code for _, *words in examples] == [0, 0, 0]


def test_a_report_on_runs_that_nobody_judged_says_what_to_ask_instead(
    assay: Assay, store: Path, tmp_path: Path
) -> None:
    assert "No run here says how it ended" in assay("analyze", store).err
    assert "No run here" not in assay("analyze", "tools", store).err
    for name in ("summary", "attempts", "queries"):
        head = next(
            line for line in assay("analyze", name, store).out.splitlines() if "miss" in line
        )
        assert "expected   missing" in head
    judged = tmp_path / "judged"
    store_of(judged, [a_run("ann", "t1", ok("find"), outcome=RunOutcome(success=True))])
    assert assay("analyze", judged / "runs.assay").err == ""


def test_a_tool_that_bears_its_servers_name_is_cut_in_front(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    store_of(tmp_path, [a_run("ann", "t1", bad("mcp__ledger__list_all_bookings", "boom"))])
    assert "all_bookings " in assay("analyze", "tools", tmp_path / "runs.assay").out


def test_the_seeds_own_call_and_its_exports(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dataset = unpacked_ds200(tmp_path_factory)
    oracle: Any = json.loads(shared_path("oracle", "toolgym", "oracle.json").read_text())
    monkeypatch.chdir(dataset)
    done = assay("analyze", "--rules", "seed", "--tool-stats", "--export", "out.csv", "--json")
    assert done.code == 0
    sections = {section["name"]: section for section in json.loads(done.out)["sections"]}
    assert sections["all-calls"]["rows"][0]["calls"] == oracle["tool_stats"]["overall"]["total"]
    for name in ("summaries", "evals"):
        text = (dataset / f"out.{name}.csv").read_bytes()
        assert hashlib.sha256(text).hexdigest() == oracle["csv"][name]["sha256"]


def test_how_many_runs_are_in_no_mean_is_told(assay: Assay, tmp_path: Path) -> None:
    unknown = AgentTestCase("", None, run_id="x", model="dan", task_id="t1")
    store_of(tmp_path, [a_run("ann", "t1", ok("find"), ok("book")), unknown])
    done = assay("analyze", "workload", tmp_path / "runs.assay")
    rows = [line.split() for line in done.out.splitlines() if line.strip()]
    assert "recorded" in rows[2]
    assert ["t1", "2", "1", "2", "2.00", "2", "2"] in rows
