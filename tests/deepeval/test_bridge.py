"""The bridge's case: deepeval's and ours at once, and nothing lost between the two."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from dataclasses import fields, replace
from typing import Any

import pytest

pytest.importorskip("deepeval")

from deepeval.test_case import LLMTestCase, ToolCall
from tests.deepeval.runs import CLOTHES, TOOLS, TWO_CALLS, UNKNOWN, WEATHER, seed_fields

import assay
from assay.deepeval import AgentTestCase, upgrade
from assay.run import RunOutcome, Source, Usage

NAMES = [field.name for field in fields(assay.AgentTestCase)]
OUR_OWN_FIELDS = {
    "run_id": "run",
    "task_id": "task",
    "attempt": 2,
    "model": "m",
    "framework": "f",
    "outcome": RunOutcome(success=True, decided_by="me"),
    "usage": Usage(input_tokens=1, cost_usd=0.5),
    "started_at": 1.0,
    "ended_at": 2.5,
    "source": Source("file.json", "assay", 3),
    "expected_effects": assay.Expectations(answer=["42"]),
    "extra": {"colour": "red"},
}
ONLY_IN_DEEPEVAL = {"name": "first", "tags": ["a", "b"], "token_cost": 0.25, "completion_time": 2.0}


def full_case(**others: Any) -> AgentTestCase:
    return AgentTestCase(**seed_fields(**OUR_OWN_FIELDS, **others))


def called(*tools_called: Any, **others: Any) -> list[ToolCall]:
    case = AgentTestCase("q", "a", tools_called=list(tools_called), **others)
    assert case.tools_called is not None
    return case.tools_called


def test_a_case_is_of_both_families() -> None:
    case = AgentTestCase("q", "a")
    assert isinstance(case, LLMTestCase)
    assert isinstance(case, assay.AgentTestCase)
    assert isinstance(case, assay.LLMTestCase)
    assert case.__class__ is AgentTestCase


def test_it_takes_all_native_fields_in_the_native_order() -> None:
    values = [*seed_fields().values(), *OUR_OWN_FIELDS.values()]
    assert list(seed_fields()) + list(OUR_OWN_FIELDS) == NAMES
    assert list(inspect.signature(AgentTestCase).parameters)[: len(NAMES)] == NAMES
    by_position, by_name = AgentTestCase(*values), full_case()
    assert by_position == by_name
    given = dict(zip(NAMES, values, strict=True))
    changed = {name for name in NAMES if getattr(by_name, name) != given[name]}
    assert changed == {"tools_called", "expected_tools"}


def test_every_native_field_is_declared_so_that_pydantic_leaves_its_value_alone() -> None:
    declared = inspect.get_annotations(AgentTestCase)
    assert set(NAMES) <= set(declared)
    history: list[dict[str, Any]] = []
    assert AgentTestCase("q", "a", conversation_history=history).conversation_history is history


@pytest.mark.parametrize(
    ("values", "given", "problem"),
    [
        ((), {"input": "q"}, "missing a required argument: 'actual_output'"),
        (("q", "a"), {"expected_ouput": "x"}, "unexpected keyword argument 'expected_ouput'"),
        (("q", "a"), {"input": "q"}, "multiple values for argument 'input'"),
    ],
)
def test_wrong_arguments_are_told_and_not_swallowed(
    values: tuple[Any, ...], given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(TypeError, match=problem):
        AgentTestCase(*values, **given)


def test_defaults_are_the_native_ones() -> None:
    case, native = AgentTestCase("q", "a"), assay.AgentTestCase("q", "a")
    assert {n: getattr(case, n) for n in NAMES} == {n: getattr(native, n) for n in NAMES}
    assert AgentTestCase("q", "a").extra is not case.extra


def test_deepevals_own_fields_are_taken_by_name() -> None:
    case = AgentTestCase("q", "a", **ONLY_IN_DEEPEVAL)
    assert {name: getattr(case, name) for name in ONLY_IN_DEEPEVAL} == ONLY_IN_DEEPEVAL


@pytest.mark.parametrize("given", ["metadata", "additional_metadata"])
def test_metadata_has_both_names_and_no_warning(given: str) -> None:
    case = AgentTestCase("q", "a", **{given: {"k": 1}})
    assert case.metadata == case.additional_metadata == {"k": 1}
    setattr(case, given, {"k": 2})
    assert case.metadata == case.additional_metadata == {"k": 2}
    assert case.to_dict()["additional_metadata"] == {"k": 2}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("weather", ToolCall(name="weather")),
        ({"name": "weather"}, ToolCall(name="weather")),
        (
            {"name": "weather", "input_parameters": {}},
            ToolCall(name="weather", input_parameters={}),
        ),
        (
            {"name": "weather", "input_parameters": {"city": "Rome"}, "output": 1},
            ToolCall(name="weather", input_parameters={"city": "Rome"}, output=1),
        ),
        (
            {"tool": "weather", "arguments": '{"city": "Rome"}'},
            ToolCall(name="weather", input_parameters={"city": "Rome"}),
        ),
        (
            {"function": {"name": "weather", "arguments": {"city": "Rome"}}},
            ToolCall(name="weather", input_parameters={"city": "Rome"}),
        ),
        ({"name": "weather", "input_parameters": "Rome"}, ToolCall(name="weather")),
        (
            ToolCall(name="weather", input_parameters={"city": "Rome"}, output=1),
            ToolCall(name="weather", input_parameters={"city": "Rome"}, output=1),
        ),
        (
            ToolCall(name="weather", description="of a city", reasoning="asked for"),
            ToolCall(name="weather", description="of a city", reasoning="asked for"),
        ),
        (
            {"name": "weather", "description": "of a city", "reasoning": "asked for"},
            ToolCall(name="weather", description="of a city", reasoning="asked for"),
        ),
    ],
)
def test_tools_are_taken_in_every_form(item: Any, expected: ToolCall) -> None:
    case = AgentTestCase("q", "a", tools_called=[item], expected_tools=[item])
    assert repr(case.tools_called) == repr(case.expected_tools) == repr([expected])


FULL_WEATHER = ToolCall(name="weather", input_parameters={"city": "Oslo"}, output={"sky": "clear"})
FULL_CLOTHES = ToolCall(name="clothes", input_parameters={"sky": "clear"}, output="a shirt")


@pytest.mark.parametrize("form", [str, lambda name: {"name": name}, lambda n: ToolCall(name=n)])
def test_called_tools_are_completed_from_the_executions_in_order(form: Any) -> None:
    rome = replace(WEATHER, parameters={"city": "Rome"}, result="rain")
    data = assay.MCPExecutionData([WEATHER, CLOTHES, rome])
    full_rome = ToolCall(name="weather", input_parameters={"city": "Rome"}, output="rain")
    found = called(form("weather"), form("weather"), form("clothes"), execution_data=data)
    assert found == [FULL_WEATHER, full_rome, FULL_CLOTHES]


def test_a_tool_that_says_its_arguments_is_completed_by_the_execution_that_has_them() -> None:
    rome = replace(WEATHER, parameters={"city": "Rome"}, result="rain")
    given = {"name": "weather", "input_parameters": {"city": "Rome"}}
    (found,) = called(given, execution_data=assay.MCPExecutionData([WEATHER, rome]))
    assert found.output == "rain"


def test_what_a_tool_says_already_is_not_overwritten() -> None:
    given = ToolCall(name="weather", input_parameters={"city": "Oslo"}, output="mine")
    (found,) = called(given, execution_data=TWO_CALLS)
    assert found.output == "mine"


def test_completing_leaves_the_given_objects_alone() -> None:
    given = ToolCall(name="weather")
    called(given, execution_data=TWO_CALLS)
    assert given.input_parameters is None


def test_a_tool_without_an_execution_stays_as_it_is() -> None:
    assert called("umbrella", "weather", "weather", execution_data=TWO_CALLS) == [
        ToolCall(name="umbrella"),
        FULL_WEATHER,
        ToolCall(name="weather"),
    ]


def test_a_failed_call_came_back_with_its_error() -> None:
    (found,) = called("umbrella", execution_data=assay.MCPExecutionData([UNKNOWN]))
    assert (found.input_parameters, found.output) == ({}, "no such tool")


def test_arguments_that_are_no_object_have_no_place_in_a_tool_call() -> None:
    data = assay.MCPExecutionData([replace(WEATHER, parameters="Oslo")])
    (found,) = called("weather", execution_data=data)
    assert (found.input_parameters, found.output) == (None, {"sky": "clear"})


def test_where_no_tools_are_given_the_executions_are_the_tools_called() -> None:
    case = AgentTestCase("q", "a", execution_data=TWO_CALLS)
    assert case.tools_called == [FULL_WEATHER, FULL_CLOTHES]
    assert AgentTestCase("q", "a", execution_data=assay.MCPExecutionData([])).tools_called is None
    assert AgentTestCase("q", "a", tools_called=[], execution_data=TWO_CALLS).tools_called == []


def test_expected_tools_are_not_completed_from_what_happened() -> None:
    case = AgentTestCase("q", "a", expected_tools=["weather"], execution_data=TWO_CALLS)
    assert case.expected_tools == [ToolCall(name="weather")]


def test_a_case_goes_through_json_and_comes_back_equal() -> None:
    case = full_case(**ONLY_IN_DEEPEVAL)
    assert AgentTestCase.from_dict(json.loads(json.dumps(case.to_dict()))) == case
    assert AgentTestCase.from_json(case.to_json()) == case


def test_a_tool_call_goes_through_json_with_all_it_says() -> None:
    given = ToolCall(name="weather", description="d", reasoning="r", output=[1])
    case = AgentTestCase("q", "a", tools_called=[given], expected_tools=[given])
    back = AgentTestCase.from_dict(case.to_dict())
    assert repr(back.tools_called) == repr(back.expected_tools) == repr([given])


def test_the_native_case_reads_what_the_bridge_writes() -> None:
    native = assay.AgentTestCase.from_dict(full_case(**ONLY_IN_DEEPEVAL).to_dict())
    assert native.extra == {"colour": "red", "deepeval": ONLY_IN_DEEPEVAL}
    assert native.expected_tools == [{"name": "weather"}]
    assert native.to_deepeval() == full_case(**ONLY_IN_DEEPEVAL)


@pytest.mark.parametrize("theirs", [True, "3.5", {"version": "3.5"}, {}])
def test_what_others_keep_under_the_same_key_is_left_alone(theirs: Any) -> None:
    native = assay.AgentTestCase("q", "a", extra={"deepeval": theirs, "colour": "red"})
    assert native.to_deepeval().to_native().extra.get("deepeval", {}) == theirs
    if isinstance(theirs, dict):
        named = AgentTestCase("q", "a", extra={"deepeval": theirs}, name="first")
        assert named.to_native().extra == {"deepeval": {**theirs, "name": "first"}}
        assert AgentTestCase.from_dict(named.to_dict()) == named


def test_to_native_is_the_same_case() -> None:
    native = full_case().to_native()
    assert type(native) is assay.AgentTestCase
    given = assay.AgentTestCase(**seed_fields(**OUR_OWN_FIELDS))
    assert replace(native, tools_called=None, expected_tools=None) == replace(
        given, tools_called=None, expected_tools=None
    )
    assert native.tools_called == [
        {"name": "weather", "input_parameters": {"city": "Oslo"}, "output": {"sky": "clear"}},
        {"name": "clothes", "input_parameters": {"sky": "clear"}, "output": "a shirt"},
    ]


def test_what_json_cannot_hold_is_named() -> None:
    case = AgentTestCase("q", "a", tools_called=[ToolCall(name="weather", output={1, 2})])
    with pytest.raises(assay.AssayError, match=r"tools_called\[0\]\.output: a set is not JSON"):
        case.to_dict()
    assert len(case.validate()) == 1


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda case: pickle.loads(pickle.dumps(case)), replace]
)
def test_a_copy_is_equal_and_is_another(copied: Any) -> None:
    case = full_case(**ONLY_IN_DEEPEVAL)
    other = copied(case)
    if copied is replace:
        other.name, other.tags = case.name, case.tags
        other.token_cost, other.completion_time = case.token_cost, case.completion_time
    assert other == case
    assert other is not case
    other.agent_id = "another"
    assert (case.agent_id, other == case) == ("agent", False)


def test_a_deep_copy_shares_nothing() -> None:
    case = full_case()
    copy.deepcopy(case).calls.clear()
    assert len(case.calls) == 2


def test_equal_cases_are_equal_and_only_those() -> None:
    assert full_case() == full_case()
    assert full_case() != full_case(name="another")
    assert full_case() != full_case().to_native()
    assert full_case() != "case"


def test_the_methods_of_the_native_case_work() -> None:
    case, native = full_case(), assay.AgentTestCase(**seed_fields())
    assert case.get_tool_execution_stats() == native.get_tool_execution_stats()
    assert case.get_execution_summary() == native.get_execution_summary()
    assert case.calls == [WEATHER, CLOTHES]
    case.add_conversation_turn("assistant", "A shirt.")
    assert case.get_conversation_context().splitlines() == [
        "USER: What shall I wear in Oslo?",
        "ASSISTANT: A shirt.",
    ]
    assert case.validate() == []
    assert AgentTestCase("", None).validate() == [
        "Input cannot be empty",
        "Actual output cannot be empty",
    ]


def test_deepevals_case_becomes_ours_with_all_it_says() -> None:
    plain = LLMTestCase(
        input="q", actual_output="a", tools_called=[ToolCall(name="weather")], **ONLY_IN_DEEPEVAL
    )
    case = AgentTestCase.from_llm_test_case(plain, TWO_CALLS, agent_id="me", available_tools=TOOLS)
    assert case.tools_called == [FULL_WEATHER]
    assert {name: getattr(case, name) for name in ONLY_IN_DEEPEVAL} == ONLY_IN_DEEPEVAL
    assert (case.agent_id, case.calls) == ("me", [WEATHER, CLOTHES])
    assert assay.AgentTestCase.from_llm_test_case(plain).tools_called == [{"name": "weather"}]


def test_our_plain_case_becomes_one_of_the_bridge() -> None:
    plain = assay.LLMTestCase("q", "a", tools_called=["weather"], additional_metadata={"k": 1})
    case = AgentTestCase.from_llm_test_case(plain, TWO_CALLS)
    assert (case.tools_called, case.metadata) == ([FULL_WEATHER], {"k": 1})
    assert plain.to_deepeval() == AgentTestCase.from_llm_test_case(plain)


def test_a_native_case_becomes_one_of_the_bridge() -> None:
    native = assay.AgentTestCase(**seed_fields(**OUR_OWN_FIELDS))
    case = native.to_deepeval()
    assert type(case) is AgentTestCase
    assert case == full_case()
    assert upgrade(case) is case.to_deepeval() is case


def test_the_case_can_be_derived_from() -> None:
    class Named(AgentTestCase):
        """A case with a method of its own."""

        def shout(self) -> str:
            return self.input.upper()

    case = Named("q", "a", execution_data=TWO_CALLS)
    assert (case.shout(), case.tools_called) == ("Q", [FULL_WEATHER, FULL_CLOTHES])
    assert type(Named.from_dict(case.to_dict())) is Named
