"""promptfoo: results of an evaluation, one answer of a model for each prompt and test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.anthropic_messages import CALL_BLOCKS
from assay.ingest.anthropic_messages import add_message as add_blocks
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.openai_chat import add_message, calls_of
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "promptfoo"
_KEPT = ("vars", "namedScores", "latencyMs", "failureReason", "evalId")


def _recognise(recording: Recording) -> float:
    found = [row for value in recording.sample for row in _rows(value)]
    return 0.95 if found and all(map(_is_row, found[:20])) else 0.0


def _rows(value: Any) -> list[Any]:
    """The results of a file: those of an evaluation, or a line each."""
    results = dict_or_empty(value).get("results")
    listed = results.get("results") if isinstance(results, dict) else results
    return listed if isinstance(listed, list) else [value]


def _is_row(value: object) -> bool:
    row = dict_or_empty(value)
    told = {"response", "error"} & row.keys()
    return {"provider", "prompt", "success", "vars"} <= row.keys() and bool(told)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        about = dict_or_empty(entry.value)
        rows = _rows(entry.value)
        for i, row in enumerate(rows, start=1):
            position = entry.position or (i if len(rows) > 1 else None)
            if _is_row(row):
                yield _case({"evalId": about.get("evalId"), **row}, recording.name, position)
            else:
                yield unexpected(recording.name, row, "a result of promptfoo", position)


def _case(row: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    run, response = RunBuilder(), dict_or_empty(row.get("response"))
    for message in _prompt(dict_or_empty(row["prompt"]).get("raw")):
        add_message(run, message)
    _add_output(run, response.get("output"))
    provider = row["provider"]
    test = dict_or_empty(row.get("testCase"))
    return run.finish(
        run_id=stable_id(NAME, row.get("evalId"), row.get("id"), *place_id(name, position), row),
        task_id=text_at(test, "description") or id_or_none(row.get("testIdx")),
        model=text_at(dict_or_empty(provider), "id") or id_or_none(provider),
        framework=NAME,
        outcome=_outcome(row),
        usage=_usage(row, response),
        started_at=epoch_seconds(row.get("timestamp")),
        source=Source(name, NAME, position),
        extra={key: row[key] for key in _KEPT if row.get(key)},
    )


def _prompt(raw: Any) -> list[dict[str, Any]]:
    """The messages of a prompt; one that is no JSON is what the user said."""
    decoded = decode_json_text(raw) if isinstance(raw, str) else raw
    messages = [message for message in objects_in(decoded) if "role" in message]
    return messages or [{"role": "user", "content": text_of(raw)}]


def _add_output(run: RunBuilder, output: Any) -> None:
    """What the model gave back: words, or the calls it asked for in the words of its API."""
    decoded = decode_json_text(output) if isinstance(output, str) else output
    blocks = objects_in(decoded if isinstance(decoded, list) else [decoded])
    if any(text_at(block, "type") in CALL_BLOCKS for block in blocks):
        add_blocks(run, {"role": "assistant", "content": blocks})
        return
    calls = [call for block in blocks for call in _calls(block)]
    said = dict_or_empty(decoded).get("content") if calls else output
    shown = said if isinstance(said, str) or calls else None if output is None else str(output)
    run.assistant(shown, calls)


def _calls(block: dict[str, Any]) -> list[Any]:
    is_call = isinstance(block.get("function"), dict) and "name" in block["function"]
    return calls_of({"tool_calls": [block] if is_call else block.get("tool_calls")})


def _outcome(row: dict[str, Any]) -> RunOutcome:
    grading = dict_or_empty(row.get("gradingResult"))
    success = row.get("success")
    return RunOutcome(
        success=success if isinstance(success, bool) else None,
        score=amount_or_none(row.get("score")),
        decided_by="promptfoo's assertions",
        reason=text_at(row, "error") or text_at(grading, "reason"),
    )


def _usage(row: dict[str, Any], response: dict[str, Any]) -> Usage | None:
    told = dict_or_empty(response.get("tokenUsage"))
    usage = Usage(
        input_tokens=count_or_none(told.get("prompt")),
        output_tokens=count_or_none(told.get("completion")),
        cost_usd=amount_or_none(row.get("cost", response.get("cost"))),
    )
    return None if usage == Usage() else usage


PROMPTFOO = Format(
    name=NAME,
    title="promptfoo results, JSON or JSONL",
    fidelity=(
        "Calls are those the model asked for: promptfoo does not run them, so none has a result. "
        "The outcome is that of the assertions; the tools on offer and times are not told. "
        "A test's description, else its number, is the task."
    ),
    recognise=_recognise,
    read=_read,
)
