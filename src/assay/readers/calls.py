"""Calls that a table states itself: where the engine needs to be told, or knows too little.

A rule has `each`, the path to its records, and expressions for the fields of a call. With `items`
each item there, inside a record, is a call; `@` is then the item of the list at `beside` that has
the same number, and `^` the record. `arguments_part` is a piece of the arguments; arguments that
are a text are put under the key `wrap`; `split` separates the names of several calls. With `keys`
the values of an object are records, and `%name` is their key. A rule with
`tool` makes calls, which replace those that the engine found; records that share a call id are one
call. A rule without `tool` adds to the calls that have the same id, or, without an id, to the
oldest
call, of the tool `of`, of which nothing was said; where there is none, it is one by itself.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import UnknownName
from assay.readers import values
from assay.readers.engine import FoundCall, FoundRun
from assay.readers.facts import Expression, compile_expression
from assay.readers.paths import Path, Scope, compile_path, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = {
    "tool": values.text,
    "call_id": values.text,
    "parent_id": values.text,
    "server": values.text,
    "error_message": values.text,
    "reported_success": values.truth,
    "started_at": values.seconds,
    "ended_at": values.seconds,
    "turn": values.count,
    "of": values.text,
}
_PLACES = frozenset({"each", "items", "beside", "wrap", "split", "keys"})
FIELDS = frozenset({*_KINDS, *_PLACES, "arguments", "arguments_part", "result", "of"})


class SpeechRule(Struct, frozen=True):
    """What was said, where the engine cannot see who said it: `each`, `role` and `text`.

    Records one after another for which `same` gives one value are pieces of one message.
    """

    each: Path
    role: Expression
    text: Expression
    same: Expression | None = None

    def tell(self, scope: Scope, found: FoundRun) -> None:
        """Replace the messages of a run, its question and its answer."""
        found.messages = []
        before: object = None
        for item in self.each.all(scope):
            own = Scope(item, scope.document, scope.beside, scope.groups)
            role, text = self.role.value(own, values.text), self.text.value(own, values.text)
            piece = self.same.value(own) if self.same else None
            if role and text and piece is not None and piece == before:
                found.messages[-1]["content"] += text
            elif role and text:
                found.messages.append({"role": role, "content": text})
                before = piece
            else:
                before = None
        said = [(m["role"], m["content"]) for m in found.messages]
        found.question = next((text for role, text in said if role == "user"), None)
        found.answer = next((text for role, text in reversed(said) if role == "assistant"), None)


def speech_of(row: dict[str, str] | None) -> SpeechRule | None:
    """The rule that a row of a table describes."""
    if row is None:
        return None
    role, text = (compile_expression(row[key]) for key in ("role", "text"))
    same = compile_expression(row["same"]) if "same" in row else None
    return SpeechRule(compile_path(row["each"]), role, text, same)


class CallRule(Struct, frozen=True):
    """One rule of a table."""

    each: Path
    fields: dict[str, Expression]
    items: Path | None = None
    beside: Path | None = None
    wrap: str = ""
    split: str = ""
    keys: bool = False

    def records(self, scope: Scope) -> list[dict[str, Any]]:
        """What its records say of calls, by the names of a call's fields."""
        found: list[dict[str, Any]] = []
        for own in self._scopes(scope):
            said = {
                name: value
                for name, expression in self.fields.items()
                if (value := expression.value(own, _KINDS.get(name))) is not None
            }
            if self.wrap and isinstance(opened(said.get("arguments")), str):
                said["arguments"] = {self.wrap: said["arguments"]}
            if said:
                found.extend(self._split(said) if self.split else [said])
        return found

    def _split(self, said: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Several calls in one record: their names in a text, arguments and results by name."""
        for name in str(said.get("tool", "")).split(self.split):
            own = said | {"tool": name}
            for key in ("arguments", "result"):
                value = opened(said.get(key))
                if isinstance(value, dict) and name in value:
                    own[key] = value[name]
            yield own

    def _scopes(self, scope: Scope) -> Iterator[Scope]:
        for record in self.each.all(scope):
            if self.keys and isinstance(record, dict):
                for key, value in record.items():
                    for item in value if isinstance(value, list) else [value]:
                        yield Scope(item, record, None, {**scope.groups, "name": key})
                continue
            if self.items is None:
                yield Scope(record, scope.document, scope.beside, scope.groups)
                continue
            beside = self.beside.within(record) if self.beside else []
            for item, other in zip_longest(self.items.within(record), beside):
                if item is not None:
                    yield Scope(item, record, other, scope.groups)


def rule_of(row: dict[str, str]) -> CallRule:
    """The rule that a row of a table describes."""
    for key in row:
        if key not in FIELDS:
            raise UnknownName("field of a call", key, FIELDS)
    fields = {key: compile_expression(text) for key, text in row.items() if key not in _PLACES}
    return CallRule(
        compile_path(row["each"]),
        fields,
        items=compile_path(row["items"]) if "items" in row else None,
        beside=compile_path(row["beside"]) if "beside" in row else None,
        wrap=row.get("wrap", ""),
        split=row.get("split", ""),
        keys=bool(row.get("keys")),
    )


def apply_rules(rules: tuple[CallRule, ...], scope: Scope, found: FoundRun) -> None:
    """Make or complete the calls of a run, in place."""
    making = [rule for rule in rules if "tool" in rule.fields]
    if making:
        found.calls = []
        # Rules over one list of records keep its order: a record is asked by each of them.
        for rule in making:
            for said in rule.records(scope):
                _take(said, found)
    by_id = {call.call_id: call for call in found.calls if call.call_id is not None}
    answered: set[int] = set()
    for rule in rules:
        for said in () if "tool" in rule.fields else rule.records(scope):
            call = by_id.get(said["call_id"]) if "call_id" in said else _next(said, found, answered)
            if call is not None:
                _add(said, call)
    for call in found.calls if making else ():
        call.arguments = _by_name(values.decode_arguments(call.arguments))
    if making:
        _number_turns(found.calls)


def _next(said: dict[str, Any], found: FoundRun, answered: set[int]) -> FoundCall | None:
    """The oldest call, of the tool that is named, of which nothing was said so far."""
    tool = said.get("of")
    open_calls = (c for c in found.calls if id(c) not in answered and tool in (None, c.tool))
    call = next(open_calls, None)
    if call is None and tool is not None:
        call = FoundCall(tool, arguments_recorded="arguments" in said, sign="table")
        found.calls.append(call)
    if call is not None:
        answered.add(id(call))
    return call


def _take(said: dict[str, Any], found: FoundRun) -> None:
    own = said.get("call_id")
    known = next((c for c in found.calls if own is not None and c.call_id == own), None)
    if known is None and "tool" in said:
        known = FoundCall(said["tool"], sign="table", arguments_recorded="arguments" in said)
        found.calls.append(known)
    if known is not None:
        _add(said, known)


def _add(said: dict[str, Any], call: FoundCall) -> None:
    for name, value in said.items():
        if name == "result" and call.has_result:
            continue
        if name == "result":
            call.result, call.has_result = value, True
        elif name == "of":
            continue
        elif name == "arguments_part" and isinstance(call.arguments, dict | list):
            continue  # the whole was recorded as well
        elif name == "arguments_part":
            call.arguments = f"{call.arguments or ''}{value}"
            call.arguments_recorded = True
        elif name == "arguments":
            call.arguments, call.arguments_recorded = value, True
        else:
            setattr(call, name, value)


def _by_name(sent: Any) -> Any:
    """Arguments as an object, where they are a list of names and values."""
    if not isinstance(sent, list) or not sent:
        return sent
    if not all(isinstance(item, dict) and {"name", "value"} <= item.keys() for item in sent):
        return sent
    return {item["name"]: item["value"] for item in sent}


def _number_turns(calls: list[FoundCall]) -> None:
    """Calls that were issued before the first of them had ended share a turn."""
    turn, ends = 0, float("-inf")
    for call in calls:
        if call.turn is not None:
            turn = call.turn
            continue
        started = call.started_at
        if turn == 0 or started is None or started >= ends:
            turn, ends = turn + 1, float("inf")
        call.turn = turn
        if call.ended_at is not None:
            ends = min(ends, call.ended_at)
