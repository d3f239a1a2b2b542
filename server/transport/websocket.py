"""engineio's websocket driver for aiohttp: a connection that begins as a websocket goes on by a wire of our own.

The library's own loop starts about fourteen tasks for a tap, and keeps two for each connection. One that began by
polling goes the library's way, each of its frames read strictly beforehand.
Invariant: whatever ended a connection, no ghost of it stays.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import WSCloseCode, WSMsgType, web

from server.transport import guard
from server.transport.connection import Connection
from server.transport.fanout import text_frame
from server.transport.wire import GOODBYE_S, Handover, Wire

if TYPE_CHECKING:
    from server.transport.frames import Frames


class WebSocket:
    """One websocket. What engineio calls: this object itself, then `wait`, `send` and `close`."""

    def __init__(self, handler: Callable[[Any], Awaitable[None]], frames: Frames) -> None:
        """Belong to the session whose own loop `handler` is."""
        self._handler = handler
        self._frames = frames

    async def __call__(self, environ: dict[str, Any]) -> web.WebSocketResponse:
        """Open the websocket, and serve it to its end unless it is handed over."""
        session: Any = self._handler.__self__  # type: ignore[attr-defined]  # engineio's AsyncSocket
        connection = self._frames.connections.get(session.sid)
        request: web.Request = environ["aiohttp.request"]
        if session.connected or connection is None:
            return await self._serve(request, session, connection)
        return await self._hand_over(request, session, connection)

    async def _hand_over(self, request: web.Request, session: Any, connection: Connection) -> web.WebSocketResponse:
        def ended() -> None:
            self._frames.later(session.close(wait=False, abort=True, reason=self._frames.reason.TRANSPORT_CLOSE))

        wire = Wire(guard.LARGEST, partial(self._frames.heard, connection), ended, connection.dropped)
        greeting = b"".join(text_frame(packet.encode()) for packet in _queued(session.queue))
        session.connected = session.upgraded = True
        session.queue = None  # 3 KiB; nothing of the library's is sent to it from here on
        connection.opened(wire)
        response = Handover(wire, greeting)
        try:
            await response.prepare(request)
        except BaseException:
            ended()
            raise
        return response

    async def _serve(self, request: web.Request, session: Any, connection: Connection | None) -> web.WebSocketResponse:
        # No permessage-deflate: 32 KiB a connection instead of 132 to 228.
        self._socket = web.WebSocketResponse(max_msg_size=guard.LARGEST, compress=False, timeout=GOODBYE_S)
        self._connection = connection
        await self._socket.prepare(request)
        try:
            await self._handler(self)
        finally:
            if not session.upgraded:
                # The probe came to nothing: polling goes on, which the library leaves waiting for the upgrade's end.
                session.upgrading = False
            else:
                # Whatever ended the library's loop, also an exception on its way out: no connection stays as a ghost.
                await session.close(wait=False, abort=True, reason=self._frames.reason.TRANSPORT_CLOSE)
        return self._socket

    async def close(self) -> None:
        """Say goodbye, whatever still waits."""
        with contextlib.suppress(ConnectionError):
            await self._socket.close(drain=False)

    async def send(self, message: str) -> None:
        """Send an Engine.IO frame."""
        await self._socket.send_str(message)

    async def wait(self) -> str:
        """Return the next frame; OSError ends the library's loop."""
        message = await self._socket.receive()
        if message.type is not WSMsgType.TEXT:
            await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA, drain=False)
            raise OSError
        try:
            text = guard.frame(message.data)
        except guard.MalformedError:
            await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, drain=False)
            raise OSError from None
        if self._connection is not None:
            self._connection.heard()
            if text == "5":
                self._connection.upgraded(self._socket)
        return text


def _queued(queue: asyncio.Queue[Any]) -> Iterator[Any]:
    with contextlib.suppress(asyncio.QueueEmpty):
        while True:
            yield queue.get_nowait()
