"""The metrics of the MCPToolMetric document."""
