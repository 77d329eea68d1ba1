"""Which call a step served: the sub-agents and inner tools behind a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.execution import ToolExecutionResult
from assay.ingest.span_steps import Step

if TYPE_CHECKING:
    from assay.ingest.span_tree import Tree

# With more pairs of agents and calls than this, whom each agent served is not searched for.
_MOST_PAIRS = 500_000


class Made(Struct):
    """A call that was carried out: the step that tells of it, and what it says."""

    step: Step
    call: ToolExecutionResult


class Served:
    """The call behind each step, from the tree or, beside it, from the times."""

    def __init__(self, tree: Tree, made: list[Made], layers: dict[str, Made]) -> None:
        """Take the calls, and the call that each span of a tool belongs to."""
        self._tree = tree
        self._layers = layers
        self._agents = _agents_beside(tree, made)

    def by(self, step: Step) -> Made | None:
        """The call that a step worked for; None where it worked for the run itself."""
        own = self._layers.get(step.span.span_id)
        for ancestor in (step, *self._tree.ancestors(step)):
            outer = self._layers.get(ancestor.span.span_id)
            if outer is not None and outer is not own:
                return outer
            if ancestor.span.span_id in self._agents:
                return self._agents[ancestor.span.span_id]
        return None

    def level(self, step: Step) -> int | None:
        """Steps of one level worked for the same call."""
        outer = self.by(step)
        return None if outer is None else id(outer)

    def parent_id(self, step: Step) -> str | None:
        """The id of the call that a step worked for."""
        outer = self.by(step)
        return None if outer is None else outer.call.call_id


def _agents_beside(tree: Tree, made: list[Made]) -> dict[str, Made]:
    """Agents that stand beside the call they served, found by their times.

    Some SDKs hang a sub-agent below the workflow instead of below the tool that called it.
    """
    agents = tree.agents[len(tree.outermost) :]
    if len(agents) * len(made) > _MOST_PAIRS:
        return {}
    # Calls that several spans tell of have no time of their own.
    timed = [item for item in made if item.step.key is None]
    found = {}
    for agent in agents:
        around = [item for item in timed if _holds(item.step, agent)]
        around = [item for item in around if not _is_within(tree, item.step, agent)]
        named = [item for item in around if agent.agent and agent.agent in item.call.tool]
        if len(named or around) == 1:
            found[agent.span.span_id] = (named or around)[0]
    return found


def _is_within(tree: Tree, step: Step, agent: Step) -> bool:
    return any(ancestor is agent for ancestor in tree.ancestors(step))


def _holds(tool: Step, agent: Step) -> bool:
    times = (
        tool.span.started_at,
        agent.span.started_at,
        agent.span.ended_at,
        tool.span.ended_at,
    )
    known = [time for time in times if time is not None]
    return len(known) == len(times) and known == sorted(known)
