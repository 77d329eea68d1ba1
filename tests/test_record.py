"""The record of a run: what goes in comes out, and what cannot is refused by name."""

from __future__ import annotations

import json
from dataclasses import fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.any_records import json_values, records

from assay import (
    AgentTestCase,
    LLMTestCase,
    MCPExecutionData,
    RunOutcome,
    Source,
    ToolExecutionResult,
    Usage,
)
from assay.errors import AssayError, InvalidRecord, NotJson, UnsupportedVersion
from assay.json_values import MAX_DEPTH, json_value
from assay.records import counted, preview
from assay.test_case import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path


@settings(deadline=None)
@given(records(AgentTestCase))
def test_a_case_comes_back_as_it_was(case: AgentTestCase) -> None:
    written = case.to_dict()
    assert AgentTestCase.from_dict(written) == case
    assert AgentTestCase.from_dict(written).to_dict() == written
    assert AgentTestCase.from_json(case.to_json()) == case
    assert json.loads(json.dumps(written)) == written


@settings(deadline=None)
@pytest.mark.parametrize("cls", [ToolExecutionResult, MCPExecutionData, RunOutcome, Usage, Source])
@given(data=st.data())
def test_a_part_comes_back_as_it_was(cls: Any, data: st.DataObject) -> None:
    record = data.draw(records(cls))
    written = record.to_dict()
    assert cls.from_dict(written) == record
    assert cls.from_dict(written).to_dict() == written


@settings(deadline=None)
@given(json_values)
def test_a_json_value_is_itself(value: object) -> None:
    assert json_value(value, "it") == value


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([f.name for f in fields(AgentTestCase)]), json_values))
def test_any_json_object_is_read_whole_or_refused(data: dict[str, Any]) -> None:
    try:
        case = AgentTestCase.from_dict(data)
    except InvalidRecord:
        return
    assert AgentTestCase.from_dict(case.to_dict()) == case
    assert {name for name, value in data.items() if value is not None} <= case.to_dict().keys()


def test_unknown_keys_stay_where_they_stood() -> None:
    written = {
        "input": "a",
        "colour": "red",
        "extra": {"kept": 1},
        "outcome": {"success": True, "grader": "ci"},
        "usage": {"input_tokens": 3, "audio_tokens": 4},
        "source": {"path": "x.json", "line": 5},
        "execution_data": {
            "tool_executions": [{"tool": "t", "parameters": {}, "retries": 2}],
            "planner": "p",
        },
    }
    again = AgentTestCase.from_dict(written).to_dict()
    assert again["colour"] == "red"
    assert again["extra"] == {"kept": 1}
    assert again["outcome"]["grader"] == "ci"
    assert again["usage"] == {"input_tokens": 3, "audio_tokens": 4}
    assert again["source"]["line"] == 5
    assert again["execution_data"]["planner"] == "p"
    assert again["execution_data"]["tool_executions"][0]["retries"] == 2


def test_the_seed_fields_are_always_written_and_the_others_when_set() -> None:
    call = ToolExecutionResult("t", {}, call_id="c1")
    case = AgentTestCase("a", "b", execution_data=MCPExecutionData([call]), attempt=2)
    written = case.to_dict()
    assert written["schema_version"] == SCHEMA_VERSION
    assert written["agent_id"] is None
    assert written["attempt"] == 2
    assert "run_id" not in written
    assert written["execution_data"]["tool_executions"] == [
        {
            "tool": "t",
            "parameters": {},
            "result": None,
            "success": False,
            "server": None,
            "execution_time": None,
            "error_message": None,
            "call_id": "c1",
        }
    ]


def test_a_saved_file_can_be_read_by_people_and_by_us(tmp_path: Path) -> None:
    case = AgentTestCase("北京", "晴", execution_data=MCPExecutionData([]))
    case.save(tmp_path / "case.json")
    text = (tmp_path / "case.json").read_text(encoding="utf-8")
    assert '\n  "input": "北京",\n' in text
    assert AgentTestCase.from_json(text) == case


def test_tuples_become_lists() -> None:
    case = AgentTestCase("a", "b", extra={"pair": (1, ("x",))})
    assert case.to_dict()["pair"] == [1, ["x"]]


def test_a_record_of_a_subclass_is_read_as_one() -> None:
    class Own(AgentTestCase):
        """A user's own case."""

    case = Own("a", "b", execution_data=MCPExecutionData([]), extra={"k": 1})
    found = Own.from_dict(case.to_dict())
    assert type(found) is Own
    assert found == case


def _deep() -> Any:
    found: Any = []
    for _ in range(MAX_DEPTH + 1):
        found = [found]
    return found


def _cyclic() -> Any:
    found: dict[str, Any] = {}
    found["me"] = found
    return found


def _odd_key() -> dict[Any, Any]:
    return {5: 1}


class _Frame:
    """Stands for a table of another library, which has a `to_dict` of its own."""

    def to_dict(self, orient: str) -> dict[str, str]:
        return {"orient": orient}


def _with_call(**known: Any) -> AgentTestCase:
    call = ToolExecutionResult(**{"tool": "t", "parameters": {}, **known})
    good = ToolExecutionResult("t", {})
    return AgentTestCase("a", "b", execution_data=MCPExecutionData([good, call]))


CALL = "execution_data.tool_executions[1]"
NOT_JSON = [
    (AgentTestCase("a", "b", context=["ok", "\ud800"]), "context[1]: text with a lone surrogate"),
    (AgentTestCase("a", "b", additional_metadata={"at": object()}), "additional_metadata.at: "),
    (AgentTestCase("a", "b", started_at=float("nan")), "started_at: nan is not a JSON number"),
    (AgentTestCase("a", "b", available_tools={"t"}), "available_tools: a set is not JSON"),
    (AgentTestCase("a", "b", usage=Usage(cost_usd=float("inf"))), "usage.cost_usd: inf is not"),
    (AgentTestCase("a", "b", outcome=RunOutcome(extra={"n": {1}})), "outcome.extra.n: a set is"),
    (AgentTestCase("a", "b", extra={"k": b"x"}), "extra.k: a bytes is not JSON"),
    (AgentTestCase("a", "b", extra=_odd_key()), "extra: the key 5 is a int; JSON keys are text"),
    (AgentTestCase("a", "b", extra={"\ud800": 1}), "extra: text with a lone surrogate"),
    (_with_call(parameters={"q": {"x": {1}}}), f"{CALL}.parameters.q.x: a set is not JSON"),
    (_with_call(result=[1, {2: 3}]), f"{CALL}.result[1]: the key 2 is a int; JSON keys are text"),
    (_with_call(result=_Frame()), f"{CALL}.result: a _Frame is not JSON"),
    (_with_call(result=[_Frame()]), f"{CALL}.result[0]: a _Frame is not JSON"),
    (_with_call(result=_deep()), f"nested more than {MAX_DEPTH} levels deep"),
    (_with_call(result=_cyclic()), f"nested more than {MAX_DEPTH} levels deep"),
    (_with_call(extra={"k": {1}}), f"{CALL}.extra.k: a set is not JSON"),
]


@pytest.mark.parametrize(("case", "message"), NOT_JSON)
def test_what_json_cannot_hold_is_refused_by_name(case: AgentTestCase, message: str) -> None:
    with pytest.raises(NotJson) as raised:
        case.to_dict()
    assert message in str(raised.value)
    assert str(raised.value) in case.validate()


WRONG = [
    ([], "expected a case as an object, got list []"),
    ({}, "missing required field input"),
    ({"input": 5}, "input: expected str, got int 5"),
    ({"input": None}, "input: expected str, got null"),
    ({"input": "a", "context": ["a", 5]}, "context[1]: expected str, got int 5"),
    ({"input": "a", "attempt": True}, "attempt: expected int | null, got bool True"),
    ({"input": "a", "attempt": 1.5}, "attempt: expected int | null, got float 1.5"),
    ({"input": "a", "usage": 5}, "usage: expected an object, got int 5"),
    ({"input": "a", "usage": {"input_tokens": "x"}}, "usage.input_tokens: expected int | null"),
    ({"input": "a", "outcome": {"success": "yes"}}, "outcome.success: expected bool | null"),
    ({"input": "a", "source": {"position": "2"}}, "source.position: expected int | null"),
    ({"input": "a", "execution_data": []}, "execution_data: expected an object, got list []"),
    ({"input": "a", "execution_data": {}}, "execution_data: missing required field tool_exec"),
    (
        {"input": "a", "execution_data": {"tool_executions": [], "total_rounds": "3"}},
        "execution_data.total_rounds: expected int, got str '3'",
    ),
    (
        {"input": "a", "execution_data": {"tool_executions": [{"tool": "t"}, 5]}},
        f"{CALL}: expected an object, got int 5",
    ),
    (
        {"input": "a", "execution_data": {"tool_executions": [{"tool": "t"}, {"tool": None}]}},
        f"{CALL}.tool: expected str, got null",
    ),
    (
        {"input": "a", "execution_data": {"tool_executions": [{"tool": "t"}, {"success": True}]}},
        f"{CALL}: missing required field tool",
    ),
    ({"input": "a", "schema_version": 0}, "schema_version: expected 1 or more, got int 0"),
    ({"input": "a", "schema_version": "1"}, "schema_version: expected 1 or more, got str '1'"),
    ({"input": "a", "schema_version": True}, "schema_version: expected 1 or more, got bool True"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_what_cannot_be_read_is_refused_by_name(data: Any, message: str) -> None:
    with pytest.raises(InvalidRecord) as raised:
        AgentTestCase.from_dict(data)
    assert message in str(raised.value)


def test_a_later_version_is_told_apart() -> None:
    with pytest.raises(UnsupportedVersion, match=r"2 was written by a later assay .* upgrade"):
        AgentTestCase.from_dict({"input": "a", "schema_version": 2})


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"input": NaN}', b"\xff"])
def test_what_is_no_json_document_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidRecord, match="not a JSON document"):
        AgentTestCase.from_json(text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        ("a", "str 'a'"),
        ("\x1b[31m", r"str '\x1b[31m'"),
        ([1, "b"], "list [1, 'b']"),
        ({"a": True}, "dict {'a': True}"),
    ],
)
def test_a_value_in_a_message_is_seen_and_harmless(value: object, shown: str) -> None:
    assert preview(value) == shown


@pytest.mark.parametrize("value", ["x" * 100_000, [1] * 100_000, {"a": "b" * 100_000}, 10**4000])
def test_a_value_in_a_message_is_short(value: object) -> None:
    assert len(preview(value)) < 80


LENIENT: list[tuple[object, ToolExecutionResult]] = [
    ("junk", ToolExecutionResult("", {})),
    (None, ToolExecutionResult("", {})),
    ({}, ToolExecutionResult("", {})),
    ({"tool": None}, ToolExecutionResult("", {})),
    ({"tool": "t", "parameters": None}, ToolExecutionResult("t", None)),
    ({"tool": "t", "success": "false"}, ToolExecutionResult("t", {}, success=True)),
    ({"tool": "t", "success": 0}, ToolExecutionResult("t", {})),
    ({"tool": "t", "server": "s"}, ToolExecutionResult("t", {}, server="s")),
    ({"tool": "t", "round_num": 3}, ToolExecutionResult("t", {})),
]


@pytest.mark.parametrize(("record", "call"), LENIENT)
def test_a_foreign_call_record_is_read_leniently(record: object, call: ToolExecutionResult) -> None:
    assert ToolExecutionResult.from_record(record) == call


def test_a_plain_case_takes_on_an_agents_data() -> None:
    plain = LLMTestCase("a", "b", "c", context=["d"], tools_called=["t"], comments="e")
    data = MCPExecutionData([])
    case = AgentTestCase.from_llm_test_case(plain, data, agent_id="me", available_tools=["t"])
    assert case == AgentTestCase(
        "a",
        "b",
        "c",
        context=["d"],
        tools_called=["t"],
        comments="e",
        execution_data=data,
        agent_id="me",
        available_tools=["t"],
    )


def test_tool_calls_of_other_libraries_become_plain_objects() -> None:
    called = SimpleNamespace(name="t", input_parameters={"q": 1}, output=None, reasoning="r")
    plain = SimpleNamespace(input="a", actual_output="b", tools_called=[called, "u", {"name": "v"}])
    case = AgentTestCase.from_llm_test_case(plain)
    assert case.tools_called == [{"name": "t", "input_parameters": {"q": 1}}, "u", {"name": "v"}]
    assert AgentTestCase.from_dict(case.to_dict()) == case


GOOD_CALL = ToolExecutionResult("t", {})
COMPLAINTS: list[tuple[dict[str, Any], str]] = [
    ({"input": ""}, "Input cannot be empty"),
    ({"actual_output": None}, "Actual output cannot be empty"),
    ({"execution_data": {}}, "execution_data must be an MCPExecutionData, got dict {}"),
    (
        {"execution_data": MCPExecutionData([], total_rounds=0)},
        "execution_data.total_rounds must be >= 1",
    ),
    (
        {"execution_data": MCPExecutionData([], planning_json_compliance=1.5)},
        "execution_data.planning_json_compliance must be between 0 and 1, got 1.5",
    ),
    (
        {"execution_data": MCPExecutionData([ToolExecutionResult("", {})])},
        "execution_data.tool_executions[0].tool cannot be empty",
    ),
    (
        {"execution_data": MCPExecutionData([ToolExecutionResult("t", ["q"])])},
        "execution_data.tool_executions[0].parameters must be an object, got list ['q']",
    ),
    (
        {"execution_data": MCPExecutionData([ToolExecutionResult("t", {}, execution_time=-1)])},
        "execution_data.tool_executions[0].execution_time cannot be negative, got -1",
    ),
    (
        {
            "execution_data": MCPExecutionData(
                [
                    ToolExecutionResult("t", {}, call_id="c"),
                    ToolExecutionResult("u", {}, call_id="c"),
                ]
            )
        },
        "Call id 'c' occurs 2 times",
    ),
    (
        {"available_tools": 5},
        "available_tools: expected a dict or a list of tool definitions, got int 5",
    ),
    (
        {"conversation_history": [{"role": "user"}]},
        "conversation_history[0] needs a role and a content, got dict {'role': 'user'}",
    ),
]


@pytest.mark.parametrize(("known", "complaint"), COMPLAINTS)
def test_validation_says_what_is_wrong(known: dict[str, Any], complaint: str) -> None:
    case = AgentTestCase("a", "b")
    assert case.validate() == []
    for name, value in known.items():
        setattr(case, name, value)
    assert case.validate() == [complaint]


@pytest.mark.parametrize("success", ["false", 1, None])
def test_validation_knows_a_success_that_is_none(success: Any) -> None:
    case = _with_call(success=success)
    assert case.validate() == [f"{CALL}.success must be true or false, got {preview(success)}"]


def _unsound(name: str, value: Any) -> AgentTestCase:
    """A case with a value of the wrong type, which nothing keeps a program from setting."""
    holder: Any
    case = holder = _with_call()
    assert case.execution_data is not None
    for step in name.split(".")[:-1]:
        holder = {"data": case.execution_data, "call": case.calls[1]}[step]
    setattr(holder, name.rpartition(".")[2], value)
    return case


WRONG_TYPES: list[tuple[str, Any, str]] = [
    ("input", 5, "input: expected str, got int 5"),
    ("context", "x", "context: expected array | null, got str 'x'"),
    ("attempt", "1", "attempt: expected int | null, got str '1'"),
    ("outcome", True, "outcome: expected an object, got bool True"),
    ("extra", None, "extra: expected a dict, got null"),
    ("conversation_history", 5, "conversation_history: expected array | null, got int 5"),
    ("data.tool_executions", None, "execution_data.tool_executions must be a list, got null"),
    ("data.total_rounds", "3", "execution_data.total_rounds: expected int, got str '3'"),
    (
        "data.planning_json_compliance",
        "x",
        "execution_data.planning_json_compliance must be between 0 and 1, got 'x'",
    ),
    ("call.tool", 5, f"{CALL}.tool: expected str, got int 5"),
    ("call.tool", ["t"], f"{CALL}.tool: expected str, got list ['t']"),
    ("call.execution_time", "x", f"{CALL}.execution_time: expected float | null, got str 'x'"),
    ("call.call_id", ["c"], f"{CALL}.call_id: expected str | null, got list ['c']"),
    ("call.parent_id", 5, f"{CALL}.parent_id: expected str | null, got int 5"),
    ("call.extra", None, f"{CALL}.extra: expected a dict, got null"),
]


@pytest.mark.parametrize(("name", "value", "complaint"), WRONG_TYPES)
def test_validation_names_a_value_of_the_wrong_type(name: str, value: Any, complaint: str) -> None:
    case = _unsound(name, value)
    case.available_tools = ["t"]
    assert case.validate() == [complaint]


def test_validation_names_an_entry_that_is_no_call() -> None:
    not_a_call: Any = {"tool": "t"}
    case = AgentTestCase("a", "b", execution_data=MCPExecutionData([GOOD_CALL, not_a_call]))
    expected = f"{CALL} must be a ToolExecutionResult, got dict {{'tool': 't'}}"
    assert case.validate() == [expected]


def test_all_our_errors_are_of_one_family() -> None:
    assert issubclass(InvalidRecord, AssayError)
    assert issubclass(UnsupportedVersion, InvalidRecord)
    assert issubclass(NotJson, AssayError)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"actual_ouput": "a"}, "actual_ouput is not a field; did you mean 'actual_output'?"),
        ({"tool_executions": []}, "tool_executions is not a field; did you mean 'execution_data'?"),
        ({"available_tool": {}}, "available_tool is not a field; did you mean 'available_tools'?"),
        ({"my_own_key": 1}, None),
    ],
)
def test_a_key_that_looks_like_a_field_is_doubtful(
    written: dict[str, Any], complaint: str | None
) -> None:
    case = AgentTestCase.from_dict({"input": "q", "actual_output": "a"} | written)
    assert case.validate() == ([] if complaint is None else [complaint])


def test_a_call_that_never_said_how_it_went_counts_as_failed_and_is_doubtful() -> None:
    call = {"tool": "t", "arguments": {"a": 1}, "result": "ok"}
    data = {"tool_executions": [call]}
    case = AgentTestCase.from_dict({"input": "q", "actual_output": "a", "execution_data": data})
    assert case.calls[0].success is False
    assert case.validate() == [
        "execution_data.tool_executions[0].success is not recorded; the call counts as failed",
        "execution_data.tool_executions[0].arguments is not a field; did you mean 'parameters'?",
    ]


def test_a_field_smuggled_in_as_an_extra_is_refused() -> None:
    case = AgentTestCase("q", "a", extra={"model": "m"})
    with pytest.raises(NotJson, match="extra: 'model' is a field of its own; set it there"):
        case.to_dict()


@pytest.mark.parametrize(
    ("number", "words", "told"),
    [
        (0, ("run",), "0 runs"),
        (1, ("run",), "1 run"),
        (1_234, ("more run",), "1,234 more runs"),
        (1, ("batch", "batches"), "1 batch"),
        (2, ("batch", "batches"), "2 batches"),
    ],
)
def test_what_is_counted_is_named(number: int, words: tuple[str, ...], told: str) -> None:
    assert counted(number, *words) == told
