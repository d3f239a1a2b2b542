"""engineio's websocket driver for aiohttp, with every inbound frame read strictly, and once.

A connection that begins as a websocket is read here from its first frame to its last: the library's own loop starts
about fourteen tasks for a tap, and keeps two for each connection. One that began by polling goes the library's way.
Invariant: whatever ended a connection, no ghost of it stays.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import WSCloseCode, WSMsgType, web

from server.transport import guard
from server.transport.connection import Connection

if TYPE_CHECKING:
    from server.transport.frames import Frames

GOODBYE_S = 0.5
"""How long a closing websocket waits for the other end's goodbye: of one that vanished it never comes."""

_MESSAGE, _CLOSE = "4", "1"

T = TypeVar("T")


class WebSocket:
    """One websocket. What engineio calls: this object itself, then `wait`, `send` and `close`."""

    def __init__(self, handler: Callable[[Any], Awaitable[None]], frames: Frames) -> None:
        """Belong to the session whose own loop `handler` is."""
        self._handler = handler
        self._frames = frames
        # No permessage-deflate: 32 KiB a connection instead of 132 to 228.
        self._socket = web.WebSocketResponse(max_msg_size=guard.LARGEST, compress=False, timeout=GOODBYE_S)
        self._connection: Connection | None = None

    async def __call__(self, environ: dict[str, Any]) -> web.WebSocketResponse:
        """Serve the websocket to its end."""
        await self._socket.prepare(environ["aiohttp.request"])
        session: Any = self._handler.__self__  # type: ignore[attr-defined]  # engineio's AsyncSocket
        self._connection = self._frames.connections.get(session.sid)
        polled_before = session.connected
        try:
            if polled_before or self._connection is None:
                await self._handler(self)
            else:
                await self._serve(session, self._connection)
        finally:
            if polled_before and not session.upgraded:
                # The probe came to nothing: polling goes on, which the library leaves waiting for the upgrade's end.
                session.upgrading = False
            else:
                # Whatever ended the loop, also an exception on its way out: no connection stays as a ghost.
                await session.close(wait=False, abort=True, reason=self._frames.reason.TRANSPORT_CLOSE)
        return self._socket

    async def _serve(self, session: Any, connection: Connection) -> None:
        """Read a connection that began as this websocket, to its end."""
        session.connected = session.upgraded = True
        for packet in _queued(session.queue):
            await self.send(packet.encode())  # the library's own greeting
        connection.opened(self._socket)
        with contextlib.suppress(OSError):
            while (text := await self._frame()) != _CLOSE:
                connection.heard()
                if text.startswith(_MESSAGE):
                    await self._frames.received(connection, await self._strictly(guard.packet, text[1:]))
                else:
                    await self._strictly(guard.frame, text)  # a pong, by which it was heard
        await self.close()

    async def close(self) -> None:
        """Say goodbye, whatever still waits."""
        with contextlib.suppress(ConnectionError):
            await self._socket.close(drain=False)

    async def send(self, message: str) -> None:
        """Send an Engine.IO frame."""
        await self._socket.send_str(message)

    async def wait(self) -> str:
        """Return the next frame of one that began by polling; OSError ends the library's loop."""
        text = await self._strictly(guard.frame, await self._frame())
        if self._connection is not None:
            self._connection.heard()
            if text == "5":
                self._connection.upgraded(self._socket)
        return text

    async def _frame(self) -> str:
        message = await self._socket.receive()
        if message.type is not WSMsgType.TEXT:
            await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA, drain=False)
            raise OSError
        return str(message.data)

    async def _strictly(self, read: Callable[[str], T], text: str) -> T:
        try:
            return read(text)
        except guard.MalformedError:
            await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, drain=False)
            raise OSError from None


def _queued(queue: asyncio.Queue[Any]) -> Iterator[Any]:
    with contextlib.suppress(asyncio.QueueEmpty):
        while True:
            yield queue.get_nowait()
