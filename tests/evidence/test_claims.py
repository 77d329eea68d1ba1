"""What an answer says roughly, in other units, again, or about what the agent did itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.grounding import ground_answer

if TYPE_CHECKING:
    from assay.evidence.claims import Grounding

PLAN = "Sort (Cost: 498.05..100799.52) rows=583\nthen (Cost: 0.29..13903.91) 735.083 ms 7.224 ms"


def ground(answer: str, result: Any, *, sent: Any = None) -> Grounding:
    return ground_answer(run("How is it?", call("get", sent or {}, result), answer=answer))


def statuses(answer: str, result: Any, *, sent: Any = None) -> dict[str, str]:
    return {claim.text: claim.status for claim in ground(answer, result, sent=sent).claims}


@pytest.mark.parametrize(
    ("answer", "claim", "status"),
    [
        ("It went from 100,799.52 to 13,903.91.", "100,799.52", "supported"),
        ("735.083 ms became 7.224 ms: 101x faster.", "101", "calculated"),
        ("735.083 ms became 7.224 ms: 102 times faster.", "102", "calculated"),
        ("735.083 ms became 7.224 ms: 98x faster.", "98", "absent"),
        ("It costs about 13,900 now.", "13,900", "calculated"),
        ("It costs 13,900 now.", "13,900", "absent"),
        ("It costs about 14,500 now.", "14,500", "absent"),
        ("It costs ~13,000-14,000.", "14,000", "calculated"),
        ("It costs 13,500+ now.", "13,500", "calculated"),
        ("It costs more than 13,500 now.", "13,500", "calculated"),
        ("Over 13,500 is what it costs.", "13,500", "calculated"),
        ("It costs 11,500+ now.", "11,500", "absent"),
    ],
)
def test_ranges_multiples_and_rough_numbers(answer: str, claim: str, status: str) -> None:
    assert statuses(answer, PLAN)[claim] == status


@pytest.mark.parametrize("answer", ["It costs about 13,900 now.", "It costs 13,500+ now."])
@pytest.mark.parametrize(("others", "status"), [(11, "calculated"), (12, "echoed")])
def test_among_many_numbers_a_rough_one_gains_nothing(
    answer: str, others: int, status: str
) -> None:
    result = {"cost": 13903.91, "others": list(range(10, 10 + others))}
    assert list(statuses(answer, result).values()) == [status]


@pytest.mark.parametrize(
    ("answer", "claim", "status"),
    [
        ("They stay 35.7 years (13,047 days).", "35.7", "calculated"),
        ("They stay 31.7 years (13,047 days).", "31.7", "absent"),
        ("It is 72 °F (22 °C).", "22", "supported"),
    ],
)
def test_the_same_in_another_unit_right_beside_it(answer: str, claim: str, status: str) -> None:
    assert statuses(answer, {"days": 13047, "temperature_f": 72})[claim] == status


def test_a_sum_goes_on_from_one_that_is_said_again() -> None:
    answer = "A costs 77 and 94, 171 in all.\nB costs 306.\nBoth: 171 + 306 = 477."
    found = statuses(answer, {"prices": [77, 94], "b": 306})
    assert (found["171"], found["477"]) == ("calculated", "calculated")


def test_a_result_that_repeats_the_call_supports_nothing() -> None:
    sent = {"id": "SO-99999"}
    assert statuses("It is SO-99999.", {"id": "SO-99999"}, sent=sent) == {"SO-99999": "echoed"}
    assert statuses("It is SO-99999.", {"id": "SO-99999"}) == {"SO-99999": "supported"}


def test_who_asked_by_a_query_may_say_so() -> None:
    sent = {"sql": "SELECT name FROM staff WHERE spread > 150"}
    assert statuses("These are above 150.", [{"name": "Ann"}], sent=sent)["150"] == "echoed"
    assert statuses("These are above 150.", [{"name": "Ann"}])["150"] == "absent"


def test_a_server_of_ones_own_has_several_names() -> None:
    told = "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ..."
    assert statuses("Open http://localhost:8000", told) == {"http://localhost:8000": "supported"}
    assert statuses("Open http://localhost:9000", told) == {"http://localhost:9000": "absent"}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ('It is the "hero number" of all.', []),
        ('It says "Hero Number" there.', ["Hero Number"]),
        ('It says "number 42b" there.', ["number 42b"]),
        ("Its status is PRODUCTION-READY.", []),
        ("It flies EWR-DFW.", ["EWR-DFW"]),
        ("It is told in Base64 and UTF-8.", []),
        ("See §1.2 of it.", []),
        ("It is of the 0.1.x series.", []),
        ('{"a":"' + "x " * 70 + '","client":22291,"b":"y"}', ["22291"]),
    ],
)
def test_what_is_no_claim(answer: str, told: list[str]) -> None:
    found = ground(answer, {"n": 1}).claims
    assert [claim.text for claim in found if claim.kind != "name"] == told


def test_numbers_of_two_digits_say_nothing_where_most_of_them_are_told() -> None:
    few, many = list(range(11, 30)), list(range(11, 60))
    assert statuses("There are 14 left.", few) == {"14": "supported"}
    assert statuses("There are 14 left.", many) == {"14": "echoed"}
    assert statuses("There are 77 left.", many) == {"77": "absent"}
    assert statuses("There are 314 left.", [*many, 314]) == {"314": "supported"}


def test_without_any_result_nothing_can_be_checked() -> None:
    found = ground("It is 59°F there.", None)
    assert (found.claims, found.reason) == ((), "no result of any call was recorded")
