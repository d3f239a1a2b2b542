"""What a room does beside its commands: tasks of its own, and catching up with a store that was away.

No room's state is here. Invariant: nothing that was begun here raises into nowhere; a store that is down is repaired.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Any

import structlog

from server.ports import StoreDownError, StoreFullError
from server.protocol.ids import tag

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

log = structlog.get_logger()

REPAIR_WAITS_S = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Waits between tries to read the store again; the last one for as long as it takes."""


class Background:
    """The tasks of one room."""

    def __init__(self, live: LiveRoom) -> None:
        """Have nothing to do."""
        self._live = live
        self._repairing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_down = False

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something of this room's in the background; a store that is down is repaired, not raised."""
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def repair(self, *, down: bool = False) -> None:
        """Catch up in the background, for as long as it takes.

        `down`: the store has been asked in vain for as long as one asks again, so people are told now.
        """
        if down:
            self._say_down()
        if self._repairing is None or self._repairing.done():
            self._repairing = self.spawn(self._repair())

    def repair_after(self, error: StoreDownError) -> None:
        """Catch up after what was asked in vain; one that is full is there, and its refusals say so themselves."""
        self.repair(down=not isinstance(error, StoreFullError))

    def stop(self) -> set[asyncio.Task[None]]:
        """Return what is still under way; what only reads the store is given up."""
        if self._repairing is not None:
            self._repairing.cancel()
        return self._tasks.copy()

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StoreDownError as error:
            self.repair_after(error)
        except Exception:
            log.exception("a room's task failed", table=tag(self._live.table))

    async def _repair(self) -> None:
        for wait in self._waits():
            try:
                async with self._live.lock:
                    if not self._live.closed and self._live.loaded:
                        await self._live.catch_up()
                break
            except StoreDownError:
                self._say_down()
                await asyncio.sleep(wait)
        if self._is_down:
            self._is_down = False
            self._live.speaking.notice("store_back")

    def _say_down(self) -> None:
        if not self._is_down:
            self._is_down = True
            self._live.speaking.notice("store_down")

    def _waits(self) -> Iterator[float]:
        yield from REPAIR_WAITS_S
        while not self._live.closed:
            yield REPAIR_WAITS_S[-1]
