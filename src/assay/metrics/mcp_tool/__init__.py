"""The tool metric: six judged dimensions and five measured rates in one score."""

from assay.metrics.mcp_tool.last_result import LastResultInNumbers
from assay.metrics.mcp_tool.metric import MCPToolMetric

__all__ = ["LastResultInNumbers", "MCPToolMetric"]
