"""A case as text: written fast, and read back as far as the tables need it.

The text is the record as `AgentTestCase.to_dict` writes it, without the place it was read from.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.run import RunOutcome, Source, Usage
from assay.test_case import SCHEMA_VERSION, AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable

_NULL = Raw(b"null")
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class CallFacts(Struct, gc=False):
    """One call as its text tells it; free-form values stay text."""

    tool: str
    parameters: Raw
    result: Raw = _NULL
    success: bool = False
    server: str | None = None
    execution_time: float | None = None
    error_message: str | None = None
    call_id: str | None = None
    turn: int | None = None
    started_at: float | None = None
    ended_at: float | None = None
    reported_success: bool | None = None
    success_rule: str | None = None
    parent_id: str | None = None
    dynamically_loaded: Any = None
    only_in_trace: Any = None


class ExecutionFacts(Struct, gc=False):
    """The calls of a run and what is known of its planning."""

    tool_executions: list[CallFacts]
    total_rounds: int = 1
    planning_json_compliance: float | None = None


class OutcomeFacts(Struct, gc=False):
    """How a run ended, and who says so."""

    success: bool | None = None
    score: float | None = None
    decided_by: str | None = None


class UsageFacts(Struct, gc=False):
    """Tokens and money."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


class CaseFacts(Struct, gc=False):
    """What the tables need of a case."""

    input: str
    actual_output: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    model: str | None = None
    framework: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    execution_data: ExecutionFacts | None = None
    outcome: OutcomeFacts | None = None
    usage: UsageFacts | None = None
    experiment: Any = None
    folder_model: Any = None

    @property
    def calls(self) -> list[CallFacts]:
        """The calls in order."""
        return self.execution_data.tool_executions if self.execution_data else []


# What `settle` says of a call; the rest of it was recorded.
_VERDICT = ("success", "success_rule")
_WORDED_VERDICT = (*_VERDICT, "error_message")
_facts_decoder = msgspec.json.Decoder(CaseFacts)


def case_text(case: AgentTestCase, *, trusted: bool = False) -> bytes:
    """The whole case as JSON; a value that JSON cannot hold is an error that names its field.

    With `trusted` the values are taken to be JSON already, as they are in a case that was just
    read from a file; that saves the proof.
    """
    try:
        if trusted:
            return _encode(_written_case(case, _sketched))
        written = _written_case(case, _written)
        text = _encode(written)
        if _decode(text) == written:
            return text
    except (_Unusual, AttributeError, TypeError, ValueError, RecursionError):
        pass
    plain = AgentTestCase.from_dict(case.to_dict())
    return _encode(_written_case(plain, _written))


def case_and_recorded_text(case: AgentTestCase, *, trusted: bool = False) -> tuple[bytes, bytes]:
    """The case as JSON, and the same without our verdicts: what makes a run the same run.

    A verdict is what `settle` gave: it has a rule. The words of a failure are part of it where
    there is a result to take them from.
    """
    if all(call.success_rule is None for call in case.calls):
        text = case_text(case, trusted=trusted)
        return text, text
    if not trusted:
        text = case_text(case)
        return text, _encode(_written_case(AgentTestCase.from_json(text), _unjudged))
    try:
        written = _written_case(case, _encoded)
        history = written["conversation_history"]
        written["conversation_history"] = _NULL if history is None else Raw(_encode(history))
        text = _encode(written)
    except (_Unusual, AttributeError, TypeError, ValueError, RecursionError):
        return case_and_recorded_text(case)
    for call, told in zip(case.calls, written["execution_data"]["tool_executions"], strict=True):
        _forget_verdict(call, told)
    return text, _encode(written)


def source_text(source: Source) -> bytes:
    """The place a case was read from, as JSON."""
    try:
        return _encode(_written(source))
    except (_Unusual, TypeError, ValueError, RecursionError):
        return _encode(source.to_dict())


def read_facts(text: bytes) -> CaseFacts:
    """The facts in a case's text; a field of a wrong type is an `InvalidRecord`."""
    try:
        return _facts_decoder.decode(text)
    except msgspec.ValidationError:
        AgentTestCase.from_json(text)  # says it better
        raise


class _Unusual(Exception):
    """A record that the short way does not know: a subclass, say."""


class _Form:
    """How records of one class are written: their fields, and which are left out if not set."""

    def __init__(self, empty: Any) -> None:
        self.names = tuple(field.name for field in fields(empty) if field.name != "extra")
        self.values_of = attrgetter(*self.names)
        always = frozenset(empty.to_dict())
        self.optional = tuple(name for name in self.names if name not in always)
        # Leaves out what is not set as it is encoded, which is faster than picking it out first.
        self.sketch = msgspec.defstruct(
            type(empty).__name__,
            [(name, Any) if name in always else (name, Any, None) for name in self.names],
            omit_defaults=True,
        )


_FORMS: dict[type, _Form] = {
    type(empty): _Form(empty)
    for empty in (
        AgentTestCase(input="", actual_output=None),
        MCPExecutionData([]),
        ToolExecutionResult("", {}),
        RunOutcome(),
        Usage(),
        Source(),
    )
}


def _written_case(case: AgentTestCase, write: Callable[[Any], Any]) -> dict[str, Any]:
    written = {"schema_version": SCHEMA_VERSION, **_written(case)}
    written.pop("source", None)
    if case.execution_data is not None:
        data = written["execution_data"] = _written(case.execution_data)
        data["tool_executions"] = [write(call) for call in case.execution_data.tool_executions]
    if case.outcome is not None:
        written["outcome"] = _written(case.outcome)
    if case.usage is not None:
        written["usage"] = _written(case.usage)
    if case.expected_effects is not None:
        written["expected_effects"] = case.expected_effects.to_dict()
    return written


def _sketched(record: Any) -> Any:
    form = _FORMS.get(type(record))
    if form is None or record.extra:
        return _written(record)
    return form.sketch(*form.values_of(record))


def _encoded(call: ToolExecutionResult) -> Any:
    """A call whose long values are text already: they are written more than once."""
    written = _sketched(call)
    parameters, result = Raw(_encode(call.parameters)), Raw(_encode(call.result))
    if isinstance(written, dict):
        written["parameters"], written["result"] = parameters, result
    else:
        written.parameters, written.result = parameters, result
    return written


def _unjudged(call: ToolExecutionResult) -> Any:
    written = _sketched(call)
    _forget_verdict(call, written)
    return written


def _forget_verdict(call: ToolExecutionResult, written: Any) -> None:
    if call.success_rule is None:
        return
    if isinstance(written, dict):
        for name in _VERDICT if call.result is None else _WORDED_VERDICT:
            written.pop(name, None)
        return
    written.success = written.success_rule = None
    if call.result is not None:
        written.error_message = None


def _written(record: Any) -> dict[str, Any]:
    form = _FORMS.get(type(record))
    if form is None:
        raise _Unusual
    written = dict(zip(form.names, form.values_of(record), strict=True))
    for name in form.optional:
        if written[name] is None:
            del written[name]
    for key, value in record.extra.items():
        written.setdefault(key, value)
    return written
