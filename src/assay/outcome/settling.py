"""The outcome of each call of a case, decided once, when the case is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.outcome.blame import Failure, blame
from assay.outcome.judging import find_outcome, reported_success, role_of_call
from assay.outcome.kinds import Blame, Kind
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition


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
    *,
    tool: ToolDefinition | None = None,
    offered: frozenset[str] | None = None,
    earlier: Sequence[ToolExecutionResult] = (),
) -> Judgement:
    """Judge one call by its result and by what was reported of it.

    With the run in view more can be known of a failure: the definition of the tool, the names of
    all tools on offer, and the calls before this one, settled already.
    """
    payload = unwrap(call.result)
    role = role_of_call(call)
    found = find_outcome(call, payload, role, reported=reported_success(call, payload))
    if found.success is not False:
        return Judgement(found.success, found.rule)
    failure = Failure(call, payload.value, role, found.rule, found.message, tool, offered, earlier)
    blamed = blame(failure)
    return Judgement(
        False, found.rule, found.message or None, blamed.blame, blamed.kind, blamed.rule
    )


def settle(case: AgentTestCase) -> AgentTestCase:
    return case
