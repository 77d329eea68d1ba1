"""Answers of a model that stand in a trace of their own, though another trace tells of them.

A framework may not hand its trace on to the provider's SDK: where both are instrumented, each
answer of an agent's model is recorded within the agent's trace, and once more alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.ingest.span_messages import last_text
from assay.ingest.span_tree import began, ended, writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.span_steps import Step
    from assay.ingest.span_tree import Tree
    from assay.test_case import AgentTestCase

# Words and calls of an answer, or how many tokens it had where it tells none.
_Mark = tuple[str | None, ...] | int | None
_Place = tuple[int, _Mark]
# So many answers are kept in mind; in files with more, an echo far from its answer is a run.
_MOST_HELD = 2_000
_MOST_KNOWN = 20_000
# Echoes of an answer that takes longer, in minutes, are looked for at its beginning.
_LONGEST = 10


class _Answer(Struct, frozen=True):
    """One answer of a model: when, who wrote it down, and what was said."""

    began: float
    ended: float
    writer: str
    words: tuple[str | None, ...]
    tokens: int | None
    is_alone: bool

    @property
    def mark(self) -> _Mark:
        """What the answer must share with another to be its echo: its words, or their number."""
        return self.words or self.tokens

    def place(self) -> _Place:
        """Where an echo is looked for: by the minute in which it began, and by its mark."""
        return int(self.began // 60), self.mark

    def places(self) -> list[_Place]:
        """Where echoes of this answer would be; what has no time or no mark has none."""
        first = int(self.began // 60)
        minutes = range(first, min(int(self.ended // 60), first + _LONGEST) + 1)
        marks = {mark for mark in (self.mark, self.tokens) if mark is not None}
        return [(minute, mark) for minute in minutes for mark in marks] if self.began else []

    def echoes(self, other: _Answer) -> bool:
        """Whether this was recorded within the other; of two that took the same time one was."""
        is_within = other.began <= self.began and self.ended <= other.ended
        if not is_within or self.writer == other.writer:
            return False
        is_same = (self.began, self.ended) == (other.began, other.ended)
        return not is_same or not other.is_alone or self.writer > other.writer


class Echoes:
    """Runs as they come, without those that only repeat an answer of another one."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self._held: dict[_Answer, AgentTestCase] = {}
        self._held_at: dict[_Place, list[_Answer]] = {}
        self._known: dict[_Place, list[_Answer]] = {}
        self._count = 0

    def heard(self, case: AgentTestCase, tree: Tree) -> Iterator[AgentTestCase]:
        """The run, unless it may be an echo: then it is held back, or is one."""
        alone = _lone_answer(tree)
        steps = tree.models if alone is None else [alone]
        answers = [_answer(step, is_alone=alone is not None) for step in steps]
        for answer in answers:
            self._drop_echoes(answer)
        if alone is None:
            self._remember(answers)
            yield case
        elif not self._is_known(answers[0]):
            self._remember(answers)
            if answers[0] in self._held or len(self._held) >= _MOST_HELD:
                yield case
            else:
                self._held[answers[0]] = case
                self._held_at.setdefault(answers[0].place(), []).append(answers[0])

    def rest(self) -> Iterator[AgentTestCase]:
        """The runs that were held back and are no echoes."""
        yield from self._held.values()
        self._held = {}

    def _drop_echoes(self, answer: _Answer) -> None:
        for place in answer.places():
            kept = []
            for held in self._held_at.pop(place, []):
                if held.echoes(answer):
                    self._held.pop(held, None)
                else:
                    kept.append(held)
            if kept:
                self._held_at[place] = kept

    def _remember(self, answers: list[_Answer]) -> None:
        for answer in answers:
            if self._count < _MOST_KNOWN:
                self._count += 1
                for place in answer.places():
                    self._known.setdefault(place, []).append(answer)

    def _is_known(self, answer: _Answer) -> bool:
        return any(map(answer.echoes, self._known.get(answer.place(), [])))


def _lone_answer(tree: Tree) -> Step | None:
    """The model's answer that a trace consists of; None where there is anything else."""
    told = [step for step in tree.steps if step.role != "other"]
    is_alone = len(told) == 1 and told[0].role == "model" and not any(tree.ancestors(told[0]))
    return told[0] if is_alone else None


def _answer(step: Step, *, is_alone: bool) -> _Answer:
    requests = [request for message in step.outputs for request in message.requests]
    said = last_text(step.outputs, "assistant")
    asked = [request.call_id or request.tool for request in requests]
    usage = step.usage
    return _Answer(
        began(step),
        ended(step),
        writer(step),
        (said, *asked) if said or asked else (),
        usage.output_tokens if usage else None,
        is_alone,
    )
