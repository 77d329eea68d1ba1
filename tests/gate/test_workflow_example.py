"""The GitHub workflow in the documentation: what it runs is run on the same page."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "gate.md"


def blocks(language: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_workflow_runs_what_the_page_runs() -> None:
    (workflow,) = blocks("yaml")
    said = yaml.safe_load(workflow)
    steps = said["jobs"]["gate"]["steps"]
    commands = [step["run"] for step in steps if step.get("run", "").startswith("assay ")]
    assert commands == [
        "assay import traces --store runs.assay",
        "assay gate -o gate.xml -o comment.md",
    ]
    lines = {line for block in blocks("bash") for line in block.splitlines()}
    # The page has traces of two versions, each with a store of its own.
    run = {re.sub(r"traces/(v\d) --store \1", "traces --store runs", line) for line in lines}
    assert set(commands) <= run
