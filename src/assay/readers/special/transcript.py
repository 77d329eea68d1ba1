"""Puts a run together where a format's own code walks through its records."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from assay.readers import values
from assay.readers.engine import FoundCall, FoundRun

if TYPE_CHECKING:
    from collections.abc import Iterable

_THOUGHT, _END_OF_THOUGHT = "<think>", "</think>"


class Transcript:
    """What was said and called, in the order in which it was recorded.

    Calls that one reply of the model issued share a turn; turns are counted from 1 and only where
    something was called. The answer is the last thing the model said, unless it called a tool in
    the same breath or afterwards.
    """

    def __init__(self) -> None:
        """Begin with nothing said and nothing called."""
        self.run = FoundRun()
        self.turns = 0
        self.unmatched: list[dict[str, Any]] = []
        self._reply: dict[str, Any] | None = None
        self._by_id: dict[str, FoundCall] = {}
        self._waiting: deque[FoundCall] = deque()

    def system(self, content: object) -> None:
        """Instructions, and what the harness says in the user's name."""
        self._say("system", values.text(content))

    def user(self, content: object) -> None:
        """Something the user said; the first of it is what the run was asked."""
        words = values.text(content)
        self.run.question = self.run.question or words
        self._say("user", words)

    def other(self, role: str, content: object) -> None:
        """Something said by neither system, user nor model."""
        self._say(role, values.text(content))

    def assistant(
        self,
        content: object = None,
        calls: Iterable[FoundCall] = (),
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
        words = values.text(content) or ""
        before, end, after = words.partition(_END_OF_THOUGHT)
        if end and before.lstrip().startswith(_THOUGHT):
            self.think(before.lstrip().removeprefix(_THOUGHT).strip())
            words = after.lstrip()
        if words:
            reply = self._open_reply()
            reply["content"] = "\n".join(filter(None, (reply["content"], words)))
            self.run.answer = None if "turn" in reply else reply["content"]

    def call(self, call: FoundCall, *, inside: bool = False) -> None:
        """A call that belongs to the reply at hand, or was made `inside` another call."""
        if not inside:
            reply = self._open_reply()
            if "turn" not in reply:
                self.turns += 1
                reply["turn"] = self.turns
            call.turn = self.turns
            self.run.answer = None
        self.run.calls.append(call)
        if call.call_id:
            self._by_id[call.call_id] = call
        self._waiting.append(call)

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
    ) -> FoundCall | None:
        """What came back for a call: found by its id or, where there is none, by its tool."""
        self.end_reply()
        call = self._take(call_id, tool)
        if call is None:
            known = {"call_id": call_id, "tool": tool, "result": value}
            self.unmatched.append({k: v for k, v in known.items() if v is not None})
            return None
        call.result, call.has_result = value, True
        call.reported_success, call.error_message = reported_success, error_message
        call.ended_at = ended_at
        return call

    def _take(self, call_id: str | None, tool: str | None) -> FoundCall | None:
        if call_id:
            call = self._by_id.get(call_id)
            return None if call is None or call.has_result else call
        open_calls = (c for c in self._waiting if not c.has_result and tool in (None, c.tool))
        found = next(open_calls, None)
        while self._waiting and self._waiting[0].has_result:
            self._waiting.popleft()
        return found

    def _say(self, role: str, words: str | None) -> None:
        self.end_reply()
        if words:
            self.run.messages.append({"role": role, "content": words})

    def _open_reply(self) -> dict[str, Any]:
        if self._reply is None:
            self._reply = {"role": "assistant", "content": ""}
            self.run.messages.append(self._reply)
        return self._reply
