"""The seed's name for `assay.test_case`."""

from assay.test_case import AgentTestCase, LLMTestCase

__all__ = ["AgentTestCase", "LLMTestCase"]
