"""Responses of OpenAI's API as others store them: beside their request, turn by turn, rewarded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import count_or_none, dict_or_empty, id_or_none, objects_in, text_at
from assay.ingest.stated_names import TASK_KEYS, stated_attempt

if TYPE_CHECKING:
    from collections.abc import Callable

RESPONSE = "response"
# Where the request of a response that was logged stands, and that of a rollout in training.
REQUEST = "request"
ROLLOUT = "responses_create_params"
# How a training run in NeMo Gym counts tasks, those of each agent, and attempts at them.
TASK_INDEX = "_ng_task_index"
ROLLOUT_INDEX = "_ng_rollout_index"


def response_of(value: Any) -> dict[str, Any] | None:
    """A response of the API, with what was asked where it was stored as a pair."""
    whole = dict_or_empty(value)
    inner = dict_or_empty(whole.get(RESPONSE))
    if inner.get("object") != RESPONSE:
        return whole if whole.get("object") == RESPONSE else None
    around = {k: v for k, v in whole.items() if k not in {REQUEST, ROLLOUT, RESPONSE}}
    request = dict_or_empty(whole.get(REQUEST)) or dict_or_empty(whole.get(ROLLOUT))
    return {**_said(around), **_said(request), **_said(inner)}


def is_rollout(value: Any) -> bool:
    """Whether a value holds a whole run beside what it was asked: nothing goes on with it."""
    return isinstance(dict_or_empty(value).get(ROLLOUT), dict)


def task_of(value: dict[str, Any]) -> str | None:
    """What the run was an attempt at, where it says so: many tasks are asked in the same words."""
    named = next((found for key in TASK_KEYS if (found := id_or_none(value.get(key)))), None)
    index = count_or_none(value.get(TASK_INDEX))
    if named or index is None:
        return named
    agent = text_at(dict_or_empty(value.get("agent_ref")), "name")
    return f"{agent}/{index}" if agent else str(index)


def attempt_of(value: dict[str, Any]) -> int | None:
    """Which attempt at its task a run was, counted from 1."""
    index = count_or_none(value.get(ROLLOUT_INDEX))
    return stated_attempt(value) if index is None else index + 1


def _said(part: dict[str, Any]) -> dict[str, Any]:
    """A part without what it leaves open, so that the others may say it."""
    return {key: value for key, value in part.items() if value is not None and value != []}


def items_of(stored: list[Any], known_by: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
    """The items of a list; of a list for each turn, which repeats those before, each item once."""
    turns = [objects_in(turn) for turn in stored if isinstance(turn, list)]
    if not turns:
        return objects_in(stored)
    items: list[dict[str, Any]] = []
    before: list[Any] = []
    for turn in turns:
        told = [known_by(item) for item in turn]
        items += turn[_shared(before, told) :]
        before = told
    return items


def _shared(before: list[Any], told: list[Any]) -> int:
    """With how many things both lists begin."""
    pairs = enumerate(zip(before, told, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(before), len(told)))
