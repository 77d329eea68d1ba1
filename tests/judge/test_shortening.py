"""Long texts cut to a length, the same each time, with what matters kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.shortening import share_out, shorten


def test_what_is_short_enough_is_left_alone() -> None:
    assert shorten("abc", 3, ["x"]) == "abc"
    assert shorten("", 0) == ""


def test_start_and_end_are_kept() -> None:
    assert shorten("a" * 50 + "b" * 50, 10) == "aaaaa\n[90 left out]\nbbbbb"


def test_needles_keep_their_surroundings() -> None:
    text = "a" * 1_000 + "NEEDLE" + "b" * 1_000
    short = shorten(text, 600, ["NEEDLE"])
    assert "a" * 80 + "NEEDLE" + "b" * 80 in short
    assert short.count("left out") == 2


def test_needles_that_do_not_fit_are_given_up_from_the_last() -> None:
    text = ("x" * 400).join(f"<{i}>" for i in range(20))
    short = shorten(text, 1_000, [f"<{i}>" for i in range(5, 15)])
    assert [i for i in range(5, 15) if f"<{i}>" in short] == [5, 6, 7]


@pytest.mark.parametrize("needle", ["", "absent", "aaaa"])
def test_needles_that_are_not_there_or_say_nothing_do_no_harm(needle: str) -> None:
    assert shorten("a" * 100, 10, [needle]).startswith("aaaaa")


@given(st.text(max_size=300), st.integers(0, 100), st.lists(st.text(max_size=5), max_size=5))
def test_the_text_is_never_much_longer_than_asked(
    text: str, length: int, needles: list[str]
) -> None:
    short = shorten(text, length, needles, mark="…")
    assert len(short.replace("…", "").replace("\n", "")) <= max(length, 0)
    assert short == shorten(text, length, needles, mark="…")


@pytest.mark.parametrize(
    ("needs", "total", "given_room"),
    [
        ({"a": 10, "b": 10}, 100, {"a": 10, "b": 10}),
        ({"a": 100, "b": 100}, 100, {"a": 50, "b": 50}),
        ({"a": 10, "b": 1_000}, 100, {"a": 10, "b": 90}),
        ({"a": 0, "b": 1_000}, 100, {"a": 0, "b": 100}),
        ({"a": 10, "b": 10}, 0, {"a": 0, "b": 0}),
        ({}, 100, {}),
    ],
)
def test_room_that_one_does_not_need_goes_to_the_other(
    needs: dict[str, int], total: int, given_room: dict[str, int]
) -> None:
    assert share_out(needs, {"a": 1.0, "b": 1.0}, total) == given_room


def test_room_is_shared_by_weight() -> None:
    assert share_out({"a": 999, "b": 999}, {"a": 3.0, "b": 1.0}, 100) == {"a": 75, "b": 25}


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(0, 5_000))
def test_no_more_is_shared_out_than_there_is_and_none_gets_more_than_it_needs(
    needs: list[int], total: int
) -> None:
    named = dict(enumerate(needs))
    found = share_out(named, {name: 1.0 + name for name in named}, total)
    assert found.keys() == named.keys()
    assert sum(found.values()) <= total
    assert all(found[name] <= need for name, need in named.items())
    if sum(needs) <= total:
        assert found == named
