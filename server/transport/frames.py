"""The adapter around python-socketio and python-engineio: with connection.py, websocket.py and polling.py the only
place that touches their inside.

They keep the handshake, long-polling and the namespaces. Every frame is read strictly before they see it; one of a
connection that began as a websocket is ours alone, as are its pings (heartbeat.py), and a packet to it is written as
one prepared frame, past their queue and its task.
A crowd is written to in slices (fanout.py): what is late for a connection goes before all that is sent to it after.
`tests/server/transport/test_frames.py` says so when the libraries change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import engineio
import socketio
from aiohttp import WSCloseCode, web

from server.tally import Tally
from server.transport import guard
from server.transport.connection import PING_INTERVAL_S, PING_TIMEOUT_S, Connection
from server.transport.fanout import Fanout
from server.transport.heartbeat import Heartbeat
from server.transport.polling import translated
from server.transport.websocket import WebSocket

engineio.payload.Payload.max_decode_packets = guard.MOST_PACKETS

_MESSAGE, _CLOSE = "4", "1"

Joined = Callable[[Connection, web.Request, object], Awaitable[dict[str, Any] | None]]
Left = Callable[[Connection], Awaitable[None]]
Happened = Callable[[Connection, guard.Event], None]


class Frames(socketio.AsyncServer):  # type: ignore[misc]  # the library is untyped
    """A Socket.IO server that reads strictly and writes directly.

    `joined` decides a connect: None, or the connect error's data. `left` hears of the end, `happened` of each event.
    """

    def __init__(self, joined: Joined, left: Left, happened: Happened, tally: Tally) -> None:
        """Serve the default namespace, over websockets and long-polling."""
        super().__init__(
            client_manager=_Manager(),
            async_mode="aiohttp",
            cors_allowed_origins=[],  # ours to judge (origin.py), before a request gets here
            ping_interval=PING_INTERVAL_S,
            ping_timeout=PING_TIMEOUT_S,
            max_http_buffer_size=guard.LARGEST,
            http_compression=False,
            monitor_clients=False,  # heartbeat.py does
        )
        self.connections: dict[str, Connection] = {}
        self.tally = tally
        self._happened = happened
        self._tasks: set[asyncio.Task[None]] = set()
        self._fanout = Fanout()
        self._heartbeat = Heartbeat(PING_INTERVAL_S, PING_TIMEOUT_S)
        self.eio._async = {
            **self.eio._async,
            "websocket": self._driver,
            "translate_request": translated(
                self.eio._async["translate_request"], self._heard_polling, self._ended_by_garbage
            ),
        }

        async def connect(sid: str, environ: dict[str, Any], auth: object = None) -> None:
            connection = self.connections[self._eio_sid(sid)]
            refused = await joined(connection, environ["aiohttp.request"], auth)
            if refused is not None:
                raise socketio.exceptions.ConnectionRefusedError(refused["message"], {"code": refused["code"]})

        async def disconnect(sid: str, reason: str) -> None:
            connection = self.connections.get(self._eio_sid(sid))
            if connection is not None:
                connection.ended = True
                await left(connection)

        self.on("connect", connect)
        self.on("disconnect", disconnect)

    def deliver(self, connections: Iterable[Connection], text: str) -> None:
        """Send one packet to many."""
        self._fanout.deliver(connections, text)

    async def close_all(self, code: int) -> None:
        """End every connection."""
        self._heartbeat.stop()
        closing = [connection.close(code) for connection in self.connections.copy().values()]
        await asyncio.gather(*closing, return_exceptions=True)

    def later(self, work: Awaitable[Any]) -> None:
        """Run something in the background, and keep it alive until it is done."""

        async def run() -> None:
            await work

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _eio_sid(self, sid: str) -> str:
        return str(self.manager.eio_sid_from_sid(sid, "/"))

    # --- Inbound: what the libraries call ----------------------------------------------------------------------------

    async def _handle_eio_connect(self, eio_sid: str, environ: dict[str, Any]) -> None:
        await super()._handle_eio_connect(eio_sid, environ)
        connection = self.connections[eio_sid] = Connection(eio_sid, self)
        if "HTTP_UPGRADE" in environ:
            # Or the library would begin to ask by itself, which it does for pollers.
            self.eio.sockets[eio_sid].last_ping = None
        self._heartbeat.watch(connection)

    async def _handle_eio_disconnect(self, eio_sid: str, reason: str) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            connection.ended = True
            connection.let_go()
            if connection.being_let_in:
                connection.lost_by = reason
                return  # `_let_in` comes back to it: before that the libraries would tell nobody of the end.
        try:
            await super()._handle_eio_disconnect(eio_sid, reason)
        finally:
            self.connections.pop(eio_sid, None)
            # A poller's session has until then to be told why; nobody else forgets it.
            asyncio.get_running_loop().call_later(PING_TIMEOUT_S, self.eio.sockets.pop, eio_sid, None)

    async def _handle_eio_message(self, eio_sid: str, data: object) -> None:
        connection = self.connections.get(eio_sid)
        if connection is None:
            return
        connection.heard()
        packet = guard.packet(str(data))
        if isinstance(packet, guard.Connect) and _may_enter(connection):
            await self._let_in(connection, packet.auth)  # before the poll that brought it is answered
        else:
            self._received(connection, packet)

    def heard(self, connection: Connection, text: str) -> None:
        """Take an Engine.IO frame of a connection that began as a websocket, and read it strictly."""
        connection.heard()
        try:
            if text.startswith(_MESSAGE):
                self._received(connection, guard.packet(text[1:]))
            elif guard.frame(text) == _CLOSE:  # else a pong, by which it was heard
                self.later(connection.close())
        except guard.MalformedError:
            self.later(connection.close(WSCloseCode.POLICY_VIOLATION))

    def _received(self, connection: Connection, packet: guard.Event | guard.Connect | guard.Disconnect) -> None:
        if connection.ended:
            return
        if isinstance(packet, guard.Event) and connection.connected:
            self._happened(connection, packet)
        elif isinstance(packet, guard.Connect) and _may_enter(connection):
            connection.being_let_in = True
            self.later(self._let_in(connection, packet.auth))
        else:
            # An event before the connect, a second connect, or goodbye.
            self.later(connection.close())

    async def _let_in(self, connection: Connection, auth: object) -> None:
        connection.being_let_in = True
        try:
            await self._handle_connect(connection.eio_sid, "/", auth)
        finally:
            connection.being_let_in = False
            if connection.lost_by:
                await self._handle_eio_disconnect(connection.eio_sid, connection.lost_by)
        if self.manager.sid_from_eio_sid(connection.eio_sid, "/") is not None:
            self.environ[connection.eio_sid].clear()  # 3 KiB a connection, and nobody looks at it again
            connection.release()

    # --- Outbound: the libraries' own packets, on the same way as ours -----------------------------------------------

    async def _send_packet(self, eio_sid: str, pkt: Any) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            connection.now(pkt.encode())

    # --- The edges ---------------------------------------------------------------------------------------------------

    def _driver(self, handler: Callable[[Any], Awaitable[None]], server: engineio.AsyncServer) -> WebSocket:
        return WebSocket(handler, self)

    def _heard_polling(self, eio_sid: str) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            connection.heard()

    async def _ended_by_garbage(self, eio_sid: str) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            await connection.close()


def _may_enter(connection: Connection) -> bool:
    return not (connection.connected or connection.being_let_in or connection.ended)


class _Manager(socketio.AsyncManager):  # type: ignore[misc]  # the library is untyped
    """Keeps everybody in the one room that the library needs; a room for each, which nobody speaks to, is 1 KiB.

    Who goes is taken out of it: the library looks through a thousand rooms for theirs, 0.7 ms long.
    """

    def basic_enter_room(self, sid: str, namespace: str, room: str | None, eio_sid: str | None = None) -> None:
        if room is None:
            super().basic_enter_room(sid, namespace, room, eio_sid)

    def basic_disconnect(self, sid: str, namespace: str, **_: object) -> None:
        self.basic_leave_room(sid, namespace, None)
        self.callbacks.pop(sid, None)
        for pending in (self.pending_connect, self.pending_disconnect):
            if sid in pending.get(namespace, ()):
                pending[namespace].remove(sid)
                if not pending[namespace]:
                    del pending[namespace]
