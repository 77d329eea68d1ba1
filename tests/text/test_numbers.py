from __future__ import annotations

import pytest

from assay.text.numbers import (
    all_values,
    is_calculated,
    is_shown,
    numbers_in,
    parse_number,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", 1234.5),
        ("$89.9", 89.9),
        ("89,90", 89.9),
        ("1.234,50", 1234.5),
        ("-3", -3.0),
        ("12 %", 12.0),
        ("1e5", None),
        ("10,2", None),
        ("", None),
        ("9" * 40, None),
    ],
)
def test_a_number_is_read_as_written(text: str, value: float | None) -> None:
    assert parse_number(text) == value


def test_numbers_stand_for_themselves() -> None:
    text = "SK1461 costs 118.40 EUR, about 90 people, v2.1, 3,500 rows and 12 % of 2026-03-14."
    assert [(n.text, n.decimals, n.has_unit) for n in numbers_in(text)] == [
        ("118.40", 2, True),
        ("3,500", 0, False),
        ("12", 0, True),
    ]


def test_scripts_without_spaces_end_a_number() -> None:
    assert [n.value for n in numbers_in("总金额1924.10元，距离12.4公里。")] == [1924.1, 12.4]


@pytest.mark.parametrize(
    ("value", "decimals", "known", "in_units", "shown"),
    [
        (89.9, 1, [89.94], False, True),
        (89.9, 2, [89.94], False, False),
        (12.5, 1, [0.125], True, True),
        (12.5, 1, [0.125], False, False),
        (12.4, 1, [12400.0], True, True),
    ],
)
def test_a_number_is_shown_rounded_and_in_units(
    value: float, decimals: int, known: list[float], in_units: bool, shown: bool
) -> None:
    assert is_shown(value, decimals, known, in_units=in_units) is shown


@pytest.mark.parametrize(
    ("value", "operands", "calculated"),
    [
        (1780.75, [412.5, 78.25, 1290.0], True),
        (20.0, [5.0, 100.0], True),
        (25.0, [100.0, 125.0], True),
        (731.0, [412.5, 78.25], False),
        (7.0, [], False),
    ],
)
def test_one_step_of_arithmetic(value: float, operands: list[float], calculated: bool) -> None:
    assert is_calculated(value, 0 if value == int(value) else 2, operands) is calculated


def test_all_digits_have_a_value() -> None:
    assert all_values("AB12-3.5, 1,000") == {12.0, 3.5, 1000.0}
