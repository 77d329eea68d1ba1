"""assay as an MCP server: an agent that writes agents asks what a store says. It only reads.

Loaded only where it is served: the protocol's own SDK is behind it.
"""

from __future__ import annotations

from functools import wraps
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from assay import MCPToolMetric, Score, Store, score_cases
from assay.errors import AssayError, InvalidSettings, UnknownName
from mcp.server import MCPServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay import AgentTestCase

_INSTRUCTIONS = (
    "Recorded runs of LLM agents that use tools, judged by assay. Begin with list_runs. A failed "
    "call has a blame: the model, the server, the environment, or unknown."
)
_ONLY_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_RUNS = """
    SELECT run_key, task_id AS task, COALESCE(model, folder_model) AS model, framework, calls,
           failed_calls, outcome_success AS success, outcome_score, source_path AS source
    FROM runs
    WHERE ($model IS NULL OR COALESCE(model, folder_model) = $model)
      AND ($task IS NULL OR task_id = $task) AND (NOT $failed OR NOT outcome_success)
    ORDER BY task_id, model, attempt, run_key
"""
_CALLS = """
    SELECT position, server, tool, arguments, failed, blame, kind, error_message AS error
    FROM calls WHERE run_key = $key ORDER BY position
"""
_MATCHING = """
    SELECT run_key FROM runs
    WHERE starts_with(run_key, $run) OR run_id = $run OR task_id = $run ORDER BY run_key LIMIT 6
"""
_LONGEST = 4000
RunName = Annotated[
    str, Field(description="Its run_key or the beginning of it, its id, or a task with one run.")
]
StorePath = Annotated[
    str, Field(description="The folder of a store; leave it out for the one that is served.")
]


def make_server(store: Path | None) -> MCPServer:
    """The server; of one store, or of any that a call names."""
    server = MCPServer("assay", instructions=_INSTRUCTIONS, log_level="ERROR")
    questions = _Questions(store)
    for tool in (
        questions.list_runs,
        questions.show_run,
        questions.score_run,
        questions.compare_runs,
    ):
        server.tool(annotations=_ONLY_READS)(_with_errors_as_text(tool))
    return server


def _with_errors_as_text(tool: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(tool)
    def answer(*args: Any, **given: Any) -> Any:
        try:
            return tool(*args, **given)
        except AssayError as exc:
            raise ToolError(str(exc)) from exc

    return answer


class _Questions:
    def __init__(self, store: Path | None) -> None:
        self._served = store

    def list_runs(
        self,
        model: Annotated[str, Field(description="Only runs of this model.")] = "",
        task: Annotated[str, Field(description="Only runs of this task.")] = "",
        failed: Annotated[bool, Field(description="Only runs that did not succeed.")] = False,  # noqa: FBT002 - an argument of the tool
        limit: Annotated[int, Field(description="So many at most.", ge=1, le=1000)] = 20,
        store: StorePath = "",
    ) -> dict[str, Any]:
        """List recorded runs: task, model, calls, failed calls, and whether the task succeeded."""
        asked = {"model": model or None, "task": task or None, "failed": failed}
        found = self._store(store).query(_RUNS, **asked)
        return {"runs": len(found), "listed": found[:limit]}

    def show_run(self, run: RunName, store: StorePath = "") -> dict[str, Any]:
        """Show one run: the task, every call with its verdict and its blame, and the answer."""
        opened, key = self._find(run, store)
        case = _case(opened, key)
        calls = [_shortened(call) for call in opened.query(_CALLS, key=key)]
        return {
            "run_key": key,
            "input": str(case.input)[:_LONGEST],
            "answer": str(case.actual_output)[:_LONGEST],
            "outcome": msgspec.to_builtins(case.outcome.to_dict()) if case.outcome else None,
            "calls": calls,
            "findings": [
                f"call {call['position']}, {call['tool']}: {call['blame']} ({call['kind']}): "
                f"{call['error'] or 'no message'}"
                for call in calls
                if call["failed"]
            ],
        }

    def score_run(self, run: RunName, store: StorePath = "") -> dict[str, Any]:
        """Score one run by its evidence, without a model; nothing is written to the store."""
        opened, key = self._find(run, store)
        (scores,) = score_cases([_case(opened, key)], [MCPToolMetric()])
        (result,) = scores.results
        if not isinstance(result, Score):
            raise InvalidSettings(f"the run cannot be scored: {result.problem}")
        parts = {each.name: each.value for each in result.walk() if each is not result}
        return {"run_key": key, "score": result.value, "reason": result.reason, "parts": parts}

    def compare_runs(
        self, baseline: RunName, candidate: RunName, store: StorePath = ""
    ) -> dict[str, Any]:
        """Compare two runs: their outcomes, failures and answers, and where their calls part."""
        sides = [self.show_run(run, store) for run in (baseline, candidate)]
        pairs = enumerate(zip_longest(*(side["calls"] for side in sides)))
        parted = next(
            (
                {"call": i, "baseline": _call(one), "candidate": _call(other)}
                for i, (one, other) in pairs
                if _call(one) != _call(other)
            ),
            None,
        )
        shown = ("run_key", "outcome", "findings", "answer")
        return {
            "same_task": sides[0]["input"] == sides[1]["input"],
            "same_calls": parted is None,
            "first_difference": parted,
            "baseline": {name: sides[0][name] for name in shown},
            "candidate": {name: sides[1][name] for name in shown},
        }

    def _store(self, named: str) -> Store:
        if self._served is not None and named and Path(named).resolve() != self._served.resolve():
            raise InvalidSettings(f"only {self._served} is served here; leave `store` out")
        path = self._served or (Path(named) if named else None)
        if path is None:
            raise InvalidSettings("no store is served: name one as `store`")
        return Store(path)

    def _find(self, run: str, named: str) -> tuple[Store, str]:
        store = self._store(named)
        keys = [row["run_key"] for row in store.query(_MATCHING, run=run)] if run else []
        if len(keys) > 1 and run not in keys:
            raise InvalidSettings(f"{run!r} means several runs: {', '.join(k[:10] for k in keys)}")
        if not keys:
            some = [row["run_key"][:10] for row in store.query("SELECT run_key FROM runs LIMIT 3")]
            raise UnknownName("run", run, [*some, "others that list_runs lists"])
        return store, run if run in keys else keys[0]


def _case(store: Store, key: str) -> AgentTestCase:
    return next(iter(store.cases(run_keys=[key])))


def _call(call: dict[str, Any] | None) -> dict[str, Any] | None:
    return call and {name: call[name] for name in ("server", "tool", "arguments", "failed")}


def _shortened(call: dict[str, Any]) -> dict[str, Any]:
    return {k: v[:_LONGEST] if isinstance(v, str) else v for k, v in call.items()}
