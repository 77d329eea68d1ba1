"""Judge the work of LLM agents that use tools."""

__version__ = "0.1.0"
