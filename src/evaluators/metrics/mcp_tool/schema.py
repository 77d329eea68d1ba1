"""The seed's name for `assay.execution`."""

from assay.execution import MCPExecutionData, ToolExecutionResult

__all__ = ["MCPExecutionData", "ToolExecutionResult"]
