"""Did this call fail? What was reported, what we infer, and by which rule.

Most reliable first: what was reported as a failure, then the payload as data, then the opening
of its text. A payload that parsed as data is never searched for words. `Error` in a result is
believed even when the server flagged it as a success; a reported failure is never doubted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.evidence.body_roles import is_full
from assay.evidence.checker_reports import reports_findings
from assay.evidence.command_bodies import lone_complaint, with_exit_code
from assay.evidence.error_bodies import Reading, lone_words, read_value, told_undone
from assay.evidence.error_grammar import failing_opening
from assay.evidence.error_pages import read_page
from assay.evidence.exit_status import exit_status, missing_programs
from assay.evidence.field_lines import read_fields
from assay.evidence.last_words import (
    ends_in_error,
    ends_in_exception,
    fails_after_good_news,
    fails_below_its_place,
    fails_under_heading,
)
from assay.text.payload import Payload, reported_together, unwrap
from assay.text.python_repr import NotPython, parse_repr
from assay.evidence.text_shape import opening_of
from assay.evidence.tool_kinds import ToolKind, kind_of_tool
from assay.evidence.undone_deeds import told_of_the_deed
from assay.evidence.wanted_answers import (
    OF_AN_ARGUMENT,
    SENTENCES,
    WORKS,
    counts_findings,
    is_what_was_wanted,
)

if TYPE_CHECKING:
    from assay.evidence.error_openings import Opening
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

LONGEST_MESSAGE = 1_000
# Rules that cannot tell: nothing came back that could be judged.
UNDECIDED_RULES = frozenset({"no_result", "empty"})

_EMPTY_TEXTS = frozenset({"", "null", "none", "undefined", "(no output)", "no output"})
_LONGEST_EMPTY = max(map(len, _EMPTY_TEXTS))
# A text a reading tool brought may itself open like an error; a message is short.
_LONGEST_FROM_CONTENT = 1_000
_LONGEST_PYTHON = 4_096
_LONGEST_LINE = 240
# Reports hold reports only so deep; a text of nothing but headers would exhaust the stack.
_MOST_HEADERS = 3
# What these say is of their own making, so that its end counts.
_TELLING = frozenset({"acting", "asking", "checking", "other"})
_ADVISING = _TELLING | {"stopper"}
_DOING = frozenset({"acting", "other"})
# What hinders who was to act, and answers who asked for it.
_STATES = frozenset({"foreign_state", "state_symbol"})
_TEXT_TOOLS = frozenset({"content", "log", "wording"})
# A label that is the value of something: "no_motion", "not_closed", and not what a caller lacks.
_NOT_SO = re.compile(
    r"\s*(?:no|not)_(?!access|auth|allowed|credential|implemented|licen[sc]e|logged|permi|session"
    r"|supported|token)"
)
# What nobody writes who was to write something.
_NO_PROSE = frozenset({"protocol_error", "error_symbol"})
# What a program says of its input. With `isError: false` it may have been asked for just that, but
# for no program that is not there.
_PROGRAMS_WORDS = frozenset({"shell_error", "shell_refused", "compiler_error"})
# How a checker tells what it found.
_VERDICTS = SENTENCES | {"failure_mark"}
_LOGGED = _PROGRAMS_WORDS | {"traceback", "tagged_error"}
# What is told at the end of a text.
_LAST = frozenset({"traceback", "last_words"})

_REPORT_HEADER = re.compile(r"(?:[A-Z][\w ]{0,30}: [^\n]{0,200}\n){1,6}Output:\n")
# A message and, below it, what to do: the message alone is judged.
_ABOVE_ADVICE = re.compile(
    r"([^\n]{3,240}+)\n+(?:[^\w\n]{0,6}(?:solutions?|recommendations?|hints?|fix|how to fix"
    r"|to fix this|suggestions?|options|troubleshooting|usage|possible (?:causes|reasons)"
    r"|next steps?|(?-i:TO [A-Z ]{3,30}))[^\w\n]{0,3}[:：]"
    r"|please (?:use|call|run|try|check|verify|ensure|make sure|provide|see)\b"
    r"|(?:grant|enable|allow|open) [^\n]{1,120}\b(?:settings|preferences)\b)",
    re.IGNORECASE,
)
# A failure that a program labels, or that is about a request and not about the world.
_OF_A_REQUEST = re.compile(
    r"\W{0,4}(?:\w{0,40}(?:error|exception)\b|traceback\b|http\b|[45]\d\d\b)"
    r"|(?:cannot|can't|could not|unable to|failed to) (?:translate|summari[sz]e|define|rewrite"
    r"|paraphrase|compose|draft)\b"
    r"|.{0,80}\b(?:[45]\d\d|api(?:.?keys?)?|tool|requests?|rate.limit\w*|quota|timed.?out|timeout)\b"
    r"|(?-i:[a-z]+_[a-z_]+) (?:is|are|must|cannot|should)\b"
    r"|(?-i:unknown|invalid|missing|no) [^\n]{1,60}[\"'`]\w",
    re.IGNORECASE,
)
# What is said of the running of a command, which no command prints.
_OF_A_RUN = re.compile(
    r"\W{0,4}(?:(?:the |this |your )?(?:command|working directory|bash|execution|sandbox)"
    r" (?!not found)(?:\S+ ){0,6}?(?:must|cannot|denied|blocked|refused|rejected|not allowed"
    r"|disabled|too long)\b"
    r"|(?:the )?[\"'`]?command[\"'`]? (?:argument must\b|is required(?:,|[.]?\s*\Z))"
    r"|(?-i:[a-z_]+,? (?:[a-z_]+,? ){0,6}and [a-z_]+ are required)[.]?\s*\Z"
    r"|refus(?:ing|ed) to (?:run|execute)\b)",
    re.IGNORECASE,
)
# What is said of the call to a tool, which no log holds on its own.
_OF_A_CALL = re.compile(
    r"error (?:executing|calling|invoking|running) (?:the )?tool\b[^:\n]{0,80}: ", re.I
)
# What somebody asks who wants to know, unless it goes on with what to do.
_OF_A_STATE = re.compile(
    r"(?:(?-i:[A-Z])[^\n]{2,80}? (?:is|are) (?:disabled|locked|not (?:a member|enabled|connected"
    r"|online|open|installed|registered))|[^\n]{2,80}? (?:is|are|was|were|has been|have been)"
    r" already (?:booked|taken|reserved|assigned|claimed|redeemed|used|registered|in use|a member"
    r"|closed|open|full))\b"
    r"(?![^\n]{0,120}[.!;:—-] (?:please|select|enable|use|run|set|try|turn|start|install|configure"
    r"|add|check|go)\b)",
    re.IGNORECASE,
)
# A document of sections alike, the first of which may be about any error.
_SECTIONS = re.compile(r"(#{1,6}) [^\n]*\n(?:[^\n]*\n)*?\1 \S")
# Work that goes on elsewhere, and of which one asks how it went.
_OF_A_WORK = re.compile(
    r"(?:the |your |last |latest )*(?:[\w#.-]+ ){0,2}?(?:build|deployment|migration|installation"
    r"|transaction|task|merge|push|commit|backup|payment|booking|registration|submission|transfer"
    r"|job|run|order|step|rollout|compilation|delivery|shipment)\b(?![^\n]{0,60}\bnot\b)",
    re.IGNORECASE,
)
# What becomes of all of a kind is a rule, and was asked for. Of calls it is told to who called.
_OF_MANY = re.compile(
    r"(?!requests|calls|connections|queries|actions|commands|operations)(?-i:[A-Z])[a-z]+s\b"
    r"(?![^\n]{0,80}\b(?:you|your|this)\b)[^\n:;]{0,80} (?:are|get|will be) (?:\w+ly )?"
    r"(?:rejected|denied|declined|refused|blocked|cancell?ed)\b",
    re.IGNORECASE,
)
_CUT_JSON = re.compile(
    r"\s*\{\s*[\"'](?:(?:error|err|errors|exception|error_?message)[\"']\s*:\s*(?:[\"'][^\"']"
    r"|\{\s*[\"']|\[\s*[{\"']|true)|(?:success|ok)[\"']\s*:\s*false"
    r"|is_?error[\"']\s*:\s*true)",
    re.IGNORECASE,
)


class CallOutcome(Struct, frozen=True):
    """Whether a call succeeded, None if that cannot be told, and the rule that says so."""

    success: bool | None
    rule: str
    message: str | None = None


def call_outcome(call: ToolExecutionResult, payload: Payload | None = None) -> CallOutcome:
    """Judge one call by its result, its error message and what was reported of it.

    `payload` is its result unwrapped, where that was done already.
    """
    if payload is None:
        payload = unwrap(call.result)
    return _judge(call, payload, reported=_reported(call, payload))


def settle(case: AgentTestCase) -> AgentTestCase:
    """Tell the truth about each call of a case, in place, and return the case.

    Each result becomes its innermost payload, `reported_success` what the wrapping and the
    reader reported, `success` the verdict and `success_rule` the rule behind it; a failed call
    gets an `error_message`. A call that cannot be judged counts as not failed, under one of
    `UNDECIDED_RULES`. A call that has a rule already is left alone, so settling twice changes
    nothing.
    """
    for call in case.calls:
        if call.success_rule is None:
            _settle_call(call)
    return case


def _settle_call(call: ToolExecutionResult) -> None:
    payload = unwrap(call.result)
    reported = _reported(call, payload)
    verdict = _judge(call, payload, reported=reported)
    call.result = payload.value
    call.reported_success = reported
    call.success = verdict.success is not False
    call.success_rule = verdict.rule
    if verdict.success is False and not call.error_message:
        call.error_message = verdict.message


def _reported(call: ToolExecutionResult, payload: Payload) -> bool | None:
    """What the reader and the wrapping reported together; mostly one of them is silent."""
    if call.reported_success is None:
        return payload.reported_success
    return reported_together(call.reported_success, payload.reported_success)


def _judge(call: ToolExecutionResult, payload: Payload, *, reported: bool | None) -> CallOutcome:
    if reported is False:
        return _failed(_reported_rule(payload), call.error_message or _words(payload))
    if call.error_message and reported is None:
        return _failed("error_message", call.error_message)
    reading = _read(payload.value, kind_of_tool(call.tool), reported=reported)
    if reading is None and isinstance(payload.value, dict):
        reading = told_of_the_deed(call, payload.value)
    if reading is not None:
        reading = _in_view_of_the_tool(call, payload, reading)
    if reading is not None and reading.failed:
        return _failed(reading.rule, reading.message or _words(payload))
    if reading is None and _is_empty(payload.value):
        rule = "no_result" if payload.value is None else "empty"
        return CallOutcome(reported, "reported_success" if reported else rule)
    rule = reading.rule if reading else "reported_success" if reported else "no_error_found"
    return CallOutcome(success=True, rule=rule)


def _in_view_of_the_tool(
    call: ToolExecutionResult, payload: Payload, reading: Reading
) -> Reading | None:
    """What a reading means for this tool: the same words may be its answer, or its failure."""
    if reading.failed:
        found = counts_findings(call.tool, payload.value, reading) or (
            reading.rule == "exit_code" and reports_findings(call.tool, payload.value)
        )
        if found:
            return Reading(failed=False, rule="findings")
        return None if is_what_was_wanted(call, payload, reading) else reading
    if reading.rule == "success_flag" and kind_of_tool(call.tool) == "acting":
        return told_undone(payload.value) or reading
    return reading


def _reported_rule(payload: Payload) -> str:
    reading = read_value(payload.value)
    if reading is not None and reading.rule == "protocol_error":
        return "protocol_error"
    return "is_error" if payload.reported_success is False else "reported_failure"


def _failed(rule: str, message: str | None) -> CallOutcome:
    text = (message or "").strip()
    return CallOutcome(success=False, rule=rule, message=text[:LONGEST_MESSAGE] or None)


def _words(payload: Payload) -> str | None:
    reading = read_value(payload.value)
    if reading is not None and reading.message:
        return reading.message
    return payload.head(LONGEST_MESSAGE) if is_full(payload.value) else None


def _is_empty(value: Any) -> bool:
    if not isinstance(value, str):
        return value is None
    bare = value.strip()
    return len(bare) <= _LONGEST_EMPTY and bare.lower() in _EMPTY_TEXTS


def _read(value: Any, tool: ToolKind, *, reported: bool | None, headers: int = 0) -> Reading | None:
    if isinstance(value, str):
        return _read_text(value, tool, reported=reported, headers=headers)
    if tool == "command" and isinstance(value, dict):
        return _read_command(value, reported=reported)
    reading = read_value(value)
    if reading is None and tool in _DOING:
        reading = told_undone(value)
    told = lone_words(value) if reading is None and tool == "acting" else None
    if told is None or failing_opening(told, tool=tool) is None:
        return reading
    return Reading(failed=True, rule="short_refusal", message=told)


def _read_command(body: dict[Any, Any], *, reported: bool | None) -> Reading | None:
    reading = read_value(with_exit_code(body))
    complaint = lone_complaint(body) if reading is None else None
    if complaint is None:
        return reading
    return _read_words(complaint, opening_of(complaint), "command", reported=reported)


def _read_text(text: str, tool: ToolKind, *, reported: bool | None, headers: int) -> Reading | None:
    opening = opening_of(text)
    status = exit_status(text, of_command=tool == "command", opening=opening)
    if status is not None:
        return Reading(status != 0, "exit_code", text[:LONGEST_MESSAGE] if status else None)
    if text.lstrip()[:1] == "<" and (page := read_page(text)) is not None:
        return page
    if (data := _python_data(text)) is not None:
        return read_value(data)
    if _CUT_JSON.match(text):
        return Reading(failed=True, rule="error_body", message=text[:LONGEST_MESSAGE])
    header = _REPORT_HEADER.match(text) if headers < _MOST_HEADERS else None
    if header is not None:
        below = unwrap(text[header.end() :]).value
        return _read(below, tool, reported=reported, headers=headers + 1)
    return _read_words(text, opening, tool, reported=reported)


def _read_words(
    text: str, opening: str, tool: ToolKind, *, reported: bool | None
) -> Reading | None:
    longest = _LONGEST_FROM_CONTENT if tool in _TEXT_TOOLS else None
    found = failing_opening(text, longest=longest, opening=opening, tool=tool)
    if found is None and tool in _ADVISING and opening.find("\n", 0, _LONGEST_LINE) > 0:
        above = _ABOVE_ADVICE.match(opening)
        found = None if above is None else failing_opening(above[1], tool=tool)
    if found is not None and not _is_said_in_passing(text, found, tool, reported=reported):
        return Reading(failed=True, rule=found.rule, message=_gist(text, found.rule))
    if (fields := read_fields(text, opening, tool)) is not None:
        return fields
    rule = _told_late(text, opening, tool, reported=reported)
    return None if rule is None else Reading(failed=True, rule=rule, message=_gist(text, rule))


def _told_late(text: str, opening: str, tool: ToolKind, *, reported: bool | None) -> str | None:
    """The rule by which a text that opens well fails later."""
    if tool == "command":
        # Who saw how it ended knows more than its last line tells.
        if reported is True:
            return None
        if ends_in_exception(text):
            return "traceback"
        return "last_words" if ends_in_error(text, tool) else None
    if tool in _TELLING and (
        ends_in_error(text, tool)
        or fails_after_good_news(opening, tool)
        or (text[:1] == "#" and fails_under_heading(text, tool))
        or (text[:1] == "[" and fails_below_its_place(text, tool))
    ):
        return "last_words"
    return None


def _gist(text: str, rule: str) -> str:
    """The part of a text that tells the failure: some tell it last."""
    return text.rstrip()[-LONGEST_MESSAGE:] if rule in _LAST else text[:LONGEST_MESSAGE]


def _is_an_answer(rule: str, tool: ToolKind) -> bool:
    """Whether what hinders who was to act is what this tool was asked for."""
    if rule == "compiler_error":
        return tool == "checking"
    return rule in _STATES and tool not in _DOING


def _is_said_in_passing(
    text: str, found: Opening, tool: ToolKind, *, reported: bool | None
) -> bool:
    """Whether the words belong to what the tool does, not to how it went.

    A command prints lines; its exit status, if a harness saw it, says more. A search brings
    lines with file names, a log what went wrong elsewhere, a translator any sentence. A tool
    that cancels says that something was cancelled.
    """
    match tool:
        case "command" if found.rule in _PROGRAMS_WORDS:
            passing = reported is True and not missing_programs(text)
        case "command":
            passing = found.reach == "line" and not _is_of_a_run(text)
        case "content" if found.rule in _PROGRAMS_WORDS:
            passing = not text.startswith("fatal: ")
        case "log":
            passing = found.rule in _LOGGED or ("\n" in text.strip() and not _OF_A_CALL.match(text))
        case "wording":
            passing = found.rule not in _NO_PROSE and _OF_A_REQUEST.match(text) is None
        case "checking" | "asking" if found.rule in WORKS:
            passing = bool(_OF_A_WORK.match(text) or _OF_MANY.match(text))
        case "checking":
            verdict = found.rule in _VERDICTS and OF_AN_ARGUMENT.match(opening_of(text)) is None
            passing = verdict or _is_a_small_word(text)
        case "asking" | "content":
            state = found.rule in SENTENCES and _OF_A_STATE.match(text) is not None
            passing = state or _is_a_small_word(text)
        case "stopper":
            passing = found.rule in WORKS and "fail" not in text[:80].lower()
        case _:
            passing = False
    return passing or _is_an_answer(found.rule, tool) or _is_about_something(text, found.rule, tool)


def _is_about_something(text: str, rule: str, tool: ToolKind) -> bool:
    """Whether a text is a label of what is not so, or a document that opens with an error."""
    if rule == "state_symbol":
        return tool != "acting" and _NOT_SO.match(text) is not None
    return tool == "content" and text[:1] == "#" and _SECTIONS.match(text) is not None


def _is_a_small_word(text: str) -> bool:
    """Whether a text is one word in small letters, as a value is that somebody looked up."""
    word = text.strip()
    return word.isalpha() and word.isascii() and word.islower()


def _is_of_a_run(text: str) -> bool:
    """Whether a text is of the running of a command; what goes on in further lines is printed."""
    return "\n" not in text.strip() and _OF_A_RUN.match(text) is not None


def _python_data(text: str) -> Any:
    if len(text) > _LONGEST_PYTHON or not text.lstrip().startswith("{'"):
        return None
    try:
        return parse_repr(text)
    except NotPython:
        return None
