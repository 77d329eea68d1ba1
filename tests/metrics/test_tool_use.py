"""The measured rates: one family, none of them zero where there is nothing to count."""

from __future__ import annotations

import asyncio
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.weather_tools import GOOD
from tests.metrics.weather_tools import TOOLS as WEATHER_TOOLS

from assay import (
    AgentTestCase,
    MCPExecutionData,
    MCPToolMetric,
    Score,
    ToolExecutionResult,
    ToolUseMetric,
)
from assay.errors import InvalidRecord
from assay.metrics.tool_use import (
    LOWER_IS_BETTER,
    RATES,
    CheckedCall,
    check_calls,
    measure_tool_use,
    planning_json_compliance,
    server_schema_faults,
    server_use,
)
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Rate = Callable[[Sequence[CheckedCall]], float | None]

TOOLS = WEATHER_TOOLS | {"free": {}}
WRONG_ARGUMENTS = ToolExecutionResult("weather", {}, success=True, server="met")
FAILED = ToolExecutionResult("free", {"x": 1}, error_message="timed out", server="free")
UNKNOWN = ToolExecutionResult("wether", {"city": "Oslo"})
SERVERS_FAULT = ToolExecutionResult("broken", {}, success=True)
CALLS = [GOOD, WRONG_ARGUMENTS, FAILED, UNKNOWN]

# Worked out by hand over CALLS: three name a tool on offer, two of them fit, one of them failed.
BY_HAND = {
    "input_schema_compliance": 2 / 3,
    "valid_tool_name_rate": 3 / 4,
    "execution_success_rate": 2 / 4,
    "valid_call_failure_rate": 1 / 3,
}
KNOWN, UNKNOWN_TOOL = st.sampled_from([True]), st.sampled_from([False])
fits = st.sampled_from(["fits", "violates", "broken_schema", None])
checked_calls = st.builds(CheckedCall, KNOWN, fits, st.booleans()) | st.builds(
    CheckedCall, UNKNOWN_TOOL, st.none(), st.booleans()
)


def checked(calls: list[ToolExecutionResult]) -> list[CheckedCall]:
    return check_calls(calls, read_tools(TOOLS))


def case_of(calls: list[ToolExecutionResult], planning: float | None = 1.0) -> AgentTestCase:
    data = MCPExecutionData(calls, planning_json_compliance=planning)
    return AgentTestCase("a", "b", execution_data=data)


def measured(calls: list[ToolExecutionResult], tools: Any = TOOLS, **options: Any) -> Score:
    planning = options.pop("planning", 1.0)
    return measure_tool_use(case_of(calls, planning), read_tools(tools), **options)


def test_the_table_has_every_rate_once() -> None:
    assert RATES.keys() == BY_HAND.keys()
    assert {"valid_call_failure_rate"} == LOWER_IS_BETTER


@pytest.mark.parametrize("name", RATES)
def test_every_rate(name: str) -> None:
    rate = RATES[name]
    assert rate([]) is None
    assert rate(checked(CALLS)) == pytest.approx(BY_HAND[name])
    assert all(rate(checked(list(order))) == rate(checked(CALLS)) for order in permutations(CALLS))
    assert rate(checked([*CALLS, *CALLS])) == pytest.approx(BY_HAND[name])


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
@given(calls=st.lists(checked_calls, min_size=1), order=st.randoms())
def test_every_rate_is_a_share(rate: Rate, calls: list[CheckedCall], order: Any) -> None:
    shuffled = list(calls)
    order.shuffle(shuffled)
    found = rate(calls)
    assert found is None or 0 <= found <= 1
    assert rate(shuffled) == found
    assert rate([*calls, *calls]) == found


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_without_tools_only_success_can_be_said(rate: Rate) -> None:
    found = rate(check_calls(CALLS, None))
    assert found == (0.5 if rate is RATES["execution_success_rate"] else None)


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([], None),
        ([[]], None),
        ([{"planned_tools": []}, "stop", None, 5], None),
        ([[{"tool": "a"}]], 1.0),
        ([{"planned_tools": [{"tool": "a"}, {"tool": ""}]}, [{"tool": "b"}, {}]], 0.5),
        ([[{"tool": "a"}, {"tool": "b"}, {"no": 1}, "text"]], 2 / 3),
        ([{"planned_tools": {"tool": "a"}}], None),
        ([{"tools": [{"tool": "a"}]}], None),
    ],
)
def test_planning(rounds: list[object], expected: float | None) -> None:
    assert planning_json_compliance(rounds) == expected


def test_servers_are_counted_where_they_are_named() -> None:
    used = server_use([*CALLS, ToolExecutionResult("free", {}, server="")])
    assert used.distribution == {"met": 2, "free": 1}
    assert (used.count, used.crossed) == (2, True)
    assert (server_use([GOOD]).count, server_use([GOOD]).crossed) == (1, False)
    assert (server_use([]).count, server_use([]).crossed) == (0, False)


def test_the_measured_part_is_the_mean_of_five_terms() -> None:
    found = measured(CALLS, planning=0.5)
    assert found.name == "tool_use"
    assert found.value == pytest.approx((2 / 3 + 3 / 4 + 1 / 2 + (1 - 1 / 3) + 0.5) / 5)
    assert {part.name: part.value for part in found.parts} == pytest.approx(
        {**BY_HAND, "planning_json_compliance": 0.5}
    )
    assert found.reason == ""


# calls, tools, planning, options: what comes out, and the reason
APPLIES: list[tuple[list[ToolExecutionResult], Any, float | None, dict[str, str], Any, str]] = [
    ([GOOD], TOOLS, None, {}, 1.0, ""),
    ([], TOOLS, 0.5, {}, 0.5, "the agent made no calls"),
    ([], TOOLS, None, {}, None, "the agent made no calls"),
    ([], None, None, {}, None, "the agent made no calls"),
    ([], TOOLS, 0.5, {"no_calls": "zero"}, 0.1, "the agent made no calls"),
    ([], TOOLS, None, {"no_calls": "zero"}, 0.0, "the agent made no calls"),
    ([GOOD, FAILED], None, None, {}, 0.5, "the tools on offer are not known"),
    ([UNKNOWN], TOOLS, 1.0, {}, 0.4, "no call named a tool on offer"),
    ([UNKNOWN], {}, 1.0, {}, 0.4, "no call named a tool on offer"),
    (
        [UNKNOWN],
        TOOLS,
        1.0,
        {"no_known_tool": "not_applicable"},
        1 / 3,
        "no call named a tool on offer",
    ),
]


@pytest.mark.parametrize(("calls", "tools", "planning", "options", "value", "reason"), APPLIES)
def test_what_does_not_apply_stays_out(
    calls: list[ToolExecutionResult],
    tools: Any,
    planning: float | None,
    options: dict[str, str],
    value: float | None,
    reason: str,
) -> None:
    found = measured(calls, tools, planning=planning, **options)
    assert found.value == pytest.approx(value)
    assert found.reason == reason
    missing = [part for part in found.parts if part.value is None]
    assert all(part.reason == reason for part in missing if part.name in RATES)


UNSTATED = ToolExecutionResult("weather", {}, success=True)


def test_arguments_that_a_text_does_not_state_are_not_held_against_a_call() -> None:
    alone = measured([UNSTATED], planning=None, inferred=True)
    assert alone.values() == {
        "tool_use": 1.0,
        "input_schema_compliance": None,
        "valid_tool_name_rate": 1.0,
        "execution_success_rate": 1.0,
        "valid_call_failure_rate": 0.0,
        "planning_json_compliance": None,
    }
    assert alone.reason == "the text states no arguments"
    assert alone.evidence == ()
    beside = measured([UNSTATED, GOOD], inferred=True)
    assert beside.values()["input_schema_compliance"] == 1.0
    assert beside.reason == ""
    recorded = measured([UNSTATED])
    assert recorded.values()["input_schema_compliance"] == 0.0


def test_arguments_that_were_not_recorded_are_not_held_against_a_call() -> None:
    unrecorded = ToolExecutionResult("weather", {}, extra={"arguments_recorded": False})
    alone = measured([unrecorded])
    assert alone.values()["input_schema_compliance"] is None
    assert alone.values()["valid_tool_name_rate"] == 1.0
    assert alone.reason == "the arguments were not recorded"
    assert [found.kind for found in alone.evidence] == ["failed_call"]
    assert measured([unrecorded, GOOD]).values()["input_schema_compliance"] == 1.0


FINDINGS = [
    (GOOD, []),
    (
        WRONG_ARGUMENTS,
        [
            (
                "schema_violation",
                'the arguments of weather do not fit its schema: "city" is a required property',
            )
        ],
    ),
    (FAILED, [("failed_call", "free failed: timed out")]),
    (
        UNKNOWN,
        [
            ("unknown_tool", "'wether' is not on offer"),
            ("failed_call", "wether failed: no message"),
        ],
    ),
    (
        SERVERS_FAULT,
        [
            (
                "broken_server_schema",
                "the arguments of broken cannot be checked: the server's schema is broken: ",
            )
        ],
    ),
]


@pytest.mark.parametrize(("call", "findings"), FINDINGS)
def test_every_finding_names_its_call(
    call: ToolExecutionResult, findings: list[tuple[str, str]]
) -> None:
    found = measured([GOOD, call]).evidence
    assert [evidence.kind for evidence in found] == [kind for kind, _ in findings]
    assert all(
        evidence.text.startswith(text) for evidence, (_, text) in zip(found, findings, strict=True)
    )
    assert {evidence.call for evidence in found} <= {1}


def test_a_finding_is_short_however_long_its_cause() -> None:
    long = "x" * 100_000
    calls = [
        ToolExecutionResult("weather", {"city": [long]}, success=True),
        ToolExecutionResult("weather", {"city": "Oslo"}, error_message=long),
        ToolExecutionResult(long, {}, success=True),
    ]
    found = measured(calls).evidence
    assert len(found) == 3
    assert all(len(evidence.text) == 500 and evidence.text.endswith("x…") for evidence in found)


def test_a_broken_schema_is_counted_as_the_servers_fault() -> None:
    found = measured([SERVERS_FAULT, GOOD, SERVERS_FAULT])
    part = found.part("input_schema_compliance")
    assert part is not None
    assert part.value == pytest.approx(1 / 3)
    assert server_schema_faults(found) == 2
    assert server_schema_faults(measured(CALLS)) == 0


def test_without_tools_nothing_is_held_against_a_call() -> None:
    assert [found.kind for found in measured([GOOD, UNKNOWN], None).evidence] == ["failed_call"]


def test_the_metric_looks_for_tools_in_the_case_unless_it_has_its_own() -> None:
    case = case_of([GOOD])
    case.available_tools = {"other": {}}
    own = asyncio.run(ToolUseMetric(available_tools=TOOLS).evaluate(case))
    of_the_case = asyncio.run(ToolUseMetric().evaluate(case))
    assert own.value == 1.0
    assert of_the_case.value == pytest.approx((0 + 0 + 1 + 1 + 1) / 5)


def test_the_metric_says_none_of_a_case_without_a_record() -> None:
    found = asyncio.run(ToolUseMetric().evaluate(AgentTestCase("a", "b")))
    assert found.value is None
    assert found.reason == "the agent made no calls"


def test_the_metric_counts_calls_that_only_a_text_speaks_of() -> None:
    case = AgentTestCase("a", '[tool: weather] {"city": 5} failed', available_tools=TOOLS)
    found = asyncio.run(ToolUseMetric().evaluate(case))
    # schema 0, name 1, success 0, failure 1
    assert found.value == pytest.approx((0 + 1 + 0 + (1 - 1)) / 4)


CALLS_WANTED = "execution_data.tool_executions"
PLANNING_WANTED = "execution_data.planning_json_compliance must be between 0 and 1, got"
UNMEASURABLE: list[tuple[Any, str]] = [
    ({"tool_executions": []}, "execution_data must be an MCPExecutionData, got dict"),
    ([GOOD], "execution_data must be an MCPExecutionData, got list"),
    (MCPExecutionData(None), f"{CALLS_WANTED} must be a list, got null"),  # type: ignore[arg-type]
    (
        MCPExecutionData([GOOD, {"tool": "t"}]),  # type: ignore[list-item]
        f"{CALLS_WANTED}[1] must be a ToolExecutionResult, got dict {{'tool': 't'}}",
    ),
    (MCPExecutionData([GOOD], planning_json_compliance=5), f"{PLANNING_WANTED} 5"),
    (MCPExecutionData([GOOD], planning_json_compliance=-0.5), f"{PLANNING_WANTED} -0.5"),
    (MCPExecutionData([GOOD], planning_json_compliance=float("nan")), f"{PLANNING_WANTED} nan"),
    (
        MCPExecutionData([GOOD], planning_json_compliance="1"),  # type: ignore[arg-type]
        f"{PLANNING_WANTED} '1'",
    ),
]


@pytest.mark.parametrize(("data", "problem"), UNMEASURABLE)
@pytest.mark.parametrize("metric", [ToolUseMetric(), MCPToolMetric()], ids=lambda m: m.name)
def test_what_cannot_be_counted_is_refused_by_name(metric: Any, data: Any, problem: str) -> None:
    case = AgentTestCase("a", "b", execution_data=data)
    with pytest.raises(InvalidRecord) as raised:
        asyncio.run(metric.evaluate(case))
    assert str(raised.value).startswith(problem)
