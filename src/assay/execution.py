"""What an agent did with its tools: one record a call, one record for all calls of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidRecord
from assay.records import preview, read_record, write_record

if TYPE_CHECKING:
    from collections.abc import Iterable

# Whether the call succeeded was never written down; it then counts as failed.
NOT_SAID = "not recorded"
# The call itself was never written down either, only spoken of.
INFERRED_FROM_TEXT = "inferred from text"
INFERRED_FROM_TOOLS_CALLED = "inferred from tools_called"
# Rules of calls whose outcome is unknown: nothing came back that could be judged, the exit status
# may be an answer, or the record of a failure cannot be parsed.
UNKNOWN_RULES = frozenset({"no_result", "empty", "silent_exit", "unreadable", "unreadable_flag"})
# In `extra`, False where the call was recorded without what it was made with.
ARGUMENTS_RECORDED = "arguments_recorded"
_CALL_SEED_FIELDS = frozenset(
    {"tool", "parameters", "result", "success", "server", "execution_time", "error_message"}
)
_DATA_SEED_FIELDS = frozenset(
    {
        "tool_executions",
        "total_rounds",
        "planning_json_compliance",
        "concrete_task_description",
        "dependency_analysis",
        "accumulated_information",
    }
)


@dataclass
class ToolExecutionResult:
    """One tool call: what was asked, what came back, whether it worked.

    `success` is the verdict; `reported_success` is what the server or framework said, and
    `success_rule` names the rule when the two may differ; `succeeded` is None where that rule says
    that nobody can tell. Of a failure `blame` says whose it is, `failure_kind` of which kind, and
    `blame_rule` by which rule. Calls of one `turn` were issued together. Times are
    seconds since the epoch; `parent_id` names the call this one served.
    """

    tool: str
    parameters: Any  # an object by rights; whatever the model really sent is kept
    result: Any = None
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
    blame: str | None = None
    failure_kind: str | None = None
    blame_rule: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool | None:
        """Whether the call succeeded; None where that is unknown."""
        return None if self.success_rule in UNKNOWN_RULES else self.success

    @property
    def failed(self) -> bool:
        """Whether the call is known to have failed."""
        return self.succeeded is False

    @property
    def arguments_recorded(self) -> bool:
        """Whether the parameters are what was sent; a recording may leave out all content."""
        return self.extra.get(ARGUMENTS_RECORDED) is not False

    def to_dict(self, where: str = "call") -> dict[str, Any]:
        """The call as a JSON object."""
        return write_record(self, where, always=_CALL_SEED_FIELDS)

    @classmethod
    def from_dict(cls, data: object, where: str = "call") -> ToolExecutionResult:
        """Read a call strictly; errors name the field below `where`."""
        if isinstance(data, dict) and "parameters" not in data:
            data = {**data, "parameters": {}}
        call = read_record(cls, data, where)
        if isinstance(data, dict) and "success" not in data and call.success_rule is None:
            call.success_rule = NOT_SAID
        return call

    @classmethod
    def from_record(cls, record: object) -> ToolExecutionResult:
        """Read a call as mcp-bench does: what is missing or misshapen takes its default.

        A record that is no object counts as a failed call without a name; a success of any
        type counts by its truth.
        """
        if not isinstance(record, dict):
            return cls(tool="", parameters={})
        known = {key: value for key, value in record.items() if key in cls.__dataclass_fields__}
        known["tool"] = known.get("tool") or ""
        known.setdefault("parameters", {})
        known["success"] = bool(known.get("success"))
        return cls(**known)


@dataclass
class MCPExecutionData:
    """All tool calls of one run, in order, and what is known of its planning.

    `planning_json_compliance` of None means it was not measured and stays out of the score.
    """

    tool_executions: list[ToolExecutionResult]
    total_rounds: int = 1
    planning_json_compliance: float | None = 1.0
    concrete_task_description: str | None = None
    dependency_analysis: str | None = None
    accumulated_information: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_records(cls, records: Iterable[object], **known: Any) -> MCPExecutionData:
        """Take call records as mcp-bench reads them; see `ToolExecutionResult.from_record`."""
        return cls([ToolExecutionResult.from_record(record) for record in records], **known)

    def to_dict(self, where: str = "execution_data") -> dict[str, Any]:
        """The data as a JSON object."""
        return write_record(self, where, always=_DATA_SEED_FIELDS)

    @classmethod
    def from_dict(cls, data: object, where: str = "execution_data") -> MCPExecutionData:
        """Read the data strictly; errors name the field below `where`."""
        if not isinstance(data, dict):
            raise InvalidRecord(f"{where}: expected an object, got {preview(data)}")
        if "tool_executions" not in data:
            raise InvalidRecord(f"{where}: missing required field tool_executions")
        calls = data["tool_executions"]
        if not isinstance(calls, list):
            raise InvalidRecord(f"{where}.tool_executions: expected a list, got {preview(calls)}")
        found = read_record(cls, {**data, "tool_executions": []}, where)
        found.tool_executions = [
            ToolExecutionResult.from_dict(call, f"{where}.tool_executions[{i}]")
            for i, call in enumerate(calls)
        ]
        return found
