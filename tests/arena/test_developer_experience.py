"""What the two weather assistants take: counted from their source, as the documentation says."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.arena.entrants import entrants
from assay.arena.running import evaluator_for

if TYPE_CHECKING:
    from assay.metrics.chatbot import SourceMeasure

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/chatbot-metrics.md"
FRAMEWORKS = {"weather-adk": "google.adk", "weather-agent-framework": "agent_framework"}


def measured(label: str) -> SourceMeasure:
    entered = entrants([label], model=None, base_url=None, scripted_url="http://127.0.0.1:1")
    found = evaluator_for(entered).traits[label].measure
    assert found is not None
    return found


@pytest.mark.parametrize("label", FRAMEWORKS)
def test_a_label_with_a_model_is_known_all_the_same(label: str) -> None:
    named = f"{label}=scripted-good"
    entered = entrants([named], model=None, base_url=None, scripted_url="http://127.0.0.1:1")
    judged = evaluator_for(entered).evaluate_response("hi", "hello", named)
    for metric in ("implementation_effort", "integration_simplicity", "debuggability"):
        assert judged[metric]["applicable"]
    assert judged["implementation_effort"]["measured"] == ["files", "setup", "code"]
    assert judged["debuggability"]["asserted"] == ["errors", "logging", "documentation"]


def test_the_documented_counts_are_those_of_the_source() -> None:
    page = PAGE.read_text(encoding="utf-8")
    adk, maf = map(measured, FRAMEWORKS)
    rows = {
        "files, lines of code": [f"{m.files}, {m.lines}" for m in (adk, maf)],
        "functions, mean paths, most": [
            f"{m.functions}, {m.complexity:.1f}, {m.most_complex}" for m in (adk, maf)
        ],
        "modules imported": [f"{m.imports}" for m in (adk, maf)],
    }
    for name, cells in rows.items():
        assert f"| {name} | {' | '.join(cells)} |" in page


# What the source imports, and what the extra asks for beside it.
PACKAGES = {
    "weather-adk": ("google-adk", "google-genai", "openai"),
    "weather-agent-framework": ("agent-framework-core", "agent-framework-openai"),
}


@pytest.mark.parametrize(("label", "module"), FRAMEWORKS.items())
def test_the_install_is_weighed_where_there_is_one(label: str, module: str) -> None:
    if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    installed = measured(label).installed
    assert installed is not None
    assert installed.direct == PACKAGES[label]
    assert installed.packages > len(installed.direct)
    assert installed.bytes > 10_000_000
