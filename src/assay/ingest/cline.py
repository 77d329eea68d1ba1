"""Cline and Roo Code: what a task's `api_conversation_history.json` keeps.

Messages are Anthropic's. Older tasks have the calls as tags in the model's words, and the results
as words of the user behind a heading that names the call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.anthropic_messages import CALL_BLOCKS, RESULT_BLOCKS, add_message
from assay.ingest.chat import RunBuilder
from assay.ingest.cline_sessions import is_printed, is_session, printed_case, session_case
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "cline"
DETAILS = "<environment_details>"
TOOLS = (
    *("read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
    *("search_and_replace", "list_files", "search_files", "list_code_definition_names"),
    *("execute_command", "browser_action", "use_mcp_tool", "access_mcp_resource"),
    *("ask_followup_question", "attempt_completion", "new_task", "switch_mode", "condense"),
    *("plan_mode_respond", "load_mcp_documentation", "fetch_instructions", "update_todo_list"),
    *("codebase_search", "run_slash_command", "web_fetch", "web_search", "new_rule"),
    *("generate_explanation", "use_skill", "use_subagents", "generate_image", "edit_file"),
)
MCP_TOOL, ANSWER_TOOL = "use_mcp_tool", "attempt_completion"
# What the harness writes where a call did not come to its end.
FAILURES = (
    "The tool execution failed with the following error:",
    "Error executing MCP tool:",
    "The user denied this operation",
    "[ERROR]",
)
# What the user asked stands in one of these.
_TASK = re.compile(r"<(task|user_message)>")
_THOUGHT = re.compile(r"<(thinking)>")
_CALL = re.compile(rf"<({'|'.join(TOOLS)})>")
_PARAMETER = re.compile(r"<([a-z_]{1,40})>")
_HEADING = re.compile(r"\[([a-z_]{1,60})(?: for [^\n]*?)?\] Result:\s*")
# So many tags without an end are no tags of the harness.
_MOST_OPEN = 50


def _recognise(recording: Recording) -> float:
    if any(is_session(value) or is_printed(value) for value in recording.sample[:5]):
        return 0.95
    value = recording.sample[0] if len(recording.sample) == 1 else None
    messages = objects_in(value)
    first = messages[0] if messages else {}
    if first.get("role") != "user" or not isinstance(value, list):
        return 0.0
    words = text_of(first.get("content"))
    is_task = _TASK.search(words) is not None
    return 0.95 if is_task and (DETAILS in words or _has_calls(messages)) else 0.0


def _has_calls(messages: list[dict[str, Any]]) -> bool:
    spoken = [m for m in messages[:20] if m.get("role") == "assistant"]
    blocks = [b for m in spoken for b in objects_in(m.get("content"))]
    named = any(text_at(b, "name") in TOOLS for b in blocks)
    return named or any(_CALL.search(text_of(m.get("content"))) for m in spoken)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    printed: list[dict[str, Any]] = []
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif is_session(document.value):
            yield session_case(document.value, recording)
        elif is_printed(document.value) or printed:
            printed.append(dict_or_empty(document.value))
        elif not (messages := objects_in(document.value)):
            yield unexpected(
                recording.name, document.value, "the messages of a task", document.position
            )
        else:
            yield _case(messages, recording)
    if printed:
        yield printed_case(printed, recording.name)


def _case(messages: list[dict[str, Any]], recording: Recording) -> AgentTestCase:
    run = RunBuilder()
    for message in messages:
        _add_message(run, message)
    for call in run.calls:
        _name_server(call)
    shown = _shown(recording)
    times = [at for m in (*messages, *shown) if (at := epoch_seconds(m.get("ts"))) is not None]
    answers = [c for c in run.calls if c.tool == ANSWER_TOOL]
    answer = dict_or_empty(answers[-1].parameters).get("result") if answers else None
    models = (dict_or_empty(m.get("modelInfo")) for m in messages)
    return run.finish(
        run_id=stable_id(NAME, *place_id(recording.name, None)),
        actual_output=text_of(answer) or None,
        model=next(filter(None, (text_at(m, "modelId") for m in models)), None),
        framework=NAME,
        usage=_usage(shown),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME),
    )


def _shown(recording: Recording) -> list[dict[str, Any]]:
    """What the user was shown, in the file beside: it knows tokens and costs."""
    beside = recording.beside("ui_messages.json")
    return [] if beside is None else objects_in(beside.sample[0] if beside.sample else None)


def _usage(shown: list[dict[str, Any]]) -> Usage | None:
    told = [
        dict_or_empty(decode_json_text(text_at(message, "text") or ""))
        for message in shown
        if message.get("say") == "api_req_started"
    ]
    usage = total_usage(
        {
            "input_tokens": request.get("tokensIn"),
            "output_tokens": request.get("tokensOut"),
            "cache_read_input_tokens": request.get("cacheReads"),
            "cache_creation_input_tokens": request.get("cacheWrites"),
        }
        for request in told
    )
    return with_cost(usage, (request.get("cost") for request in told))


def _add_message(run: RunBuilder, message: dict[str, Any]) -> None:
    content = message.get("content")
    blocks = objects_in(content) or [{"type": "text", "text": text_of(content)}]
    kinds = {text_at(block, "type") for block in blocks}
    if message.get("role") == "assistant":
        _add_reply(run, message, blocks, native=bool(kinds & CALL_BLOCKS))
        return
    results = [block for block in blocks if text_at(block, "type") in RESULT_BLOCKS]
    if results:
        add_message(run, {"role": "user", "content": results})
    words = [block for block in blocks if text_at(block, "type") not in RESULT_BLOCKS]
    _add_words(run, [text_of([block]) for block in words])


def _add_reply(
    run: RunBuilder, message: dict[str, Any], blocks: list[dict[str, Any]], *, native: bool
) -> None:
    if native:
        add_message(run, message)
        return
    text = "\n".join(text_of([block]) for block in blocks)
    thoughts, text = _tagged(text, _THOUGHT)
    called, words = _tagged(text, _CALL)
    reasoning = [*(text_at(b, "thinking") for b in blocks), *(inside for _, inside in thoughts)]
    run.assistant(
        words.strip(),
        [ToolExecutionResult(tool, _parameters(tool, inside)) for tool, inside in called],
        reasoning="\n".join(filter(None, reasoning)) or None,
    )


def _tagged(text: str, opening: re.Pattern[str]) -> tuple[list[tuple[str, str]], str]:
    """The names and insides of tags that were closed, and the text around them."""
    found: list[tuple[str, str]] = []
    around: list[str] = []
    never_closed: set[str] = set()
    end = 0
    for tag in opening.finditer(text):
        if tag.start() < end or tag[1] in never_closed or len(never_closed) > _MOST_OPEN:
            continue
        closing = text.find(f"</{tag[1]}>", tag.end())
        if closing < 0:
            never_closed.add(tag[1])
            continue
        around.append(text[end : tag.start()])
        found.append((tag[1], text[tag.end() : closing]))
        end = closing + len(tag[1]) + 3
    return found, "".join([*around, text[end:]])


def _parameters(tool: str, inside: str) -> dict[str, Any]:
    found = {name: value.strip("\n") for name, value in _tagged(inside, _PARAMETER)[0]}
    if tool == MCP_TOOL and "arguments" in found:
        return {**found, "arguments": decode_arguments(found["arguments"])}
    return found


def _add_words(run: RunBuilder, texts: list[str]) -> None:
    """Words in the user's name: results behind their headings, the harness's, the user's own."""
    tool: str | None = None
    result: list[str] = []
    for text in texts:
        heading = _HEADING.match(text)
        if heading:
            _end(run, tool, result)
            tool, result = heading[1], [text[heading.end() :]]
        elif text.startswith(DETAILS):
            run.system(text)
        elif tool is not None or (text.startswith(FAILURES) and _waits(run)):
            tool, result = tool or run.calls[-1].tool, [*result, text]
        else:
            _say(run, text)
    _end(run, tool, result)


def _waits(run: RunBuilder) -> bool:
    return bool(run.calls) and run.calls[-1].result is None


def _end(run: RunBuilder, tool: str | None, result: list[str]) -> None:
    if tool is None:
        return
    words = "\n".join(filter(None, result))
    failed = words.startswith(FAILURES)
    run.result(
        None,
        words,
        tool=tool,
        reported_success=False if failed else None,
        error_message=words if failed else None,
    )


def _say(run: RunBuilder, text: str) -> None:
    if (task := _TASK.search(text)) is not None:
        run.system(text[: task.start()].strip())
        asked, _, rest = text[task.end() :].partition(f"</{task[1]}>")
        run.user(asked.strip())
        run.system(rest.strip())
    elif text.startswith(FAILURES):
        run.system(text)
    else:
        run.user(text)


def _name_server(call: ToolExecutionResult) -> None:
    if call.tool == MCP_TOOL:
        call.server = text_at(dict_or_empty(call.parameters), "server_name")


CLINE = Format(
    name=NAME,
    title="Cline and Roo Code tasks: api_conversation_history.json; sessions of the Cline CLI",
    fidelity=(
        "Tasks flag only failures, and only where the harness says so. Tokens, costs and times "
        "come from ui_messages.json beside the file. In older tasks calls stand as tags in the "
        "model's words: tools that we do not know by name stay words. No tools on offer."
    ),
    recognise=_recognise,
    read=_read,
)
