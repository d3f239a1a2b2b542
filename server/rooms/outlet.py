"""How a room reaches people: what the transport gives it, as typing.Protocol.

Texts are whole Socket.IO packets (`2["events",{…}]`), encoded once however many receive them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from server.protocol.codec import encode


class Socket(Protocol):
    """One connection, as the rooms see it."""

    @property
    def guest(self) -> str:
        """The guest of its cookie, '' without one."""

    def silent_ms(self) -> int:
        """How long ago its last frame came in."""

    def send(self, text: str) -> None:
        """Send one packet, in order with all others; a connection that is gone takes it and does nothing."""


class Outlet(Protocol):
    """The transport's fan-out."""

    def deliver(self, sockets: Iterable[Socket], text: str) -> None:
        """Send one packet to many, encoding it once, in the order given: to the first now, to a crowd's rest soon.

        To each connection in order with all that is sent to it by any way.
        """


def packet(event: str, payload: object) -> str:
    """Return an event as a Socket.IO packet of the default namespace."""
    return f'2["{event}",{encode(payload)}]'


def events_packet(frame: str) -> str:
    """Return a batch, framed by the store, as a packet."""
    return f'2["events",{frame}]'
