"""Runs of agents in a browser: WebArena's, AgentOccam's, BrowserGym's, a list of steps each."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    id_or_none,
    number_or_none,
    place_id,
    stable_id,
    text_at,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.web_actions import LAST_WORDS, Action, actions_in
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

NAME = "web-actions"
STEP_KEYS = ("trajectory", "steps", "states", "actions", "transitions", "history")
# What was asked, beside the steps or in the first of them; the others may name a file instead.
GOAL_KEYS = ("goal", "intent", "objective")
TASK_KEYS = ("instruction", "query", "task")
THOUGHT_KEYS = ("thought", "reasoning", "reason", "think")
# What the agent saw before it acted, and what came of the action where that is told beside it.
SEEN_KEYS = (
    *("observation", "obs", "pre_obs", "axtree_pruned", "axtree", "accessibility_tree", "state"),
)
CAME_KEYS = ("post_obs", "next_obs", "next_observation")
# How a step says that the action before it failed.
FAILED_KEY = "last_action_error"
ID_KEYS = ("task_id", "id", "episode_id")
# Where verdicts stand: beside the steps, in a summary, or in the last step.
REWARD_KEYS = ("cum_reward", "reward", "success", "score")
# How AgentLab counts over a whole run.
COUNTS = (
    ("input_tokens", "stats.cum_input_tokens"),
    ("output_tokens", "stats.cum_output_tokens"),
)
COST = "stats.cum_cost"
_KEPT = ("sites", "website", "start_url", "benchmark", "agent", "type", "config_file", "err_msg")
_LOOKED_AT = 20


def _recognise(recording: Recording) -> float:
    values = [dict_or_empty(item) for item in recording.first_items(_LOOKED_AT)]
    lists = [_steps(value) for value in values]
    if not lists or not all(lists):
        return 0.0
    written = [text for steps in lists for step in steps if (text := text_at(step, "action"))]
    known = sum(bool(actions_in(text)) for text in written[:_LOOKED_AT])
    return 0.85 if known and 2 * known > len(written[:_LOOKED_AT]) else 0.0


def _steps(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a run: objects that all have an action; none of what is no run."""
    for key in STEP_KEYS:
        listed = value.get(key)
        if not isinstance(listed, list) or not listed:
            continue
        steps = [item for item in listed if isinstance(item, dict) and "action" in item]
        written = all(isinstance(step["action"], str | None) for step in steps)
        if written and len(steps) == len(listed):
            return steps
    return []


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif steps := _steps(dict_or_empty(entry.value)):
            yield _case(entry, steps, recording.name)
        else:
            yield unexpected(
                recording.name, entry.value, "steps with an action each", entry.position
            )


def _case(entry: Entry, steps: list[dict[str, Any]], name: str) -> AgentTestCase:
    value = entry.value
    run = RunBuilder()
    asked = (_first(place, GOAL_KEYS) for place in (value, steps[0]))
    run.user(next(filter(None, asked), None) or _first(value, TASK_KEYS))
    last_words: str | None = None
    for step, following in zip_longest(steps, steps[1:]):
        said = _tell(run, step, following or {})
        last_words = said if step["action"] else last_words
    own = next((found for key in ID_KEYS if (found := id_or_none(value.get(key)))), None)
    summary = dict_or_empty(value.get("summary_info")) or dict_or_empty(value.get("result"))
    extra = {key: value[key] for key in _KEPT if value.get(key)}
    return run.finish(
        run_id=stable_id(NAME, own, *place_id(name, entry.position)),
        actual_output=last_words,
        task_id=own,
        model=text_at(value, "model") or text_at(dict_or_empty(value.get("agent")), "model"),
        usage=_usage(steps, summary),
        outcome=_outcome((value, summary, steps[-1])),
        source=Source(name, NAME, entry.position),
        extra=extra,
    )


def _tell(run: RunBuilder, step: dict[str, Any], following: dict[str, Any]) -> str | None:
    """Tell one step; back comes what it said to the user, if that was its last action."""
    text = text_at(step, "action")
    actions = actions_in(text) if text else []
    thought = next((found for key in THOUGHT_KEYS if (found := text_at(step, key))), None)
    run.end_reply()
    run.think(thought)
    if text and not actions:
        run.say(text)
    calls = [ToolExecutionResult(action.name, action.arguments) for action in actions]
    for call in calls:
        run.call(call)
    if calls:
        _end(run, calls, step, following)
    return _answer(actions[-1]) if actions else None


def _end(
    run: RunBuilder,
    calls: list[ToolExecutionResult],
    step: dict[str, Any],
    following: dict[str, Any],
) -> None:
    """Tell what came of a step's actions: the page that the next step saw, or its complaint."""
    came = _first(step, CAME_KEYS) or _first(following, SEEN_KEYS)
    page = {"url": text_at(following, "url"), "observation": came}
    told = {key: value for key, value in page.items() if value is not None}
    error = text_at(following, FAILED_KEY)
    is_said = FAILED_KEY in following
    for call in calls[:-1]:
        run.result(None, None, tool=call.tool)
    run.result(
        None,
        told or None,
        tool=calls[-1].tool,
        reported_success=error is None if is_said else None,
        error_message=error,
    )


def _first(step: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((step[key] for key in keys if step.get(key)), None)


def _answer(action: Action) -> str | None:
    said = action.arguments.get(LAST_WORDS.get(action.name, ""))
    return said if isinstance(said, str) and said else None


def _usage(steps: list[dict[str, Any]], summary: dict[str, Any]) -> Usage | None:
    counted = {ours: summary[theirs] for ours, theirs in COUNTS if theirs in summary}
    usage = total_usage(steps) or total_usage([counted])
    return with_cost(usage, [summary.get(COST)])


def _outcome(places: tuple[dict[str, Any], ...]) -> RunOutcome | None:
    """The verdict on a run; a reward of 1 is success, one between is only a score."""
    for place in places:
        for key in REWARD_KEYS:
            score = number_or_none(place.get(key))
            if score is not None:
                success = score == 1 if score in {0, 1} else None
                return RunOutcome(success=success, score=score, decided_by=f"the file's {key!r}")
    return None


WEB_ACTIONS = Format(
    name=NAME,
    title="Runs of agents in a browser: WebArena, AgentOccam, BrowserGym, AgentRewardBench",
    fidelity=(
        "Each action is a call, and what came of it is the page that the next step saw. Only "
        "BrowserGym says that an action failed. No times, no tools on offer; tokens where the "
        "steps or a summary have them. The reward is the outcome."
    ),
    recognise=_recognise,
    read=_read,
)
