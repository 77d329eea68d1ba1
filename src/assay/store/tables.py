"""The tables of a store: their columns as data, and the rows that a case becomes."""

from __future__ import annotations

from hashlib import blake2b, sha256
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import msgspec
from msgspec import Raw, Struct

from assay.evaluation import RecordedEvaluation, RecordedSummary
from assay.execution import ARGUMENTS_RECORDED, UNKNOWN_RULES
from assay.outcome import blames_of
from assay.outcome.seed import seed_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.execution import ToolExecutionResult
    from assay.run import Source
    from assay.store.case_text import CallFacts, CaseFacts, EncodedCall
    from assay.test_case import AgentTestCase


class RunRow(Struct, gc=False, kw_only=True, omit_defaults=True):
    """One run: what it was, how it ended, what it cost, where it was recorded."""

    run_key: str
    run_id: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    model: str | None = None
    framework: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    input: str
    actual_output: str | None = None
    outcome_success: bool | None = None
    outcome_score: float | None = None
    outcome_decided_by: str | None = None
    calls: int
    failed_calls: int
    total_rounds: int | None = None
    planning_json_compliance: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    source_path: str | None = None
    source_format: str | None = None
    source_position: int | None = None
    experiment: str | None = None
    folder_model: str | None = None


class CallRow(Struct, gc=False, kw_only=True, omit_defaults=True):
    """One tool call: what was asked, how it went, whose fault it was."""

    run_key: str
    position: int
    model: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    call_id: str | None = None
    parent_id: str | None = None
    turn: int | None = None
    server: str  # never NULL, so that comparing servers is never unknown
    tool: str
    arguments: str
    arguments_key: str | None = None  # NULL is the same as no other
    failed: bool | None  # NULL where the outcome is unknown
    reported_success: bool | None = None
    success_rule: str | None = None
    error_message: str | None = None
    blame: str | None = None
    kind: str | None = None
    blame_rule: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    execution_time: float | None = None
    result_bytes: int | None = None
    experiment: str | None = None
    folder_model: str | None = None
    dynamically_loaded: bool | None = None
    only_in_trace: bool | None = None
    seed_category: str | None = None
    seed_subcategory: str | None = None
    injected: str | None = None
    recorded_blame: str | None = None


class EvaluationRow(RecordedEvaluation, frozen=True, gc=False):
    """What somebody else's judge said of a run, which is known by its task and attempt."""

    evaluation_key: str = ""


class SummaryRow(RecordedSummary, frozen=True, gc=False):
    """Means over evaluations, as they were recorded."""

    evaluation_key: str = ""


class ScoreRow(Struct, gc=False, kw_only=True):
    """One value of a score that we gave a run: the whole, or a part of it at its path.

    All rows of one score share its key. What is told once stands in the row of the whole.
    """

    score_key: str
    run_key: str
    metric: str
    path: str
    name: str
    value: float | None
    reason: str
    label: str
    judge: str  # never NULL: empty where nobody judged
    settings_key: str
    settings: str | None = None
    model: str | None = None
    rubric: str | None = None
    rubric_hash: str | None = None
    language: str | None = None
    evidence: str | None = None
    seed: int | None = None
    runs: int | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    scored_at: float
    tree: str | None = None


class GoldenRow(Struct, gc=False):
    """A run was marked as golden, or the mark was taken back; the last word counts."""

    mark_key: str
    run_key: str
    is_golden: bool
    marked_at: float


class OutgrownRow(Struct, gc=False):
    """A run that went on after it was imported, and the run as it was then."""

    run_key: str
    later_key: str


class CaseRow(Struct, gc=False):
    """The whole record of a run as JSON, and where it was read, from which all else follows."""

    run_key: str
    source: str | None
    case: str


_SQL_TYPES: dict[type, str] = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


def _columns(row: type[Struct]) -> dict[str, str]:
    return {
        name: next(_SQL_TYPES[kind] for kind in get_args(hint) or (hint,) if kind is not NoneType)
        for name, hint in get_type_hints(row).items()
    }


TABLES: dict[str, dict[str, str]] = {
    "runs": _columns(RunRow),
    "calls": _columns(CallRow),
    "cases": _columns(CaseRow),
    "evaluations": _columns(EvaluationRow),
    "summaries": _columns(SummaryRow),
    "scores": _columns(ScoreRow),
    "golden": _columns(GoldenRow),
    "outgrown": _columns(OutgrownRow),
}
# A run's model: what its folder calls it, else what its file does. Who asks may name it either way.
MODEL = "COALESCE(folder_model, model)"
IS_MODEL = "$model IN (folder_model, model)"
# A run without a task id belongs to the task that its input words; without either it stands alone.
TASK = "COALESCE(task_id, NULLIF(input, ''), run_key)"
# How many calls a run made, and failed; NULL of one of which neither calls nor an answer were kept.
_HAS_CALLS_TOLD = "(calls > 0 OR total_rounds IS NOT NULL OR actual_output IS NOT NULL)"
CALLS = f"CASE WHEN {_HAS_CALLS_TOLD} THEN calls END"
FAILED_CALLS = f"CASE WHEN {_HAS_CALLS_TOLD} THEN failed_calls END"
# A call that is known to have worked, or to have failed; the outcome of another is unknown.
SUCCEEDED = "COALESCE(NOT failed, FALSE)"
FAILED = "COALESCE(failed, FALSE)"
# What a row is known by, table by table; it stands once in a store.
KEYS = {
    "runs": "run_key",
    "calls": "run_key",
    "cases": "run_key",
    "evaluations": "evaluation_key",
    "summaries": "evaluation_key",
    "scores": "score_key",
    "golden": "mark_key",
    "outgrown": "run_key",
}

# Long texts are whole in `cases`; the other tables keep enough to look at.
LONGEST_TEXT = 100_000
LONGEST_ARGUMENTS = 2_000
LONGEST_MESSAGE = 1_000
_LONGEST_NAME = 1_000
_LARGEST = 2**63 - 1
_SEED_FRAMEWORK = "toolgym"
_NULL = b"null"
_decode = msgspec.json.Decoder().decode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode


def run_key(text: bytes) -> str:
    """The key of a run: a digest of everything recorded of it, wherever the file lies."""
    return sha256(text).hexdigest()[:32]  # processors have an instruction for it


def run_row(key: str, told: AgentTestCase | CaseFacts, source: Source | None) -> RunRow:
    """The row of `runs` for a case, as it may be told: of one with secrets, its masked facts."""
    data, outcome, usage, calls = told.execution_data, told.outcome, told.usage, told.calls
    return RunRow(
        run_key=key,
        run_id=_name(told.run_id),
        task_id=_name(told.task_id),
        attempt=_whole(told.attempt),
        model=_name(told.model),
        framework=_name(told.framework),
        agent_id=_name(told.agent_id),
        session_id=_name(told.session_id),
        input=told.input[:LONGEST_TEXT],
        actual_output=told.actual_output and told.actual_output[:LONGEST_TEXT],
        outcome_success=outcome.success if outcome else None,
        outcome_score=outcome.score if outcome else None,
        outcome_decided_by=_name(outcome.decided_by) if outcome else None,
        calls=len(calls),
        failed_calls=sum(
            [not call.success and call.success_rule not in UNKNOWN_RULES for call in calls]
        ),
        total_rounds=_whole(data.total_rounds) if data else None,
        planning_json_compliance=data.planning_json_compliance if data else None,
        started_at=told.started_at,
        ended_at=told.ended_at,
        input_tokens=_whole(usage.input_tokens) if usage else None,
        output_tokens=_whole(usage.output_tokens) if usage else None,
        cache_read_tokens=_whole(usage.cache_read_tokens) if usage else None,
        cache_write_tokens=_whole(usage.cache_write_tokens) if usage else None,
        reasoning_tokens=_whole(usage.reasoning_tokens) if usage else None,
        cost_usd=usage.cost_usd if usage else None,
        source_path=_name(source.path) if source else None,
        source_format=_name(source.format) if source else None,
        source_position=_whole(source.position) if source else None,
        experiment=_word(told.extra.get("experiment")),
        folder_model=_word(told.extra.get("folder_model")),
    )


def call_rows(
    key: str,
    told: AgentTestCase | CaseFacts,
    case: AgentTestCase,
    encoded: Sequence[EncodedCall],
) -> list[CallRow]:
    """The rows of `calls` for a case, in the order of the calls.

    What is written comes from the case as it may be told, and its encoded calls; the case itself
    is only asked what the seed would have made of a call.
    """
    model, task, attempt = _name(told.model), _name(told.task_id), _whole(told.attempt)
    experiment, folder_model = map(_word, map(told.extra.get, ("experiment", "folder_model")))
    is_seeds = case.framework == _SEED_FRAMEWORK
    calls: Sequence[ToolExecutionResult | CallFacts] = told.calls
    rows: list[CallRow] = []
    blames = blames_of(case)
    for call, whole, values, blamed in zip(calls, case.calls, encoded, blames, strict=True):
        arguments = bytes(values.parameters)
        # More than fifteen keywords at once would be gathered in a dict first.
        row = CallRow(
            run_key=key,
            position=len(rows),
            model=model,
            task_id=task,
            attempt=attempt,
            turn=_whole(call.turn),
            server=_name(call.server) or "",
            tool=call.tool[:_LONGEST_NAME],
            arguments=_beginning(arguments),
            arguments_key=_arguments_key(arguments, call.parameters),
            failed=None if whole.succeeded is None else not call.success,
            reported_success=call.reported_success,
            success_rule=_name(call.success_rule),
            result_bytes=_size(values.result),
        )
        row.execution_time = call.execution_time
        row.experiment, row.folder_model = experiment, folder_model
        _fill_in(row, call)
        if blamed is not None:
            row.blame, row.kind, row.blame_rule = blamed.blame, blamed.kind, blamed.rule
        if (seed := seed_error(whole, is_seeds=is_seeds)) is not None:
            row.seed_category, row.seed_subcategory = seed
        rows.append(row)
    return rows


def _fill_in(row: CallRow, call: ToolExecutionResult | CallFacts) -> None:
    """What few calls have; what is None already is left alone."""
    if call.call_id is not None or call.parent_id is not None:
        row.call_id, row.parent_id = _name(call.call_id), _name(call.parent_id)
    if call.started_at is not None or call.ended_at is not None:
        row.started_at, row.ended_at = call.started_at, call.ended_at
    if extra := call.extra:
        if extra.get(ARGUMENTS_RECORDED) is False:
            row.arguments_key = None
        row.dynamically_loaded = _flag(extra.get("dynamically_loaded"))
        row.only_in_trace = _flag(extra.get("only_in_trace"))
        if isinstance(fault := extra.get("injected"), dict):
            row.injected = _word(fault.get("kind"))
            row.recorded_blame = _word(fault.get("blame"))
    if call.error_message is not None:
        row.error_message = call.error_message[:LONGEST_MESSAGE]


def _beginning(arguments: bytes) -> str:
    if len(arguments) <= LONGEST_ARGUMENTS:
        return arguments.decode()
    return arguments[:LONGEST_ARGUMENTS].decode(errors="ignore")


def _arguments_key(arguments: bytes, given: Any) -> str:
    """The same for the same arguments, in whatever order they were given."""
    if b"," in arguments:
        try:
            arguments = _encode_sorted(_decode(arguments) if isinstance(given, Raw) else given)
        except TypeError:  # keys that are no texts in Python, as they are in JSON
            arguments = _encode_sorted(_decode(arguments))
    return blake2b(arguments, digest_size=8).hexdigest()


def _size(result: Raw) -> int | None:
    size = memoryview(result).nbytes
    return None if size == len(_NULL) and bytes(result) == _NULL else size


def _name(text: str | None) -> str | None:
    return text and text[:_LONGEST_NAME]


def _word(value: object) -> str | None:
    """A text that nobody promised to be one."""
    return _name(value) if isinstance(value, str) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _whole(number: int | None) -> int | None:
    """The number, if a column can hold it."""
    return number if number is None or -_LARGEST <= number <= _LARGEST else None
