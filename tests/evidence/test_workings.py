"""Numbers and dates that were worked out. All answers were worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from time import process_time
from typing import Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.grounding import ground_answer
from assay.evidence.provenance import trace_arguments

LEGS = {
    "legs": [
        {"to": "Rotterdam", "cost": 318.4, "distance_km": 502},
        {"to": "Felixstowe", "cost": 441.15, "distance_km": 213},
        {"to": "Leeds", "cost": 287.9, "distance_km": 348},
    ],
    "weight_kg": 1840,
}
PROMPT = "What about the shipment?"


@pytest.mark.parametrize(
    ("answer", "result", "status"),
    [
        ("It costs 1,047.45 EUR in all.", LEGS, "calculated"),
        ("It costs 1,147.45 EUR in all.", LEGS, "absent"),
        ("It weighs 1.84 tonnes.", LEGS, "supported"),
        ("It weighs 1,840 lbs.", LEGS, "absent"),
        ("It is 64.8°F there.", {"now_c": 18.2}, "supported"),
        ("It is 66.8°F there.", {"now_c": 18.2}, "absent"),
        ("There are 14 of them.", [{"n": "x"}] * 14, "calculated"),
        ("Zu zahlen sind 1.433,36 €.", {"brutto": "1.433,36"}, "supported"),
        ("Zu zahlen sind 1.483,36 €.", {"brutto": 1433.36}, "absent"),
        ("Zu zahlen sind 12,50 €.", {"brutto": 12.5}, "supported"),
        ("Es sind 1.234 €.", {"brutto": 1234}, "supported"),
        ("Best was November 2013.", {"month": "2013-11"}, "supported"),
        ("总金额为281.7元。", {"数量": 3, "单价": 89.9, "运费": 12}, "calculated"),
        ("总金额为291.7元。", {"数量": 3, "单价": 89.9, "运费": 12}, "absent"),
        ("It goes EWR-DFW.", {"from": "EWR", "to": "DFW"}, "supported"),
        ("It goes EWR-SEA.", {"from": "EWR", "to": "DFW"}, "absent"),
        ("See /srv/w/src/a_b.py for it.", "src/a_b.py changed", "supported"),
        ("See /srv/w/lib/a_b.py for it.", "src/a_b.py changed", "absent"),
        ("See /srv/w/lib/a_b.py for it.", "a_b.py changed", "supported"),
        ("The card ending in 4242.", {"card": "****-4242"}, "supported"),
        ("The card ending in 4243.", {"card": "****-4242"}, "absent"),
    ],
)
def test_a_claim(answer: str, result: Any, status: str) -> None:
    (claim,) = ground_answer(run(PROMPT, call("get", {}, result), answer=answer)).claims
    assert claim.status == status


def test_many_of_one_thing_and_nothing() -> None:
    def statuses(answer: str) -> list[str]:
        case = run(PROMPT, call("get", {}, {"adult": 14.5, "monthly": 12.5}), answer=answer)
        return [claim.status for claim in ground_answer(case).claims]

    assert statuses("Two cost 29 EUR, 14.50 each.") == ["calculated", "supported"]
    assert statuses("A year costs 150 EUR, 12.50 a month.") == ["calculated", "supported"]
    assert statuses("14.50 EUR, with 0.00 off.") == ["supported", "absent"]


def test_what_was_worked_out_for_a_call_may_be_said_in_another_form() -> None:
    flight = call("get_trip", {"id": "QK7ZTR"}, {"date": "2026-05-17"})
    search = call("search", {"date": "2026-05-19", "season": "2025-2026"}, {"number": "HAT118"})
    case = run("Put trip QK7ZTR two days later.", flight, search, answer="HAT118 goes on May 19.")
    found = ground_answer(case, provenance=trace_arguments(case))
    assert [claim.status for claim in found.claims] == ["calculated", "supported"][::-1]


def test_what_was_sent_to_do_something_may_be_said_in_another_form() -> None:
    made = call("create_event", {"start": "2026-08-21T15:00:00+08:00"}, {"ok": True})
    found = ground_answer(run(PROMPT, made, answer="It is on 21 August at 3 pm, not at 4 pm."))
    assert [claim.status for claim in found.claims] == ["echoed", "echoed", "absent"]


def test_a_unit_is_told_once_for_two_numbers() -> None:
    def statuses(answer: str) -> list[str]:
        result = {"requested": 15417, "allocatable": 15890}
        return [
            c.status
            for c in ground_answer(run(PROMPT, call("get", {}, result), answer=answer)).claims
        ]

    assert statuses("It has 15.4 of 15.9 cores.") == ["supported", "supported"]
    assert statuses("It has 15.2 of 15.9 cores.") == ["absent", "supported"]


def test_speeds_and_areas_have_units_too() -> None:
    def status(answer: str, result: Any) -> str:
        return ground_answer(run(PROMPT, call("get", {}, result), answer=answer)).claims[0].status

    assert status("It blows at 36 km/h.", {"wind": 10.0}) == "supported"
    assert status("It blows at 46 km/h.", {"wind": 10.0}) == "absent"
    assert status("It has 1.2 hectares.", {"area": 12_000}) == "supported"


def test_a_few_of_one_thing_and_one_of_another() -> None:
    def statuses(answer: str) -> list[str]:
        case = run(PROMPT, call("get", {}, {"adult": 17.5, "child": 8.0}), answer=answer)
        return [claim.status for claim in ground_answer(case).claims]

    told = "Two adults (17.50 each) and a child (8.00) pay {}."
    assert statuses(told.format("43.00")) == ["supported", "supported", "calculated"]
    assert statuses(told.format("46.50")) == ["supported", "supported", "absent"]


def test_what_is_left_of_a_known_number() -> None:
    case = run(
        PROMPT, call("get", {}, {"balance": 500, "due": 166}), answer="$166 paid, $334 remain."
    )
    assert [claim.status for claim in ground_answer(case).claims] == ["supported", "calculated"]


def test_what_the_agent_wrote_itself_counts_neither_way() -> None:
    made = call("create_note", {"title": "Plan 77"}, {"ok": True})
    found = ground_answer(run(PROMPT, made, answer="I called it Plan 77."))
    assert [claim.status for claim in found.claims if claim.kind == "number"] == ["echoed"]
    assert found.share is None


def test_an_answer_to_a_question_nobody_recorded_is_not_judged_by_what_is_absent() -> None:
    made = call("get", {}, {"total": 36})
    unknown = ground_answer(run("", made, answer="It is 36, of 48."))
    assert (unknown.share, unknown.reason[:22]) == (None, "what was asked is not ")
    assert ground_answer(run("", made, answer="It is 36.")).share == 1
    assert ground_answer(run(PROMPT, made, answer="It is 36, of 48.")).share == 0.5


@pytest.mark.parametrize(
    ("prompt", "value", "status"),
    [
        ("How much last week?", "2026-03-09", "derived"),
        ("How much last quarter?", "2025-10-01", "derived"),
        ("How much last week?", "2026-02-11", "nowhere"),
        ("How much was it?", "2026-03-09", "nowhere"),
        ("Do it at half past ten in the evening.", "22:30", "derived"),
        ("Do it at a quarter to six.", "05:45", "derived"),
        ("Do it at noon.", "12:00", "derived"),
        # Far steps from a date need somebody to speak of a span.
        ("Due on 15. Mai 2026.", "2026-05-15", "derived"),
        ("Due on 15. Mai 2026.", "2026-06-14", "nowhere"),
        ("Due 30 days after 15 May 2026.", "2026-06-14", "derived"),
    ],
)
def test_a_date_or_time_of_a_call(prompt: str, value: str, status: str) -> None:
    began = datetime(2026, 3, 18, 10, tzinfo=UTC).timestamp()
    (traced,) = trace_arguments(run(prompt, call("get", {"at": value}), started_at=began)).values
    assert traced.status == status


def test_a_number_that_the_agent_spelled_out() -> None:
    said = [{"role": "assistant", "content": "$833 - $500 = $333 remain.", "turn": 2}]
    known = call("get", {}, {"price": 833, "voucher": 500}, turn=1)

    def status(amount: int) -> str:
        paid = call("pay", {"amount": amount}, "ok", turn=2)
        case = run("Pay it.", known, paid, conversation_history=said)
        return trace_arguments(case).values[-1].status

    assert (status(333), status(343)) == ("derived", "nowhere")


def test_a_number_that_a_text_works_out_itself() -> None:
    def missing(rest: int) -> tuple[str, ...]:
        thought = f"The total is $375. The card has $128 and the remaining ${rest} is paid."
        known = call("get", {}, {"total": 375, "card": 128})
        case = run("Pay it.", known, call("think", {"thought": thought}, "ok"))
        return trace_arguments(case).values[-1].missing

    assert (missing(247), missing(257)) == ((), ("257",))


def test_numbers_that_make_up_a_known_one() -> None:
    paid = {"parts": [{"amount": 205}, {"amount": 100}]}
    case = run("Pay 100 by voucher.", call("get", {}, {"price": 305}), call("pay", paid, "ok"))
    assert [value.status for value in trace_arguments(case).values] == ["derived", "traced"]


def test_numbers_of_headings_rows_and_keys_are_no_claims() -> None:
    answer = '## 2.1 Prices\n| 11 | lamp |\n| 12 | desk |\n12. It is "total": 36\n### **13. End**'
    found = ground_answer(run(PROMPT, call("get", {}, {"total": 36}), answer=answer)).claims
    assert [claim.text for claim in found if claim.kind != "name"] == ["36"]


# Forty records of many numbers, days and times, as any search brings.
MANY = {
    "stock": [
        {"sku": f"K{i}", "quantity": 3 + i, "aisle": 60 + i, "price": 7 * i + 200}
        for i in range(40)
    ],
    "times": [f"{hour:02}:12" for hour in range(9)],
    "days": [f"2026-{month:02}-10" for month in range(1, 13)],
    "share": 12.34,
}


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (600, "derived"),  # 3 things for 200 each
        (644, "nowhere"),  # 14 * 46: no two fields that are multiplied
        (3844, "nowhere"),  # 62 * 62
        (2400, "nowhere"),  # 24 * 100, as anything round is of something
        (1234, "derived"),  # 12.34 in cents
        ("2026-02-11", "derived"),  # the day after one of them
        ("2026-02-15", "nowhere"),  # five days after one of them
        ("14:42", "nowhere"),
        ("09:12", "nowhere"),  # an hour after one of them
    ],
)
def test_chance_explains_nothing_among_many_numbers(value: Any, status: str) -> None:
    case = run("Order it.", call("list", {}, MANY), call("order", {"amount": value}, "ok"))
    assert trace_arguments(case).values[-1].status == status


@pytest.mark.parametrize(
    ("prompt", "value", "status"),
    [
        ("Make it 60 minutes.", "09:12", "derived"),
        ("Make it one hour.", "09:12", "derived"),
        ("Make it 45 minutes.", "09:12", "nowhere"),
        ("Stay for 5 nights.", "2026-02-15", "derived"),
        ("Stay for five nights.", "2026-02-15", "derived"),
        ("Stay for 4 nights.", "2026-02-15", "nowhere"),
    ],
)
def test_a_step_that_was_told_counts_among_many(prompt: str, value: str, status: str) -> None:
    case = run(prompt, call("list", {}, MANY), call("order", {"at": value}, "ok"))
    assert trace_arguments(case).values[-1].status == status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("Codes 249 and 429 are sent.", "absent"),  # 678 is no number of it, 180 neither
        ("The price is 249, the fee 224.", "absent"),  # 473 is the price of another
        ("Of 473 there are 249 paid, and 224 remain.", "calculated"),
    ],
)
def test_what_is_left_among_many_numbers_is_said_to_be_left(answer: str, status: str) -> None:
    claims = ground_answer(run(PROMPT, call("list", {}, MANY), answer=answer)).claims
    assert claims[-1].status == status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("From 500 (1985) to 685 (2002): 37% more.", "calculated"),
        ("Of 685, with 412, 911 and 830, 73% stay.", "absent"),  # 500 of 685 is not said
        ("500 and 685 were there. Then 412, 911 and 830 came, 73% in time.", "absent"),
        ("500 and 685 were there. Then 412, 911 and 830 came, 72.99% in time.", "calculated"),
    ],
)
def test_a_whole_percentage_is_one_of_what_stands_next_to_it(answer: str, status: str) -> None:
    result = {"numbers": [500, 685, 412, 911, 830, 1985, 2002]}
    claims = ground_answer(run(PROMPT, call("get", {}, result), answer=answer)).claims
    assert [claim.status for claim in claims if claim.kind == "percentage"] == [status]


def test_a_total_over_more_records_than_anybody_reads() -> None:
    records = [{"fee": 0.5 * i} for i in range(1, 301)]
    answer = "All fees together are 22,575."  # half of 300 * 301 / 2
    (claim,) = ground_answer(run(PROMPT, call("list", {}, records), answer=answer)).claims
    assert claim.status == "calculated"


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("start_hour", 14, "derived"),
        ("at", 14, "derived"),
        ("units", 14, "nowhere"),
        ("expression", "(14 - 6) + 2", "derived"),
        ("expression", "(15 - 6) + 2", "nowhere"),
        ("note", "14 of them", "nowhere"),
    ],
)
def test_an_hour_is_one_in_a_field_for_it(field: str, value: Any, status: str) -> None:
    case = run("Do it.", call("get", {}, {"from": "14:00"}), call("book", {field: value}, "ok"))
    assert trace_arguments(case).values[-1].status == status


def test_many_amounts_and_ids_take_no_longer_each() -> None:
    records = [{"order_id": 7 * i, "total": i + 0.25} for i in range(20_000)]
    sent = [{"order_id": 7 * i + 1, "amount": 3 * i + 0.5} for i in range(20_000)]
    case = run("Pay it.", call("list", {}, records), call("pay", {"parts": sent}, "ok"))
    started = process_time()
    values = trace_arguments(case).values
    assert process_time() - started < 30
    assert len(values) == 40_000


def test_what_was_said_between_two_turns_was_said_with_the_results_of_the_first() -> None:
    case = run(
        "Change it, please.",
        call("search", {}, {"fares": [105, 102]}, turn=1),
        call("book", {"amounts": [{"amount": 100}, {"amount": 107}]}, turn=2),
        conversation_history=[
            {"role": "user", "content": "Change it, please."},
            {"role": "assistant", "content": "", "turn": 1},
            {"role": "assistant", "content": "That is $105 + $102 = $207; I have $100 here."},
            {"role": "user", "content": "Take the 100 first."},
            {"role": "assistant", "content": "", "turn": 2},
        ],
    )
    told, rest = trace_arguments(case).values
    assert (told.status, rest.status) == ("traced", "derived")
    assert rest.origins[0].step == "calculation"


@pytest.mark.parametrize(
    ("prompt", "status"),
    [
        ("What is 42 * 7, and in kilometres?", "derived"),
        ("What is 42 * 8, and in kilometres?", "nowhere"),
        ("Share 1,176 miles among 4: how many kilometres?", "derived"),
        ("Share 1,177 miles among 4: how many kilometres?", "nowhere"),
        ("What is 42 * 7, of 11, 12 and 13, in kilometres?", "nowhere"),
    ],
)
def test_what_two_of_a_few_told_numbers_make(prompt: str, status: str) -> None:
    (value,) = trace_arguments(run(prompt, call("convert", {"miles": 294}, 473.1))).values
    assert value.status == status


def test_a_share_is_a_hundredth_of_what_was_told_as_a_percentage() -> None:
    case = run("At an interest of 3.5%, please.", call("mortgage", {"rate": 0.035}, 1))
    (value,) = trace_arguments(case).values
    assert (value.status, value.origins[0].step) == ("derived", "unit")
