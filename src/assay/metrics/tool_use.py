"""Measured tool use: five rates and the server metrics, as pure functions.

Each rate takes the checked calls of a run (`check_calls`) and is None when there is nothing to
count. `measure_tool_use` puts them together as mcp-bench and the seed do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.metrics.agent_case import as_agent_case
from assay.records import cut, preview
from assay.schema import Fit, explain_misfit, explain_misfits, schema_fit
from assay.score import Evidence, Score, mean, share
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

    Tools = Mapping[str, ToolDefinition] | None

NoCalls = Literal["not_applicable", "zero"]
NoKnownTool = Literal["conform", "not_applicable"]


class CheckedCall(Struct, frozen=True, gc=False):
    """A call held against the tools on offer; None where there is nothing to hold it against."""

    known: bool | None
    fit: Fit | None
    success: bool


def check_calls(
    calls: Iterable[ToolExecutionResult], tools: Tools, *, inferred: bool = False
) -> list[CheckedCall]:
    """Look each call up by its exact name and hold its arguments against the tool's schema.

    A call inferred from a text that states no arguments was still made with some, and so was one
    recorded without its content: nothing can be said of their fit.
    """
    if tools is None:
        return [CheckedCall(None, None, bool(call.success)) for call in calls]
    checked = []
    for call in calls:
        tool = _tool_of(call, tools)
        known = tool is not None
        unstated = not call.arguments_recorded or (inferred and call.parameters == {})
        fit = schema_fit(tool.input_schema, call.parameters) if tool and not unstated else None
        checked.append(CheckedCall(known, fit, bool(call.success)))
    return checked


def _tool_of(
    call: ToolExecutionResult, tools: Mapping[str, ToolDefinition]
) -> ToolDefinition | None:
    tool = tools.get(call.tool)
    return None if tool is None else tool.on(call.server)


def input_schema_compliance(calls: Sequence[CheckedCall]) -> float | None:
    """Share of the calls to known tools whose arguments fit; higher is better."""
    return share([call.fit == "fits" for call in calls if call.fit is not None])


def valid_tool_name_rate(calls: Sequence[CheckedCall]) -> float | None:
    """Share of the calls that name a tool on offer; higher is better."""
    return share([call.known for call in calls if call.known is not None])


def execution_success_rate(calls: Sequence[CheckedCall]) -> float | None:
    """Share of all calls that succeeded; higher is better."""
    return share([call.success for call in calls])


def valid_call_failure_rate(calls: Sequence[CheckedCall]) -> float | None:
    """Share of the calls to known tools that failed; lower is better."""
    return share([not call.success for call in calls if call.known])


def planning_json_compliance(rounds: Iterable[object]) -> float | None:
    """Share of the planned entries that name a tool, over all planning rounds.

    A round is the planner's parsed reply or its list of planned tools. Entries that are no
    objects do not count. None when nothing was planned: the record's default, 1.0, then stands.
    """
    return share(
        bool(entry.get("tool"))
        for planned in rounds
        for entry in _entries(planned)
        if isinstance(entry, Mapping)
    )


def _entries(planned: object) -> list[Any]:
    if isinstance(planned, Mapping):
        planned = planned.get("planned_tools")
    return planned if isinstance(planned, list) else []


RATES: dict[str, Callable[[Sequence[CheckedCall]], float | None]] = {
    "input_schema_compliance": input_schema_compliance,
    "valid_tool_name_rate": valid_tool_name_rate,
    "execution_success_rate": execution_success_rate,
    "valid_call_failure_rate": valid_call_failure_rate,
}
LOWER_IS_BETTER = frozenset({"valid_call_failure_rate"})
_LONGEST_FINDING = 500
_OVER_KNOWN_TOOLS = frozenset({"input_schema_compliance", "valid_call_failure_rate"})


class ServerUse(Struct, frozen=True):
    """Which servers a run used; calls that name no server are left out."""

    distribution: dict[str, int]

    @property
    def count(self) -> int:
        """How many servers were used."""
        return len(self.distribution)

    @property
    def crossed(self) -> bool:
        """Whether the run used more than one server."""
        return self.count > 1


def server_use(calls: Iterable[ToolExecutionResult]) -> ServerUse:
    """Count the calls by server."""
    found: dict[str, int] = {}
    for call in calls:
        if call.server:
            found[call.server] = found.get(call.server, 0) + 1
    return ServerUse(found)


def measure_tool_use(
    case: AgentTestCase,
    tools: Tools,
    *,
    inferred: bool = False,
    no_calls: NoCalls = "not_applicable",
    no_known_tool: NoKnownTool = "conform",
) -> Score:
    """The measured part of a case: the mean of the rates that apply, failure turned round.

    With calls but none to a known tool, mcp-bench says 0 for schema compliance and for valid
    call failures (`conform`); `not_applicable` leaves the two out. Without calls only planning
    applies, unless `no_calls` is "zero": then each of the four rates over calls is at its worst.
    """
    checked = check_calls(case.calls, tools, inferred=inferred)
    rates = {name: rate(checked) for name, rate in RATES.items()}
    if not checked and no_calls == "zero":
        rates |= {name: 1.0 if name in LOWER_IS_BETTER else 0.0 for name in rates}
    elif rates["valid_tool_name_rate"] == 0 and no_known_tool == "conform":
        rates |= dict.fromkeys(_OVER_KNOWN_TOOLS, 0.0)
    planning = case.execution_data.planning_json_compliance if case.execution_data else None
    terms = [1 - v if k in LOWER_IS_BETTER and v is not None else v for k, v in rates.items()]
    why = _why_missing(checked, tools, inferred=inferred)
    return Score(
        "tool_use",
        mean([*terms, planning]),
        why,
        (
            *[Score(k, v, why if v is None else "") for k, v in rates.items()],
            Score("planning_json_compliance", planning),
        ),
        tuple(_findings(case, tools, checked)),
    )


class ToolUseMetric:
    """How tools were used, measured alone: the mean of five rates, no judge."""

    name = "tool_use"

    def __init__(self, available_tools: Any = None) -> None:
        """Take the tools on offer; None looks for them in each case."""
        self.available_tools = available_tools
        self._tools = read_tools(available_tools)

    async def evaluate(self, case: AgentTestCase) -> Score:
        """The measured rates of one case; None when nothing applies. Higher is better."""
        known, inferred = as_agent_case(case)
        tools = read_tools(case.available_tools) if self._tools is None else self._tools
        return measure_tool_use(known, tools, inferred=inferred)


def _why_missing(checked: Sequence[CheckedCall], tools: Tools, *, inferred: bool) -> str:
    if not checked:
        return "the agent made no calls"
    if tools is None:
        return "the tools on offer are not known"
    if not any(call.known for call in checked):
        return "no call named a tool on offer"
    if all(call.fit is None for call in checked):
        return "the text states no arguments" if inferred else "the arguments were not recorded"
    return ""


def _findings(
    case: AgentTestCase, tools: Tools, checked: Sequence[CheckedCall]
) -> Iterable[Evidence]:
    for i, (call, check) in enumerate(zip(case.calls, checked, strict=True)):
        if tools is not None and check.fit != "fits":
            yield from _misuse(call, check, _tool_of(call, tools), i)
        if not check.success:
            yield _finding(f"{call.tool} failed: {_words_of(call)}", "failed_call", i)


def _words_of(call: ToolExecutionResult) -> str:
    """What is known of a failure: its message, else what came back."""
    if call.error_message:
        return call.error_message
    if call.result in (None, "", [], {}):
        return "no message"
    return call.result if isinstance(call.result, str) else preview(call.result)


def _misuse(
    call: ToolExecutionResult, check: CheckedCall, tool: ToolDefinition | None, position: int
) -> Iterable[Evidence]:
    if tool is None:
        yield _finding(f"{call.tool!r} is not on offer", "unknown_tool", position)
    elif check.fit == "violates":
        problem = explain_misfits(tool.input_schema, call.parameters)
        text = f"the arguments of {call.tool} do not fit its schema: {problem}"
        yield _finding(text, "schema_violation", position)
    elif check.fit == "broken_schema":
        problem = explain_misfit(tool.input_schema, call.parameters)
        text = f"the arguments of {call.tool} cannot be checked: {problem}"
        yield _finding(text, "broken_server_schema", position)


def _finding(text: str, kind: str, position: int) -> Evidence:
    """A finding cut short: servers and models write what they like, at any length."""
    return Evidence(cut(text, _LONGEST_FINDING), kind, position)


def server_schema_faults(measured: Score) -> int:
    """How many calls could not be checked because the server's schema is broken."""
    return sum(1 for found in measured.evidence if found.kind == "broken_server_schema")
