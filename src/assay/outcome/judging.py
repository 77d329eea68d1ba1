"""Did a call fail? Known facts first, then the shape of the result, then how its text opens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.outcome.bodies import error_in, message_of
from assay.outcome.commands import (
    Ending,
    asks_a_question,
    ending_of,
    failed_output,
    failure_behind_success,
    reports_findings,
)
from assay.outcome.grammar import STATES, words
from assay.outcome.roles import BRINGS_CONTENT, Role, code_of, is_checker, stems_of
from assay.outcome.wording import (
    Found,
    is_failed_page,
    is_placeholder,
    is_unreadable,
    opening,
)
from assay.text.payload import Payload, reported_together, unwrap
from assay.text.python_repr import NotPython, parse_repr

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult

LONGEST_MESSAGE = 1_000

_EMPTY = frozenset({"", "null", "none", "undefined", "(no output)", "no output"})
# Arguments that ask for whatever matches; the others name one thing.
_QUERY_KEYS = words(
    "query q keyword keywords search pattern text filter search_query search_term regex glob terms"
    " prompt question content message"
)
_PAGE_KEYS = ("title", "content", "text", "markdown", "body", "page_content")
_WORD = re.compile(r"[a-z]+")
_NEGATIONS = words("not cannot failed error unable no t")
_LONGEST_REPR = 20_000
_LONGEST_HEADER = 600
_HEADER = re.compile(r"(?:(?!Process exited)[A-Z][\w ]{0,30}: [^\n]{0,200}\n){1,6}Output:\n")
_FLAGS = frozenset({"true", "false", "0", "1", "none", "null", ""})


class Finding(Struct, frozen=True):
    """Whether a call succeeded, None if that cannot be told, by which rule, in which words."""

    success: bool | None
    rule: str
    message: str = ""


def find_outcome(
    call: ToolExecutionResult, payload: Payload, role: Role, *, reported: bool | None
) -> Finding:
    """Whether a call succeeded; `payload` is its result unwrapped."""
    if call.error_message and reported is None:
        return _failed("error_message", call.error_message)
    parsed = _parsed(payload)
    if parsed is not payload:
        reported = reported_together(reported, parsed.reported_success)
        payload = parsed
    value = payload.value
    ending = None
    if role not in BRINGS_CONTENT or isinstance(value, dict):
        ending = ending_of(value, of_command=role == "command")
    status = None if ending is None else ending.status
    # Who saw how a command ended knows more than a line of its output says.
    seen_to_succeed = call.reported_success is True and isinstance(value, str)
    if ending is not None and status and not seen_to_succeed:
        return _by_exit_status(call, ending)
    # An exit status of 0 outweighs the error mark of a block, but not what the reader says.
    if reported is False and (status != 0 or call.reported_success is False):
        return _as_reported(call, payload, ending)
    found = _search(call, value, role, ending)
    if isinstance(found, Finding):
        return found
    if found is not None and not _is_the_deed(call.tool, found):
        return _failed(found.rule, found.message)
    return _without_failure(value, reported, status)


def _is_the_deed(tool: str, found: Found) -> bool:
    """Whether a message reports just what the tool is for: a tool that cancels reports this."""
    if found.rule not in ("subject_failed", "denial", "fail_verb", "failed_status"):
        return False
    used = set(_WORD.findall(found.message[:120].lower()))
    return _NEGATIONS.isdisjoint(used) and any(
        word.startswith(stem) for word in used & STATES for stem in stems_of(tool)
    )


def _parsed(payload: Payload) -> Payload:
    """The payload below the header of a harness, or inside the repr of a dict."""
    value = payload.value
    if not isinstance(value, str):
        return payload
    inner: object = None
    if value[:2] in ("{'", "[{") and len(value) <= _LONGEST_REPR:
        try:
            inner = parse_repr(value)
        except NotPython:
            return payload
    elif "Output:\n" in value[:_LONGEST_HEADER]:
        header = _HEADER.match(value)
        inner = None if header is None else value[header.end() :]
    return payload if inner is None else unwrap(inner)


def reported_success(call: ToolExecutionResult, payload: Payload) -> bool | None:
    """What the reader and the wrapping reported together; mostly one of them is silent."""
    if call.reported_success is None:
        return payload.reported_success
    return reported_together(call.reported_success, payload.reported_success)


def _failed(rule: str, message: str) -> Finding:
    return Finding(success=False, rule=rule, message=message.strip()[:LONGEST_MESSAGE])


def words_of(value: Any) -> str:
    """The words of a result."""
    return value if isinstance(value, str) else message_of(value)


def _by_exit_status(call: ToolExecutionResult, ending: Ending) -> Finding:
    code = code_of(call.parameters)
    if reports_findings(code, ending.output, is_checker=is_checker(call.tool)):
        return Finding(success=True, rule="findings")
    if ending.status == 1 and not ending.output.strip() and asks_a_question(code):
        return Finding(success=None, rule="silent_exit")
    return _failed("exit_code", call.error_message or ending.output)


def _as_reported(call: ToolExecutionResult, payload: Payload, ending: Ending | None) -> Finding:
    output = ending.output if ending is not None else payload.head(20_000)
    if reports_findings(code_of(call.parameters), output, is_checker=is_checker(call.tool)):
        return Finding(success=True, rule="findings")
    rule = "is_error" if payload.reported_success is False else "reported_failure"
    return _failed(rule, call.error_message or words_of(payload.value))


def _search(
    call: ToolExecutionResult, value: Any, role: Role, ending: Ending | None
) -> Found | Finding | None:
    """The failure that a result shows, or what else decides."""
    if isinstance(value, dict | list):
        return _search_data(call, value, role, ending)
    if not isinstance(value, str) or not value or value.isspace():
        return None
    if role == "command":
        return _search_output(call, value, ending)
    return _search_text(call, value, role)


def _search_data(
    call: ToolExecutionResult, value: Any, role: Role, ending: Ending | None
) -> Found | Finding | None:
    if ending is not None:
        return _search_output(call, ending.output, ending)
    if isinstance(value, dict) and "jsonrpc" in value and value.get("error"):
        return Found("protocol_error", message_of(value["error"]))
    if isinstance(value, dict) and _has_unreadable_flag(value):
        return Finding(success=None, rule="unreadable_flag")
    found = error_in(value, role)
    if found is not None and is_checker(call.tool) and found.rule != "error_body":
        return None
    if found is None and role == "page" and isinstance(value, dict):
        page = "\n".join(
            f"title: {text}" if key == "title" else text
            for key in _PAGE_KEYS
            if isinstance(text := value.get(key), str)
        )
        return Found("failed_page", page[:LONGEST_MESSAGE]) if is_failed_page(page) else None
    return found


def _has_unreadable_flag(value: dict[Any, Any]) -> bool:
    """Whether a flag of failure stands there whose meaning nobody can read."""
    for key in ("isError", "is_error"):
        if key in value and str(value[key]).strip().lower() not in _FLAGS:
            return True
    return False


def _search_output(
    call: ToolExecutionResult, output: str, ending: Ending | None
) -> Found | Finding | None:
    if not output or output.isspace():
        return None
    code = code_of(call.parameters)
    # Of a command, a reported success is an exit status of 0 that nobody wrote down.
    ended_well = call.reported_success is True or (ending is not None and ending.status == 0)
    found = (failure_behind_success if ended_well else failed_output)(code, output)
    if found is None or not reports_findings(code, output, is_checker=is_checker(call.tool)):
        return found
    return None if ended_well else Finding(success=True, rule="findings")


def _search_text(call: ToolExecutionResult, text: str, role: Role) -> Found | Finding | None:
    if is_checker(call.tool) and reports_findings("", text, is_checker=True):
        return Finding(success=True, rule="findings")
    if is_unreadable(text):
        return Finding(success=None, rule="unreadable")
    found = opening(text, role, lambda: _exact_keys(call.parameters))
    if found is not None:
        return found
    if role == "page" and is_failed_page(text):
        return Found("failed_page", text[:LONGEST_MESSAGE])
    return Found("placeholder", text) if is_placeholder(text) else None


def _exact_keys(arguments: Any) -> list[str]:
    """The values of arguments that name one thing."""
    if not isinstance(arguments, dict):
        return []
    return [
        str(value)
        for key, value in arguments.items()
        if isinstance(value, str | int) and key not in _QUERY_KEYS and len(str(value)) > 2
    ]


def _without_failure(value: Any, reported: bool | None, status: int | None) -> Finding:  # noqa: FBT001
    if status == 0:
        return Finding(success=True, rule="exit_code")
    if reported:
        return Finding(success=True, rule="reported_success")
    if value is None:
        return Finding(success=None, rule="no_result")
    if isinstance(value, str) and len(value) <= 20 and value.strip().lower() in _EMPTY:
        return Finding(success=None, rule="empty")
    return Finding(success=True, rule="no_error_found")
