"""The metrics that can be asked for by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidSettings, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics import Metric


def _ours(place: str, **options: Any) -> Metric:
    """A metric of ours; only those that are asked for are loaded."""
    module, _, name = place.partition(":")
    metric: Metric = getattr(import_module(f"assay.metrics.{module}"), name)(**options)
    return metric


# Each is made of the tools that all cases share and of the judge; None leaves it to the metric.
METRICS: dict[str, Callable[[Any, Any], Metric]] = {
    "chatbot": lambda _, __: _ours("chatbot:ChatbotEvaluator"),
    "effect_match": lambda _, __: _ours("effects:EffectMatch"),
    "mcp_tool": lambda tools, judge: _ours(
        "mcp_tool:MCPToolMetric", model=judge, available_tools=tools
    ),
    "tool_use": lambda tools, _: _ours("tool_use:ToolUseMetric", available_tools=tools),
    "trajectory_match": lambda _, __: _ours("trajectory:TrajectoryMatch"),
}


def metric_named(name: str, tools: object = None, judge: object = None) -> Metric:
    """A metric of ours by name, or one of the user's own as `package.module:Name`."""
    if name in METRICS:
        return METRICS[name](tools, judge)
    module, colon, attribute = name.partition(":")
    if not colon:
        raise UnknownName("metric", name, METRICS)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise UnknownName(f"metric ({exc})", name, METRICS) from exc
    except SystemExit as exc:  # of a script that was written to be run
        raise InvalidSettings(
            f"{module!r}, the module of the metric {name!r}, tried to end the program: {exc!r}; "
            'keep what it does when run behind `if __name__ == "__main__":`'
        ) from exc
    metric: Metric = found() if isinstance(found, type) else found
    return metric
