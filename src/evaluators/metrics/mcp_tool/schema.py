"""What an agent did with its tools: the records of `assay`."""

from assay.execution import MCPExecutionData, ToolExecutionResult

__all__ = ["MCPExecutionData", "ToolExecutionResult"]
