"""BFCL's error types against the kinds that the words of its errors tell of."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from tests.conftest import shared_path

from assay.evidence.blame import blame
from assay.execution import ToolExecutionResult

# What each type means in our words. None: the checker judges the whole answer, no call failed.
EXPECTED: dict[str, str | None] = {
    "ast_decoder:decoder_failed": "malformed_call",
    "ast_decoder:decoder_wrong_output_format": "malformed_call",
    "executable_decoder:decoder_failed": "malformed_call",
    "executable_decoder:rest_wrong_output_format": "malformed_call",
    "executable_decoder:wrong_output_format": "malformed_call",
    "executable_checker:cannot_find_match": None,
    "executable_checker:execution_error": "execution_error",
    "executable_checker:wrong_result": None,
    "executable_checker_rest:execution_error": "execution_error",
    "executable_checker_rest:wrong_key": None,
    "executable_checker_rest:wrong_status_code": "invalid_arguments",
    "parallel_function_checker_no_order:cannot_find_match": None,
    "parallel_function_checker_no_order:wrong_count": None,
    "relevance_error:decoder_success": None,
    "simple_exec_checker:wrong_count": None,
    "simple_function_checker:missing_optional": "missing_required_field",
    "simple_function_checker:missing_required": "missing_required_field",
    "simple_function_checker:unexpected_param": "invalid_arguments",
    "simple_function_checker:wrong_count": None,
    "simple_function_checker:wrong_func_name": "unknown_tool",
    "type_error:java": "wrong_type",
    "type_error:js": "wrong_type",
    "type_error:nested": "wrong_type",
    "type_error:simple": "wrong_type",
    "value_error:dict_items": "invalid_arguments",
    "value_error:dict_key": "invalid_arguments",
    "value_error:dict_value": "validation_error",
    "value_error:exec_result_count": None,
    "value_error:list/tuple": "validation_error",
    "value_error:others": "validation_error",
    "value_error:string": "validation_error",
}


@cache
def confusion() -> Counter[tuple[str, str]]:
    """How often each pair of error type and told kind occurs."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(shared_path("data", "bfcl-2024-08", "score").rglob("*.json")):
        for line in path.read_text().splitlines()[1:]:
            item = json.loads(line)
            words = " ".join(part for part in item["error"] if isinstance(part, str))
            told = blame(ToolExecutionResult("f", {}, error_message=words))
            assert told is not None
            found[item["error_type"], told.kind] += 1
    return found


def test_every_type_is_mapped() -> None:
    assert {error_type for error_type, _ in confusion()} == set(EXPECTED)
    assert confusion().total() == 4_105
    assert len(EXPECTED) == 31


def test_types_about_a_call_come_out_as_meant() -> None:
    about_a_call = {pair: n for pair, n in confusion().items() if EXPECTED[pair[0]] is not None}
    as_meant = sum(n for (kind, told), n in about_a_call.items() if EXPECTED[kind] == told)
    assert sum(about_a_call.values()) == 1_531
    assert as_meant / sum(about_a_call.values()) >= 0.97


def test_a_checkers_verdict_on_the_answer_is_mostly_left_unclassified() -> None:
    """The exception is honest: a match that could not be found reads as not_found."""
    about_the_answer = {pair: n for pair, n in confusion().items() if EXPECTED[pair[0]] is None}
    told = Counter[str]()
    for (_, kind), n in about_the_answer.items():
        told[kind] += n
    assert sum(told.values()) == 2_574
    assert set(told) <= {"unclassified", "not_found"}


@pytest.mark.parametrize("error_type", [t for t, kind in EXPECTED.items() if kind == "wrong_type"])
def test_wrong_types_are_always_told(error_type: str) -> None:
    kinds = {kind for found, kind in confusion() if found == error_type}
    assert kinds == {"wrong_type"}
