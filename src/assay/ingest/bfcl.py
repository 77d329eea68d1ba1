"""Berkeley Function-Calling Leaderboard: result files, and score files that name the failures.

A result file says what a model answered, a score file which answers were wrong and why. They
lie in two trees, `result/MODEL/…` and `score/MODEL/…`; whichever is read, the other is looked
up, so that both tell the same runs.
"""

from __future__ import annotations

import re
from itertools import takewhile, zip_longest
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Document, Unreadable
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    id_or_none,
    objects_in,
    stable_id,
    text_at,
    text_of,
    whole_path,
)
from assay.ingest.named_types import in_json_schema
from assay.ingest.openai_chat import calls_of
from assay.ingest.packed_names import path_inside
from assay.ingest.pipe import Pipe
from assay.ingest.python_calls import python_calls
from assay.ingest.recording import Format, Recording
from assay.records import preview
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

_ITEM_ID = re.compile(r"(?P<category>[a-z][a-z0-9_]{0,80}?)_\d+(?:-\d+)*")
_DEEPEST = 5
RESULT_NAMES = (
    "gorilla_openfunctions_v1_test_{category}_result.json",
    "BFCL_v2_{category}_result.json",
    "BFCL_v3_{category}_result.json",
    "BFCL_v4_{category}_result.json",
    "{category}_result.json",
)
# Folders between a model's and its files.
GROUPS = frozenset(
    {"non_live", "live", "multi_turn", "agentic", "web_search", "format_sensitivity"}
    | {"memory", "kv", "vector", "rec_sum", "text", "text_audio", "audio", "vision"}
)
SCORE_NAMES = (
    "{category}_score.json",
    "BFCL_v2_{category}_score.json",
    "BFCL_v3_{category}_score.json",
    "BFCL_v4_{category}_score.json",
)


def _recognise(recording: Recording) -> float:
    values = recording.sample
    if values and _is_header(values[0]):
        return 1.0
    return 0.9 if values and all(_is_result(value) for value in values) else 0.0


def _is_header(value: object) -> bool:
    return isinstance(value, dict) and {"accuracy", "correct_count", "total_count"} <= value.keys()


def _is_result(value: object) -> bool:
    # What a model answered is text, or a list of calls or of turns; others count their items too.
    if not isinstance(value, dict) or isinstance(value.get("result", {}), dict):
        return False
    return _ITEM_ID.fullmatch(text_at(value, "id") or "") is not None


def _is_failure(value: object) -> bool:
    return isinstance(value, dict) and {"id", "error_type", "valid"} <= value.keys()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if recording.sample and _is_header(recording.sample[0]):
        yield from _read_scores(recording)
    else:
        yield from _read_results(recording)


def _read_results(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    first = dict_or_empty(recording.sample[0]) if recording.sample else {}
    scores = _other_tree(recording, "score", SCORE_NAMES, _category(text_at(first, "id")))
    failures = None if scores is None else _failures_of(scores)
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif _is_result(document.value):
            yield from _runs_of_result(document, recording, failures)
        else:
            yield Unreadable(recording.name, _expected("a result", document), document.position)


def _runs_of_result(
    document: Document, recording: Recording, failures: dict[str, Any] | None
) -> Iterator[AgentTestCase | Unreadable]:
    failure = None if failures is None else failures.get(document.value["id"])
    source = Source(recording.name, BFCL.name, document.position)
    outcome = None if failures is None else _outcome(failure)
    yield from _runs(document.value, failure, outcome, _model(recording), source)


def _read_scores(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    results: dict[str, Document] | None = None
    place = recording
    for document in recording.documents():
        value = document.value if isinstance(document, Document) else None
        if isinstance(document, Unreadable):
            yield document
        elif _is_failure(value):
            item = _item_id(document.value)
            if results is None:
                found = _other_tree(recording, "result", RESULT_NAMES, _category(item))
                results = {} if found is None else _results_of(found)
                place = found or recording
            yield from _runs_of_failure(document, item, results.get(item), place)
        elif not _is_header(value):
            yield Unreadable(recording.name, _expected("a failure", document), document.position)


def _runs_of_failure(
    document: Document, item: str, answered: Document | None, place: Recording
) -> Iterator[AgentTestCase | Unreadable]:
    failure = document.value
    model = text_at(failure, "model_name") or _model(place)
    if answered is not None:
        source = Source(place.name, BFCL.name, answered.position)
        yield from _runs(answered.value, failure, _outcome(failure), _model(place), source)
        return
    raw = failure.get("model_result_raw", failure.get("model_result"))
    source = Source(place.name, BFCL.name, document.position)
    yield from _runs({"id": item, "result": raw}, failure, _outcome(failure), model, source)


def _runs(
    answered: dict[str, Any],
    failure: dict[str, Any] | None,
    outcome: RunOutcome | None,
    model: str | None,
    source: Source,
) -> Iterator[AgentTestCase | Unreadable]:
    """The run of one answer, and what of its log could not be told."""
    run, problems = RunBuilder(), list[str]()
    prompt = dict_or_empty(dict_or_empty(failure).get("prompt"))
    question = prompt.get("question")
    turns = _logged_turns(answered)
    for message in _messages(question) if question is not None or not turns else ():
        run.user(message)
    if turns:
        problems = _tell_turns(run, answered["result"], turns, asked=question is not None)
    else:
        _tell(run, answered["result"])
    latency = amount_or_none(answered.get("latency"))
    yield run.finish(
        run_id=stable_id(BFCL.name, model, answered["id"], answered["result"]),
        task_id=answered["id"],
        model=model,
        framework="bfcl",
        outcome=outcome,
        available_tools=_tools(prompt.get("function")),
        usage=_usage(answered),
        source=source,
        extra={"category": _category(answered["id"])}
        | ({} if latency is None else {"latency": latency}),
    )
    for problem in problems:
        yield Unreadable(source.path or "", f"{answered['id']}: {problem}", source.position)


def _messages(question: object) -> list[object]:
    """The question as text, or the messages of its turns."""
    turns = question if isinstance(question, list) else [question]
    flat = [m for turn in turns for m in (turn if isinstance(turn, list) else [turn])]
    return [m.get("content") if isinstance(m, dict) else m for m in flat]


def _tell(run: RunBuilder, answer: object, depth: int = 0) -> None:
    """An answer is text, a list of calls, or a list of such by turns and steps."""
    if isinstance(answer, str):
        run.assistant(answer, _written_calls(answer))
    elif isinstance(answer, list) and depth < _DEEPEST:
        if answer and all(isinstance(item, dict) for item in answer):
            run.assistant(None, [call for item in answer for call in _named_calls(item)])
        else:
            for item in answer:
                _tell(run, item, depth + 1)


def _logged_turns(answered: dict[str, Any]) -> list[dict[str, Any]]:
    """What happened in each turn, where the calls were run."""
    log = objects_in(answered.get("inference_log"))
    turns = [entry for entry in log if "begin_of_turn_query" in entry]
    return turns if isinstance(answered.get("result"), list) else []


def _tell_turns(
    run: RunBuilder, result: list[Any], turns: list[dict[str, Any]], *, asked: bool
) -> list[str]:
    """Tell each step's answer and then what its calls gave back; what does not fit comes back."""
    problems = []
    if len(result) != len(turns):
        problems.append(f"{len(result)} turns were answered, {len(turns)} logged")
    no_turn: dict[str, Any] = {}
    for number, (answers, turn) in enumerate(zip_longest(result, turns), start=1):
        logged = no_turn if turn is None else turn
        for message in () if asked else _messages(logged.get("begin_of_turn_query")):
            run.user(message)
        steps = answers if isinstance(answers, list) else [answers] if answers else []
        for step, answer in enumerate(steps):
            before = len(run.calls)
            _tell(run, answer, 2)
            calls, given = run.calls[before:], _given(logged, step)
            for call, content in zip(calls, given, strict=False):
                call.result = content
            if turn is not None and len(given) not in {0, len(calls)}:
                place = f"turn {number}, step {step}"
                problems.append(f"{place}: {len(calls)} calls, but {len(given)} results logged")
    return problems


def _given(turn: dict[str, Any], step: int) -> list[Any]:
    """What the calls of a step gave back."""
    logged = objects_in(turn.get(f"step_{step}"))
    return [entry.get("content") for entry in logged if entry.get("role") == "tool"]


def _named_calls(item: dict[str, Any]) -> list[ToolExecutionResult]:
    return [ToolExecutionResult(name, decode_arguments(sent)) for name, sent in item.items()]


def _written_calls(text: str) -> list[ToolExecutionResult]:
    """Calls that a model without a calling interface wrote as JSON or as Python."""
    decoded = decode_json_text(text)
    if isinstance(decoded, dict):
        return calls_of(decoded)
    if isinstance(decoded, list):
        return calls_of({"tool_calls": [item for item in objects_in(decoded) if "name" in item]})
    return python_calls(text)


def _outcome(failure: dict[str, Any] | None) -> RunOutcome:
    if failure is None:
        return RunOutcome(success=True, decided_by="bfcl checker")
    error = failure.get("error")
    kept = {key: failure[key] for key in ("error_type", "possible_answer") if failure.get(key)}
    return RunOutcome(
        success=False, decided_by="bfcl checker", reason=text_of(error) or None, extra=kept
    )


def _usage(answered: dict[str, Any]) -> Usage | None:
    usage = Usage(
        input_tokens=_total(answered.get("input_token_count")),
        output_tokens=_total(answered.get("output_token_count")),
    )
    return None if usage == Usage() else usage


def _total(counted: object, depth: int = 0) -> int | None:
    """A count, or the sum of those of all turns and steps."""
    if not isinstance(counted, list) or depth > _DEEPEST:
        number = amount_or_none(counted)
        return None if number is None else int(number)
    counts = [_total(item, depth + 1) for item in counted]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _tools(declared: object) -> list[Any] | None:
    if isinstance(declared, str):
        declared = decode_json_text(declared)
    functions = objects_in([declared] if isinstance(declared, dict) else declared)
    return [in_json_schema(function) for function in functions] or None


def _failures_of(scores: Recording) -> dict[str, Any]:
    found = (d.value for d in scores.documents() if isinstance(d, Document))
    return {_item_id(value): value for value in found if _is_failure(value)}


def _results_of(results: Recording) -> dict[str, Document]:
    found = (d for d in results.documents() if isinstance(d, Document) and _is_result(d.value))
    return {document.value["id"]: document for document in found}


def _item_id(failure: dict[str, Any]) -> str:
    """Old score files count the items of a category from 1; their ids count from 0."""
    number = count_or_none(failure.get("id"))
    if number is None:
        return id_or_none(failure.get("id")) or ""
    return f"{text_at(failure, 'test_category')}_{number - 1}"


def _category(item: str | None) -> str | None:
    match = _ITEM_ID.fullmatch(item or "")
    return match["category"] if match else None


def _model(recording: Recording) -> str | None:
    return _whereabouts(recording).model


class _Whereabouts(NamedTuple):
    """The folder of a model, and those in it that later versions sort categories by."""

    model: str | None
    groups: tuple[str, ...] = ()


def _whereabouts(recording: Recording) -> _Whereabouts:
    if isinstance(recording.place, Pipe):
        return _Whereabouts(None)
    path = PurePath(path_inside(recording.name) or whole_path(recording.name))
    folders = path.relative_to(path.anchor).parts[:-1]
    groups = tuple(takewhile(GROUPS.__contains__, reversed(folders)))[::-1]
    above = folders[: len(folders) - len(groups)]
    return _Whereabouts(above[-1] if above else None, groups)


def _other_tree(
    recording: Recording, tree: str, names: tuple[str, ...], category: str | None
) -> Recording | None:
    """The file of the same model and category in the other tree, if it is there."""
    model, groups = _whereabouts(recording)
    if category is None or model is None:
        return None
    folder = PurePosixPath(tree, model, *groups)
    paths = (str(folder / name.format(category=category)) for name in names)
    above = len(groups) + 2
    found = (recording.beside(path, above=above) for path in paths)
    return next(filter(None, found), None)


def _expected(what: str, document: Document) -> str:
    return f"expected {what} of BFCL, got {preview(document.value)}"


BFCL = Format(
    name="bfcl",
    title="Berkeley Function-Calling Leaderboard: results and scores",
    fidelity=(
        "Calls have results only where several turns were run and logged. Verdicts come from the "
        "score file, which tells question and schemas of failed items only; the model is the "
        "folder's name in results. Models that may not use dots in names call a.b a_b."
    ),
    recognise=_recognise,
    read=_read,
)
