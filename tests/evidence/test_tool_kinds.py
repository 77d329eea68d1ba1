"""A tool's name tells how to read what it says."""

from __future__ import annotations

import pytest

from assay.evidence.tool_kinds import kind_of_tool


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Bash", "command"),
        ("run_command", "command"),
        ("execute_python", "command"),
        ("execute_sql", "other"),
        ("validate_code", "other"),
        ("read_file", "content"),
        ("webSearch", "content"),
        ("cancel_order", "stopper"),
        ("get_weather", "other"),
        ("", "other"),
    ],
)
def test_what_a_tools_name_promises(name: str, kind: str) -> None:
    assert kind_of_tool(name) == kind
