"""Contents of the Gemini API: lists of them, requests, responses, and both together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries, sampled_entries, whole_entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.exchanges import TRAFFIC_KEYS, Repeated, RepeatedRequests
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.gemini_chunks import joined_pieces
from assay.ingest.gemini_cli import HARNESS_PREFIXES
from assay.ingest.gemini_interactions import interaction_runs, is_interaction
from assay.ingest.recording import Format, Recording
from assay.ingest.stated_names import stated_attempt, stated_model, stated_task
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "gemini-api"
_LOOKED_AT = 200
ROLES = frozenset({"user", "model", "function", "tool"})
# Every part by the name the API has for it, and the one Python's SDK has.
CALL, RESULT = ("functionCall", "function_call"), ("functionResponse", "function_response")
CODE, CODE_RESULT = (
    ("executableCode", "executable_code"),
    ("codeExecutionResult", "code_execution_result"),
)
MEDIA = ("inlineData", "inline_data", "fileData", "file_data")
TOLD_PARTS = frozenset({*CALL, *RESULT, *CODE, *CODE_RESULT, *MEDIA, "text", "thought"})
SIDE_KEYS = frozenset(
    {"thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "partMetadata"}
    | {"part_metadata", "mediaResolution", "media_resolution"}
)
CODE_OUTCOMES = {"OUTCOME_OK": True, "OUTCOME_FAILED": False, "OUTCOME_DEADLINE_EXCEEDED": False}
USAGE_KEYS = (
    ("input_tokens", ("promptTokenCount", "prompt_token_count")),
    ("output_tokens", ("candidatesTokenCount", "candidates_token_count")),
    ("cache_read_input_tokens", ("cachedContentTokenCount", "cached_content_token_count")),
    ("reasoning_tokens", ("thoughtsTokenCount", "thoughts_token_count")),
)
CODE_TOOL = "code_execution"
_USAGE = ("usageMetadata", "usage_metadata")
TYPES = frozenset({"OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"})
_DEEPEST_SCHEMA = 50


def _recognise(recording: Recording) -> float:
    if any(map(is_interaction, recording.first_items(1))):
        return 0.95
    found = [_conversation(v) for value in sampled_entries(recording) for v in _values(value)]
    contents = [c for value in found for c in (value["contents"] if value else ())]
    if not contents or None in found or not all(map(is_content, contents)):
        return 0.0
    keys = {key for content in contents for part in content["parts"] for key in part}
    if not keys:
        return 0.0
    is_ours = keys & {*CALL, *RESULT, *CODE} or any(c.get("role") == "model" for c in contents)
    return 0.9 if is_ours else 0.5


def _values(value: Any) -> list[Any]:
    """The first of what a document holds: itself, or the items of a list that are no contents."""
    first = value[:_LOOKED_AT] if isinstance(value, list) else []
    return first if first and not any(map(is_content, first)) else [first or value]


def is_content(value: object) -> bool:
    """Whether a value is a content: a role and parts, which have no `type` here."""
    if not isinstance(value, dict) or str(value.get("role") or "user") not in ROLES:
        return False
    parts = value.get("parts")
    listed = objects_in(parts)
    return (
        isinstance(parts, list)
        and len(listed) == len(parts)
        and all(
            "type" not in p and "kind" not in p and not TOLD_PARTS.isdisjoint(p) for p in listed
        )
    )


def _conversation(value: Any) -> dict[str, Any] | None:
    """A request, a response or both as one object with `contents`; None for anything else."""
    if is_content(value):
        return {"contents": [value]}
    if isinstance(value, list):
        return {"contents": value}
    whole = dict_or_empty(value)
    request, response = dict_or_empty(whole.get("request")), whole.get("response")
    if isinstance(response, list):
        response = joined_pieces(objects_in(response) or [{}])
    response = dict_or_empty(response)
    whole = {**whole, **request, **response}
    contents = whole.get("contents", whole.get("history"))
    contents = [contents] if isinstance(contents, dict) else contents
    contents = contents if isinstance(contents, list) else []
    replies = [c.get("content") for c in objects_in(whole.get("candidates"))[:1]]
    contents = [*contents, *filter(None, replies)]
    return {**whole, "contents": contents} if contents else None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if any(map(is_interaction, recording.first_items(1))):
        return _read_interactions(recording)
    return _read_contents(recording)


def _read_interactions(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told: list[tuple[dict[str, Any], int | None]] = []
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif is_interaction(entry.value):
            told.append((entry.value, entry.position))
        else:
            problem = "an interaction with the Gemini API"
            yield unexpected(recording.name, entry.value, problem, entry.position)
    yield from interaction_runs(told, recording.name, NAME)


def _read_contents(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[Any] = []
    requests = RepeatedRequests("contents", _USAGE, _told)
    for entry in whole_entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif is_content(entry.value):
            loose.append(entry.value)
        elif (value := _conversation(entry.value)) is not None:
            done = requests.add(value, entry.position, logged="candidates" in value)
            yield from (_case(run, recording.name) for run in done)
        else:
            yield unexpected(
                recording.name, entry.value, "contents of the Gemini API", entry.position
            )
    yield from (_case(run, recording.name) for run in requests.rest())
    if loose:
        yield _case(Repeated({"contents": loose}), recording.name)


def _told(content: Any) -> Any:
    """What a content is known by when it is sent again: thoughts and signatures may be gone."""
    if not is_content(content):
        return content
    parts = [part for part in content["parts"] if part.get("thought") is not True]
    words = "".join(text_of(part.get("text")) for part in parts)
    did = [
        (
            _either(part, CALL),
            _either(part, RESULT),
            _either(part, CODE),
            _either(part, CODE_RESULT),
        )
        for part in parts
    ]
    return content.get("role"), words, [done for done in did if any(done)]


def _case(logged: Repeated, name: str) -> AgentTestCase:
    value, position = logged.value, logged.position
    run, unread = RunBuilder(), Counter[str]()
    instruction = _either(value, ("systemInstruction", "system_instruction"))
    if instruction:
        run.system(dict_or_empty(instruction).get("parts", instruction))
    contents = objects_in(value["contents"])
    for content in contents:
        unread.update(add_content(run, content))
    own_id = id_or_none(_either(value, ("responseId", "response_id", "id")))
    return run.finish(
        run_id=stable_id(NAME, own_id, *place_id(name, position), contents),
        task_id=stated_task(value),
        attempt=stated_attempt(value),
        model=id_or_none(_either(value, ("modelVersion", "model_version", "model")))
        or stated_model(value),
        available_tools=_tools(value),
        usage=total_usage(usage_of(_either(report, _USAGE)) for report in logged.reports),
        source=Source(name, NAME, position),
        extra={key: value[key] for key in TRAFFIC_KEYS if value.get(key)}
        | ({"unread_parts": dict(unread)} if unread else {}),
    )


def add_content(run: RunBuilder, content: dict[str, Any]) -> list[str]:
    """Tell the run one content part by part; the parts that nobody knows come back."""
    run.end_reply()
    is_reply = content.get("role") == "model"
    words: list[str] = []
    unread: list[str] = []
    for part in objects_in(content.get("parts")):
        if (called := dict_or_empty(_either(part, CALL))) or (ran := _either(part, CODE)):
            run.call(_call(called) if called else ToolExecutionResult(CODE_TOOL, ran))
        elif result := dict_or_empty(_either(part, RESULT)):
            _add_result(run, result)
        elif ran := dict_or_empty(_either(part, CODE_RESULT)):
            success = CODE_OUTCOMES.get(str(ran.get("outcome")))
            run.result(None, ran.get("output"), reported_success=success, tool=CODE_TOOL)
        elif part.get("thought") is True:
            run.think(text_at(part, "text"))
        elif is_reply and part.get("text"):
            run.say(part["text"])
        elif part.get("text") or _either(part, MEDIA):
            words.append(text_of(part.get("text")) or "[file]")
        else:
            unread += [
                k for k, v in part.items() if v is not None and k not in SIDE_KEYS | TOLD_PARTS
            ]
    if words and words[0].lstrip().startswith(HARNESS_PREFIXES):
        run.system("\n".join(words))
    elif words:
        run.user("\n".join(words))
    run.end_reply()
    return unread


def _call(called: dict[str, Any]) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(called, "name") or "",
        parameters=decode_arguments(called.get("args")),
        call_id=text_at(called, "id"),
    )


def _add_result(run: RunBuilder, result: dict[str, Any]) -> None:
    """A result; by the API's word an `error` without an `output` is a failure."""
    response = dict_or_empty(result.get("response"))
    error = None if "output" in response else response.get("error")
    run.result(
        text_at(result, "id"),
        result.get("response"),
        tool=text_at(result, "name"),
        reported_success=False if error else None,
        error_message=text_of(error) or None,
    )


def usage_of(metadata: object) -> dict[str, Any]:
    """The tokens of a response, under the names that other APIs have for them."""
    counts = dict_or_empty(metadata)
    return {ours: _either(counts, keys) for ours, keys in USAGE_KEYS}


def _tools(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    config = dict_or_empty(value.get("config"))
    declared = objects_in(value.get("tools") or config.get("tools"))
    keys = ("functionDeclarations", "function_declarations")
    return [_tool(t) for entry in declared for t in objects_in(_either(entry, keys))] or None


def _tool(declared: dict[str, Any]) -> dict[str, Any]:
    """A tool with its schema as JSON Schema has it: the API writes the types in capitals."""
    schema = _either(declared, ("parametersJsonSchema", "parameters_json_schema", "parameters"))
    return declared if schema is None else {**declared, "parameters": _in_lower_case(schema)}


def _in_lower_case(schema: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST_SCHEMA:
        return schema
    if isinstance(schema, list):
        return [_in_lower_case(item, depth + 1) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.lower()
        if key == "type" and isinstance(value, str) and value in TYPES
        else _in_lower_case(value, depth + 1)
        for key, value in schema.items()
    }


def _either(value: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


GEMINI_API = Format(
    name=NAME,
    title="Contents of the Gemini API, requests and responses; interactions",
    fidelity=(
        "A result says that it failed only by an `error` in it; calls have ids in newer versions, "
        "else results are paired by tool and order. No server, no times, no outcome; the tools on "
        "offer, the model and the tokens only where request or response were kept. Interactions "
        "have a flag, times and the servers of MCP calls; of their results only those sent back."
    ),
    recognise=_recognise,
    read=_read,
)
