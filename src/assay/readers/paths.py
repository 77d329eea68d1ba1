"""Path expressions: where in a parsed value a fact stands.

    a.b          the value under a key, and under a key in that
    'a.b'        a key with dots in it
    []           every item of a list; an object stands for a list of itself
    [2] [-1]     one item; `[1:]` those from the second on
    [k=v|w]      the items whose value at `k` is one of these; `k!=v`, `k`, `!k`; `&` joins
    [k~t] [k!~t] the items whose text at `k` has `t` in it, or has not
    *            every value of an object or a list
    **           the value and everything below it
    a|b          whichever is there first
    .            the run itself
    ^a           from the whole document; `@a` from the file beside; `%a` from the file's path

A value in a condition may be `{path}`. JSON inside a text is decoded on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord

# Everything below a value is looked at up to here, so that a large document stays cheap.
_MOST_BELOW = 20_000
_LONGEST_TEXT = 16 * 1024 * 1024
# How a text begins that may hold JSON, also JSON that was encoded twice.
_OPENERS = ("{", "[", '"')
_SLICE = re.compile(r"(-?\d{0,6}):(-?\d{0,6})")
_INDEX = re.compile(r"-?\d{1,6}")


class Scope(Struct, eq=False):
    """What the paths of one run start from."""

    run: Any
    document: Any = None
    beside: Any = None
    groups: dict[str, str] = {}

    def root(self, mark: str) -> Any:
        """Where a path with that first character starts."""
        if not mark:
            return self.run
        return self.document if mark == "^" else self.beside if mark == "@" else self.groups


_Step = Callable[[Any, Scope], Iterator[Any]]


class _Route(Struct, frozen=True):
    mark: str
    steps: tuple[_Step, ...]
    # The keys of a path that is nothing but keys, as most are: followed without the steps.
    keys: tuple[str, ...] | None = None

    def values(self, start: Any, scope: Scope) -> list[Any]:
        """Every value there, nulls left out."""
        if self.keys is not None:
            value = start
            for key in self.keys:
                value = opened(value) if isinstance(value, str) else value
                value = value.get(key) if isinstance(value, dict) else None
            return [] if value is None else [value]
        found = [start]
        for step in self.steps:
            found = [below for value in found for below in step(value, scope)]
            if not found:
                return found
        return [value for value in found if value is not None]


class Path(Struct, frozen=True):
    """One expression, compiled."""

    text: str
    routes: tuple[_Route, ...]

    def all(self, scope: Scope) -> list[Any]:
        """Every value there, nulls left out."""
        for route in self.routes:
            if found := route.values(scope.root(route.mark), scope):
                return found
        return []

    def first(self, scope: Scope) -> Any:
        """The first value there; None where nothing is."""
        found = self.all(scope)
        return found[0] if found else None

    def key_of_found(self, scope: Scope) -> str | None:
        """The last key of the alternative that is there; None where nothing is."""
        texts = split_outside(self.text, "|")
        found = (
            t
            for t, r in zip(texts, self.routes, strict=True)
            if r.values(scope.root(r.mark), scope)
        )
        text = next(found, None)
        return None if text is None else split_outside(text.lstrip("^@%"), ".")[-1].strip("'")

    def within(self, value: Any, scope: Scope | None = None) -> list[Any]:
        """Every value there, from a value other than the run."""
        scope = scope or Scope(value)
        for route in self.routes:
            if found := route.values(value, scope):
                return found
        return []


@lru_cache(maxsize=4096)
def compile_path(text: str) -> Path:
    """The path that a text describes; a text that is none is an error that shows it."""
    return Path(text, tuple(_route(part, text) for part in split_outside(text, "|")))


def _route(text: str, whole: str) -> _Route:
    mark = text[:1] if text[:1] in ("^", "@", "%") else ""
    rest = text[len(mark) :]
    if not rest or rest == ".":
        return _Route(mark, ())
    steps: list[_Step] = []
    for part in split_outside(rest, "."):
        if not part:
            raise InvalidRecord(f"path {whole!r}: a key is missing beside a dot")
        steps.extend(_steps(part))
    parts = split_outside(rest, ".")
    is_plain = all(part.startswith("'") or not set(part) & set("*[") for part in parts)
    return _Route(mark, tuple(steps), tuple(p.strip("'") for p in parts) if is_plain else None)


def split_outside(text: str, mark: str) -> list[str]:
    """A text split at a character that stands outside of brackets, braces and quotes."""
    parts, begin, depth, quoted = [], 0, 0, False
    for i, sign in enumerate(text):
        if sign == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == mark and not depth:
            parts.append(text[begin:i])
            begin = i + 1
    if quoted or depth:
        raise InvalidRecord(f"path {text!r}: a quote or bracket is not closed")
    return [*parts, text[begin:]]


def _steps(part: str) -> Iterator[_Step]:
    head, bracket, rest = part.partition("[") if not part.startswith("'") else (part, "", "")
    if head == "*":
        yield _every
    elif head == "**":
        yield _below
    elif head:
        yield _key(head.strip("'"))
    if bracket:
        yield _bracket(rest.removesuffix("]"))


def opened(value: Any) -> Any:
    """A value, decoded where it is a text that holds JSON."""
    if not isinstance(value, str) or value[:1] not in _OPENERS or len(value) > _LONGEST_TEXT:
        return value
    if value[0] == '"' and value[1:2] not in _OPENERS:
        return value
    try:
        found = msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return value
    return opened(found) if isinstance(found, str) and len(found) < len(value) else found


def _key(key: str) -> _Step:
    def step(value: Any, scope: Scope) -> Iterator[Any]:  # noqa: ARG001 - one signature for all
        value = opened(value)
        if isinstance(value, dict) and key in value:
            yield value[key]

    return step


def _every(value: Any, scope: Scope) -> Iterator[Any]:  # noqa: ARG001 - one signature for all
    value = opened(value)
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _below(value: Any, scope: Scope) -> Iterator[Any]:  # noqa: ARG001 - one signature for all
    yield from islice(_everything(value), _MOST_BELOW)


def _everything(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        value = opened(waiting.pop())
        yield value
        if isinstance(value, dict):
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _items(value: Any) -> list[Any]:
    value = opened(value)
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _bracket(text: str) -> _Step:
    if not text:
        return lambda value, scope: iter(_items(value))  # noqa: ARG005 - one signature for all
    if (part := _SLICE.fullmatch(text)) is not None:
        chosen = slice(*(int(bound) if bound else None for bound in part.groups()))
        return lambda value, scope: iter(_items(value)[chosen])  # noqa: ARG005 - one signature
    if _INDEX.fullmatch(text):
        index = int(text)
        return lambda value, scope: iter(_items(value)[index:][:1])  # noqa: ARG005
    tests = [_condition(part) for part in split_outside(text, "&")]

    def step(value: Any, scope: Scope) -> Iterator[Any]:
        for item in _items(value):
            if all(test(item, scope) for test in tests):
                yield item

    return step


_Test = Callable[[Any, Scope], bool]


def _condition(text: str) -> _Test:
    if "~" in text:
        left, _, part = text.partition("~")
        holder, has = compile_path(left.rstrip("!")), not left.endswith("!")
        return lambda item, scope: (
            any(part in word_of(value) for value in holder.within(item, scope)) is has
        )
    if "=" not in text:
        wanted = not text.startswith("!")
        path = compile_path(text.lstrip("!"))
        return lambda item, scope: bool(path.within(item, scope)) is wanted
    left, _, right = text.partition("=")
    equal = not left.endswith("!")
    path = compile_path(left.rstrip("!"))
    fixed = frozenset(word for word in split_outside(right, "|") if not word.startswith("{"))
    asked = [compile_path(word[1:-1]) for word in split_outside(right, "|") if word[:1] == "{"]

    def test(item: Any, scope: Scope) -> bool:
        words = fixed.union(word_of(value) for path in asked for value in path.all(scope))
        return any(word_of(v) in words for v in path.within(item, scope)) is equal

    return test


def word_of(value: Any) -> str:
    """A scalar as a condition writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def without(value: Any, path: str) -> Any:
    """A copy of a value in which the keys at a path are missing; the rest is shared."""
    parts = split_outside(path, ".")
    return _pruned(value, parts, Scope(value))


def _pruned(value: Any, parts: list[str], scope: Scope) -> Any:
    part, rest = parts[0], parts[1:]
    if part.startswith("["):
        return _pruned_items(value, part, rest, scope)
    key = part.strip("'")
    if not isinstance(value, dict) or key not in value:
        return value
    if not rest:
        return {name: below for name, below in value.items() if name != key}
    return {**value, key: _pruned(value[key], rest, scope)}


def _pruned_items(value: Any, part: str, rest: list[str], scope: Scope) -> Any:
    if not isinstance(value, list):
        return _pruned(value, rest, scope) if rest else value
    chosen = set(map(id, _bracket(part[1:-1])(value, scope)))
    if not rest:
        return [item for item in value if id(item) not in chosen]
    return [_pruned(item, rest, scope) if id(item) in chosen else item for item in value]
