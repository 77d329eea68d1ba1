"""A format nobody has seen: messages, calls and results are found by their shape.

What was found, and how sure that makes us, stands in the case's `extra["generic_reader"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest import shape_words, shapes
from assay.ingest.chat import RunBuilder
from assay.ingest.described_tools import described_tools
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_of,
    total_usage,
)
from assay.ingest.generic_evidence import Evidence
from assay.ingest.generic_facts import (
    MODEL_KEYS,
    answered_around,
    asked_around,
    facts_around,
    model_in,
    moments_of,
    outcome_of,
    session_in,
    words_in_lines,
)
from assay.ingest.generic_runs import (
    CALL_QUESTION_KEYS,
    LINE_ANSWER_KEYS,
    LINE_QUESTION_KEYS,
    answered_in,
    as_turns,
    children_of,
    conversations_in,
    in_small_letters,
    longest_of,
    may_go_on,
    names_in_lines,
    rows_in,
    runs_in,
    runs_of_lines,
    runs_of_rows,
    unfolded,
)
from assay.ingest.plain_text import sampled_text, text_documents
from assay.ingest.python_literals import decode_loosely
from assay.ingest.recording import Format, Recording
from assay.ingest.side_by_side import arranged
from assay.ingest.spoken_text import with_speakers
from assay.ingest.told_once import told_once, told_value
from assay.ingest.told_times import FIRST_MOMENT, duration_of, ended, moment_of, started
from assay.ingest.written_calls import told_results
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.generic_runs import Placed
    from assay.test_case import AgentTestCase

NAME = "generic"
MOST_SURE = 0.3
_DEEPEST = 60
_MOST_NODES = 5_000_000
# A look is cheap: formats that know the file better are asked at the same time.
_LOOKED_AT = 100_000
TOOL_KEYS = ("tools", "functions")
SERVER_KEYS = ("server", "server_name", "mcp_server")


class _Finder:
    """Walks through a value in the order it was written and tells a builder what it finds."""

    def __init__(self, nodes: int = _MOST_NODES) -> None:
        self.builder = RunBuilder()
        self.evidence = Evidence()
        self.tools: dict[str, dict[str, Any]] = {}
        self.usages: list[object] = []
        self.model: str | None = None
        self.times: list[float] = []
        self._open_ids: dict[str, ToolExecutionResult] = {}
        self._loosely_answered: dict[str, ToolExecutionResult] = {}
        self._open_tools: dict[str, int] = {}
        self._left = nodes
        # How many calls there are around those that are looked at.
        self._depth = 0
        # When the event was written that holds what is looked at.
        self._written: float | None = None

    def visit(self, node: object, depth: int = 0, written: float | None = None) -> None:
        """Take what the node is; look inside it where it is nothing we know."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return
        self._written = written
        if isinstance(node, list) and (call := shapes.paired(node)) is not None:
            self._take(call)
        elif isinstance(node, list):
            for item in shapes.spoken_pairs(node) or node:
                self.visit(item, depth + 1)
        elif isinstance(node, dict) and not self._take(node):
            # Only of what it holds itself: what lies deeper may be many things of one run.
            at = moment_of(node)
            for value in children_of(node):
                self.visit(value, depth + 1, at)

    def _moment(self, node: dict[str, Any]) -> float | None:
        """When something was said or came back: as it says itself, or the event around it."""
        at = moment_of(node)
        return self._written if at is None else at

    def _take(self, node: dict[str, Any]) -> bool:
        if not shapes.may_be_known(node):
            return False
        node = shapes.out_of_event(told_once(node))
        if self._take_odd(node) or self._take_step(node):
            return True
        is_call = shapes.is_call(node)
        role = None if is_call else shapes.message_role(node)
        if shapes.is_definition(node):
            self._take_definition(node)
        elif is_call:
            self._take_reply([*shapes.words_beside(node), node])
        elif role not in (None, "tool"):
            self._take_message(node, str(role))
        elif role == "tool" and any(map(self._is_answer, shapes.results_in(node))):
            for result in filter(self._is_answer, shapes.results_in(node)):
                self._take_result(result)
        elif self._brings_result(node, role):
            self._take_result(node)
        elif role == "tool":
            self.builder.other("tool", shapes.message_content(node))
        else:
            return False
        return True

    def _brings_result(self, node: dict[str, Any], role: str | None) -> bool:
        is_result = role == "tool" or shapes.is_result(node)
        return (is_result and self._is_answer(node)) or shapes.answers_by_id(node, self._open_ids)

    def _take_odd(self, node: dict[str, Any]) -> bool:
        """Take what has a shape of its own: a call as a message, the protocol's, counted steps."""
        call, answer = shapes.written_call(node), shapes.sent_back(node)
        steps = shapes.numbered_steps(node)
        for found in [*([] if call is None else [call]), *filter(shapes.is_call, steps)]:
            self.builder.end_reply()
            self._take_call(found)
        if answer is not None and answer["call_id"] in self._open_ids:
            self._take_result(answer)
            return True
        return call is not None or bool(steps) or self._take_told(node)

    def _take_told(self, node: dict[str, Any]) -> bool:
        """Take the results that a message of a user or a tool tells in words."""
        waiting = any(self._open_tools.values())
        if not waiting or shapes.message_role(node) not in {"user", "tool"}:
            return False
        if shapes.first_id(node, shape_words.CALL_ID_KEYS):
            return False
        told = told_results(text_of(shapes.message_content(node)))
        for result in told:
            self._take_result({"result": result})
        return bool(told)

    def _take_definition(self, node: dict[str, Any]) -> None:
        body = dict_or_empty(node.get("function")) or node
        self.tools.setdefault(str(body["name"]), node)

    def _take_message(self, node: dict[str, Any], role: str) -> None:
        words = text_of(shapes.message_content(node))
        self.evidence.said[role] = self.evidence.said.get(role, 0) + 1
        about = dict_or_empty(node.get("meta") or node.get("metadata") or node.get("response"))
        self.usages.append(node.get("usage") or node.get("models_usage") or about.get("usage"))
        at = self._moment(node)
        self.times += [] if at is None else [at]
        if role == "assistant":
            self.model = self.model or shapes.first_text({**about, **node}, MODEL_KEYS)
            issued = len(self.builder.calls)
            self._take_reply(shapes.spoken_in_order(node))
            for call in self.builder.calls[issued:]:
                call.started_at = at if call.started_at is None else call.started_at
        elif role == "user":
            self.builder.user(words)
        else:
            self.builder.system(words)
        for result in shapes.results_in(node):
            if self._is_answer(result):
                self._take_result(result)

    def _take_reply(self, spoken: list[str | dict[str, Any]]) -> None:
        """Take words and calls; what calls carry as results came after all calls beside them."""
        self.builder.end_reply()
        called: list[tuple[dict[str, Any], ToolExecutionResult]] = []
        for piece in spoken:
            if isinstance(piece, dict):
                called += [(piece, call) for call in self._begin_call(piece)]
                continue
            self._end_calls(called)
            if piece == shape_words.NEXT_STEP:
                self.builder.end_reply()
            else:
                self.builder.say(piece)
        self._end_calls(called)
        self.builder.end_reply()

    def _take_step(self, node: dict[str, Any]) -> bool:
        """Take the calls of a step and what was seen after the last of them."""
        seen = shapes.observed(node)
        if seen is None or shapes.message_role(node) is not None:
            return False
        issued = len(self.builder.calls)
        self._take_reply([*shapes.calls_of_step(node)])
        last = self.builder.calls[-1]
        if last.result is None:
            self.usages.append(node.get("token_usage"))
            self._take_result({"call_id": last.call_id, "name": last.tool, "result": seen})
        self._time_step(node, self.builder.calls[issued:])
        return True

    def _time_step(self, node: dict[str, Any], made: list[ToolExecutionResult]) -> None:
        """Set what a step says of its calls: when they began, and how long the only one took."""
        for call in made:
            call.started_at = self._moment(node) if call.started_at is None else call.started_at
        if len(made) == 1 and made[0].execution_time is None:
            made[0].execution_time = duration_of(node)

    def _take_call(self, node: dict[str, Any]) -> None:
        self._end_calls([(node, call) for call in self._begin_call(node)])

    def _begin_call(
        self, node: dict[str, Any], outer: ToolExecutionResult | None = None
    ) -> list[ToolExecutionResult]:
        """Take a call; it comes back where its result stands in it and is yet to be told."""
        call = ToolExecutionResult(
            tool=shapes.call_name(node) or "",
            parameters=shapes.call_arguments(node),
            call_id=shapes.first_id(node, shape_words.OWN_ID_KEYS),
            server=_server(node),
            started_at=_first(started(node), self._written),
            execution_time=duration_of(node),
        )
        has_result = shapes.own_result(node) is not None
        if (begun := self._begun(call)) is not None and (has_result or call.call_id):
            if has_result:
                self._take_result({**node, "call_id": begun.call_id})
            return []
        if has_result and not call.call_id:
            # Its own result is not to be taken for that of a call before it.
            call.call_id = _private_id(call)
        call.parent_id = None if outer is None else outer.call_id
        self.builder.call(call, inside=outer is not None)
        self.evidence.calls += 1
        self.evidence.call_ids += shapes.first_id(node, shape_words.CALL_ID_KEYS) is not None
        if has_result:
            return [call]
        self._open_tools[call.tool] = self._open_tools.get(call.tool, 0) + 1
        self._open_ids[call.call_id or ""] = call
        self._take_inner(node, call)
        return []

    def _take_inner(self, node: dict[str, Any], outer: ToolExecutionResult) -> None:
        """Take the calls that a call holds; they name it by an id, be it one that they need."""
        inner = shapes.inner_calls(node) if self._depth < _DEEPEST else []
        if not inner:
            return
        if outer.call_id in {None, _private_id(outer)}:
            outer.call_id = f"call-{len(self.builder.calls)}"
        self._depth += 1
        for call in inner:
            self._end_calls([(call, begun) for begun in self._begin_call(call, outer)])
        self._depth -= 1

    def _end_calls(self, called: list[tuple[dict[str, Any], ToolExecutionResult]]) -> None:
        for node, call in called:
            result = shapes.own_result(node)
            self.evidence.own_results += 1
            self._tell_result(node, result.value if result else None, call.call_id, call.tool)
            if call.call_id == _private_id(call):
                call.call_id = None
            self._take_inner(node, call)
            if None not in (call.started_at, call.ended_at) and call.execution_time is None:
                call.execution_time = _between(call.started_at, call.ended_at)
        called.clear()

    def _begun(self, call: ToolExecutionResult) -> ToolExecutionResult | None:
        """The same call as it was told of before, when it began; None where it was not."""
        begun = self._open_ids.get(call.call_id or "")
        if begun is None or (begun.tool, begun.parameters) != (call.tool, call.parameters):
            return None
        waits = begun.result is None or begun is self._loosely_answered.get(call.call_id or "")
        return begun if waits else None

    def _is_answer(self, node: dict[str, Any]) -> bool:
        """Whether a call waits for this: by its id, its tool or, from a tool, at all."""
        name = shapes.answered_tool(node)
        if shapes.answered_id(node) in self._open_ids:
            return True
        return self._open_tools.get(name, 0) > 0 if name else any(self._open_tools.values())

    def _take_result(self, node: dict[str, Any]) -> None:
        result = shapes.first_of(node, (*shape_words.RESULT_KEYS, *shape_words.LOOSE_RESULT_KEYS))
        call_id = shapes.answered_id(node)
        call_id = call_id if call_id in self._open_ids else None
        tool = shapes.answered_tool(node)
        tool = tool if self._open_tools.get(tool or "") else None
        value = result.value if result else text_of(shapes.message_content(node)) or None
        self._reopen(call_id)
        answered = self._tell_result(node, value, call_id, tool)
        if answered is not None:
            if call_id and result and result.key in shape_words.LOOSE_RESULT_KEYS:
                self._loosely_answered[call_id] = answered
            # What stands apart from its call was written down when it came.
            answered.ended_at = _first(answered.ended_at, self._moment(node))
            answered.execution_time = _first(answered.execution_time, duration_of(node))
            self._open_tools[answered.tool] -= 1
            self.evidence.named_results += call_id is not None
            self.evidence.next_results += call_id is None

    def _reopen(self, call_id: str | None) -> None:
        """Let a call wait again that had but a loose result: that may have been its progress."""
        call = self._loosely_answered.pop(call_id or "", None)
        if call is not None and call is self._open_ids.get(call_id or ""):
            self.builder.wait_again(call)
            self._open_tools[call.tool] += 1

    def _tell_result(
        self, node: dict[str, Any], value: object, call_id: str | None, tool: str | None
    ) -> ToolExecutionResult | None:
        success = shapes.success_of(node)
        return self.builder.result(
            call_id,
            told_value(value),
            reported_success=success,
            error_message=shapes.error_of(node) if success is False else None,
            ended_at=ended(node),
            tool=tool,
        )

    def all_times(self) -> list[float]:
        """When messages were said, and when calls began and ended, since the epoch."""
        called = [at for call in self.builder.calls for at in (call.started_at, call.ended_at)]
        return [*self.times, *(at for at in called if at is not None and at >= FIRST_MOMENT)]


def _private_id(call: ToolExecutionResult) -> str:
    return f"call at {id(call):x}"


def _server(node: dict[str, Any]) -> str | None:
    places = (node, dict_or_empty(node.get("tool")))
    return next(filter(None, (shapes.first_text(p, SERVER_KEYS) for p in places)), None)


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _between(began: float | None, over: float | None) -> float | None:
    """How long something took that says when it began and ended."""
    if began is None or over is None or over < began:
        return None
    return round(over - began, 6)


def _told(value: Any) -> Any:
    """A document as we know such: its words by their speakers, results in their calls."""
    return arranged(with_speakers(in_small_letters(value)))


def _recognise(recording: Recording) -> float:
    seen = recording.sample or [item.value for item in sampled_text(recording)]
    values = [_told(value) for value in seen]
    sure = _confidence(values) or _confidence([u for value in values if (u := unfolded(value))])
    return min(MOST_SURE, sure / 3)


def _confidence(values: list[Any]) -> float:
    finder = _Finder(_LOOKED_AT)
    for value in values:
        finder.visit(value)
        finder.evidence.rows += answered_in(value)
    return finder.evidence.confidence()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[Placed] = []
    for document in recording.documents() if recording.sample else text_documents(recording):
        if isinstance(document, Unreadable):
            yield document
            continue
        value = _told(document.value)
        value = value if _confidence([value]) else unfolded(value) or value
        runs, rows = longest_of(runs_in(value)), rows_in(value)
        # A row with a single call holds no conversation, yet it is a run.
        are_rows = bool(rows) and len(rows) >= len(runs)
        is_loose = rows[0] is value and may_go_on(value) if are_rows else not runs
        if document.position is not None and is_loose:
            loose.append((document.position, value))
            continue
        placed: list[Placed] = list(enumerate(rows if are_rows else runs or [value], start=1))
        placed = runs_of_rows(placed) if are_rows else placed
        for position, run in placed:
            place = position if len(placed) > 1 else document.position
            yield _case(run, recording, place, _named(run) if are_rows else {})
    for place, lines in runs_of_lines(loose):
        yield _case(lines, recording, place, _named(lines))


def _named(lines: object) -> dict[str, str]:
    return names_in_lines(lines) if isinstance(lines, list) else {}


def _case(
    value: object,
    recording: Recording,
    position: int | None,
    named: dict[str, str],
) -> AgentTestCase | Unreadable:
    """One run; what it was `named` counts where it says nothing of that itself."""
    finder = _found_in(as_turns(value))
    evidence = finder.evidence
    evidence.rows += answered_in(value)
    if not evidence.calls and not evidence.said and not evidence.rows:
        problem = "no messages and no tool calls in any shape we know"
        return Unreadable(recording.name, problem, position)
    # One object in a list is the run, as it is alone.
    only = value[0] if isinstance(value, list) and len(value) == 1 else value
    around = dict_or_empty(only)
    # What a call says of itself is told of the call.
    own = {} if shapes.is_call(around) or shapes.is_result(around) else around
    beside, lines = _beside(value), value if isinstance(value, list) else []
    called = [line for line in objects_in(lines) if shapes.is_call(line)]
    known: dict[str, Any] = dict(facts_around(around))
    if "user" not in evidence.said:
        first = words_in_lines(beside, LINE_QUESTION_KEYS)
        known["input"] = asked_around(own) or first or words_in_lines(called, CALL_QUESTION_KEYS)
    if "assistant" not in evidence.said:
        last = words_in_lines([*beside[::-1], *called[::-1]], LINE_ANSWER_KEYS)
        known["actual_output"] = answered_around(own) or last
    if model := finder.model or model_in([*lines, *beside]):
        known.setdefault("model", model)
    if inner := session_in(lines):
        known.setdefault("session_id", inner)
    times = [*finder.all_times(), *moments_of(around, [*lines, *beside])]
    session = known.get("session_id")  # what its lines name it is none of its id
    return finder.builder.finish(
        run_id=stable_id(NAME, session, *place_id(recording.name, position)),
        available_tools=list(finder.tools.values()) or _declared(around),
        outcome=outcome_of(own, beside),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        usage=total_usage(finder.usages) or total_usage([around.get("usage")]),
        source=Source(recording.name, NAME, position),
        extra={
            "generic_reader": {
                "confidence": evidence.confidence(),
                "based_on": [words for _, words in evidence.signs()],
            }
        },
        **{**named, **known},
    )


def _beside(value: object) -> list[dict[str, Any]]:
    """What stands among the lines or steps of a run and is neither said, called nor given back."""
    inner = value.values() if isinstance(value, dict) else [value]
    listed = [item for found in inner for item in objects_in(found)]
    return [item for item in listed if not shapes.belongs_to_conversation(item)]


def _declared(around: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The tools on offer where they stand beside the run as text."""
    texts = (around.get(key) for key in TOOL_KEYS)
    told = next((decode_loosely(text) for text in texts if isinstance(text, str)), None)
    listed = [tool for tool in objects_in(told) if shapes.is_definition(tool)]
    return listed or described_tools(shapes.first_text(around, ("system",)) or "") or None


def _found_in(value: object) -> _Finder:
    """What the smallest part of a run shows that shows all that the whole does.

    Beside what was said and done, files hold what should have been done, and copies.
    """
    whole = _Finder()
    whole.visit(value)
    for part in conversations_in(value):
        finder = _Finder()
        finder.visit(part)
        sure = finder.evidence.confidence() >= whole.evidence.confidence()
        if sure and (finder.builder.answer or not whole.builder.answer):
            finder.tools = whole.tools
            return finder
    return whole


GENERIC = Format(
    name=NAME,
    title="Anything in which messages, calls and results can be told by their shape",
    fidelity=(
        "A guess: says how sure it is and why in extra.generic_reader. Which calls belong to "
        "one reply, what a role means and how results pair with calls may be wrong; look at a "
        "few runs before trusting a number."
    ),
    recognise=_recognise,
    read=_read,
)
