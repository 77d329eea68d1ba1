"""The metrics that can be asked for by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownName
from assay.metrics.mcp_tool import MCPToolMetric
from assay.metrics.tool_use import ToolUseMetric
from assay.metrics.trajectory import TrajectoryMatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics import Metric

METRICS: dict[str, Callable[[Any], Metric]] = {
    "mcp_tool": lambda tools: MCPToolMetric(available_tools=tools),
    "tool_use": lambda tools: ToolUseMetric(available_tools=tools),
    "trajectory_match": lambda _: TrajectoryMatch(),
}


def metric_named(name: str, tools: object = None) -> Metric:
    """A metric of ours by name, or one of the user's own as `package.module:Name`."""
    if name in METRICS:
        return METRICS[name](tools)
    module, colon, attribute = name.partition(":")
    if not colon:
        raise UnknownName("metric", name, METRICS)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise UnknownName(f"metric ({exc})", name, METRICS) from exc
    metric: Metric = found() if isinstance(found, type) else found
    return metric
