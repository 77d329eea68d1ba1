"""The tool metric: deepeval's and ours at once, or ours alone where there is no deepeval."""

from contextlib import suppress
from typing import TYPE_CHECKING

from assay.errors import MissingExtra
from assay.metrics.mcp_tool import LastResultInNumbers
from assay.metrics.mcp_tool import MCPToolMetric as NativeMetric

__all__ = ["MCPToolMetric"]


class MCPToolMetric(LastResultInNumbers, NativeMetric):
    """The tool metric, with a number in every attribute that is printed; see `assay`."""


if not TYPE_CHECKING:
    with suppress(MissingExtra):
        from assay.deepeval import MCPToolMetric
