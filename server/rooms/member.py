"""One connection at a table, as its room keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from server.protocol.replies import You
from server.rooms.outlet import Socket

ARRIVING = 1 << 62
"""The generation of one whose new one is on its way: its own arrival, heard before the answer, must not replace it."""


@dataclass(slots=True, eq=False)
class Member:
    """A socket at a table. `generation` is its presence's, 0 while it watches; `key` is whom it counts for.

    `auto` is this connection's alone. `ended` says why it hears no more, and what its commands are answered: its guest
    has a newer connection, the table closed to who has no seat, or the host removed the guest. `token` is that of the
    link by which it came to take a moving seat, '' for none.
    """

    socket: Socket
    key: str
    generation: int = 0
    language: str = "en"
    auto: bool = False
    ended: Literal["replaced", "closed", "removed"] | None = None
    you: You | None = None
    token: str = ""

    @property
    def guest(self) -> str:
        """The guest of its cookie, '' without one."""
        return self.socket.guest
