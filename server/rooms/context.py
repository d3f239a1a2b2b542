"""What a decision may need of a room's world: each part drawn or read when it is first looked at, and kept.

A reveal looks at almost none of it. Invariant: what a decision sees is of one moment, and the same each time; it may be
looked at from another thread.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from server.rooms.presence import present_seats

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom


class LiveContext:
    """The Context of decision.py, at a room with people here."""

    def __init__(self, live: LiveRoom, guest: str, language: str = "en") -> None:
        """Keep the moment."""
        self.guest = guest
        self.language = language
        self.now = live.now()
        self.idle_since = live.head.since
        self.idle_ms = live.tempo.idle_ms
        self._room = live.room
        self._presence = live.absence.known
        self._lines = live.lines

    @cached_property
    def present(self) -> frozenset[int]:
        """The seats whose people are connected."""
        return present_seats(self._room, self._presence, self.now)

    @cached_property
    def fresh_seed(self) -> str:
        """32 random bytes, hex."""
        return secrets.token_hex(32)

    @cached_property
    def fresh_id(self) -> str:
        """16 random bytes, hex."""
        return secrets.token_hex(16)

    @cached_property
    def pick(self) -> int:
        """A random number for a friendly name."""
        return secrets.randbelow(1 << 16)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The ids of the lines of chat that are kept."""
        return self._lines.ids
