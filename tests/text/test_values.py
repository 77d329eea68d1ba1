"""Dates, entities, words and statements in text."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay.text.code import changes_by_code, changes_by_sql, reads_by_sql, sql_changes
from assay.text.dates import clocks_in, days_in, is_date, is_edge, is_known_day
from assay.text.entities import (
    ids_in,
    is_convention,
    is_counted,
    kind_of,
    names_in,
    quotations_in,
    shape_of,
    share_half_their_parts,
)
from assay.text.leaves import field_of, leaves_of, path_text
from assay.text.words import stem, text_of, tokens_of, words_of, words_of_name


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2026-03-14", (2026, 3, 14)),
        ("14 March 2026", (2026, 3, 14)),
        ("March 14th, 2026", (2026, 3, 14)),
        ("May 20", (0, 5, 20)),
        ("14/3/2026", (2026, 3, 14)),
        ("2026年3月14日", (2026, 3, 14)),
    ],
)
def test_a_day_in_its_many_forms(text: str, day: tuple[int, int, int]) -> None:
    assert day in days_in(text)


def test_a_day_without_a_year_is_known_by_its_month() -> None:
    assert is_known_day((2024, 5, 20), {(0, 5, 20)})
    assert is_known_day((0, 5, 20), {(2024, 5, 20)})
    assert not is_known_day((2024, 5, 21), {(0, 5, 20)})
    assert is_edge((2024, 2, 29))
    assert not is_edge((2024, 2, 28))
    assert not is_date("9999-01-01")
    assert clocks_in("from 09:30 to 18:05") == {(9, 30), (18, 5)}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("PNR7Q2X", "id"),
        ("credit_card_4421486", "id"),
        ("example-org/ledgerly", "ref"),
        ("ada@example.org", "email"),
        ("https://example.org", "url"),
        ("src/app.py", "path"),
        ("2026-03-14", "date"),
        ("13:00", "time"),
        ("OSL", "code"),
        ("Ada Berg", "name"),
        ("economy", "word"),
        ("round trip", "phrase"),
        ("a text of more than five words", "text"),
        ("9999-01-01", "word"),
        (42, "number"),
        ("12345", "id"),
        (True, None),
        (None, None),
        ("", None),
        (math.nan, None),
        (10**400, None),
    ],
)
def test_the_kind_of_a_value(value: Any, kind: str | None) -> None:
    assert kind_of(value) == kind


def test_identifiers_names_and_quotations() -> None:
    text = "Book 'aisle seat' on DY947 for Ada Berg, customer C-2041客户, order SO-58213."
    assert ids_in(text) == ["C-2041", "SO-58213"]
    assert "Ada Berg" in names_in(text)
    assert quotations_in(text) == ["aisle seat"]


def test_shapes_and_parts() -> None:
    assert shape_of("SO-58213") == shape_of("AB-11111") != shape_of("so-58213")
    assert share_half_their_parts("Ada Berg", "Ada Burg")
    assert not share_half_their_parts("Ada Berg", "Tom Ford")
    assert all(map(is_convention, ("A1:B20", "#ff00aa", "16px", "v1.2.3", "utf-8", "Q3 2025")))
    assert not any(map(is_convention, ("PNR7Q2X", "SO-58213")))
    assert is_counted("part_2")
    assert not is_counted("part_2024")


def test_tokens_of_scripts_with_and_without_spaces() -> None:
    assert tokens_of("Ada Berg's SO-58213") == ["ada", "berg", "s", "so", "58213"]
    assert tokens_of("客户C-2041有哪些") == ["客户", "c", "2041", "有哪", "哪些"]
    assert words_of("The Northline ships") == ["the", "northline", "ships"]
    assert stem("cancelled") == stem("cancelling") == "cancell"
    assert words_of_name("mail__sendMessage") == ("send", "message")
    assert text_of({"a": "x\ny"}) == '{"a":"x\ny"}'


def test_leaves_open_json_in_strings() -> None:
    found = leaves_of({"body": '{"orders":[{"id":"A1"}]}', "n": 2})
    assert [(path_text(path), field_of(path), value) for path, value in found] == [
        ("$.body.orders[0].id", "id", "A1"),
        ("$.n", "n", 2),
    ]


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("INSERT INTO t VALUES (1)", True),
        ("update users set name = 'x'", True),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", True),
        ("SELECT * FROM updates WHERE set = 1", False),
        ("please update the settings", False),
    ],
)
def test_statements_that_change(text: str, changes: bool) -> None:
    assert changes_by_sql(text) is changes


def test_reading_statements_and_writing_code() -> None:
    assert reads_by_sql("WITH a AS (SELECT 1) SELECT * FROM a")
    assert changes_by_code("mkdir -p out && cp a b")
    assert not changes_by_code("ls -la | grep py")


def test_what_a_statement_changes() -> None:
    text = "INSERT INTO shop.orders (id) VALUES ('A1'); -- done\nCREATE INDEX i ON users (name);"
    assert [(target, values[0]) for target, values in sql_changes(text)] == [
        ("orders", "insert"),
        ("users", "create"),
    ]
