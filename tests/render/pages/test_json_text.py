"""Results for a reader: whole when short, head, tail and what was used when long."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.render.pages.json_text import JsonText, is_table, one_line


def _plain(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": 1, "b": "x"}, '{"a": 1, "b": "x"}'),
        ([1, None, True], "[\n  1,\n  null,\n  true\n]"),
        ({"a": {"b": 1}}, '{\n  "a": {"b": 1}\n}'),
        ({}, "{}"),
        ("plain text", "plain text"),
        ({"t": "tab\there"}, '{"t": "tab\\there"}'),
        (["long " * 20 + "\nline"], '[\n  "' + "long " * 20 + '\nline"\n]'),
    ],
)
def test_values_are_pretty(value: Any, shown: str) -> None:
    assert _plain(JsonText().write(value)) == shown


def test_a_short_value_is_marked_whole_and_once() -> None:
    text = JsonText({"$.fare": {"€187": "v1", "187": "v2"}})
    assert '<mark id="v1">187</mark>' in text.write({"fare": 187})
    assert text.placed == {("$.fare", "€187"): "v1", ("$.fare", "187"): "v1"}


def test_in_a_long_text_only_what_was_taken_is_marked() -> None:
    said = "The hotel costs 2,744 euros for two nights, and breakfast is 18 each." * 2
    text = JsonText({"$": {"€2,744": "v1", "18": "v2", "nothing of it": "v3"}})
    shown = text.write(said)
    assert '<mark id="v1">2,744</mark>' in shown
    assert '<mark id="v2">18</mark>' in shown
    assert ("$", "nothing of it") not in text.placed


def test_texts_that_overlap_share_a_mark() -> None:
    text = JsonText({"$": {"12 March 2026": "v1", "March 2026": "v2"}})
    shown = text.write("It was booked on 12 March 2026, a Thursday.")
    assert shown.count("<mark") == 1
    assert {*text.placed.values()} == {"v1"}


def test_what_is_left_out_is_counted_and_what_is_marked_is_kept() -> None:
    text = JsonText({"$[7000].id": {"X-7000": "v1"}}, room=2_000)
    shown = _plain(text.write([{"id": f"X-{i}"} for i in range(10_000)]))
    assert "X-7000" in shown
    assert "X-9999" in shown
    gaps = [int(n.replace(",", "")) for n in re.findall(r"… ([\d,]+) more …", shown)]
    assert sum(gaps) + shown.count('"id"') == 10_000
    assert text.left_out == sum(gaps)


def test_the_middle_of_a_long_text_is_left_out_but_not_what_was_used() -> None:
    said = "a" * 1_000_000 + " needle-424242 " + "b" * 1_000_000
    text = JsonText({"$": {"needle-424242": "v1"}}, room=4_000)
    shown = text.write(said)
    assert len(shown) < 6_000
    assert '<mark id="v1">needle-424242</mark>' in shown
    told = sum(int(n.replace(",", "")) for n in re.findall(r"… ([\d,]+) characters …", shown))
    assert told == text.left_out
    without_gaps = re.sub(r'\n<span class="muted">[^<]*</span>\n', "", shown)
    assert told + len(_plain(without_gaps)) == len(said)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON)
def test_nothing_that_is_written_is_markup_of_strangers(value: Any) -> None:
    shown = JsonText({"$": {"x": "v1"}}).write(value)
    rest = re.sub(r'<span class="(k|muted)">|</span>|<mark id="v1">|</mark>', "", shown)
    assert "<" not in rest
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e]", shown)


@pytest.mark.parametrize(
    ("value", "yes"),
    [
        ([{"a": 1, "b": "x"}] * 3, True),
        ([{"a": 1}] * 2, False),
        ([{"a": 1}, {"b": 1}, {"a": 1}], False),
        ([{"a": [1]}] * 3, False),
        ([{"a": "x" * 81}] * 3, False),
        ([{}] * 3, False),
        ([1, 2, 3], False),
        ({"a": 1}, False),
        ([], False),
    ],
)
def test_alike_objects_are_a_table(value: Any, *, yes: bool) -> None:
    assert is_table(value) is yes


def test_a_table_marks_what_was_used_and_counts_the_rest() -> None:
    text = JsonText({"$[700].n": {"1,400": "v1"}}, room=4_000)
    shown = text.write_table([{"name": f"<b>{i}", "n": 2 * i} for i in range(1_000)])
    assert '<td class="n"><mark id="v1">1400</mark></td>' in shown
    assert "<td>&lt;b&gt;0</td>" in shown
    assert shown.count('<td class="n">') + text.left_out == 1_000


def test_deep_and_absurd_values_end() -> None:
    deep: Any = "end"
    for _ in range(500):
        deep = [deep]
    assert "…" in JsonText().write(deep)
    assert JsonText().write(10**5000) == "(a number of absurd size)"
    assert len(JsonText(room=1_000).write({f"key {i}": "v" * 50 for i in range(9_999)})) < 8_000


def test_arguments_on_one_line() -> None:
    assert one_line({"city": "Oslo", "days": 2}) == 'city: "Oslo", days: 2'
    assert one_line("x" * 500).endswith("…")
    assert len(one_line({str(i): "y" * 200 for i in range(99)})) == 120
