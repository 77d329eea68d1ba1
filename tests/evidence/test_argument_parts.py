"""The parts of a text that an agent must have known from somewhere, and which prove true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.argument_parts import has_found, worked
from assay.evidence.call_facts import CallFacts
from assay.evidence.provenance import trace_arguments

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult


def missing(prompt: str, *calls: ToolExecutionResult) -> list[tuple[str, ...]]:
    """What nobody told of the last call, value by value."""
    values = trace_arguments(run(prompt, *calls)).values
    return [value.missing for value in values if value.call == len(calls) - 1]


def query(sql: str, *, failed: bool = False) -> ToolExecutionResult:
    return call("query", {"sql": sql}, [{"n": 1}], failed=failed)


NAMES = "SELECT price FROM items WHERE kind = 'brass'"


def test_a_query_that_works_names_what_there_is() -> None:
    assert missing("Brass ones?", query(NAMES)) == [()]
    assert missing("Brass ones?", query(NAMES, failed=True)) == [("price", "items", "kind")]


def test_names_that_proved_true_stay_known() -> None:
    again = query("SELECT price FROM items WHERE stock = 3", failed=True)
    assert missing("Brass ones?", query(NAMES), again) == [("stock",)]


@pytest.mark.parametrize(
    ("sql", "untold"),
    [
        ("CREATE TABLE report_7 AS SELECT 1 FROM items", ("items",)),
        ("CREATE OR REPLACE VIEW shop.report_7 AS SELECT 1 FROM items", ("items",)),
        ("SELECT 1 FROM items WHERE name LIKE 'idx_%'", ("items", "name")),
        ("SELECT 1 FROM items WHERE name LIKE 'SO-99%'", ("SO-99", "items", "name")),
        ("SELECT age / 365.25 FROM items LIMIT 15 OFFSET 45", ("items",)),
        ("SELECT 1 FROM items WHERE json_build_object('total', 4) = x", ("items",)),
        ("SELECT 1 FROM items WHERE to_char(day, '$999.99') = x", ("items",)),
    ],
)
def test_what_a_query_makes_looks_for_and_says_is_its_own(sql: str, untold: Any) -> None:
    assert missing("Go on.", query(sql, failed=True)) == [untold]


def test_what_a_query_made_is_known_later() -> None:
    made = query("CREATE TEMP TABLE report_7 AS SELECT 1 FROM items")
    assert missing("Go on.", made, query("SELECT * FROM report_7", failed=True)) == [()]


def test_who_asks_the_catalogue_may_know_its_words() -> None:
    sql = "SELECT usename FROM pg_user WHERE usename NOT IN ('supabase_admin')"
    assert missing("Who may what?", query(sql)) == [()]


def test_thousands_are_known_from_what_was_told_in_thousands() -> None:
    sql = "SELECT CASE WHEN pay < 50000 THEN 1 END FROM items"
    assert missing("Bands '30K-50K' and '50K-70K'.", query(sql)) == [()]
    assert missing("Some bands.", query(sql)) == [("50000",)]


@pytest.mark.parametrize(
    ("command", "untold"),
    [
        ("cat /srv/b.txt", ("/srv/b.txt",)),
        ("git commit -m 'x' --author=noreply@example.com", ()),
        ("python3 -c \"print(b'x'.decode('utf-8'))\"", ()),
        ("printf 'run42' | wc", ()),
        ("grep 'run42' a.log", ("run42", "a.log")),
    ],
)
def test_what_a_command_that_failed_had_to_know(command: str, untold: tuple[str, ...]) -> None:
    sent = call("bash", {"command": command}, "no", failed=True)
    assert missing("Go on.", sent) == [untold]


def test_files_that_a_command_made_are_known_later_whatever_their_kind() -> None:
    made = call("bash", {"command": "openssl rsa > pub2.pub"}, "ok")
    used = call("bash", {"command": 'decrypt --key "pub2.pub"'}, "no", failed=True)
    assert missing("Go on.", made, used) == [()]


@pytest.mark.parametrize(
    ("text", "untold"),
    [
        ("The joke plays on 'bugs' of nature.", ()),
        ("Ask about `SessionLive` there.", ()),
        ("Ask about 'XK-77' there.", ("XK-77",)),
        ("It was not within 24 hours.", ()),
        ("It was not within 36 hours.", ("36",)),
    ],
)
def test_plain_words_in_prose_need_not_be_told(text: str, untold: tuple[str, ...]) -> None:
    assert missing("Go on.", call("note", {"about": text}, "ok")) == [untold]


@pytest.mark.parametrize(
    ("tool", "result", "failed", "found"),
    [
        ("read_file", "text", False, True),
        ("read_file", "", False, False),
        ("read_file", None, False, False),
        ("read_file", "no such file", True, False),
        ("list_files", [], False, False),
        ("write_file", "ok", False, False),
    ],
)
def test_what_was_read_was_there(tool: str, result: Any, failed: bool, found: bool) -> None:
    known = CallFacts(call(tool, {"path": "/a"}, result, failed=failed), 0)
    assert has_found(known) is found
    assert worked(known) is not failed
