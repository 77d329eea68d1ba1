"""The record of a run as a judge is shown it: sections of text within a length.

Every section has its share of the room, and what one does not need goes to the others. Calls
and tools beyond a number are counted, not shown; those that the evidence speaks of come first.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.examination import Examination, examine
from assay.evidence.json_leaves import leaf_text, leaves_of
from assay.evidence.run_facts import RunFacts
from assay.execution import NOT_SAID
from assay.judge.evidence_text import evidence_lines, numbers
from assay.judge.fencing import harmless
from assay.judge.json_text import LONGEST_FIELD, as_json, as_text
from assay.judge.shortening import share_out, shorten
from assay.judge.tools_text import tools_text
from assay.judge.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.evidence.traced_value import Origin
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

LONGEST_RECORD = 60_000
_MOST_CALLS = 60
_ARGUMENTS_SHARE = 0.4
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


class Section(Struct, frozen=True, gc=False):
    """One part of the record: a title of our own and a text by others, already harmless."""

    title: str
    text: str


class Record:
    """One run, its evidence, and the language to show them in."""

    def __init__(self, case: AgentTestCase, language: str) -> None:
        """Examine the run once; all sections draw on it."""
        self._case = case
        self._language = language
        self._words = wording(language)
        facts = RunFacts(case)
        self._offered = facts.tools
        self._found: Examination = examine(case, facts=facts)
        self._together = _others_of_turn(case.calls)

    @cached_property
    def _used(self) -> dict[int, list[tuple[str, str]]]:
        """What was taken from the result of each call, and from where in it."""
        used: dict[int, list[tuple[str, str]]] = {}
        for text, origin in _taken_from_results(self._found):
            used.setdefault(origin.call or 0, []).append((text, origin.place))
        return used

    def sections(self, length: int = LONGEST_RECORD) -> list[Section]:
        """The sections in the order they are shown, in about `length` characters together."""
        texts = self._texts()
        calls = {position: self._call(position) for position in self._shown_calls()}
        needs = {name: len(text) for name, text in texts.items()}
        needs["calls"] = sum([call.length for call in calls.values()])
        room = share_out(needs, _WEIGHTS, length)
        titles = self._words.sections
        found: list[Section] = []
        for name in _WEIGHTS:
            if name == "calls":
                found += self._call_sections(calls, room["calls"])
            elif text := texts.get(name):
                shown = text if len(text) <= room[name] else self._cut(text, room[name])
                found.append(Section(titles[name], shown))
        return found

    def _texts(self) -> dict[str, str]:
        """The sections that are one text each, harmless; what there is nothing of is left out."""
        case, data = self._case, self._case.execution_data
        known = {
            "task": case.input,
            "conversation": self._conversation(),
            "concrete": data and data.concrete_task_description,
            "dependencies": data and data.dependency_analysis,
            "expected": self._expected(),
            "tools": tools_text(self._offered, {call.tool for call in case.calls}, self._language),
            "answer": case.actual_output or self._words.phrases["none"],
            "evidence": "\n".join(evidence_lines(self._found, self._words)),
        }
        return {
            name: text if name == "tools" else harmless(text[:LONGEST_FIELD])
            for name, text in known.items()
            if text
        }

    def _conversation(self) -> str:
        """What was said besides the task and the answer, which have sections of their own."""
        said = self._case.conversation_history
        if not said:
            return ""
        shown = {self._case.input, self._case.actual_output}
        turns = ((turn.get("role", ""), turn.get("content")) for turn in said)
        return "\n".join(
            f"{role}: {as_text(content)}"
            for role, content in turns
            if content and as_text(content) not in shown
        )

    def _expected(self) -> str:
        case = self._case
        parts = [
            case.expected_output or "",
            as_text(case.expected_tools or None),
            as_text(case.expected_effects and case.expected_effects.to_dict()),
        ]
        return "\n".join(part for part in parts if part)

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
        arguments = self._words.phrases["no_arguments"]
        if call.arguments_recorded:
            arguments = harmless(as_text(call.parameters)[:LONGEST_FIELD])
        head = f"{harmless(call.tool)}({arguments})\n{self._state(position, call)}"
        result = harmless(as_text(call.result)[:LONGEST_FIELD])
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
                field = f"{as_json(leaf.field)}:" if leaf.field else ""
                yield harmless(f"{field}{as_json(leaf.value)}")

    def _call_sections(self, calls: Mapping[int, _ShownCall], length: int) -> Iterator[Section]:
        title = self._words.sections["call"]
        needs = {i: call.length for i, call in calls.items()}
        if sum(needs.values()) > length:
            shares = share_out(needs, dict.fromkeys(calls, 1.0), length)
            calls = {i: self._cut_call(i, call, shares[i]) for i, call in calls.items()}
        for position, call in calls.items():
            text = f"{call.head}\n{call.result}" if call.result else call.head
            yield Section(_title(title, position + 1), text)
        hidden = [i for i in range(len(self._case.calls)) if i not in calls]
        if hidden or not self._case.calls:
            yield Section(title.format(number="…"), self._about_hidden(hidden))

    def _cut_call(self, position: int, call: _ShownCall, length: int) -> _ShownCall:
        least = max(int(length * _ARGUMENTS_SHARE), length - len(call.result))
        head = self._cut(call.head, least)
        room = length - len(head)
        needles = self._needles(position) if len(call.result) > room else ()
        return _ShownCall(head, self._cut(call.result, room, needles))

    def _about_hidden(self, hidden: list[int]) -> str:
        if not hidden:
            return self._words.phrases["no_calls"]
        failed = sum(not self._case.calls[i].success for i in hidden)
        return self._words.phrases["calls_left_out"].format(
            count=len(hidden), numbers=numbers(hidden), failed=failed
        )

    def _cut(self, text: str, length: int, needles: Iterable[str] = ()) -> str:
        return shorten(text, max(length, 0), needles, mark=self._words.left_out)


class _ShownCall(Struct, frozen=True, gc=False):
    head: str
    result: str

    @property
    def length(self) -> int:
        return len(self.head) + len(self.result)


@lru_cache(maxsize=1_024)
def _title(title: str, number: int) -> str:
    return title.format(number=number)


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
