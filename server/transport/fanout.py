"""One packet to many: one encoding, one write each, a crowd in slices, so that a tap never waits for all of it.

Nothing of the libraries is here. Invariant: each connection gets its packets in the order in which they were given to
it, here and by `write`; who is behind gets what is late together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import islice
from typing import Protocol

SLICE = 64
"""Connections written to in one go, 10 µs each; between two slices the loop does what else there is."""


class Recipient(Protocol):
    """A connection, as it is written to here."""

    def write(self, text: str, prepared: bytes | None) -> None:
        """Send a packet, after what `write_late` was given; as `prepared` if it was before."""

    def write_late(self, text: str, prepared: bytes) -> bool:
        """Keep a packet for `catch_up`, or for the next `write`; False if it needs no `catch_up`."""

    def catch_up(self) -> None:
        """Write what was to be written late."""


class Fanout:
    """Keeps who is behind, and lets them catch up."""

    def __init__(self) -> None:
        """Owe nobody anything."""
        self._behind: dict[Recipient, None] = {}
        self._catching_up: asyncio.Task[None] | None = None

    def deliver(self, recipients: Iterable[Recipient], text: str) -> None:
        """Send one packet to a slice of these at once, in their order, and to the others soon."""
        prepared = text_frame("4" + text)
        everybody = iter(recipients)
        for recipient in islice(everybody, SLICE):
            recipient.write(text, prepared)
        for recipient in everybody:
            if recipient.write_late(text, prepared):
                self._behind[recipient] = None
        if self._behind and self._catching_up is None:
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up())

    async def _catch_up(self) -> None:
        """Write to those who are behind, who waited longest first, until nobody is."""
        try:
            while self._behind:
                await asyncio.sleep(0)
                for recipient in list(islice(self._behind, max(SLICE, 1))):
                    del self._behind[recipient]
                    recipient.catch_up()
        finally:
            self._catching_up = None


def text_frame(text: str) -> bytes:
    """Return a whole unmasked websocket text frame (RFC 6455, section 5.2)."""
    data = text.encode("utf-8")
    size = len(data)
    if size < 126:
        return bytes((0x81, size)) + data
    if size < 65_536:
        return bytes((0x81, 126)) + size.to_bytes(2, "big") + data
    return bytes((0x81, 127)) + size.to_bytes(8, "big") + data
