"""Counting is adding, and every duration falls into one bucket."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.tally import FANOUT_S, LAG_S, STORE_S, Tally, Times


@given(st.lists(st.floats(0, 20), max_size=50))
def test_every_duration_is_counted_once_in_the_first_bucket_that_holds_it(seconds: list[float]) -> None:
    for bounds in (STORE_S, FANOUT_S, LAG_S):
        times = Times(bounds)
        for one in seconds:
            times.took(one)
        assert sum(times.counts) == len(seconds)
        assert times.counts[0] == sum(one <= bounds[0] for one in seconds)
        assert times.counts[-1] == sum(one > bounds[-1] for one in seconds)
        assert abs(times.total - sum(seconds)) < 1e-6


def test_a_worker_begins_with_nothing_and_counts_for_itself() -> None:
    one, other = Tally(), Tally()
    one.commits["ok"] += 1
    one.store.took(0.001)
    assert (other.commits, sum(other.store.counts)) == ({}, 0)
