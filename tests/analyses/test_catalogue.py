"""What holds for every analysis, those to come included."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from tests.analyses.worked import a_run, bad, ok, store_of

import assay.analyses
from assay import Store
from assay.analyses import ANALYSES, Analysis, analysis_named
from assay.analyses.answering import question
from assay.errors import UnknownName

PROJECT = Path(__file__).resolve().parents[2]
PAGES = PROJECT / "docs" / "reference" / "analyses"
QUESTIONS = PROJECT / "src" / "assay" / "analyses" / "questions"
# What only one of the two engines understands.
NOT_PLAIN = re.compile(
    r"\bQUALIFY\b|\bUNNEST\b|->|::|\bILIKE\b|\bFILTER\b|\bUSING\b|\bEXCLUDE\b|\bSTRUCT_PACK\b"
)

every_analysis = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=list(ANALYSES))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Store:
    runs = [
        a_run("ann", "t1", bad("look"), ok("look", parameters={"a": 1})),
        a_run("bob", "t1", ok("look")),
    ]
    return store_of(tmp_path_factory.mktemp("small"), runs)


@every_analysis
def test_the_columns_are_the_fields_of_the_rows(analysis: Analysis) -> None:
    shown = [column.name for column in analysis.columns]
    intervals = [name for column in analysis.columns for name in column.interval or ()]
    assert sorted(shown + intervals) == sorted(analysis.row.__struct_fields__)


@every_analysis
def test_a_share_says_which_way_is_better_or_that_neither_is(analysis: Analysis) -> None:
    for column in analysis.columns:
        if column.interval:
            assert column.kind in {"share", "score", "number"}


@every_analysis
def test_the_parameters_are_those_of_the_function(analysis: Analysis) -> None:
    signature = inspect.signature(analysis.ask).parameters
    own = {
        name: parameter.default
        for name, parameter in signature.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    assert own == {parameter.name: parameter.default for parameter in analysis.parameters}
    assert signature["filters"].kind is inspect.Parameter.VAR_KEYWORD


@every_analysis
def test_every_choice_is_answered_by_both_rules(analysis: Analysis, small: Store) -> None:
    choices = [{p.name: choice} for p in analysis.parameters for choice in p.choices] or [{}]
    for chosen in choices:
        for rules in ("assay", "seed"):
            rows = analysis.answer(small, rules=rules, **chosen)
            assert all(isinstance(row, analysis.row) for row in rows)


@every_analysis
def test_an_empty_store_is_no_error(analysis: Analysis, tmp_path: Path) -> None:
    empty = store_of(tmp_path, [])
    assert isinstance(analysis.answer(empty), list)


@every_analysis
def test_it_can_be_imported_and_read_about(analysis: Analysis) -> None:
    assert getattr(assay.analyses, analysis.name) is analysis.ask
    page = (PAGES / f"{analysis.name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {analysis.name}: ")
    assert "## Worked by hand" in page
    assert "## What missing means" in page
    fields = analysis.row.__struct_fields__
    keys = {column.name for column in analysis.columns if column.kind in {"name", "text"}}
    assert [name for name in fields if f"`{name}`" not in page and name not in keys] == []
    assert f"({analysis.name}.md)" in (PAGES / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("sql", sorted(QUESTIONS.parent.rglob("*.sql")), ids=lambda path: path.stem)
def test_the_sql_is_plain(sql: Path) -> None:
    text = re.sub(r"--.*", "", sql.read_text(encoding="utf-8"))
    assert NOT_PLAIN.findall(text) == []
    assert text.count("ORDER BY") <= text.count("NULLS ") + text.count("ORDER BY position")


@pytest.mark.parametrize("name", ["diversity", "efficiency", "queries"])
def test_the_sums_of_a_mean_stand_in_every_question_that_asks_for_one(name: str) -> None:
    assert question("mean_sums").strip() in question(name)
    assert "{" not in question(name)


def test_an_unknown_analysis_is_offered_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'tools'"):
        analysis_named("tool")
