"""Who watches, at one room and worker: the number as last counted, and the watchers here, who must be counted.

The store counts, by key, so that one person with several tabs is one. When a tab is closed or a seat left, it says on
the room's channel who is not counted now; whichever worker has them watching all the same counts them again.
Invariant: nobody is counted by this worker who is not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom


class Watching:
    """Keeps the count of one room at one worker."""

    def __init__(self, live: LiveRoom) -> None:
        """Know of nobody yet."""
        self._live = live
        self._counted_at = 0
        self.number = 0

    def keys(self) -> set[str]:
        """Return whom the watchers here count for."""
        return {member.key for member in self._live.members if not member.generation}

    def take(self, number: int, at: int) -> None:
        """Take the number as the store answered it then: of the same moment, the channel's word is the later one."""
        if at > self._counted_at:
            self.number, self._counted_at = number, at

    def heard(self, number: int, at: int, gone: str) -> None:
        """Take the number as the channel says it, in order; count `gone` again if they watch here."""
        self.number, self._counted_at = number, at
        if gone and any(member.key == gone for member in self._live.members):
            self._live.spawn(self._count(gone))

    def forget_all(self) -> None:
        """Take any number from now on: the store's clock may have gone back with its history."""
        self._counted_at = 0

    async def uncount(self, key: str) -> None:
        """Have one who watches here no more not counted."""
        await self._live.store.leave(self._live.table, key, 0)

    async def _count(self, key: str) -> None:
        # A seat given up here is known as such once its command is through, and may be heard of before.
        async with self._live.lock:
            if any(m.key == key and not m.generation for m in self._live.members):
                await self._live.store.watch(self._live.table, [key])
