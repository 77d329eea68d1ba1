"""Whether an object is a call, a result or neither: two signs make a call."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, field

from assay.readers.engine.events import Call, Place, Result, Source
from assay.readers.engine.objects import (
    Fields,
    fields_of,
    holds_results,
    identifier,
    is_definition,
    short_text,
    span_ids,
    speaker_in,
    stated_error,
    stated_failure,
    states_success,
)
from assay.readers.engine.packed import decoded
from assay.readers.engine.steps import bracketed_action, read_steps
from assay.readers.engine.words import (
    ABOUT,
    BODY,
    IDENTITY,
    NONE,
    STRONG,
    Kind,
    key_of,
    kind_of,
)

_NAME = re.compile(r"[\w.\-:/@ +&$|]{1,120}")
_PREFIX = re.compile(r"(?:execute_tool|running tool|tool|function)[ :]+", re.IGNORECASE)
# A kind that says no more than that the object is a call; others name the tool, too.
_PLAIN_KIND = re.compile(
    r"(?:function|tool|custom_tool|mcp|mcp_tool|tool_use|client_tool|server_tool|dynamic_tool"
    r"|action)[_.-]?(?:call|use|invocation)?s?",
    re.IGNORECASE,
)
_NAMING_KIND = re.compile(r"(.+?)[_.-](?:call|use)")
# Wrappers that are the call itself, so that their id is its id.
_CALLS = (("function",), ("call",), ("use",), ("invocation",))
# A table of names has more fields than any record of a call.
_MOST_FIELDS = 60
# Words of the fields of a result that say nothing of what came back.
_ABOUT = ABOUT | IDENTITY | frozenset({"ts", "time", "created", "server", "session", "seq"})


class Reading(Struct, eq=False):
    """The calls and results that an object is, and the keys whose values are part of them."""

    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    consumed: set[str] = field(default_factory=set)
    is_message: bool = False

    @property
    def found(self) -> bool:
        """Whether the object is a call or a result."""
        return bool(self.calls or self.results)


def read_object(
    obj: dict[str, Any], place: Place, span: dict[str, Any] | None = None
) -> Reading | None:
    """What an object is; None for a protocol message, in which nothing else is to be found.

    For a span, `obj` has its attributes beside its own fields.
    """
    if isinstance(obj.get("method"), str) or "jsonrpc" in obj:
        exchange = _protocol_message(obj, place)
        if exchange is not None:
            return exchange if exchange.found else None
    candidate = _Candidate(obj, place, span)
    reading = candidate.read()
    reading.is_message = candidate.is_message
    if not reading.found:
        _add_steps(reading, obj, place, candidate)
    return reading


def _protocol_message(obj: dict[str, Any], place: Place) -> Reading | None:
    """A JSON-RPC message: only a request to call a tool and the answers are of interest."""
    method, params = obj.get("method"), obj.get("params")
    exchange = identifier(obj.get("id")) or ""
    if isinstance(method, str) and isinstance(params, dict):
        if "jsonrpc" not in obj and "/" not in method and "id" not in obj:
            return None
        reading, name = Reading(), params.get("name")
        if kind_of(method) == "call" and method.endswith("call") and short_text(name):
            call = Call(str(name), params.get("arguments"), place, "protocol request")
            call.source, call.exchange = "protocol", exchange
            reading.calls.append(call)
        return reading
    if "jsonrpc" in obj and ("result" in obj or "error" in obj):
        failed = "result" not in obj
        value = obj["error"] if failed else obj["result"]
        if not failed and isinstance(value, dict):
            failed = stated_failure(value) is True
        result = Result(value, place, failed=failed or None, source="protocol", exchange=exchange)
        return Reading(results=[result])
    return None


def _add_steps(reading: Reading, obj: dict[str, Any], place: Place, candidate: _Candidate) -> None:
    found = read_steps(obj, place.parent, candidate.own.name)
    if found is None:
        return
    reading.consumed |= found.consumed
    for step in found.steps:
        call = Call(step.tool, step.arguments, place, found.sign, candidate.source)
        call.result, call.has_result, call.failed = step.result, True, step.failed
        call.call_id = step.call_id
        reading.calls.append(call)


class _Candidate:
    """An object on its way to be recognized, with the fields of its wrappers merged in."""

    def __init__(self, obj: dict[str, Any], place: Place, span: dict[str, Any] | None) -> None:
        self.obj, self.place, self.span = obj, place, span
        self.source: Source = "span" if span is not None else place.channel
        self.own = fields_of(obj)
        self.speaker = speaker_in(obj)
        self.kind: Kind = self.own.kind
        self.failed: bool | None = None
        self.consumed: set[str] = set()
        # The keys of the wrappers that brought a field.
        self.merged: set[str] = set()
        self.wrappers = self._find_wrappers()
        self._settle_kind()
        key = place.key
        names_result = key.of_result or (key.result == STRONG and self.own.call_id)
        self.near: Kind = self.kind or ("result" if names_result else "call" if key.of_call else "")
        if self.speaker in {"user", "assistant", "system"} and self.kind != "call":
            self.near = self.kind
        if not self.own.call_id and self._onlyholds_results():
            self.kind = self.near = ""
        if self.near or self.own.name_strength < STRONG:
            for text, inner in self.wrappers.items():
                self._merge(text, inner)

    @property
    def is_message(self) -> bool:
        return self.speaker in {"user", "assistant", "system"} and not self.kind

    def _find_wrappers(self) -> dict[str, dict[str, Any]]:
        own = self.own
        if own.name and own.has_arguments and own.has_result and own.call_id:
            return {}
        return {
            text: value
            for text, value in self.obj.items()
            if isinstance(value, dict) and value and key_of(text).is_wrapper
        }

    def _onlyholds_results(self) -> bool:
        """Whether an object is but the holder of a list of results, each with its call's id."""
        if self.speaker == "tool":
            return holds_results(self.obj.get("content") or self.obj.get("parts"))
        return self.near == "result" and holds_results(self.own.result)

    def _settle_kind(self) -> None:
        """A message of kind "tool" is a result, unless it has arguments or a state."""
        is_speaker = self.own.kind_value in {"tool", "function"} and self.speaker == "tool"
        is_full = self.own.arguments is not None or {"state", "function"} & self.wrappers.keys()
        if is_speaker and "content" in self.obj and not is_full:
            self.kind = "result"
        own, content = self.own, self.obj.get("content")
        if own.result_key == "observation" and content is not None and _is_word(own.result):
            # It says of which kind the observation is, and not what was observed.
            self.kind, own.result, own.result_key = "result", content, "content"

    def _merge(self, text: str, inner: dict[str, Any]) -> None:
        """Take what a wrapper says, where the object itself does not."""
        key = key_of(text)
        if is_definition(inner) or (self.near and text == "message"):
            return
        own, found = self.own, fields_of(inner)
        is_named = own.name_strength == STRONG or (own.name is not None and bool(self.kind))
        if not is_named and self._is_named_by(text, found):
            if self.kind != "result" or key.of_call:
                self._merge_call(text, found)
        elif own.name and self.near and not key.arguments and key.flag != "failure":
            is_result_itself = key.result > BODY or (key.result and text not in {"data", "payload"})
            is_reply = is_result_itself and self.near == "result"
            if not own.has_arguments and found.has_arguments and not is_reply:
                self._take_arguments(found)
                self._claim(text)
            if own.result_strength < STRONG and found.has_result and not is_result_itself:
                self._claim(text)
                self._take_result(found)
            own.call_id = own.call_id or found.call_id

    def _is_named_by(self, text: str, found: Fields) -> bool:
        key = key_of(text)
        if not found.name:
            return False
        if not found.has_arguments and not (
            self.near == "call" and self.kind and not key.of_result
        ):
            return False
        is_call = self.kind or key.of_call or found.call_id or self.own.call_id
        return bool(is_call) or text in {"function", "params"}

    def _claim(self, text: str) -> None:
        """Note that a wrapper brought a field; it is then no result as a whole."""
        self.merged.add(text)
        if self.own.result_key == text:
            self.own.result, self.own.result_key, self.own.result_strength = None, None, NONE

    def _merge_call(self, text: str, found: Fields) -> None:
        own = self.own
        own.name, own.name_strength = found.name, STRONG
        self._claim(text)
        if found.has_arguments or not own.has_arguments:
            self._take_arguments(found)
        own.call_id = own.call_id or found.call_id
        if own.call_id is None and key_of(text).words[-1:] in _CALLS:
            own.call_id = found.own_id
        if found.result_strength == STRONG:
            self._take_result(found)

    def _take_arguments(self, found: Fields) -> None:
        self.own.arguments, self.own.arguments_key = found.arguments, found.arguments_key
        self.own.arguments_strength = found.arguments_strength

    def _take_result(self, found: Fields) -> None:
        """A result of a wrapper counts for one that stands in a field of its own."""
        if self.own.result_strength < STRONG:
            self.own.result, self.own.result_key = found.result, found.result_key
            self.own.result_strength = STRONG

    # -- decisions

    def read(self) -> Reading:
        reading = Reading()
        self.failed = stated_failure(self.obj, *self.wrappers.values())
        self._settle_span()
        if not self.is_message:
            call = self._call() or self._call_of_kind()
            if call is not None:
                reading.calls.append(self._completed(call))
            elif (result := self._result()) is not None:
                reading.results.append(result)
        if reading.found:
            reading.consumed |= self.merged
            reading.consumed |= {
                text
                for text in (self.own.arguments_key, self.own.result_key)
                if text is not None and text in self.obj
            }
        return reading

    def _settle_span(self) -> None:
        """What is known of a span: its name is that of the tool only if it is a call."""
        own = self.own
        if self.span is None and self._is_run_tree():
            self.span, self.source = self.obj, "span"
        elif self.span is not None and own.name_strength < STRONG:
            name = self.span.get("name")
            if isinstance(name, str):
                own.name = short_text(name)
            if self.kind != "call":
                own.name = None
        if own.name and own.name_strength < STRONG:
            own.name = _PREFIX.sub("", own.name, count=1)

    def _is_run_tree(self) -> bool:
        """Whether a call names its parent or its beginning, as the spans of a trace do."""
        if self.near != "call" or self.own.call_id or not self.own.own_id:
            return False
        keys = map(key_of, self.obj)
        return any((key.is_parent and key.refers) or key.time == "start" for key in keys)

    def _call(self) -> Call | None:
        own = self.own
        if not own.name or not self._has_fitting_name() or self._is_description():
            return None
        is_whole = own.name_strength == STRONG and own.has_arguments and own.has_result
        if self.kind == "result" or (self.near == "result" and not is_whole):
            return None
        return self._strongly_named() if own.name_strength == STRONG else self._weakly_named()

    def _is_description(self) -> bool:
        """Whether an object says what a tool is, and not that it was called."""
        own = self.own
        if len(self.obj) > _MOST_FIELDS and not self.kind:
            return True
        if own.call_id:
            return False
        is_listed = self.place.key.lists_tools and not own.has_result
        return is_listed or ("description" in self.obj and not own.has_arguments)

    def _has_fitting_name(self) -> bool:
        """Whether the name may be that of a tool; one that is a written call is taken apart."""
        own = self.own
        if _NAME.fullmatch(str(own.name)):
            return True
        written = bracketed_action(str(own.name))
        if written is None or own.arguments:
            return False
        own.name, arguments = written
        own.arguments, own.arguments_strength = decoded(arguments), STRONG
        own.arguments_key = own.arguments_key or ""
        return True

    def _strongly_named(self) -> Call | None:
        own = self.own
        has_strong_arguments = own.arguments_strength == STRONG
        is_result = own.result_strength > BODY or (own.has_result and self.near)
        if own.has_arguments and is_result:
            return self._new("tool name, arguments and result", with_result=True)
        if has_strong_arguments or own.call_id or self.kind == "call":
            call = self._new("tool name and arguments", with_result=own.result_strength == STRONG)
            call.is_weak |= not has_strong_arguments and not self.kind
            return call
        return None

    def _weakly_named(self) -> Call | None:
        own, key = self.own, self.place.key
        has_strong_arguments = own.arguments_strength == STRONG
        has_strong_result = own.result_strength == STRONG
        if self.kind == "call":
            is_call = own.has_arguments or own.call_id is not None
            with_result = own.result_strength > BODY
            return self._new("kind and name", with_result=with_result) if is_call else None
        if self.near == "call":
            is_sure = has_strong_arguments or own.call_id is not None or key.of_call
            is_call = own.has_arguments and is_sure
            sign = f"name and arguments in {key.text!r}"
            return self._new(sign, with_result=has_strong_result) if is_call else None
        if has_strong_arguments and (own.call_id or has_strong_result):
            return self._new("name and arguments", with_result=has_strong_result)
        return None

    def _new(self, sign: str, *, with_result: bool) -> Call:
        own = self.own
        call = Call(str(own.name), own.arguments, self.place, sign, self.source)
        # What a model only wrote into its answer was perhaps never called.
        call.is_weak = self.place.is_said and not self.kind and not own.call_id
        call.has_arguments = own.has_arguments
        call.call_id = own.call_id
        if call.call_id is None and self.near == "call" and self.source != "span":
            call.call_id = own.own_id
        if with_result:
            call.result, call.has_result = _taken_out(own.result), own.has_result
            call.failed = self.failed
        elif self.failed or states_success(self.obj):
            call.failed = self.failed
        return call

    def _call_of_kind(self) -> Call | None:
        """A call whose kind names the tool: `{"type": "web_search_call", "query": ...}`."""
        own, kind = self.own, self.own.kind_value
        if self.kind != "call" or own.name or not kind or len(self.obj) <= 2:
            return None
        named = _NAMING_KIND.fullmatch(kind)
        if named is None or _PLAIN_KIND.fullmatch(kind) or self.wrappers.get("item"):
            return None
        rest = {text: value for text, value in self.obj.items() if not _is_formal(text)}
        arguments = next(iter(rest.values())) if len(rest) == 1 else rest
        call = Call(named.group(1), arguments, self.place, "kind", self.source)
        call.call_id, call.failed = own.call_id, self.failed
        call.result, call.has_result = own.result, own.has_result
        self.consumed |= rest.keys()
        return call

    def _completed(self, call: Call) -> Call:
        own, obj = self.own, self.obj
        call.server, call.error = own.server, stated_error(obj)
        call.started_at, call.ended_at = own.started_at or own.at, own.ended_at
        call.is_bare = not self._is_made(call)
        if self.span is None:
            call.own_id = own.own_id
        else:
            call.span_id, call.parent_id = span_ids(self.span)
        return call

    def _is_made(self, call: Call) -> bool:
        """Whether anything says that the call was made, and not only planned or defined."""
        if self.kind or self.span is not None or call.call_id or self.failed is not None:
            return True
        if is_from_model(self.place):
            return True
        keys = map(key_of, self.obj)
        return any(key.time or key.of_duration for key in keys)

    def _result(self) -> Result | None:
        own = self.own
        if self.near != "result":
            return self._result_by_id()
        value = own.result if own.has_result else self._rest()
        call_id, tool = own.call_id, own.name if own.name_strength == STRONG else None
        for inner in self.wrappers.values() if call_id is None else ():
            found = fields_of(inner)
            if found.call_id:
                call_id = found.call_id
                value = found.result if found.has_result else value
                tool = tool or (found.name if found.name_strength == STRONG else None)
                break
        is_result = self.kind == "result" or self.place.key.of_result
        if tool is None and own.name != own.kind_value and (self.speaker == "tool" or is_result):
            tool = own.name
        if not is_result and not call_id and not tool:
            return None
        return self._new_result(value, call_id, tool, is_strong=self.kind == "result")

    def _result_by_id(self) -> Result | None:
        own = self.own
        if not own.call_id or own.has_arguments or not own.has_result:
            return self._bare_result()
        if own.result_strength < STRONG and self.failed is None:
            return None
        tool = own.name if own.name_strength == STRONG else None
        return self._new_result(own.result, own.call_id, tool, is_strong=True)

    def _bare_result(self) -> Result | None:
        """The result of an MCP call, which says of itself that it is one and of no call whose."""
        obj, own = self.obj, self.own
        flag = obj.get("isError", obj.get("is_error"))
        if not isinstance(flag, bool) or not isinstance(obj.get("content"), list):
            return None
        if own.call_id or own.own_id or self.kind or own.name_strength == STRONG or self.speaker:
            return None
        result = self._new_result(obj, None, None, is_strong=True)
        result.source = "bare"
        self.consumed.add("content")
        return result

    def _new_result(
        self, value: Any, call_id: str | None, tool: str | None, *, is_strong: bool
    ) -> Result:
        own = self.own
        references = [*([own.own_id] if own.own_id else []), *own.references]
        return Result(
            _taken_out(value),
            self.place,
            call_id=call_id,
            tool=tool,
            failed=self.failed,
            references=references,
            is_strong=is_strong,
            is_certain=self.kind == "result",
            arguments=own.arguments,
            has_arguments=own.has_arguments,
            source=self.source,
            ended_at=own.ended_at or own.at,
        )

    def _rest(self) -> Any:
        """What is left of a result without its formal fields; what went wrong, if that is said."""
        error = stated_error(self.obj)
        if error is not None:
            return error
        return {
            text: value
            for text, value in self.obj.items()
            if not _is_formal(text) and _ABOUT.isdisjoint(key_of(text).words)
        } or ""


def _taken_out(value: Any) -> Any:
    """What a result holds that is itself an object that says it is one."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(inner, str) and inner[:1] in ("{", "[") and "result" in inner[:300]:
        return value if (found := decoded(inner)) is inner else _taken_out(found) or value
    if isinstance(inner, dict) and kind_of(inner.get("type")) == "result":
        found = fields_of(inner)
        # Without the id of a call, an empty list beside other facts is one of them.
        is_all = found.call_id or found.result or all(map(_is_formal, inner))
        if found.has_result and is_all and (found.call_id or found.result_strength == STRONG):
            return found.result
    return value


def _is_formal(text: str) -> bool:
    """Whether a field is neither arguments nor the result of a call."""
    key = key_of(text)
    is_id = key.is_own_id or key.is_call_id or key.is_kind
    return is_id or bool(key.flag) or key.name == STRONG or key.result > NONE


def is_from_model(place: Place) -> bool:
    """Whether a place is in a transcript, or below an output: nothing there is only planned."""
    scope = place.scope
    is_message = scope.first is not None or scope.is_transcript
    return is_message or place.is_said or place.is_output


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()
