"""Grounding: what backs the answer. All answers were worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run, sample

from assay.evidence.grounding import ground_answer
from assay.evidence.provenance import Origin, trace_arguments

if TYPE_CHECKING:
    from assay.evidence.claims import Claim, Grounding

RESULT = {
    "revenue": 236592.87,
    "rain": 0.7,
    "growth": 12.5998,
    "size_bytes": 1_500_000,
    "duration_ms": 90_000,
    "post_by": "2026-03-24",
    "start": "2026-03-20T14:00:00+08:00",
    "return_id": "RMA-30918",
    "url": "https://returns.example.com/labels/RMA-30918.pdf",
    "who": "Ines Okafor, ines@example.com",
    "place": "杭州市上城区新业路8号",
    "refund": {"amount": 64.9, "currency": "EUR"},
    "card": "gift_card_6276644",
}
PROMPT = "What about order SO-58213 of 12 March, 45 minutes?"


def ground(answer: str, result: Any = RESULT, *more: Any) -> Grounding:
    calls = [call("get", {"q": "x"}, each) for each in (result, *more)]
    return ground_answer(run(PROMPT, *calls, answer=answer))


def claim_of(answer: str) -> Claim:
    (claim,) = ground(answer).claims
    return claim


SUPPORTED = [
    ("copied", "It was 236592.87 in all", "$.revenue", ""),
    ("thousands separators", "It was 236,592.87 in all", "$.revenue", ""),
    ("European separators", "es waren 236.592,87 euro", "$.revenue", ""),
    ("rounding to shown decimals", "It grew by 12.6 points", "$.growth", "rounding"),
    ("rounding to none", "It was 236,593 in all", "$.revenue", "rounding"),
    ("percentage as it is", "It grew by 12.6 %", "$.growth", "rounding"),
    ("percentage of a share", "降水概率 70%", "$.rain", "percent"),
    ("unit of size", "It has 1.5 MB", "$.size_bytes", "unit"),
    ("unit of time", "It took 90 seconds", "$.duration_ms", "unit"),
    ("magnitude", "It was 236.6 thousand", "$.revenue", "unit"),
    ("magnitude, Chinese", "收入 23.7 万元", "$.revenue", "unit"),
    ("date in another form", "Post it by 24 March 2026", "$.post_by", "date_format"),
    ("date without a year", "最迟3月24日寄出", "$.post_by", "date_format"),
    ("time of day", "It begins at 2:00 pm", "$.start", "time_format"),
    ("id", "It is RMA-30918", "$.return_id", ""),
    ("address", "See https://returns.example.com/labels/RMA-30918.pdf", "$.url", ""),
    ("e-mail", "Write to ines@example.com", "$.who", "substring"),
    ("quotation", 'It says "Ines Okafor"', "$.who", "substring"),
    ("name", "it was Ines Okafor", "$.who", "substring"),
    ("Chinese name", "会议在上城区", "$.place", "substring"),
    ("last digits", "with the card ending in 6644", "$", "substring"),
]


@pytest.mark.parametrize(
    ("answer", "path", "step"), [row[1:] for row in SUPPORTED], ids=[row[0] for row in SUPPORTED]
)
def test_what_a_result_supports(answer: str, path: str, step: str) -> None:
    claim = claim_of(answer)
    assert (claim.status, claim.origin) == ("supported", Origin("result", path, 0, step))


@pytest.mark.parametrize(
    "answer",
    [
        "It was 200,163.17 in all",
        "It was 236592.88 in all",
        "It grew by 18.2 %",
        "It has 1.7 MB",
        "Deliver it by 25 March 2026",
        "It begins at 15:00",
        "It is RMA-99999",
        "See https://returns.example.com/labels/other",
        "Write to anna@example.com",
        "with the card ending in 1234",
        'It says "Tomas Verga"',
    ],
)
def test_what_no_result_says(answer: str) -> None:
    assert [claim.status for claim in ground(answer).claims] == ["absent"]
    assert ground(answer).share == 0


def test_repeating_the_question_counts_neither_way() -> None:
    found = ground("Order SO-58213 of 12 March took 45 minutes.")
    assert {claim.status for claim in found.claims} == {"echoed"}
    assert found.share is None
    assert found.reason == "the answer says nothing that can be checked against results"


@pytest.mark.parametrize(
    ("answer", "instead", "path"),
    [
        ("Your refund is 70.90 EUR.", "64.9", "$.refund.amount"),
        ("**Refund:** €70.90", "64.9", "$.refund.amount"),
        ("refund amount = 70.90", "64.9", "$.refund.amount"),
        ("Post by: 25 March 2026", "2026-03-24", "$.post_by"),
        ("The growth was 18.2 %", "12.5998", "$.growth"),
    ],
)
def test_a_result_gives_another_value_for_the_same_thing(
    answer: str, instead: str, path: str
) -> None:
    claim = claim_of(answer)
    assert claim.status == "contradicted"
    assert (claim.instead, claim.origin) == (instead, Origin("result", path, 0))


@pytest.mark.parametrize(
    "answer",
    [
        "The price is 70.90 EUR.",  # no such label
        "The refund is 7,000.90 EUR.",  # of another magnitude: something else is meant
        "We refund customers of 70.99 EUR orders",  # the label stands elsewhere
    ],
)
def test_doubtful_contradictions_are_none(answer: str) -> None:
    assert claim_of(answer).status == "absent"


def test_results_that_disagree_contradict_nobody() -> None:
    found = ground("The growth was 18.2 %", RESULT, {"growth": 11.0})
    assert [claim.status for claim in found.claims] == ["absent"]


def test_labels_in_plain_text_contradict_too() -> None:
    found = ground("read_timeout: 55", "http:\n  read_timeout: 30\n")
    assert [(claim.status, claim.instead) for claim in found.claims] == [("contradicted", "30")]


@pytest.mark.parametrize(
    "answer",
    [
        "A is 236,592.87 and B is 64.90: together 236,657.77.",
        "A is 236,592.87 and B is 64.90: the difference is 236,527.97.",
        "From 64.90 to 236,592.87 it is 3,645.50 times.",
        "70% of 64.90 is 45.43.",
        "A is 64.90, B is 236,592.87: 0.03 % of it.",
    ],
)
def test_what_can_be_worked_out_from_what_is_known(answer: str) -> None:
    found = ground(answer)
    assert [claim.text for claim in found.with_status("calculated")] != []
    assert found.share == 1


def test_a_calculation_on_a_made_up_number_is_made_up_too() -> None:
    found = ground("236,592.87 against 200,163.17 is 18.2 % more")
    assert [claim.status for claim in found.claims] == ["supported", "absent", "absent"]


def test_what_the_agent_worked_out_for_a_call_is_calculated() -> None:
    case = run(
        "Be there an hour early",
        call("events", {}, {"start": "2026-03-20T14:00:00+08:00"}, turn=1),
        call("trains", {"arrive_before": "13:00"}, {"train": "G7335"}, turn=2),
        answer="G7335 arrives before 13:00.",
    )
    found = ground_answer(case, provenance=trace_arguments(case))
    assert {(claim.text, claim.status) for claim in found.claims} == {
        ("G7335", "supported"),
        ("13:00", "calculated"),
    }


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "there is no answer"),
        ("  \n", "there is no answer"),
        ("All done, have a nice day.", "the answer says nothing that can be checked"),
    ],
)
def test_what_is_not_checkable_has_no_share(answer: str | None, reason: str) -> None:
    found = ground_answer(run(PROMPT, call("get", {}, RESULT), answer=answer))
    assert found.share is None
    assert found.reason.startswith(reason)


def test_without_calls_there_is_nothing_to_check_against() -> None:
    found = ground_answer(run(PROMPT, answer="It is 4711."))
    assert (found.share, found.claims) == (None, ())
    assert "no tool was called" in found.reason


def test_an_answer_that_copies_the_tool_output_does_not_look_perfect() -> None:
    result = [{"id": f"SO-{n}", "total": n * 1.5, "note": "sent by courier"} for n in range(60, 90)]
    copy = " ".join(f"{row['id']} {row['total']} {row['note']}" for row in result)
    text = "\n".join(f"id: {r['id']}, total: {r['total']}, note: {r['note']}" for r in result)
    assert all(claim.status == "supported" for claim in ground(text, text).claims)
    whole = ground(text, text)
    assert (whole.copied, whole.share) == (1.0, None)
    assert whole.reason == "100% of the answer is a copy of results"
    assert ground("Three orders were sent: SO-60, SO-61 and SO-62.", text).share == 1
    assert ground(copy, result).copied == 0  # the same values in words of its own


def test_half_a_copy_is_told_as_such() -> None:
    text = "The order was sent by courier on Monday and signed by the neighbour at the door."
    found = ground(
        f"{text} I hope that this helps you, and please ask again if it does not help you.", text
    )
    assert found.copied == 0.5
    assert found.reason != "50% of the answer is a copy of results"


def test_code_and_names_are_reported_and_not_counted() -> None:
    found = ground("`COUNT(pr.id)` by Anna Berg, 236,592.87 in all")
    assert {claim.kind: claim.status for claim in found.claims} == {
        "code": "absent",
        "name": "absent",
        "number": "supported",
    }
    assert found.share == 1


def test_each_claim_is_told_once() -> None:
    found = ground("236,592.87 and again 236,592.87")
    assert len(found.claims) == 1


# share, then the texts of absent and calculated claims
SAMPLES: list[tuple[int, float | None, list[str], list[str]]] = [
    (1, 1, [], []),
    (2, 1, [], []),
    (3, 1, [], []),
    (4, None, [], []),
    (5, 1, [], ["74", "13:00"]),
    (6, 1, ["http.read_timeout", "http.idle_timeout"], []),
    (7, None, [], []),
    (8, 1, [], []),
    (9, 1, [], []),
    (10, 1, [], []),
    (11, 1, [], []),
    (12, None, [], []),
    (13, 1, [], []),
    (14, 1, [], []),
    (15, 1, [], []),
    (16, 1, [], ["12.6"]),
    (17, 1, [], []),
    (18, 1, [], ["12.6"]),
    (19, 1 / 3, ["200,163.17", "18.2"], []),
    (20, None, [], []),
]


@pytest.mark.parametrize(("number", "share", "absent", "calculated"), SAMPLES)
def test_samples(
    number: int, share: float | None, absent: list[str], calculated: list[str]
) -> None:
    case = sample(number)
    found = ground_answer(case, provenance=trace_arguments(case))
    assert found.share == share
    assert [claim.text for claim in found.with_status("absent")] == absent
    assert [claim.text for claim in found.with_status("calculated")] == calculated
    assert found.with_status("contradicted") == []


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_answer_to_any_result(answer: str, result: str) -> None:
    found = ground(answer, result)
    assert found.share is None or 0 <= found.share <= 1
    assert found.copied is None or 0 <= found.copied <= 1
