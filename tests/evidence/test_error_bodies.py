"""Data is read by value: each rule with what fires it and what must not."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.body_roles import ROLES, Body, is_full, message_in
from assay.evidence.error_bodies import Reading, read_value


@pytest.mark.parametrize(
    ("value", "rule", "message"),
    [
        ({"error": {"code": -32602, "message": "bad"}}, "protocol_error", "bad"),
        ({"code": -32603, "message": "oops"}, "protocol_error", "oops"),
        ({"jsonrpc": "2.0", "error": {"code": 0, "message": "x"}}, "protocol_error", "x"),
        ({"isError": True, "message": "x"}, "failure_flag", "x"),
        ({"timed_out": True}, "failure_flag", None),
        ({"exit_code": 2, "stderr": "no file"}, "exit_code", "no file"),
        ({"returncode": "-9", "stdout": ""}, "exit_code", "exit code -9"),
        ({"success": False, "message": "no"}, "success_flag", "no"),
        ({"success": False, "output": "The pier is full"}, "success_flag", "The pier is full"),
        ({"success": False, "output": "ebb", "error": "low"}, "success_flag", "low"),
        ({"success": False, "output": "", "data": {"tide": 4}}, "success_flag", None),
        ({"is_error": True, "content": "No tide"}, "failure_flag", "No tide"),
        ({"succeeded": 0, "failed": 2}, "all_items_failed", None),
        ({"sent": False, "reason": "The pier is offline"}, "undone", "The pier is offline"),
        ({"error": "gone"}, "error_body", "gone"),
        ({"error": {"type": "x", "details": {"reason": "deep"}}}, "error_body", "deep"),
        ({"errors": [{"message": "a"}, {"message": "b"}]}, "error_body", "a"),
        ({"errors": {"message": "is taken"}}, "error_body", "is taken"),
        ({"status": "error", "reason": "x"}, "status_word", "x"),
        ({"status": 404, "message": "x"}, "http_status", "x"),
        ({"statusCode": 500}, "http_status", "HTTP 500"),
        ({"code": "ENOENT", "message": "no file"}, "api_code", "no file"),
        ({"error_code": 7}, "api_code", "7"),
        (
            {"code": 1002, "message": "Berth not found", "data": {"b": 4}},
            "api_code",
            "Berth not found",
        ),
        (
            {"error_code": "MOORING_DENIED", "berth": 4, "message": "Access denied to berth 4"},
            "api_code",
            "Access denied to berth 4",
        ),
        (
            {"message": "The form is invalid.", "modelState": {"berth": ["No such berth"]}},
            "error_message_field",
            "The form is invalid.",
        ),
        ({"meta": {"code": 429, "error_message": "Come later"}}, "error_body", "Come later"),
        ({"status": "fail", "data": {"pier": "Name a pier"}}, "status_word", "Name a pier"),
        ({"outcome": "failure", "failure_description": "rope torn"}, "error_body", "rope torn"),
        ({"status": "rate_limited", "retry_after": 30}, "status_word", None),
        ({"status": "timeout", "elapsed_ms": 30_000}, "status_word", None),
        ({"status": "not_authenticated", "login_url": "https://x.example"}, "status_word", None),
        (
            {"executed": False, "blocked": True, "reason": "Horn not on the allowlist"},
            "undone",
            "Horn not on the allowlist",
        ),
        (
            {"id": "not_found", "message": "No such pier: north", "of": "pier"},
            "error_body",
            "No such pier: north",
        ),
        (
            {"error": {"code": "P9", "message": {"lang": "en", "value": "gone"}}},
            "error_body",
            "gone",
        ),
        ({"errors": {"pier": "Name a pier"}}, "error_body", None),
        ({"status": "exception", "message": "rope torn"}, "status_word", "rope torn"),
        ({"outcome": "failure", "message": "rope torn"}, "status_word", "rope torn"),
        ({"status": "error", "data": "Unknown pier"}, "status_word", "Unknown pier"),
        ({"result": "error", "error-type": "odd-pier", "help": "x"}, "status_word", "error"),
        ({"result": "failed", "message": "No such pier"}, "status_word", "No such pier"),
        ({"error": True, "message": "The tide is out", "exit_code": 0}, "error_body", None),
        (
            {"tow": {"boat": None, "userErrors": [{"field": "rope", "message": "Too short"}]}},
            "error_body",
            "Too short",
        ),
        (
            {"took": 3, "errors": True, "items": [{"moor": {"status": 400, "error": "no pier"}}]},
            "all_items_failed",
            "no pier",
        ),
        (
            {"message": "TT7", "typeKey": "PierException", "innerException": None, "eventId": 3},
            "error_body",
            "TT7",
        ),
        ({"non_field_errors": ["Pier and berth do not go together"]}, "error_body", None),
        (
            {"reserved": False, "message": "No berths left for 8 people"},
            "undone",
            "No berths left for 8 people",
        ),
        ({"status": "not_found", "berth_id": 4}, "status_word", None),
        ({"status": "invalid_berth_id", "berthId": 4}, "status_word", None),
        ({"detail": "Not Found"}, "error_body", "Not Found"),
        ({"message": "Forbidden"}, "error_message_field", "Forbidden"),
        ([{"error": "a"}, {"error": "b"}], "all_items_failed", "a"),
        ([{"path": ["q"], "code": "x", "message": "Required"}], "validation_issues", "Required"),
        (["Error: gone"], "error_prefix", "Error: gone"),
        ({"response": {"error": "x"}}, "error_body", "x"),
        ({"output": "Error: x", "duration_ms": 3}, "error_prefix", "Error: x"),
    ],
)
def test_failures(value: Any, rule: str, message: str | None) -> None:
    found = read_value(value)
    assert found is not None
    assert found.failed
    assert found.rule == rule
    assert found.message == message or (rule == "error_body" and message is None)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ({"success": True, "error": "note"}, "success_flag"),
        ({"exit_code": 0, "stderr": "error"}, "exit_code"),
        ({"succeeded": 2, "failed": 1}, "some_items_failed"),
        ({"results": [1], "error": "one source was down"}, "partial_errors"),
        ({"data": {"a": 1}, "errors": [{"message": "x"}]}, "partial_errors"),
        ({"status": "success", "message": "0 errors"}, "status_word"),
        ({"outcome": "success"}, "status_word"),
        ({"deleted": 4, "failed": 1, "errors": [{"id": 7, "message": "x"}]}, "partial_errors"),
        (
            {"errors": True, "items": [{"moor": {"status": 201}}, {"moor": {"error": "no pier"}}]},
            "partial_errors",
        ),
        ([{"ok": True}, {"ok": False, "error": "x"}], "some_items_failed"),
    ],
)
def test_stated_successes(value: Any, rule: str) -> None:
    assert read_value(value) == Reading(failed=False, rule=rule)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": 1},
        {"error": None},
        {"error": {}},
        {"error": {"code": 0, "message": "ok"}},
        {"error": "none"},
        {"errors": 4},
        {"errors": {"timeouts": 5, "lost": 2}},
        {"model_state": {"weights": "tide.bin"}},
        {"status": "limited", "recovery": 34},
        {"outcome": "failure"},
        {"outcome": "rejected", "reason": "quorum"},
        {"result": "failed", "message": "Race 4", "boat": "Nora"},
        {"result": "error", "boat": "Nora"},
        {"result": "fail", "error_count": 3},
        {"typeName": "FULL_TIME", "message": "The watch begins at 9"},
        {"log": {"errors": [{"message": "rope torn"}], "warnings": []}},
        {"tow": {"errors": [{"line": 3, "message": "frayed"}], "rope": None}},
        {"tow": {"userErrors": [{"message": "Too short"}], "boat": "Nora"}},
        {"sent": False, "reason": "It will go out at noon"},
        {"sent": False, "saved": True, "reason": "The pier is offline"},
        {"sent": False, "letter": "a", "reason": "The pier is offline"},
        {"errors": [{"line": 3, "message": "unused"}]},
        {"status": "failed", "build": 4, "branch": "main"},
        {"id": 1, "created_at": "x", "error": "boom"},
        {"code": 0},
        {"logs": ["ERROR: the pier is gone", "ok"]},
        [{"id": 4, "type": "error", "title": "Tide", "message": "The pier log cannot be read"}],
        {"code": 1002, "message": "Berth taken over", "data": {"b": 4}},
        {"status": "failed", "berth_id": 4},
        {"meta": {"page": 1, "total": 0}},
        {"errors": [{"bad": "teh", "better": ["the"]}]},
        {"id": "not_found", "message": "The pier is lit", "of": "pier"},
        {"status": "fail", "data": {"race": 4}, "boat": "Nora"},
        {"outcome": "rejected", "vote": 4},
        {"guest": "Nora", "blocked": True, "reason": "noise"},
        {"parcel": "P9", "status": "exception", "stops": [{"text": "nobody at home"}]},
        {"error_code": "MOORING_DENIED", "berth": 4, "message": "Told to the pilot"},
        {"code": "US", "message": "hello"},
        [{"error": "timeout", "count": 3}],
        [1, 2],
        {"text": "Error: x", "author": "y"},
        "Error: x",
        None,
    ],
)
def test_silence(value: Any) -> None:
    assert read_value(value) is None


def test_depth_is_bounded() -> None:
    value: Any = {"error": "x"}
    for _ in range(50):
        value = {"data": value}
    assert read_value(value) is None


def test_a_key_is_known_in_every_spelling() -> None:
    for key in ("errorMessage", "error_message", "error-message", "Error Message", "ERROR_MESSAGE"):
        assert Body({key: "x"}).all("error") == ["x"], key
    assert Body({3: "x"}).telling is False


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_played(role: str) -> None:
    name = sorted(ROLES[role])[0]
    assert Body({name: 1}).all(role) == [1]


@pytest.mark.parametrize("value", [None, "", [], {}, {"a": None, "b": {"c": []}}, False])
def test_nothing_is_in_it(value: Any) -> None:
    assert not is_full(value)


@pytest.mark.parametrize("value", [0, "x", [None], {"a": {"b": 0}}, True])
def test_something_is_in_it(value: Any) -> None:
    assert is_full(value)


def test_messages_are_found_where_they_hide() -> None:
    assert message_in([{"error": {"message": " deep "}}]) == "deep"
    assert message_in({"code": "NoSuchKey"}) == "NoSuchKey"
    assert message_in({"code": "too_small", "value": 3}) == "too_small"
    assert message_in(7) == "7"
    assert message_in([True]) is None
    assert message_in({"a": 1}) is None
