"""So many a second, and as many at once."""

from __future__ import annotations

import pytest

from server.transport.bucket import Bucket


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.monotonic", clock)
    return clock


def test_it_gives_its_limit_at_once_and_then_by_the_second(clock: Clock) -> None:
    bucket = Bucket(3)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.now += 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    clock.now += 60
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_a_longer_window(clock: Clock) -> None:
    bucket = Bucket(5, window_s=10)
    assert [bucket.take() for _ in range(6)].count(True) == 5
    clock.now += 2
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_nought_is_no_limit() -> None:
    assert all(Bucket(0).take() for _ in range(1000))
