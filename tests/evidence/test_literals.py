"""What queries, commands and code must have learnt from somewhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.literals import SQL_WORDS, code_atoms, holds_code, is_sql, sql_atoms

QUERY = """
-- paid orders of the third quarter
WITH paid AS (SELECT * FROM orders WHERE status = 'paid')
SELECT r.name AS region, ROUND(SUM(p.amount_eur) * 100.0, 2) total, COUNT(*) AS n
FROM paid p JOIN regions r ON r.region_id = p.region_id
WHERE p.ordered_on >= '2025-07-01' AND p.amount_eur > 250
GROUP BY r.name
"""


def test_literals_and_foreign_names_of_a_query() -> None:
    assert [(atom.kind, atom.text) for atom in sql_atoms(QUERY)] == [
        ("quoted", "paid"),
        ("date", "2025-07-01"),
        ("number", "250"),
        ("id", "orders"),
        ("id", "status"),
        ("id", "name"),
        ("id", "amount_eur"),
        ("id", "regions"),
        ("id", "region_id"),
        ("id", "ordered_on"),
    ]


@pytest.mark.parametrize(
    ("sql", "texts"),
    [
        ("INSERT INTO themes (label) SELECT name FROM stock", ["themes", "label", "name", "stock"]),
        (
            "CREATE TABLE report (id int, total numeric); INSERT INTO report SELECT 1 FROM sales",
            ["report", "sales"],
        ),
        ("SELECT relname FROM pg_class WHERE relname = 'orders'", ["orders"]),
        ("SELECT to_char(day, 'YYYY-MM-DD') FROM visits", ["visits"]),
        ("SELECT max(x) INTO v_total FROM visits", ["visits"]),
        ("SELECT id FROM people WHERE who = 'O''Brien'", ["O'Brien", "people", "who"]),
        ("SELECT 'The people' AS title FROM people", ["people"]),
        (
            "SELECT CASE WHEN stage = 'aged' THEN 'Too old' ELSE 'Fine' END FROM people",
            ["aged", "stage", "people"],
        ),
        ("SELECT move_part('P-301', 44)", ["P-301", "44"]),
        ("INSERT INTO log SELECT 'P-302', 17", ["P-302", "17", "log"]),
        ("CREATE TABLE things (a varchar(255), b numeric(12, 2))", ["things"]),
        ("SELECT * FROM (SELECT 1 AS one FROM stock) inner_part", ["stock"]),
    ],
)
def test_statements(sql: str, texts: list[str]) -> None:
    assert [atom.text for atom in sql_atoms(sql)] == texts


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (QUERY, True),
        ("select 1 from dual", True),
        ("UPDATE users SET name = 'x'", True),
        ("/* hello */ DELETE FROM users", True),
        ("Update the user please", False),
        ("with care", False),
        ("selection", False),
        ("create", False),
        ("", False),
    ],
)
def test_what_is_sql(text: str, *, sql: bool) -> None:
    assert is_sql(text) is sql


def test_code_is_searched_for_what_it_must_know() -> None:
    code = "r = get('https://api.example.com/v1', json={'id': 'SO-58213'})\nx1 = open('/srv/a.csv')"
    found = [(atom.kind, atom.text) for atom in code_atoms(code)]
    assert found == [
        ("url", "https://api.example.com/v1"),
        ("id", "SO-58213"),
        ("path", "/srv/a.csv"),
    ]


def test_fields_that_hold_code() -> None:
    assert holds_code("Code")
    assert holds_code("command")
    assert not holds_code("query")


def test_sql_words_are_written_as_they_are_looked_up() -> None:
    assert all(word == word.lower() for word in SQL_WORDS)


@settings(deadline=None)
@given(st.text(alphabet="selct from'\"-/*().,;$ \n0123az_", max_size=300))
def test_any_text_can_be_taken_for_sql(text: str) -> None:
    phrases = [atom.phrase for atom in sql_atoms(text)]
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize("comment", ["/**/", "/* */ ", "-- \n", "/*"])
def test_any_number_of_comments_may_stand_before_a_statement(comment: str) -> None:
    assert not is_sql(f"{comment * 5_000} neither from here nor there")
    assert is_sql(f"{comment * 5_000} select 1 from here") is (comment != "/*")
