"""What one run was asked and what it answered: the noun everything else works on."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from assay.errors import InvalidRecord, NativeObject, UnsupportedVersion
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.expectation import Expectations
from assay.records import preview, read_record, write_record
from assay.run import RunOutcome, Source, Usage
from assay.validation import complaints

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA_VERSION = 1
# Where deepeval works on cases and metrics. Its tracing looks at whatever passes through it.
_OF_DEEPEVAL = tuple(f"deepeval.{part}" for part in ("evaluate", "dataset", "metrics", "test_case"))

_LLM_FIELDS = (
    "input",
    "actual_output",
    "expected_output",
    "context",
    "retrieval_context",
    "tools_called",
    "expected_tools",
    "additional_metadata",
    "comments",
)
_SEED_FIELDS = frozenset(
    {
        *_LLM_FIELDS,
        "execution_data",
        "agent_id",
        "session_id",
        "conversation_history",
        "available_tools",
        "planning_strategy",
        "execution_mode",
    }
)
_NESTED: dict[str, Callable[[object, str], Any]] = {
    "execution_data": MCPExecutionData.from_dict,
    "outcome": RunOutcome.from_dict,
    "usage": Usage.from_dict,
    "source": Source.from_dict,
    "expected_effects": Expectations.from_dict,
}


class Native:
    """An object of our own, with a counterpart that deepeval takes."""

    def to_deepeval(self) -> Any:
        """The counterpart, which is deepeval's and ours at once; see `assay.deepeval`."""
        return import_module("assay.deepeval").upgrade(self)

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> type[Self]:
        """The type; but deepeval, which may skip in silence what is not its own, gets an error."""
        # isinstance is the one question that every release of deepeval asks a foreign object.
        _refuse_deepeval(self)
        return type(self)

    if not TYPE_CHECKING:  # or a type checker would believe any attribute

        def __getattr__(self, name: str) -> Any:
            """Nothing; but some of deepeval's metrics read their own fields before they ask."""
            _refuse_deepeval(self)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _refuse_deepeval(thing: Native) -> None:
    """Raise if it is deepeval that looks at a native object, and say what it takes instead."""
    asking = sys._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001
    if asking.startswith(_OF_DEEPEVAL):
        raise NativeObject(
            f"deepeval was handed a native {type(thing).__name__}. Take the class of that name "
            "from assay.deepeval, or hand over what .to_deepeval() returns"
        )


@dataclass
class LLMTestCase(Native):
    """A question, an answer, and what is known about them."""

    input: str
    actual_output: str | None = None
    expected_output: str | None = None
    context: list[str] | None = None
    retrieval_context: list[str] | None = None
    tools_called: list[Any] | None = None
    expected_tools: list[Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    comments: str | None = None


@dataclass
class AgentTestCase(LLMTestCase):
    """One run of an agent: a test case with its tool calls and their circumstances.

    Beside the seed's fields stands what every trace has: which task and attempt this was,
    which model and framework ran it, how it ended and who says so, when, at what cost, where it
    was recorded, and what was expected of it. `extra` keeps whatever else a file said.
    """

    actual_output: str | None = field()
    execution_data: MCPExecutionData | None = None
    agent_id: str | None = None
    session_id: str | None = None
    conversation_history: list[dict[str, Any]] | None = None
    available_tools: Any = None
    planning_strategy: str | None = None
    execution_mode: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    model: str | None = None
    framework: str | None = None
    outcome: RunOutcome | None = None
    usage: Usage | None = None
    started_at: float | None = None
    ended_at: float | None = None
    source: Source | None = None
    expected_effects: Expectations | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_llm_test_case(
        cls,
        llm_test_case: Any,
        execution_data: MCPExecutionData | None = None,
        **agent_fields: Any,
    ) -> Self:
        """Add an agent's data to a plain test case, ours or deepeval's."""
        known = {name: _llm_field(llm_test_case, name) for name in _LLM_FIELDS}
        return cls(**known, execution_data=execution_data, **agent_fields)

    @property
    def calls(self) -> list[ToolExecutionResult]:
        """The tool calls in order; empty when none were recorded."""
        return self.execution_data.tool_executions if self.execution_data else []

    def get_tool_execution_stats(self) -> dict[str, Any]:
        """Counts, rates and times over the calls; all zero when there are none."""
        calls = self.calls
        ok = sum(1 for call in calls if call.success)
        times = [call.execution_time for call in calls if call.execution_time is not None]
        return {
            "total_executions": len(calls),
            "successful_executions": ok,
            "failed_executions": len(calls) - ok,
            "success_rate": ok / len(calls) if calls else 0.0,
            "unique_tools": len({call.tool for call in calls}),
            "servers_used": len({call.server for call in calls if call.server}),
            "total_execution_time": float(sum(times)),
            "average_execution_time": sum(times) / len(times) if times else 0.0,
        }

    def get_execution_summary(self) -> str:
        """One line on what was executed and how it went."""
        if not self.calls or self.execution_data is None:
            return "No tools were executed."
        ok = [call.tool for call in self.calls if call.success]
        failed = [call.tool for call in self.calls if not call.success]
        parts = [
            f"Total rounds: {self.execution_data.total_rounds}",
            f"Tools executed: {len(self.calls)}",
            f"Successful: {len(ok)}",
            f"Failed: {len(failed)}",
        ]
        if ok:
            parts.append(f"Successful tools: {', '.join(ok)}")
        if failed:
            parts.append(f"Failed tools: {', '.join(failed)}")
        return "; ".join(parts)

    def get_conversation_context(self) -> str:
        """The conversation as text, one turn a line."""
        return "\n".join(
            f"{str(turn.get('role', 'unknown')).upper()}: {turn.get('content', '')}"
            for turn in self.conversation_history or []
        )

    def add_conversation_turn(self, role: str, content: str) -> None:
        """Append one turn to the conversation."""
        if self.conversation_history is None:
            self.conversation_history = []
        self.conversation_history.append({"role": role, "content": content})

    def validate(self) -> list[str]:
        """Complaints about the record, not about what the agent did; empty when there are none."""
        return complaints(self)

    def to_dict(self) -> dict[str, Any]:
        """The case as JSON values; a value that JSON cannot hold is an error naming its field."""
        written = write_record(self, "", always=_SEED_FIELDS)
        return {"schema_version": SCHEMA_VERSION} | written | {"schema_version": SCHEMA_VERSION}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read a case; unknown keys are kept, wrong types are errors naming the field."""
        own = _of_known_version(data)
        nested = {
            name: read(value, name)
            for name, read in _NESTED.items()
            if (value := own.pop(name, None)) is not None
        }
        own.setdefault("actual_output", None)
        case = read_record(AgentTestCase, own, "")
        for name, value in nested.items():
            setattr(case, name, value)
        if cls is AgentTestCase:
            return case  # type: ignore[return-value]  # exactly Self here
        return cls(**{f.name: getattr(case, f.name) for f in fields(AgentTestCase)})

    def to_json(self) -> str:
        """The case as one line of JSON, ready for a JSONL file."""
        return msgspec.json.encode(self.to_dict()).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a case from JSON text."""
        try:
            return cls.from_dict(msgspec.json.decode(text))
        except (msgspec.DecodeError, RecursionError) as exc:
            raise InvalidRecord(f"not a JSON document: {exc}") from exc

    def save(self, path: str | Path) -> None:
        """Write the case to a JSON file, indented for people."""
        text = msgspec.json.format(msgspec.json.encode(self.to_dict()), indent=2)
        Path(path).write_bytes(text + b"\n")


def _of_known_version(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise InvalidRecord(f"expected a case as an object, got {preview(data)}")
    own = dict(data)
    version = own.pop("schema_version", SCHEMA_VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidRecord(f"schema_version: expected 1 or more, got {preview(version)}")
    if version > SCHEMA_VERSION:
        raise UnsupportedVersion(
            f"schema_version: {version} was written by a later assay (this one reads up to "
            f"{SCHEMA_VERSION}); upgrade with: pip install --upgrade assay"
        )
    return own


def _llm_field(case: Any, name: str) -> Any:
    if name == "additional_metadata" and hasattr(type(case), "model_fields"):
        # deepeval renamed the field; its old name warns.
        name = "metadata" if "metadata" in type(case).model_fields else name
    value = getattr(case, name, None)
    if name in {"tools_called", "expected_tools"} and value is not None:
        return [_tool_call(item) for item in value]
    return value


def _tool_call(item: Any) -> Any:
    if isinstance(item, str | dict):
        return item
    known = {key: getattr(item, key, None) for key in ("name", "input_parameters", "output")}
    return {key: value for key, value in known.items() if value is not None}
