"""The import path of veAgentBench that the MCPToolMetric document uses.

`veagentbench.evals.deepeval.test_case.LLMTestCase` is the class of `evaluators.test_case`; of
veAgentBench itself nothing is here.
"""
