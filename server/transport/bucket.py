"""A token bucket in memory: how many a second somebody may still do. Nothing else is here."""

from __future__ import annotations

import time


class Bucket:
    """So many a second on average, and as many at once; 0 is no limit."""

    __slots__ = ("_at", "_level", "_limit", "_window_s")

    def __init__(self, limit: int, window_s: float = 1.0) -> None:
        """Begin full."""
        self._limit = limit
        self._window_s = window_s
        self._level = float(limit)
        self._at = time.monotonic()

    def take(self) -> bool:
        """Take one; False if there is none left."""
        if not self._limit:
            return True
        now = time.monotonic()
        self._level = min(self._limit, self._level + (now - self._at) * self._limit / self._window_s)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True
