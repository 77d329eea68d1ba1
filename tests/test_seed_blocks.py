"""Every Python block of the seed document runs as it stands, and says what it should.

Of the eighteen blocks three only list classes (they are compared with ours), one leaves fields
out with an ellipsis (they are filled in), and one returns at top level (it is run as the body
of a function). The other thirteen are run word for word.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import sys
import textwrap
import warnings
from dataclasses import MISSING, fields
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from assay import AgentTestCase, LLMTestCase, MCPExecutionData, MCPToolMetric, ToolExecutionResult
from assay.judge.rubric import DIMENSION_NAMES
from assay.metrics.tool_use import RATES

if TYPE_CHECKING:
    from collections.abc import Callable

    Namespace = dict[str, Any]

BLOCKS = 18
CLASS_LISTINGS: dict[int, Any] = {1: AgentTestCase, 2: MCPExecutionData, 3: ToolExecutionResult}
ELIDED = 14
RETURNS_AT_TOP_LEVEL = 15
FILLED_IN = {
    "# ... 基础字段": 'input="用户请求", actual_output="最终回答",',
    "conversation_history=[...]": 'conversation_history=[{"role": "user", "content": "…"}]',
}

# The document uses these names without saying what they are.
TOOLS = {
    "weather_query": {
        "server": "weather_server",
        "description": "The weather of a place.",
        "input_schema": {
            "type": "object",
            "properties": {
                "location": {"type": "string"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["location"],
        },
    },
    "clothing_recommendation": {
        "server": "lifestyle_server",
        "description": "What to wear.",
        "input_schema": {
            "type": "object",
            "properties": {"weather": {"type": "string"}, "temperature": {"type": "integer"}},
            "required": ["weather"],
        },
    },
}
GIVEN_NAMES = ("your_tools_definition", "tools_definition", "tools_def")
EIGHTS = dict.fromkeys(DIMENSION_NAMES, 8)


class Variant(NamedTuple):
    """Which classes stand behind the document's import lines, and what its samples score.

    The scores are by block; the marks are those of the six dimensions and three aggregates.
    """

    llm_test_case: Any
    agent_test_case: Any
    metric: Any
    scores: dict[int, float]
    marks: tuple[float | None, ...]


# Everything measured is 1. By evidence the first sample is perfect in the five dimensions that
# can be judged; the later answers use nothing of what the second of the two calls brought, and
# that of the unified case has no claim to check either.
BY_EVIDENCE = {4: 1.0, 5: 0.6 * 0.9 + 0.4, 6: 1.0, 12: 0.6 * 0.875 + 0.4}
BY_EVIDENCE |= dict.fromkeys((7, 11), BY_EVIDENCE[5])
BY_EVIDENCE |= {15: BY_EVIDENCE[12]}
EVIDENCE_MARKS = (None, 10.0, 5.0, 10.0, 10.0, 10.0, 10.0, 7.5, 10.0)


def _native() -> Variant:
    return Variant(LLMTestCase, AgentTestCase, MCPToolMetric, BY_EVIDENCE, EVIDENCE_MARKS)


def _native_with_a_judge() -> Variant:
    judged = partial(MCPToolMetric, model=EIGHTS)
    scores = dict.fromkeys(BY_EVIDENCE, 0.88)
    return Variant(LLMTestCase, AgentTestCase, judged, scores, (8.0,) * 9)


def _native_without_a_judge() -> Variant:
    unjudged = partial(MCPToolMetric, model="none")
    scores = dict.fromkeys(BY_EVIDENCE, 1.0)
    return Variant(LLMTestCase, AgentTestCase, unjudged, scores, (None,) * 9)


def _deepeval_case() -> Variant:
    return _native()._replace(llm_test_case=_deepeval().LLMTestCase)


def _deepeval_bridge() -> Variant:
    llm_test_case = _deepeval().LLMTestCase
    if find_spec("assay.deepeval") is None:
        pytest.skip("there is no assay.deepeval yet")
    bridge = import_module("assay.deepeval")
    return _native()._replace(
        llm_test_case=llm_test_case,
        agent_test_case=bridge.AgentTestCase,
        metric=bridge.MCPToolMetric,
    )


def _deepeval() -> ModuleType:
    if find_spec("deepeval") is None:
        pytest.skip("deepeval is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("deepeval.test_case")


VARIANTS = (
    _native,
    _native_with_a_judge,
    _native_without_a_judge,
    _deepeval_case,
    _deepeval_bridge,
)


@pytest.fixture(scope="module")
def blocks(shared: Callable[..., Path]) -> list[str]:
    text = shared("seeds", "001-mcp-tool-metric.txt").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def variant(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Variant:
    """Make the document's import lines lead to the variant's classes, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    found: Variant = request.param()
    monkeypatch.setattr("evaluators.test_case.AgentTestCase", found.agent_test_case)
    monkeypatch.setattr("evaluators.metrics.mcp_tool.MCPToolMetric", found.metric)
    path = "veagentbench.evals.deepeval.test_case"
    for end in (match.start() for match in re.finditer(r"\.|$", path)):
        monkeypatch.setitem(sys.modules, path[:end], ModuleType(path[:end]))
    vars(sys.modules[path])["LLMTestCase"] = found.llm_test_case
    return found


def _after_first_use(names: Namespace, printed: str, variant: Variant) -> None:
    metric = names["metric"]
    assert printed == ""
    assert names["score"] == pytest.approx(variant.scores[4])
    assert metric.success is True
    rates = {rate: getattr(metric, rate) for rate in (*RATES, "planning_json_compliance")}
    assert rates == {
        "input_schema_compliance": 1.0,
        "valid_tool_name_rate": 1.0,
        "execution_success_rate": 1.0,
        "valid_call_failure_rate": 0.0,
        "planning_json_compliance": 1.0,
    }
    assert metric.server_count == 2
    assert metric.cross_server_coordination is True
    assert metric.server_distribution == {"weather_server": 1, "lifestyle_server": 1}
    case = names["agent_test_case"]
    assert case.agent_id == "weather_clothing_agent"
    assert case.planning_strategy == "sequential_execution"
    assert case.get_conversation_context() == (
        "USER: 请查询北京的天气并推荐合适的穿衣搭配\nASSISTANT: 我来帮您查询天气并推荐穿衣。"
    )


def _after_conversion(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert isinstance(names["llm_test_case"], variant.llm_test_case)
    assert isinstance(names["agent_test_case"], AgentTestCase)
    assert names["agent_test_case"].actual_output == "今天晴天22°C"
    assert names["score"] == pytest.approx(variant.scores[5])


def _after_plain_cases(names: Namespace, printed: str, variant: Variant) -> None:
    metric = names["metric"]
    assert printed == ""
    assert names["score"] == pytest.approx(variant.scores[6])
    assert "The calls were inferred from text" in metric.reason
    assert metric.score_breakdown["execution_success_rate"] == 1.0
    assert metric.score_breakdown["valid_tool_name_rate"] is None
    assert metric.server_count == 0


def _after_async_use(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["score"] == pytest.approx(variant.scores[7])


def _after_statistics(names: Namespace, printed: str, variant: Variant) -> None:
    summary = (
        "Total rounds: 1; Tools executed: 2; Successful: 2; Failed: 0; "
        "Successful tools: weather_query, clothing_recommendation"
    )
    assert names["stats"] == {
        "total_executions": 2,
        "successful_executions": 2,
        "failed_executions": 0,
        "success_rate": 1.0,
        "unique_tools": 2,
        "servers_used": 2,
        "total_execution_time": pytest.approx(2.0),
        "average_execution_time": pytest.approx(1.0),
    }
    assert printed.splitlines() == [
        "总执行次数: 2",
        "成功率: 100.00%",
        "平均执行时间: 1.00秒",
        f"执行摘要: {summary}",
        "对话历史:",
        "",
    ]


def _after_conversation(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["conversation"] == "USER: 请继续\nASSISTANT: 好的，我继续执行"


def _after_saving(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["errors"] == []
    assert names["restored_case"] == names["agent_test_case"]
    assert type(names["restored_case"]) is type(names["agent_test_case"])
    assert json.loads(Path("test_case.json").read_text(encoding="utf-8")) == names["case_dict"]


def _after_results(names: Namespace, printed: str, variant: Variant) -> None:
    reason = f"评估原因: {names['metric'].reason}".splitlines()
    dimensions = ("任务完成度", "信息准确性", "工具适当性", "参数准确性", "依赖感知", "并行效率")
    aggregates = ("任务完成分数", "工具选择分数", "规划效率分数")
    assert printed.splitlines() == [
        f"最终分数: {variant.scores[11]:.3f}",
        "评估成功: True",
        *(
            f"{label}: {mark}/10"
            for label, mark in zip((*dimensions, *aggregates), variant.marks, strict=True)
        ),
        "Schema合规性: 100.00%",
        "工具名称有效率: 100.00%",
        "执行成功率: 100.00%",
        "有效调用失败率: 0.00%",
        "规划JSON合规性: 100.00%",
        "使用服务器数量: 2",
        "跨服务器协调: True",
        "服务器分布: {'weather_server': 1, 'lifestyle_server': 1}",
        *reason,
    ]


def _after_unified_case(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["score"] == pytest.approx(variant.scores[12])
    assert names["agent_test_case"].agent_id == "my_agent"


def _after_error_handling(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["metric"].score == pytest.approx(variant.scores[15])


def _after_batch(names: Namespace, printed: str, variant: Variant) -> None:
    cases = names["agent_test_cases"]
    one_by_one = [names["metric"].measure(case) for case in cases]
    assert printed == ""
    assert len(set(one_by_one)) == len(cases)
    assert asyncio.run(names["batch_evaluation"](cases)) == one_by_one
    saved = json.loads(Path("test_cases.json").read_text(encoding="utf-8"))
    assert saved == names["test_cases_data"]
    assert [type(cases[0]).from_dict(data) for data in saved] == cases


def _after_optimized_batch(names: Namespace, printed: str, variant: Variant) -> None:
    cases = names["agent_test_cases"]
    one_by_one = [names["metric"].measure(case) for case in cases if case.validate() == []]
    assert printed == ""
    assert len(one_by_one) == len(cases) - 1
    assert asyncio.run(names["optimized_batch_evaluation"](cases)) == one_by_one


def _after_large_file(names: Namespace, printed: str, variant: Variant) -> None:
    cases = names["agent_test_cases"]
    Path("cases.jsonl").write_text("".join(f"{case.to_json()}\n" for case in cases), "utf-8")
    assert printed == ""
    found = list(names["process_large_dataset"]("cases.jsonl"))
    assert found == [names["metric"].measure(case) for case in cases]


def _after_nothing_to_see(names: Namespace, printed: str, variant: Variant) -> None:
    assert printed == ""
    assert names["agent_test_case"].agent_id == "my_agent"


CHECKS: dict[int, Callable[[Namespace, str, Variant], None]] = {
    4: _after_first_use,
    5: _after_conversion,
    6: _after_plain_cases,
    7: _after_async_use,
    8: _after_statistics,
    9: _after_conversation,
    10: _after_saving,
    11: _after_results,
    12: _after_unified_case,
    13: _after_nothing_to_see,
    14: _after_nothing_to_see,
    15: _after_error_handling,
    16: _after_batch,
    17: _after_optimized_batch,
    18: _after_large_file,
}


@pytest.mark.parametrize("variant", VARIANTS, indirect=True)
def test_the_document_runs(
    variant: Variant, blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(blocks) == BLOCKS
    assert {*CLASS_LISTINGS, *CHECKS} == set(range(1, BLOCKS + 1))
    names: Namespace = dict.fromkeys(GIVEN_NAMES, TOOLS)
    for number, check in CHECKS.items():
        exec(_runnable(number, blocks[number - 1]), names)
        check(names, capsys.readouterr().out, variant)
        if number == RETURNS_AT_TOP_LEVEL:
            names["agent_test_cases"] = _a_batch(variant)


def _runnable(number: int, block: str) -> str:
    if number == ELIDED:
        for elided, meant in FILLED_IN.items():
            assert elided in block
            block = block.replace(elided, meant)
    if number == RETURNS_AT_TOP_LEVEL:
        block = f"def as_a_function():\n{textwrap.indent(block, '    ')}\nas_a_function()"
    return block


def _a_batch(variant: Variant) -> list[Any]:
    """Three cases that score differently; the last one does not validate."""
    good = ToolExecutionResult("weather_query", {"location": "北京"}, success=True)
    failed = ToolExecutionResult("weather_query", {"location": "上海"}, error_message="down")
    unknown = ToolExecutionResult("nope", {})
    return [
        variant.agent_test_case(
            input="用户请求",
            actual_output="最终回答",
            execution_data=MCPExecutionData(calls),
            available_tools=TOOLS,
        )
        for calls in ([good], [good, failed], [unknown])
    ]


@pytest.mark.parametrize("number", CLASS_LISTINGS)
def test_listed_fields_are_ours(number: int, blocks: list[str]) -> None:
    listed = _listed_fields(blocks[number - 1])
    ours = _own_fields(CLASS_LISTINGS[number])
    assert listed == {name: ours[name] for name in listed}


def test_listed_order_is_ours(blocks: list[str]) -> None:
    for number, cls in CLASS_LISTINGS.items():
        listed = list(_listed_fields(blocks[number - 1]))
        assert list(inspect.signature(cls).parameters)[: len(listed)] == listed


def _listed_fields(listing: str) -> dict[str, object]:
    """Field names and defaults of a class listing, MISSING where there is no default."""
    body = listing if "def __init__" not in listing else f"{listing.rstrip()}: ..."
    (cls,) = (node for node in ast.parse(body).body if isinstance(node, ast.ClassDef))
    found: dict[str, object] = {}
    for node in cls.body:
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            defaults = [ast.literal_eval(default) for default in node.args.defaults]
            missing = [MISSING] * (len(names) - len(defaults))
            found |= dict(zip(names, [*missing, *defaults], strict=True))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = MISSING if node.value is None else ast.literal_eval(node.value)
            found[node.target.id] = value
    return found


def _own_fields(cls: Any) -> dict[str, object]:
    return {field.name: field.default for field in fields(cls)}
