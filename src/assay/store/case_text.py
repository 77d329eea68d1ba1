"""A case as text: written fast, and read back as far as the tables need it.

The text is the record as `AgentTestCase.to_dict` writes it, without the place it was read from.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from operator import attrgetter
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Raw, Struct

from assay.errors import InvalidRecord
from assay.execution import ARGUMENTS_RECORDED, MCPExecutionData, ToolExecutionResult
from assay.records import KEPT_APART, field_names
from assay.run import RunOutcome, Source, Usage
from assay.test_case import SCHEMA_VERSION, AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    injected: Any = None
    arguments_recorded: Any = None

    @property
    def extra(self) -> dict[str, Any]:
        """What the tables need of what else is told of the call."""
        return {
            "dynamically_loaded": self.dynamically_loaded,
            "only_in_trace": self.only_in_trace,
            "injected": self.injected,
            ARGUMENTS_RECORDED: self.arguments_recorded,
        }


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

    @property
    def extra(self) -> dict[str, Any]:
        """What the tables need of what else is told of the run."""
        return {"experiment": self.experiment, "folder_model": self.folder_model}


class EncodedCall(Protocol):
    """A call whose free-form values are JSON already."""

    parameters: Raw
    result: Raw


class WrittenCase(NamedTuple):
    """A case as JSON; the same without our verdicts, which makes a run the same run; its calls.

    The calls are None where the case, or one of them, is unusual: then its text tells them.
    """

    text: bytes
    recorded: bytes
    calls: list[EncodedCall] | None = None


# A kind of its own for each way of telling more: few files have many.
_MOST_SKETCHES = 200
_MOST_BESIDE = 64
# What needs no escapes in JSON.
_PLAIN_NAME = re.compile(r"[^\x00-\x1f\x7f\"\\]*")
# What files told under names of ours, and stores did not keep: runs are known without it.
_ONCE_LOST = frozenset(
    f"{KEPT_APART}{name}" for name in ("schema_version", *field_names(AgentTestCase))
)
_facts_decoder = msgspec.json.Decoder(CaseFacts)


def case_text(case: AgentTestCase) -> bytes:
    """The whole case as JSON; a value that JSON cannot hold is an error that names its field."""
    try:
        written = _written_case(case, _written)
        text = _encode(written)
        if _decode(text) == written:
            return text
    except (_Unusual, AttributeError, TypeError, ValueError, RecursionError):
        pass
    plain = AgentTestCase.from_dict(case.to_dict())
    return _encode(_written_case(plain, _written))


def written_case(case: AgentTestCase, *, trusted: bool = False) -> WrittenCase:
    """The case as JSON, and the same without our verdicts: what makes a run the same run.

    A verdict is what `settle` gave: it has a rule. The words of a failure are part of it where
    there is a result to take them from. With `trusted` the values of free form are taken to be
    JSON already, as they are in a case that was just read from a file; that saves the proof.
    """
    written = _in_full(case, trusted=trusted)
    if _ONCE_LOST.isdisjoint(case.extra):
        return written
    kept = {key: value for key, value in case.extra.items() if key not in _ONCE_LOST}
    known_by = _in_full(replace(case, extra=kept), trusted=trusted)
    return written._replace(recorded=known_by.recorded)


def _in_full(case: AgentTestCase, *, trusted: bool) -> WrittenCase:
    if trusted:
        try:
            return _written_quickly(case)
        except (_Unusual, AttributeError, TypeError, ValueError, RecursionError):
            pass
    text = case_text(case)
    if all(call.success_rule is None for call in case.calls):
        return WrittenCase(text, text)
    return WrittenCase(text, _encode(_written_case(AgentTestCase.from_json(text), _unjudged)))


def _written_quickly(case: AgentTestCase) -> WrittenCase:
    sketch, calls = _sketched_case(case)
    # Long values are text already when the rest is written: it is written more than once.
    for call, told in zip(case.calls, calls, strict=True):
        parameters, result = Raw(_encode(call.parameters)), Raw(_encode(call.result))
        if isinstance(told, dict):  # as `_put` does, which takes longer, and calls are many
            told["parameters"], told["result"] = parameters, result
        else:
            told.parameters, told.result = parameters, result
    if case.conversation_history is not None:
        _put(sketch, "conversation_history", Raw(_encode(case.conversation_history)))
    text = recorded = _encode(sketch)
    if _forget_verdicts(case.calls, calls):
        recorded = _encode(sketch)
    # What is odd may hold facts that are read as ours.
    return WrittenCase(text, recorded, None if dict in map(type, (sketch, *calls)) else calls)


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
    """A record that the short way does not know: a subclass, say, or a field of a wrong type."""


class _Form:
    """How records of one class are written: their fields, and which are left out if not set."""

    def __init__(self, empty: Any, *before: str) -> None:
        self._class, self._before = type(empty), before
        self.names = tuple(field.name for field in fields(empty) if field.name != "extra")
        self._own = frozenset((*before, *self.names))
        self.values_of = attrgetter(*self.names)
        self._always = frozenset(empty.to_dict())
        self.optional = tuple(name for name in self.names if name not in self._always)
        hints = get_type_hints(type(empty))
        self._types = tuple(_types_of(hints[name]) for name in self.names)
        # As many as there are ways to leave fields out: each was looked at once.
        self._fitting: set[tuple[type, ...]] = set()
        self._sketches: dict[tuple[Any, ...], type[Struct]] = {}

    def sketch(self, record: Any, *before: object) -> Any:
        """The record as something that is quickly encoded, its values as they are.

        What is not set is left out as it is encoded, which is faster than picking it out first.
        A record with other fields of odd names, or of too many kinds to remember, becomes a dict.
        """
        values, extra = self.values_of(record), record.extra
        types = tuple(map(type, values))
        if types not in self._fitting:
            self._look_at(types)
        beside = tuple(extra)
        shape = self._sketches.get(beside) or self._shape(beside)
        if shape is None:
            return dict(zip(self._before, before, strict=True)) | _written(record)
        return shape(*before, *values, *extra.values())

    def sketches(self, records: list[Any]) -> list[Any]:
        """The same of many; each is of this class, or it is unusual."""
        fitting, plain = self._fitting, self._sketches.get(())
        made = []
        for record in records:
            if type(record) is not self._class:
                raise _Unusual
            values = self.values_of(record)
            if plain is None or record.extra or tuple(map(type, values)) not in fitting:
                made.append(self.sketch(record))
            else:
                made.append(plain(*values))
        return made

    def _look_at(self, types: tuple[type, ...]) -> None:
        for found, allowed in zip(types, self._types, strict=True):
            if allowed is not None and found not in allowed:
                raise _Unusual
        self._fitting.add(types)

    def _shape(self, extra: tuple[Any, ...]) -> type[Struct] | None:
        """The sketch of a record with these fields beside its own: what else a file said."""
        if not all(isinstance(name, str) for name in extra):
            raise _Unusual
        if len(self._sketches) >= _MOST_SKETCHES or len(extra) > _MOST_BESIDE:
            return None
        if not all(map(_PLAIN_NAME.fullmatch, extra)) or not self._own.isdisjoint(extra):
            return None
        before = [(name, Any) for name in self._before]
        own = [(name, Any) if name in self._always else (name, Any, None) for name in self.names]
        # Nearly any text may be a key; what names a field of a class may not.
        names = {f"extra_{i}": name for i, name in enumerate(extra)}
        made = self._sketches[extra] = msgspec.defstruct(
            "Sketch",
            [*before, *own, *((name, Any, UNSET) for name in names)],
            rename=names,
            omit_defaults=True,
        )
        return made


def _types_of(hint: Any) -> frozenset[type] | None:
    """What values of a field may be; None for anything that JSON can hold."""
    if hint is Any:
        return None
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    types = {get_origin(kind) or kind for kind in kinds}
    return frozenset(types | {int} if float in types else types)


_FORMS: dict[type, _Form] = {
    AgentTestCase: _Form(AgentTestCase(input="", actual_output=None), "schema_version"),
    MCPExecutionData: _Form(MCPExecutionData([])),
    ToolExecutionResult: _Form(ToolExecutionResult("", {})),
    RunOutcome: _Form(RunOutcome()),
    Usage: _Form(Usage()),
    Source: _Form(Source()),
}


def _sketch(record: Any, *before: object) -> Any:
    form = _FORMS.get(type(record))
    if form is None:
        raise _Unusual
    return form.sketch(record, *before)


def _sketched_case(case: AgentTestCase) -> tuple[Any, list[Any]]:
    """The case as something that is quickly encoded, and its calls as they are in there."""
    sketch = _sketch(case, SCHEMA_VERSION)
    _put(sketch, "source", UNSET)
    calls: list[Any] = []
    if case.execution_data is not None:
        data = _sketch(case.execution_data)
        calls = _FORMS[ToolExecutionResult].sketches(case.execution_data.tool_executions)
        _put(data, "tool_executions", calls)
        _put(sketch, "execution_data", data)
    if case.outcome is not None:
        _put(sketch, "outcome", _sketch(case.outcome))
    if case.usage is not None:
        _put(sketch, "usage", _sketch(case.usage))
    if case.expected_effects is not None:
        _put(sketch, "expected_effects", case.expected_effects.to_dict())
    return sketch, calls


def _put(written: Any, name: str, value: object) -> None:
    """Set a field of what is to be encoded; one that is UNSET is not there."""
    if not isinstance(written, dict):
        setattr(written, name, value)
    elif value is UNSET:
        written.pop(name, None)
    else:
        written[name] = value


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


def _unjudged(call: ToolExecutionResult) -> dict[str, Any]:
    """A call without the verdict on it."""
    written = _written(call)
    _forget_verdicts([call], [written])
    return written


def _forget_verdicts(calls: list[ToolExecutionResult], written: list[Any]) -> bool:
    """Take our verdicts out of calls that are to be encoded; whether there were any.

    The runs that stores hold are known by what is left: of a call with fields beside ours a
    verdict is gone, of any other it is null. Nothing may change about that.
    """
    found = False
    for call, told in zip(calls, written, strict=True):
        if call.success_rule is None:
            continue
        found = True
        gone = UNSET if call.extra else None
        if isinstance(told, dict):
            _put(told, "success_rule", UNSET)
            _put(told, "success", gone)
            if call.result is not None:
                _put(told, "error_message", gone)
        else:  # as `_put` does, which takes longer, and calls are many
            told.success_rule, told.success = UNSET, gone
            if call.result is not None:
                told.error_message = gone
    return found


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


def read_case(row: Mapping[str, Any]) -> AgentTestCase:
    """The case of a row of `cases`, with its source."""
    try:
        case = AgentTestCase.from_json(row["case"])
        if row["source"] is not None:
            case.source = Source.from_dict(_decode(row["source"]))
    except (InvalidRecord, msgspec.DecodeError) as exc:
        raise InvalidRecord(f"run {row['run_key']}: {exc}") from exc
    return case
