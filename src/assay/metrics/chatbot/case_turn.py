"""A recorded run as one turn of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.metrics.chatbot.outlook import has_outlook
from assay.metrics.chatbot.quantities import number_at, value_at
from assay.metrics.chatbot.text import read_text
from assay.metrics.chatbot.turn import Exchange, Turn, read_history
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult
    from assay.metrics.chatbot.domain import Domain
    from assay.metrics.chatbot.traits import Traits
    from assay.test_case import AgentTestCase

# Where a case keeps what is known beside the run: in its additional_metadata.
DATA_KEY = "weather_data_used"
PREFERENCES_KEY = "user_preferences"
TRUTH_KEY = "ground_truth"


def turn_of_case(case: AgentTestCase, traits: Traits, domain: Domain) -> Turn:
    """Take from a case what the metrics ask for; what it does not say stays None."""
    recorded = case.execution_data is not None
    results = results_of(case.calls)
    metadata = case.additional_metadata or {}
    preferences = metadata.get(PREFERENCES_KEY)
    data = metadata.get(DATA_KEY)
    return Turn(
        read_text(case.input),
        read_text(case.actual_output or ""),
        traits,
        _data_in(results, domain) if data is None else data,
        _earlier(case),
        preferences if isinstance(preferences, dict) else None,
        _seconds(case),
        len(case.calls) if recorded else None,
        results if recorded else None,
        any(call.failed for call in case.calls),
        _truth(metadata.get(TRUTH_KEY)),
    )


def _truth(known: Any) -> list[Any]:
    if known is None:
        return []
    return known if isinstance(known, list) else [known]


def results_of(calls: list[ToolExecutionResult]) -> list[Any]:
    """What the tools returned where they succeeded, without its wrapping."""
    found = (unwrap(call.result).value for call in calls if call.success)
    return [value for value in found if value is not None]


def _data_in(results: list[Any], domain: Domain) -> Any:
    """The last result that holds what the domain knows; without one there is no data."""
    return next((result for result in reversed(results) if _is_data(result, domain)), None)


def _is_data(result: object, domain: Domain) -> bool:
    return (
        has_outlook(result, domain)
        or value_at(result, domain.file.conditions.at) is not None
        or any(number_at(result, q.at) is not None for q in domain.file.quantities)
    )


def _earlier(case: AgentTestCase) -> tuple[Exchange, ...]:
    """The turns before this one: many recorders write the present one into the history too."""
    history = read_history(case.conversation_history)
    if history and history[-1].user.raw == case.input:
        answered = history[-1].assistant.raw
        if answered in {"", case.actual_output}:
            return history[:-1]
    return history


def _seconds(case: AgentTestCase) -> float | None:
    if case.started_at is None or case.ended_at is None or case.ended_at < case.started_at:
        return None
    return case.ended_at - case.started_at
