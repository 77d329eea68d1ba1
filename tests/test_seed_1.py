"""Every Python block of the seed document runs as it stands, and says what it should.

Of the eighteen blocks three only list classes (they are compared with ours), one leaves fields
out with an ellipsis (they are filled in), and one returns at top level (it is run as the body
of a function). The other thirteen are run word for word, with their own import lines, in a program
of their own: with deepeval and without it.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
import textwrap
from contextlib import redirect_stdout
from dataclasses import MISSING, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPExecutionData, RunOutcome, ToolExecutionResult
from assay.metrics.mcp_tool.result import MEASURED_RATES
from assay.metrics.tool_use import RATES

if TYPE_CHECKING:
    from collections.abc import Callable

    Namespace = dict[str, Any]

PROJECT = Path(__file__).resolve().parents[1]
BLOCKS = 18
CLASS_LISTINGS: dict[int, Any] = {1: AgentTestCase, 2: MCPExecutionData, 3: ToolExecutionResult}
PRINTS_RESULTS = 11
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


# Everything measured is 1 in every sample that can be scored, and so is all that the evidence
# judges: each scores 1. The nine marks are those of the first sample, by judge; of its task
# nothing can be judged, and a mark that was not given prints as 0.
SCORE = 1.0
MARKS = {"evidence": (0.0, *(10.0,) * 8), "none": (0.0,) * 9}
WITHOUT_DEEPEVAL = "import sys; sys.modules['deepeval'] = None"


def _after_first_use(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    metric = names["metric"]
    assert printed == ""
    assert names["score"] == pytest.approx(SCORE)
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


def _after_conversion(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert isinstance(names["llm_test_case"], names["LLMTestCase"])
    assert isinstance(names["agent_test_case"], names["AgentTestCase"])
    assert names["agent_test_case"].actual_output == "今天晴天22°C"
    assert names["score"] == pytest.approx(SCORE)


def _after_plain_cases(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    metric = names["metric"]
    assert printed == ""
    # The text names a call, and nobody recorded how it went.
    assert names["score"] is None
    assert (metric.score, metric.success) == (0.0, False)
    assert metric.reason.startswith("Not judged (shown as 0): task_fulfillment, ")
    assert "it is not known whether the calls succeeded" in metric.reason
    assert metric.score_breakdown["execution_success_rate"] is None
    assert metric.server_count == 0


def _after_async_use(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["score"] == pytest.approx(SCORE)


def _after_statistics(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
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


def _after_conversation(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["conversation"] == "USER: 请继续\nASSISTANT: 好的，我继续执行"


def _after_saving(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["errors"] == []
    assert names["restored_case"] == names["agent_test_case"]
    assert type(names["restored_case"]) is type(names["agent_test_case"])
    assert json.loads(Path("test_case.json").read_text(encoding="utf-8")) == names["case_dict"]


def _after_results(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    reason = f"评估原因: {names['metric'].reason}".splitlines()
    dimensions = ("任务完成度", "信息准确性", "工具适当性", "参数准确性", "依赖感知", "并行效率")
    aggregates = ("任务完成分数", "工具选择分数", "规划效率分数")
    assert printed.splitlines() == [
        f"最终分数: {SCORE:.3f}",
        "评估成功: True",
        *(
            f"{label}: {mark}/10"
            for label, mark in zip((*dimensions, *aggregates), marks, strict=True)
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


def _after_unified_case(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["score"] == pytest.approx(SCORE)
    assert names["agent_test_case"].agent_id == "my_agent"


def _after_error_handling(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["metric"].score == pytest.approx(SCORE)


def _after_batch(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    cases = names["agent_test_cases"]
    one_by_one = [names["metric"].measure(case) for case in cases]
    assert printed == ""
    assert len(set(one_by_one)) == len(cases)
    assert asyncio.run(names["batch_evaluation"](cases)) == one_by_one
    saved = json.loads(Path("test_cases.json").read_text(encoding="utf-8"))
    assert saved == names["test_cases_data"]
    assert [type(cases[0]).from_dict(data) for data in saved] == cases


def _after_optimized_batch(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    *agents_mistakes, without_input = names["agent_test_cases"]
    one_by_one = [names["metric"].measure(case) for case in agents_mistakes]
    assert printed == ""
    assert without_input.validate() == ["Input cannot be empty"]
    batch = names["optimized_batch_evaluation"](names["agent_test_cases"])
    assert asyncio.run(batch) == one_by_one


def _after_large_file(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    cases = names["agent_test_cases"]
    Path("cases.jsonl").write_text("".join(f"{case.to_json()}\n" for case in cases), "utf-8")
    assert printed == ""
    found = list(names["process_large_dataset"]("cases.jsonl"))
    assert found == [names["metric"].measure(case) for case in cases]


def _after_nothing_to_see(names: Namespace, printed: str, marks: tuple[float, ...]) -> None:
    assert printed == ""
    assert names["agent_test_case"].agent_id == "my_agent"


CHECKS: dict[int, Callable[[Namespace, str, tuple[float, ...]], None]] = {
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


def run_document(page: str, judge: str, *, with_deepeval: bool) -> None:
    """Run all blocks in one namespace, as a reader would, and look at each of them."""
    for name in ("evaluators.test_case.AgentTestCase", "evaluators.metrics.mcp_tool.MCPToolMetric"):
        packages = {base.__module__.partition(".")[0] for base in pkgutil.resolve_name(name).mro()}
        assert ("deepeval" in packages) is with_deepeval
    blocks = _blocks_of(Path(page))
    names: Namespace = dict.fromkeys(GIVEN_NAMES, TOOLS)
    for number, check in CHECKS.items():
        check(names, _printed_by(_runnable(number, blocks[number - 1]), names), MARKS[judge])
        if number == RETURNS_AT_TOP_LEVEL:
            names["agent_test_cases"] = _a_batch(names["AgentTestCase"])
    for case in _cases_that_lack_something(names):
        names["metric"].measure(case)
        _look_at_the_numbers(_printed_by(blocks[PRINTS_RESULTS - 1], names), names["metric"])


def _blocks_of(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == BLOCKS
    assert {*CLASS_LISTINGS, *CHECKS} == set(range(1, BLOCKS + 1))
    return blocks


def _printed_by(block: str, names: Namespace) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        exec(block, names)
    return printed.getvalue()


def _runnable(number: int, block: str) -> str:
    if number == ELIDED:
        for elided, meant in FILLED_IN.items():
            assert elided in block
            block = block.replace(elided, meant)
    if number == RETURNS_AT_TOP_LEVEL:
        block = f"def as_a_function():\n{textwrap.indent(block, '    ')}\nas_a_function()"
    return block


def _a_batch(agent_test_case: Any) -> list[Any]:
    """Cases that score differently; of the last the record is wrong, of the others the agent.

    Each was recorded as passed, since the scores of suspect runs are capped, and equal then.
    """
    good = ToolExecutionResult("weather_query", {"location": "北京"}, success=True)
    failed = ToolExecutionResult("weather_query", {"location": "上海"}, error_message="down")
    unknown = ToolExecutionResult("nope", {})
    no_object = ToolExecutionResult("weather_query", '{"location": ', error_message="no JSON")
    return [
        agent_test_case(
            input=text,
            actual_output="最终回答",
            execution_data=MCPExecutionData(calls),
            available_tools=TOOLS,
            outcome=RunOutcome(success=True),
        )
        for text, calls in (
            ("用户请求", [good]),
            ("用户请求", [good, failed]),
            ("用户请求", [unknown]),
            ("用户请求", [good, no_object]),
            ("", [good, unknown, unknown]),
        )
    ]


def _cases_that_lack_something(names: Namespace) -> list[Any]:
    """What a case may lack: recorded calls, any calls, tools on offer, a plan."""
    call = ToolExecutionResult("weather_query", {"location": "北京"}, "晴天", success=True)
    texts = ("今天晴天22°C", "[调用工具: weather_query] ...", "[调用工具: weather_query] 失败")
    data = (
        MCPExecutionData([call]),
        MCPExecutionData([call], planning_json_compliance=None),
        MCPExecutionData([]),
        MCPExecutionData([], planning_json_compliance=None),
    )
    return [
        *(names["LLMTestCase"](input="查询天气", actual_output=text) for text in texts),
        *(names["AgentTestCase"]("查询天气", text, available_tools=TOOLS) for text in texts),
        *(names["AgentTestCase"]("查询天气", "晴天", execution_data=calls) for calls in data),
    ]


def _look_at_the_numbers(printed: str, metric: Any) -> None:
    """Nothing that was not measured reads like a measured fault, and the reason begins with it."""
    assert "None" not in printed
    breakdown = metric.score_breakdown
    rates = re.findall(r"(?:性|有效率|成功率|失败率): (\S+)$", printed, re.MULTILINE)[-5:]
    assert rates == [
        "n/a" if breakdown[name] is None else f"{breakdown[name]:.2%}" for name in MEASURED_RATES
    ]
    assert "评估原因: Not judged (shown as 0): " in printed
    if "n/a" in rates:
        assert re.search(r"^Not measured \(shown as n/a\): ", printed, re.MULTILINE)


@pytest.mark.parametrize("judge", MARKS)
@pytest.mark.parametrize("with_deepeval", [True, False], ids=["with deepeval", "without deepeval"])
def test_the_document_runs(
    judge: str, shared: Callable[..., Path], tmp_path: Path, *, with_deepeval: bool
) -> None:
    if with_deepeval and find_spec("deepeval") is None:
        pytest.skip("deepeval is not installed")
    page = shared("seeds", "001-mcp-tool-metric.txt")
    arguments = f"{str(page)!r}, {judge!r}, with_deepeval={with_deepeval}"
    run = f"from tests.test_seed_1 import run_document; run_document({arguments})"
    environment = os.environ | {
        "ASSAY_JUDGE": judge,
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "PYTHONPATH": str(PROJECT),
    }
    done = subprocess.run(
        [sys.executable, "-c", run if with_deepeval else f"{WITHOUT_DEEPEVAL}; {run}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def blocks(shared: Callable[..., Path]) -> list[str]:
    return _blocks_of(shared("seeds", "001-mcp-tool-metric.txt"))


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
