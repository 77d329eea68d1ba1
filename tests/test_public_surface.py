"""What can be imported, under which names, and what importing it costs."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import assay

PUBLIC = {
    "AgentTestCase",
    "AssayError",
    "ChatbotEvaluator",
    "CaseScores",
    "EffectMatch",
    "Evidence",
    "Expectations",
    "ExpectedWrite",
    "Failed",
    "LLMTestCase",
    "MCPExecutionData",
    "MCPToolMetric",
    "Metric",
    "RunOutcome",
    "Score",
    "Source",
    "Store",
    "ToolExecutionResult",
    "ToolUseMetric",
    "TrajectoryMatch",
    "Unreadable",
    "Usage",
    "read_runs",
    "examine",
    "score_cases",
    "score_stream",
}
OPTIONAL = (
    "altair",
    "deepeval",
    "duckdb",
    "fastmcp",
    "jinja2",
    "mcp",
    "numpy",
    "openai",
    "pandas",
    "pyarrow",
    "pydantic",
    "pydantic_ai",
    "pyspark",
    "pytest",
    "scipy",
    "sqlglot",
    "starlette",
    "uvicorn",
)
# Base requirements that a program which only imports the package must not pay for.
NEEDED_LATER = ("jsonschema_rs", "msgspec", "rich", "typer")

SCORE_A_CASE = """
from assay import AgentTestCase, MCPExecutionData, MCPToolMetric, ToolExecutionResult
call = ToolExecutionResult("t", {"n": 1}, success=True)
tools = {"t": {"input_schema": {"type": "object"}}}
case = AgentTestCase("a", "b", execution_data=MCPExecutionData([call]), available_tools=tools)
assert MCPToolMetric().measure(case) == 1.0
"""


def test_the_public_names_are_these() -> None:
    assert assay.__all__ == sorted(PUBLIC)
    assert set(dir(assay)) == {*PUBLIC, "__version__"}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_can_be_imported_and_says_what_it_is(name: str) -> None:
    found = getattr(assay, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(assay.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == assay._HOMES


def test_any_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'assay' has no attribute 'AgentTestcase'"):
        _ = assay.AgentTestcase  # type: ignore[attr-defined]  # the point of the test


@pytest.mark.parametrize(
    ("program", "unwanted"),
    [
        pytest.param("import assay", (*OPTIONAL, *NEEDED_LATER), id="import assay"),
        pytest.param("import evaluators", (*OPTIONAL, *NEEDED_LATER), id="import evaluators"),
        pytest.param("import veagentbench", (*OPTIONAL, *NEEDED_LATER), id="import veagentbench"),
        pytest.param(SCORE_A_CASE, (*OPTIONAL, "rich", "typer"), id="score a case"),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(program: str, unwanted: tuple[str, ...]) -> None:
    report = f"{program}\nimport sys\nprint([m for m in {unwanted!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"


def test_without_the_optional_parts_a_case_can_still_be_scored() -> None:
    blocked = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
    done = subprocess.run(
        [sys.executable, "-c", blocked + SCORE_A_CASE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
