"""Trajectory match: worked out by hand, and held to a search through all assignments."""

from __future__ import annotations

import asyncio
import json
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import AgentTestCase, MCPExecutionData, Score, ToolExecutionResult
from assay.errors import InvalidRecord, UnknownName
from assay.evidence import ALIGNMENTS, Order
from assay.metrics.trajectory import (
    ArgumentRules,
    ExpectedCall,
    TrajectoryMatch,
    match_trajectory,
    read_references,
)
from assay.metrics.trajectory.metric import MOST_PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ORDERS = sorted(ALIGNMENTS)
tools = st.sampled_from("abc")
arguments = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=3)
calls = st.lists(st.tuples(tools, arguments), max_size=4)


def made(*names: str | tuple[str, Any], failed: Sequence[int] = ()) -> list[ToolExecutionResult]:
    named = [(entry, {}) if isinstance(entry, str) else entry for entry in names]
    return [
        ToolExecutionResult(tool, sent, success=i not in failed)
        for i, (tool, sent) in enumerate(named)
    ]


def evaluated(
    metric: TrajectoryMatch, expected: Any, calls_made: list[ToolExecutionResult] | None
) -> Score:
    data = None if calls_made is None else MCPExecutionData(calls_made)
    case = AgentTestCase("q", "a", execution_data=data, expected_tools=expected)
    return asyncio.run(metric.evaluate(case))


def value(expected: Any, calls_made: list[ToolExecutionResult], **options: Any) -> float | None:
    return evaluated(TrajectoryMatch(**options), expected, calls_made).value


def kinds(score: Score) -> list[tuple[str, int | None]]:
    return [(finding.kind, finding.call) for finding in score.evidence]


# Expected a, b, c. The value is 2 * matched / (3 + calls made).
@pytest.mark.parametrize(
    ("calls_made", "exact", "in_order", "any_order"),
    [
        ("abc", 1, 1, 1),
        ("acb", 2 / 6, 4 / 6, 1),
        ("xabc", 0, 6 / 7, 6 / 7),
        ("ab", 4 / 5, 4 / 5, 4 / 5),
        ("cba", 2 / 6, 2 / 6, 1),
        ("aabc", 2 / 7, 6 / 7, 6 / 7),
        ("xyz", 0, 0, 0),
        ("", 0, 0, 0),
    ],
)
def test_orders_by_hand(calls_made: str, exact: float, in_order: float, any_order: float) -> None:
    expected = list("abc")
    assert value(expected, made(*calls_made), order="exact") == pytest.approx(exact)
    assert value(expected, made(*calls_made), order="in_order") == pytest.approx(in_order)
    assert value(expected, made(*calls_made), order="any_order") == pytest.approx(any_order)


@pytest.mark.parametrize(
    ("calls_made", "expected_value"),
    [("abcd", 1), ("acbd", 1), ("bacd", 6 / 8), ("abdc", 6 / 8), ("dcba", 4 / 8), ("abxcd", 8 / 9)],
)
def test_partial_order_by_hand(calls_made: str, expected_value: float) -> None:
    # a first, then b and c in any order, then d.
    found = value(["a", ["b", "c"], "d"], made(*calls_made), order="partial_order")
    assert found == pytest.approx(expected_value)


def test_the_order_of_the_lists_does_not_matter_in_any_order() -> None:
    """deepeval#3338: a greedy pairing says 0.5 or 0.667, whichever way the list is written."""
    expected = [("book", {"a": 1, "b": 1, "c": 1}), ("book", {"a": 1, "b": 1, "c": 2})]
    called = [("book", {"a": 1, "b": 1, "c": 2}), ("book", {"a": 1, "b": 5, "c": 5})]
    written = [{"name": name, "input_parameters": sent} for name, sent in expected]
    found = [
        value(list(order), made(*sequence), order="any_order")
        for order in permutations(written)
        for sequence in permutations(called)
    ]
    assert len(set(found)) == 1
    assert found[0] == pytest.approx((1 + 1 / 3) / 2)


def test_the_same_call_twice_is_two_calls() -> None:
    assert value(["a", "a"], made("a", "a")) == 1
    assert value(["a", "a"], made("a")) == pytest.approx(2 / 3)
    assert value(["a"], made("a", "a")) == pytest.approx(2 / 3)


def test_missing_and_extra_calls_are_both_shown() -> None:
    score = evaluated(TrajectoryMatch(), ["a", "b", "c"], made("a", "x", "c"))
    assert score.value == pytest.approx(4 / 6)
    assert kinds(score) == [("missing_call", None), ("extra_call", 1)]
    assert [finding.text for finding in score.evidence] == [
        "b was expected and not called",
        "x was called and not expected",
    ]
    parts = {part.name: part.value for part in score.parts}
    assert parts == {"trajectory_recall": 2 / 3, "trajectory_precision": 2 / 3}
    assert score.reason == (
        "2 of 3 expected calls made; 0 with wrong arguments; 1 extra; order: in_order"
    )


def test_a_call_in_the_wrong_place_is_called_that() -> None:
    score = evaluated(TrajectoryMatch(), ["a", "b"], made("b", "a"))
    assert len(score.evidence) == 1
    assert score.evidence[0].kind == "out_of_order"


def test_extra_calls_can_be_ignored() -> None:
    assert value(["a", "b"], made("a", "x", "x", "b"), extra_calls="ignore") == 1
    score = evaluated(TrajectoryMatch(extra_calls="ignore"), ["a"], made("x", "a"))
    assert kinds(score) == [("extra_call", 0)]


def test_failed_calls_are_left_out_unless_asked_for() -> None:
    tried = made("a", "a", "b", failed=[0])
    score = evaluated(TrajectoryMatch(), ["a", "b"], tried)
    assert score.value == 1
    assert "1 failed calls left out" in score.reason
    assert value(["a", "b"], tried, failed_calls="count") == pytest.approx(4 / 5)
    wrong = evaluated(TrajectoryMatch(), [{"name": "b", "arguments": {"x": 1}}], tried[1:])
    assert ("wrong_arguments", 1) in kinds(wrong)  # its place among all calls of the case


@pytest.mark.parametrize(
    ("compare", "expected_value"), [("name", 1), ("required", 2 / 3), ("all", 2 / 4)]
)
def test_what_is_compared(compare: Any, expected_value: float) -> None:
    # Of three expected arguments y is wrong; w is not expected at all.
    expected = [{"name": "a", "input_parameters": {"x": 1, "y": 2, "z": 3}}]
    sent = made(("a", {"x": 1, "y": 0, "z": 3, "w": 4}))
    found = value(expected, sent, arguments=ArgumentRules(compare))
    assert found == pytest.approx(expected_value)


RULES: list[tuple[str, ArgumentRules, dict[str, Any], Any, bool]] = [
    ("equal", ArgumentRules(), {"x": {"k": [1, "b", None]}}, {"x": {"k": [1, "b", None]}}, True),
    ("int and float", ArgumentRules(), {"x": 1}, {"x": 1.0}, True),
    ("true is not 1", ArgumentRules(), {"x": 1}, {"x": True}, False),
    ("text is not a number", ArgumentRules(), {"x": 1}, {"x": "1"}, False),
    ("nested difference", ArgumentRules(), {"x": {"k": 1}}, {"x": {"k": 1, "l": 2}}, False),
    ("list order", ArgumentRules(), {"x": [1, 2]}, {"x": [2, 1]}, False),
    ("left out", ArgumentRules(), {"x": 1}, {}, False),
    ("null is not absent", ArgumentRules(), {"x": None}, {}, False),
    ("absolute", ArgumentRules(tolerance=0.1), {"x": 1.0}, {"x": 1.05}, True),
    ("absolute, too far", ArgumentRules(tolerance=0.1), {"x": 1.0}, {"x": 1.2}, False),
    ("relative", ArgumentRules(relative_tolerance=0.1), {"x": 100}, {"x": 95}, True),
    ("tolerance inside", ArgumentRules(tolerance=1), {"x": [{"y": 3}]}, {"x": [{"y": 4}]}, True),
    ("too large", ArgumentRules(tolerance=1), {"x": 10**400}, {"x": 1.0}, False),
    ("not a number", ArgumentRules(tolerance=1), {"x": 1.0}, {"x": float("nan")}, False),
    ("large whole numbers", ArgumentRules(), {"x": 2**53}, {"x": 2**53 + 1}, False),
    ("ignored", ArgumentRules("all", ignore=("x", "y")), {"x": 1}, {"x": 2, "y": 3}, True),
    ("default left out", ArgumentRules(defaults={"x": 1}), {"x": 1}, {}, True),
    ("default not meant", ArgumentRules(defaults={"x": 1}), {"x": 2}, {}, False),
    (
        "default spelled out",
        ArgumentRules("all", defaults={"y": 1}),
        {"x": 1},
        {"x": 1, "y": 1},
        True,
    ),
    ("not the default", ArgumentRules("all", defaults={"y": 1}), {}, {"y": 2}, False),
    ("pattern", ArgumentRules(), {"x": {"$matches": "^Ber"}}, {"x": "Berlin"}, True),
    ("pattern inside", ArgumentRules(), {"x": [{"$matches": "n$"}]}, {"x": ["Berlin"]}, True),
    ("no match", ArgumentRules(), {"x": {"$matches": "^ber"}}, {"x": "Berlin"}, False),
    ("pattern wants text", ArgumentRules(), {"x": {"$matches": "1"}}, {"x": 1}, False),
    ("no arguments", ArgumentRules("all"), {}, {}, True),
    ("no arguments expected", ArgumentRules("all"), {}, {"x": 1}, False),
    ("arguments that are none", ArgumentRules(), {"x": 1}, "x=1", False),
    ("null for none", ArgumentRules("all"), {}, None, True),
]


@pytest.mark.parametrize(
    ("rules", "expected", "sent", "right"),
    [row[1:] for row in RULES],
    ids=[row[0] for row in RULES],
)
def test_arguments(
    rules: ArgumentRules, expected: dict[str, Any], sent: Any, *, right: bool
) -> None:
    reference = [{"name": "a", "input_parameters": expected}]
    score = evaluated(TrajectoryMatch(arguments=rules), reference, made(("a", sent)))
    assert score.value == float(right)
    assert kinds(score) == ([] if right else [("wrong_arguments", 0)])


def test_wrong_arguments_are_named() -> None:
    reference = [{"name": "a", "input_parameters": {"city": "Oslo", "days": 3}}]
    score = evaluated(TrajectoryMatch(), reference, made(("a", {"city": "Bergen"})))
    assert score.evidence[0].text == (
        "a: city is str 'Bergen', expected str 'Oslo'; days is left out, expected int 3"
    )


def test_rules_can_differ_by_tool() -> None:
    reference = [{"name": name, "input_parameters": {"x": 1}} for name in "ab"]
    sent = made(("a", {"x": 2}), ("b", {"x": 2}))
    assert value(reference, sent) == 0
    assert value(reference, sent, tools={"a": ArgumentRules("name")}) == 0.5


@pytest.mark.timeout(120)
def test_a_hostile_text_does_not_stall_a_pattern() -> None:
    reference = [{"name": "a", "input_parameters": {"x": {"$matches": "^(a+)+$"}}}]
    assert value(reference, made(("a", {"x": "a" * 50_000 + "!"}))) == 0


def test_a_server_counts_only_where_it_is_named() -> None:
    call = ToolExecutionResult("a", {}, success=True, server="s1")
    assert value([{"name": "a", "server": "s1"}], [call]) == 1
    assert value([{"name": "a", "server": "s2"}], [call]) == 0
    assert value(["a"], [call]) == 1


def test_a_name_that_holds_its_server_is_that_tool_of_that_server() -> None:
    split = ToolExecutionResult("a", {}, success=True, server="s1")
    whole = ToolExecutionResult("mcp__s1__a", {}, success=True)
    for call in (split, whole):
        assert value(["mcp__s1__a"], [call]) == 1
        assert value([{"name": "a", "server": "s1"}], [call]) == 1
        assert value(["mcp__s2__a"], [call]) == 0


def test_the_best_of_several_references_counts_and_is_named() -> None:
    accepted = {"any_of": [["a", "b"], ["c"], ["c", "d"]]}
    score = evaluated(TrajectoryMatch(accepted), None, made("c", "d"))
    assert score.value == 1
    assert "reference 3 of 3 fits best" in score.reason
    by_case = evaluated(TrajectoryMatch(), [accepted], made("c", "x"))
    assert by_case.value == pytest.approx(2 / 3)
    assert "reference 2 of 3 fits best" in by_case.reason


def test_what_is_given_to_the_metric_goes_before_the_case() -> None:
    assert evaluated(TrajectoryMatch(["a"]), ["b"], made("a")).value == 1


@pytest.mark.parametrize(
    ("expected", "calls_made", "options", "found", "reason"),
    [
        (None, made("a"), {}, None, "nothing is known to be expected"),
        (["a"], None, {}, None, "no calls were recorded"),
        (
            [],
            made("a"),
            {"extra_calls": "ignore"},
            None,
            "no calls are expected, and extra ones are ignored",
        ),
        ([], [], {}, 1.0, "no calls are expected; 0 extra"),
        ([], made("a"), {}, 0.0, "no calls are expected; 1 extra"),
        (["a"], [], {}, 0.0, "0 of 1 expected calls made"),
    ],
)
def test_nothing_to_match(
    expected: Any, calls_made: Any, options: dict[str, Any], found: float | None, reason: str
) -> None:
    score = evaluated(TrajectoryMatch(**options), expected, calls_made)
    assert score.value == found
    assert reason in score.reason


def test_without_execution_data_the_called_tools_count_and_the_label_says_so() -> None:
    case = AgentTestCase("q", "a", tools_called=["a", {"name": "b"}], expected_tools=["a", "b"])
    score = asyncio.run(TrajectoryMatch().evaluate(case))
    assert (score.value, score.label) == (1, "calls as tools_called names them")


def test_too_many_calls_are_not_matched_but_reported() -> None:
    many = made(*["a"] * (MOST_PAIRS // 2 + 1))
    score = evaluated(TrajectoryMatch(), ["a", "a"], many)
    assert score.value is None
    assert "too many to match" in score.reason


@pytest.mark.parametrize(
    ("entry", "call"),
    [
        ("a", ExpectedCall("a")),
        ({"name": "a"}, ExpectedCall("a")),
        ({"name": "a", "input_parameters": {}}, ExpectedCall("a", {})),
        ({"tool": "a", "parameters": {"x": 1}}, ExpectedCall("a", {"x": 1})),
        ({"function": {"name": "a", "arguments": '{"x": 1}'}}, ExpectedCall("a", {"x": 1})),
        ({"name": "a", "server": "s"}, ExpectedCall("a", None, "s")),
        (ToolExecutionResult("a", {"x": 1}, server="s"), ExpectedCall("a", {"x": 1}, "s")),
    ],
)
def test_expected_calls_are_read_as_people_write_them(entry: Any, call: ExpectedCall) -> None:
    assert read_references([entry]) == (((call,),),)


def test_deepevals_calls_are_read() -> None:
    tool_call = pytest.importorskip("deepeval.test_case").ToolCall
    entries = [tool_call(name="a"), tool_call(name="b", input_parameters={"x": 1})]
    expected = ((ExpectedCall("a"),), (ExpectedCall("b", {"x": 1}),))
    assert read_references(entries) == (expected,)


@pytest.mark.parametrize(
    ("expected", "problem"),
    [
        ("a", "expected_tools: expected a list of calls, got str 'a'"),
        ([{}], r"expected_tools\[0\]: an expected call needs a name"),
        (["a", [["b"]]], r"expected_tools\[1\]\[0\]: an expected call needs a name"),
        ([[]], r"expected_tools\[0\]: a group holds 1 to 8 calls, got 0"),
        ([["a"] * 9], "a group holds 1 to 8 calls, got 9"),
        ({"any_of": []}, "any_of: expected a list of references"),
        ([{"name": "a", "arguments": "x"}], "expected arguments are an object, got str 'x'"),
        ([{"name": "a", "arguments": {"x": {"$matches": "("}}}], r"a: str '\(' is no pattern"),
    ],
)
def test_expectations_that_cannot_be_read_are_errors(expected: Any, problem: str) -> None:
    with pytest.raises(InvalidRecord, match=problem):
        TrajectoryMatch(expected)


@pytest.mark.parametrize(
    "options", [{"order": "in-order"}, {"extra_calls": "counted"}, {"failed_calls": "ignore"}]
)
def test_unknown_choices_are_errors(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownName):
        TrajectoryMatch(["a"], **options)


def test_unknown_rules_are_errors() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'name'"):
        ArgumentRules("names")  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match="tolerance: expected 0 or more, got -1"):
        ArgumentRules(tolerance=-1)


def test_one_metric_judges_many_cases_at_once() -> None:
    metric = TrajectoryMatch()
    cases = [
        AgentTestCase("q", "a", execution_data=MCPExecutionData(made(name)), expected_tools=["a"])
        for name in "abab"
    ]

    async def together() -> list[Score]:
        return await asyncio.gather(*(metric.evaluate(case) for case in cases))

    assert [score.value for score in asyncio.run(together())] == [1, 0, 1, 0]


# Whether a set of pairs (expected, call) respects an order, from the words of its definition.
ALLOWED: dict[Order, Callable[[list[tuple[int, int]], list[int]], bool]] = {
    "exact": lambda pairs, _: all(row == column for row, column in pairs),
    "in_order": lambda pairs, _: all(
        (a < c) == (b < d) for (a, b), (c, d) in product(pairs, pairs)
    ),
    "any_order": lambda _pairs, _group: True,
    "partial_order": lambda pairs, group: all(
        b < d for (a, b), (c, d) in product(pairs, pairs) if group[a] < group[c]
    ),
}


def right_share(wanted: dict[str, int], sent: dict[str, int]) -> Fraction:
    right = sum(sent.get(name) == wanted[name] for name in wanted)
    return Fraction(right, len(wanted)) if wanted else Fraction(1)


def best_credit(weights: list[list[Fraction]], group: list[int], order: Order) -> Fraction:
    rows, columns = range(len(weights)), range(len(weights[0]) if weights else 0)
    best = Fraction(0)
    for size in range(1, min(len(rows), len(columns)) + 1):
        for chosen in combinations(rows, size):
            for sequence in permutations(columns, size):
                pairs = list(zip(chosen, sequence, strict=True))
                if ALLOWED[order](pairs, group):
                    best = max(best, sum((weights[r][c] for r, c in pairs), Fraction(0)))
    return best


@settings(deadline=None)
@given(calls, calls, st.lists(st.booleans(), min_size=4, max_size=4), st.sampled_from(ORDERS))
def test_no_assignment_is_better(
    expected: list[tuple[str, dict[str, int]]],
    called: list[tuple[str, dict[str, int]]],
    joined: list[bool],
    order: Order,
) -> None:
    group: list[int] = []
    for i in range(len(expected)):
        group.append(group[-1] + (not joined[i]) if group else 0)
    reference = tuple(
        tuple(ExpectedCall(*call) for call, g in zip(expected, group, strict=True) if g == number)
        for number in dict.fromkeys(group)
    )
    weights = [
        [right_share(wanted, sent) if name == tool else Fraction(0) for name, sent in called]
        for tool, wanted in expected
    ]
    found = match_trajectory(reference, made(*called), order=order)
    assert found.credit == best_credit(weights, group, order)
    assert all(called[pair.call][0] == expected[pair.expected][0] for pair in found.pairs)
    places = [(pair.expected, pair.call) for pair in found.pairs]
    assert ALLOWED[order](places, group)
    assert len({e for e, _ in places}) == len({c for _, c in places}) == len(places)


@settings(deadline=None)
@given(calls, calls, st.sampled_from(ORDERS), st.sampled_from(["count", "ignore"]))
def test_always_between_0_and_1_and_full_only_for_a_full_match(
    expected: list[tuple[str, dict[str, int]]],
    called: list[tuple[str, dict[str, int]]],
    order: Order,
    extra_calls: Any,
) -> None:
    reference = tuple((ExpectedCall(*call),) for call in expected)
    found = match_trajectory(reference, made(*called), order=order, rules=ArgumentRules("all"))
    scored = found.value(extra_calls)
    assert scored is None or 0 <= scored <= 1
    if order == "exact" and extra_calls == "count":
        assert (scored == 1) == (expected == called)
    itself = match_trajectory(reference, made(*expected), order=order, rules=ArgumentRules("all"))
    assert itself.value() == 1


@settings(deadline=None)
@given(calls, calls)
def test_the_freer_the_order_the_higher_the_score(
    expected: list[tuple[str, dict[str, int]]], called: list[tuple[str, dict[str, int]]]
) -> None:
    reference = tuple((ExpectedCall(*call),) for call in expected)
    earned = [
        match_trajectory(reference, made(*called), order=order).credit
        for order in ("exact", "in_order", "any_order")
    ]
    assert earned == sorted(earned)
    apart = match_trajectory(reference, made(*called), order="partial_order").credit
    assert apart == earned[1]  # groups of one are an order


def test_any_order_against_scipy() -> None:
    numpy = pytest.importorskip("numpy")
    reference = pytest.importorskip("scipy.optimize").linear_sum_assignment
    chance = numpy.random.default_rng(7)
    for rows, columns in ((1, 9), (9, 1), (12, 12), (20, 35), (35, 20)):
        weights = chance.integers(0, 50, (rows, columns)) * chance.integers(0, 2, (rows, columns))
        pairs = ALIGNMENTS["any_order"](weights.tolist(), ())
        assert sum(int(weights[pair]) for pair in pairs) == int(
            weights[reference(weights, maximize=True)].sum()
        )


def test_real_runs_of_tau_bench_match_better_where_they_were_rewarded(
    shared: Callable[..., Path],
) -> None:
    path = shared("data", "tau-bench", "historical_trajectories", "gpt-4o-airline.json")
    metric = TrajectoryMatch(order="any_order", extra_calls="ignore")
    found: dict[float, list[float]] = {0.0: [], 1.0: []}
    for run in json.loads(path.read_bytes()):
        actions = run["info"]["task"]["actions"]
        expected = [{"name": action["name"], "args": action["kwargs"]} for action in actions]
        issued = [call["function"] for m in run["traj"] for call in m.get("tool_calls") or []]
        sent = made(*((call["name"], json.loads(call["arguments"])) for call in issued))
        score = evaluated(metric, expected, sent)
        if score.value is None:
            assert expected == []
        else:
            found[run["reward"]].append(score.value)
    means = {reward: sum(values) / len(values) for reward, values in found.items()}
    assert all(0 <= value <= 1 for values in found.values() for value in values)
    assert means[1.0] > means[0.0] + 0.1


def test_arguments_that_were_not_recorded_are_not_wrong() -> None:
    hidden = made("a", "b")
    hidden[0].extra["arguments_recorded"] = False
    found = evaluated(TrajectoryMatch(), [{"name": "a", "arguments": {"x": 1}}, "b"], hidden)
    assert (found.value, found.reason[:28]) == (None, "arguments were not recorded;")
    # Where nothing of them is to be compared, nothing is missing.
    assert value(["a", "b"], hidden) == 1
    names = ArgumentRules(compare="name")
    assert value([{"name": "a", "arguments": {"x": 1}}, "b"], hidden, arguments=names) == 1
    assert value(["a", {"name": "b", "arguments": {}}], hidden) == 1
