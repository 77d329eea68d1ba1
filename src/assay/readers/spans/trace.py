"""From the spans of a trace to its run: steps of models and tools put together as calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.engine import FoundCall, FoundRun, find_runs, to_case
from assay.readers.paths import opened
from assay.readers.spans.messages import add_event, messages_in, named_results, spoken
from assay.readers.spans.shape import Span, dialects, kind_of, table
from assay.readers.table import merged
from assay.run import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

LLM, TOOL, AGENT = "llm", "tool", "agent"
# Keys that an SDK writes beside a result: of LangChain's messages, of ADK's responses.
_AROUND_RESULTS = frozenset({"lc", "kwargs", "tool_call_id", "additional_kwargs", "type", "id"})
# Names of spans that are no calls: several at once, and the handing over to another agent.
_NO_TOOL = re.compile(r"\(|handoff to ", re.IGNORECASE)
# What LangChain's messages of tools say of the call.
_STATES = {"success": True, "error": False}


class Step(Struct, eq=False):
    """A model's reply: what it was shown, and what it asked for."""

    span: Span
    shown: FoundRun
    said: FoundRun
    words: list[dict[str, Any]]
    answer: str | None


def link_tree(spans: list[Span]) -> list[Span]:
    """Classify the spans of a trace and hang each below its parent; the roots."""
    by_id = {span.id: span for span in spans}
    roots = []
    for span in spans:
        span.kind = kind_of(span)
        above = by_id.get(span.parent or "")
        if above is None or above is span:
            roots.append(span)
        else:
            above.children.append(span)
    return roots


def conversations(spans: list[Span], roots: list[Span]) -> list[list[Span]]:
    """The spans of each run of a trace: one, unless its outermost agents name several sessions."""
    outermost = [span for root in roots for span in _outermost(root, AGENT)]
    sessions = {str(span.get("session")) for span in outermost if span.get("session")}
    if len(outermost) < 2 or len(sessions) < 2:
        return [spans]
    return [list(_below(span)) for span in outermost]


def _outermost(span: Span, kind: str) -> Iterable[Span]:
    if span.kind == kind:
        yield span
        return
    for child in span.children:
        yield from _outermost(child, kind)


def _below(span: Span) -> Iterable[Span]:
    waiting = [span]
    while waiting:
        span = waiting.pop()
        yield span
        waiting.extend(span.children)


def steps_of(spans: list[Span]) -> tuple[list[Step], list[Span]]:
    """The innermost steps of models, and the outermost layer of each tool, in order."""
    inner = _telling([span for span in spans if span.kind == LLM])
    tools = [s for s in spans if s.kind == TOOL and not _NO_TOOL.match(_tool_name(s))]
    layers = {id(child) for span in tools for child in _layers(span)}
    steps = [_step(span) for span in sorted(inner, key=lambda s: s.begins)]
    return steps, sorted((s for s in tools if id(s) not in layers), key=lambda s: s.begins)


def _telling(models: list[Span]) -> list[Span]:
    """Of spans of one request within each other, the innermost that holds what was said."""
    with_words = {id(span) for span in models if span.get("outputs") is not None or span.events}
    found = []
    for span in models:
        below = [s for s in _below(span) if s is not span and s.kind == LLM]
        if any(id(s) in with_words for s in below) or (below and id(span) not in with_words):
            continue
        found.append(span)
    outer = [span for span in found if id(span) in with_words]
    hidden = {id(s) for span in outer for s in _below(span) if s is not span}
    return [span for span in found if id(span) not in hidden]


def _has(span: Span, kind: str) -> bool:
    return any(below.kind == kind for below in _below(span))


def _layers(span: Span) -> Iterable[Span]:
    """The spans below a tool's that are the same call: the protocol's, or a wrapper's."""
    for below in _below(span):
        if below is not span and below.kind == TOOL:
            mine, theirs = _tool_name(span), _tool_name(below)
            if mine == theirs or below.attributes.get("mcp"):
                yield below


def _tool_name(span: Span) -> str:
    named = span.get("tool")
    if isinstance(named, str) and named:
        return named
    return span.name.removeprefix("execute_tool ").removeprefix("tools/call ")


def _step(span: Span) -> Step:
    inputs, outputs = span.get("inputs"), span.get("outputs")
    shown = named_results(messages_in(inputs, "user"))
    said = messages_in(outputs, "assistant")
    if not said:  # messages that stand on a span and among its events, too, were said once
        for event in span.events:
            add_event(event, shown, said)
    found = merged(find_runs(said, known=True))
    answers = spoken(said, "assistant")
    answer = str(answers[-1]["content"]) if answers and not found.calls else None
    return Step(
        span, merged(find_runs(shown, known=True)), found, spoken(shown, "user") + answers, answer
    )


def calls_of(steps: list[Step], tools: list[Span]) -> list[FoundCall]:
    """The calls of a run: executions, completed by what models asked for and were shown."""
    asked = _asked(steps)
    if not asked and not tools and steps and not any(step.span.get("outputs") for step in steps):
        earlier = {call.call_id for call in steps[0].shown.calls}
        return [call for call in steps[-1].shown.calls if call.call_id not in earlier]
    results = _results(steps)
    turns = _turns(asked, tools, steps)
    open_requests = list(asked)
    found: list[tuple[float, int, FoundCall]] = []
    for number, span in enumerate(tools):
        request = _request_of(span, open_requests)
        if request is not None:
            open_requests.remove(request)
        call = _executed(span, request[1] if request else None)
        _complete(call, results.get(call.call_id or ""))
        call.turn = turns.get(id(request[1]) if request else id(span))
        found.append((span.begins, number, call))
    for number, (step, call) in enumerate(open_requests):
        _complete(call, results.get(call.call_id or ""))
        call.turn = turns.get(id(call))
        end = step.span.end if step.span.end is not None else step.span.begins
        found.append((end, number, call))
    _nest(tools, [call for _, _, call in found])
    ordered = sorted(found, key=lambda item: (item[2].turn or 0, item[0], item[1]))
    return [call for _, _, call in ordered]


def _complete(call: FoundCall, shown: FoundCall | None) -> None:
    """Give a call of which no result was recorded the one that a model was shown."""
    if shown is None or call.has_result:
        return
    call.result, call.has_result = shown.result, True
    if call.reported_success is None:
        call.reported_success = shown.reported_success
    call.error_message = call.error_message or shown.error_message


def _asked(steps: list[Step]) -> list[tuple[Step, FoundCall]]:
    """What the models asked for, once each: a streamed reply may be recorded in its pieces too."""
    asked: list[tuple[Step, FoundCall]] = []
    known: dict[str, FoundCall] = {}
    for step in steps:
        for call in step.said.calls:
            first = known.setdefault(call.call_id, call) if call.call_id is not None else call
            if first is call:
                asked.append((step, call))
            elif not first.arguments:
                first.arguments = call.arguments
                first.arguments_recorded = call.arguments_recorded
    return asked


def _results(steps: list[Step]) -> dict[str, FoundCall]:
    """What models were shown of each call, by its id."""
    return {
        call.call_id: call
        for step in steps
        for call in step.shown.calls
        if call.call_id and call.has_result
    }


def _turns(
    asked: list[tuple[Step, FoundCall]], tools: list[Span], steps: list[Step]
) -> dict[int, int]:
    """The turn of each request and each execution: replies that called, counted from 1."""
    turns: dict[int, int] = {}
    replies: dict[int, int] = {}
    for step, call in asked:
        turns[id(call)] = replies.setdefault(id(step), len(replies) + 1)
    if asked:
        return turns
    ends = -1.0
    turn = 0
    before = -1
    for span in tools:
        model = sum(1 for step in steps if step.span.begins <= span.begins)
        if turn == 0 or (model != before if steps else span.begins >= ends):
            turn += 1
        before, ends = model, max(ends, span.end or span.begins)
        turns[id(span)] = turn
    return turns


def _request_of(
    span: Span, requests: list[tuple[Step, FoundCall]]
) -> tuple[Step, FoundCall] | None:
    """What a model asked for that this is the execution of; the latest reply before it first."""
    own = span.get("call_id")
    if own is not None:
        same = next((r for r in requests if r[1].call_id == str(own)), None)
        if same is not None:
            return same
    name = _tool_name(span)
    before = [r for r in requests if r[0].span.begins <= span.begins and _same_tool(r[1], name)]
    sent = _arguments(span)
    alike = [r for r in before if sent is not None and r[1].arguments == sent]
    loose = alike or (before if own is None else [r for r in before if r[1].call_id is None])
    latest = max((r[0].span.begins for r in loose), default=None)
    return next((r for r in loose if r[0].span.begins == latest), None)


def _same_tool(call: FoundCall, name: str) -> bool:
    return call.tool == name or call.tool.endswith(f"__{name}") or name.endswith(f"__{call.tool}")


def _arguments(span: Span) -> Any:
    sent = opened(span.get("arguments"))
    for key in ("args", "arguments", "inputs", "input", "kwargs", "input_str", "tool_input"):
        if isinstance(sent, dict) and key in sent and len(sent) <= 6 and _wraps(sent):
            inner = opened(sent[key])
            if isinstance(inner, dict):
                sent = inner
                break
    return sent


def _wraps(sent: dict[str, Any]) -> bool:
    """Whether an object is a wrapper around arguments that an SDK wrote."""
    known = {"name", "tool", "type", "id", "tool_call_id", "args", "kwargs", "input", "inputs"}
    known |= {"arguments", "input_str", "tags", "metadata", "tool_input", "run_id", "tool_name"}
    return sent.keys() <= known


def _executed(span: Span, request: FoundCall | None) -> FoundCall:
    sent, result = _arguments(span), span.get("result")
    layers = [span, *_layers(span)]
    server = next((s.get("server") for s in layers if s.attributes.get("mcp")), None)
    failed = next((s for s in layers if s.failed), None)
    reported = False if failed else True if any(s.failed is False for s in layers) else None
    if reported is None:
        reported = _stated(result)
    known_id = span.get("call_id")
    call = FoundCall(
        request.tool if request else _tool_name(span),
        sent if sent is not None else request.arguments if request else None,
        _unwrapped(result) if result is not None else request.result if request else None,
        result is not None or bool(request and request.has_result),
        server=str(server) if server else request.server if request else None,
        call_id=str(known_id) if known_id else (request.call_id if request else None) or span.id,
        reported_success=reported,
        error_message=_error(failed) if failed else None,
        started_at=span.start,
        ended_at=span.end,
        arguments_recorded=sent is not None or bool(request and request.arguments_recorded),
        sign="span",
        where=span.id,
    )
    unwrap = merged(find_runs([{"role": "tool", "tool_call_id": "x", "content": call.result}]))
    stated = unwrap.calls[0].reported_success if unwrap.calls else None
    if reported is None and stated is not None:
        call.reported_success = stated
    return call


def _stated(result: Any) -> bool | None:
    """Whether the message around a result says that the call went well."""
    for value in _layers_of_result(result):
        if isinstance(value, dict) and "tool_call_id" in value and value.get("status") in _STATES:
            return _STATES[value["status"]]
    return None


def _layers_of_result(result: Any) -> Iterable[Any]:
    result = opened(result)
    while result is not None:
        yield result
        inner = [result.get(k) for k in ("output", "kwargs")] if isinstance(result, dict) else []
        result = next((opened(value) for value in inner if value is not None), None)


def _unwrapped(result: Any) -> Any:
    """What a tool gave back, out of the object that an SDK wrote around it."""
    result = opened(result)
    for key in ("output", "kwargs", "content", "response", "result"):
        if isinstance(result, dict) and key in result and result.keys() & _AROUND_RESULTS:
            result = opened(result[key])
    return result


def _error(span: Span) -> str | None:
    raised = (event["attributes"].get("exception") for event in span.events)
    messages = [r.get("message") for r in raised if isinstance(r, dict) and r.get("message")]
    own = span.get("error")
    return next(
        filter(None, (*messages[:1], span.message, own if isinstance(own, str) else None)), None
    )


def _nest(tools: list[Span], calls: list[FoundCall]) -> None:
    """Name the call within whose span another call lies."""
    by_span = {call.where: call for call in calls if call.sign == "span"}
    for span in tools:
        outer = by_span.get(span.id)
        for below in _below(span):
            inner = by_span.get(below.id)
            if inner is not None and outer is not None and inner is not outer:
                inner.parent_id = outer.call_id


def _counted(spans: list[Span]) -> list[Span]:
    """The spans whose tokens count: of those of one request within each other the innermost."""
    models = [span for span in spans if span.kind == LLM and _tokens(span)]
    outer = {id(s) for s in models if any(b in models for b in _below(s) if b is not s)}
    return [span for span in models if id(span) not in outer]


def _tokens(span: Span) -> bool:
    return any(
        table("usage")[name].within(span.attributes) for name in ("input_tokens", "output_tokens")
    )


def case_of(spans: list[Span], run_id: str) -> AgentTestCase | None:
    """The run of a trace; None where no agent, model or tool is in it."""
    steps, tools = steps_of(spans)
    agents = [span for span in sorted(spans, key=lambda s: s.begins) if span.kind == AGENT]
    if not steps and not tools and not agents:
        return None
    found = FoundRun(calls=calls_of(steps, tools))
    _tell(found, steps, agents)
    top = agents[0] if agents else None
    failed = next((span for span in agents if span.failed), None)
    outcome = (
        RunOutcome(success=False, decided_by="span status", reason=_error(failed))
        if failed
        else None
    )
    times = [t for span in spans for t in (span.start, span.end) if t is not None]
    spoke = [*(step.span for step in steps), *agents]
    models = [str(model) for span in spoke if (model := span.get("model"))]
    sessions = [s for span in (*agents, *spans) if (s := span.get("session"))]
    names = [name for span in (*agents, *spans) if (name := values.text(span.get("agent")))]
    return to_case(
        found,
        run_id=run_id,
        model=models[0] if models else None,
        framework=_framework(spans),
        agent_id=names[0] if names else top.name if top and top.attributes.get("type") else None,
        session_id=str(sessions[0]) if sessions else None,
        usage=_usage(_counted(spans), agents),
        available_tools=_offered(steps, agents),
        outcome=outcome,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        extra={"trace_id": spans[0].trace},
    )


def _tell(found: FoundRun, steps: list[Step], agents: list[Span]) -> None:
    """The messages, question and answer: of the longest conversation, and of the agent."""
    longest = max(steps, key=lambda step: len(step.words), default=None)
    if longest is not None:
        found.messages = longest.words
        asked = [m["content"] for m in steps[0].words if m["role"] == "user"]
        found.question = str(asked[-1]) if asked else None
        found.answer = steps[-1].answer
    if agents:
        found.question = _words(agents[0].get("asked"), "user", found.question) or found.question
        found.answer = _words(agents[0].get("answered"), "assistant", found.answer) or found.answer


def _words(value: Any, speaker: str, known: str | None) -> str | None:
    """The last thing that a speaker said in a value, which may be the words themselves.

    A lone text under any other key is taken only where the models' messages leave nothing `known`.
    """
    value = opened(value)
    if isinstance(value, dict) and not value.keys() & {"role", "messages", "content", "parts"}:
        texts = [text for text in value.values() if isinstance(text, str)]
        inner = next((value[k] for k in ("input", "output", "chat_history") if k in value), None)
        if inner is None and len(texts) == 1:
            inner = known or texts[0]
        value = opened(inner) if inner is not None else value
    said = [m for m in spoken(messages_in(value, speaker), speaker) if m["role"] == speaker]
    return str(said[-1]["content"]) if said else None


def _usage(models: list[Span], agents: list[Span]) -> Any:
    for spans in (models, agents[:1]):
        totals: dict[str, Any] = {}
        for span in spans:
            for name, path in table("usage").items():
                found = path.within(span.attributes)
                number = values.amount(found[0]) if found else None
                if number is not None:
                    totals[name] = totals.get(name, 0) + (
                        number if name == "cost_usd" else int(number)
                    )
        if totals.get("input_tokens") or totals.get("output_tokens"):
            return values.usage(totals)
    return None


def _offered(steps: list[Step], agents: list[Span]) -> list[Any] | None:
    found: dict[str, Any] = {}
    for span in (*(step.span for step in steps), *agents):
        listed = opened(span.get("offered"))
        for tool in listed if isinstance(listed, list) else []:
            for one in _definitions(opened(tool)):
                found.setdefault(str(one.get("name")), one)
    return list(found.values()) or None


def _definitions(tool: Any) -> Iterable[dict[str, Any]]:
    if not isinstance(tool, dict):
        return
    for key in ("function_declarations", "functionDeclarations"):
        if isinstance(tool.get(key), list):
            yield from (one for one in tool[key] if isinstance(one, dict))
            return
    for key in ("function", "tool", "json_schema"):
        inner = opened(tool.get(key))
        if isinstance(inner, dict):
            yield from _definitions(inner)
            return
    if tool.get("name"):
        yield tool


def _framework(spans: list[Span]) -> str | None:
    """The framework of the instrumentation that wrote most of the steps."""
    counts: dict[str, int] = {}
    for span in spans:
        name = _framework_named(span.scope) if span.kind else ""
        if name:
            counts[name] = counts.get(name, 0) + 1
    return next(filter(None, map(_framework_stated, spans)), None) or max(
        counts, key=lambda name: counts[name], default=None
    )


def _framework_stated(span: Span) -> str | None:
    """The framework that a span names where several share one instrumentation."""
    signs = table("stated_framework").items()
    return next((name for name, path in signs if path.within(span.attributes)), None)


def _framework_named(scope: str) -> str:
    package = scope.removeprefix("@opentelemetry/instrumentation-")
    for prefix in ("openinference.instrumentation.", "opentelemetry.instrumentation."):
        package = package.removeprefix(prefix)
    known = dialects()["framework"]
    if package in known:
        return str(known[package])
    if package.startswith("semantic_kernel."):
        return "semantic-kernel"
    return package.replace("_", "-") if package != scope else package
