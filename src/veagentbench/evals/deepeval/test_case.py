"""See `veagentbench`."""

from evaluators.test_case import LLMTestCase

__all__ = ["LLMTestCase"]
