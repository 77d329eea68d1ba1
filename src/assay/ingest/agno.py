"""Agno: what a run of an agent or a team gave back, alone or in the session that keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    reported_success,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.ingest.openai_chat import add_message
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "agno"
WHO_KEYS = ("agent_id", "team_id", "agent_name", "team_name")
FAILED = "ERROR"
_KEPT = ("parent_run_id", "status", "user_id", "workflow_id", "forked_from_run_id")
_LOOKED_AT = 5
# Teams of teams, but none so deep.
_DEEPEST = 10


def _recognise(recording: Recording) -> float:
    found = [_runs(value) for value in recording.first_items(_LOOKED_AT)]
    return 0.9 if found and all(found) else 0.0


def _runs(value: object) -> list[dict[str, Any]]:
    """The runs of a session, or the one that a value is; a row of a database keeps them as text."""
    whole = dict_or_empty(value)
    if "run_data" in whole:
        whole = dict_or_empty(_kept(whole["run_data"]))
    runs = objects_in(_kept(whole.get("runs")))
    if "session_id" in whole and any(map(_is_run, runs)):
        return runs
    return [whole] if _is_run(whole) else []


def _kept(value: object) -> object:
    return decode_json_text(value) if isinstance(value, str) else value


def _is_run(run: dict[str, Any]) -> bool:
    told = isinstance(run.get("messages"), list) or isinstance(run.get("tools"), list)
    return told and "content" in run and _is_named(run)


def _is_named(run: dict[str, Any]) -> bool:
    """Whether an agent or a team did it; what never got to a message is a run of a session too."""
    return text_at(run, "run_id") is not None and any(text_at(run, key) for key in WHO_KEYS)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        runs = _runs(entry.value)
        told: set[str] = set()
        for run in (member for kept in runs for member in _with_members(kept)):
            if not _is_named(run):
                yield unexpected(
                    recording.name, run, "a run of an agent or a team of Agno", entry.position
                )
            elif run["run_id"] not in told:
                told.add(run["run_id"])
                yield _Run(run).case(Source(recording.name, NAME, entry.position))
        if not runs:
            yield unexpected(
                recording.name, entry.value, "a run or a session of Agno", entry.position
            )


def _with_members(run: dict[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    """A run, and those of a team's members that it holds."""
    yield run
    if depth < _DEEPEST:
        for member in filter(_is_run, objects_in(run.get("member_responses"))):
            yield from _with_members(member, depth + 1)


class _Run:
    """One run, told by its messages or, where these were not kept, by its calls."""

    def __init__(self, run: dict[str, Any]) -> None:
        self._kept = run
        self._run = RunBuilder()
        self._tools = objects_in(run.get("tools"))
        self._done = {own: t for t in self._tools if (own := text_at(t, "tool_call_id"))}

    def case(self, source: Source) -> AgentTestCase:
        """The run as a case."""
        kept, run = self._kept, self._run
        messages = objects_in(kept.get("messages"))
        for message in messages:
            self._tell(message)
        asked = text_of(dict_or_empty(kept.get("input")).get("input_content"))
        if not messages:
            run.user(asked)
            self._tell_calls()
        self._add_facts()
        begun = epoch_seconds(kept.get("created_at"))
        metrics = dict_or_empty(kept.get("metrics"))
        lasted = amount_or_none(metrics.get("duration"))
        return run.finish(
            run_id=stable_id(NAME, kept["run_id"]),
            input=asked or None,
            actual_output=self._answer(),
            session_id=text_at(kept, "session_id"),
            agent_id=next((own for key in WHO_KEYS if (own := text_at(kept, key))), None),
            model=text_at(kept, "model"),
            framework=NAME,
            usage=with_cost(total_usage([metrics]), [metrics.get("cost")]),
            outcome=_outcome(kept),
            started_at=begun,
            ended_at=None if begun is None or lasted is None else begun + lasted,
            source=source,
            extra={key: kept[key] for key in _KEPT if kept.get(key)},
        )

    def _answer(self) -> str | None:
        """What the run gave back; where that is all it ever said in a row, the last of it."""
        content, last = text_at(self._kept, "content"), self._run.answer
        return last if content and last and content.endswith(last) else content

    def _tell(self, message: dict[str, Any]) -> None:
        """Tell a message; one of an earlier run is told in words, its calls count there."""
        if message.get("from_history") is True:
            self._run.other(str(message.get("role")), message.get("content"))
        else:
            add_message(self._run, message)

    def _tell_calls(self) -> None:
        for tool in self._tools:
            name = text_at(tool, "tool_name") or ""
            own = text_at(tool, "tool_call_id")
            sent = decode_arguments(tool.get("tool_args"))
            self._run.call(ToolExecutionResult(name, sent, call_id=own))
            flag = reported_success(tool)
            self._run.result(own, tool.get("result"), tool=name, reported_success=flag)

    def _add_facts(self) -> None:
        """Add to each call what only the list of calls knows of it."""
        for call in self._run.calls:
            tool = self._done.get(call.call_id or "")
            if tool is None:
                continue
            call.parent_id = text_at(tool, "parent_tool_call_id")
            call.execution_time = amount_or_none(dict_or_empty(tool.get("metrics")).get("duration"))
            if child := text_at(tool, "child_run_id"):
                call.extra["child_run_id"] = child


def _outcome(run: dict[str, Any]) -> RunOutcome | None:
    if run.get("status") != FAILED:
        return None
    return RunOutcome(success=False, decided_by=NAME, reason=text_of(run.get("content")) or None)


AGNO = Format(
    name=NAME,
    title="Agno runs and sessions",
    fidelity=(
        "Says of each call whether it failed and how long it took; model, tokens and the time of "
        "the run. Has no server, no tool schemas, no times of single calls and no outcome but an "
        "error. What a run repeats of its session is told in words."
    ),
    recognise=_recognise,
    read=_read,
)
