"""Intervals from sums over clusters: by hand, against Wilson's, and as a family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.clustered import ClusterSums, clustered_share, wilson
from assay.stats.distributions import normal_quantile, t_quantile
from assay.stats.intervals import wilson_interval

Clusters = list[tuple[int, int]]


def sums_of(clusters: Clusters) -> ClusterSums:
    return ClusterSums(
        len(clusters),
        sum(n for n, _ in clusters),
        sum(y for _, y in clusters),
        sum(n * n for n, _ in clusters),
        sum(y * y for _, y in clusters),
        sum(n * y for n, y in clusters),
    )


def test_one_cluster_says_nothing_about_others() -> None:
    assert clustered_share(sums_of([(10, 4)])) is None
    assert clustered_share(ClusterSums(0, 0, 0, 0, 0, 0)) is None


def test_clusters_that_agree_within_count_once_each() -> None:
    """Ten clusters of ten, each all good or all bad, are worth ten things less one degree."""
    found = clustered_share(sums_of([(10, 10)] * 4 + [(10, 0)] * 6))
    assert found is not None
    worth = 10 * 9 / 10  # the sample's variance of a mean has n - 1 below it
    t = t_quantile(0.975, 9)
    expected = wilson(0.4, worth, t, 0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_clusters_alike_are_worth_all_their_things_and_no_more() -> None:
    found = clustered_share(sums_of([(10, 4)] * 10))
    expected = wilson(0.4, 100, t_quantile(0.975, 9), 0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_where_all_succeeded_the_clusters_count_and_not_the_things() -> None:
    found = clustered_share(sums_of([(1000, 1000)] * 5))
    assert found is not None
    assert found.high == 1.0
    assert found.low == pytest.approx(5 / (5 + t_quantile(0.975, 4) ** 2))


def test_wilson_is_the_known_one() -> None:
    found = wilson(0.3, 50, normal_quantile(0.975), 0.95)
    known = wilson_interval(15, 50)
    assert known is not None
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


some_clusters = st.lists(
    st.integers(1, 50).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    min_size=2,
    max_size=30,
)


@given(some_clusters)
def test_the_interval_spans_the_share_and_stays_in_range(clusters: Clusters) -> None:
    sums = sums_of(clusters)
    found = clustered_share(sums)
    assert found is not None
    assert 0 <= found.low <= sums.successes / sums.n <= found.high <= 1


@given(some_clusters)
def test_things_in_clusters_are_never_surer_than_things_alone(clusters: Clusters) -> None:
    sums = sums_of(clusters)
    found = clustered_share(sums)
    alone = wilson(sums.successes / sums.n, sums.n, normal_quantile(0.975), 0.95)
    assert found is not None
    assert found.high - found.low >= alone.high - alone.low - 1e-9
