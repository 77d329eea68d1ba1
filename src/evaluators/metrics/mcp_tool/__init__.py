"""The seed's name for `assay.metrics.mcp_tool`."""

from assay.metrics.mcp_tool import MCPToolMetric

__all__ = ["MCPToolMetric"]
