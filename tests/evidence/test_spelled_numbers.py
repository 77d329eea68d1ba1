"""Numbers in words: which count, what they back and which results they show to be used."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.examination import examine
from assay.evidence.plan import read_plan
from assay.evidence.spelled_numbers import spelled_in
from assay.judge.evidence import EvidenceJudge

ISSUES = [{"id": 71, "title": "Error 500 when saving"}, {"id": 84, "title": "Timeout in worker"}]
FOUND = {"total": 2, "items": [{"title": "Error when saving"}, {"title": "Timeout"}], "error": None}
FILES = "a.txt\nb.txt\nc.txt\n"
ASKED = "How many issues mention an error?"


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("Two issues.", [2]),
        ("There are three files and TWELVE folders.", [3, 12]),
        ("Twenty", [20]),
        ("One issue is open.", [1]),
        ("There is one issue.", [1]),
        ("找到两个问题，十二条记录", [2, 12]),
        # "one" that counts nothing
        ("No one was there; the one you mean is another one.", []),
        ("One of them, one by one, one more time", []),
        ("It was one.", []),
        # parts of larger numbers, fractions, compounds, other words
        ("twenty-five, twenty five, two hundred and six", []),
        ("two thirds, two-factor, one-time, tenth, often, someone", []),
        ("第三个, 一个问题, 一下, 二百三十个", []),
        ("", []),
    ],
)
def test_the_numbers_that_a_text_spells_out(text: str, sizes: list[float]) -> None:
    assert [number.size for number in spelled_in(text)] == sizes


def unused(result: Any, answer: str, prompt: str = ASKED, **sent: Any) -> bool:
    return bool(read_plan(run(prompt, call("search", sent, result), answer=answer)).unused)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (FOUND, "Two issues."),
        (FOUND, "There are two."),
        (FOUND, "有两个。"),
        ({"count": 1, "state": "done"}, "One issue."),
        # What is counted need not be told as a number.
        (ISSUES, "Two."),
        ({"items": ISSUES}, "Two."),
        (FILES, "Three files."),
    ],
)
def test_a_number_in_words_shows_that_a_result_was_used(result: Any, answer: str) -> None:
    assert not unused(result, answer)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (FOUND, "Three issues."),
        (FOUND, "Some issues."),
        (FOUND, "The one you mean."),
        (FILES, "Two files."),
        ("Everything went well", "One issue."),
        ("Version 1.2 of 2026-03-02", "Two issues."),
        # Among many numbers chance finds any.
        ({f"field{n}": n for n in range(40)}, "Two issues."),
    ],
)
def test_other_numbers_do_not(result: Any, answer: str) -> None:
    assert unused(result, answer)


def test_a_number_that_was_told_before_shows_nothing() -> None:
    assert unused(FOUND, "Two issues.", prompt="Find two issues about errors.")
    assert unused(FOUND, "Two issues.", prompt="Find 2 issues about errors.")
    assert unused(FOUND, "Two issues.", limit=2)
    said = [{"role": "assistant", "content": "I need two steps.", "turn": 1}]
    early = run(ASKED, call("search", {}, FOUND, turn=1), answer="Bye.", conversation_history=said)
    assert read_plan(early).unused == (0,)
    said = [{"role": "assistant", "content": "There are two issues.", "turn": 2}]
    later = call("close", {"all": True}, {"ok": True}, turn=2)
    known = run(
        ASKED,
        call("search", {}, FOUND, turn=1),
        later,
        answer="Bye.",
        conversation_history=said,
    )
    assert read_plan(known).unused == ()


def test_a_right_count_in_words_is_no_fault() -> None:
    case = run(ASKED, call("search_issues", {"q": "error"}, FOUND), answer="Two issues.")
    found = EvidenceJudge().mark_now(case)
    assert found.values["tool_appropriateness"] == 10.0
    wrong = run(ASKED, call("search_issues", {"q": "error"}, FOUND), answer="Five issues.")
    assert EvidenceJudge().mark_now(wrong).values["tool_appropriateness"] == 1.0


@pytest.mark.parametrize(
    ("answer", "share", "status"),
    [
        ("Twelve issues.", 1.0, ["supported"]),
        ("Twelve issues, that is 12.", 1.0, ["supported"]),
        # In words it may be meant loosely, and a single digit stands in any result.
        ("Fifteen issues.", None, []),
        ("Two issues.", None, []),
    ],
)
def test_what_a_number_in_words_backs(answer: str, share: float | None, status: list[str]) -> None:
    found = examine(run(ASKED, call("search", {}, {"total": 12, "of": 2}), answer=answer)).grounding
    assert found.share == share
    assert [claim.status for claim in found.claims] == status
