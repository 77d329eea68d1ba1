"""A comparison in a narrow terminal: names stay whole words."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.render.comparison_table import text_table


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("success", ["success"]),
        ("environment_failure_share *", ["environment_failure_", "share *"]),
        (
            "mcp_tool/judged/dependency_awareness@evidence",
            ["mcp_tool/judged/", "dependency_", "awareness@evidence"],
        ),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
    ],
)
def test_a_long_name_is_broken_between_its_words(name: str, lines: list[str]) -> None:
    file = io.StringIO()
    table = text_table("", ("quantity", "A"), [(name, "0.292")], name_width=20)
    Console(file=file, width=40).print(table)
    first, *others = file.getvalue().splitlines()[3 : 3 + len(lines)]
    assert first.split() == [*lines[0].split(), "0.292"]
    assert [line.strip() for line in others] == lines[1:]
