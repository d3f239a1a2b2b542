"""One Engine.IO connection: what is sent to it, in one order, whichever way it goes; and its end.

With frames.py, polling.py and websocket.py all that touches the libraries' inside. Invariant: all packets of a
connection take the same way out, so none overtakes another; who does not read is dropped before much waits for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from aiohttp import WSCloseCode, web
from engineio.packet import CLOSE, MESSAGE, Packet

from server.transport.fanout import text_frame
from server.transport.wire import Wire

if TYPE_CHECKING:
    from server.transport.frames import Frames

SLOW_PACKETS = 1_000
"""Packets waiting for a client that does not poll, before it is dropped (wire.py has the same for websockets)."""
FLUSH_S = 0.2
"""How long a close waits for what is queued before it."""
PING_INTERVAL_S = 9
PING_TIMEOUT_S = 5
"""Together less than the 15 s within which a vanished phone must show."""

_PING = text_frame("2")


class Connection:
    """One Engine.IO connection. Until `release`, what is sent waits: the namespace's own packet goes first."""

    __slots__ = (
        "_heard", "_late", "_server", "_upgraded", "_waiting", "_wire", "being_let_in", "eio_sid", "ended", "guest",
        "lost_by",
    )  # fmt: skip

    def __init__(self, eio_sid: str, server: Frames) -> None:
        """Begin by polling; the websocket comes later, if at all."""
        self.eio_sid = eio_sid
        self.guest = ""
        self.ended = False
        self.being_let_in = False
        self.lost_by = ""
        """The libraries' reason, of one that ended while being let in."""
        self._server = server
        self._wire: Wire | None = None
        self._upgraded: web.WebSocketResponse | None = None
        self._waiting: list[str] | None = []
        self._late: list[tuple[str, bytes]] = []
        self._heard = time.monotonic()

    @property
    def connected(self) -> bool:
        """Whether it has joined the namespace, and receives."""
        return self._waiting is None and not self.ended

    def silent_ms(self) -> int:
        """How long ago its last frame came in."""
        return round((time.monotonic() - self._heard) * 1000)

    def send(self, text: str) -> None:
        """Send a Socket.IO packet."""
        self.write(text, None)

    def write(self, text: str, prepared: bytes | None) -> None:
        """Send a packet, after what `write_late` was given; as `prepared` if it was before."""
        if self._waiting is not None:
            self._waiting.append(text)
        elif not self.ended:
            if self._late:
                self.catch_up()
            if self._wire is None:
                self._queue(text)
            else:
                self._wire.write(prepared or text_frame("4" + text))

    def write_late(self, text: str, prepared: bytes) -> bool:
        """Keep a packet for `catch_up`, or for the next `write`; False if it needs no `catch_up`."""
        if self._waiting is not None:
            self._waiting.append(text)
        elif not self.ended:
            self._late.append((text, prepared))
            return True
        return False

    def catch_up(self) -> None:
        """Write what was to be written late."""
        late, self._late = self._late, []
        if not late or self.ended:
            return
        if self._wire is None:
            for text, _ in late:
                self._queue(text)
        else:
            self._wire.write(b"".join([prepared for _, prepared in late]))

    def release(self) -> None:
        """Send what waited, and nothing waits any more."""
        waiting, self._waiting = self._waiting, None
        for text in waiting or ():
            self.send(text)

    def now(self, text: str) -> None:
        """Send a packet before all that waits (the namespace's own)."""
        if self._wire is None:
            self._queue(text)
        else:
            self._wire.write(text_frame("4" + text))

    def heard(self) -> None:
        """Take note that a frame came in."""
        self._heard = time.monotonic()

    def ask(self) -> None:
        """Ask for a sign of life; of one that began by polling the library does."""
        if self._wire is not None:
            self._wire.write(_PING)

    def answered(self, since: float) -> bool:
        """Say whether one came since then, on the monotonic clock; who has joined nothing by now gives none."""
        if self._waiting is not None and not self.being_let_in:
            return False
        session = self._server.eio.sockets.get(self.eio_sid)
        if self._wire is not None or session is None:
            return self._heard >= since
        return not session.last_ping or time.time() - session.last_ping <= PING_TIMEOUT_S

    def give_up(self) -> None:
        """End, having vanished."""
        self._server.later(self.close())

    def opened(self, wire: Wire) -> None:
        """Write to this wire from now on: the connection began as a websocket."""
        self._wire = wire

    def waiting(self) -> int:
        """Return how many bytes wait for the client to read them."""
        return 0 if self._wire is None else self._wire.waiting()

    def upgraded(self, websocket: web.WebSocketResponse) -> None:
        """Begun by polling, go on by this websocket: what is sent stays on its way through the queue, in order."""
        self._upgraded = websocket

    async def close(self, code: int = WSCloseCode.OK) -> None:
        """End the connection; a websocket with this close code."""
        self.catch_up()
        self.ended = True
        session = self._server.eio.sockets.get(self.eio_sid)
        if self._upgraded is not None and session is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(session.queue.join(), FLUSH_S)
        if self._wire is not None:
            await self._wire.close(code)
        elif self._upgraded is not None:
            with contextlib.suppress(ConnectionError):
                await self._upgraded.close(code=code, drain=False)
        elif session is not None:
            # Not by `eio.disconnect`: it waits until the client has fetched all, and one that is gone never does.
            await session.close(wait=False, abort=True, reason=self._server.reason.SERVER_DISCONNECT)

    def let_go(self) -> None:
        """Answer the poll that is open, if one is: the libraries leave it hanging for PING_INTERVAL_S and more."""
        session = self._server.eio.sockets.get(self.eio_sid)
        if self._wire is None and session is not None:
            session.queue.put_nowait(Packet(CLOSE))

    def dropped(self) -> None:
        """Receive nothing more: the client does not read."""
        self.ended = True
        self._server.tally.slow += 1

    def _queue(self, text: str) -> None:
        session = self._server.eio.sockets.get(self.eio_sid)
        if self.ended or session is None or session.closed:
            return
        if session.queue.qsize() > SLOW_PACKETS:
            self.dropped()
            self._server.later(self.close())
            return
        session.queue.put_nowait(Packet(MESSAGE, data=text))
