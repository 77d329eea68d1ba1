"""Test cases: deepeval's and ours at once, or ours alone where there is no deepeval."""

from typing import TYPE_CHECKING

from assay.errors import MissingExtra

__all__ = ["AgentTestCase", "LLMTestCase"]

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase, LLMTestCase
else:
    try:
        from assay.deepeval import AgentTestCase, LLMTestCase
    except MissingExtra:
        from assay.test_case import AgentTestCase, LLMTestCase
