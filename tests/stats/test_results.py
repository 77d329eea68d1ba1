"""What all results have in common."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from assay import stats
from assay.errors import UnknownName
from assay.stats import Resampling

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.stats.samples import Tasks

HOW = Resampling(resamples=100)
FEW: Tasks = {"a": [1, 0, 1], "b": [0, 1]}
MORE: Tasks = {"a": [1, 1, 1], "b": [1, 0.5], "c": [None]}
RESULTS = [
    stats.wilson_interval(3, 4),
    stats.proportion(3, 4),
    stats.proportion(0, 0),
    stats.mean_over_tasks(FEW, how=HOW),
    stats.mean_over_tasks({"a": [1]}),
    stats.pass_at_k(4, 2, 3),
    stats.pass_hat_k(2, 1, 3),
    stats.pass_rate(FEW, 2, how=HOW),
    stats.pass_rate(FEW, 9),
    *stats.flaky_tasks(FEW),
    stats.variance_parts({"a": [[1, 2], [3]], "b": [[4]]}),
    stats.variance_parts({}),
    stats.compare(FEW, MORE, how=HOW),
    stats.compare({}, {}),
    stats.compare(FEW, MORE, how=HOW).needed,
    *stats.compare({"a": [0]}, {"a": [1]}).flips,
    stats.compare_all({"x": FEW, "y": MORE}, how=HOW),
    *stats.compare_all({"x": FEW, "y": MORE}, how=HOW).standings,
    stats.cohen_kappa("abab", "abba", how=HOW),
    stats.krippendorff_alpha([(1, 2), (2, 2), (3, None)], how=HOW),
    stats.krippendorff_alpha([]),
]
NOT_RESULTS = {stats.Resampling, stats.InvalidSample}


def test_every_public_result_has_an_example_here() -> None:
    classes = {getattr(stats, name) for name in stats.__all__ if name[0].isupper()}
    assert classes - NOT_RESULTS == {type(result) for result in RESULTS}


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_is_frozen_speaks_and_goes_into_json(result: Any) -> None:
    with pytest.raises(AttributeError):
        setattr(result, type(result).__struct_fields__[0], None)
    assert not re.search(r"\bNone\b|\bnan\b", result.sentence())
    assert result.sentence()
    written = json.loads(msgspec.json.encode(result))
    assert written.keys() == set(type(result).__struct_fields__)


@pytest.mark.parametrize(
    "ask",
    [
        lambda odd: stats.mean_over_tasks(FEW, weigh=odd),
        lambda odd: stats.pass_rate(FEW, 1, odd),
        lambda odd: stats.cohen_kappa([1], [1], weights=odd),
        lambda odd: stats.krippendorff_alpha([(1, 2)], scale=odd),
    ],
)
def test_an_unknown_choice_is_an_error_that_offers_the_known(ask: Callable[[str], Any]) -> None:
    with pytest.raises(UnknownName, match="named 'odd'"):
        ask("odd")


def test_every_public_function_says_what_it_does() -> None:
    assert stats.__all__ == sorted(stats.__all__)
    assert all(getattr(stats, name).__doc__ for name in stats.__all__)
