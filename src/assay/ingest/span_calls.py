"""The tool calls of a trace, each once, though several spans and messages tell of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from assay.execution import ARGUMENTS_RECORDED, ToolExecutionResult
from assay.ingest.span_messages import Message, Reply, Request
from assay.ingest.span_served import Made, Served
from assay.ingest.span_steps import Step, parameters_of
from assay.ingest.span_tree import Tree, began

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

_HANDOFF = "handoff to "


class Calls(NamedTuple):
    """The calls in the order they were asked for, and whom each step served."""

    calls: list[ToolExecutionResult]
    served: Served


class _Asked(Struct):
    """A call as a model asked for it; `model` is None where only a transcript tells of it."""

    request: Request
    call: ToolExecutionResult
    model: Step | None
    message: int
    order: int
    made: Made | None = None


class _Placed(NamedTuple):
    """A call with its place in the run; calls of one issuer share a turn."""

    since: float
    order: int
    issuer: Hashable
    call: ToolExecutionResult


def calls_of(tree: Tree) -> Calls:
    """All calls of a run, with turns and parents."""
    made, layers = _once_each(tree)
    asked = _asked(tree)
    _pair(made, asked)
    served = Served(tree, made, layers)
    replies = _Replies(tree)
    issuers = _Issuers(tree, served)
    placed = [*_unasked(made, asked, issuers, replies), *_placed(asked, issuers, replies)]
    for entry in asked:
        if entry.made is None and entry.model is not None:
            entry.call.parent_id = served.parent_id(entry.model)
    for item in made:
        item.call.parent_id = served.parent_id(item.step)
    placed.sort(key=lambda item: (item.since, item.order))
    return Calls(_in_turns(placed), served)


def _placed(asked: list[_Asked], issuers: _Issuers, replies: _Replies) -> Iterator[_Placed]:
    since = 0.0
    for entry in asked:
        _complete(entry, replies)
        issuer: Hashable = id(entry.model) if entry.model else ("said", entry.message)
        if entry.model is not None:
            since = began(entry.model)
        elif entry.made is not None:
            issuer, since = issuers.of(entry.made)
        yield _Placed(since, entry.order, issuer, entry.call)


def _unasked(
    made: list[Made], asked: list[_Asked], issuers: _Issuers, replies: _Replies
) -> list[_Placed]:
    paired = {id(entry.made) for entry in asked}
    found: list[_Placed] = []
    for item in made:
        if id(item) not in paired:
            issuer, since = issuers.of(item)
            replies.fill(item.call)
            item.call.call_id = item.call.call_id or item.step.span.span_id
            found.append(_Placed(since, len(asked) + len(found), issuer, item.call))
    return found


def _complete(entry: _Asked, replies: _Replies) -> None:
    """Fill the call that a span recorded with what the messages say of it."""
    call, made = entry.call, entry.made
    if made is not None:
        sent = call.parameters
        call = entry.call = made.call
        call.tool = entry.request.tool
        unsaid = not call.parameters or isinstance(call.parameters, str)
        call.parameters = sent if unsaid and isinstance(sent, dict) else call.parameters
        if entry.request.arguments is not None and isinstance(sent, dict):
            call.extra.pop(ARGUMENTS_RECORDED, None)
        call.call_id = call.call_id or entry.request.call_id or made.step.span.span_id
    replies.fill(call)


def _in_turns(found: list[_Placed]) -> list[ToolExecutionResult]:
    turns: dict[Hashable, int] = {}
    for placed in found:
        placed.call.turn = turns.setdefault(placed.issuer, len(turns) + 1)
    return [placed.call for placed in found]


def _once_each(tree: Tree) -> tuple[list[Made], dict[str, Made]]:
    """The calls that spans tell of, and which call each span of a tool belongs to."""
    kept: list[Made] = []
    layers: dict[str, Made] = {}
    keyed: dict[str, Made] = {}
    steps = [step for step in tree.steps if step.role == "tool"]
    for step in sorted(steps, key=lambda s: sum(1 for _ in tree.ancestors(s))):
        if step.call is None:
            continue
        around = tree.tool_above(step)
        outer = layers.get(around.span.span_id) if around else None
        same = outer if outer is not None and _is_layer(outer, step.call) else None
        same = same or (keyed.get(step.key) if step.key else None)
        if same is None:
            same = Made(step, step.call)
            kept.append(same)
        else:
            _merge(same.call, step.call)
        layers[step.span.span_id] = same
        if step.key:
            keyed.setdefault(step.key, same)
    return sorted(kept, key=lambda item: began(item.step)), layers


def _is_layer(outer: Made, inner: ToolExecutionResult) -> bool:
    return outer.call.tool == inner.tool or outer.step.key is not None


def _merge(call: ToolExecutionResult, more: ToolExecutionResult) -> None:
    call.result = more.result if call.result is None else call.result
    call.parameters = call.parameters or more.parameters
    call.server = call.server or more.server
    call.call_id = call.call_id or more.call_id
    call.error_message = call.error_message or more.error_message
    if call.reported_success is None or more.reported_success is False:
        call.reported_success = more.reported_success
    call.success = call.reported_success is not False
    is_recorded = call.arguments_recorded or more.arguments_recorded
    # The protocol below knows best which error it was.
    call.extra = {**call.extra, **more.extra}
    if is_recorded:
        call.extra.pop(ARGUMENTS_RECORDED, None)


def _asked(tree: Tree) -> list[_Asked]:
    """What the models asked for; where no answer was recorded, what an agent's words say."""
    models = [step for step in tree.models if step.outputs]
    told: list[tuple[Step | None, Message]] = [(s, m) for s in models for m in s.outputs]
    if not models:
        agents = (step for step in tree.agents if step.outputs)
        told = [(None, message) for agent in [*agents][:1] for message in agent.outputs]
    found: list[_Asked] = []
    for i, (model, message) in enumerate(told):
        for request in message.requests:
            sent = parameters_of(request.arguments)
            call = ToolExecutionResult(request.tool, sent, success=True, call_id=request.call_id)
            found.append(_Asked(request, call, model, i, len(found)))
    return found


def _pair(made: list[Made], asked: list[_Asked]) -> None:
    """Find for each execution the request it answers, by the surest sign first."""
    for of_request, of_call in _SIGNS:
        open_entries = [entry for entry in asked if entry.made is None]
        waiting = _waiting(open_entries, of_request)
        paired = {id(entry.made) for entry in asked}
        for item in made:
            sign = None if id(item) in paired else of_call(item.call)
            if sign is not None and sign in waiting:
                waiting[sign].give_to(item)


class _Waiting:
    """Requests with one sign, by the time they were made."""

    def __init__(self) -> None:
        self._starts: list[float] = []
        self._entries: list[_Asked] = []

    def add(self, entry: _Asked) -> None:
        start = began(entry.model) if entry.model else 0.0
        at = bisect_right(self._starts, start)
        self._starts.insert(at, start)
        self._entries.insert(at, entry)

    def give_to(self, item: Made) -> None:
        """Pair with the latest answer before the execution, its first request first."""
        latest = bisect_right(self._starts, began(item.step)) - 1
        if latest >= 0:
            first = bisect_left(self._starts, self._starts[latest])
            del self._starts[first]
            self._entries.pop(first).made = item


def _waiting(
    entries: Iterable[_Asked], sign_of: Callable[[Request], Hashable | None]
) -> dict[Hashable, _Waiting]:
    waiting: dict[Hashable, _Waiting] = {}
    for entry in entries:
        sign = sign_of(entry.request)
        if sign is not None:
            waiting.setdefault(sign, _Waiting()).add(entry)
    return waiting


def _arguments_sign(tool: str, parameters: object) -> Hashable:
    return tool, msgspec.json.encode(parameters, order="sorted")


def _handoff_tool(call: ToolExecutionResult) -> str | None:
    """The tool a model calls to hand over, from the name of the span that records it."""
    agent = call.tool.removeprefix(_HANDOFF)
    return None if agent == call.tool else f"transfer_to_{agent.replace(' ', '_').lower()}"


# How a request and an execution know each other: what to compare of each.
_SIGNS: tuple[
    tuple[Callable[[Request], Hashable | None], Callable[[ToolExecutionResult], Hashable | None]],
    ...,
] = (
    (lambda request: request.call_id, lambda call: call.call_id),
    (
        lambda request: _arguments_sign(request.tool, parameters_of(request.arguments)),
        lambda call: _arguments_sign(call.tool, call.parameters),
    ),
    # Two ids that differ are two calls; the tool alone counts only where one has no id.
    (lambda request: request.tool, lambda call: None if call.call_id else call.tool),
    (lambda request: None if request.call_id else request.tool, lambda call: call.tool),
    (lambda request: request.tool.lower(), _handoff_tool),
)


class _Replies:
    """Results that models were shown, found by the id of the call or by its tool."""

    def __init__(self, tree: Tree) -> None:
        self._by_id: dict[str, Reply] = {}
        self._by_tool: dict[str, deque[Reply]] = {}
        for step in tree.steps:
            for message in (*step.inputs, *step.outputs):
                self._keep(message.replies)
            if step.role == "agent":
                self._keep_refused(step.outputs)
        for step in tree.models:
            on_the_way = [reply for message in step.outputs for reply in message.replies]
            for reply in (*_newest_replies(step.inputs), *on_the_way):
                if reply.call_id is None and reply.tool:
                    self._by_tool.setdefault(reply.tool, deque()).append(reply)
            for call_id, reply in _in_order(step.inputs):
                self._by_id.setdefault(call_id, reply)

    def fill(self, call: ToolExecutionResult) -> None:
        """Complete a call with the result that was handed back for it."""
        reply = self._by_id.get(call.call_id) if call.call_id else None
        queue = self._by_tool.get(call.tool)
        if reply is None and queue:
            reply = queue.popleft()
        if reply is None:
            return
        call.result = reply.content if call.result is None else call.result
        if call.reported_success is None and reply.failed is not None:
            call.reported_success = not reply.failed
            call.success = call.reported_success

    def _keep_refused(self, told: list[Message]) -> None:
        """What an agent says of a call that it did not make, for want of such a tool."""
        for reply in (reply for message in told for reply in message.replies):
            if reply.call_id is None and reply.tool and reply.failed:
                self._by_tool.setdefault(reply.tool, deque()).append(reply)

    def _keep(self, replies: list[Reply]) -> None:
        for reply in replies:
            if reply.call_id is not None:
                known = self._by_id.setdefault(reply.call_id, reply)
                if known.failed is None and reply.failed is not None:
                    self._by_id[reply.call_id] = reply


def _newest_replies(inputs: list[Message]) -> list[Reply]:
    """The results since the model last spoke; those before it were shown already."""
    newest: list[Reply] = []
    for message in inputs:
        newest = [] if message.role == "assistant" else newest + message.replies
    return newest


def _in_order(inputs: list[Message]) -> Iterator[tuple[str, Reply]]:
    """Results under ids that nobody asked with, by the order in which they were asked for.

    OpenAI's Responses name a call twice, as an item and as a call; an instrumentation may note
    the one for the request and the other for the result.
    """
    requests: list[Request] = []
    replies: list[Reply] = []
    for message in (*inputs, Message("assistant")):
        if message.role == "assistant" and replies:
            asked = {request.call_id for request in requests}
            if len(requests) == len(replies) and not asked & {r.call_id for r in replies}:
                pairs = zip(requests, replies, strict=True)
                yield from ((q.call_id, r) for q, r in pairs if q.call_id)
            requests, replies = [], []
        requests += message.requests
        replies += message.replies


class _Issuers:
    """Who asked for a call that no recorded answer names."""

    def __init__(self, tree: Tree, served: Served) -> None:
        self._served = served
        self._models: dict[int | None, list[Step]] = {}
        for step in tree.models:
            self._models.setdefault(served.level(step), []).append(step)
        self._busy: dict[int | None, tuple[float, float]] = {}

    def of(self, item: Made) -> tuple[Hashable, float]:
        """The answer before the call; without any, calls that overlap were asked together."""
        level, start = self._served.level(item.step), began(item.step)
        models = self._models.get(level, [])
        before = bisect_right(models, start, key=began) - 1
        if before >= 0:
            return id(models[before]), began(models[before])
        first, until = self._busy.get(level, (start, 0.0))
        end = item.step.span.ended_at or start
        self._busy[level] = (first, max(until, end)) if start < until else (start, end)
        return (level, self._busy[level][0]), start
