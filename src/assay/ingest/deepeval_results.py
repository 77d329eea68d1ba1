"""DeepEval: the test runs it keeps, each test case with its answer, calls and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "deepeval"
CASE_LISTS = ("testCases", "conversationalTestCases")
# What `evaluate` returns, saved as it is; its fields have other names than those of a file.
RETURNED = "test_results"
_IN_FILES = {
    "metrics_data": "metricsData",
    "actual_output": "actualOutput",
    "expected_output": "expectedOutput",
    "retrieval_context": "retrievalContext",
    "tools_called": "toolsCalled",
    "expected_tools": "expectedTools",
}
# Where the file of the latest test run keeps it.
WRAPPER = "testRunData"
STATUSES = {"SUCCESS": True, "ERRORED": False}
_KEPT = ("metricsData", "context", "retrievalContext", "metadata", "tags", "comments")


def _recognise(recording: Recording) -> float:
    found = [case for value in recording.sample for case in _cases(value)]
    return 0.95 if found and all(map(_is_case, found[:20])) else 0.0


def _cases(value: Any) -> list[Any]:
    run = dict_or_empty(value)
    run = dict_or_empty(run.get(WRAPPER)) or run
    lists = (run.get(key) for key in CASE_LISTS)
    found = [case for listed in lists if isinstance(listed, list) for case in listed]
    return found or [_as_in_a_file(case) for case in objects_in(run.get(RETURNED))]


def _as_in_a_file(case: dict[str, Any]) -> dict[str, Any]:
    """A result as `evaluate` returns it, under the names that a test run's file has for it."""
    return {_IN_FILES.get(key, key): value for key, value in case.items()}


def _is_case(value: Any) -> bool:
    case = dict_or_empty(value)
    return "metricsData" in case and ("input" in case or "turns" in case)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        cases = _cases(entry.value)
        if not cases:
            yield unexpected(recording.name, entry.value, "a test run of DeepEval", entry.position)
        for i, case in enumerate(cases, start=1):
            if _is_case(case):
                yield _run(case, recording.name, i if len(cases) > 1 else entry.position)
            else:
                yield unexpected(recording.name, case, "a test case of DeepEval", i)


def _run(case: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    run, trace = RunBuilder(), dict_or_empty(case.get("trace"))
    run.user(text_at(case, "input"))
    for turn in objects_in(case.get("turns")):
        _add_turn(run, turn)
    _add_calls(run, _told(case, trace))
    run.assistant(text_at(case, "actualOutput"))
    models = objects_in(trace.get("llmSpans"))
    return run.finish(
        run_id=stable_id(NAME, trace.get("uuid"), *place_id(name, position), case),
        task_id=text_at(case, "name"),
        session_id=text_at(trace, "threadId"),
        model=next(filter(None, (text_at(span, "model") for span in models)), None),
        framework=next(
            filter(None, (text_at(span, "integration") for span in _spans(trace))), None
        ),
        expected_output=text_at(case, "expectedOutput"),
        expected_tools=_expected(case),
        outcome=_outcome(case),
        usage=_usage(case, models),
        started_at=epoch_seconds(trace.get("startTime")),
        ended_at=epoch_seconds(trace.get("endTime")),
        source=Source(name, NAME, position),
        extra={key: case[key] for key in _KEPT if case.get(key)},
    )


def _add_turn(run: RunBuilder, turn: dict[str, Any]) -> None:
    if turn.get("role") == "assistant":
        _add_calls(run, map(_listed, objects_in(turn.get("toolsCalled"))))
        run.assistant(text_at(turn, "content"))
    else:
        run.user(text_at(turn, "content"))


def _told(case: dict[str, Any], trace: dict[str, Any]) -> list[ToolExecutionResult]:
    """The calls as they were traced, with times and failures; else as the test listed them."""
    spans = [_traced(span) for span in objects_in(trace.get("toolSpans"))]
    return spans or [_listed(tool) for tool in objects_in(case.get("toolsCalled"))]


def _add_calls(run: RunBuilder, calls: Iterable[ToolExecutionResult]) -> None:
    """Add calls that have their results; which of them were asked for together is not told."""
    for call in calls:
        run.end_reply()
        run.call(call)
    run.end_reply()


def _traced(span: dict[str, Any]) -> ToolExecutionResult:
    started, ended = epoch_seconds(span.get("startTime")), epoch_seconds(span.get("endTime"))
    return ToolExecutionResult(
        tool=text_at(span, "name") or "",
        parameters=decode_arguments(span.get("input")),
        result=span.get("output"),
        call_id=text_at(span, "uuid"),
        started_at=started,
        ended_at=ended,
        execution_time=None if started is None or ended is None else ended - started,
        reported_success=STATUSES.get(str(span.get("status"))),
        error_message=text_at(span, "error"),
    )


def _listed(tool: dict[str, Any]) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(tool, "name") or "",
        parameters=decode_arguments(_sent(tool)),
        result=tool.get("output"),
    )


def _sent(tool: dict[str, Any]) -> Any:
    return tool.get("inputParameters", tool.get("input_parameters"))


def _spans(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [span for key in ("agentSpans", "llmSpans") for span in objects_in(trace.get(key))]


def _outcome(case: dict[str, Any]) -> RunOutcome:
    metrics = objects_in(case.get("metricsData"))
    failed = (text_at(metric, "name") for metric in metrics if metric.get("success") is False)
    success = case.get("success")
    return RunOutcome(
        success=success if isinstance(success, bool) else None,
        decided_by="DeepEval's metrics",
        reason=", ".join(f"{metric} failed" for metric in failed if metric) or None,
    )


def _usage(case: dict[str, Any], models: list[dict[str, Any]]) -> Usage | None:
    usage = Usage(
        input_tokens=_tokens([case], "inputTokenCount") or _tokens(models, "inputTokenCount"),
        output_tokens=_tokens([case], "outputTokenCount") or _tokens(models, "outputTokenCount"),
        cost_usd=amount_or_none(case.get("tokenCost")),
    )
    return None if usage == Usage() else usage


def _tokens(reports: list[dict[str, Any]], key: str) -> int | None:
    """The sum of counts, which come as decimal numbers at times."""
    counts = [amount_or_none(report.get(key)) for report in reports]
    told = [count for count in counts if count is not None]
    return int(sum(told)) if told else None


def _expected(case: dict[str, Any]) -> list[Any] | None:
    return [
        {"name": text_at(tool, "name"), "input_parameters": _sent(tool)}
        for tool in objects_in(case.get("expectedTools"))
    ] or None


DEEPEVAL = Format(
    name=NAME,
    title="DeepEval test runs: test cases with calls, traces and metrics",
    fidelity=(
        "Calls come from the trace, with times and failures, else from the test case, without; "
        "which were asked for together is not told. The model and the tokens only where model "
        "calls were traced; no server. The outcome is that of the metrics, which are in "
        "extra.metricsData."
    ),
    recognise=_recognise,
    read=_read,
)
