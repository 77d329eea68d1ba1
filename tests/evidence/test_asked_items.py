"""The things a user named exactly, and which of them count as asked for."""

from __future__ import annotations

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.asked_items import asked_items, never_reached
from assay.evidence.findings import find_problems
from assay.evidence.words import phrase_of


def missed(prompt: str, *calls: str) -> list[str]:
    found = never_reached(asked_items([prompt]), map(phrase_of, calls))
    return [item.atom.text for item in found]


@pytest.mark.parametrize(
    "prompt",
    [
        "Put it into a file, e.g. `out.csv`.",
        "Months look such as '2009-01' here.",
        "For example, `a-1` is one.",
        "You can use `apt-get install`, or for Python `pip install`.",
        "Do not touch `main.py`.",
        "Never call `reset-42`.",
        "Prefer `open` instead of `cat`.",
        "Run it as `python <script_name>.py`.",
        "Write `picoCTF{...}`.",
        "See `/path/to/it.txt`.",
        "It is [told here](https://example.com/a/b).",
        "(Current directory: /testbed/x)",
        "不要修改 `config.yaml`。",
        "不要取消ＯＲＤ－１２３４５。请看一下。",
    ],
)
def test_examples_means_and_what_is_to_be_left_alone_are_not_asked_for(prompt: str) -> None:
    assert asked_items([prompt]) != []
    assert missed(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "item"),
    [
        ("Do not wait. Cancel `SO-10412`.", "SO-10412"),
        ("For example one is old. Please read `main.py`.", "main.py"),
        ("Can you send 'Report Q3' to all?", "Report Q3"),
        ("See https://example.com/a/b for it.", "https://example.com/a/b"),
        ("Create a table called `sales`.", "sales"),
        ("请取消ＯＲＤ－１２３４５。不要删除别的。", "ORD-12345"),
    ],
)
def test_what_is_asked_for_is_missed(prompt: str, item: str) -> None:
    assert missed(prompt) == [item]


def test_what_is_named_first_as_an_example_stays_one() -> None:
    assert missed('Find it, such as a.png, by this: find "a.png"') == []


@pytest.mark.parametrize(
    ("prompt", "called"),
    [
        ("Use `EXPLAIN ANALYZE`.", 'explain_query {"analyze": true}'),
        ("Make `is_owner(channel_id, user_id)`.", "create function is_owner(p_channel uuid)"),
        ("It is at https://x.example.com/src/fields.py#L14.", "open src/fields.py"),
        ("End with `submit`.", "submit {}"),
    ],
)
def test_a_call_may_say_it_in_other_words(prompt: str, called: str) -> None:
    assert missed(prompt, called) == []
    assert missed(prompt, "other") != []


def test_words_of_several_calls_make_no_item() -> None:
    assert missed("Use `EXPLAIN ANALYZE`.", "explain it", "analyze it") == ["EXPLAIN ANALYZE"]


def test_an_example_is_neither_missing_nor_counted() -> None:
    prompt = "Return SO-10412 and SO-10413. Ids look like that, e.g. SO-99999."
    case = run(prompt, call("create_return", {"order": "SO-10412"}, {"id": "RT-1"}))
    found = find_problems(case)
    assert found.signals["asked_items_missing"] == 0.5
    assert [finding.text for finding in found.found] == [
        "1 of 2 things the prompt names are in the arguments of no call that succeeded: SO-10413."
    ]
    only = run("Ids look so: e.g. SO-99999.", call("list_orders", {}, ["SO-1"]))
    assert find_problems(only).signals["asked_items_missing"] is None


def test_a_code_may_be_sent_in_one_piece() -> None:
    asked = "Send it to DK50 0040 0440 1162 43."
    assert missed(asked, "DK5000400440116243") == []
    assert missed(asked, "DK5000400440116342") == ["DK50 0040 0440 1162 43"]
