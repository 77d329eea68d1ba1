"""What a body says to who was to do something, and only brings to who asked."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.outcome import CallOutcome, call_outcome
from assay.execution import ToolExecutionResult


def outcome(tool: str, result: Any, **arguments: Any) -> CallOutcome:
    return call_outcome(ToolExecutionResult(tool, arguments, result))


def failed(tool: str, result: Any, **arguments: Any) -> bool:
    return outcome(tool, result, **arguments).success is False


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"id": "p1", "amount": 9, "status": "failed", "failure_code": "card_declined"},
            "card_declined",
        ),
        (
            {"transfer_id": "t1", "status": "FAILED", "reason": "the pier is on fire"},
            "the pier is on fire",
        ),
        ({"transferId": "t1", "State": "FAILED"}, None),
        ({"Status": {"State": "FAILED", "StateChangeReason": "low tide"}}, "low tide"),
        ({"id": "t1", "status": "declined", "declineReason": "no money"}, "no money"),
    ],
)
def test_a_bad_end_is_a_failure_of_who_was_to_act(
    answer: dict[str, Any], words: str | None
) -> None:
    for tool in ("create_transfer", "send_transfer", "charge_card", "deploy", "run_query"):
        found = outcome(tool, answer)
        assert (found.success, found.rule) == (False, "status_word"), tool
        assert words is None or found.message == words


@pytest.mark.parametrize("tool", ["get_transfer", "transfer_status", "search_transfers"])
@pytest.mark.parametrize(
    "answer",
    [
        {"id": "t1", "amount": 9, "status": "failed", "failure_code": "card_declined"},
        {"transfer_id": "t1", "status": "FAILED", "reason": "the pier is on fire"},
        {"id": "t1", "Status": {"State": "FAILED", "StateChangeReason": "low tide"}},
    ],
)
def test_a_bad_end_is_what_a_lookup_was_to_bring(tool: str, answer: dict[str, Any]) -> None:
    assert not failed(tool, answer)


def test_what_had_been_sent_says_nothing_of_its_own() -> None:
    answer = {"id": "t1", "amount": 9, "berth": "north", "status": "failed"}
    assert failed("create_transfer", answer, amount=9, berth="north")
    # Without its reason a state may be one that the thing had before.
    assert not failed("update_transfer", answer)


@pytest.mark.parametrize(
    ("tool", "arguments", "state"),
    [
        ("update_transfer", {"status": "rejected"}, "rejected"),
        ("update_transfer", {"fields": {"state": "Failed"}}, "failed"),
        ("set_state", {"state": "failed"}, "FAILED"),
        ("reject_transfer", {}, "rejected"),
        ("decline_transfer", {}, "declined"),
        ("update_transfer", {"decision": "deny"}, "denied"),
        ("update_transfer", {"decision": "Deny"}, "DENIED"),
        ("update_transfer", {"decision": "reject"}, "rejected"),
        ("update_transfer", {"action": "refuse"}, "refused"),
        ("update_transfer", {"action": "deny_transfer"}, "denied"),
        ("update_transfer", {"action": "reject this one"}, "rejected"),
        ("deny_transfer", {}, "denied"),
    ],
)
def test_a_state_that_was_to_be_brought_about(
    tool: str, arguments: dict[str, Any], state: str
) -> None:
    answer = {"id": "t1", "status": state}
    assert not failed(tool, answer, **arguments)
    assert failed("create_transfer", answer)


def test_how_to_fail_is_not_what_was_wanted() -> None:
    assert failed("append_row", {"id": "r1", "status": "failed"}, if_exists="fail")
    assert failed("append_row", {"id": "r1", "status": "timed out"}, column="time")


@pytest.mark.parametrize(
    ("sent", "state"),
    [
        ({"decision": "approve"}, "denied"),
        ({"berth": "den"}, "denied"),
        ({"decision": "reject"}, "denied"),
        ({"note": "reject whoever asks for more than a day"}, "rejected"),
        ({"note": "no reject"}, "rejected"),
        ({}, "denied"),
    ],
)
def test_another_end_than_was_wanted(sent: dict[str, Any], state: str) -> None:
    assert failed("update_transfer", {"transfer_id": 7, "status": state}, **sent)


@pytest.mark.parametrize(
    ("answer", "is_failure"),
    [
        ({"imported": 0, "failed": 5, "errors": [{"row": 1, "message": "bad date"}]}, True),
        ({"imported": 0, "failed": 5, "total": 5, "duration_ms": 17}, True),
        ({"imported": 3, "failed": 2, "errors": [{"row": 1, "message": "bad date"}]}, False),
        ({"imported": 0, "updated": 4, "failed": 1}, False),
        ({"imported": 0, "failed": 0}, False),
        # What the other number counts may have been done.
        ({"retried": 0, "boats": 3, "failed": 1}, False),
    ],
)
def test_nothing_was_done_and_some_failed(answer: dict[str, Any], *, is_failure: bool) -> None:
    assert failed("import_boats", answer) is is_failure
    assert not failed("get_import", answer)
    assert not failed("import_status", answer)


def test_the_words_of_the_first_that_failed() -> None:
    answer = {"imported": 0, "failed": 2, "errors": [{"row": 1, "message": "bad date"}]}
    found = outcome("import_boats", answer)
    assert (found.rule, found.message) == ("all_items_failed", "bad date")


@pytest.mark.parametrize("tool", ["create_issue", "graphql"])
def test_the_flag_of_the_only_deed(tool: str) -> None:
    assert failed(tool, {"data": {"issueCreate": {"success": False}}})
    assert not failed(tool, {"data": {"issueCreate": {"success": True}}})
    assert not failed(tool, {"data": {"a": {"success": False}, "b": {"success": True}}})
    assert not failed("get_last_run", {"data": {"lastRun": {"success": False}}})


def test_what_failed_behind_a_server_that_answered() -> None:
    answer = {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": "{}"}
    assert failed("invoke_function", answer)
    assert not failed("invoke_function", {**answer, "FunctionError": ""})
    assert not failed("invoke_function", {"lastError": "Unhandled", "Payload": "{}"})
    assert not failed("list_functions", answer)


@pytest.mark.parametrize(
    ("tool", "body", "failed"),
    [
        ("save_tow", {"status": "skipped", "reason": "The tow store is unavailable."}, True),
        ("get_tow", {"status": "skipped", "reason": "The tow store is unavailable."}, False),
        ("save_tow", {"status": "skipped", "reason": "already up to date"}, False),
        ("save_tow", {"status": "ignored", "reason": "duplicate event"}, False),
        ("save_tow", {"status": "skipped", "reason": "at the pilot's wish"}, False),
    ],
)
def test_what_was_left_out_for_want_of_something(
    tool: str, body: dict[str, str], *, failed: bool
) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, body))
    assert (found.success is False) is failed
