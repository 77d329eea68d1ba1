"""Source folders measured: counted by hand, never run."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from assay.errors import InvalidRecord
from assay.metrics.chatbot import ChatbotEvaluator, SourceMeasure, measure_source

if TYPE_CHECKING:
    from pathlib import Path

AGENT = '''
    """What the agent does."""
    import os
    import google.adk
    from tools.weather import current
    raise SystemExit("this must never run")


    def answer(question):
        """Two ifs and an and: four paths."""
        if question and os.name:
            return current(
                question,
            )
        if not question:
            return None

        def inner():  # has its own path
            return 1

        return inner()
'''
TOOL = """
    import httpx

    current = httpx.get
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in {"agent.py": AGENT, "tools/weather.py": TOOL, "broken.py": "def"}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    hidden = tmp_path / ".venv"
    hidden.mkdir()
    (hidden / "big.py").write_text("x = 1\n")
    return tmp_path


def test_counts_by_hand(source: Path) -> None:
    assert measure_source(source) == SourceMeasure(
        files=2,
        lines=16,
        functions=2,
        imports=4,
        complexity=2.5,
        most_complex=4,
        dependencies=("google", "httpx"),
        unread=1,
    )


def test_an_empty_folder_has_no_complexity(tmp_path: Path) -> None:
    assert measure_source(tmp_path) == SourceMeasure(0, 0, 0, 0, None, None, (), 0)


def test_a_folder_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match="expected a folder of Python source"):
        measure_source(tmp_path / "none")


def test_what_was_measured_stands_in_place_of_what_was_asserted(source: Path) -> None:
    evaluator = ChatbotEvaluator(sources={"GADK": source, "mine": source})
    # Two files, two packages, 2.5 paths a function: low, low. 1 - (0.5 - 0.2 - 0.15 - 0.15)
    assert evaluator._evaluate_implementation_effort("GADK")["score"] == 1.0
    assert evaluator._evaluate_implementation_effort("mine")["score"] == 1.0
    # What cannot be counted stays as the seed asserts it, or unknown.
    assert evaluator._evaluate_integration_simplicity("GADK")["score"] == 0.8
    assert evaluator._evaluate_integration_simplicity("mine")["applicable"] is False
