"""What an agent may choose by itself, field by field and call by call."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.own_choices import is_id_field, is_trivial, names_new_thing, names_place
from assay.evidence.provenance import trace_arguments


@pytest.mark.parametrize(
    ("size", "field", "trivial"),
    [
        (7, "amount", True),
        (45, "top_k", True),
        (37, "pageSize", True),
        (37, "max_results", True),
        (20_000, "max_output_tokens", True),
        (50, "duration", True),
        (50, "amount", False),
        (45, "max_price", False),
        (43, "duration", False),
        (0.5, "threshold", True),
        (0.53, "threshold", False),
    ],
)
def test_numbers_that_say_nothing(size: float, field: str, trivial: bool) -> None:
    assert is_trivial(float(size), field) is trivial


def test_fields_are_known_by_their_names() -> None:
    assert is_id_field("orderId")
    assert is_id_field("order_number")
    assert not is_id_field("number")
    assert not is_id_field("orders")
    assert names_new_thing("new_title")
    assert names_place("filePath")
    assert not names_place("content")


def status_of(prompt: str, tool: str, arguments: Any, *, failed: bool = False) -> list[str]:
    case = run(prompt, call(tool, arguments, "ok", failed=failed))
    return [value.status for value in trace_arguments(case).values]


@pytest.mark.parametrize(
    ("prompt", "tool", "arguments", "statuses"),
    [
        # A new file may be called anything; what is written as code is its maker's work.
        ("Write a game.", "create_file", {"path": "/srv/game_2048.py"}, ["unchecked"]),
        (
            "Write a page.",
            "write_file",
            {"path": "index.html", "content": '<meta charset="UTF-8"> see http://x.example/a9'},
            ["unchecked", "unchecked"],
        ),
        # The folder that all is done in goes without saying; what could be read is there.
        ("Read src/main.py.", "read_file", {"path": "/srv/app/src/main.py"}, ["derived"]),
        ("Read src/main.py.", "read_file", {"path": "/srv/app/src/other.py"}, ["unchecked"]),
        (
            "Stars of abc-inc/some-sdk?",
            "fetch",
            {"url": "https://github.com/abc-inc/some-sdk"},
            ["derived"],
        ),
        # A file that a command makes is its own.
        ("Try it out.", "bash", {"command": "echo hi > out/first.txt"}, ["unchecked"]),
        ("Try it out.", "bash", {"command": "cat out/first.txt"}, ["unchecked"]),
        # What a command says is its own too.
        ("Try it out.", "bash", {"command": "echo 'run42' | wc"}, ["unchecked"]),
        # An id never is another number in another unit.
        ("It took 0.47 of it.", "get", {"meeting_id": 47}, ["nowhere"]),
        # What was asked is not recorded: then nothing can be said to come from nowhere.
        ("", "get_order", {"order_id": "SO-10412"}, ["unchecked"]),
    ],
)
def test_where_it_came_from(prompt: str, tool: str, arguments: Any, statuses: list[str]) -> None:
    assert status_of(prompt, tool, arguments) == statuses


def test_a_place_that_was_refused_was_no_choice() -> None:
    assert status_of("Edit it.", "edit_file", {"path": "/a/b.txt"}, failed=True) == ["nowhere"]
