"""Where each vendor of voice agents keeps what is known of a call beside its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    text_at,
    total_usage,
    with_cost,
)
from assay.run import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.run import Usage

Call = dict[str, Any]
Turns = list[dict[str, Any]]
ELEVENLABS, RETELL, VAPI = "elevenlabs", "retell", "vapi"
RETELL_TURNS = ("transcript_with_tool_calls", "message_with_tool_calls", "transcript_object")
# What each turn has of which Vapi's are known.
VAPI_MARKS = frozenset({"message", "toolCalls", "toolCallId"})
# What an analysis says where it does not say yes or no.
VERDICTS = {
    **dict.fromkeys(("success", "true", "pass"), True),
    **dict.fromkeys(("failure", "false", "fail"), False),
}


class Facts(NamedTuple):
    """How to find the facts of one vendor's call."""

    vendor: str
    ids: tuple[str, ...]
    agents: tuple[str, ...]
    kept: tuple[str, ...]
    turns: Callable[[Call], object]
    is_own: Callable[[Call, Turns], bool]
    started_at: Callable[[Call], float | None]
    ended_at: Callable[[Call], float | None]
    model: Callable[[Call, Turns], str | None]
    usage: Callable[[Call, Turns], Usage | None]
    outcome: Callable[[Call], RunOutcome | None]


def _verdict(told: object, vendor: str) -> RunOutcome | None:
    said = told if isinstance(told, bool) else VERDICTS.get(str(told).lower())
    return None if said is None else RunOutcome(success=said, decided_by=f"{vendor} analysis")


def _analysis(call: Call, key: str = "analysis") -> Call:
    return dict_or_empty(call.get(key))


def _about(call: Call) -> Call:
    return dict_or_empty(call.get("metadata"))


def _elevenlabs_end(call: Call) -> float | None:
    begun = epoch_seconds(_about(call).get("start_time_unix_secs"))
    lasted = amount_or_none(_about(call).get("call_duration_secs"))
    return None if begun is None or lasted is None else begun + lasted


def _elevenlabs_models(turns: Turns) -> list[tuple[str, Call]]:
    """Each model that a turn used, with its counts."""
    used = (
        dict_or_empty(dict_or_empty(turn.get("llm_usage")).get("model_usage")) for turn in turns
    )
    return [(model, dict_or_empty(counts)) for models in used for model, counts in models.items()]


def _elevenlabs_usage(_: Call, turns: Turns) -> Usage | None:
    def tokens(counts: Call, key: str) -> int | None:
        return count_or_none(dict_or_empty(counts.get(key)).get("tokens"))

    return total_usage(
        {
            "input_tokens": tokens(counts, "input"),
            "output_tokens": tokens(counts, "output_total"),
            "cache_read_input_tokens": tokens(counts, "input_cache_read"),
            "cache_creation_input_tokens": tokens(counts, "input_cache_write"),
        }
        for _, counts in _elevenlabs_models(turns)
    )


def _retell_turns(call: Call) -> object:
    """The turns of a call or of a chat, with what was called where that was recorded."""
    return next((found for key in RETELL_TURNS if (found := call.get(key))), None)


def _vapi_turns(call: Call) -> object:
    """The turns as Vapi records them, not as it sent them to a model."""
    return call.get("messages") or dict_or_empty(call.get("artifact")).get("messages")


def _vapi_model(call: Call, _: Turns) -> str | None:
    costs = (dict_or_empty(cost.get("model")) for cost in objects_in(call.get("costs")))
    told = (text_at(model, "model") for model in costs)
    assistant = dict_or_empty(dict_or_empty(call.get("assistant")).get("model"))
    return next(filter(None, told), None) or text_at(assistant, "model")


def _vapi_usage(call: Call, _: Turns) -> Usage | None:
    costs = [cost for cost in objects_in(call.get("costs")) if cost.get("type") == "model"]
    usage = total_usage(
        {"input_tokens": c.get("promptTokens"), "output_tokens": c.get("completionTokens")}
        for c in costs
    )
    return with_cost(usage, [call.get("cost")])


FACTS = (
    Facts(
        vendor=ELEVENLABS,
        ids=("conversation_id",),
        agents=("agent_id",),
        kept=("status", "analysis", "metadata"),
        turns=lambda call: call.get("transcript") or call.get("simulated_conversation"),
        is_own=lambda _, turns: all("time_in_call_secs" in turn for turn in turns),
        started_at=lambda call: epoch_seconds(_about(call).get("start_time_unix_secs")),
        ended_at=_elevenlabs_end,
        model=lambda _, turns: next((m for m, _counts in _elevenlabs_models(turns)), None),
        usage=_elevenlabs_usage,
        outcome=lambda call: _verdict(_analysis(call).get("call_successful"), ELEVENLABS),
    ),
    Facts(
        vendor=RETELL,
        ids=("call_id", "chat_id"),
        agents=("agent_name", "agent_id"),
        kept=("call_status", "disconnection_reason", "call_analysis", "metadata"),
        turns=_retell_turns,
        is_own=lambda call, _: "call_id" in call or "chat_id" in call,
        started_at=lambda call: epoch_seconds(call.get("start_timestamp")),
        ended_at=lambda call: epoch_seconds(call.get("end_timestamp")),
        model=lambda _call, _turns: None,
        usage=lambda _call, _turns: None,
        outcome=lambda call: _verdict(
            _analysis(call, "call_analysis").get("call_successful"), RETELL
        ),
    ),
    Facts(
        vendor=VAPI,
        ids=("id",),
        agents=("assistantId",),
        kept=("endedReason", "analysis", "type", "status"),
        turns=_vapi_turns,
        is_own=lambda _, turns: (
            all(not VAPI_MARKS.isdisjoint(turn) for turn in turns)
            and any("secondsFromStart" in turn for turn in turns)
        ),
        started_at=lambda call: epoch_seconds(call.get("startedAt")),
        ended_at=lambda call: epoch_seconds(call.get("endedAt")),
        model=_vapi_model,
        usage=_vapi_usage,
        outcome=lambda call: _verdict(_analysis(call).get("successEvaluation"), VAPI),
    ),
)
