"""Which result belongs to which call."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any, TypeAlias

from assay.readers.engine.events import Call, Result

_EMPTY: tuple[Any, ...] = ("", [], {})
Waiting: TypeAlias = defaultdict[object, deque[Call]]


def link(events: list[Call | Result]) -> list[Call]:
    """The calls in order, each with its result; results without a call become calls of their own.

    A result finds its call by id, by any id it refers to, by the name of the tool, by the object
    that holds both, or by order. A later result that says something replaces an empty one.
    """
    calls = [event for event in events if isinstance(event, Call)]
    linker = _Linker(calls)
    for event in events:
        if isinstance(event, Call):
            linker.wait(event)
        elif not linker.settle(event):
            orphan = _orphan(event)
            if orphan is not None:
                calls.append(orphan)
    linker.share_results()
    return sorted((call for call in calls if not call.is_weak), key=lambda call: call.order)


def _orphan(result: Result) -> Call | None:
    if not result.is_strong or not (result.call_id or result.tool or result.source == "bare"):
        return None
    call = Call(
        result.tool or "", result.arguments, result.place, "result without a call", result.source
    )
    call.has_arguments, call.is_orphan = result.has_arguments, not result.has_arguments
    call.call_id = result.call_id
    call.order, call.message = result.order, result.message
    call.answer(result)
    return call


class _Linker:
    """Calls that wait for a result, by everything a result may know of its call."""

    def __init__(self, calls: list[Call]) -> None:
        self._by_id: defaultdict[str, list[Call]] = defaultdict(list)
        for call in calls:
            for name in {call.call_id, call.own_id} - {None}:
                self._by_id[str(name)].append(call)
        self._seen: dict[str, Call] = {}
        self._open: Waiting = defaultdict(deque)
        self._requests: Waiting = defaultdict(deque)

    def wait(self, call: Call) -> None:
        """Let a call wait for a result that comes later."""
        if call.source == "protocol":
            self._requests[call.exchange].append(call)
        for name in {call.call_id, call.own_id} - {None}:
            self._seen[str(name)] = call
        if call.has_result:
            return
        scope = call.scope.number
        for known in (call.call_id, call.own_id):
            if known is not None:
                self._open["id", known, scope].append(call)
        self._open["scope", scope].append(call)
        self._open["name", scope, call.tool].append(call)
        if call.call_id is None:
            self._open["no id", scope].append(call)
            self._open["no id", scope, call.tool].append(call)
        if call.place.parent is not None:
            self._open["parent", id(call.place.parent)].append(call)
        if call.source == "protocol" or call.call_id is None:
            self._open["anywhere"].append(call)

    def settle(self, result: Result) -> bool:
        """Give a result to its call, if there is one."""
        if result.source == "protocol":
            waiting = self._requests[result.exchange]
            if waiting:
                waiting.popleft().answer(result)
            return True
        names = [result.call_id] if result.call_id else result.references
        for name in names:
            call = self._named(name, result) if name else None
            if call is not None:
                _answer_again(call, result)
                return True
        call = self._waiting(result)
        if call is not None:
            call.answer(result)
            call.is_weak = False
        return call is not None

    def _named(self, name: str, result: Result) -> Call | None:
        if name not in self._by_id:
            return None
        first = self._first(("id", name, result.scope.number))
        return first or self._seen.get(name) or self._by_id[name][0]

    def _first(self, key: object) -> Call | None:
        waiting = self._open.get(key)
        while waiting:
            if not waiting[0].has_result:
                return waiting[0]
            waiting.popleft()
        return None

    def _waiting(self, result: Result) -> Call | None:
        scope = result.scope.number
        if result.source == "bare" and (call := self._first("anywhere")) is not None:
            return call
        beside = self._beside(result)
        if result.call_id and beside is None:
            return self._first(("no id", scope, result.tool) if result.tool else ("no id", scope))
        if result.tool:
            return self._first(("name", scope, result.tool))
        if beside is not None:
            return beside
        return self._first(("scope", scope)) if result.is_strong else None

    def _beside(self, result: Result) -> Call | None:
        parent = result.place.parent
        return None if parent is None else self._first(("parent", id(parent)))

    def share_results(self) -> None:
        """Let calls of one id and tool, recorded in several places, share the result of one."""
        for calls in self._by_id.values():
            if len(calls) < 2:
                continue
            answered = {call.tool: call for call in reversed(calls) if call.has_result}
            for call in calls:
                other = answered.get(call.tool)
                if call.has_result or other is None or _are_siblings(call, other):
                    continue
                call.result, call.has_result = other.result, True
                call.failed, call.is_weak = other.failed, other.is_weak


def _answer_again(call: Call, result: Result) -> None:
    is_empty = call.result in _EMPTY and result.value not in (*_EMPTY, None)
    if not call.has_result or is_empty or (result.is_certain and not call.is_certain):
        call.answer(result)
    elif call.failed is None:
        call.failed = result.failed
    if result.is_strong or result.call_id:
        call.is_weak = False


def _are_siblings(call: Call, other: Call) -> bool:
    """Whether both stand in transcripts of their own, so that the id may have been used twice."""
    own = call.scope.is_transcript and call.scope.channel == ""
    return own and other.scope.is_transcript
