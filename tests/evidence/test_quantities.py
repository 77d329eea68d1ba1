"""Numbers as they are written."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.quantities import (
    MAGNITUDES,
    NUMBER,
    NUMBER_OR_MOMENT,
    UNIT_FAMILIES,
    Quantity,
    decimals_of,
    number_in,
    number_words,
    size_of,
    unit_after,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("236,592.87 EUR", ["236,592.87"]),
        ("1.234,56 EUR", ["1.234,56"]),
        ("SO-58213 and C-20417", []),
        ("v2.4.0 or 2.4.0", []),
        ("sha 8c1f0b7e52d9", []),
        ("11–16°C", ["11", "16"]),
        ("#1182, 45-minute", ["1182", "45"]),
        ("30s, 5ms", ["30", "5"]),
        ("evt_7k2m9q", []),
        ("10-20 of 30%", ["10", "20", "30"]),
    ],
)
def test_numbers_that_stand_for_themselves(text: str, found: list[str]) -> None:
    assert re.findall(NUMBER, text) == found


def test_dates_and_times_are_told_from_numbers() -> None:
    text = '{"at": "2026-02-24T18:42:10Z", "on": "2026-03-01", "from": "09:30", "n": [1, 234]}'
    found = ["2026-02-24T18:42:10", "2026-03-01", "09:30", "1", "234"]
    assert NUMBER_OR_MOMENT.findall(text) == found


@pytest.mark.parametrize(
    ("text", "size", "decimals"),
    [("22", 22, 0), ("1,234,567.80", 1234567.8, 2), ("1.234,56", 1234.56, 2), ("0.70", 0.7, 2)],
)
def test_size_and_decimals(text: str, size: float, decimals: int) -> None:
    assert size_of(text) == size
    assert decimals_of(text) == decimals


@settings(deadline=None)
@given(st.floats(min_value=0, max_value=1e12), st.integers(0, 4))
def test_a_printed_number_is_read_back(value: float, decimals: int) -> None:
    text = f"{value:,.{decimals}f}"
    assert size_of(text) == float(text.replace(",", ""))
    assert decimals_of(text) == decimals


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("22°C", "°c"),
        ("22 ° outside", "°"),
        ("12.6 %", "%"),
        ("30 seconds", "seconds"),
        ("74 分钟以前", "分钟"),
        ("1.2 million people", "million"),
        ("3.5亿元", "亿"),
        ("5 apples", ""),
        ("5", ""),
        ("45-minute review", "minute"),
    ],
)
def test_the_unit_after_a_number(text: str, unit: str) -> None:
    number = re.match(r"[\d.]+", text)
    assert number is not None
    assert unit_after(text, number.end()) == unit


def test_every_magnitude_is_a_factor() -> None:
    for unit, size in MAGNITUDES.items():
        assert size in Quantity(1.2, 1, unit).factors


def test_every_unit_converts_to_its_family() -> None:
    for family in UNIT_FAMILIES:
        for unit, size in family.items():
            factors = Quantity(1, 0, unit).factors
            assert all(size / other in factors for other in family.values() if other != size), unit


@pytest.mark.parametrize("unit", ["%", "percent", "pct", "个百分点"])
def test_percentages(unit: str) -> None:
    assert Quantity(5, 0, unit).is_percentage
    assert not Quantity(5, 0, "元").is_percentage


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (5, 5),
        (-2.5, 2.5),
        ("1,000", 1000),
        ("-5.50", 5.5),
        ("$64.90", 64.9),
        ("SO-1", None),
        ("12 of 15", None),
        (True, None),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        ("9" * 50, None),
    ],
)
def test_the_number_in_a_value(value: Any, size: float | None) -> None:
    assert number_in(value) == size


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (2, ("二", "两", "two")),
        (10, ("十", "ten")),
        (15, ("十五", "fifteen")),
        (21, ("二十一", "twenty one")),
        (70, ("七十", "seventy")),
        (0, ("零", "zero")),
        (100, ()),
    ],
)
def test_number_words(number: int, words: tuple[str, ...]) -> None:
    assert number_words(number) == words
