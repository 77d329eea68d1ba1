"""Values told of the wrong thing. All answers were worked out by hand."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.grounding import ground_answer

if TYPE_CHECKING:
    from assay.evidence.claims import Claim

TEAMS = {
    "teams": [
        {"team": "Ashford", "points": 764, "goals": 71, "founded": "1902-05-11"},
        {"team": "Kelso", "points": 705, "goals": 66, "founded": "1911-09-30"},
        {"team": "Penrith", "points": 672, "goals": 58, "founded": "1898-01-17"},
    ]
}
TABLE = "| team | points | goals |\n|---|---|---|\n| Ashford | 764 | 71 |\n| Kelso | 705 | 66 |\n"


def contradicted(answer: str, *results: Any) -> list[Claim]:
    calls = [call("get", {"n": i}, result) for i, result in enumerate(results)]
    return ground_answer(run("How are they?", *calls, answer=answer)).with_status("contradicted")


@pytest.mark.parametrize("result", [TEAMS, TABLE], ids=["data", "table"])
def test_a_value_of_another_record_is_contradicted(result: Any) -> None:
    (first, second) = contradicted("- Ashford: 705 points\n- Kelso: 764 points", result)
    assert (first.text, first.instead.removesuffix(".0")) == ("705", "764")
    assert (second.text, second.instead.removesuffix(".0")) == ("764", "705")
    assert first.origin is not None
    assert first.origin.call == 0


def test_where_the_right_value_stands_is_told() -> None:
    (claim,) = contradicted("Founded:\nAshford: 30 September 1911", TEAMS)
    assert claim.instead == "1902-05-11"
    assert claim.origin is not None
    assert claim.origin.place == "$.teams[0].founded"


@pytest.mark.parametrize(
    "answer",
    [
        "- Ashford: 764 points\n- Kelso: 705 points",
        "764 points for Ashford and 705 for Kelso.",
        "Ashford has 764, Kelso 705 and Penrith 672 points.",
        "Ashford (764) is ahead of the next (705).",
        "Ashford leads by 59 points; the second has 705.",
        "Of Ashford and Kelso, 705 is the lower.",
        "The three have 764, 705 and 672 points.",
        "Ashford plays on. 705 points are the second best.",
        "Ashford is ahead of the runner-up's 705 points.",
        "Kelso is between 672 and 764 points.",
        "Penrith won less than the other two, who have 764 and 705 points.",
        "Take Ashford, not the team with 705 points.",
        "Ashford's rival has 705 points.",
        "Penrith would have to win 33 more to reach 705 points.",
        "Ashford比另一队多，后者705分。",
        # A number of two digits may mean anything.
        "Ashford has played for 66 years.",
    ],
)
def test_what_may_be_right_is_left_alone(answer: str) -> None:
    assert contradicted(answer, TEAMS) == []


def test_two_that_change_places_need_not_be_long() -> None:
    found = contradicted("- Ashford: 66 goals\n- Kelso: 71 goals", TEAMS)
    assert [claim.text for claim in found] == ["66", "71"]
    told = contradicted("Ashford scored 66 goals and Kelso 71 this year.", TEAMS)
    assert [claim.text for claim in told] == ["66", "71"]


def test_brackets_bind_to_the_name_before_them() -> None:
    right = "Of 3 teams Ashford (764 points) leads Kelso (705 points)."
    assert contradicted(right, TEAMS) == []
    found = contradicted("Of 3 teams Ashford (705 points) leads Kelso (764 points).", TEAMS)
    assert [claim.text for claim in found] == ["705", "764"]


def test_who_has_no_name_goes_by_other_words() -> None:
    laps = [{"driver": "Varga", "seconds": 92.907}, {"driver": "Lindholm", "seconds": 93.344}]
    found = contradicted("- Varga: 93.344 s\n- Lindholm: 92.907 s", laps)
    assert [claim.text for claim in found] == ["93.344", "92.907"]


def test_records_of_two_results_of_one_tool_change_places() -> None:
    one, other = {"city": "上海", "high": 36}, {"city": "北京", "high": 31}
    found = contradicted("- 上海：最高31℃\n- 北京：最高36℃", one, other)
    assert [claim.text for claim in found] == ["31", "36"]


def test_records_of_several_results_belong_together() -> None:
    one = {"items": [{"name": "极云X5", "price": 2399.0}]}
    other = {"items": [{"name": "澜月S2", "price": 1899.0}]}
    assert contradicted("- 极云X5：2399元\n- 澜月S2：1899元", one, other) == []
    found = contradicted("- 极云X5：1899元\n- 澜月S2：2399元", one, other)
    assert [claim.text for claim in found] == ["1899", "2399"]


def test_what_another_source_tells_is_left_alone() -> None:
    assert contradicted("- Ashford: 705 points", TEAMS, {"last_year": {"Ashford": 705}}) == []
    assert contradicted("- Ashford: 705 points", TEAMS | {"mean": 705}) == []


def test_plain_words_and_names_within_names_name_nothing() -> None:
    tables = [{"name": "vector", "rows": 117}, {"name": "pageinspect", "rows": 342}]
    assert contradicted("The vector part has 342 rows.", tables) == []
    models = [{"name": "Opus-1", "score": 28.3}, {"name": "Opus-1 large", "score": 29.8}]
    assert contradicted("- Opus-1 (large): 29.8", models) == []


def test_what_a_record_refers_to_may_be_meant() -> None:
    staff = [
        {"name": "Alice Wong", "manager": "Bob Li", "salary": 72000},
        {"name": "Bob Li", "manager": "Cara Diaz", "salary": 98000},
        {"name": "Cara Diaz", "manager": None, "salary": 131000},
    ]
    assert contradicted("Alice Wong's manager earns 98,000.", staff) == []
    assert contradicted("Alice Wong's salary is 131,000.", staff) != []
    assert contradicted("Alice Wong's sister earns 131,000.", staff) == []


def test_numbers_beyond_all_sizes_are_left_alone() -> None:
    rows = [{"name": "Kelso", "points": 10**400}, {"name": "Penrith", "points": 672}]
    assert contradicted("- Kelso: 672 points", rows, {"mean": float("nan")}) != []


def test_many_records_take_little_time() -> None:
    rows = [{"name": f"Item {i}", "price": 1000 + i} for i in range(20_000)]
    answer = "\n".join(f"Item {i}: {1001 + i}" for i in range(1_000))
    started = process_time()
    contradicted(answer, rows)
    assert process_time() - started < 5


def test_long_texts_of_records_are_read_once() -> None:
    long = "On 3 March 2026 there were 12 of them. " * 1_000
    rows = [{"name": f"Item {i:02}", "price": 1000.5 + 10 * i, "text": long} for i in range(60)]
    started = process_time()
    found = contradicted("\n".join(f"Item {i:02}: {1010.5 + 10 * i}" for i in range(59)), rows)
    assert process_time() - started < 5
    assert len(found) > 20


def test_records_of_many_results_are_named_once() -> None:
    def rows(first: int) -> list[dict[str, Any]]:
        names = [{f"name_{k}": f"Item {first + i} of {k}" for k in range(20)} for i in range(100)]
        return [{**name, "price": 1000.5 + first + i} for i, name in enumerate(names)]

    results = [rows(100 * i) for i in range(60)]
    answer = "\n".join(f"Item {100 * i} of 3: {1001.5 + 100 * i}" for i in range(60))
    said = " ".join(f"Item {i} of {k}" for i in range(100) for k in range(10))
    started = process_time()
    contradicted(f"{answer}\n{said}", *results)
    assert process_time() - started < 5
