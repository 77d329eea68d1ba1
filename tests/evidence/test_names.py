"""Names, guessed with caution."""

from __future__ import annotations

import pytest

from assay.evidence.names import NOT_NAMES, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It was merged by Ines Okafor.", ["Ines Okafor"]),
        ("ahead of West and North", ["West", "North"]),
        ("Done! The lamp is here.", []),
        ("We meet on Thursday in March.", []),
        ("Call Zoë Müller-Lüdenscheidt now", ["Call Zoë Müller-Lüdenscheidt"]),
        ("## Task Completed\nall fine", []),
        ("**Root Cause:** none", []),
        ("请联系顾晓彤，或由梁启明排查", ["顾晓彤", "梁启明"]),
        ("周五出发，余票 19 张", []),
        ("王经理说可以", ["王经理"]),
        ("在杭州市上城区新业路8号", ["在杭州市", "上城区", "新业路"]),
    ],
)
def test_names_in_a_text(text: str, names: list[str]) -> None:
    assert [name.text for name in names_in(text)] == names


def test_a_name_may_be_looked_up_without_its_first_word() -> None:
    (name,) = names_in("Call Zoë Müller now")
    assert name.shorter == ("Zoë Müller",)


def test_a_chinese_place_may_begin_anywhere() -> None:
    (name,) = names_in("我在杭州市")
    assert name.shorter == ("在杭州市", "杭州市")


def test_every_word_that_is_no_name() -> None:
    for word in NOT_NAMES:
        assert names_in(f"and then {word} again") == []
