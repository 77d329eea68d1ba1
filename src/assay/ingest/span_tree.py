"""The steps of a trace as a tree: who worked for whom, and which run each belongs to."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from assay.ingest.span_steps import filled_usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.span_messages import Message
    from assay.ingest.span_steps import Step

# Deeper trees are hostile or circular; real ones stay far below.
_DEEPEST = 256
# Sub-agents at work between two answers of an agent have models too.
_MOST_BETWEEN = 20


class Tree:
    """Steps in the order they began, with their ancestors."""

    def __init__(self, steps: list[Step]) -> None:
        """Take the steps; a span that was exported twice counts once."""
        self._by_id: dict[str, Step] = {}
        for step in steps:
            self._by_id.setdefault(step.span.span_id, step)
        if any(step.is_unsure for step in steps):
            _tell_tools(list(self._by_id.values()))
        self.steps = sorted(self._by_id.values(), key=began)

    def ancestors(self, step: Step) -> Iterator[Step]:
        """The recorded parents of a step, nearest first."""
        above = step
        for _ in range(_DEEPEST):
            parent = above.span.parent_id
            if parent is None or parent not in self._by_id or parent == step.span.span_id:
                return
            above = self._by_id[parent]
            yield above

    def tool_above(self, step: Step) -> Step | None:
        """The nearest tool around a step, if no agent or model stands between."""
        near = (a for a in self.ancestors(step) if a.role in {"agent", "model", "tool"})
        nearest = next(near, None)
        return nearest if nearest is not None and nearest.role == "tool" else None

    @cached_property
    def outermost(self) -> list[Step]:
        """The agents and chains that nobody else contains, in order, longest first."""
        found = [step for step in self.steps if self._is_outermost(step)]
        return sorted(found, key=lambda step: (began(step), -ended(step)))

    @cached_property
    def agents(self) -> list[Step]:
        """The outermost steps, and after them the agents within that work for no tool."""
        agents = [step for step in self.steps if step.role == "agent"]
        outer = [s for s in agents if all(a.role != "tool" for a in self.ancestors(s))]
        known = {id(step) for step in self.outermost}
        return [*self.outermost, *(step for step in outer if id(step) not in known)]

    @cached_property
    def models(self) -> list[Step]:
        """One step for each answer of a model, in order.

        Where spans of one model call lie within each other the innermost counts, filled with
        what only the one around it tells; of two beside each other the first.
        """
        models = [step for step in self.steps if step.role == "model"]
        within = self._within(models)
        for step in models:
            inner = [s for s in within.get(step.span.span_id, []) if s.span.span_id not in within]
            if len(inner) == 1:
                _fill(inner[0], step)
        once = _told_once([step for step in models if step.span.span_id not in within])
        _say_what_the_next_was_shown(once)
        return once

    def runs(self) -> list[list[Step]]:
        """The steps of each run: all of them, or those of each conversation."""
        agents = [step for step in self.outermost if step.role == "agent"]
        if len({agent.session for agent in agents} - {None}) < 2:
            return [self.steps] if self.steps else []
        found: dict[str | None, list[Step]] = {}
        session = {agent.span.span_id: agent.session for agent in agents}
        starts = [began(agent) for agent in agents]
        for step in self.steps:
            line = (s.span.span_id for s in (step, *self.ancestors(step)))
            latest = agents[max(bisect_right(starts, began(step)) - 1, 0)]
            top = next((known for known in line if known in session), latest.span.span_id)
            found.setdefault(session[top], []).append(step)
        return list(found.values())

    def _is_outermost(self, step: Step) -> bool:
        wrappers = {"agent", "chain"}
        return step.role in wrappers and all(a.role not in wrappers for a in self.ancestors(step))

    def _within(self, models: list[Step]) -> dict[str, list[Step]]:
        """The models inside each model's span, with no agent or tool between."""
        within: dict[str, list[Step]] = {}
        for step in models:
            for ancestor in self.ancestors(step):
                if ancestor.role in {"agent", "tool"}:
                    break
                if ancestor.role == "model":
                    within.setdefault(ancestor.span.span_id, []).append(step)
        return within


def _tell_tools(steps: list[Step]) -> None:
    """Tell tools from the steps around them, where their platform writes both alike.

    A tool contains nothing, and where models asked for any, one of them asked for it.
    """
    parents = {step.span.parent_id for step in steps}
    asked = {
        request.tool for step in steps for message in step.outputs for request in message.requests
    }
    for step in steps:
        is_tool = step.span.span_id not in parents and (not asked or step.span.name in asked)
        if step.is_unsure and not is_tool:
            step.role, step.call = "chain", None


def _told_once(models: list[Step]) -> list[Step]:
    """The answers without those that a second instrumentation recorded beside the first.

    A framework and the provider's own SDK may both write a span of one answer.
    """
    once: list[Step] = []
    for step in models:
        known = once[-1] if once else None
        if known is not None and _are_one_answer(known, step):
            _fill(known, step)
        else:
            once.append(step)
    return once


def _are_one_answer(known: Step, step: Step) -> bool:
    """Whether two spans side by side tell of one answer: by its id, or one without a word."""
    if writer(known) == writer(step) or began(step) > ended(known):
        return False
    if known.reply_id and step.reply_id:
        return known.reply_id == step.reply_id
    is_beside = known.span.parent_id == step.span.parent_id and 0 < ended(step) <= ended(known)
    return is_beside and not step.inputs and not step.outputs and not _differ_in_tokens(known, step)


def _differ_in_tokens(one: Step, other: Step) -> bool:
    counts = {step.usage.output_tokens for step in (one, other) if step.usage}
    return len(counts - {None}) > 1


def writer(step: Step) -> str:
    """Who wrote a span; where the export does not say it, what it is called must do."""
    return step.span.scope or step.span.name


def _say_what_the_next_was_shown(models: list[Step]) -> None:
    """Give a model without recorded words those that a later one was shown as its own."""
    for i, step in enumerate(models):
        told = _without_system(step.inputs)
        if step.outputs or step.answer or not told:
            continue
        for later in models[i + 1 : i + 1 + _MOST_BETWEEN]:
            shown = _without_system(later.inputs)
            if shown == told and later.outputs:
                # Asked again, or recorded apart from the request as Logfire does with streams.
                break
            if len(shown) > len(told) and shown[: len(told)] == told:
                since = shown[len(told) :]
                step.outputs = list(takewhile(lambda m: m.role == "assistant", since))
                break


def _without_system(messages: list[Message]) -> list[Message]:
    """Messages but the instructions: the next agent has others."""
    return [message for message in messages if message.role != "system"]


def began(step: Step) -> float:
    """When a step began; what has no time comes first."""
    return step.span.started_at or 0.0


def ended(step: Step) -> float:
    """When a step ended."""
    return step.span.ended_at or 0.0


def _fill(leaf: Step, around: Step) -> None:
    leaf.inputs = around.inputs if len(around.inputs) > len(leaf.inputs) else leaf.inputs
    leaf.usage = filled_usage(leaf.usage, around.usage)
    leaf.model = leaf.model or around.model
    leaf.tools = leaf.tools or around.tools
    asks = any(message.requests for message in leaf.outputs)
    if not leaf.outputs or (not asks and any(message.requests for message in around.outputs)):
        leaf.outputs = around.outputs
