"""Units: what a result tells in one is not the same in another, and converts to it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.grounding import ground_answer
from assay.evidence.provenance import trace_arguments
from assay.evidence.quantities import are_other_units, says_number_word


def status(answer: str, result: Any) -> str:
    return (
        ground_answer(run("What is it?", call("get", {}, result), answer=answer)).claims[0].status
    )


@pytest.mark.parametrize(
    ("answer", "result", "expected"),
    [
        ("It is 17.5 °C.", {"state": 17.5, "unit": "°C"}, "supported"),
        ("It is 17.5 °F.", {"state": 17.5, "unit": "°C"}, "absent"),
        ("It is 63.5 °F.", {"state": 17.5, "unit": "°C"}, "supported"),
        ("It is 111.8 miles.", {"distance": "111.8 km"}, "absent"),
        ("It is 111.8 km.", {"distance": "111.8 km"}, "supported"),
        ("It is 111.8 miles.", "It is 111.8 km by road.", "absent"),
        ("It is 111.8 miles.", "It is 111.8 km by road, 111.8 miles by sea.", "supported"),
        ("It is 111.8 miles.", [{"km": 5, "x": "111.8 km"}, {"y": 111.8}], "supported"),
        ("It costs 49.95 USD.", {"price": 49.95, "currency": "EUR"}, "absent"),
        ("It costs 49.95 EUR.", {"price": 49.95, "currency": "EUR"}, "supported"),
        ("It used 22.65 MWh.", [{"day": "Monday", "kwh": 22.65}], "absent"),
        ("It used 22.65 kWh.", [{"day": "Monday", "kwh": 22.65}], "supported"),
        ("It lasts 180 hours.", {"batteryMinutes": 180}, "absent"),
        ("It has 90 hours.", {"min": 90}, "supported"),
        ("It weighs 212 kg.", {"parts": [{"value": 212, "unit": "lb"}]}, "absent"),
    ],
)
def test_the_unit_of_a_number_counts(answer: str, result: Any, expected: str) -> None:
    assert status(answer, result) == expected


def test_units_of_other_things_do_not_exclude_each_other() -> None:
    assert are_other_units("km", "miles")
    assert are_other_units("usd", "eur")
    assert not are_other_units("km", "kg")
    assert not are_other_units("km", "km")
    assert not are_other_units("usd", "sek ")


@pytest.mark.parametrize(
    ("prompt", "value", "expected"),
    [
        ("Set it to 70°F.", 21.1, "derived"),
        ("Set it to 70°F.", 21.7, "nowhere"),
        ("Look within 5 miles.", 8047, "derived"),
        ("Look within 5 miles.", 8000, "derived"),
        ("Look within 5 miles.", 8400, "nowhere"),
        ("Ship 12 pounds.", 5.44, "derived"),
    ],
)
def test_arguments_are_converted_from_what_was_told(
    prompt: str, value: float, expected: str
) -> None:
    (traced,) = trace_arguments(run(prompt, call("do", {"value": value}))).values
    assert traced.status == expected


@pytest.mark.parametrize(
    ("word", "phrase", "says"),
    [
        ("十五", " 十 五 日 内 ", True),
        ("十五", " 二 十 五 日 内 ", False),
        ("十五", " 二 十 五 日 或 十 五 日 ", True),
        ("fifteen", " fifteen days ", True),
        ("fifteen", " fifteen hundred days ", False),
        ("twenty", " twenty five days ", False),
        ("twenty", " days ", False),
    ],
)
def test_a_number_word_is_no_part_of_another(word: str, phrase: str, says: bool) -> None:
    assert says_number_word(word, phrase) is says


def test_results_tell_numbers_in_words_too() -> None:
    assert status("上诉期限为15日。", "可在送达之日起十五日内上诉") == "supported"
    assert status("You have 15 days.", "within twenty-five days") == "absent"


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("To SE35 5000 0000 0549 1000 0003.", {"iban": "SE3550000000054910000003"}),
        ("To SE3550000000054910000003.", {"iban": "SE35 5000 0000 0549 1000 0003"}),
        ("Card 4111 1111 1111 1234.", {"card": "4111111111111234"}),
        ("Call +47 22 33 44 55.", {"phone": "+4722334455"}),
        ("Call +1 (212) 555-0147.", {"phone": "+1-212-555-0147"}),
        ("电话028-86651234。", {"phone": "02886651234"}),
        ("电话138-1234-5678。", {"phone": "13812345678"}),
    ],
)
def test_codes_may_be_grouped(answer: str, result: Any) -> None:
    found = ground_answer(run("Which?", call("get", {}, result), answer=answer)).claims
    assert [(claim.kind, claim.status) for claim in found] == [("id", "supported")]


def test_another_code_is_not_there() -> None:
    assert status("Call +47 22 33 44 56.", {"phone": "+4722334455"}) == "absent"
    assert status("Call +47 22 33 44 55.", {"phone": "+47223344559"}) == "absent"
