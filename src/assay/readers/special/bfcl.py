"""BFCL: what models answered, and what the leaderboard's checker made of it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile, zip_longest
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Document, Unreadable
from assay.readers.engine import FoundCall, to_case
from assay.readers.paths import opened
from assay.readers.special.python_calls import python_calls
from assay.readers.special.transcript import Transcript
from assay.readers.values import (
    amount,
    count,
    decode_arguments,
    dict_or_empty,
    objects_in,
    stable_id,
    whole_path,
)
from assay.records import preview
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

NAME = "bfcl"
_COUNTS = ("total_count", "correct_count")
_ITEM_ID = re.compile(r"(?P<category>[a-z][a-z0-9_]{0,80}?)_\d{1,9}(?:[-:_].{0,500})?", re.DOTALL)
# The id in a line that is broken further on.
_ID_IN_TEXT = re.compile(r'"id": ?"([^"\\]{1,500})"')
_DEEPEST = 5
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "int": "integer"}
_TYPES |= {"str": "string", "bool": "boolean", "any": "string", "String": "string"}
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


def _is_header(value: object) -> bool:
    return isinstance(value, dict) and {"accuracy", "correct_count", "total_count"} <= value.keys()


def _is_result(value: object) -> bool:
    # What a model answered is text, or a list of calls or of turns; others count their items too.
    if not isinstance(value, dict) or isinstance(value.get("result", {}), dict):
        return False
    return _ITEM_ID.fullmatch(_text(value, "id") or "") is not None


def _is_failure(value: object) -> bool:
    """Whether a line tells of an item that failed; releases differ in how they say why."""
    return isinstance(value, dict) and "id" in value and value.get("valid") is False


def _read(file: File) -> Iterator[AgentTestCase | Unreadable]:
    if _is_header(next(iter(file.head()), None)):
        yield from _read_scores(file)
    else:
        yield from _read_results(file)


def _read_results(file: File) -> Iterator[AgentTestCase | Unreadable]:
    first = dict_or_empty(next(iter(file.head()), None))
    scores = _other_tree(file, "score", SCORE_NAMES, _category(_text(first, "id")))
    known = None if scores is None else _scores_of(scores)
    for document in file.documents():
        if isinstance(document, Unreadable):
            yield document
        elif _is_result(document.value):
            yield from _runs_of_result(document, file, known)
        else:
            yield Unreadable(file.name, _expected("a result", document), document.position)


def _runs_of_result(
    document: Document, file: File, scores: _Scores | None
) -> Iterator[AgentTestCase | Unreadable]:
    item = document.value["id"]
    failure = None if scores is None else scores.failures.get(item)
    outcome = None if scores is None else scores.outcome(item)
    source = Source(file.name, NAME, document.position)
    yield from _runs(document.value, failure, outcome, _model(file), source)


def _read_scores(file: File) -> Iterator[AgentTestCase | Unreadable]:
    results: dict[str, Document] | None = None
    place = file
    for document in file.documents():
        value = document.value if isinstance(document, Document) else None
        if isinstance(document, Unreadable):
            yield document
        elif _is_failure(value):
            item = _item_id(document.value)
            if results is None:
                found = _other_tree(file, "result", RESULT_NAMES, _category(item))
                results = {} if found is None else _results_of(found)
                place = found or file
            yield from _runs_of_failure(document, item, results.get(item), place)
        elif not _is_header(value):
            yield Unreadable(file.name, _expected("a failure", document), document.position)


def _runs_of_failure(
    document: Document, item: str, answered: Document | None, place: File
) -> Iterator[AgentTestCase | Unreadable]:
    failure = document.value
    model = _text(failure, "model_name") or _model(place)
    if answered is not None:
        source = Source(place.name, NAME, answered.position)
        yield from _runs(answered.value, failure, _outcome(failure), _model(place), source)
        return
    raw = failure.get("model_result_raw", failure.get("model_result"))
    source = Source(place.name, NAME, document.position)
    yield from _runs({"id": item, "result": raw}, failure, _outcome(failure), model, source)


def _runs(
    answered: dict[str, Any],
    failure: dict[str, Any] | None,
    outcome: RunOutcome | None,
    model: str | None,
    source: Source,
) -> Iterator[AgentTestCase | Unreadable]:
    """The run of one answer, and what of its log could not be told."""
    transcript, problems = Transcript(), list[str]()
    prompt = dict_or_empty(dict_or_empty(failure).get("prompt"))
    question = prompt.get("question")
    turns = _logged_turns(answered)
    for message in _messages(question) if question is not None or not turns else ():
        transcript.user(message)
    if turns:
        problems = _add_turns(transcript, answered["result"], turns, asked=question is not None)
    else:
        _add(transcript, answered["result"])
    latency = amount(answered.get("latency"))
    yield to_case(
        transcript.run,
        run_id=stable_id(NAME, model, answered["id"], answered["result"]),
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


def _add(transcript: Transcript, answer: object, depth: int = 0) -> None:
    """An answer is text, a list of calls, or a list of such by turns and steps."""
    if isinstance(answer, str):
        transcript.assistant(answer, _written_calls(answer))
    elif isinstance(answer, list) and depth < _DEEPEST:
        if answer and all(isinstance(item, dict) for item in answer):
            transcript.assistant(None, [call for item in answer for call in _named_calls(item)])
        else:
            for item in answer:
                _add(transcript, item, depth + 1)


def _logged_turns(answered: dict[str, Any]) -> list[dict[str, Any]]:
    """What happened in each turn, where the calls were run."""
    log = objects_in(answered.get("inference_log"))
    turns = [entry for entry in log if "begin_of_turn_query" in entry]
    return turns if isinstance(answered.get("result"), list) else []


def _add_turns(
    transcript: Transcript, result: list[Any], turns: list[dict[str, Any]], *, asked: bool
) -> list[str]:
    """Tell each step's answer and then what its calls gave back; what does not fit comes back."""
    problems = []
    if len(result) != len(turns):
        problems.append(f"{len(result)} turns were answered, {len(turns)} logged")
    no_turn: dict[str, Any] = {}
    for number, (answers, turn) in enumerate(zip_longest(result, turns), start=1):
        logged = no_turn if turn is None else turn
        for message in () if asked else _messages(logged.get("begin_of_turn_query")):
            transcript.user(message)
        steps = answers if isinstance(answers, list) else [answers] if answers else []
        for step, answer in enumerate(steps):
            before = len(transcript.run.calls)
            _add(transcript, answer, 2)
            calls, given = transcript.run.calls[before:], _given(logged, step)
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


def _named_calls(item: dict[str, Any]) -> list[FoundCall]:
    return [FoundCall(name, decode_arguments(sent)) for name, sent in item.items()]


def _written_calls(text: str) -> list[FoundCall]:
    """Calls that a model without a calling interface wrote as JSON or as Python."""
    decoded = opened(text.strip())
    if isinstance(decoded, str):
        return python_calls(text)
    if isinstance(decoded, dict):
        decoded = decoded.get("tool_calls") or [decoded]
    return [_stated_call(item) for item in objects_in(decoded)]


def _stated_call(item: dict[str, Any]) -> FoundCall:
    inner = item.get("function")
    body = inner if isinstance(inner, dict) else item
    sent = next((body[key] for key in ("arguments", "parameters") if key in body), None)
    return FoundCall(_text(body, "name") or "", decode_arguments(sent), call_id=_text(item, "id"))


def _outcome(failure: dict[str, Any] | None) -> RunOutcome:
    if failure is None:
        return RunOutcome(success=True, decided_by="bfcl checker")
    error = failure.get("error")
    kept = {key: failure[key] for key in ("error_type", "possible_answer") if failure.get(key)}
    return RunOutcome(
        success=False, decided_by="bfcl checker", reason=_words(error) or None, extra=kept
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
        number = amount(counted)
        return None if number is None else int(number)
    counts = [_total(item, depth + 1) for item in counted]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _tools(declared: object) -> list[Any] | None:
    if isinstance(declared, str):
        declared = opened(declared)
    functions = objects_in([declared] if isinstance(declared, dict) else declared)
    return [_with_schema_types(function) for function in functions] or None


def _with_schema_types(value: Any, depth: int = 0) -> Any:
    """A schema in which Python's names of types are those of JSON Schema."""
    if isinstance(value, list):
        return [_with_schema_types(item, depth + 1) for item in value]
    if not isinstance(value, dict) or depth > _DEEPEST * 4:
        return value
    found = {key: _with_schema_types(item, depth + 1) for key, item in value.items()}
    if isinstance(found.get("type"), str):
        found["type"] = _TYPES.get(found["type"], found["type"])
    return found


class _Scores(NamedTuple):
    """What a score file knows: its failures by item, and whether it names all of them."""

    failures: dict[str, Any]
    is_complete: bool

    def outcome(self, item: str) -> RunOutcome | None:
        """The verdict on an item; unknown where an unreadable failure could be its own."""
        failure = self.failures.get(item)
        if failure is not None or self.is_complete:
            return _outcome(failure)
        return None


def _scores_of(scores: File) -> _Scores:
    failures: dict[str, Any] = {}
    failed: int | None = None
    for document in scores.documents():
        value = document.value if isinstance(document, Document) else None
        if _is_failure(value):
            failures[_item_id(document.value)] = value  # type: ignore[union-attr]  # just seen
        elif _is_header(value):
            counts = [count(document.value.get(key)) for key in _COUNTS]  # type: ignore[union-attr]
            failed = None if None in counts else counts[0] - counts[1]  # type: ignore[operator]
    if failed is not None and failed > len(failures):
        failures |= _failures_in_text(scores, failures)
    return _Scores(failures, failed is None or failed <= len(failures))


def _failures_in_text(scores: File, known: dict[str, Any]) -> dict[str, Any]:
    """Failures in lines that cannot be read: their items, and nothing of the reason."""
    found = {}
    for line in (scores.text() or b"").splitlines():
        match = _ID_IN_TEXT.search(line[:2000].decode(errors="replace"))
        if match and match[1] not in known and b'"valid": false' in line[:20_000]:
            found[match[1]] = {"id": match[1], "error": "the failure cannot be read"}
    return found


def _results_of(results: File) -> dict[str, Document]:
    found = (d for d in results.documents() if isinstance(d, Document) and _is_result(d.value))
    return {document.value["id"]: document for document in found}


def _item_id(failure: dict[str, Any]) -> str:
    """Old score files count the items of a category from 1; their ids count from 0."""
    number = count(failure.get("id"))
    if number is None:
        return values.text(failure.get("id")) or ""
    return f"{_text(failure, 'test_category')}_{number - 1}"


def _category(item: str | None) -> str | None:
    match = _ITEM_ID.fullmatch(item or "")
    return match["category"] if match else None


def _model(file: File) -> str | None:
    return _whereabouts(file).model


class _Whereabouts(NamedTuple):
    """The folder of a model, and those in it that later versions sort categories by."""

    model: str | None
    groups: tuple[str, ...] = ()


def _whereabouts(file: File) -> _Whereabouts:
    return _whereabouts_of(str(file.path) if "!" in file.name else whole_path(file.name))


@lru_cache(maxsize=64)
def _whereabouts_of(name: str) -> _Whereabouts:
    path = PurePath(name)
    folders = path.relative_to(path.anchor).parts[:-1]
    groups = tuple(takewhile(GROUPS.__contains__, reversed(folders)))[::-1]
    above = folders[: len(folders) - len(groups)]
    return _Whereabouts(above[-1] if above else None, groups)


def _other_tree(file: File, tree: str, names: tuple[str, ...], category: str | None) -> File | None:
    """The file of the same model and category in the other tree, if it is there."""
    model, groups = _whereabouts(file)
    if category is None or model is None:
        return None
    folder = PurePosixPath(tree, model, *groups)
    paths = (str(folder / name.format(category=category)) for name in names)
    above = len(groups) + 2
    found = (file.file_beside(path, above=above) for path in paths)
    return next(filter(None, found), None)


def _expected(what: str, document: Document) -> str:
    return f"expected {what} of BFCL, got {preview(document.value)}"


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class Bfcl(Struct, frozen=True):
    """Results and scores of the leaderboard."""

    name: str = NAME
    title: str = "Berkeley Function-Calling Leaderboard: results and scores"
    cannot: str = "Results of single turns, times; questions and schemas of items that passed."

    def matches(self, file: File) -> bool:
        """Whether the first values look like it."""
        head = file.head()
        if head and _is_header(head[0]):
            return True
        return bool(head) and all(_is_result(value) for value in head)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file."""
        yield from _read(file)


BFCL = Bfcl()
