"""The SQL of the questions as Spark is given it, and what Spark says in our words."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import duckdb
import pytest

import assay.analyses.view
from assay.store.questioning import SHOWN

pytest.importorskip("sqlglot", reason="needs the extra assay[spark]")

from assay.store.spark.dialect import DIFFERENCES, in_spark, steps_of
from assay.store.spark.messages import START_PROBLEMS, damaged_file, start_problem, telling_line

QUESTIONS = Path(assay.analyses.view.__file__).parent
SQL = sorted(QUESTIONS.rglob("*.sql"))
SPACES = "".join(c for c in map(chr, range(0x10FFFF)) if unicodedata.category(c) == "Zs")
EXAMPLES = {
    "FSUM(number)": (
        "SELECT FSUM(a * b), fsum FROM t",
        "SELECT SUM(a * b), fsum FROM t",
    ),
    "ROW_NUMBER() OVER (...)": (
        "SELECT ROW_NUMBER() OVER (PARTITION BY LOWER(a) ORDER BY b) * 2 AS n",
        "SELECT CAST(ROW_NUMBER() OVER (PARTITION BY LOWER(a) ORDER BY b) AS BIGINT) * 2 AS n",
    ),
    "$name": (
        "SELECT $by, '$by', \"$by\" -- it's $by\nLIMIT $limit",
        "SELECT :by, '$by', \"$by\" -- it's $by\nLIMIT :limit",
    ),
    "TRIM(text)": (
        "SELECT trim(COALESCE(a, TRIM(b))) <> '', trim FROM t",
        f"SELECT BTRIM(COALESCE(a, BTRIM(b, '{SPACES}')), '{SPACES}') <> '', trim FROM t",
    ),
}


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda found: found.duckdb)
def test_every_difference(difference: object) -> None:
    written, expected = EXAMPLES[difference.duckdb]  # type: ignore[attr-defined]
    assert in_spark(written) == expected


def test_spaces_are_those_that_duckdb_takes_off() -> None:
    letters = [chr(number) for number in range(1, 0xD800)]
    query = "SELECT c FROM unnest($letters::VARCHAR[]) AS t(c) WHERE TRIM(c) = ''"
    found = duckdb.execute(query, {"letters": letters}).fetchall()
    assert {letter for (letter,) in found} == set(SPACES)


def test_text_without_a_difference_is_left_alone() -> None:
    plain = "SELECT CASE WHEN a >= 0.2e0 THEN CHR(1) || b END\n-- what's this?\nFROM calls"
    assert in_spark(plain) == plain


def test_the_steps_of_a_query() -> None:
    steps, rest = steps_of(
        "-- Why?\nWITH one AS (SELECT (1) AS a), two AS (SELECT a FROM one),\n"
        "three AS (SELECT a FROM two JOIN one ON TRUE)\nSELECT * FROM three"
    )
    assert [(step.name, step.is_shared) for step in steps] == [
        ("one", True),
        ("two", False),
        ("three", False),
    ]
    assert steps[0].query == "SELECT (1) AS a"
    assert rest == "SELECT * FROM three"
    assert steps_of("SELECT 1") == ((), "SELECT 1")


@pytest.mark.parametrize("sql", SQL, ids=lambda path: path.stem)
def test_no_step_bears_the_name_of_a_table(sql: Path) -> None:
    """Spark would take the one for the other."""
    names = re.findall(r"^(?:WITH )?(\w+) AS \($", sql.read_text(encoding="utf-8"), re.MULTILINE)
    tables = set(assay.analyses.view._TABLE_NAMES.pattern.strip("\\b()").split("|"))
    assert {"calls", "runs", "evaluations"} <= tables
    assert set(names) & tables == set()
    assert "\\" not in sql.read_text(encoding="utf-8")  # the engines read it differently
    assert not [name for name in names if name.startswith(("stored_", "recorded_"))]


def test_the_last_word_is_plain_sql() -> None:
    for shown in SHOWN.values():
        assert "::" not in shown("SELECT * FROM x")


@pytest.mark.parametrize(("words", "meaning"), START_PROBLEMS)
def test_why_it_could_not_start(words: str, meaning: str) -> None:
    said = f"WARNING: Using incubator modules\nException in thread main: {words} ...\n\tat x.y"
    told = start_problem("local[2]", said)
    assert told == f"Spark could not be started with the master 'local[2]': {meaning}"


def test_what_nobody_foresaw_is_one_line() -> None:
    said = "WARNING: modules\n26/11/16 03:10:22 WARN Utils: loopback\nNo space left\n\tat x.y"
    assert start_problem("yarn", said).endswith("'yarn': No space left")
    java = "An error occurred while calling o7.sql.\n: java.X: [OVERFLOW] too large\n\tat x.y"
    assert telling_line(java) == "java.X: [OVERFLOW] too large"
    assert telling_line("") == "it did not say why"
    python = "Job aborted\nTraceback (most recent call last):\n  File x\nValueError: no 7\n\tat x"
    assert telling_line(python) == "ValueError: no 7"


def test_a_file_that_cannot_be_read() -> None:
    said = "[FAILED_READ_FILE.NO_HINT] reading file file:///a b/[1]/runs.parquet. SQLSTATE"
    assert damaged_file(said) == "/a b/[1]/runs.parquet"
    assert damaged_file("[DIVIDE_BY_ZERO] file:///a/runs.parquet") is None
