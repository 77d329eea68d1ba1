"""Results of many domains and languages, labelled before the rules were run, are judged alike.

The wording is that of well-known tools, the names and numbers are made up. A failure tells whose
it is, where the words leave no doubt about that. What the rules still misjudge is told in
docs/reference/outcome-labels.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.evidence.blame import blame
from assay.evidence.outcome import settle
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

RESULTS = json.loads(Path(__file__).with_name("unseen_results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("labelled", RESULTS, ids=lambda labelled: labelled["tool"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])
def test_a_result_is_judged_as_its_reader_judged_it(
    labelled: dict[str, Any], *, wrapped: bool
) -> None:
    result = labelled["result"]
    if wrapped:
        text = result if isinstance(result, str) else json.dumps(result)
        result = {"content": [{"type": "text", "text": text}], "isError": False}
    call = ToolExecutionResult(labelled["tool"], {}, result)
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
    assert call.success is not labelled["failed"]
    found = blame(call)
    assert (found is not None) is labelled["failed"]
    assert found is None or labelled["whose"] in {None, found.category}
