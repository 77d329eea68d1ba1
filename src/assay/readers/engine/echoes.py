"""One call told several times is one call.

The same call stands in a message, in the next request that repeats the conversation, in a span,
in a step beside the message. Calls with an id are compared by it; the others by tool, arguments
and result, as often as the fullest account of the conversation has them.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from assay.readers.engine.events import Call
from assay.readers.engine.packed import decoded
from assay.readers.engine.steps import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_COMPARED = 4_000
_COMPARED = 50
# An id longer than this is unlikely to have been given twice.
_LONG_ID = 8
_UNIQUE_ID = 20
_SHORT_RESULT = 3
# Accounts of one conversation, the most trusted first.
_RANKS = {"transcript": 0, "in": 1, "own": 2, "out": 3, "span": 4}


def without_echoes(calls: list[Call], runs_with_transcript: set[int]) -> list[Call]:
    """Each call once, in order."""
    _drop_lying_ids(calls)
    known, loose = _by_id(calls)
    loose = [call for call in loose if not _is_plan(call, runs_with_transcript)]
    loose = _without_nested_spans(loose)
    found = known + _by_account(known, loose)
    return sorted(found, key=lambda call: call.order)


def canonical(value: Any) -> str:
    """A value as text that is equal for equal values; nothing and null are the same."""
    value = decoded(value)
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner is not None}
    if value in (None, "", {}, []):
        return ""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, order="deterministic").decode()
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def merge(call: Call, echo: Call) -> None:
    """Take over what the echo knows beyond the call."""
    if call.is_orphan and echo.tool and not echo.is_orphan:
        call.tool, call.is_orphan, call.has_arguments = echo.tool, False, echo.has_arguments
        call.arguments, call.place, call.message = echo.arguments, echo.place, echo.message
    elif not echo.is_orphan and _has_better_arguments(echo, call):
        call.arguments = echo.arguments
        call.has_arguments = call.has_arguments or echo.has_arguments
    if not call.tool or call.tool == UNNAMED:
        call.tool = echo.tool or call.tool
    if not call.has_result or call.result == "":
        call.result, call.has_result = echo.result, call.has_result or echo.has_result
    call.failed = echo.failed if call.failed is None else call.failed
    for name in ("call_id", "server", "error", "started_at", "ended_at", "parent_id"):
        if getattr(call, name) is None:
            setattr(call, name, getattr(echo, name))


def _has_better_arguments(echo: Call, call: Call) -> bool:
    """Whether the echo has what the call lacks, or has cut short, or got from a span."""
    own, others = canonical(call.arguments), canonical(echo.arguments)
    if not own:
        return bool(others) or (echo.has_arguments and not call.has_arguments)
    if call.source == "span" != echo.source:
        return bool(others)
    return len(others) > len(own) and bool(call.source) and echo.source != "span"


# -- by id


def _drop_lying_ids(calls: list[Call]) -> None:
    """An id that several tools share in one place is no id."""
    tools: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for call in calls:
        if call.call_id and not call.is_orphan:
            tools[call.call_id, call.scope.number].add(call.tool)
    for call in calls:
        if call.call_id and len(tools.get((call.call_id, call.scope.number), ())) > 1:
            is_unique = call.scope.is_transcript and len(call.call_id) > _UNIQUE_ID
            if call.source != "span" and not is_unique:
                call.call_id = call.own_id = None


def _by_id(calls: list[Call]) -> tuple[list[Call], list[Call]]:
    """The calls with an id, each once, and those without one."""
    known, loose = list[Call](), list[Call]()
    in_run: dict[tuple[str, int], Call] = {}
    anywhere: dict[str, Call] = {}
    own: dict[tuple[str, str, int], Call] = {}
    for call in calls:
        if call.call_id:
            other = in_run.get((call.call_id, call.scope.run))
            if other is None and (elsewhere := anywhere.get(call.call_id)) is not None:
                other = elsewhere if _is_account(call) or _is_account(elsewhere) else None
            if other is not None and _is_echo(call, other):
                merge(other, call)
                continue
            if other is None and call.scope.channel == "in" and not call.has_result:
                # A request repeats what was answered before; some number the calls anew.
                loose.append(call)
                continue
            in_run[call.call_id, call.scope.run] = call
            anywhere.setdefault(call.call_id, call)
            known.append(call)
        elif call.own_id and call.source != "protocol":
            first = own.setdefault((call.own_id, call.tool, call.scope.run), call)
            if first is call or first.source != call.source:
                loose.append(call)
            else:
                merge(first, call)
        else:
            loose.append(call)
    return known, loose


def _is_account(call: Call) -> bool:
    """Whether a call stands in what was sent to a model or came from it."""
    return call.source in {"in", "out"} or call.scope.channel != ""


def _is_echo(call: Call, other: Call) -> bool:
    if _is_repeated(call, other):
        return False
    if call.tool == other.tool or not call.tool or not other.tool:
        return True
    return call.is_orphan or other.is_orphan or len(call.call_id or "") > _LONG_ID


def _is_repeated(call: Call, other: Call) -> bool:
    """Whether one id was given to two calls of one list, as some models do in each turn."""
    if call.scope is not other.scope or call.scope.channel or call.message == other.message:
        return False
    if call.is_orphan or other.is_orphan or (call.has_result and not other.has_result):
        return False
    if call.scope.is_transcript:
        return True
    arguments = canonical(call.arguments)
    return call.has_result and arguments not in {"", canonical(other.arguments)}


# -- without an id


def _is_plan(call: Call, runs_with_transcript: set[int]) -> bool:
    """A call without id and result that was not made, or not in the transcript of its run."""
    if call.has_result or call.source or call.scope.channel or call.tool == UNNAMED:
        return False
    if call.is_bare:
        return True
    is_said = call.scope.is_transcript or call.scope.first is not None
    return not is_said and call.scope.run in runs_with_transcript


def _without_nested_spans(calls: list[Call]) -> list[Call]:
    """A span that was recorded twice, or inside a span of the same call, is one call."""
    spans: dict[str, Call] = {}
    for call in calls:
        if call.span_id:
            spans.setdefault(call.span_id, call)
    kept = []
    for call in calls:
        outer = spans.get(call.span_id or "", call)
        if outer is call:
            outer = spans.get(call.parent_id or "", call)
        if outer is not call and outer.tool == call.tool:
            mine, its = canonical(call.arguments), canonical(outer.arguments)
            if mine == its or not mine or not its:
                merge(outer, call)
                continue
        kept.append(call)
    return kept


def _by_account(known: list[Call], loose: list[Call]) -> list[Call]:
    """The calls without an id that no account before has."""
    accounts: defaultdict[tuple[int, str, int], list[Call]] = defaultdict(list)
    # Snapshots of a request, and what a model answered: as it is and decoded.
    repeated: defaultdict[tuple[int, str, int], dict[object, list[Call]]] = defaultdict(dict)
    for call in loose:
        kind, scope = _account(call), call.scope
        if kind == "in":
            key = (scope.run, kind, scope.first or 0)
            repeated[key].setdefault(scope.number, []).append(call)
        elif kind == "out":
            key = (scope.run, kind, id(call.place.parent))
            repeated[key].setdefault(call.place.key, []).append(call)
        else:
            accounts[scope.run, kind, scope.number if kind == "transcript" else 0].append(call)
    for (run, kind, first), lists in repeated.items():
        found = _fullest(list(lists.values())) if len(lists) > 1 else next(iter(lists.values()))
        accounts[run, kind, first if kind == "in" else 0] += found
    base: defaultdict[int, list[tuple[Call, str]]] = defaultdict(list)
    for call in known:
        base[call.scope.run].append((call, "id"))
    added: list[Call] = []
    for (run, kind, _), calls in sorted(accounts.items(), key=lambda item: _RANKS[item[0][1]]):
        others = [call for call, other in base[run] if other != kind or kind not in _LISTS]
        if run and kind in {"in", "out", "span"}:
            others += [call for call, _ in base[0]]
        new = _Comparison(others, kind).new(calls)
        base[run] += [(call, kind) for call in new]
        added += new
    return added


_LISTS = frozenset({"transcript", "in"})


def _account(call: Call) -> str:
    channels = {call.source, call.scope.channel}
    if call.source == "span":
        return "span"
    if "in" in channels:
        return "in"
    if "out" in channels:
        return "out"
    return "transcript" if call.scope.is_transcript or call.scope.first is not None else "own"


def _fullest(lists: list[list[Call]]) -> list[Call]:
    """Of snapshots of one conversation, each call as often as the fullest has it."""
    best: dict[tuple[str, str], list[Call]] = {}
    for calls in lists:
        same: defaultdict[tuple[str, str], list[Call]] = defaultdict(list)
        for call in calls:
            same[call.tool, canonical(call.arguments)].append(call)
        for key, found in same.items():
            if _fullness(found) > _fullness(best.get(key, [])):
                best[key] = found
    return sorted((call for found in best.values() for call in found), key=lambda c: c.order)


def _fullness(calls: list[Call]) -> tuple[int, int]:
    return len(calls), sum(call.has_result for call in calls)


class _Comparison:
    """Compares the calls of one account with those that are known already."""

    def __init__(self, known: list[Call], kind: str) -> None:
        self._kind = kind
        self._used: set[int] = set()
        self._exact: defaultdict[tuple[str, str], list[Call]] = defaultdict(list)
        self._named: defaultdict[str, list[Call]] = defaultdict(list)
        self._known = known
        for call in known:
            self._exact[call.tool, canonical(call.arguments)].append(call)
            self._named[call.tool].append(call)

    def new(self, calls: list[Call]) -> list[Call]:
        """The calls that are no echo; what the echoes know is merged into the known ones."""
        rest = [call for call in calls if not self._merged(call, self._exactly(call))]
        unnamed = any(call.tool in {UNNAMED, ""} for call in (*rest, *self._known))
        self._results = _by_result(self._known) if unnamed else {}
        return [call for call in rest if not self._merged(call, self._loosely(call))]

    def _merged(self, call: Call, other: Call | None) -> bool:
        if other is None:
            return False
        self._used.add(id(other))
        merge(other, call)
        return True

    def _exactly(self, call: Call) -> Call | None:
        same = self._exact.get((call.tool, canonical(call.arguments)), ())
        return self._first(call, same)

    def _loosely(self, call: Call) -> Call | None:
        mine = canonical(call.arguments)
        if call.source == "protocol":
            return self._prefixed(call, mine)
        others = self._named.get(call.tool, ())
        fitting = (other for other in self._unused(others) if self._fits(mine, other))
        return self._first(call, list(fitting)) or self._by_result(call)

    def _fits(self, arguments: str, other: Call) -> bool:
        others = canonical(other.arguments)
        if not arguments or not others or self._kind == "span":
            return True
        return others in arguments or arguments in others

    def _unused(self, calls: Iterable[Call]) -> list[Call]:
        unused = (call for call in calls if id(call) not in self._used)
        return list(islice(unused, _COMPARED))

    def _first(self, call: Call, others: Iterable[Call]) -> Call | None:
        for other in others:
            if id(other) in self._used:
                continue
            contradicts = call.has_result and other.has_result and self._kind in _CONTRADICTED
            if not contradicts or _shown(call) == _shown(other):
                return other
        return None

    def _prefixed(self, call: Call, arguments: str) -> Call | None:
        """The call of the model behind a protocol request: its tool's name has a prefix."""
        for other in self._unused(self._known):
            if other.tool.endswith(call.tool) and canonical(other.arguments) == arguments:
                return other
        return None

    def _by_result(self, call: Call) -> Call | None:
        result = _shown(call)
        found = self._results.get(result) if result else None
        return self._first(call, found or ())


_CONTRADICTED = frozenset({"own", "transcript"})


def _by_result(calls: list[Call]) -> dict[str, list[Call]]:
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.has_result and len(shown := _shown(call)) > _SHORT_RESULT:
            found[shown].append(call)
    return found


def _shown(call: Call) -> str:
    return canonical(_unwrapped(call.result))[:_LONGEST_COMPARED].strip()


def _unwrapped(value: Any, depth: int = 0) -> Any:
    """The text of a result without content blocks and objects of one field around it."""
    value = decoded(value)
    if depth > 3:
        return value
    if isinstance(value, list) and len(value) == 1:
        return _unwrapped(value[0], depth + 1)
    if isinstance(value, dict):
        for key in ("text", "content", "output", "result"):
            if isinstance(value.get(key), str | list | dict):
                return _unwrapped(value[key], depth + 1)
    return value
