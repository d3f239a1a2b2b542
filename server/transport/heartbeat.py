"""Signs of life: every connection is asked for one now and then, and ended when none comes.

One timer a worker, instead of the library's task, and its timer, for each connection. Nothing of a connection is
known here but when it is due. Invariant: of one that is watched and has not ended, exactly one time is kept.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import time
from itertools import count
from typing import Protocol

SWEEP_S = 0.25
"""How often is looked who is due: so many are asked in one go as come due in this time."""


class Watched(Protocol):
    """A connection, as it is watched here."""

    ended: bool

    def ask(self) -> None:
        """Ask for a sign of life, unless another does."""

    def answered(self, since: float) -> bool:
        """Say whether one came since then, on the monotonic clock."""

    def give_up(self) -> None:
        """End: it has vanished."""


class Heartbeat:
    """Asks each connection every `interval_s`, and gives up one that has not answered `timeout_s` later."""

    def __init__(self, interval_s: float, timeout_s: float) -> None:
        """Watch nobody yet."""
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._due: list[tuple[float, int, Watched, float | None]] = []
        """When, in order of; then what tells equal times apart, who, and when they were asked (None: to be asked)."""
        self._count = count()
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, connection: Watched) -> None:
        """Watch a connection until it has ended, from a random moment: who came at once is not asked at once."""
        self._push(time.monotonic() + random.random() * self._interval_s, connection, None)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep)

    def stop(self) -> None:
        """Watch nobody any more."""
        self._due.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _push(self, due: float, connection: Watched, asked: float | None) -> None:
        heapq.heappush(self._due, (due, next(self._count), connection, asked))

    def _sweep(self) -> None:
        now = time.monotonic()
        while self._due and self._due[0][0] <= now:
            _, _, connection, asked = heapq.heappop(self._due)
            if connection.ended:
                continue
            if asked is None:
                connection.ask()
                self._push(now + self._timeout_s, connection, now)
            elif connection.answered(asked):
                self._push(asked + self._interval_s, connection, None)
            else:
                connection.give_up()
        self._timer = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep) if self._due else None
