"""How the answer of a tool that was to do something tells, as data, that it was not done.

A status "failed" is what a lookup was asked for. Of a payment that was to be made it says that it
was not, whatever else came along: an id, what had been sent, the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from assay.evidence.body_roles import Body, is_full, message_in, snake
from assay.evidence.checker_reports import runs_checks
from assay.evidence.code_values import is_count, truth
from assay.evidence.error_bodies import Reading, lone_words
from assay.evidence.error_grammar import failing_opening
from assay.evidence.error_values import is_error
from assay.evidence.tool_kinds import kind_of_tool, runs_something

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult

_NAMED_ERRORS = ("Error", "_error")
_STATES = ("status", "Status", "state", "State")
_ENDED_BADLY = re.compile(
    r"(?:[a-z]+[ _-]){0,2}(?:fail|failed|failure|error|errored|declined|denied|rejected|refused"
    r"|aborted|timed[ _-]?out)\Z",
    re.IGNORECASE,
)
_LEFT_UNDONE = re.compile(
    r"(?:skipped|ignored|not[ _-](?:done|sent|saved|performed|applied))\Z", re.I
)
_NO_NEED = re.compile(
    r"\b(?:already|duplicate|identical|unchanged|up.to.date|nothing|same|no (?:new|changes?))\b",
    re.I,
)
# Under which keys the reason stands.
_WHY = re.compile(
    r"(?:\w+_)?(?:reason|cause)\Z"
    r"|(?:fail|failed|failure|error|decline|reject|rejection|denial)_(?:code|type|message|msg"
    r"|details?|info)\Z"
)
_DEED = re.compile(r"(?!fail|err|reject)(?:[a-z]{2,20}ed|sent|written|success\w*)\Z")
_MEASURED = re.compile(
    r"(?:\w+_)?(?:id|ms|seconds|time|duration|elapsed|took)\Z|\w*(?:Id|Ms|Time)\Z"
)
_MANY = 50

_Part = Literal["acting", "running", "other"]
_Rule = Callable[["ToolExecutionResult", "dict[Any, Any]"], "Reading | None"]


def told_of_the_deed(call: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """What a body, in which no rule for all tools sees a failure, says of what was to be done."""
    part = _part_of(call.tool)
    if part is None or len(value) > _MANY:
        return None
    for rule in _rules_for(tuple(value), part):
        if (reading := rule(call, value)) is not None:
            return reading
    return None


@lru_cache(maxsize=4_096)
def _part_of(tool: str) -> _Part | None:
    """What a tool has to do with deeds: None if it only tells, "other" if nobody knows."""
    if runs_something(tool) and not runs_checks(tool):
        return "running"
    match kind_of_tool(tool):
        case ("acting" | "other") as part:
            return part
        case _:
            return None


@lru_cache(maxsize=4_096)
def _rules_for(keys: tuple[Any, ...], part: _Part) -> tuple[_Rule, ...]:
    """Those rules that can apply to a body by its keys: most bodies need none of them."""
    names = [key for key in keys if isinstance(key, str)]
    possible = {
        _named_failure: any(key.endswith(_NAMED_ERRORS) for key in names),
        _flag_of_the_deed: names == ["data"],
        _bad_end: part != "other" and any(key in _STATES for key in names),
        _left_undone: part != "other" and any(key in _STATES for key in names),
        _none_done: part != "other" and any(_DEED.match(key) for key in names),
        _words_beside_echoes: part == "acting",
    }
    return tuple(rule for rule, can_apply in possible.items() if can_apply)


def _named_failure(_: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """What failed behind a server that answered well: a status, and `FunctionError` beside it."""
    named = [key for key in value if isinstance(key, str) and key.endswith(_NAMED_ERRORS)]
    told = [item for key in named if isinstance(item := value[key], str) and is_error(item)]
    if not told or not Body(value).all("http"):
        return None
    return Reading(failed=True, rule="error_body", message=told[0])


def _flag_of_the_deed(_: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """The flag of the only deed of a request, as GraphQL answers: under its name, in `data`."""
    data = value.get("data")
    deed = next(iter(data.values())) if isinstance(data, dict) and len(data) == 1 else None
    if not isinstance(deed, dict):
        return None
    body = Body(deed)
    if False not in [truth(flag) for flag in body.all("good_flag")] or body.is_record:
        return None
    return Reading(failed=True, rule="success_flag", message=body.message())


def _bad_end(call: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """A bad end, with its reason, or with nothing but ids and what had been sent beside it."""
    state = next((value[key] for key in _STATES if key in value), None)
    around = value
    if isinstance(state, dict):  # the word and its reason stand deeper
        around = state
        state = next((state[key] for key in _STATES if key in state), None)
    if not isinstance(state, str) or _ENDED_BADLY.match(state.strip()) is None:
        return None
    body = Body(value)
    if body.is_record:
        return None
    reasons = [item for key, item in around.items() if _tells_why(key) and is_full(item)]
    beside = {key: item for key, item in value.items() if key not in _STATES}
    if not reasons and not Body(_without_echoes(call, beside)).only_echoes:
        return None
    words = next((words for item in reasons if (words := message_in(item))), body.message())
    return Reading(failed=True, rule="status_word", message=words)


def _left_undone(_: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """A deed that was left out, for a reason that hinders who was to do it."""
    state = next((value[key] for key in _STATES if key in value), None)
    if not isinstance(state, str) or _LEFT_UNDONE.match(state.strip()) is None:
        return None
    reasons = (item for key, item in value.items() if _tells_why(key) and isinstance(item, str))
    for told in reasons:
        if _NO_NEED.search(told) is None and failing_opening(told, tool="acting") is not None:
            return Reading(failed=True, rule="status_word", message=told)
    return None


def _tells_why(key: Any) -> bool:
    return isinstance(key, str) and _WHY.match(snake(key)) is not None


def _none_done(_: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """Counts by which some failed and nothing was done: `{"imported": 0, "failed": 5}`."""
    counts = {str(key): item for key, item in value.items() if is_count(item)}
    if 0 not in counts.values():
        return None
    body = Body(value)
    failed = [count for count in body.all("bad_count") if is_count(count)]
    done = [count for key, count in counts.items() if _DEED.match(key)]
    if 0 not in done or not any(failed):
        return None
    # A total is as large as what failed; any other number may be what was done.
    rest = {count for key, count in counts.items() if _MEASURED.match(key) is None}
    if not rest <= {0, *failed} or any(done):
        return None
    words = message_in(body.all("errors", "error")) or body.message()
    return Reading(failed=True, rule="all_items_failed", message=words)


def _words_beside_echoes(call: ToolExecutionResult, value: dict[Any, Any]) -> Reading | None:
    """What hinders who was to act, where else the body only repeats what it was asked for."""
    told = lone_words(_without_echoes(call, value))
    if told is None or failing_opening(told, tool="acting") is None:
        return None
    return Reading(failed=True, rule="short_refusal", message=told)


def _without_echoes(call: ToolExecutionResult, value: dict[Any, Any]) -> dict[Any, Any]:
    """The body without what the call had sent."""
    if not isinstance(call.parameters, dict):
        return value
    sent = [given for given in call.parameters.values() if isinstance(given, str | int)]
    return {key: item for key, item in value.items() if item not in sent}
