"""Whose fault a failed call was, and of which kind: decided by ordered rules, first match wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.execution import ToolExecutionResult
from assay.outcome.bodies import status_in
from assay.outcome.grammar import pattern, rows, words
from assay.outcome.kinds import (
    HTTP_KINDS,
    OF_ARGUMENTS,
    RPC_KINDS,
    USUAL_BLAME,
    VAGUE_STATUSES,
    Blame,
    Kind,
    http_status,
    kind_of_exception,
    kind_of_words,
    rpc_code,
)
from assay.outcome.roles import RUNS_CODE, Role, words_of
from assay.tools import read_tools

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

_HEAD = 700
# `assay mcp replay` answers so where its recording has no answer: nobody's fault.
_REPLAY_MISS = -32_098
_INVALID_PARAMS = -32_602
_PATTERNS = dict(
    rows(r"""
stopped: sibling tool call|parallel tool call|chat ended|\A\W*(?:cancell?ed|aborted|interrupted)\b
  |(?:call|request|task|operation|execution|run|command) (?:was |has been )?(?:cancell?ed
  |interrupted|aborted)\b
limit: allowed director|outside (?:of )?(?:the |your )?(?:allowed|workspace|root|permitted|project
  |working|current)|not (?:in|within|under|inside|part of) (?:the |an? )?(?:allowed|permitted
  |allow)|allow(?:ed)?[- ]?list|allowed (?:commands?|paths?|hosts?|domains?|values?|dirs?)
  |absolute path|relative path|path traversal|(?:command|operator|flag|option|path|extra inputs?
  |propert\w+)\b.{0,40}(?:is|are) not (?:allowed|permitted)|maximum (?:length|size|number|context)
  |exceeds? (?:the )?(?:max|limit)|too (?:long|large|many (?!req))|only .{0,40}(?:are
  |is) (?:allowed|supported|permitted)|has not been read|read it first
host: please configure|api[_ -]?key|credential|not configured|unconfigured|no .{0,40}configured
  |environment variable|env var|not logged in|docker daemon|localhost|127\.0\.0\.1|sandbox
  |not installed|eacces|license|subscription|read-only|disk (?:full|space)|no space left
  |(?:missing|needs?|requires?|lacks?) .{0,30}scope|requires? (?:approval|permission
  |authentication|login)|\bhook\b|virtual ?env|\bdisplay\b|playwright install|not in allowed
  |network (?:is )?(?:unreachable|disabled|access)|offline
program: command not found|not installed|no module named|cannot find module|executable|package
  |driver|browser|node(?:\.js)? version|is not recognized as
validation: \W*(?:input|argument|\d+) validation error|invalid arguments?\b
shell_noise: ^(?!.{0,160}(?:error|no such|not found|cannot|denied|invalid|unknown)).*$\n?
""")
)
_ADDRESSES = re.compile(r"\b(?:https?|file)://\S+|(?<![\w/])(?:/[\w.@-]+){2,}/?")
_MAKING = words(
    "create generate open start new add launch init initialize load make upload write register"
    " connect"
)
_UNMAKING = words("delete remove close stop end clear reset drop destroy disconnect")
_NOTHING_THERE = re.compile(r"\W*(?:error\W+)?no (?:\w+ ){0,2}?(\w{4,})", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{4,}")
_MOST_EARLIER = 200
_OF_SHAPE: frozenset[Kind] = frozenset(("missing_required_field", "wrong_type", "invalid_value"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name], re.IGNORECASE | re.MULTILINE)


class Blamed(Struct, frozen=True):
    """Whose failure it was, of which kind, by which rule."""

    blame: Blame
    kind: Kind
    rule: str


class Run:
    """What a run shows beside one of its calls."""

    def __init__(self, case: AgentTestCase) -> None:
        """Take the calls, settled as far as the one in question, and the tools on offer."""
        self._calls = case.calls
        self._definitions = case.available_tools

    @cached_property
    def tools(self) -> Mapping[str, ToolDefinition] | None:
        """The tools on offer by name; None where nothing usable is known of them."""
        try:
            return read_tools(self._definitions) or None
        except AssayError:
            return None

    def definition(self, call: ToolExecutionResult) -> ToolDefinition | None:
        """The definition of the tool that a call names."""
        tool = self.tools.get(call.tool) if self.tools else None
        return None if tool is None else tool.on(call.server)

    def offers(self, name: str) -> bool | None:
        """Whether a tool was there: on offer, or known to have worked; None if nobody knows."""
        if self.tools is None:
            return None
        return name in self.tools or any(c.tool == name and c.succeeded for c in self._calls)

    def earlier(self, position: int) -> Sequence[ToolExecutionResult]:
        """The calls before a position, the last of them first."""
        return self._calls[max(0, position - _MOST_EARLIER) : position][::-1]


class Failure(Struct, frozen=True):
    """A failed call with what is known around it."""

    call: ToolExecutionResult
    value: Any
    role: Role
    rule: str
    message: str
    run: Run | None = None
    position: int = 0
    code: int | None = None
    kind: Kind = "other"

    @property
    def head(self) -> str:
        """The part of the message that the rules look at."""
        return self.message[:_HEAD]


_Rule = Callable[[Failure], Blame | None]


def blame(failure: Failure) -> Blamed:
    """Whose failure it was and of which kind."""
    code = status_in(failure.value)
    if code is None and failure.role not in RUNS_CODE:
        code = rpc_code(failure.message) or http_status(failure.message)
    if code == _REPLAY_MISS:
        return Blamed("unknown", "other", "replay_miss")
    failure = msgspec.structs.replace(failure, code=code)
    failure = msgspec.structs.replace(failure, kind=_kind(failure))
    for rule in _RULES:
        found = rule(failure)
        if found is not None:
            return Blamed(found, failure.kind, rule.__name__.strip("_").removeprefix("by_"))
    return Blamed(USUAL_BLAME[failure.kind], failure.kind, "kind")


def _kind(failure: Failure) -> Kind:
    code, message = failure.code, failure.message
    if failure.rule == "placeholder":
        return "empty_result"
    if code in HTTP_KINDS and code not in VAGUE_STATUSES:
        return HTTP_KINDS[code]
    raised = kind_of_exception(message) if failure.role in RUNS_CODE else None
    if raised is not None:
        return raised
    if failure.role in RUNS_CODE:
        message = _pattern("shell_noise").sub("", message[:2_000]) or message
    kind = kind_of_words(message)
    if code == _INVALID_PARAMS or _pattern("validation").match(message):
        return kind if kind in OF_ARGUMENTS or kind == "not_found" else "invalid_value"
    if kind is None and code is not None:
        kind = HTTP_KINDS.get(code) or RPC_KINDS.get(code)
    if kind is None and _is_not_offered(failure):
        return "unknown_tool"
    return (
        kind or _kind_of_misfit(failure) or ("server_crash" if _sent_nothing(failure) else "other")
    )


def _sent_nothing(failure: Failure) -> bool:
    """Whether a tool that runs by itself failed on a call that had nothing to get wrong."""
    by_itself = failure.role not in RUNS_CODE and failure.call.arguments_recorded
    stopped = _by_user(failure) or _by_harness(failure)
    return by_itself and failure.call.parameters == {} and not stopped and bool(failure.message)


def _is_not_offered(failure: Failure) -> bool:
    return failure.run is not None and failure.run.offers(failure.call.tool) is False


def _kind_of_misfit(failure: Failure) -> Kind | None:
    """What breaks the tool's schema, where the words say nothing."""
    schema = _schema(failure)
    if schema is None:
        return None
    from assay.schema import explain_misfit  # noqa: PLC0415 - loads a compiled validator

    problem = explain_misfit(schema, failure.call.parameters)
    return (kind_of_words(problem) or "invalid_value") if problem else None


def _schema(failure: Failure) -> Any:
    """The declared schema that the recorded arguments can be held against."""
    tool = failure.run.definition(failure.call) if failure.run is not None else None
    known = tool is not None and failure.call.arguments_recorded
    return tool.input_schema or None if tool is not None and known else None


def _by_user(failure: Failure) -> Blame | None:
    return "environment" if pattern("declined").search(failure.head) else None


def _by_harness(failure: Failure) -> Blame | None:
    return "environment" if _pattern("stopped").search(failure.head) else None


def _by_stated_limit(failure: Failure) -> Blame | None:
    return "model" if _pattern("limit").search(failure.head) else None


def _by_offer(failure: Failure) -> Blame | None:
    """A tool that is not there, where it is known what was on offer."""
    if failure.kind != "unknown_tool" or failure.run is None:
        return None
    offered = failure.run.offers(failure.call.tool)
    return None if offered is None else "server" if offered else "model"


def _by_schema(failure: Failure) -> Blame | None:
    """A call that fits the declared schema and is refused for its shape, or that does not fit."""
    schema = _schema(failure) if failure.kind in _OF_SHAPE else None
    if schema is None:
        return None
    from assay.schema import schema_fit  # noqa: PLC0415 - loads a compiled validator

    if schema_fit(schema, failure.call.parameters) == "violates":
        return "model"
    return "server" if failure.kind != "invalid_value" else None


def _by_lost_state(failure: Failure) -> Blame | None:
    """What the server confirmed earlier and now denies."""
    if failure.kind not in ("not_found", "invalid_value", "other") or failure.role in RUNS_CODE:
        return None
    named = [value for value in _values(failure.call.parameters) if value in failure.head]
    nothing = _NOTHING_THERE.match(failure.head)
    nouns = {nothing[1].lower()} if nothing else set()
    if nothing:
        nouns |= set(_WORD.findall(nothing[0].lower()))
    if failure.run is None or not (named or nouns):
        return None
    for call in failure.run.earlier(failure.position):
        if call.server != failure.call.server or not call.success:
            continue
        named_by = set(words_of(call.tool))
        known = named_by & nouns or any(_mentions(call, value) for value in named)
        if not known:
            continue
        if named_by & _UNMAKING:
            return None
        if named_by & _MAKING:
            return "server"
    return None


def _by_own_code(failure: Failure) -> Blame | None:
    """The agent's own command or code fails by itself, unless the host lacks something."""
    if failure.role not in RUNS_CODE:
        return None
    if failure.kind in ("permission", "auth", "quota", "unavailable", "network"):
        return "environment"
    if failure.kind == "rate_limit":
        return "server"
    is_vague = failure.kind in ("other", "server_crash")
    return "environment" if is_vague and _pattern("host").search(failure.head) else "model"


def _by_page(failure: Failure) -> Blame | None:
    if failure.rule not in ("failed_page", "placeholder"):
        return None
    return "server" if failure.kind in ("other", "empty_result") else None


def _by_rpc_code(failure: Failure) -> Blame | None:
    return "model" if failure.code in (_INVALID_PARAMS, -32_600) else None


def _by_host(failure: Failure) -> Blame | None:
    """The words name the host: what is installed, configured, allowed or reachable there."""
    if failure.kind == "unavailable" and _pattern("program").search(failure.head):
        return "environment"
    if failure.kind not in ("unavailable", "network", "server_crash", "other", "timeout"):
        return None
    return "environment" if _pattern("host").search(_ADDRESSES.sub(" ", failure.head)) else None


_RULES: tuple[_Rule, ...] = (
    _by_user,
    _by_harness,
    _by_stated_limit,
    _by_offer,
    _by_schema,
    _by_lost_state,
    _by_own_code,
    _by_page,
    _by_rpc_code,
    _by_host,
)


def _values(arguments: Any, depth: int = 0) -> list[str]:
    """The values of a call that can name a thing."""
    if isinstance(arguments, dict):
        arguments = list(arguments.values())
    if isinstance(arguments, list):
        if depth > 3:
            return []
        return [value for item in arguments[:50] for value in _values(item, depth + 1)]
    if isinstance(arguments, str) and 3 < len(arguments) < 200:
        return [arguments]
    return []


def _mentions(call: ToolExecutionResult, value: str) -> bool:
    if value in _values(call.parameters) or value in _values(call.result):
        return True
    return isinstance(call.result, str) and value in call.result[:20_000]
