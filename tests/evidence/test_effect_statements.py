"""What an SQL text changes, statement by statement."""

from __future__ import annotations

from time import process_time

import pytest

from assay.evidence.effect_statements import statements_in


@pytest.mark.parametrize(
    ("text", "kind", "target", "values"),
    [
        ("INSERT INTO t (a) VALUES ('It''s'), (4.50)", "insert", "t", {"t", "a", "it's", "4.5"}),
        (
            "insert or ignore into `a b` values (1)",
            "insert",
            "a b",
            {"a b", "1", "ignore"},
        ),
        ("REPLACE INTO t VALUES (2)", "replace", "t", {"t", "2"}),
        ('UPDATE public."Staff" SET Pay = 5', "update", "staff", {"staff", "pay", "5"}),
        ("-- why\nDELETE FROM ONLY a.b /* no */", "delete", "b", {"a", "b"}),
        ("TRUNCATE TABLE logs", "truncate", "logs", {"logs"}),
        ("MERGE INTO stock USING news ON a = b", "merge", "stock", {"stock", "news", "a", "b"}),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY v", "refresh", "v", {"v"}),
        ("CREATE TABLE IF NOT EXISTS s.t (id int)", "create table", "t", {"s", "t", "id"}),
        ("create or replace view v as select 1", "create view", "v", {"v", "1"}),
        ("CREATE UNIQUE INDEX i ON t (a)", "create index", "t", {"i", "t", "a"}),
        ("CREATE POLICY p ON accounts", "create policy", "accounts", {"p", "accounts"}),
        ("ALTER TABLE t ADD COLUMN c int", "alter table", "t", {"t", "c"}),
        ("DROP VIEW IF EXISTS v", "drop view", "v", {"v"}),
        ("GRANT SELECT ON TABLE t TO ada", "grant", "t", {"t", "ada"}),
        ("REVOKE ALL ON t FROM ada", "revoke", "t", {"t", "ada"}),
        ("COMMENT ON TABLE t IS 'Old'", "comment", "t", {"comment", "t", "old"}),
        ("WITH x AS (SELECT 1) DELETE FROM t", "delete", "t", {"x", "1", "t"}),
        ("DO $$ BEGIN UPDATE t SET a = 1; END $$", "update", "t", {"t", "a", "1"}),
        (
            "CREATE FUNCTION f() RETURNS int AS $x$ SELECT 7; $x$",
            "create function",
            "f",
            {"f", "7"},
        ),
    ],
)
def test_a_statement_that_changes_something(
    text: str, kind: str, target: str, values: set[str]
) -> None:
    (found,) = statements_in(text)
    assert (found.kind, found.target, {*found.values}) == (kind, target, values)


@pytest.mark.parametrize(
    "text",
    ["SELECT update FROM t", "CREATE TEMP TABLE t AS SELECT 1", "SET a = 1", "", "create", "; ;"],
)
def test_a_statement_that_changes_nothing(text: str) -> None:
    assert statements_in(text) == []


def test_several_statements() -> None:
    text = "INSERT INTO a VALUES ('x;y'); SELECT 1; DELETE FROM b;"
    assert [(one.kind, one.target) for one in statements_in(text)] == [
        ("insert", "a"),
        ("delete", "b"),
    ]


@pytest.mark.parametrize("piece", ["'", "$", "$a$", "/*", '"', "`", "with ", "a.", "grant ", ";"])
def test_hostile_texts_take_bounded_time(piece: str) -> None:
    started = process_time()
    statements_in("insert into t " + piece * 100_000)
    assert process_time() - started < 5
