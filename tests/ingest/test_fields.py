"""Fields that many formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ingest.fields import (
    MEDIA_KINDS,
    SUCCESS_FLAGS,
    USAGE_PATHS,
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    number_or_none,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_of,
    text_or_none,
    total_usage,
    with_cost,
)
from assay.ingest.packed_names import ARCHIVES
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        (7, ""),
        ([], ""),
        (["a", {"type": "text", "text": "b"}], "a\nb"),
        ({"type": "output_text", "text": "c"}, "c"),
        ([{"type": "input_text", "text": "d"}], "d"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"text": "e"}], "e"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "f"}], "f"),
        ([{"type": "tool_use", "name": "t", "text": "not words"}], ""),
        *[([{"type": kind}], f"[{kind}]") for kind in sorted(MEDIA_KINDS)],
    ],
)
def test_text_of(content: object, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (None, {}),
        ('{"a": ', '{"a": '),
        ("[1]", "[1]"),
        ('"text"', '"text"'),
        ("[" * 100_000, "[" * 100_000),
        ([1], [1]),
    ],
)
def test_arguments(sent: object, read: object) -> None:
    assert decode_arguments(sent) == read


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T00:01:00", 60.0),
        ("1970-01-01T01:01:00+01:00", 60.0),
        ("1970-01-02", 86400.0),
        (1_700_000_000, 1.7e9),
        (1_700_000_000_000, 1.7e9),
        (1_700_000_000_000_000, 1.7e9),
        (1_700_000_000_000_000_000, 1.7e9),
        ("1700000000.5", 1700000000.5),
        ("soon", None),
        (True, None),
        (-1, None),
        (float("nan"), None),
        (float("inf"), None),
        (None, None),
        ([], None),
    ],
)
def test_times(value: object, moment: float | None) -> None:
    assert epoch_seconds(value) == moment


@given(anything)
def test_no_value_is_too_odd(value: object) -> None:
    assert isinstance(text_of(value), str)
    assert decode_arguments(value) is not None
    assert isinstance(epoch_seconds(value), float | None)
    assert (total_usage([value]) or Usage()).cost_usd is None


@pytest.mark.parametrize("check", [amount_or_none, number_or_none, epoch_seconds])
def test_a_number_of_any_length_is_no_crash(check: Callable[[object], float | None]) -> None:
    assert [check(10**400), check(-(10**400))] == [None, None]


def test_small_checks() -> None:
    assert [amount_or_none(value) for value in (1, 0.5, -1, True, "1", None, float("nan"))] == [
        1.0,
        0.5,
        None,
        None,
        None,
        None,
        None,
    ]
    numbers = [number_or_none(value) for value in (-1, 0.5, float("nan"), "1")]
    assert numbers == [-1, 0.5, None, None]
    assert [text_or_none(value) for value in ("a", "", 1)] == ["a", None, None]
    assert [dict_or_empty(value) for value in ({"a": 1}, [1], None)] == [{"a": 1}, {}, {}]
    assert [objects_in(value) for value in ([{"a": 1}, 2], {"a": 1})] == [[{"a": 1}], []]
    ids: tuple[object, ...] = ("a", 0, None, True, [])
    assert [id_or_none(value) for value in ids] == ["a", "0", None, None, None]
    assert [count_or_none(value) for value in (3, True, 1.5)] == [3, None, None]


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, paths in USAGE_PATHS for path in paths]
)
def test_every_place_of_a_count(name: str, path: tuple[str, ...]) -> None:
    report: object = 5
    for key in reversed(path):
        report = {key: report}
    usage = total_usage([report, None, report])
    assert usage == Usage(**{name: 10})  # type: ignore[arg-type]


@pytest.mark.parametrize(("flag", "meaning"), SUCCESS_FLAGS)
def test_every_flag_of_success(flag: str, *, meaning: bool) -> None:
    assert reported_success({flag: True}) is meaning
    assert reported_success({flag: False}) is not meaning
    assert reported_success({flag: "true"}) is None


def test_no_report_is_not_zero_tokens() -> None:
    assert total_usage([]) is None
    assert total_usage([{}, None, {"input_tokens": None}]) is None


def test_ids_are_the_same_at_every_reading() -> None:
    assert stable_id("a", 1, None, {"b": [2]}) == stable_id("a", 1, None, {"b": [2]})
    assert stable_id("a", 1) != stable_id("a", "1")
    assert place_id("/x/run-1/log.json", 3) == ("run-1", "log.json", "3")
    assert place_id("/moved/run-1/log.json", 3) == place_id("/x/run-1/log.json", 3)


@pytest.mark.parametrize("suffix", [*ARCHIVES, ".TGZ"])
def test_a_folder_that_was_packed_keeps_its_place(suffix: str) -> None:
    archive = f"/x/all{suffix}"
    assert place_id(f"{archive}!deep/run-1/log.json", 3) == ("run-1", "log.json", "3")
    assert place_id(f"{archive}!log.json", 3) != place_id("/x/log.json", 3)


def test_a_name_may_have_an_exclamation_mark() -> None:
    assert place_id("/x/hey!/log.json", None) == ("hey!", "log.json", "None")


@pytest.mark.parametrize(
    ("costs", "cost"), [([0.25, None, 0.5], 0.75), ([0], 0.0), ([1e308, 1e308], None)]
)
def test_what_replies_cost_is_known_without_their_tokens(
    costs: list[object], cost: float | None
) -> None:
    assert with_cost(None, costs) == Usage(cost_usd=cost)
    assert with_cost(Usage(3), costs) == Usage(3, cost_usd=cost)


@pytest.mark.parametrize("costs", [[], [None], ["0.5", -1, True]])
def test_a_cost_that_nobody_tells_is_not_zero(costs: list[object]) -> None:
    assert with_cost(None, costs) is None
    assert with_cost(Usage(3), costs) == Usage(3)
