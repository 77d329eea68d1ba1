"""The record of a run as a judge is shown it: sections of text within a length.

Every section has its share of the room, and what one does not need goes to the others. Calls
and tools beyond a number are counted, not shown; those that the evidence speaks of come first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from assay.evidence.examination import Examination, examine
from assay.evidence.json_leaves import leaf_text, leaves_of
from assay.evidence.run_facts import RunFacts
from assay.execution import NOT_SAID
from assay.judge.evidence_text import evidence_lines, numbers
from assay.judge.fencing import harmless
from assay.judge.shortening import share_out, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.evidence.traced_value import Origin
    from assay.execution import ToolExecutionResult
    from assay.judge.wording import Wording
    from assay.test_case import AgentTestCase

LONGEST_RECORD = 60_000
_MOST_CALLS = 60
_MOST_TOOLS = 40
_MOST_NAMES = 200
# What is longer than this is cut before anything else is done with it.
_LONGEST_FIELD = 200_000
_ARGUMENTS_SHARE = 0.4
# Tools are the same in case after case; nothing else is.
_harmless_again = lru_cache(maxsize=16)(harmless)
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


class Section(Struct, frozen=True):
    """One part of the record: a title of our own and a text by others, already harmless."""

    title: str
    text: str


class Record:
    """One run, its evidence, and the words to show them in."""

    def __init__(self, case: AgentTestCase, words: Wording) -> None:
        """Examine the run once; all sections draw on it."""
        self._case = case
        self._words = words
        facts = RunFacts(case)
        self._offered = facts.tools
        self._found: Examination = examine(case, facts=facts)
        self._used: dict[int, list[tuple[str, str]]] = {}
        for text, origin in _taken_from_results(self._found):
            self._used.setdefault(origin.call or 0, []).append((text, origin.place))
        self._together = _others_of_turn(case.calls)

    def sections(self, length: int = LONGEST_RECORD) -> list[Section]:
        """The sections in the order they are shown, in about `length` characters together."""
        texts = {
            name: (_harmless_again if name == "tools" else harmless)(text[:_LONGEST_FIELD])
            for name, text in self._plain().items()
        }
        calls = {position: self._call(position) for position in self._shown_calls()}
        needs = {name: len(text) for name, text in texts.items()}
        needs["calls"] = sum(len(call.head) + len(call.result) for call in calls.values())
        room = share_out(needs, _WEIGHTS, length)
        found: list[Section] = []
        for name in _WEIGHTS:
            if name == "calls":
                found += self._call_sections(calls, room["calls"])
            elif name in texts:
                found.append(
                    Section(self._words.sections[name], self._cut(texts[name], room[name]))
                )
        return found

    def _plain(self) -> dict[str, str]:
        """The sections that are one text each; what there is nothing of is left out."""
        case, data = self._case, self._case.execution_data
        known = {
            "task": case.input,
            "conversation": self._conversation(),
            "concrete": (data and data.concrete_task_description) or "",
            "dependencies": (data and data.dependency_analysis) or "",
            "expected": self._expected(),
            "tools": "\n".join(self._tools()),
            "answer": case.actual_output or self._words.phrases["none"],
            "evidence": "\n".join(evidence_lines(self._found, self._words)),
        }
        return {name: text for name, text in known.items() if text}

    def _conversation(self) -> str:
        """What was said besides the task and the answer, which have sections of their own."""
        shown = {self._case.input, self._case.actual_output}
        turns = (
            (turn.get("role", ""), turn.get("content"))
            for turn in self._case.conversation_history or []
        )
        return "\n".join(
            f"{role}: {_as_text(content)}"
            for role, content in turns
            if content and _as_text(content) not in shown
        )

    def _expected(self) -> str:
        case = self._case
        parts = [
            case.expected_output or "",
            _as_text(case.expected_tools or None),
            _as_text(case.expected_effects and case.expected_effects.to_dict()),
        ]
        return "\n".join(part for part in parts if part)

    def _tools(self) -> Iterator[str]:
        """Tools that were called first, with description and schema; the rest by name."""
        phrases = self._words.phrases
        known = self._offered
        if known is None:
            yield phrases["unknown_tools"]
            return
        called = {call.tool for call in self._case.calls}
        tools = sorted(known.values(), key=lambda tool: tool.name not in called)
        for tool in tools[:_MOST_TOOLS]:
            schema = _as_text(tool.input_schema) if tool.input_schema else phrases["no_schema"]
            yield f"- {tool.name}: {tool.description or phrases['no_description']}"
            yield f"  {schema}"
        if rest := tools[_MOST_TOOLS:]:
            names = ", ".join(tool.name for tool in rest[:_MOST_NAMES])
            yield phrases["more_tools"].format(count=len(rest), names=names)

    def _shown_calls(self) -> list[int]:
        """The calls that are shown: those the evidence speaks of, then the last, then the first."""
        every = range(len(self._case.calls))
        if len(every) <= _MOST_CALLS:
            return list(every)
        spoken_of = [call for finding in self._found.findings.found for call in finding.calls]
        half = _MOST_CALLS // 2
        by_weight = dict.fromkeys(
            [*spoken_of[:half], *reversed(every[-half:]), *list(self._used)[:half], *every]
        )
        return sorted(list(by_weight)[:_MOST_CALLS])

    def _call(self, position: int) -> _ShownCall:
        call = self._case.calls[position]
        arguments = harmless(_as_text(call.parameters)[:_LONGEST_FIELD])
        head = f"{harmless(call.tool)}({arguments})\n{self._state(position, call)}"
        result = harmless(_as_text(call.result)[:_LONGEST_FIELD])
        return _ShownCall(head, result)

    def _state(self, position: int, call: ToolExecutionResult) -> str:
        phrases = self._words.phrases
        if call.success_rule == NOT_SAID:
            state = phrases["not_recorded"]
        elif call.success:
            state = phrases["succeeded"]
        else:
            message = harmless((call.error_message or phrases["no_message"])[:2_000])
            state = phrases["failed"].format(message=message)
        together = self._together.get(position, ())
        if together:
            state += f"; {phrases['together'].format(numbers=numbers(together))}"
        return state

    def _needles(self, position: int) -> Iterator[str]:
        """Pieces of a result's text that must not be cut away."""
        used = self._used.get(position, [])
        result = self._case.calls[position].result
        at_path = {leaf.path: leaf for leaf in leaves_of(result)} if used else {}
        for text, place in used:
            leaf = at_path.get(place)
            if leaf is None:
                yield harmless(text)
            else:
                field = f"{_as_json(leaf.field)}:" if leaf.field else ""
                yield harmless(f"{field}{_as_json(leaf.value)}")

    def _call_sections(self, calls: Mapping[int, _ShownCall], length: int) -> Iterator[Section]:
        title = self._words.sections["call"]
        needs = {i: len(call.head) + len(call.result) for i, call in calls.items()}
        shares = share_out(needs, dict.fromkeys(calls, 1.0), length)
        for position, call in calls.items():
            share = shares[position]
            head = self._cut(
                call.head, max(int(share * _ARGUMENTS_SHARE), share - len(call.result))
            )
            room = share - len(head)
            needles = self._needles(position) if len(call.result) > room else ()
            result = self._cut(call.result, room, needles)
            text = f"{head}\n{result}" if result else head
            yield Section(title.format(number=position + 1), text)
        hidden = [i for i in range(len(self._case.calls)) if i not in calls]
        if hidden or not self._case.calls:
            yield Section(title.format(number="…"), self._about_hidden(hidden))

    def _about_hidden(self, hidden: list[int]) -> str:
        if not hidden:
            return self._words.phrases["no_calls"]
        failed = sum(not self._case.calls[i].success for i in hidden)
        return self._words.phrases["calls_left_out"].format(
            count=len(hidden), numbers=numbers(hidden), failed=failed
        )

    def _cut(self, text: str, length: int, needles: Iterable[str] = ()) -> str:
        return shorten(text, max(length, 0), needles, mark=self._words.left_out)


class _ShownCall(Struct, frozen=True):
    head: str
    result: str


def _taken_from_results(found: Examination) -> Iterator[tuple[str, Origin]]:
    """What the answer and later arguments took from results, and from where."""
    for claim in found.grounding.claims:
        if claim.origin is not None and claim.origin.kind == "result":
            yield claim.instead or claim.text, claim.origin
    for value in found.provenance.values:
        for origin in value.origins:
            if origin.kind == "result":
                yield leaf_text(value.value), origin


def _others_of_turn(calls: Sequence[ToolExecutionResult]) -> dict[int, list[int]]:
    """For each call that was issued together with others, those others."""
    turns: dict[int, list[int]] = {}
    for position, call in enumerate(calls):
        if call.turn is not None:
            turns.setdefault(call.turn, []).append(position)
    return {
        position: [other for other in turn if other != position]
        for turn in turns.values()
        if 1 < len(turn) <= _MOST_CALLS
        for position in turn
    }


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _as_json(value)


def _as_json(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return "(not JSON)"
