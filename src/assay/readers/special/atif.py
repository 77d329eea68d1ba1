"""ATIF trajectories: read by their table, but those that assay exported come back as they were.

What ATIF has no field for stands in `extra`, by the names that the record has for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError, UnsupportedVersion
from assay.readers.documents import Unreadable
from assay.readers.formats import rows
from assay.readers.table import Table, table_of
from assay.readers.values import dict_or_empty, objects_in
from assay.records import ATIF_MARK, ATIF_STEPS
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File

NAME = "atif"
_RESULT_FIELDS = {
    "rule": "success_rule",
    "reported_success": "reported_success",
    "error_message": "error_message",
    "duration_s": "execution_time",
}
# What the steps tell of a call, and nothing beside them.
_OF_STEPS = frozenset({"tool", "result", "success", *_RESULT_FIELDS.values()})


def own_case(trajectory: dict[str, Any]) -> AgentTestCase | None:
    """The run as it was exported; None of what others wrote, or went on with.

    What a later assay wrote is an `UnsupportedVersion`: nobody can tell what would be lost.
    """
    record = dict(dict_or_empty(trajectory.get("extra")))
    steps = objects_in(trajectory.get("steps"))
    if record.pop(ATIF_MARK, None) != ATIF_STEPS or not _are_ours(steps):
        return None
    if dict_or_empty(trajectory.get("final_metrics")).get("total_steps") != len(steps):
        return None
    try:
        return _own_case(trajectory, record, steps)
    except UnsupportedVersion:
        raise
    except (AssayError, LookupError, TypeError, ValueError, RecursionError):
        return None  # somebody changed it: what is there is read as anybody else's


def _are_ours(steps: list[dict[str, Any]]) -> bool:
    """Whether the steps are a question, calls without a word, and at most one answer."""
    if not steps or steps[0].get("source") != "user" or "tool_calls" in steps[0]:
        return False
    middle = steps[1:] if "tool_calls" in steps[-1] else steps[1:-1]
    is_wordless = all(step.get("message") == "" and "tool_calls" in step for step in middle)
    return is_wordless and all(step.get("source") == "agent" for step in steps[1:])


def _own_case(
    trajectory: dict[str, Any], record: dict[str, Any], steps: list[dict[str, Any]]
) -> AgentTestCase:
    has_answer = len(steps) > 1 and "tool_calls" not in steps[-1]
    record["input"] = steps[0]["message"]
    record["actual_output"] = steps[-1]["message"] if has_answer else None
    calls = [call for step in steps for call in _own_calls(step)]
    if calls or record.get("execution_data") is not None:
        record["execution_data"] = {**record["execution_data"], "tool_executions": calls}
    agent = dict_or_empty(trajectory.get("agent"))
    record.setdefault("available_tools", agent.get("tool_definitions"))
    return AgentTestCase.from_dict(record)


def _own_calls(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    observed = dict_or_empty(step.get("observation")).get("results")
    results = {result["source_call_id"]: result for result in objects_in(observed)}
    for call in objects_in(step.get("tool_calls")):
        name, beside = call["tool_call_id"], dict_or_empty(call.get("extra"))
        stated = {"parameters": call["arguments"], "call_id": name} | _settled(results[name])
        rest = {key: value for key, value in beside.items() if key not in _OF_STEPS}
        yield {"tool": call["function_name"], **stated, **rest}


def _settled(result: dict[str, Any]) -> dict[str, Any]:
    about = dict_or_empty(result.get("extra"))
    stated = {ours: about[theirs] for theirs, ours in _RESULT_FIELDS.items() if theirs in about}
    found = _content(result.get("content"), about.get("content"))
    return {"result": found, "success": not about["is_error"], **stated}


def _content(stated: Any, kind: str | None) -> Any:
    if kind == "error":  # repeated where no result was
        return None
    return msgspec.json.decode(stated) if kind == "json" else stated


def _is_marked(value: Any) -> bool:
    return ATIF_MARK in dict_or_empty(dict_or_empty(value).get("extra"))


class Atif(Struct, frozen=True):
    """Trajectories in the Agent Trajectory Interchange Format."""

    table: Table

    @property
    def name(self) -> str:
        """What `--format` calls it."""
        return self.table.name

    @property
    def title(self) -> str:
        """What it is, in one line."""
        return self.table.title

    @property
    def cannot(self) -> str:
        """What its files do not record."""
        return self.table.cannot

    def matches(self, file: File) -> bool:
        """Whether the first values are trajectories."""
        return self.table.matches(file)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file; its own exports are judged already."""
        head = [v for value in file.head() for v in (value if isinstance(value, list) else [value])]
        if not any(map(_is_marked, head)):
            yield from self.table.read(file)
            return
        for document in file.documents():
            if isinstance(document, Unreadable):
                yield document
                continue
            listed = isinstance(document.value, list)
            for number, value in enumerate(document.value if listed else [document.value], start=1):
                position = number if listed else document.position
                try:
                    own = own_case(dict_or_empty(value))
                except UnsupportedVersion as exc:
                    yield Unreadable(file.name, str(exc), position)
                    continue
                file.is_judged = own is not None
                if own is None:
                    yield from self.table.cases(value, file, position)
                else:
                    own.source = own.source or Source(file.name, NAME, position)
                    yield own


ATIF = Atif(table_of(NAME, rows()[NAME]))
