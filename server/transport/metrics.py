"""A worker's numbers in Prometheus's terms: names, words, units. Read when asked for; nothing is counted here.

Invariant: no label has a table, a person, a cookie or an address; every label's values are a short, fixed list.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Protocol, get_args

from aiohttp import web
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from server.protocol.replies import RefusalCode
from server.rooms.rooms import Rooms
from server.tally import Tally, Times
from server.transport.keys import HEALTH

LAG_EVERY_S = 0.5
COMMITS = ("ok", "clash", "done", "early", "here", "gone", "full", "lost")
"""The store's answers to a commit (server/store/commit.lua), its refusal when it is full, and none in time."""


class Sized(Protocol):
    """What counts connections."""

    def open(self) -> int:
        """Return how many sockets are open, joined or not."""


class WorkerMetrics(Collector):
    """This worker's numbers."""

    def __init__(self, tally: Tally, rooms: Rooms, sockets: Sized, draining: Callable[[], bool]) -> None:
        """Read from these."""
        self._tally = tally
        self._rooms = rooms
        self._sockets = sockets
        self._draining = draining

    def collect(self) -> Iterator[Metric]:
        """Return all of them as they are now."""
        tally, live = self._tally, self._rooms.live()
        people = sum(len(room.people) for room in live)
        yield GaugeMetricFamily("rm_connections", "Open sockets", self._sockets.open())
        yield GaugeMetricFamily("rm_tables", "Tables with somebody connected here", len(live))
        yield GaugeMetricFamily("rm_people", "Seated people connected here", people)
        watchers = sum(len(room.members) for room in live) - people
        yield GaugeMetricFamily("rm_watchers", "Watching connections here", watchers)
        yield GaugeMetricFamily("rm_draining", "1 while this worker lets its people go", self._draining())
        yield GaugeMetricFamily("rm_store_up", "1 while the store answers this worker", tally.store_up)
        yield CounterMetricFamily("rm_reveals", "Cards turned by this worker's commits", tally.reveals)
        yield _counted("rm_commits", "Commits, by the store's answer", "answer", COMMITS, tally.commits)
        resumes = {"exact": tally.resumed_exact, "snapshot": tally.resumed_by_snapshot}
        yield _counted("rm_resumes", "Connections that came back, by how they caught up", "by", resumes, resumes)
        yield CounterMetricFamily("rm_slow_clients", "Connections dropped because they did not read", tally.slow)
        codes = get_args(RefusalCode)
        yield _counted("rm_refusals", "Commands and connections refused, by code", "code", codes, tally.refusals)
        yield _timed("rm_store_seconds", "From a question to the store until its answer", tally.store)
        yield _timed("rm_fanout_seconds", "From a batch's arrival to its last seated person's socket", tally.fanout)
        yield _timed("rm_loop_lag_seconds", "How late the event loop turns", tally.lag)


async def measure_lag(app: web.Application, tally: Tally) -> AsyncIterator[None]:
    """Measure all the while how late the loop turns; for the application's `cleanup_ctx`."""
    loop = asyncio.get_running_loop()
    due = time.monotonic()
    timer = loop.call_later(0, lambda: turn())

    def turn() -> None:
        nonlocal due, timer
        now = time.monotonic()
        tally.lag.took(max(0.0, now - due))
        due = now + LAG_EVERY_S
        timer = loop.call_later(LAG_EVERY_S, turn)

    yield
    timer.cancel()


def register(app: web.Application, tally: Tally, rooms: Rooms, sockets: Sized) -> None:
    """Have the application's `/metrics` tell these."""
    health = app[HEALTH]
    health.registry.register(WorkerMetrics(tally, rooms, sockets, lambda: health.draining))
    app.cleanup_ctx.append(lambda app: measure_lag(app, tally))


def _counted(name: str, words: str, label: str, values: Iterable[str], counts: dict[str, int]) -> Metric:
    family = CounterMetricFamily(name, words, labels=[label])
    for value in values:
        family.add_metric([value], counts.get(value, 0))
    return family


def _timed(name: str, words: str, times: Times) -> Metric:
    so_far, buckets = 0, []
    for bound, count in zip((*times.bounds, float("inf")), times.counts, strict=True):
        so_far += count
        buckets.append(("+Inf" if bound == float("inf") else str(bound), so_far))
    return HistogramMetricFamily(name, words, buckets=buckets, sum_value=times.total)
