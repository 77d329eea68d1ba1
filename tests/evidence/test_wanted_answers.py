"""What sounds like a failure and is the answer that was asked for, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult


def failed(tool: str, result: Any, **arguments: Any) -> bool:
    return call_outcome(ToolExecutionResult(tool, arguments, result)).success is False


BROKEN_BUOY = {"status": "failed", "error": "anchor lost"}


@pytest.mark.parametrize(
    "answer",
    [
        {"success": True, "data": BROKEN_BUOY},
        {"ok": True, "result": {"status": "rejected", "reason": "anchor lost"}},
        {"status": "success", "data": {"state": "error", "error": "anchor lost"}},
        {"code": 200, "message": "OK", "data": BROKEN_BUOY},
        {"code": 0, "data": {"status": "failed"}},
        {"id": "t7", **BROKEN_BUOY},
        {"transfer_id": "t7", **BROKEN_BUOY},
    ],
)
def test_a_lookup_brings_the_record_of_what_failed(answer: dict[str, Any]) -> None:
    assert not failed("get_transfer", answer)


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        # No envelope and no id: an answer that went wrong.
        ("get_transfer", BROKEN_BUOY),
        ("get_transfer", {"status": "error", "message": "anchor lost"}),
        # What was asked for is not there, whatever the envelope says.
        ("get_transfer", {"success": True, "data": {"status": "failed", "error": "not found"}}),
        ("get_transfer", {"code": 500, "data": BROKEN_BUOY}),
        # A thing that is no work does not fail.
        ("get_user", {"id": "u7", **BROKEN_BUOY}),
        # Its own work.
        ("send_transfer", {"success": True, "data": BROKEN_BUOY}),
        ("send_transfer", {"success": True, **BROKEN_BUOY}),
        ("create_berth", {"success": True, "status": "failed", "errors": [{"msg": "too long"}]}),
    ],
)
def test_a_bad_status_of_the_answer_itself_is_a_failure(tool: str, answer: dict[str, Any]) -> None:
    assert failed(tool, answer)


def test_a_list_of_issues_fails_by_none_of_them() -> None:
    issues = "[bug] Error reading buoys: off by one\n[bug] Error saving the tide: crash"
    assert not failed("list_issues", issues)
    assert not failed("list_issues", issues.partition("\n")[0])


@pytest.mark.parametrize("answer", [{"status": "rejected"}, {"draft_id": 7, "status": "rejected"}])
def test_how_a_draft_stands_is_told_to_who_asks(answer: dict[str, Any]) -> None:
    assert not failed("check_draft_status", answer)
    assert failed("submit_letter", answer)


@pytest.mark.parametrize(
    ("tool", "words", "is_failure"),
    [
        ("validate_buoy", "no anchor", False),
        ("get_buoy_status", "no anchor", False),
        ("check_buoy_health", "connection refused", False),
        # It could not check at all, or was asked for something else.
        ("validate_buoy", "connection refused", True),
        ("validate_buoy", "the service is unavailable", True),
        ("get_buoy", "no anchor", True),
        ("moor_buoy", "no anchor", True),
    ],
)
def test_a_bad_status_is_the_verdict_of_who_checks(
    tool: str, words: str, *, is_failure: bool
) -> None:
    assert failed(tool, {"status": "failed", "reason": words}) is is_failure


def test_a_good_flag_beside_a_bad_status_is_believed_where_no_error_is_named() -> None:
    assert not failed("send_transfer", {"success": True, "status": "failed"})
    assert not failed("send_transfer", {"success": True, "status": "failed", "errors": 0})
    assert not failed("get_transfer", {"success": True, **BROKEN_BUOY})


@pytest.mark.parametrize(
    ("tool", "text", "is_failure"),
    [
        ("check_access", "Access denied for role guest", False),
        ("check_permission", "Permission denied: guests may not moor", False),
        ("can_role_access", "Access denied to the north pier", False),
        # The caller itself is not let in.
        ("check_access", "Access denied: your token has expired", True),
        ("check_access", "Not authenticated", True),
        ("check_access", "Access denied for user 'ann'@'localhost'", True),
        # It was asked for something else.
        ("check_tide", "Access denied for role guest", True),
        ("list_roles", "Access denied for role guest", True),
    ],
)
def test_who_asks_whether_somebody_is_let_in_is_told(
    tool: str, text: str, *, is_failure: bool
) -> None:
    assert failed(tool, text) is is_failure


@pytest.mark.parametrize("answer", ["泊位未绑定船只", "船长没有设置头像。"])
def test_what_is_not_set_is_an_answer_to_who_asked(answer: str) -> None:
    assert not failed("get_berth", answer)
    assert failed("moor_boat", answer)


@pytest.mark.parametrize(
    "answer", ["检测到敏感词0个", "检测到恶意链接：3 个", "每艘船最多只能使用两个泊位。"]
)
def test_counts_and_rules_are_answers(answer: str) -> None:
    assert not failed("get_report", answer)


REFUSED_EDIT = """Your proposed edit has introduced new syntax error(s). Please retry editing.

ERRORS:
- E999 IndentationError: unexpected indent

This is how your edit would have looked if applied
-------------------------------------------------
[File: /pier/tide.py (7 lines total)]
{code}
-------------------------------------------------
Your changes have NOT been applied. Please fix your edit command and try again."""


@pytest.mark.parametrize("lines", [1, 5, 40, 400])
def test_who_refuses_an_edit_may_show_any_number_of_lines(lines: int) -> None:
    shown = REFUSED_EDIT.format(
        code="\n".join(f"{line}:    tide = {line}" for line in range(lines))
    )
    for tool in ("edit", "str_replace_editor", "bash"):
        found = call_outcome(ToolExecutionResult(tool, {}, shown))
        assert (found.success, found.rule) == (False, "edit_refused")
    if lines > 1:
        assert not failed("read_file", shown)


@pytest.mark.parametrize(
    "tool", ["web_search", "search", "brave_web_search", "tavily_search", "google_search"]
)
@pytest.mark.parametrize(
    ("text", "is_failure"),
    [
        ("503 Service Unavailable - Tides\nhttps://tides.example/503\nThe status 503 says", False),
        ("HTTP 404 - The Pier\nhttps://pier.example/404\nIn a harbour,", False),
        ("1. Error: No module named tide - Forum\n   https://forum.example/1\n2. Ebb", False),
        ("Error: disk full - Forum\nURL: https://forum.example/2", False),
        ("[Error: disk full](https://forum.example/2) - A boat has", False),
        ("Error: 503 Service Unavailable", True),
        ("Error: 503 Service Unavailable for url https://tides.example/find?q=1", True),
        ("Error: no answer of https://tides.example\nhttps://tides.example/help", True),
        ("Error: 401 Unauthorized\nFor more information see https://tides.example/401", True),
    ],
)
def test_a_title_above_its_address_is_what_a_search_found(
    tool: str, text: str, *, is_failure: bool
) -> None:
    assert failed(tool, text) is is_failure
    assert failed("fetch", text) or not is_failure


@pytest.mark.parametrize(
    ("tool", "text", "is_failure"),
    [
        ("check_link", "https://tides.example/4 → 404 Not Found", False),
        ("check_link", "https://tides.example/4: 404 Not Found", False),
        ("check_link", "https://tides.example/5: 404 Not Found", True),
        ("check_link", "https://tides.example/4: connection refused", True),
        ("moor_boat", "https://tides.example/4: 404 Not Found", True),
    ],
)
def test_who_checks_an_address_tells_its_status(tool: str, text: str, *, is_failure: bool) -> None:
    assert failed(tool, text, url="https://tides.example/4") is is_failure


@pytest.mark.parametrize(
    ("tool", "is_failure"), [("verify_passcode", False), ("check_tide", True), ("log_in", True)]
)
def test_who_checks_a_secret_tells_that_it_is_wrong(tool: str, *, is_failure: bool) -> None:
    assert failed(tool, "The passcode is incorrect.") is is_failure


def test_an_address_below_an_error_helps_nobody_who_does_not_search() -> None:
    assert failed("fetch", "Error: 503 Service Unavailable\nhttps://tides.example/503")


@pytest.mark.parametrize(
    ("sent", "told", "is_failure"),
    [
        ("Fehler: Datei nicht gefunden", "Error: file not found", False),
        ("Fehler: 404", "Error: 404", False),
        ("Guten Tag", "Error: file not found", True),
        ("Fehler: Datei nicht gefunden", "Error: 429 Too Many Requests", True),
        ("Fehler: Datei nicht gefunden", "Error: API key missing", True),
    ],
)
def test_who_translates_an_error_says_one(sent: str, told: str, *, is_failure: bool) -> None:
    assert failed("translate_text", told, text=sent, target="en") is is_failure


@pytest.mark.parametrize(
    ("tool", "answer", "is_failure"),
    [
        ("check_health", {"status": "unhealthy", "error": "connection refused"}, False),
        ("health_check", {"status": "down", "error": "connection refused"}, False),
        ("check_buoy", {"reachable": False, "error": "connection refused"}, False),
        ("verify_mail", {"status": "invalid", "reason": "no such box"}, False),
        ("verify_mail", {"status": "invalid", "reason": "API key missing"}, True),
        ("ping_buoy", {"reachable": False, "error": "timeout"}, False),
        ("test_pier", {"connected": False, "error": "connection refused"}, False),
        ("check_name", {"available": False, "message": "Pier is already registered"}, False),
        ("check_berth", {"reserved": False, "message": "Berth not available"}, False),
        # The check itself went wrong, or there was none.
        ("check_health", {"error": "connection refused"}, True),
        ("check_health", {"status": "error", "error": "connection refused"}, True),
        ("get_buoy", {"status": "down", "error": "connection refused"}, True),
    ],
)
def test_what_is_not_well_is_what_a_checker_found(
    tool: str, answer: dict[str, Any], *, is_failure: bool
) -> None:
    assert failed(tool, answer) is is_failure


def test_a_flag_that_sums_up_tests_is_no_failure_of_their_runner() -> None:
    counted = {"passed": 3, "failed": 2, "errors": 0, "success": False}
    found = call_outcome(ToolExecutionResult("run_tests", {}, counted))
    assert (found.success, found.rule) == (True, "findings")
    assert failed("run_tests", {"passed": 0, "failed": 0, "success": False})
    assert failed("run_tests", {"success": False, "error": "no such file"})
    assert failed("send_boats", counted)


def test_a_flag_beside_a_list_sums_up_what_was_found() -> None:
    listed = {"ok": False, "issues": [{"line": 3, "message": "frayed"}]}
    assert not failed("lint_rope", listed)
    assert failed("lint_rope", {"ok": False, "issues": []})
    assert failed("lint_rope", {**listed, "error": "no such rope"})
    assert failed("send_rope", listed)
    listed = {"errors": [{"message": "frayed"}], "warnings": []}
    assert not failed("lint_rope", listed)
    assert failed("send_rope", listed)
    assert failed("lint_rope", {"errors": [{"message": "no such rope"}]})


def test_who_follows_a_parcel_is_told_that_it_did_not_arrive() -> None:
    told = "Delivery attempt failed: nobody at home. Next attempt tomorrow."
    assert not failed("parcel_track", told)
    assert failed("deliver_parcel", told)
    assert failed("parcel_track", "Lookup failed: nobody at home")
    assert failed("get_tide", "Attempt failed: no pilot")


def test_what_is_missing_in_one_of_two_is_what_a_comparison_found() -> None:
    assert not failed("compare_piers", "Berth 'b7' is missing in the north pier.")
    assert failed("compare_piers", "Berth 'b7' is missing")


@pytest.mark.parametrize(
    ("tool", "told", "is_failure"),
    [
        ("send_letter", "Sent: I cannot come", False),
        ("send_letter", "Letter posted: 'I cannot come'", False),
        ("send_letter", "Blocked: I cannot come", True),
        ("send_letter", "Sent: you cannot come", True),
    ],
)
def test_a_deed_may_be_told_with_what_was_sent(tool: str, told: str, *, is_failure: bool) -> None:
    assert failed(tool, told, text="I cannot come") is is_failure


def test_records_with_a_bad_status_are_no_batch_of_requests() -> None:
    rows = [{"id": 17, "status": "failed", "message": "x"}, {"id": 18, "status": "error"}]
    rows[1]["message"] = "y"
    assert not failed("list_tows", rows)
    assert not failed("list_tows", rows, pier="north")
    assert failed("get_tows", rows, ids=[17, 18])
    assert failed("get_tows", rows, ids="17,18")
    assert not failed("list_tows", rows, limit=1700, since="2018-01-17")
    assert failed("send_tows", rows)


def test_the_rules_of_a_house_speak_of_everybody() -> None:
    assert not failed("get_terms", "Access is denied to visitors under 18.")
    assert failed("get_tide", "Access is denied.")


def test_a_complaint_about_the_call_is_nothing_that_a_checker_found() -> None:
    assert failed("check_tide", "check_tide() missing 1 required positional argument: 'pier'")
    assert failed("check_tide", "check_tide() takes 1 positional argument but 2 were given")
    assert failed("ping_host", "Missing required parameter: host")
    assert failed("check_rope", "No rope was selected")


@pytest.mark.parametrize(
    ("text", "is_failure"),
    [
        ("Sent 2 of 3 letters. 1 failed: invalid address", False),
        ("Sent 0 of 3 letters. 3 failed: invalid address", True),
        ("Step 2 of 3 failed: invalid address", True),
    ],
)
def test_what_was_done_in_part_did_not_fail(text: str, *, is_failure: bool) -> None:
    assert failed("send_letters", text) is is_failure


@pytest.mark.parametrize("tool", ["execute_sql", "query_database", "sqlite_query", "write_query"])
def test_a_database_may_be_locked_for_who_reads_too(tool: str) -> None:
    assert failed(tool, "database is locked")
    assert failed(tool, "incomplete input")
    assert not failed(tool, "incomplete input forms are kept for a day")


@pytest.mark.parametrize(
    ("note", "is_failure"),
    [
        (
            "Our standard API call frequency is 5 calls per minute. Please visit the premium pier.",
            True,
        ),
        ("The API rate limit is 25 requests per day. Please subscribe to a plan.", True),
        ("The API rate limit is 25 requests per day.", False),
        ("Please visit the pier twice a day.", False),
    ],
)
def test_a_note_of_a_limit_in_place_of_an_answer(note: str, *, is_failure: bool) -> None:
    assert failed("get_tide", {"Note": note}) is is_failure
    assert failed("get_tide", {"Information": note}) is is_failure
    assert not failed("get_tide", {"Note": note, "tide": [3.1, 2.9]})
