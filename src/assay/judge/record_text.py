"""The record of a run as a judge is shown it: sections of safe text within a length.

Every section has its share of the room, and what one does not need goes to the others. Calls
and tools beyond a number are counted, not shown; those that the evidence speaks of come first.
What later calls or the answer took from a long result is kept when the result is cut. Secrets
are masked before anything is cut, as they are in a store.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from assay.evidence import examine
from assay.execution import NOT_SAID
from assay.judge.evidence_text import evidence_lines
from assay.judge.wording import wording
from assay.redaction import redact_text
from assay.text.leaves import leaf_text, leaves_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

    Name = TypeVar("Name", bound=Hashable)

LONGEST_RECORD = 60_000
# What is longer than this is cut before anything else is done with it.
_LONGEST_FIELD = 200_000
_MOST_CALLS = 60
_MOST_TOOLS = 40
_MOST_NAMES = 200
_ARGUMENTS_SHARE = 0.4
_MOST_NEEDLES = 60
_LEAST_NEEDLE = 3
_AROUND = 80
_MOST_NUMBERS = 12
_WEIGHTS = {
    "task": 0.15,
    "conversation": 0.1,
    "concrete": 0.08,
    "dependencies": 0.05,
    "expected": 0.07,
    "tools": 0.15,
    "calls": 0.25,
    "answer": 0.1,
    "evidence": 0.05,
}
_VALUE_OF_ANSWER = re.compile(r"[\w.-]*\d[\w.-]*")
# Emoji and several scripts cannot do without these joiners.
_KEPT = frozenset("\n\t\u200c\u200d")
# Servers may turn these into control tokens even inside a message; a space breaks them.
_SPEAKER_MARKS = re.compile(
    r"<(?=[|｜<]|/?(?:s|bos|eos|start_of_turn|end_of_turn|system|assistant|user|human)>|/?SYS>>)"
    r"|>(?<=[|｜]>)|\[(?=/?INST\])",
    re.IGNORECASE,
)
_FENCE_LIKE = re.compile(r"==(?=[0-9a-fA-F]{8,64}==)")
_encode = msgspec.json.Encoder().encode


class Section(Struct, frozen=True, gc=False):
    """One part of the record: a title of our own and a text by others, already safe."""

    title: str
    text: str


def record_sections(
    case: AgentTestCase, language: str, length: int = LONGEST_RECORD
) -> list[Section]:
    """The sections in the order they are shown, in about `length` characters together."""
    return list(_Record(case, language).sections(length))


def safe(value: object) -> str:
    """A value as text for a prompt: cut to a bound, without secrets, and harmless."""
    return redact_text(harmless(_as_text(value)[:_LONGEST_FIELD]))


def harmless(text: str) -> str:
    """The text with hidden characters shown and with nothing that looks like our structure."""
    text = text.replace("\r\n", "\n")
    hidden = {ord(char): _escape(char) for char in set(text) if _is_hidden(char)}
    text = text.translate(hidden) if hidden else text
    return _FENCE_LIKE.sub("= =", _SPEAKER_MARKS.sub(r" \g<0> ", text))


def _is_hidden(char: str) -> bool:
    """Whether a character shows nothing of itself: controls, direction marks, line ends, halves."""
    if char.isprintable() or char in _KEPT:
        return False
    return unicodedata.category(char) != "Zs"


def _escape(char: str) -> str:
    code = ord(char)
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"


def _as_text(value: object) -> str:
    """Text as it is, all else as JSON; what cannot be written so is only named."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return _encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return "(not JSON)"


class _Call(NamedTuple):
    head: str
    result: str


class _Record:
    """One run, its evidence, and the language to show them in."""

    def __init__(self, case: AgentTestCase, language: str) -> None:
        self._case = case
        self._words = wording(language)
        self._found = examine(case)
        self._offered = self._found.run.tools
        self._turns: defaultdict[int | None, list[int]] = defaultdict(list)
        for position, call in enumerate(case.calls):
            self._turns[call.turn].append(position)

    def sections(self, length: int) -> Iterator[Section]:
        texts = self._texts()
        calls = {position: self._call(position) for position in self._shown_calls()}
        needs = {name: len(text) for name, text in texts.items()}
        needs["calls"] = sum([len(call.head) + len(call.result) for call in calls.values()])
        room = share_out(needs, _WEIGHTS, length)
        for name in _WEIGHTS:
            if name == "calls":
                yield from self._call_sections(calls, room["calls"])
            elif text := texts.get(name):
                yield Section(self._words.sections[name], self._cut(text, room[name]))

    def _texts(self) -> dict[str, str]:
        """The sections that are one text each; what there is nothing of is left out."""
        case, data = self._case, self._case.execution_data
        known = {
            "task": safe(case.input),
            "conversation": safe(self._conversation()),
            "concrete": safe(data and data.concrete_task_description),
            "dependencies": safe(data and data.dependency_analysis),
            "expected": safe(self._expected()),
            "tools": self._tools(),
            "answer": safe(case.actual_output or self._words.phrases["none"]),
            "evidence": safe("\n".join(evidence_lines(self._found, self._words))),
        }
        return {name: text for name, text in known.items() if text}

    def _conversation(self) -> str:
        """What was said besides the task and the answer, which have sections of their own."""
        shown = {self._case.input, self._case.actual_output}
        turns = (
            (turn.get("role", ""), _as_text(turn.get("content")))
            for turn in self._case.conversation_history or ()
        )
        return "\n".join(f"{role}: {text}" for role, text in turns if text and text not in shown)

    def _expected(self) -> str:
        case = self._case
        parts = (
            case.expected_output,
            case.expected_tools or None,
            case.expected_effects and case.expected_effects.to_dict(),
        )
        return "\n".join(text for part in parts if (text := _as_text(part)))

    def _tools(self) -> str:
        """Tools that were called first, with description and schema; the rest by name."""
        phrases, offered = self._words.phrases, self._offered
        if offered is None:
            return phrases["unknown_tools"]
        called = {call.tool for call in self._case.calls}
        names = sorted(offered, key=lambda name: name not in called)
        lines = []
        for name in names[:_MOST_TOOLS]:
            tool = offered[name]
            schema = _as_text(tool.input_schema or None) or phrases["no_schema"]
            about = tool.description or phrases["no_description"]
            lines.append(_safe_tool(f"- {name}: {about}\n  {schema}"))
        if rest := names[_MOST_TOOLS:]:
            more = ", ".join(rest[:_MOST_NAMES])
            lines.append(harmless(phrases["more_tools"].format(count=len(rest), names=more)))
        return "\n".join(lines)[:_LONGEST_FIELD]

    def _shown_calls(self) -> list[int]:
        """The calls that are shown: those the evidence speaks of, then the last, then the first."""
        every = range(len(self._case.calls))
        if len(every) <= _MOST_CALLS:
            return list(every)
        named = [found.call for found in self._found.findings if found.call is not None]
        half = _MOST_CALLS // 2
        by_weight = dict.fromkeys([*named[:half], *reversed(every[-half:]), *every])
        return sorted(list(by_weight)[:_MOST_CALLS])

    def _call(self, position: int) -> _Call:
        call = self._case.calls[position]
        arguments = self._words.phrases["no_arguments"]
        if call.arguments_recorded:
            arguments = safe(call.parameters)
        head = f"{harmless(call.tool)}({arguments})\n{self._state(position, call)}"
        return _Call(head, safe(call.result))

    def _state(self, position: int, call: ToolExecutionResult) -> str:
        phrases = self._words.phrases
        if call.success_rule == NOT_SAID:
            state = phrases["not_recorded"]
        elif call.success:
            state = phrases["succeeded"]
        else:
            message = safe((call.error_message or phrases["no_message"])[:2_000])
            state = phrases["failed"].format(message=message)
        together = [other for other in self._turns[call.turn] if other != position]
        if call.turn is not None and 0 < len(together) < _MOST_CALLS:
            state += f"; {phrases['together'].format(numbers=_numbers(together))}"
        return state

    def _call_sections(self, calls: Mapping[int, _Call], length: int) -> Iterator[Section]:
        title = self._words.sections["call"]
        needs = {i: len(call.head) + len(call.result) for i, call in calls.items()}
        room = share_out(needs, dict.fromkeys(calls, 1.0), length)
        for position, call in calls.items():
            head, result = self._cut_call(position, call, room[position])
            text = f"{head}\n{result}" if result else head
            yield Section(title.format(number=position + 1), text)
        hidden = [i for i in range(len(self._case.calls)) if i not in calls]
        if hidden or not self._case.calls:
            yield Section(title.format(number="…"), self._about_hidden(hidden))

    def _cut_call(self, position: int, call: _Call, length: int) -> _Call:
        head = self._cut(call.head, max(int(length * _ARGUMENTS_SHARE), length - len(call.result)))
        room = length - len(head)
        needles = self._used_later(position) if len(call.result) > room else ()
        return _Call(head, self._cut(call.result, room, needles))

    def _used_later(self, position: int) -> Iterator[str]:
        """Values that later calls or the answer may have taken from this result."""
        for call in self._case.calls[position + 1 :]:
            yield from (leaf_text(value) for _, value in leaves_of(call.parameters))
        yield from _VALUE_OF_ANSWER.findall((self._case.actual_output or "")[:_LONGEST_FIELD])

    def _about_hidden(self, hidden: list[int]) -> str:
        if not hidden:
            return self._words.phrases["no_calls"]
        failed = sum(not self._case.calls[i].success for i in hidden)
        return self._words.phrases["calls_left_out"].format(
            count=len(hidden), numbers=_numbers(hidden), failed=failed
        )

    def _cut(self, text: str, length: int, needles: Iterable[str] = ()) -> str:
        return shorten(text, max(length, 0), needles, mark=self._words.left_out)


# The tools on offer are the same in case after case.
_safe_tool = lru_cache(maxsize=1_024)(safe)


def _numbers(positions: Sequence[int]) -> str:
    """Positions of calls as people count them, a few of them."""
    shown = ", ".join(str(position + 1) for position in positions[:_MOST_NUMBERS])
    return shown if len(positions) <= _MOST_NUMBERS else f"{shown} …"


def shorten(
    text: str, length: int, needles: Iterable[str] = (), *, mark: str = "[{count} left out]"
) -> str:
    """The text in at most about `length` characters: its start, its end, and around each needle.

    `mark` stands where something is left out.
    """
    if len(text) <= length:
        return text
    kept = _around(text, length, needles)
    room = max(length - sum(end - start for start, end in kept), 0)
    kept += [(0, room - room // 2), (len(text) - room // 2, len(text))]
    pieces: list[str] = []
    done = 0
    for start, end in [*sorted(kept), (len(text), len(text))]:
        if start > done:
            pieces.append(mark.format(count=start - done))
        pieces.append(text[max(start, done) : end])
        done = max(done, end)
    return "\n".join(filter(None, pieces))


def _around(text: str, length: int, needles: Iterable[str]) -> list[tuple[int, int]]:
    """Where each needle stands first, with its surroundings, in half of the room."""
    found: list[tuple[int, int]] = []
    room = length // 2
    for needle in list(dict.fromkeys(needles))[:_MOST_NEEDLES]:
        at = text.find(needle) if len(needle) >= _LEAST_NEEDLE else -1
        if at == -1 or any(start <= at and at + len(needle) <= end for start, end in found):
            continue
        span = (max(at - _AROUND, 0), min(at + len(needle) + _AROUND, len(text)))
        room -= span[1] - span[0]
        if room < 0:
            break
        found.append(span)
    return found


def share_out(
    needs: Mapping[Name, int], weights: Mapping[Name, float], total: int
) -> dict[Name, int]:
    """Divide room by weight; what one does not need goes to those that need more."""
    given: dict[Name, int] = {}
    waiting = dict(needs)
    while waiting and sum(waiting.values()) > total:
        weight = sum(weights[name] for name in waiting)
        portion = {name: int(total * weights[name] / weight) for name in waiting}
        content = [name for name in waiting if waiting[name] <= portion[name]]
        if not content:
            return given | portion
        for name in content:
            given[name] = waiting.pop(name)
        total = max(total - sum(given[name] for name in content), 0)
    return given | waiting
