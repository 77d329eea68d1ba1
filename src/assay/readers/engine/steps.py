"""What was done beside what came of it: an action and its observation, or lists of them."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from assay.readers.engine.objects import fields_of, short_text, speaker_in, stated_failure
from assay.readers.engine.packed import decoded
from assay.readers.engine.words import ABOUT, FINISHED, STRONG, Key, key_of

_LONGEST_ACTION = 20_000
_DONE = frozenset({"action", "actions", "command", "commands", "calls", "call"})
_SEEN = frozenset(
    {"observation", "observations", "result", "results", "output", "outputs", "responses"}
    | {"contexts"}
)
_OBSERVED = frozenset({"observation", "observations"})
_WRITTEN = re.compile(r"\s*([A-Za-z_][\w.-]{0,60})[\[(](.*)[\])]\s*", re.DOTALL)
_PLACES = (("environment",), ("env",), ("tool",))
_TOOL = re.compile(r"[A-Za-z_][\w.-]{0,100}")
_COMMAND = re.compile(r"\s{0,10}([A-Za-z_][\w.-]{0,60})(?=\s|\Z)")
# The name of a call whose tool the recording does not name.
UNNAMED = "action"


class Step(Struct):
    """One thing done and what came of it."""

    tool: str
    arguments: Any
    result: Any
    failed: bool | None = None
    call_id: str | None = None


class Steps(Struct):
    """The steps of an object, and the keys that hold them."""

    steps: list[Step]
    consumed: set[str]
    sign: str


def read_steps(
    obj: dict[str, Any], parent: dict[str, Any] | None, name: str | None
) -> Steps | None:
    """The steps that stand in an object as an action beside an observation, or as two lists."""
    keys = _keys_of_steps(obj)
    if keys is None:
        return None
    done, seen = obj[keys[0]], obj[keys[1]]
    if isinstance(done, str):
        steps = _one_step(obj, done, seen, name) if key_of(keys[1]).words[-1] in _OBSERVED else []
    elif isinstance(seen, list):
        steps = _side_by_side(obj, parent, done, seen)
    else:
        steps = []
    if not steps:
        return None
    sign = "action beside observation" if isinstance(done, str) else "lists side by side"
    return Steps(steps, set(keys), sign)


def _keys_of_steps(obj: dict[str, Any]) -> tuple[str, str] | None:
    done = seen = None
    for text, value in obj.items():
        key = key_of(text)
        if not ABOUT.isdisjoint(key.words) or key.flag:
            continue
        if not _DONE.isdisjoint(key.words):
            is_better = isinstance(value, list) or (isinstance(value, str) and done is None)
            done = text if value and is_better else done
        elif not _SEEN.isdisjoint(key.words) and isinstance(value, str | list | int | float):
            is_better = seen is None or not _OBSERVED.isdisjoint(key.words)
            seen = text if is_better else seen
    return None if done is None or seen is None else (done, seen)


def has_lists_of_steps(obj: dict[str, Any]) -> bool:
    """Whether an object holds a list of what was done and one of what came of it."""
    keys = _keys_of_steps(obj)
    if keys is None:
        return False
    done, seen = obj[keys[0]], obj[keys[1]]
    if not isinstance(done, list) or not isinstance(seen, list):
        return False
    return len(done) > 1 and abs(len(done) - len(seen)) <= 1


def _one_step(obj: dict[str, Any], done: str, seen: Any, name: str | None) -> list[Step]:
    is_spoken = speaker_in(obj) in {"user", "system"} and "content" in obj
    if is_spoken or isinstance(seen, list) or len(done) > _LONGEST_ACTION:
        return []
    tool, arguments = written_action(done)
    if tool and tool.lower() in FINISHED and isinstance(arguments, str):
        return []
    return [Step(tool or name or UNNAMED, arguments, seen, stated_failure(obj))]


def _side_by_side(
    obj: dict[str, Any], parent: dict[str, Any] | None, done: list[Any], seen: list[Any]
) -> list[Step]:
    if not done or abs(len(done) - len(seen)) > 1:
        return []
    if all(isinstance(item, str) for item in done):
        return _written_steps(done, seen, _environment(obj, parent), _flags(obj))
    if len(done) == len(seen) and all(isinstance(item, dict) for item in done):
        return _called_steps(done, seen)
    return []


def _written_steps(
    done: list[str], seen: list[Any], environment: str | None, flags: list[Any]
) -> list[Step]:
    steps = []
    for number, (text, result) in enumerate(zip(done, seen, strict=False)):
        tool, arguments = written_action(text)
        word = (tool or text).strip().lower()
        if word in FINISHED or word.startswith("submit"):
            continue
        result = str(result) if isinstance(result, int | float) else result  # noqa: PLW2901
        flag = flags[number] if number < len(flags) else None
        failed = not flag if isinstance(flag, bool) else None
        if environment:
            steps.append(Step(environment, text, result, failed))
        else:
            steps.append(Step(tool or UNNAMED, arguments, result, failed))
    return steps


def _called_steps(done: list[dict[str, Any]], seen: list[Any]) -> list[Step]:
    steps = []
    for call, result in zip(done, seen, strict=True):
        found = fields_of(call)
        if not found.name or found.result_strength == STRONG:
            return []
        is_object = isinstance(result, dict)
        call_id = found.call_id or found.own_id
        if is_object and call_id and fields_of(result).call_id:
            return []  # ids link them better
        failed = stated_failure(result) if is_object else None
        steps.append(Step(found.name, found.arguments, result, failed, call_id))
    return steps


def _environment(obj: dict[str, Any], parent: dict[str, Any] | None) -> str | None:
    for holder in (obj, parent or {}):
        for text, value in holder.items():
            if key_of(text).words[-1:] in _PLACES and short_text(value):
                return str(value)
    return None


def _flags(obj: dict[str, Any]) -> list[Any]:
    lists = (v for k, v in obj.items() if key_of(k).flag == "success" and isinstance(v, list))
    return next(lists, [])


def paired_calls(items: list[Any], key: Key) -> list[tuple[str, Any]]:
    """Calls that are objects of one field each: `[{"search": "{\\"query\\": ...}"}]`.

    Under a key that may hold anything, the arguments must be JSON text, as a model writes them.
    """
    pairs = []
    for item in items:
        if not isinstance(item, dict) or len(item) != 1:
            return []
        ((tool, value),) = item.items()
        arguments = decoded(value)
        is_plain = key.of_call and isinstance(value, dict)
        if not isinstance(arguments, dict) or not (is_plain or isinstance(value, str)):
            return []
        key_of_tool = key_of(tool)
        if not _TOOL.fullmatch(tool) or (len(key_of_tool.words) == 1 and key_of_tool.is_wrapper):
            return []
        pairs.append((tool, arguments))
    return pairs


def written_action(text: str) -> tuple[str | None, Any]:
    """The tool and the arguments of `tool[arguments]`, `tool(arguments)` or a command line."""
    if (found := bracketed_action(text)) is not None:
        return found
    line = _COMMAND.match(text)
    return (line.group(1), {"command": text}) if line else (None, text)


def bracketed_action(text: str) -> tuple[str, str] | None:
    """The tool and the arguments of `tool[arguments]` or `tool(arguments)`."""
    found = _WRITTEN.fullmatch(text)
    return (found.group(1), found.group(2)) if found else None
