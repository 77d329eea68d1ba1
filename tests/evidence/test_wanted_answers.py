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
