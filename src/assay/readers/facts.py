"""Facts of a run as expressions over paths, and the fields of a case that they fill.

An expression is `[how] path [by path] [then ...]`, or `= text with {path} in it`.

    how     first (default), last, min, max, sum, count, join, all, usage, key, keys
    by p    only the last value for each value of `p` counts: usage that is repeated
    +1 *2   a number added, multiplied
    at p    the value at a path below what was found
    plus p  the number that another path, or `sum p`, gives added
    >= 1    whether the number is at least that
    means x what any value there stands for; an empty one stands for nothing
    in a,b  whether the value is one of these
    map a:1,b:0   the value that stands for it; one that is not listed stays
    match R       the first group of a pattern in the text; null where it does not match
    else e  another expression where there is nothing
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.readers import values
from assay.readers.paths import Path, Scope, compile_path, split_outside, word_of
from assay.run import RunOutcome

# What is done to a value that was found; it may look at the run.
Change: TypeAlias = Callable[[Any, Scope], Any]
HOW = frozenset(
    {"first", "last", "min", "max", "sum", "count", "join", "all", "usage", "key", "keys"}
)
_PLAIN: dict[str, Callable[[list[Any]], Any]] = {
    "all": lambda found: found,
    "count": len,
    "first": lambda found: found[0],
    "last": lambda found: found[-1],
}
_PLACE = re.compile(r"\{([^{}]{1,200})\}")
_LONGEST_MATCHED = 20_000
_TIMES = ("started_at", "ended_at")
_TEXTS = (
    *("task_id", "model", "framework", "agent_id", "session_id", "input", "actual_output"),
    *("expected_output", "planning_strategy", "execution_mode"),
)
_LISTS = ("available_tools", "expected_tools")
_COUNTS = ("attempt", "total_rounds")
_TOKENS = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    *("reasoning_tokens", "cost_usd"),
)
_OUTCOME = ("success", "score", "reason", "decided_by", "failure")
# The names of the facts that a table may give, beside `usage`, `run_id`, `extra` and `server`.
FACTS = (*_TEXTS, *_LISTS, *_COUNTS, *_TIMES, *_TOKENS, *_OUTCOME)
_KINDS: dict[str, Callable[[object], Any]] = {
    **dict.fromkeys(_TEXTS, values.text),
    **dict.fromkeys(_COUNTS, values.count),
    **dict.fromkeys(_TIMES, values.seconds),
    **dict.fromkeys(_TOKENS, values.count),
    "cost_usd": values.amount,
    "success": values.truth,
    "score": values.number,
}


class Expression(Struct, frozen=True):
    """One fact's expression, compiled."""

    source: str
    template: str = ""
    how: str = "first"
    path: Path | None = None
    by: Path | None = None
    changes: tuple[Change, ...] = ()
    otherwise: Expression | None = None

    def value(self, scope: Scope, kind: Callable[[object], Any] | None = None) -> Any:
        """What it gives for a run, as a value of some kind; None where that is nothing."""
        found = self._raw(scope, kind)
        for change in self.changes:
            found = None if found is None else change(found, scope)
        if kind is not None and found is not None:
            found = kind(found)
        if found is None and self.otherwise is not None:
            return self.otherwise.value(scope, kind)
        return found

    def key_of_found(self, scope: Scope) -> str | None:
        """The key under which its value stands."""
        key = self.path.key_of_found(scope) if self.path is not None else None
        return key or (self.otherwise.key_of_found(scope) if self.otherwise else None)

    def _raw(self, scope: Scope, kind: Callable[[object], Any] | None) -> Any:
        if self.path is None:
            return _filled(self.template, scope)
        by = self.by
        found = self.path.all(scope) if by is None else _last_of_each(self.path, by, scope)
        if self.how == "usage":
            return values.usage_of(found) or None
        if kind is values.seconds:
            found = [at for value in found if (at := values.seconds(value)) is not None]
        return _reduced(self.how, found) if found else None


def _last_of_each(path: Path, by: Path, scope: Scope) -> list[Any]:
    """The last value at a path for each value of another one beside it."""
    head, bracket, tail = path.text.rpartition("].")
    rows = compile_path(head + "]" if bracket else "[]").all(scope)
    inside = compile_path(tail)
    last: dict[object, Any] = {}
    for row in rows:
        found = inside.within(row, scope)
        if found:
            keys = by.within(row, scope)
            last[word_of(keys[0]) if keys else id(row)] = found[0]
    return list(last.values())


def _reduced(how: str, found: list[Any]) -> Any:
    if how == "join":
        return "\n".join(words for value in found if (words := values.text(value))) or None
    if how in _PLAIN:
        return _PLAIN[how](found)
    if how in ("key", "keys"):
        keys = [key for value in found if isinstance(value, dict) for key in value]
        return keys if how == "keys" else next(iter(keys), None)
    numbers = [known for value in found if (known := values.number(value)) is not None]
    if not numbers:
        return None
    return sum(numbers) if how == "sum" else min(numbers) if how == "min" else max(numbers)


def _filled(template: str, scope: Scope) -> str | None:
    missing = False

    def value(place: re.Match[str]) -> str:
        nonlocal missing
        found = compile_path(place[1]).first(scope)
        missing = missing or found is None
        return values.text(found) or ""

    filled = _PLACE.sub(value, template)
    return None if missing else filled


@lru_cache(maxsize=4096)
def compile_expression(source: str) -> Expression:
    """The expression that a text describes; a text that is none is an error that shows it."""
    first, *others = source.split(" else ", 1)
    otherwise = compile_expression(others[0]) if others else None
    if first.startswith("= "):
        return Expression(source, template=first[2:], otherwise=otherwise)
    words = [word for word in split_outside(first.strip(), " ") if word]
    how = words.pop(0) if words and words[0] in HOW else "first"
    if not words:
        raise InvalidRecord(f"expression {source!r}: a path is missing")
    path, by = compile_path(words.pop(0)), None
    changes = []
    while words:
        word = words.pop(0)
        if word == "by":
            by = compile_path(_argument(words, source))
        else:
            changes.append(_change(word, words, source))
    return Expression(source, "", how, path, by, tuple(changes), otherwise)


def _argument(words: list[str], source: str) -> str:
    if not words:
        raise InvalidRecord(f"expression {source!r}: it ends too early")
    return words.pop(0)


def _change(word: str, words: list[str], source: str) -> Change:
    if re.fullmatch(r"[+*]-?\d+(?:\.\d+)?", word):
        operand = float(word[1:])
        if word[0] == "+":
            return lambda value, _: _plus(value, operand)
        return lambda value, _: _times(value, operand)
    if word == "plus":
        first = _argument(words, source)
        text = f"{first} {_argument(words, source)}" if first in HOW else first
        other = compile_expression(text)
        return lambda value, scope: _plus(value, values.number(other.value(scope)))
    if word not in _CHANGES:
        raise InvalidRecord(f"expression {source!r}: {word!r} is not known")
    return _CHANGES[word](_argument(words, source))


def _at_least(argument: str) -> Change:
    least = float(argument) - 1e-6

    def change(value: Any, _: Scope) -> bool | None:
        found = values.number(value)
        return None if found is None else found >= least

    return change


def _one_of(argument: str) -> Change:
    accepted = frozenset(argument.lower().split(","))
    return lambda value, _: word_of(value).lower() in accepted


def _meaning(argument: str) -> Change:
    if argument.startswith("%"):
        return lambda value, scope: scope.groups.get(argument[1:]) if value else None
    return lambda value, _: argument if value else None


def _mapped(argument: str) -> Change:
    pairs = dict(pair.split(":", 1) for pair in argument.split(","))
    return lambda value, _: pairs.get(word_of(value), value)


def _matching(argument: str) -> Change:
    pattern = re.compile(argument.strip("'"))

    def change(value: Any, _: Scope) -> str | None:
        found = pattern.search(word_of(value)[:_LONGEST_MATCHED])
        return None if found is None else found[found.lastindex or 0]

    return change


def _below(argument: str) -> Change:
    path = compile_path(argument)
    return lambda value, scope: next(iter(path.within(value, scope)), None)


_CHANGES: dict[str, Callable[[str], Change]] = {
    ">=": _at_least,
    "in": _one_of,
    "means": _meaning,
    "map": _mapped,
    "match": _matching,
    "at": _below,
}


def _plus(value: Any, other: float | None) -> float | None:
    found = values.number(value)
    return None if found is None or other is None else found + other


def _times(value: Any, factor: float) -> float | None:
    found = values.number(value)
    return None if found is None else found * factor


def facts_of(expressions: dict[str, Expression], scope: Scope) -> dict[str, Any]:
    """The fields of a case that a table's expressions give for a run; unknown ones left out."""
    known: dict[str, Any] = {}
    for name, expression in expressions.items():
        if name == "usage":
            continue
        found = expression.value(scope, _KINDS.get(name))
        if found is not None:
            known[name] = found
    counts = _counts(expressions["usage"], scope) if "usage" in expressions else None
    counts = dict(counts or {}) | {name: known.pop(name) for name in _TOKENS if name in known}
    known["usage"] = values.usage(counts)
    if "decided_by" not in known:
        stated = (expressions.get(name) for name in ("success", "score") if name in known)
        keys = (one.key_of_found(scope) for one in stated if one is not None)
        key = next(filter(None, keys), None)
        known["decided_by"] = None if key is None else f"the file's {key!r}"
    known["outcome"] = _outcome({name: known.pop(name, None) for name in _OUTCOME})
    if "expected_tools" in known:
        known["expected_tools"] = _expected(known["expected_tools"])
    return {name: value for name, value in known.items() if value is not None}


def _counts(expression: Expression, scope: Scope) -> dict[str, Any] | None:
    """Token counts: `usage p` sums all reports at a path, `last p` takes the last one."""
    found = expression.value(scope)
    return found if expression.how == "usage" else values.usage_of([found])


def _outcome(known: dict[str, Any]) -> RunOutcome | None:
    success, failure = known["success"], known["failure"]
    if failure not in (None, False, "", [], {}):
        reason = known["reason"] or (None if failure is True else values.text(failure))
        if reason is None and isinstance(failure, dict):
            reason = _message(failure)
        return RunOutcome(success=False, decided_by=known["decided_by"], reason=reason)
    if success is None and known["score"] is None:
        return None
    reason = values.text(known["reason"]) if known["reason"] is not None else None
    return RunOutcome(success, known["score"], known["decided_by"], reason)


def _message(failure: dict[str, Any]) -> str | None:
    found = (failure.get(key) for key in ("message", "error", "detail", "reason", "name", "type"))
    return next((value for value in found if isinstance(value, str) and value), None)


def _expected(stated: Any) -> list[Any] | None:
    """Expected calls in the form of a case: a name and its arguments."""
    found = []
    for entry in stated if isinstance(stated, list) else [stated]:
        if not isinstance(entry, dict):
            found.append(entry)
            continue
        inner = entry.get("function")
        body = inner if isinstance(inner, dict) else entry
        names = (body.get(key) for key in ("name", "tool", "tool_name", "function_name"))
        keys = (
            "input_parameters",
            "inputParameters",
            "arguments",
            "args",
            "parameters",
            "input",
            "kwargs",
            "tool_input",
        )
        arguments = (body.get(key) for key in keys)
        name = next((name for name in names if name), None)
        if name is not None:
            sent: Any = next((value for value in arguments if value is not None), {})
            found.append({"name": name, "input_parameters": sent})
    return found or (stated if stated == [] else None)
