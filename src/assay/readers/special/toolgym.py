"""ToolGym: ReAct, fault injection, budget, multi-turn and goal-oriented runs; evaluations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.outcome.seed import (
    SEED_ERROR,
    classify_error,
    is_flagged,
    seed_error_of_record,
)
from assay.readers.documents import Unreadable, unexpected
from assay.readers.special.toolgym_evals import is_judged, judged_from
from assay.readers.special.toolgym_parts import (
    RecordedCall,
    Step,
    Trajectory,
    Turn,
    pair_calls,
    read_trace,
    trajectory_from,
    turn_from,
)
from assay.readers.values import (
    amount,
    count,
    decode_arguments,
    dict_or_empty,
    objects_in,
    seconds,
    stable_id,
    text_or_none,
    whole_path,
)
from assay.run import RunOutcome, Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evaluation import Judged
    from assay.readers.files.file import File

NAME = "toolgym"
_PASS = re.compile(r"pass@(\d{1,6})")
_LEVEL = re.compile(r"baseline|budget_\d{1,6}")
# Trees of other experiments: the model's folder is the one below.
_TREES = frozenset({"budget_test", "emergency_test", "goaloriented"})
# The runtime's own layout: trajectories/MODEL/pass@k and trajectories/iterN/MODEL/pass@k.
_ABOVE_A_MODEL = re.compile(r"trajectories|iter\d{1,6}")
_LONGEST_REMEMBERED = 500
_READ_OF_TURN = frozenset(
    {"query", "agent_response", "tool_calls", "reasoning_trace", "tool_results"}
)
_READ_OF_METADATA = frozenset(
    {"timestamp", "query", "seed_query", "model", "agent_model", "pass_number"}
    | {"query_uuid", "uuid", "conversation_id", "interception_stats", "turns"}
)


class Place(Struct, frozen=True):
    """What the path of a trajectory says of it, for what its content leaves open."""

    model: str | None = None
    attempt: int | None = None
    budget: str | None = None


def read_place(name: str) -> Place:
    """Read the folders of a path; the model's is named only where the layout is sure of it."""
    return _read_folder(whole_path(name).replace("\\", "/").rpartition("/")[0])


@lru_cache(maxsize=1024)
def _read_folder(path: str) -> Place:
    folders = tuple(path.split("/"))
    passes = [match for folder in folders if (match := _PASS.fullmatch(folder))]
    attempt = int(passes[-1][1]) if passes else None
    for i, folder in enumerate(folders[:-1]):
        if folder.lower() in _TREES:
            below = folders[i + 2] if len(folders) > i + 2 else ""
            budget = below if folder.lower() == "budget_test" and _LEVEL.fullmatch(below) else None
            return Place(folders[i + 1], attempt, budget)
    above = folders[: folders.index(passes[-1][0])] if passes else ()
    sure = len(above) > 1 and _ABOVE_A_MODEL.fullmatch(above[-2])
    return Place(above[-1] if sure and not _ABOVE_A_MODEL.fullmatch(above[-1]) else None, attempt)


def _item(value: object, place: Place, source: Source) -> AgentTestCase | Judged | Unreadable:
    name = source.path or ""
    found = dict_or_empty(value)
    if isinstance(found.get("turns"), list):
        return _conversation(found, place, source)
    if isinstance(found.get("metadata"), dict) and "execution" in found:
        return _react(trajectory_from(found), place, source)
    judged = judged_from(value, name)
    return judged or unexpected(name, value, "a ToolGym trajectory", source.position)


class _Run:
    """Calls and conversation of a run, turn by turn."""

    def __init__(self) -> None:
        self.calls: list[ToolExecutionResult] = []
        self.history: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.not_calls: list[Any] = []

    def exchange(self, turn: Turn) -> None:
        """Add one question, the calls it led to, and the answer."""
        if query := text_or_none(turn.query):
            self.history.append({"role": "user", "content": query})
        trace = read_trace(turn.trace)
        first = len(self.calls)
        for call, step in pair_calls(turn.calls, trace.steps):
            self._call(_traced_call(step or Step("")) if call is None else _call(call, step), step)
        if turn.results:
            _fill_results(self.calls[first:], turn.results)
        self.not_calls += turn.not_calls
        self.errors += trace.errors
        if answer := text_or_none(turn.answer):
            self.history.append({"role": "assistant", "content": answer})

    def _call(self, call: ToolExecutionResult, step: Step | None) -> None:
        self.calls.append(call)
        call.turn = len(self.calls)
        said: dict[str, Any] = {"role": "assistant", "content": "", "turn": call.turn}
        if step is not None and step.thought:
            said["reasoning"] = step.thought
        self.history.append(said)

    def finish(self, question: str | None, answer: str | None, **known: Any) -> AgentTestCase:
        """The case, with what else is known of it."""
        extra = {**known.pop("extra"), "errors": self.errors, "not_calls": self.not_calls}
        return AgentTestCase(
            question or "",
            answer,
            execution_data=MCPExecutionData(
                self.calls, max(len(self.calls), 1), planning_json_compliance=None
            ),
            conversation_history=self.history or None,
            framework="toolgym",
            planning_strategy="react",
            extra={key: value for key, value in extra.items() if value not in (None, [], {})},
            **known,
        )


def _fill_results(calls: list[ToolExecutionResult], results: list[dict[str, Any]]) -> None:
    """Older multi-turn files list the results apart, one a call."""
    if len(calls) == len(results):
        for call, stated in zip(calls, results, strict=True):
            call.result = stated.get("result") if call.result is None else call.result


def _call(call: RecordedCall, step: Step | None) -> ToolExecutionResult:
    result = call.result
    if result is None:
        result = step.result if step is not None and step.result else call.result_preview
    found = ToolExecutionResult(
        text_or_none(call.tool) or "",
        decode_arguments(call.arguments),
        result,
        success=True,
        server=text_or_none(call.server),
        execution_time=amount(call.duration_seconds),
    )
    status = text_or_none(call.status)
    # "success" only says that something came back: the runtime writes it beside failures too.
    if status is not None and status != "success":
        found.success = found.reported_success = False
        found.error_message = text_or_none(call.error) or text_or_none(call.load_error)
    if error := _seed_error(status, call.result):
        found.extra[SEED_ERROR] = "/".join(error)
    if call.dynamically_loaded is True:
        found.extra["dynamically_loaded"] = True
    return found


def _seed_error(status: str | None, result: object) -> tuple[str, str] | None:
    """How the seed's classifier has a call; messages of failures are short and come again."""
    if status != "success":
        return seed_error_of_record(status, result)
    if not is_flagged(result):
        return None
    return (_remembered_class if len(result) <= _LONGEST_REMEMBERED else classify_error)(result)


_remembered_class = lru_cache(maxsize=8_192)(classify_error)


def _traced_call(step: Step) -> ToolExecutionResult:
    """A call that only the trace tells of."""
    tool, server = step.target()
    return ToolExecutionResult(
        tool=tool,
        parameters=step.arguments(),
        result=step.result,
        success=True,
        server=server or None,
        extra={"only_in_trace": True},
    )


def _react(found: Trajectory, place: Place, source: Source) -> AgentTestCase:
    metadata = found.metadata
    query, answer = text_or_none(found.turn.query), text_or_none(found.turn.answer)
    run = _Run()
    run.exchange(found.turn)
    uuid, timestamp = (
        text_or_none(metadata.get("query_uuid")),
        text_or_none(metadata.get("timestamp")),
    )
    model, attempt = _model_and_attempt(metadata.get("model"), metadata, place)
    return run.finish(
        query,
        answer,
        run_id=stable_id(NAME, model, uuid, attempt, timestamp, query, answer),
        task_id=uuid,
        attempt=attempt,
        model=model,
        ended_at=seconds(timestamp),
        source=source,
        extra={**_rest(metadata), **_experiment(found, place), "servers": found.servers},
    )


def _experiment(found: Trajectory, place: Place) -> dict[str, Any]:
    """Which of ToolGym's experiments a single question belongs to."""
    injected = found.interception or found.metadata.get("interception_stats")
    if found.metadata.get("emergency_test") is True or injected:
        return {"experiment": "emergency", "interception": injected, "folder_model": place.model}
    if place.budget:
        return {"experiment": "budget", "budget": place.budget, "folder_model": place.model}
    return {"experiment": "react", "folder_model": place.model}


def _conversation(value: dict[str, Any], place: Place, source: Source) -> AgentTestCase:
    """A run of several questions: multi-turn, or with a goal in its metadata."""
    is_goal = isinstance(value.get("metadata"), dict)
    about = value["metadata"] if is_goal else value
    turns = objects_in(value["turns"])
    run = _Run()
    for turn in turns:
        run.exchange(turn_from(turn))
    answer = text_or_none(turns[-1].get("agent_response")) if turns else None
    question = text_or_none(about.get("seed_query")) or (
        text_or_none(turns[0].get("query")) if turns else None
    )
    task = text_or_none(about.get("uuid")) or text_or_none(about.get("conversation_id"))
    timestamp = text_or_none(about.get("timestamp"))
    model, attempt = _model_and_attempt(about.get("agent_model"), about, place)
    return run.finish(
        question,
        answer,
        run_id=stable_id(NAME, model, task, attempt, timestamp, question, answer),
        task_id=task,
        session_id=text_or_none(about.get("conversation_id")),
        attempt=attempt,
        model=model,
        outcome=_outcome(about),
        ended_at=seconds(timestamp),
        source=source,
        extra={
            **_rest(about),
            "experiment": "goal-oriented" if is_goal else "multi-turn",
            "folder_model": place.model,
            "summary": value.get("summary"),
            "turns": [_rest_of_turn(turn) for turn in turns],
        },
    )


def _rest(metadata: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in metadata.items() if key not in _READ_OF_METADATA}


def _rest_of_turn(turn: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in turn.items() if key not in _READ_OF_TURN}


def _model_and_attempt(
    recorded: object, metadata: dict[str, Any], place: Place
) -> tuple[str | None, int | None]:
    attempt = count(metadata.get("pass_number"))
    return text_or_none(recorded) or place.model, place.attempt if attempt is None else attempt


def _outcome(about: dict[str, Any]) -> RunOutcome | None:
    achieved = about.get("goal_achieved")
    if not isinstance(achieved, bool):
        return None
    return RunOutcome(
        success=achieved,
        score=amount(about.get("goal_completion_rate")),
        decided_by="ToolGym's simulated user",
        reason="timeout" if about.get("timeout_occurred") is True else None,
    )


class ToolGym(Struct, frozen=True):
    """Trajectories and evaluations of ToolGym."""

    name: str = NAME
    title: str = "ToolGym trajectories (ReAct, emergency, budget, multi-turn, goal), evaluations"
    cannot: str = (
        "Ids and times of calls, parallel calls; status is success whatever came back. Calls that "
        "raised stand in the trace only. A budget stands in the folder's name only; of evaluations "
        "model, judge and attempt stand in the path only."
    )

    def matches(self, file: File) -> bool:
        """Whether the first value is a trajectory, a conversation or an evaluation."""
        head = file.head()
        first = head[0] if head else None
        if isinstance(first, list):
            first = first[0] if first else None
        if not isinstance(first, dict):
            return False
        metadata = first.get("metadata")
        if isinstance(metadata, dict):
            if "execution" in first:
                return "reasoning_trace" in first or "servers" in first
            if isinstance(first.get("turns"), list):
                return "agent_model" in metadata
        return {"conversation_id", "turns", "agent_model"} <= first.keys() or is_judged(first)

    def read(self, file: File) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """Runs and evaluations, one for each document."""
        place = read_place(file.name)
        for document in file.documents():
            if isinstance(document, Unreadable):
                yield document
                continue
            source = Source(file.name, NAME, document.position)
            listed = document.value if isinstance(document.value, list) else [document.value]
            for value in listed:
                yield _item(value, place, source)


TOOLGYM = ToolGym()
