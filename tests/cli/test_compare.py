"""`assay compare` as people and scripts use it."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.rated_stores import put_here, store_of
from tests.store.runs import fill, run

from assay.render.comparison_rows import FIGURE_COLUMNS
from assay.store import Store

if TYPE_CHECKING:
    from tests.command_line import Assay


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stores, one of them of three models; nobody changes them."""
    folder = tmp_path_factory.mktemp("stores")
    store_of(folder / "old.assay", {"ada": 1.0})
    store_of(folder / "new.assay", {"ada": 0.25, "bob": 0.5, "eve": 1.0})
    return folder


@pytest.fixture
def assay(assay: Assay, monkeypatch: pytest.MonkeyPatch, stores: Path) -> Assay:
    """Run `assay` in a folder that has the stores."""
    monkeypatch.setenv("COLUMNS", "160")
    put_here(stores)
    return assay


def test_two_stores_flips_first(assay: Assay) -> None:
    done = assay("compare", "old.assay", "new.assay:ada")
    assert (done.code, done.err) == (0, "")
    assert done.out.index("6 broken, 0 fixed") < done.out.index("difference")
    assert "new.assay:ada is worse than old.assay in success. Difference -0.750" in done.out
    assert "\x1b" not in done.out


def test_a_narrow_terminal_shows_what_matters(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = assay("compare", "old.assay", "new.assay:ada")
    row = next(line for line in done.out.splitlines() if line.startswith(" success "))
    assert row.split()[:3] == ["success", "1.000", "0.250"]
    assert "worse" in row


def test_long_names_of_sides_stand_above_the_table_where_there_is_little_room(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree("old.assay", "the-runs-of-last-week.assay")
    sides = ("the-runs-of-last-week.assay", "new.assay:ada")
    monkeypatch.setenv("COLUMNS", "80")
    narrow = assay("compare", *sides).out.splitlines()
    assert {"A  the-runs-of-last-week.assay", "B  new.assay:ada"} <= set(narrow)
    (headers,) = (line.split() for line in narrow if line.startswith(" quantity "))
    assert headers == ["quantity", "A", "B", "difference", "p", "verdict"]
    monkeypatch.setenv("COLUMNS", "160")
    assert "A  the-runs" not in assay("compare", *sides).out


SIDES = {
    "two models of one store": (["new.assay:ada", "new.assay:eve"], "better"),
    "two models, shorter": (["--store", "new.assay", "ada", "eve"], "better"),
    "two attempts": (["new.assay@1", "new.assay@2"], "cannot_tell"),
    "two frameworks": (["--store", "new.assay", "--by", "framework", "of eve", "of ada"], "worse"),
    "two attempts, by column": (["--store", "new.assay", "--by", "attempt"], "cannot_tell"),
}


@pytest.mark.parametrize("spelling", SIDES)
def test_sides_in_every_spelling(assay: Assay, spelling: str) -> None:
    arguments, verdict = SIDES[spelling]
    done = assay("compare", *arguments, "--json")
    assert done.code == 0
    assert json.loads(done.out)["verdict"] == verdict


def test_three_models_are_ranked(assay: Assay) -> None:
    done = assay("compare", "--store", "new.assay")
    assert done.code == 0
    assert "every pair" in done.out
    found = json.loads(assay("compare", "--store", "new.assay", "--json").out)
    assert [each["name"] for each in found["standings"]] == ["eve", "bob", "ada"]
    assert len(found["pairs"]) == 3
    against = assay("compare", "--store", "new.assay", "--against", "ada", "--json")
    pairs = json.loads(against.out)["pairs"]
    assert [pair["names"] for pair in pairs] == [["ada", "eve"], ["ada", "bob"]]


def test_what_says_nothing_of_success_is_told(assay: Assay) -> None:
    """And a legend speaks of a star only where there is one."""
    for name in ("one.assay", "two.assay"):
        cases = [run(number, run_id=f"{name}-{number}", outcome=None) for number in range(3)]
        fill(Store.create(name), cases)
    done = assay("compare", "one.assay", "two.assay", "-o", "c.md")
    said = "no outcome recorded in one.assay and two.assay"
    assert said in done.out
    assert said in Path("c.md").read_text(encoding="utf-8")
    assert ("* lower is better" in done.out) == (" * " in done.out)
    assert done.code == 0
    both = assay("compare", "old.assay", "new.assay:ada")
    assert "no outcome recorded" not in both.out


def test_files_by_suffix(assay: Assay) -> None:
    names = ["out/c.csv", "out/c.md", "out/c.json"]
    outputs = [part for name in names for part in ("-o", name)]
    done = assay("compare", "old.assay", "new.assay:ada", *outputs)
    assert done.code == 0
    with Path("out/c.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(FIGURE_COLUMNS)
    first = rows[0]
    assert (first["quantity"], first["difference"], first["tasks"]) == ("success", "-0.75", "8")
    assert float(first["low"]) < -0.75 < float(first["high"])
    text = Path("out/c.md").read_text(encoding="utf-8")
    assert text.startswith("**new.assay:ada is worse than old.assay in success")
    assert "http://evil" not in text
    document = json.loads(Path("out/c.json").read_text(encoding="utf-8"))
    assert len(document["flips"]) == 6
    key = document["flips"][0]["candidate_runs"][0]
    assert assay("show", "new.assay", key).code == 0


def test_several_sides_to_files(assay: Assay) -> None:
    done = assay("compare", "--store", "new.assay", "-o", "c.csv", "-o", "c.md")
    assert done.code == 0
    with Path("c.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["corrected_for"] for row in rows} == {"3"}
    assert "| side | success | runs |" in Path("c.md").read_text(encoding="utf-8")


def test_the_quantity_can_be_chosen(assay: Assay) -> None:
    done = assay("compare", "old.assay", "new.assay:ada", "--quantity", "pass^2", "--json")
    assert json.loads(done.out)["headline"]["quantity"] == "pass^2"


def test_nothing_to_compare_is_told_by_the_exit_code(assay: Assay) -> None:
    done = assay("compare", "old.assay@1", "old.assay@7")
    assert done.code == 3
    assert "they have no value in common" in done.out


def test_sides_that_share_no_task_are_nothing_to_compare(assay: Assay) -> None:
    runs = [run(i, task_id=f"t{i}", model=name) for i, name in enumerate(("a", "b", "c"))]
    fill(Store.create("apart.assay"), runs)
    two = assay("compare", "apart.assay:a", "apart.assay:b")
    assert two.code == 3
    assert "they share no task" in " ".join(two.out.split())
    several = assay("compare", "--store", "apart.assay", "--json")
    assert (several.code, json.loads(several.out)["tasks"]) == (3, 0)


WRONG = {
    "one side": (["old.assay"], "two sides are needed, there is only old.assay"),
    "no side": ([], "two sides are needed, there is none; such as"),
    "twice the same": (["old.assay", "old.assay"], "old.assay is given twice"),
    "no such store": (["old.assay", "none.assay"], "none.assay names no store"),
    "no such model": (["old.assay", "new.assay:eva"], "No model named 'eva'. Did you mean 'eve'?"),
    "no such part": (["--store", "new.assay", "ada", "bib"], "No model named 'bib'"),
    "no such column": (["--store", "new.assay", "--by", "modl"], "Did you mean 'model'?"),
    "a column without a store": (["a", "b", "--by", "model"], "name one with --store"),
    "no such format": (["old.assay", "new.assay", "-o", "x.pdf"], "No output format named '.pdf'"),
    "no such quantity": (["old.assay", "new.assay", "--quantity", "x"], "No quantity named 'x'"),
    "a difference that is none": (
        ["old.assay", "new.assay", "--smallest", "0"],
        "smallest: expected a difference above 0",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage(assay: Assay, case: str) -> None:
    arguments, problem = WRONG[case]
    done = assay("compare", *arguments)
    assert done.code == 2
    assert problem in " ".join(done.err.split())
    assert done.out == ""
