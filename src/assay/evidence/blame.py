"""Whose fault was a failed call, and what kind of failure was it?

One table of rules, most reliable first: the JSON-RPC code, the arguments against the recorded
schema, the name against the tools on offer, the same call elsewhere, the HTTP status, and only
then the words. A mistake gets the same answer whether the server threw it as -32602 or told it
as the text of an `isError` result: the code names the side, the words name the kind.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.body_roles import is_full
from assay.evidence.checker_reports import runs_checks
from assay.evidence.coded_kinds import kind_by_code
from assay.evidence.failure_kinds import (
    CATEGORY_OF,
    CIRCUMSTANCES,
    CLEARING_STATUSES,
    HTTP_KINDS,
    JSON_RPC_KINDS,
    NOT_OF_THE_MODEL,
    OF_DATA,
    STATEFUL,
    UNTOLD_KINDS,
    VAGUE_CODES,
    VAGUE_KINDS,
    VAGUE_STATUSES,
    Category,
    Kind,
)
from assay.evidence.failure_words import numbers_in, words_beside
from assay.evidence.payload import Payload
from assay.evidence.schema_fit import explain_misfit, schema_fit
from assay.evidence.seed_classifier import classify_error
from assay.evidence.told_kinds import kind_of_message, kinds_of_messages
from assay.evidence.tool_kinds import kind_of_tool
from assay.execution import ToolExecutionResult
from assay.tools import ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Blame", "Siblings", "blame", "blame_each", "classify_error", "seed_names"]

_LONGEST_MESSAGE = 4_000

_RPC_CODE = re.compile(r"(?:mcp|json-?rpc|rpc)\s+error\D{0,12}(-32\d{3})\b", re.IGNORECASE)
_HTTP_CODE = re.compile(
    r"\b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|response(?: code)?|error(?: code)?"
    r"|(?:client|server) error)(?![a-z])\D{0,16}(?:2\d\d\D{0,10})?\b([45]\d\d)\b"
    r"|(?:returned|answered(?: with)?|responded(?: with)?|received|got)(?: an?| status| http){0,2}"
    r" ([45]\d\d)\b|^\W{0,4}(?:error\W{1,3})?([45]\d\d)[: ]{1,2}(?-i:[A-Z{\[])"
    r"|^\W{0,4}([45]\d\d)\W{0,4}$"
    r"|(?:^|[:'\"(\s])([45]\d\d)[:\s]+(?:client error|server error|bad|unauthori|forbidden|not"
    r"|method|request|conflict|gone|payload|too many|unprocess|internal|service|gateway)",
    re.IGNORECASE,
)
# A request and its status, in either order: "409 PUT /x", "PUT /x → 409", "[PUT /x][409]".
_METHOD = r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE)"
_HTTP_REQUEST = re.compile(
    rf"\b([45]\d\d) {_METHOD} (?:https?:|/)|{_METHOD} [^\s:\]]{{1,160}}"
    r"(?:\]\[| ?(?:→|->|:|returned|failed:?) ?(?:HTTP |status )?)([45]\d\d)\b"
)
# A tool that runs a query or some code which the model wrote.
_QUERY = re.compile(r"sql|cypher|(?:\b|_)(?:query|aggregate)(?:\b|_)", re.IGNORECASE)
_CODE = re.compile(
    r"evaluate|javascript|(?:\b|_)(?:eval|js|node|deno|bun|php|ruby|perl|lua|code|script)(?:\b|_)",
    re.IGNORECASE,
)
# What a tool needs to do its work, and no call can bring: a program, a module.
_MISSING_PART = re.compile(
    r"\bsh: (?:line )?\d{1,4}: (\S{1,80}): (?:command )?not found|: command not found\b"
    r"|\bno module named\b|\bcannot find module\b|\bexit(?:ed with)? (?:code|status) 127\b"
    r"|\bshared librar(?:y|ies)\b",
    re.IGNORECASE,
)
# What only says that there is an error, and where, before what it is about.
_ERROR_OF = re.compile(r"\W{0,4}(?:[\w.]{0,60}(?:error|exception)\b)[^:\n]{0,80}: ", re.IGNORECASE)
# Where a call says what is to run the code that it sends.
_RUNNERS = frozenset({"language", "lang", "runtime", "interpreter", "shell", "kernel"})
_EXPRESSIONS = frozenset({"expression", "expr", "formula", "equation"})
_QUOTES = "'\"`"
_HTTP_NUMBER = re.compile(r"[45]\d\d")
_SEED_CATEGORY: dict[Category, str] = {
    "model": "MODEL_ERROR",
    "server": "SERVER_ERROR",
    "environment": "SERVER_ERROR",
    "unknown": "UNKNOWN",
}


class Siblings(Struct, frozen=True):
    """How the same call, tool and arguments alike, went in other runs."""

    succeeded: int = 0
    failed: int = 0
    models_failed: int = 0


class Blame(Struct, frozen=True):
    """Whose failure it was, of which kind, by which rule, and how sure that is (0 to 1)."""

    category: Category
    kind: Kind
    rule: str
    confidence: float


class _Failure(Struct, frozen=True):
    """A failed call with all that is known about it."""

    call: ToolExecutionResult
    message: str
    told: Kind
    tool: ToolDefinition | None
    siblings: Siblings | None
    offered: Collection[str] | None


def blame(
    call: ToolExecutionResult,
    *,
    tool: ToolDefinition | None = None,
    siblings: Siblings | None = None,
    offered: Collection[str] | None = None,
) -> Blame | None:
    """Whose fault a failed call was; None for a call that did not fail.

    `tool` is the tool's recorded definition, `offered` the names of all tools on offer, and
    `siblings` how the same call went elsewhere; each may be left out.
    """
    if call.success:
        return None
    message = _message_of(call)
    told = _told(call, message, kind_of_message(message))
    return _by_first_rule(_Failure(call, message, told, tool, siblings, offered))


def blame_each(failed: Iterable[ToolExecutionResult]) -> list[Blame]:
    """Whose fault each of many failed calls was, of which only the calls are known.

    The same as `blame` says of one after the other, sooner.
    """
    calls = [(call, _message_of(call)) for call in failed]
    kinds = kinds_of_messages(message for _, message in calls)
    return [
        _by_first_rule(
            _Failure(call, message, _told(call, message, kinds[message]), None, None, None)
        )
        for call, message in calls
    ]


def _by_first_rule(failure: _Failure) -> Blame:
    return next(found for rule in _RULES if (found := rule(failure)) is not None)


def seed_names(found: Blame) -> tuple[str, str]:
    """The blame in the seed's words: category, subcategory.

    Environment counts as SERVER_ERROR there; kinds that the seed lacks keep their names.
    """
    return _SEED_CATEGORY[found.category], found.kind


def _message_of(call: ToolExecutionResult) -> str:
    if call.error_message:
        return call.error_message
    return Payload(call.result).head(_LONGEST_MESSAGE) if is_full(call.result) else ""


def _told(call: ToolExecutionResult, message: str, told: Kind) -> Kind:
    """The kind that the message told or, where that is vague, the words beside it."""
    if told not in VAGUE_KINDS:
        return told
    coded = kind_by_code(message[:_LONGEST_MESSAGE])
    if coded is not None:
        return coded
    beside = words_beside(call.result)
    named = kind_of_message(beside) if beside else told
    vague = UNTOLD_KINDS if told == "unclassified" else VAGUE_KINDS
    return told if named in vague else named


def _by_rpc_code(failure: _Failure) -> Blame | None:
    code = _rpc_code(failure)
    kind = JSON_RPC_KINDS.get(code) if code is not None else None
    if kind is None or (code in VAGUE_CODES and failure.told not in UNTOLD_KINDS):
        return None
    if CATEGORY_OF[kind] == "model" and failure.told in NOT_OF_THE_MODEL:
        return None  # thrown by servers that were not given what they need to answer
    return Blame(CATEGORY_OF[kind], _refined(kind, failure.told), "json_rpc_code", 0.95)


def _by_schema(failure: _Failure) -> Blame | None:
    if failure.tool is None or failure.told in CIRCUMSTANCES:
        return None
    schema, arguments = failure.tool.input_schema, failure.call.parameters
    fit = schema_fit(schema, arguments)
    if fit == "fits":
        return None
    if fit == "broken_schema":
        return Blame("server", "invalid_schema", "broken_schema", 0.7)
    misfit = kind_of_message(explain_misfit(schema, arguments))
    kind = misfit if CATEGORY_OF[misfit] == "model" else "invalid_arguments"
    return Blame("model", kind, "schema_misfit", 0.95)


def _by_offer(failure: _Failure) -> Blame | None:
    if failure.offered is None or failure.call.tool in failure.offered:
        return None
    return Blame("model", "unknown_tool", "not_on_offer", 0.95)


def _by_siblings(failure: _Failure) -> Blame | None:
    """What the same call did elsewhere: if it can succeed, the arguments are not at fault."""
    siblings, told = failure.siblings, _told_or_coded(failure)
    if siblings is None or told in STATEFUL or CATEGORY_OF[told] == "environment":
        return None
    if siblings.succeeded:
        kind = told if CATEGORY_OF[told] == "server" else "execution_error"
        return Blame("server", kind, "same_call_succeeded", 0.8)
    if siblings.models_failed > 1 and CATEGORY_OF[told] != "model":
        kind = told if CATEGORY_OF[told] == "server" else "execution_error"
        return Blame("server", kind, "same_call_fails_for_all", 0.7)
    return None


def _told_or_coded(failure: _Failure) -> Kind:
    """The kind that the words tell or, where they are vague, the HTTP status."""
    status = _http_status(failure) if failure.told in VAGUE_KINDS else None
    return failure.told if status is None else HTTP_KINDS.get(status, failure.told)


def _by_http_status(failure: _Failure) -> Blame | None:
    status = _http_status(failure)
    if status is None:
        return None
    kind = HTTP_KINDS.get(status, "invalid_arguments" if status < 500 else "execution_error")
    if status not in VAGUE_STATUSES:
        return Blame(CATEGORY_OF[kind], _refined(kind, failure.told), "http_status", 0.85)
    plain = status in CLEARING_STATUSES and CATEGORY_OF[failure.told] == "model"
    if failure.told not in VAGUE_KINDS and not plain:
        return Blame(CATEGORY_OF[failure.told], failure.told, "http_status", 0.75)
    return Blame(CATEGORY_OF[kind], kind, "http_status", 0.6)


def _by_own_code(failure: _Failure) -> Blame | None:
    """Code and commands are the model's own: what they throw is no fault of who ran them."""
    if failure.told in CIRCUMSTANCES or CATEGORY_OF[failure.told] != "server":
        return None
    name = failure.call.tool
    is_query = failure.told in OF_DATA and _QUERY.search(name) is not None
    is_worked_out = failure.told in OF_DATA and _has_expression(failure.call)
    if not is_query and not is_worked_out and not _runs_own_code(name):
        return None
    return Blame("model", failure.told, "own_code", 0.6)


def _by_missing_part(failure: _Failure) -> Blame | None:
    """What a tool lacks that runs nothing of the model's is not for the model to bring."""
    if failure.told != "not_found":
        return None
    missing = _MISSING_PART.search(failure.message[:_LONGEST_MESSAGE])
    if missing is None or (
        _runs_own_code(failure.call.tool) and not _is_of_the_runner(failure.call, missing)
    ):
        return None
    return Blame("environment", "configuration", "missing_part", 0.6)


def _is_of_the_runner(call: ToolExecutionResult, missing: re.Match[str]) -> bool:
    """Whether the program that is missing is what was to run the code, and not part of it."""
    program = missing[1]
    if program is None or not isinstance(call.parameters, dict):
        return False
    if _RUNNERS.isdisjoint(call.parameters) and program not in call.tool:
        return False
    sent = (text for key, text in call.parameters.items() if key not in _RUNNERS)
    return not any(program in text for text in sent if isinstance(text, str))


def _has_expression(call: ToolExecutionResult) -> bool:
    """Whether the model sent something to be worked out, in a language of its own."""
    return isinstance(call.parameters, dict) and bool(_EXPRESSIONS & call.parameters.keys())


def _by_named_argument(failure: _Failure) -> Blame | None:
    """What names nothing but a value that the call had sent complains of that value."""
    if failure.told not in VAGUE_KINDS | OF_DATA:
        return None
    if not isinstance(failure.call.parameters, dict):
        return None
    found = _ERROR_OF.match(failure.message)
    named = failure.message[found.end() :].strip().strip(_QUOTES) if found else ""
    if not named or named not in failure.call.parameters.values():
        return None
    return Blame("model", "not_found", "named_argument", 0.4)


def _runs_own_code(tool: str) -> bool:
    named = _CODE.search(tool) is not None and not runs_checks(tool)
    return named or kind_of_tool(tool) == "command"


def _by_words(failure: _Failure) -> Blame | None:
    kind = failure.told
    if kind == "unclassified":
        return None
    sure = 0.4 if kind in VAGUE_KINDS or kind in STATEFUL else 0.7
    return Blame(CATEGORY_OF[kind], kind, "wording", sure)


def _by_silence(failure: _Failure) -> Blame | None:
    if failure.message.strip():
        return None
    kind: Kind = "empty_result" if failure.call.success_rule == "empty" else "status_not_success"
    return Blame("unknown", kind, "no_message", 0.3)


def _by_nothing(_: _Failure) -> Blame:
    return Blame("unknown", "unclassified", "none", 0.1)


_RULES: tuple[Callable[[_Failure], Blame | None], ...] = (
    _by_rpc_code,
    _by_schema,
    _by_offer,
    _by_siblings,
    _by_http_status,
    _by_own_code,
    _by_missing_part,
    _by_named_argument,
    _by_words,
    _by_silence,
    _by_nothing,
)


def _refined(kind: Kind, told: Kind) -> Kind:
    """The kind that the words tell, if it is on the same side as the code says."""
    return told if told not in VAGUE_KINDS and CATEGORY_OF[told] == CATEGORY_OF[kind] else kind


def _rpc_code(failure: _Failure) -> int | None:
    for number in numbers_in(failure.call.result):
        if number in JSON_RPC_KINDS:
            return number
    if "-32" not in failure.message:  # as every such code begins
        return None
    found = _RPC_CODE.search(failure.message[:_LONGEST_MESSAGE])
    return int(found[1]) if found else None


def _http_status(failure: _Failure) -> int | None:
    for number in numbers_in(failure.call.result):
        if 400 <= number <= 599:
            return number
    message = failure.message[:_LONGEST_MESSAGE]
    # Any number that might be one is found much faster than the words around it.
    if _HTTP_NUMBER.search(message) is None:
        return None
    found = _HTTP_CODE.search(message) or _HTTP_REQUEST.search(message)
    return int(next(filter(None, found.groups()))) if found else None
