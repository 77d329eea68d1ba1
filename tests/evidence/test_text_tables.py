"""Tables in texts, and what their records come to. All answers were worked out by hand."""

from __future__ import annotations

from time import process_time

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.grounding import ground_answer
from assay.evidence.record_lists import lists_in
from assay.evidence.text_tables import number_of_cell, tables_in

ROWS = [
    {"city": "Bergen", "mm": 12.5, "days": 3.0},
    {"city": "Oslo", "mm": 4.0, "days": 1.0},
    {"city": "Bergen", "mm": 20.25, "days": 5.0},
]
TABLES = {
    "Markdown": "| city | mm | days |\n|---|---:|---|\n| Bergen | 12.5 | 3 |\n| Oslo | 4.0 | 1 |\n"
    "| Bergen | 20.25 | 5 |\n",
    "Markdown, words around": "Rain:\n\n| city | mm | days |\n| --- | --- | --- |\n"
    "| **Bergen** | 12.5 mm | 3 |\n| Oslo | 4 mm | 1 |\n| Bergen | 20.25 mm | 5 |\n\nThat is all.",
    "commas": "city,mm,days\nBergen,12.5,3\nOslo,4.0,1\nBergen,20.25,5\n",
    "tabs": "city\tmm\tdays\nBergen\t12.5\t3\nOslo\t4.0\t1\nBergen\t20.25\t5",
    "wide gaps": "city    mm     days\nBergen  12.5   3\nOslo    4.0    1\nBergen  20.25  5\n",
    "HTML": "<table class='x'><tr><th>city</th><th>mm</th><th>days</th></tr>"
    "<tr><td>Bergen</td><td><b>12.5</b></td><td>3</td></tr>"
    "<tr><td>Oslo</td><td>4.0</td><td>1</td></tr>"
    "<tr><td>Bergen</td><td>20.25</td><td>5</td></tr></table>",
}


@pytest.mark.parametrize("form", TABLES)
def test_a_table_is_read(form: str) -> None:
    assert tables_in(TABLES[form]) == [ROWS]


@pytest.mark.parametrize(
    "text",
    ["", "a, b and c", "One line, two.\nAnother line, with\nthree, four, five.", "1,2\n3,4\n5,6"],
)
def test_other_texts_are_none(text: str) -> None:
    assert not any(len(table) > 1 for table in tables_in(text))


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("12.5", 12.5),
        ("-$1,250.00", -1250),
        ("(30)", -30),
        ("71.4%", 71.4),
        ("12 km", 12),
        ("S1", None),
        ("", None),
        ("3 of 4", None),
    ],
)
def test_numbers_of_cells(cell: str, number: float | None) -> None:
    assert number_of_cell(cell) == number


def test_records_are_found_however_deep() -> None:
    result = {"data": {"list": [{"a": 1}, {"a": 2}]}, "text": TABLES["commas"]}
    found = lists_in(result)
    assert ([{"a": 1}, {"a": 2}], {"a": [1, 2]}) in found
    assert (ROWS, {"mm": [12.5, 4, 20.25], "days": [3, 1, 5]}) in found


def test_numbers_of_records_are_amounts() -> None:
    (found,) = lists_in([{"order_id": 17, "sum": "1,250.00", "ok": True}, {"sum": 10**400}])
    assert found.columns == {"sum": [1250]}
    assert lists_in([12.5, 13])[0].columns == {"": [12.5, 13]}


def status(answer: str, result: object) -> str:
    (claim,) = ground_answer(run("What of it?", call("get", {}, result), answer=answer)).claims
    return claim.status


@pytest.mark.parametrize(
    "result", [TABLES["commas"], {"data": {"rows": ROWS}}], ids=["text", "data"]
)
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("There fell 36.75 mm.", "calculated"),
        ("There fell 37.75 mm.", "absent"),
        ("The figure is 36.75 mm.", "absent"),
        ("The mean was 12.25 mm.", "calculated"),
        ("The mean was 12.35 mm.", "absent"),
        ("It was 12.25 mm.", "absent"),
        ("In all of it there fell 32.75 mm.", "calculated"),
    ],
)
def test_what_the_records_come_to(answer: str, expected: str, result: object) -> None:
    assert status(answer, result) == expected


def test_what_was_spent_is_told_without_its_sign() -> None:
    spent = {"payments": [{"amount": -54.2}, {"amount": "-31.75"}, {"amount": -18.05}]}
    assert status("You spent £104.00.", spent) == "calculated"


def test_one_number_is_no_total() -> None:
    states = {"devices": [{"state": 17.5, "unit": "°C"}, {"state": "on"}, {"state": "off"}]}
    assert status("There it is 17.5 °F.", states) == "absent"


def test_so_many_of_so_many() -> None:
    people = [{"who": f"p{i}", "says": "yes" if i < 14 else "no"} for i in range(19)]

    def statuses(answer: str) -> list[str]:
        case = run("How many come?", call("get", {}, {"people": people}), answer=answer)
        return [claim.status for claim in ground_answer(case).claims]

    assert statuses("14 of 19 come (74%).") == ["calculated"] * 3
    assert statuses("19人中有14人参加") == ["calculated"] * 2
    assert statuses("13 of 19 come.") == ["absent", "calculated"]
    assert statuses("It takes 14 minutes.") == ["absent"]


def test_how_two_records_differ() -> None:
    prices = [{"items": [{"name": "A", "price": 2399}]}, {"items": [{"name": "B", "price": 1899}]}]
    calls = [call("find", {"q": i}, price) for i, price in enumerate(prices)]
    for answer, expected in (
        ("A贵500元", "calculated"),
        ("A贵600元", "absent"),
        ("A 500", "absent"),
    ):
        (claim, *_) = ground_answer(run("比较", *calls, answer=answer)).claims
        assert claim.status == expected


def test_large_and_hostile_texts_take_linear_time() -> None:
    for text in ("|" * 200_000, "<tr" * 60_000, "a,b\n" * 50_000, "  " * 100_000, "<tr>" * 50_000):
        started = process_time()
        tables_in(text)
        assert process_time() - started < 2
