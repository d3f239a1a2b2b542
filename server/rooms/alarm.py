"""One alarm on the monotonic clock: at most one pending, set anew or cleared at will. No room's rule is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

LONGEST_S: Final = 3_600.0
"""A longer wait is cut to this; whoever is woken early looks at the due time again and waits on."""


class Alarm:
    """Calls back once, a while after it was last set."""

    def __init__(self, ring: Callable[[], None]) -> None:
        """`ring` is called on the loop, and may set the alarm again."""
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None

    @property
    def pending(self) -> bool:
        """Whether it is going to ring."""
        return self._handle is not None

    def set(self, delay_ms: float) -> None:
        """Ring in so many ms (at once for a time that is past), instead of when it was set for."""
        self.clear()
        delay = min(max(delay_ms / 1000, 0.0), LONGEST_S)
        self._handle = asyncio.get_running_loop().call_later(delay, self._rang)

    def clear(self) -> None:
        """Do not ring."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _rang(self) -> None:
        self._handle = None
        self._ring()
