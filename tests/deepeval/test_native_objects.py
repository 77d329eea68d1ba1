"""Native objects handed to deepeval: told what to do, and otherwise ordinary objects."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from tests.deepeval.runs import TOOLS, seed_fields

import assay
from assay.errors import NativeObject

NATIVE = {
    "case": assay.AgentTestCase(**seed_fields()),
    "plain case": assay.LLMTestCase("q", "a"),
    "metric": assay.MCPToolMetric(available_tools=TOOLS),
}


def hand_over(function: str, case: Any, metric: Any, *, run_async: bool) -> None:
    deepeval = pytest.importorskip("deepeval.evaluate")
    if function == "evaluate":
        deepeval.evaluate([case], [metric], async_config=deepeval.AsyncConfig(run_async=run_async))
    else:
        deepeval.assert_test(case, [metric], run_async=run_async)


@pytest.mark.parametrize("run_async", [True, False], ids=["async", "sync"])
@pytest.mark.parametrize("function", ["evaluate", "assert_test"])
@pytest.mark.parametrize("native", ["case", "plain case", "metric", "case and metric"])
def test_deepeval_says_what_to_do_with_a_native_object(
    native: str, function: str, *, run_async: bool
) -> None:
    pytest.importorskip("deepeval")
    case: Any = NATIVE["plain case" if native == "plain case" else "case"]
    metric: Any = NATIVE["metric"]
    if "case" not in native:
        case = case.to_deepeval()
    if "metric" not in native:
        metric = metric.to_deepeval()
    with pytest.raises(NativeObject, match=r"assay\.deepeval, or .* \.to_deepeval\(\)"):
        hand_over(function, case, metric, run_async=run_async)


@pytest.mark.parametrize("native", ["case", "plain case"])
def test_a_dataset_of_deepevals_says_what_to_do_with_a_native_case(native: str) -> None:
    dataset = pytest.importorskip("deepeval.dataset").EvaluationDataset()
    with pytest.raises(NativeObject, match=r"\.to_deepeval\(\)"):
        dataset.add_test_case(NATIVE[native])
    assert dataset.test_cases == []


class Judge:
    """A model that is never asked."""

    def __new__(cls) -> Any:
        base = pytest.importorskip("deepeval.models").DeepEvalBaseLLM
        methods = ("load_model", "generate", "a_generate", "get_model_name")
        return type("Judge", (base,), dict.fromkeys(methods, lambda self: "judge"))()


@pytest.mark.parametrize("native", ["case", "plain case"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ToolPermissionMetric", {"allowed_tools": ["weather"]}),
        ("ToolCorrectnessMetric", {}),
        ("ArgumentCorrectnessMetric", {}),
        ("MCPUseMetric", {}),
        ("TaskCompletionMetric", {}),
        ("AgentLoopDetectionMetric", {}),
    ],
)
def test_deepevals_metrics_say_what_to_do_with_a_native_case(
    name: str, options: dict[str, Any], native: str
) -> None:
    kind = getattr(pytest.importorskip("deepeval.metrics"), name, None)
    if kind is None:
        pytest.skip(f"this deepeval has no {name}")
    if "model" in inspect.signature(kind).parameters:
        options = {**options, "model": Judge()}
    with pytest.raises(NativeObject, match=r"\.to_deepeval\(\)"):
        kind(**options).measure(NATIVE[native])


@pytest.mark.parametrize("name", NATIVE)
def test_a_native_object_is_otherwise_ordinary(name: str) -> None:
    thing: Any = NATIVE[name]
    assert thing.__class__ is type(thing)
    assert isinstance(thing, type(thing))
    assert not isinstance(thing, str | int | dict)
    assert not hasattr(thing, "expectations")
    assert getattr(thing, "__name__", "none") == "none"
    with pytest.raises(AttributeError, match="has no attribute 'mcp_servers'"):
        _ = thing.mcp_servers
    assert type(copy.copy(thing)) is type(copy.deepcopy(thing)) is type(thing)
    assert type(pickle.loads(pickle.dumps(thing))) is type(thing)


@pytest.mark.parametrize("name", ["case", "plain case"])
def test_a_native_case_is_a_dataclass_as_any_other(name: str) -> None:
    case: Any = NATIVE[name]
    assert copy.copy(case) == copy.deepcopy(case) == pickle.loads(pickle.dumps(case)) == case
    assert replace(case, input="other") != case
    assert list(asdict(case)) == [field.name for field in fields(case)]


def test_only_the_evaluating_part_of_deepeval_is_told() -> None:
    """Its tracing looks at whatever passes through a traced function."""
    tracing = pytest.importorskip("deepeval.tracing")
    summary = tracing.observe()(assay.AgentTestCase.get_execution_summary)
    assert summary(NATIVE["case"]).startswith("Total rounds: 1")


def test_a_derived_metric_has_no_counterpart() -> None:
    pytest.importorskip("deepeval")

    class Lenient(assay.MCPToolMetric):
        """A metric with a mind of its own."""

    with pytest.raises(NativeObject, match=r"derive it from assay\.deepeval\.MCPToolMetric"):
        Lenient().to_deepeval()


WITHOUT_DEEPEVAL = """
import sys
sys.modules["deepeval"] = None
import assay
from assay.errors import MissingExtra

def problem(action):
    try:
        action()
    except MissingExtra as missing:
        return str(missing)

def import_bridge():
    import assay.deepeval

for action in (import_bridge, assay.AgentTestCase("q", "a").to_deepeval,
               assay.LLMTestCase("q", "a").to_deepeval, assay.MCPToolMetric().to_deepeval):
    print(problem(action))
"""


def test_without_deepeval_the_bridge_says_how_to_install_it() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_DEEPEVAL],
        capture_output=True,
        text=True,
        check=True,
    )
    sentence = (
        "This needs 'deepeval', which is not installed. "
        "Install it with: pip install 'assay[deepeval]' (in a clone: pip install '.[deepeval]')"
    )
    assert done.stdout.splitlines() == [sentence] * 4
