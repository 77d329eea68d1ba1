"""Times and durations by every key that holds them, and only where their unit is plain."""

from __future__ import annotations

from typing import Any

import pytest

from assay.ingest.told_times import (
    END_KEYS,
    LOOSE_END_KEYS,
    LOOSE_START_KEYS,
    START_KEYS,
    UNLABELLED_KEYS,
    duration_of,
    ended,
    last_moment_of,
    moment_of,
    started,
)

NOON = "2026-01-01T12:00:00Z"


@pytest.mark.parametrize("key", [*START_KEYS, *LOOSE_START_KEYS])
def test_every_beginning(key: str) -> None:
    assert started({key: NOON}) == moment_of({key: NOON}) == 1767268800.0


@pytest.mark.parametrize("key", [*END_KEYS, *LOOSE_END_KEYS])
def test_every_end(key: str) -> None:
    assert ended({key: NOON}) == last_moment_of({key: NOON}) == 1767268800.0


@pytest.mark.parametrize("key", LOOSE_START_KEYS)
def test_a_small_number_under_a_loose_key_is_no_time(key: str) -> None:
    assert started({key: 3}) is None


def test_a_small_number_under_a_key_of_times_counts_from_the_beginning() -> None:
    assert (started({"timestamp": 3.5}), moment_of({"timestamp": 3.5})) == (3.5, None)


@pytest.mark.parametrize("key", UNLABELLED_KEYS)
@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        *((0.4, 0.4), (120, None), (2.0, None), ("120ms", 0.12), ("1.5 s", 1.5), (" 2 sec ", 2.0)),
        *(("soon", None), (None, None), (True, None), (-0.5, None), ("9" * 30 + "s", None)),
    ],
)
def test_a_duration_whose_unit_nobody_could_tell_is_left_out(
    key: str, told: Any, seconds: float | None
) -> None:
    assert duration_of({key: told}) == seconds
