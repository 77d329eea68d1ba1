"""What chat-like recordings have in common: who said what, which calls, which results.

A reader walks through its messages and tells a `RunBuilder` what happened; the builder keeps
turns, pairs results with calls, finds the question and the answer, and writes the case.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.exchanges import UNREAD, Exchanges, archived, joined, told_as_messages
from assay.ingest.fields import dict_or_empty, objects_in, text_of
from assay.ingest.loose_messages import conversations_among
from assay.ingest.meta_tools import with_inner_calls
from assay.ingest.react_text import has_calls
from assay.ingest.served_names import served_name
from assay.ingest.stream_pieces import stream_of, whole_values
from assay.ingest.thoughts import split_thoughts
from assay.records import preview
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assay.ingest.recording import Recording

# Where other SDKs keep the calls of messages that look like plain ones.
FOREIGN_KEYS = frozenset({"toolInvocations", "parts"})
_LOOKED_AT = 200


class Entry(NamedTuple):
    """One value of a file that should be a run, and where it stands."""

    value: Any
    position: int | None


def entries(recording: Recording) -> Iterator[Entry | Unreadable]:
    """The values of a file: the file itself, its lines, or the items of its one list."""
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif isinstance(document.value, list) and document.position is None:
            yield from (Entry(item, i) for i, item in enumerate(document.value, start=1))
        elif found := archived(document.value):
            yield from (Entry(item, i) for i, item in enumerate(found, start=1))
        else:
            yield Entry(document.value, document.position)


def runs_of_entries(
    recording: Recording,
    format_name: str,
    case_of: Callable[[Any, Source], AgentTestCase | None],
    expected: str,
) -> Iterator[AgentTestCase | Unreadable]:
    """The runs of a file whose every entry is one; an entry that `case_of` has none for is told."""
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        case = case_of(entry.value, Source(recording.name, format_name, entry.position))
        if case is None:
            yield unexpected(recording.name, entry.value, expected, entry.position)
        else:
            yield case


def whole_entries(recording: Recording) -> Iterator[Entry | Unreadable]:
    """The same, the pieces of a streamed reply as one."""
    found = (
        (None, entry) if isinstance(entry, Unreadable) else (entry.position, entry.value)
        for entry in entries(recording)
    )
    for position, value in whole_values(found):
        yield value if isinstance(value, Unreadable) else Entry(value, position)


def sampled_entries(recording: Recording) -> list[Any]:
    """The first documents of a file as `whole_entries` will have them, lists as they are."""
    seen = (item for v in recording.sample for item in archived(v) or _pieces(v) or [v])
    return [whole for _, whole in whole_values((None, value) for value in seen)]


def _pieces(value: Any) -> list[Any]:
    """The items of a list that begins with a piece of a streamed reply; else none."""
    is_streamed = isinstance(value, list) and value and stream_of(value[0]) is not None
    return value if is_streamed else []


def conversations(recording: Recording) -> Iterator[Entry | Unreadable]:
    """The conversations of a file as objects with `messages`.

    A file may hold one, a list or lines of them, or one message an item or line: the loose
    messages of a file are one conversation unless they name theirs, and so are requests that go
    on with each other.
    """
    loose: list[tuple[dict[str, Any], int | None]] = []
    exchanges = Exchanges()
    for entry in whole_entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        value = {"messages": entry.value} if isinstance(entry.value, list) else entry.value
        value = told_as_messages(value) if isinstance(value, dict) else value
        whole = joined(value) if isinstance(value, dict) else value
        if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
            is_pair = (whole is not value or _is_logged(whole)) and bool(whole["messages"])
            done = exchanges.add(whole, entry.position) if is_pair else [(whole, entry.position)]
            yield from (Entry(*found) for found in done)
        elif isinstance(value, dict) and "role" in value:
            loose.append((value, entry.position))
        else:
            problem = f"no conversation: expected messages with a role, got {preview(value)}"
            yield Unreadable(recording.name, problem, entry.position)
    yield from (Entry(*found) for found in exchanges.rest())
    yield from (Entry(*found) for found in conversations_among(loose))


def _is_logged(value: dict[str, Any]) -> bool:
    """Whether messages were logged with what came back, if it could be read, beside them."""
    return UNREAD in value or "choices" in dict_or_empty(value.get("response"))


def sampled_messages(recording: Recording) -> list[Any]:
    """The first things in a file that should be messages; a stranger stands for itself.

    Many tell chats in the columns of a data set: only calls make its rows more than strangers.
    """
    values = sampled_entries(recording)
    told = [told_as_messages(value) if isinstance(value, dict) else value for value in values]
    rows = [row for row, value in zip(told, values, strict=True) if row is not value]
    if not rows or any(has_calls(objects_in(row.get("messages"))) for row in rows):
        values = told
    found = (item for value in values for item in _messages_in(value))
    return list(islice(found, _LOOKED_AT))


def _messages_in(value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and isinstance((whole := joined(value)).get("messages"), list):
        yield from whole["messages"]
        yield from replies(whole)
    elif isinstance(value, list):
        for item in value:
            yield from _messages_in(item)
    else:
        yield value


def _choices(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The first of the replies that the chat API gave, beside the messages or after them."""
    own = objects_in(value.get("choices"))
    return (own or objects_in(dict_or_empty(value.get("response")).get("choices")))[:1]


def replies(value: dict[str, Any]) -> list[Any]:
    """What the chat API answered, where request and response were stored as one."""
    response = dict_or_empty(value.get("response"))
    alone = [response] if "role" in response and "content" in response else []
    return [choice.get("message") for choice in _choices(value)] or alone


class RunBuilder:
    """Puts one run together from its messages, told in the order they were recorded.

    Calls that one reply of the model issued share a turn; turns are counted from 1 and only
    where something was called. The answer is the last thing the model said, unless it called
    a tool in the same breath or afterwards.
    """

    def __init__(self) -> None:
        """Begin with nothing said and nothing called."""
        self.calls: list[ToolExecutionResult] = []
        self.turns = 0
        self._history: list[dict[str, Any]] = []
        self._question: str | None = None
        self.answer: str | None = None
        self._reply: dict[str, Any] | None = None
        self._waiting = _WaitingCalls()
        self._unmatched: list[_Result] = []

    def system(self, content: object) -> None:
        """Instructions to the model."""
        self._say("system", text_of(content))

    def user(self, content: object) -> None:
        """Something the user said; the first of it is what the run was asked."""
        text = text_of(content)
        if self._question is None and text:
            self._question = text
        self._say("user", text)

    def other(self, role: str, content: object) -> None:
        """Something said by neither system, user nor model."""
        self._say(role, text_of(content))

    def assistant(
        self,
        content: object = None,
        calls: Iterable[ToolExecutionResult] = (),
        *,
        reasoning: str | None = None,
    ) -> None:
        """One whole reply of the model: its words and the calls it issued together."""
        self.end_reply()
        self.think(reasoning)
        self.say(content)
        for call in calls:
            self.call(call)
        self.end_reply()

    def think(self, reasoning: str | None) -> None:
        """Reasoning that belongs to the reply at hand."""
        if reasoning:
            reply = self._open_reply()
            reply["reasoning"] = "\n".join(filter(None, (reply.get("reasoning"), reasoning)))

    def say(self, content: object) -> None:
        """Words that belong to the reply at hand; thoughts written before them are thoughts."""
        thought, text = split_thoughts(text_of(content))
        self.think(thought)
        if text:
            reply = self._open_reply()
            reply["content"] = "\n".join(filter(None, (reply["content"], text)))
            self.answer = None if "turn" in reply else reply["content"]

    def call(self, call: ToolExecutionResult, *, inside: bool = False) -> None:
        """A call that belongs to the reply at hand, or was made `inside` another call."""
        if not inside:
            reply = self._open_reply()
            if "turn" not in reply:
                self.turns += 1
                reply["turn"] = self.turns
            call.turn = self.turns
            self.answer = None
        if call.server is None:
            call.server = served_name(call.tool).server
        call.success = call.reported_success is not False
        self.calls.append(call)
        self._waiting.add(call)

    def end_reply(self) -> None:
        """Whatever the model says or calls next is a new reply."""
        self._reply = None

    def result(
        self,
        call_id: str | None,
        value: object,
        *,
        reported_success: bool | None = None,
        error_message: str | None = None,
        ended_at: float | None = None,
        tool: str | None = None,
    ) -> ToolExecutionResult | None:
        """What came back for a call: found by its id or, where there is none, by its tool.

        One that stands before its call finds it in the end; a result that no call is waiting for
        is kept in the case's `extra`.
        """
        self.end_reply()
        came = _Result(call_id, tool, value, reported_success, error_message, ended_at)
        call = self._waiting.take(call_id, tool)
        if call is None:
            self._unmatched.append(came)
        else:
            came.settle(call)
        return call

    def wait_again(self, call: ToolExecutionResult) -> None:
        """Let a call wait for its result once more."""
        self._waiting.add_again(call)

    def finish(self, **known: Any) -> AgentTestCase:
        """The case, with whatever else is `known` of it by the names of its fields."""
        extra = known.pop("extra", {})
        unmatched = [came.told() for came in self._unmatched if not self._came_early(came)]
        if unmatched:
            extra = {**extra, "unmatched_results": unmatched}
        question = known.pop("input", None) or self._question or ""
        answer = known.pop("actual_output", None) or self.answer
        rounds = known.pop("total_rounds", None) or self.turns
        return AgentTestCase(
            question,
            answer,
            execution_data=MCPExecutionData(
                with_inner_calls(self.calls), max(rounds, 1), planning_json_compliance=None
            ),
            conversation_history=self._history or None,
            extra=extra,
            **known,
        )

    def _came_early(self, came: _Result) -> bool:
        """Whether a result stood before its call, the only one with that id; it has it now."""
        call = self._waiting.take_only(came.call_id)
        if call is not None:
            came.settle(call)
        return call is not None

    def _say(self, role: str, text: str) -> None:
        self.end_reply()
        if text:
            self._history.append({"role": role, "content": text})

    def _open_reply(self) -> dict[str, Any]:
        if self._reply is None:
            self._reply = {"role": "assistant", "content": ""}
            self._history.append(self._reply)
        return self._reply


class _Result(Struct, frozen=True):
    """What came back for a call, and what was said of it."""

    call_id: str | None
    tool: str | None
    value: object
    reported_success: bool | None
    error_message: str | None
    ended_at: float | None

    def settle(self, call: ToolExecutionResult) -> None:
        """Write down what came back for a call."""
        call.result = self.value
        call.reported_success = self.reported_success
        call.success = self.reported_success is not False
        call.error_message = self.error_message
        call.ended_at = self.ended_at

    def told(self) -> dict[str, Any]:
        """The result as it is kept where no call waited for it."""
        known = {"call_id": self.call_id, "tool": self.tool, "result": self.value}
        return {key: value for key, value in known.items() if value is not None}


class _WaitingCalls:
    """Calls without a result yet, found by id, by tool or by age, each in constant time."""

    def __init__(self) -> None:
        self._by_id: dict[str, deque[ToolExecutionResult]] = {}
        self._by_tool: dict[str, deque[ToolExecutionResult]] = {}
        self._by_age: deque[ToolExecutionResult] = deque()
        self._used_again: set[str] = set()
        self.answered: set[int] = set()

    def add(self, call: ToolExecutionResult) -> None:
        if call.call_id:
            if call.call_id in self._by_id:
                self._used_again.add(call.call_id)
            same = self._by_id.setdefault(call.call_id, deque())
            if same and same[-1].turn != call.turn:
                # Some models number their calls anew each turn; the old ones are out of reach.
                same.clear()
            same.append(call)
        self._by_tool.setdefault(call.tool, deque()).append(call)
        self._by_age.append(call)

    def add_again(self, call: ToolExecutionResult) -> None:
        self.answered.discard(id(call))
        self.add(call)

    def take(self, call_id: str | None, tool: str | None) -> ToolExecutionResult | None:
        if call_id:
            queue = self._by_id.get(call_id)
        else:
            queue = self._by_tool.get(tool) if tool else self._by_age
        while queue:
            call = queue.popleft()
            if id(call) not in self.answered:
                self.answered.add(id(call))
                return call
        return None

    def take_only(self, call_id: str | None) -> ToolExecutionResult | None:
        """The call of that id, where no other ever had it and nothing came back for it."""
        if call_id is None or call_id in self._used_again:
            return None
        return self.take(call_id, None)
