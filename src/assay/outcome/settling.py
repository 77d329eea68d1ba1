"""The outcome of each call of a case, decided once, when the case is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.outcome.blame import Blamed, Failure, Run, blame
from assay.outcome.judging import find_outcome, reported_success, words_of
from assay.outcome.kinds import BLAMES, KINDS, Blame, Kind
from assay.outcome.roles import role_of
from assay.text.payload import Payload, unwrap

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

# An unknown outcome whose record was a failure's: it counts as no success.
_UNREADABLE = frozenset({"unreadable", "unreadable_flag"})


class Judgement(Struct, frozen=True):
    """Whether a call succeeded, None if that cannot be told; of a failure also whose and which."""

    success: bool | None
    rule: str
    message: str | None = None
    blame: Blame | None = None
    kind: Kind | None = None
    blame_rule: str | None = None


def judge_call(
    call: ToolExecutionResult,
    payload: Payload | None = None,
    *,
    run: Run | None = None,
    position: int = 0,
) -> Judgement:
    """Judge one call by its result and by what was reported of it.

    `payload` is its result unwrapped, where that was done already. With the `run` in view, in
    which the call has a `position`, more can be known of a failure.
    """
    if payload is None:
        payload = unwrap(call.result)
    role = role_of(call.tool, call.parameters)
    found = find_outcome(call, payload, role, reported=reported_success(call, payload))
    if found.success is not False:
        return Judgement(found.success, found.rule)
    failure = Failure(call, payload.value, role, found.rule, found.message, run, position)
    blamed = blame(failure)
    message = found.message or None
    return Judgement(found.success, found.rule, message, blamed.blame, blamed.kind, blamed.rule)


def settle(case: AgentTestCase) -> AgentTestCase:
    """Write the outcome of each call into a case, in place, and return the case.

    Each result becomes its innermost payload, `reported_success` what the wrapping and the
    reader reported, `success` the verdict and `success_rule` the rule behind it. A failed call
    gets an `error_message`, its `blame`, its `failure_kind` and the `blame_rule`. A call whose
    outcome is unknown has one of `UNKNOWN_RULES`. A call that has a rule already keeps its
    verdict, so settling twice changes nothing.
    """
    run = Run(case)
    for position, call in enumerate(case.calls):
        if call.success_rule is None:
            _settle_call(call, run, position)
        elif call.failed and call.blame is None:
            _write_blame(call, blame_of(call, run, position))
    return case


def blames_of(case: AgentTestCase) -> list[Blamed | None]:
    """Whose each failure of a case is; None for a call that did not fail.

    What was decided when the case was read stands. A case that nobody settled is left as it is.
    """
    run = Run(case)
    return [
        blame_of(call, run, position) if call.failed else None
        for position, call in enumerate(case.calls)
    ]


def blame_of(call: ToolExecutionResult, run: Run | None = None, position: int = 0) -> Blamed:
    """Whose failure a failed call is: as it was decided, else by what it returned."""
    if call.blame in BLAMES and call.failure_kind in KINDS:
        return Blamed(call.blame, call.failure_kind, call.blame_rule or "recorded")
    value = unwrap(call.result).value
    message = call.error_message or words_of(value)
    role = role_of(call.tool, call.parameters)
    rule = call.success_rule or "recorded"
    return blame(Failure(call, value, role, rule, message, run, position))


def _settle_call(call: ToolExecutionResult, run: Run, position: int) -> None:
    payload = unwrap(call.result)
    reported = reported_success(call, payload)
    found = judge_call(call, payload, run=run, position=position)
    call.result = payload.value
    call.reported_success = reported
    call.success = found.success is not False and found.rule not in _UNREADABLE
    call.success_rule = found.rule
    if found.success is False:
        call.error_message = call.error_message or found.message
        call.blame, call.failure_kind = found.blame, found.kind
        call.blame_rule = found.blame_rule


def _write_blame(call: ToolExecutionResult, found: Blamed) -> None:
    call.blame, call.failure_kind, call.blame_rule = found.blame, found.kind, found.rule
