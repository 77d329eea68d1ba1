"""Whatever a metric is handed, as a case whose calls can be counted."""

from __future__ import annotations

import copy
from typing import Any

from assay.errors import InvalidRecord
from assay.execution import MCPExecutionData
from assay.metrics.answer_text import calls_in_text
from assay.metrics.stated_calls import calls_named
from assay.records import preview
from assay.test_case import AgentTestCase
from assay.validation import refuse_unmeasurable


def as_agent_case(
    test_case: Any, execution_data: MCPExecutionData | None = None
) -> tuple[AgentTestCase, bool]:
    """Take a case as it comes, and say whether its calls had to be inferred from text."""
    if not isinstance(getattr(test_case, "input", None), str):
        raise InvalidRecord(f"expected a test case with an input, got {preview(test_case)}")
    if not isinstance(test_case, AgentTestCase):
        case = AgentTestCase.from_llm_test_case(test_case, execution_data)
    elif execution_data is None:
        case = test_case
    else:
        case = copy.copy(test_case)
        case.execution_data = execution_data
    if case.execution_data is not None:
        refuse_unmeasurable(case.execution_data)
        return case, False
    calls = calls_named(case.tools_called or []) or calls_in_text(case.actual_output or "")
    case = copy.copy(case)
    case.execution_data = MCPExecutionData(calls, planning_json_compliance=None)
    return case, bool(calls)
