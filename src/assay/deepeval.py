"""The bridge to deepeval: our case and our metric as real subclasses of its classes.

Take `AgentTestCase` and `MCPToolMetric` from here and hand them to anything of deepeval's; a
native object becomes one of these with `to_deepeval()`.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from copy import copy
from dataclasses import fields
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

from assay.errors import AssayError, NativeObject
from assay.extras import require
from assay.metrics.mcp_tool import LastResultInNumbers
from assay.metrics.mcp_tool import MCPToolMetric as NativeMetric
from assay.metrics.stated_calls import calls_named
from assay.test_case import AgentTestCase as NativeCase
from assay.test_case import LLMTestCase as NativePlainCase

require("deepeval", extra="deepeval")

# Only here, where its absence would have been explained.
from deepeval.evaluate import assert_test as deepeval_assert_test  # noqa: E402
from deepeval.evaluate import evaluate as deepeval_evaluate  # noqa: E402
from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase, ToolCall  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.execution import MCPExecutionData, ToolExecutionResult
    from assay.metrics.mcp_tool.result import Result

__all__ = [
    "AgentTestCase",
    "LLMTestCase",
    "MCPToolMetric",
    "assert_test",
    "evaluate",
    "upgrade",
]

_DEEPEVAL_FIELDS: dict[str, Any] = LLMTestCase.model_fields
_OUR_FIELDS = tuple(field.name for field in fields(NativeCase))
# deepeval 4 renamed the one to the other; a case has both names here, whatever the version.
_RENAMED = "metadata" in _DEEPEVAL_FIELDS
_METADATA, _METADATA_TOO = (
    ("metadata", "additional_metadata") if _RENAMED else ("additional_metadata", "metadata")
)
_ONLY_IN_DEEPEVAL = tuple(name for name in _DEEPEVAL_FIELDS if name not in _OUR_FIELDS)
_SIGNATURE = signature(NativeCase)
_SIGNATURE = _SIGNATURE.replace(
    parameters=[
        *_SIGNATURE.parameters.values(),
        *(
            Parameter(name, Parameter.KEYWORD_ONLY, default=None)
            for name in dict.fromkeys((*_ONLY_IN_DEEPEVAL, "metadata"))
        ),
    ]
)
# Where a case written as JSON keeps what only deepeval knows; live MCP objects are no JSON.
_KEPT_BELOW = "deepeval"
_KEPT = frozenset(
    name for name in _ONLY_IN_DEEPEVAL if name != "metadata" and not name.startswith("mcp_")
)


def _as_in_deepeval(name: str) -> Any:
    return copy(_DEEPEVAL_FIELDS[name])


class AgentTestCase(NativeCase, LLMTestCase):  # type: ignore[misc]  # deepeval is untyped here
    """One run of an agent, for deepeval and for us.

    It takes what `assay.AgentTestCase` takes, in the same order, and deepeval's other fields by
    name. Tools may be given as names, dicts or ToolCalls; those called are completed from
    `execution_data`, and taken from there when none are given.
    """

    __class__ = property(type)

    if not TYPE_CHECKING:
        __getattr__ = LLMTestCase.__getattr__
        # Without these pydantic would make fields of the dataclass's annotations: it would check
        # and copy our values, and deepeval's fields would lose their aliases.
        input: str
        actual_output: str | None = _as_in_deepeval("actual_output")
        expected_output: str | None = _as_in_deepeval("expected_output")
        context: list[str] | None = _as_in_deepeval("context")
        retrieval_context: list[Any] | None = _as_in_deepeval("retrieval_context")
        tools_called: list[ToolCall] | None = _as_in_deepeval("tools_called")
        expected_tools: list[ToolCall] | None = _as_in_deepeval("expected_tools")
        comments: str | None = _as_in_deepeval("comments")
        execution_data: Any = None
        agent_id: Any = None
        session_id: Any = None
        conversation_history: Any = None
        available_tools: Any = None
        planning_strategy: Any = None
        execution_mode: Any = None
        run_id: Any = None
        task_id: Any = None
        attempt: Any = None
        model: Any = None
        framework: Any = None
        outcome: Any = None
        usage: Any = None
        started_at: Any = None
        ended_at: Any = None
        source: Any = None
        expected_effects: Any = None
        extra: Any = None
        if _RENAMED:
            additional_metadata: ClassVar[Any] = property(lambda self: self.metadata)
        else:
            additional_metadata: dict[str, Any] | None = _as_in_deepeval("additional_metadata")
            metadata: ClassVar[Any] = property(lambda self: self.additional_metadata)

    def __init__(self, *values: Any, **given: Any) -> None:
        """Take the values by position or name; unknown names are errors."""
        known = _SIGNATURE.bind(*values, **given).arguments
        kept, extra = _split(known.get("extra") or {})
        known = kept | known | {"extra": extra}
        if _METADATA_TOO in known:
            known.setdefault(_METADATA, known.pop(_METADATA_TOO))
        calls = getattr(known.get("execution_data"), "tool_executions", [])
        known["tools_called"] = _tools_called(known.get("tools_called"), calls)
        known["expected_tools"] = _tool_calls(known.get("expected_tools"))
        LLMTestCase.__init__(self, **known)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, the metadata under either name."""
        super().__setattr__(_METADATA if name == _METADATA_TOO else name, value)

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal; deepeval's private marks do not count."""
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # as every case, it can be changed

    @classmethod
    def from_llm_test_case(
        cls,
        llm_test_case: Any,
        execution_data: MCPExecutionData | None = None,
        **agent_fields: Any,
    ) -> Self:
        """Add an agent's data to a plain test case, ours or deepeval's."""
        if not isinstance(llm_test_case, LLMTestCase):
            return super().from_llm_test_case(llm_test_case, execution_data, **agent_fields)
        known = {name: getattr(llm_test_case, name) for name in _DEEPEVAL_FIELDS}
        return cls(**known | agent_fields, execution_data=execution_data)

    def to_native(self) -> NativeCase:
        """The case without deepeval; what only deepeval knows is kept in `extra`."""
        known = {name: getattr(self, name) for name in _OUR_FIELDS}
        for name in ("tools_called", "expected_tools"):
            known[name] = known[name] and [_plain_tool_call(item) for item in known[name]]
        kept = self.model_dump(mode="json", include=set(_KEPT), exclude_defaults=True)
        if kept:
            below = self.extra.get(_KEPT_BELOW)
            kept = below | kept if isinstance(below, dict) else kept
            known["extra"] = {**self.extra, _KEPT_BELOW: kept}
        return NativeCase(**known)

    def to_dict(self) -> dict[str, Any]:
        """The case as JSON values; a value that JSON cannot hold is an error naming its field."""
        return self.to_native().to_dict()


# What it takes, instead of what pydantic makes of the fields.
AgentTestCase.__signature__ = _SIGNATURE


def _split(extra: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `to_native` kept for deepeval, and all the rest."""
    below = extra.get(_KEPT_BELOW)
    if not isinstance(below, dict):
        return {}, dict(extra)
    kept = {name: value for name, value in below.items() if name in _KEPT}
    others = {name: value for name, value in below.items() if name not in _KEPT}
    rest = {name: value for name, value in extra.items() if name != _KEPT_BELOW}
    return kept, rest | ({_KEPT_BELOW: others} if others else {})


def _tools_called(named: list[Any] | None, calls: Iterable[ToolExecutionResult]) -> Any:
    """The named calls, each completed by the next execution that fits it."""
    executed = defaultdict(list)
    for call in calls:
        executed[call.tool].append(call)
    if named is None:
        named = [call.tool for call in calls] or None
    items = _tool_calls(named)
    return items and [_completed(item, executed[item.name]) for item in items]


def _tool_calls(named: list[Any] | None) -> list[Any] | None:
    return None if named is None else [_tool_call(item) for item in named]


def _tool_call(item: Any) -> Any:
    """One call as deepeval's ToolCall; what that has no place for is left out."""
    if isinstance(item, ToolCall):
        return item
    (call,) = calls_named([item])
    known = {"input_parameters": call.parameters or None}
    if isinstance(item, dict):
        known |= {name: item[name] for name in ToolCall.model_fields if name in item}
    known |= {"name": call.tool, "output": call.result}
    return ToolCall(**known | {"input_parameters": _object_or_none(known["input_parameters"])})


def _completed(item: Any, executed: list[ToolExecutionResult]) -> Any:
    given = item.input_parameters
    fitting = (i for i, call in enumerate(executed) if given is None or given == call.parameters)
    position = next(fitting, None)
    if position is None:
        return item
    call = executed.pop(position)
    came_back = call.error_message if call.result is None else call.result
    return item.model_copy(
        update={
            "input_parameters": _object_or_none(call.parameters) if given is None else given,
            "output": came_back if item.output is None else item.output,
        }
    )


def _object_or_none(parameters: Any) -> dict[str, Any] | None:
    return parameters if isinstance(parameters, dict) else None


def _plain_tool_call(item: Any) -> Any:
    if not isinstance(item, ToolCall):
        return item
    said = {n for n, field in ToolCall.model_fields.items() if getattr(item, n) != field.default}
    return item.model_dump(include=said)


class MCPToolMetric(LastResultInNumbers, NativeMetric, BaseMetric):  # type: ignore[misc]  # as above
    """The tool metric, for deepeval and for us; see `assay.MCPToolMetric`.

    Its attributes are numbers, which deepeval and the seed's samples format: where nothing could
    be scored, `score` is 0.0 and `success` False, and `reason` begins with what is missing.
    """

    __class__ = property(type)
    # deepeval's cache does not look at tool calls, so that it would hand out the score of another
    # run; a metric that has a language is never read from it.
    language = "any"

    @property
    def __name__(self) -> str:
        """What deepeval calls the metric."""
        return "MCP Tool"

    def measure(
        self,
        test_case: Any,
        execution_data: MCPExecutionData | None = None,
        **options: Any,  # noqa: ARG002 - deepeval's own, such as _show_indicator
    ) -> float | None:
        """Judge one case from synchronous code; the attributes then show the result."""
        with _no_type_errors():
            if not self.async_mode:
                # deepeval turns it off for a synchronous run, long after construction.
                self._judge = self._chosen_judge(asynchronous=False)
            return super().measure(test_case, execution_data)

    async def a_measure(
        self,
        test_case: Any,
        execution_data: MCPExecutionData | None = None,
        **options: Any,  # noqa: ARG002 - deepeval's own, such as _show_indicator
    ) -> float | None:
        """Judge one case; the attributes then show the result."""
        with _no_type_errors():
            return await super().a_measure(test_case, execution_data)

    def show(self, result: Result) -> float | None:
        """Make the attributes a view of this result, tokens as deepeval's models count them."""
        value = super().show(result)
        cost = self.evaluation_cost
        self.evaluation_cost = getattr(cost, "value", cost)
        self.input_tokens = getattr(cost, "input_tokens", None)
        self.output_tokens = getattr(cost, "output_tokens", None)
        return value


@contextmanager
def _no_type_errors() -> Iterator[None]:
    """Let no TypeError through: deepeval takes it for an old signature and measures again."""
    try:
        yield
    except TypeError as exc:
        raise AssayError(f"The metric or its judge broke on this case: {exc}") from exc


def upgrade(thing: Any) -> Any:
    """The counterpart of a native case or metric; whatever deepeval takes already stays itself."""
    if isinstance(thing, LLMTestCase | BaseMetric):
        return thing
    if isinstance(thing, NativeCase):
        return AgentTestCase(**{name: getattr(thing, name) for name in _OUR_FIELDS})
    if isinstance(thing, NativePlainCase):
        return AgentTestCase.from_llm_test_case(thing)
    if type(thing) is NativeMetric:
        return MCPToolMetric(**{name: getattr(thing, name) for name in _metric_parameters()})
    if isinstance(thing, NativeMetric):
        raise NativeObject(
            f"{type(thing).__name__} has no counterpart for deepeval; derive it from "
            "assay.deepeval.MCPToolMetric instead of assay.MCPToolMetric"
        )
    return thing


def _metric_parameters() -> Iterable[str]:
    return signature(NativeMetric).parameters


def evaluate(test_cases: Iterable[Any], metrics: Iterable[Any], **options: Any) -> Any:
    """deepeval's `evaluate`, for native objects too."""
    return deepeval_evaluate(
        [upgrade(case) for case in test_cases], [upgrade(metric) for metric in metrics], **options
    )


def assert_test(test_case: Any, metrics: Iterable[Any], **options: Any) -> None:
    """deepeval's `assert_test`, for native objects too."""
    deepeval_assert_test(upgrade(test_case), [upgrade(metric) for metric in metrics], **options)
