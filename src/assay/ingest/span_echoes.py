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

# So many answers are kept in mind; in files with more, an echo far from its answer is a run.
_MOST_HELD = 2_000
_MOST_KNOWN = 20_000
# Echoes of an answer that takes longer, in seconds, are looked for at its beginning.
_LONGEST = 600


class _Answer(Struct, frozen=True):
    """One answer of a model: when, who wrote it down, and what was said."""

    began: float
    ended: float
    writer: str
    words: tuple[str | None, ...]
    tokens: int | None

    def seconds(self) -> range:
        """The seconds that the answer took."""
        first = int(self.began)
        return range(first, min(int(self.ended), first + _LONGEST) + 1)

    def echoes(self, other: _Answer) -> bool:
        """Whether this was recorded within the other, says the same or nothing."""
        is_within = other.began <= self.began and self.ended <= other.ended
        if not is_within or self.writer == other.writer:
            return False
        return self.words == other.words if self.words else self.tokens == other.tokens


class Echoes:
    """Runs as they come, without those that only repeat an answer of another one."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self._held: dict[_Answer, AgentTestCase] = {}
        self._held_at: dict[int, list[_Answer]] = {}
        self._known: dict[int, list[_Answer]] = {}
        self._count = 0

    def heard(self, case: AgentTestCase, tree: Tree) -> Iterator[AgentTestCase]:
        """The run, unless it may be an echo: then it is held back, or is one."""
        alone = _lone_answer(tree)
        answers = [_answer(step) for step in tree.models] if alone is None else [_answer(alone)]
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
                self._held_at.setdefault(int(answers[0].began), []).append(answers[0])

    def rest(self) -> Iterator[AgentTestCase]:
        """The runs that were held back and are no echoes."""
        yield from self._held.values()
        self._held = {}

    def _drop_echoes(self, answer: _Answer) -> None:
        for second in answer.seconds():
            for held in self._held_at.get(second, []):
                if held.echoes(answer):
                    self._held.pop(held, None)

    def _remember(self, answers: list[_Answer]) -> None:
        for answer in answers:
            if self._count < _MOST_KNOWN:
                self._count += 1
                for second in answer.seconds():
                    self._known.setdefault(second, []).append(answer)

    def _is_known(self, answer: _Answer) -> bool:
        return any(map(answer.echoes, self._known.get(int(answer.began), [])))


def _lone_answer(tree: Tree) -> Step | None:
    """The model's answer that a trace consists of; None where there is anything else."""
    told = [step for step in tree.steps if step.role != "other"]
    is_alone = len(told) == 1 and told[0].role == "model" and not any(tree.ancestors(told[0]))
    return told[0] if is_alone else None


def _answer(step: Step) -> _Answer:
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
    )
