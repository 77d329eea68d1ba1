"""Scores as OpenTelemetry evaluation events: one OTLP log record a score.

Names and values are the stable ones of the GenAI conventions (`gen_ai.evaluation.*`); what they
have no name for stands under `assay.`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.scoring import Failed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.score import Score
    from assay.test_case import AgentTestCase

EVENT = "gen_ai.evaluation.result"
_INFORMATION = 9
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_SPAN_ID = re.compile(r"[0-9a-f]{16}")

Json = dict[str, Any]


def evaluation_events(
    case: AgentTestCase, results: Iterable[Score | Failed], run_key: str, *, version: str
) -> Json:
    """All that is known of how good a run was, as one line for an OTLP collector."""
    common = _record(case) | {"attributes": _attributes(_identity(case, run_key))}
    records = [
        common | {"attributes": _attributes(told) + common["attributes"]}
        for told in (*_of_outcome(case), *_of_results(results))
    ]
    scope = {"name": "assay", "version": version}
    resource = {"attributes": _attributes({"service.name": "assay"})}
    logs = [{"scope": scope, "logRecords": records}]
    return {"resourceLogs": [{"resource": resource, "scopeLogs": logs}]}


def _of_outcome(case: AgentTestCase) -> Iterator[Json]:
    outcome = case.outcome
    if outcome is None or (outcome.success is None and outcome.score is None):
        return
    value = outcome.score if outcome.score is not None else float(outcome.success or False)
    label = None if outcome.success is None else "pass" if outcome.success else "fail"
    yield _told("outcome", value, label, outcome.reason) | {
        "assay.evaluation.decided_by": outcome.decided_by
    }


def _of_results(results: Iterable[Score | Failed]) -> Iterator[Json]:
    for result in results:
        if isinstance(result, Failed):
            yield _told(result.name, None, None, result.problem) | {"error.type": "metric_failed"}
            continue
        yield _told(result.name, result.value, None, result.reason or result.label)
        for part in list(result.walk())[1:]:
            if part.value is not None:
                yield _told(f"{result.name}.{part.name}", part.value, None, part.reason)


def _told(name: str, value: float | None, label: str | None, explanation: str | None) -> Json:
    return {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": None if value is None else float(value),
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": explanation or None,
    }


def _identity(case: AgentTestCase, run_key: str) -> Json:
    return {
        "gen_ai.conversation.id": case.session_id,
        "assay.run_key": run_key,
        "assay.run_id": case.run_id,
        "assay.task_id": case.task_id,
        "assay.attempt": case.attempt,
        "assay.model": case.model,
    }


def _record(case: AgentTestCase) -> Json:
    """What all events of a run share; the run's own trace, where it was recorded as one."""
    record: Json = {"eventName": EVENT, "severityNumber": _INFORMATION}
    ended = case.ended_at if case.ended_at is not None else case.started_at
    if ended is not None and ended >= 0:
        record["timeUnixNano"] = str(int(ended * 1e9))
    trace = case.extra.get("trace_id")
    if isinstance(trace, str) and _TRACE_ID.fullmatch(trace):
        record["traceId"] = trace
        span = (case.run_id or "").removeprefix(f"{trace}/")
        if _SPAN_ID.fullmatch(span):
            record["spanId"] = span
    return record


def _attributes(values: Json) -> list[Json]:
    return [
        {"key": key, "value": _value(value)} for key, value in values.items() if value is not None
    ]


def _value(value: object) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}
