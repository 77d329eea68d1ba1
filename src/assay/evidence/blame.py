"""Whose fault was a failed call, and what kind of failure was it?

One table of rules, most reliable first: the JSON-RPC code, the arguments against the recorded
schema, the name against the tools on offer, the same call elsewhere, the HTTP status, and only
then the words. A mistake gets the same answer whether the server threw it as -32602 or told it
as the text of an `isError` result: the code names the side, the words name the kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.body_roles import is_full
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
from assay.evidence.outcome import UNDECIDED_RULES
from assay.evidence.own_code import (
    has_expression,
    is_query_tool,
    lacks_a_part,
    names_the_undefined,
    ran_too_long,
    runs_own_code,
)
from assay.text.payload import Payload
from assay.schema import breaks_off, explain_misfit, schema_fit
from assay.evidence.seed_classifier import classify_error
from assay.evidence.told_kinds import kind_of_message, kinds_of_messages
from assay.evidence.tool_kinds import words_of
from assay.evidence.untold_reasons import keeps_the_reason_back
from assay.execution import ToolExecutionResult
from assay.tools import ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Blame",
    "Siblings",
    "blame",
    "blame_each",
    "classify_error",
    "names_on_offer",
    "seed_names",
]

_LONGEST_MESSAGE = 4_000

_RPC_CODE = re.compile(r"(?:mcp|json-?rpc|rpc)\s+error\D{0,12}(-32\d{3})\b", re.IGNORECASE)
_HTTP_CODE = re.compile(
    r"\b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|response(?: code)?|error(?: code)?"
    r"|(?:client|server) error)(?![a-z])\D{0,16}(?:2\d\d\D{0,10})?\b([45]\d\d)\b"
    r"|(?:returned|answered(?: with)?|responded(?: with)?|received|got)"
    r"(?: an?| status| http| code| error){0,3}"
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
# What only says that there is an error, and where, before what it is about.
_ERROR_OF = re.compile(r"\W{0,4}(?:[\w.]{0,60}(?:error|exception)\b)[^:\n]{0,80}: ", re.IGNORECASE)
_QUOTES = "'\"`"
# What only a tool that is there can tell of: of its service, or of its work.
_OF_A_SERVICE: frozenset[Kind] = frozenset(
    ("rate_limit", "quota_exceeded", "auth", "network_error", "timeout")
)
_OF_A_WORK: frozenset[Kind] = frozenset(
    (
        *("missing_required_field", "wrong_type", "invalid_date_range", "syntax_error", "conflict"),
        *("output_too_large", "null_reference", "data_processing_error", "index_error"),
    )
)
_NO_SUCH_STATUSES = frozenset({404, 405, 410, 501})
_TRACEBACK = "Traceback (most recent call last)"
# What is missed where a program calls what it has not found.
_TO_BE_CALLED = re.compile(r"\b(?:callable|tools?|functions?|handlers?)\b", re.IGNORECASE)
# What is said by who could not read the arguments, or does not say what hindered it.
_NOT_READ: frozenset[Kind] = frozenset(
    ("unclassified", "execution_error", "data_processing_error", "malformed_call", "syntax_error")
)
_ZERO_DIVISION = re.compile(r"\b(?:division|divided?|dividing) by zero\b", re.IGNORECASE)
_DIVIDING = frozenset(
    {"divide", "division", "div", "divmod", "quotient", "modulo", "mod", "remainder"}
)
# Of what a server answered, and not of the data that a query asks for.
_OF_AN_ANSWER = re.compile(
    r"\b(?:empty|invalid|unexpected|malformed|truncated) (?:\w+ )?(?:response|reply|answer)\b", re.I
)
_ZEROS = frozenset({"0", "0.0", "-0"})
# What the kind of answer says of the failure, whatever its words are.
_KIND_BY_OUTCOME: dict[str | None, Kind] = {"html_login_page": "auth"}
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


_Rule = Callable[[_Failure], Blame | None]


def blame(
    call: ToolExecutionResult,
    *,
    tool: ToolDefinition | None = None,
    siblings: Siblings | None = None,
    offered: Collection[str] | None = None,
) -> Blame | None:
    """Whose fault a failed call was; None for a call that did not fail.

    `tool` is the tool's recorded definition, `offered` the names of all tools on offer (see
    `names_on_offer`), and `siblings` how the same call went elsewhere; each may be left out.
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


def names_on_offer(
    tools: Collection[str] | None, calls: Iterable[ToolExecutionResult]
) -> Collection[str] | None:
    """The names of the tools on offer in a run, with those of which a call is known to have worked.

    Whoever lets an agent search for tools hands out more than the run lists. None where nothing
    is known of any.
    """
    if tools is None:
        return None
    worked = (call for call in calls if call.success and call.success_rule not in UNDECIDED_RULES)
    return {*tools, *(call.tool for call in worked)}


def _by_first_rule(failure: _Failure) -> Blame:
    return _by_first_of(_RULES, failure)


def _by_first_of(rules: tuple[_Rule, ...], failure: _Failure) -> Blame:
    return next(found for rule in rules if (found := rule(failure)) is not None)


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
    if call.success_rule in _KIND_BY_OUTCOME:
        return _KIND_BY_OUTCOME[call.success_rule]
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
    if not failure.call.arguments_recorded:
        return None
    schema, arguments = failure.tool.input_schema, failure.call.parameters
    fit = schema_fit(schema, arguments)
    if fit == "fits":
        return None
    if fit == "broken_schema":
        return Blame("server", "invalid_schema", "broken_schema", 0.7)
    if breaks_off(arguments):
        return Blame("model", "malformed_call", "schema_misfit", 0.95)
    misfit = kind_of_message(explain_misfit(schema, arguments))
    kind = misfit if CATEGORY_OF[misfit] == "model" else "invalid_arguments"
    return Blame("model", kind, "schema_misfit", 0.95)


def _by_offer(failure: _Failure) -> Blame | None:
    if failure.offered is None or failure.call.tool in failure.offered or _was_there(failure):
        return None
    return Blame("model", "unknown_tool", "not_on_offer", 0.95)


def _was_there(failure: _Failure) -> bool:
    """Whether only the tool itself, or its server, can have answered like that."""
    told = failure.told
    if told == "unknown_tool":
        return False
    if told in _OF_A_SERVICE:
        return True
    status = _http_status(failure)
    if status is not None and told != "not_found":
        return status not in _NO_SUCH_STATUSES
    is_of_work = told in _OF_A_WORK or _TRACEBACK in failure.message
    return is_of_work and not _misses_the_tool(failure)


def _misses_the_tool(failure: _Failure) -> bool:
    """Whether what the message complains of last is the tool: KeyError: 'moor_boat'."""
    complaint = failure.message.rstrip().rpartition("\n")[2].rpartition(": ")[2]
    return failure.call.tool in complaint or _TO_BE_CALLED.search(complaint) is not None


def _by_siblings(failure: _Failure) -> Blame | None:
    """What the same call did elsewhere: if it can succeed, the arguments are not at fault.

    If it fails for all, it is the server's unless it is known to be the model's by itself: what is
    wrong is wrong for everybody. What the model's own code does depends on what it did before.
    """
    siblings = failure.siblings
    if siblings is None or not failure.call.arguments_recorded:
        return None
    alone = _by_first_of(_RULES_FOR_ONE, failure)
    if alone.rule == "own_code" or alone.kind in STATEFUL or alone.category == "environment":
        return None
    kind = alone.kind if CATEGORY_OF[alone.kind] == "server" else "execution_error"
    if siblings.succeeded:
        return Blame("server", kind, "same_call_succeeded", 0.8)
    if siblings.models_failed > 1 and alone.category != "model":
        return Blame("server", kind, "same_call_fails_for_all", 0.7)
    return None


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


def _by_broken_arguments(failure: _Failure) -> Blame | None:
    """What opens as an object and is none can be read by nobody."""
    if failure.told not in _NOT_READ or not breaks_off(failure.call.parameters):
        return None
    return Blame("model", "malformed_call", "broken_arguments", 0.7)


def _by_own_code(failure: _Failure) -> Blame | None:
    """Code and commands are the model's own: what they throw is no fault of who ran them."""
    if failure.told == "timeout" and ran_too_long(failure.call, failure.message[:_LONGEST_MESSAGE]):
        return Blame("model", "timeout", "own_code", 0.5)
    if failure.told in CIRCUMSTANCES or CATEGORY_OF[failure.told] != "server":
        return None
    name = failure.call.tool
    asks_of_data = is_query_tool(name) or has_expression(failure.call)
    asks_of_data = asks_of_data and _OF_AN_ANSWER.search(failure.message[:_LONGEST_MESSAGE]) is None
    if not (failure.told in OF_DATA and asks_of_data) and not runs_own_code(name):
        return None
    undefined = names_the_undefined(failure.message[:_LONGEST_MESSAGE])
    return Blame("model", "syntax_error" if undefined else failure.told, "own_code", 0.6)


def _by_untold_code(failure: _Failure) -> Blame | None:
    """Of own code that fails in words that nobody knows, other runs cannot clear the model."""
    if not runs_own_code(failure.call.tool) and not has_expression(failure.call):
        return None
    kind = "unclassified" if failure.message.strip() else _silent_kind(failure)
    return Blame("unknown", kind, "own_code", 0.1)


def _by_missing_part(failure: _Failure) -> Blame | None:
    """What a tool lacks that runs nothing of the model's is not for the model to bring."""
    if failure.told != "not_found":
        return None
    if not lacks_a_part(failure.call, failure.message[:_LONGEST_MESSAGE]):
        return None
    return Blame("environment", "configuration", "missing_part", 0.6)


def _by_zero(failure: _Failure) -> Blame | None:
    """Who asks to divide by zero; what a tool works out by the way is its own to look after."""
    if failure.told not in OF_DATA or not isinstance(failure.call.parameters, dict):
        return None
    if words_of(failure.call.tool).isdisjoint(_DIVIDING):
        return None
    if _ZERO_DIVISION.search(failure.message[:_LONGEST_MESSAGE]) is None:
        return None
    if not any(map(_is_zero, failure.call.parameters.values())):
        return None
    return Blame("model", "validation_error", "named_argument", 0.4)


def _is_zero(value: object) -> bool:
    if isinstance(value, str):
        return value in _ZEROS
    return isinstance(value, int | float) and not isinstance(value, bool) and not value


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


def _by_words(failure: _Failure) -> Blame | None:
    kind = failure.told
    if kind == "unclassified":
        return None
    message = failure.message[:_LONGEST_MESSAGE]
    if kind == "execution_error" and keeps_the_reason_back(message, failure.call.tool):
        return None
    sure = 0.4 if kind in VAGUE_KINDS or kind in STATEFUL else 0.7
    return Blame(CATEGORY_OF[kind], kind, "wording", sure)


def _by_silence(failure: _Failure) -> Blame | None:
    if failure.message.strip():
        return None
    return Blame("unknown", _silent_kind(failure), "no_message", 0.3)


def _silent_kind(failure: _Failure) -> Kind:
    return "empty_result" if failure.call.success_rule == "empty" else "status_not_success"


def _by_nothing(_: _Failure) -> Blame:
    return Blame("unknown", "unclassified", "none", 0.1)


# What can be told of a failure without knowing other runs.
_RULES_FOR_ONE: tuple[_Rule, ...] = (
    _by_http_status,
    _by_broken_arguments,
    _by_own_code,
    _by_missing_part,
    _by_zero,
    _by_named_argument,
    _by_words,
    _by_untold_code,
    _by_silence,
    _by_nothing,
)
_RULES: tuple[_Rule, ...] = (_by_rpc_code, _by_schema, _by_offer, _by_siblings, *_RULES_FOR_ONE)


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
