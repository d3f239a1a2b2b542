"""The adapter around python-socketio and python-engineio: the only file that touches their inside.

They keep the handshake, the pings, long-polling and the namespaces. Here every frame is read strictly before they see
it, and a packet to a websocket is written as one prepared frame, past their queue and its task. All packets of a
connection take the same way out, so none overtakes another; Engine.IO's own pings still go through the queue, where
order is nothing.
A crowd is written to in slices (fanout.py): what is late for a connection goes before all that is sent to it after.
`tests/server/transport/test_frames.py` says so when the libraries change.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import engineio
import socketio
from aiohttp import WSCloseCode, WSMsgType, web
from engineio.packet import CLOSE, MESSAGE, Packet

from server.transport import guard
from server.transport.fanout import Fanout, text_frame

engineio.payload.Payload.max_decode_packets = guard.MOST_PACKETS

PING_INTERVAL_S = 9
PING_TIMEOUT_S = 5
"""Together less than the 15 s within which a vanished phone must show."""
GOODBYE_S = 0.5
"""How long a closing websocket waits for the other end's goodbye: of one that vanished it never comes."""
SLOW_BYTES = 512 * 1024
"""Bytes waiting for a client that does not read, before it is dropped: it comes back and catches up."""
SLOW_PACKETS = 1_000
"""The same for long-polling, in packets."""

FLUSH_S = 0.2
"""How long a close waits for what is queued before it."""


class Connection:
    """One Engine.IO connection. Until `release`, what is sent waits: the namespace's own packet goes first."""

    def __init__(self, eio_sid: str, request: web.Request, server: Frames) -> None:
        """Belong to a request; the websocket comes later, if at all."""
        self.eio_sid = eio_sid
        self.request = request
        self.guest = ""
        self.ended = False
        self.being_let_in = False
        self.lost_by = ""
        """The libraries' reason, of one that ended while being let in."""
        self._server = server
        self._socket: web.WebSocketResponse | None = None
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
            if self._socket is None:
                self._queue(text)
            else:
                self._put(prepared or text_frame("4" + text))

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
        if self._socket is None:
            for text, _ in late:
                self._queue(text)
        else:
            self._put(b"".join([prepared for _, prepared in late]))

    def release(self) -> None:
        """Send what waited, and nothing waits any more."""
        waiting, self._waiting = self._waiting, None
        for text in waiting or ():
            self.send(text)

    def now(self, text: str) -> None:
        """Send a packet before all that waits (the namespace's own)."""
        if self._socket is None:
            self._queue(text)
        else:
            self._put(text_frame("4" + text))

    def heard(self) -> None:
        """Take note that a frame came in."""
        self._heard = time.monotonic()

    def opened(self, websocket: web.WebSocketResponse) -> None:
        """Write to this websocket from now on: the connection began with it."""
        self._socket = websocket

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
        websocket = self._socket or self._upgraded
        if websocket is not None:
            with contextlib.suppress(ConnectionError):
                await websocket.close(code=code, drain=False)
        elif session is not None:
            # Not by `eio.disconnect`: it waits until the client has fetched all, and one that is gone never does.
            await session.close(wait=False, abort=True, reason=self._server.reason.SERVER_DISCONNECT)

    def let_go(self) -> None:
        """Answer the poll that is open, if one is: the libraries leave it hanging for PING_INTERVAL_S and more."""
        session = self._server.eio.sockets.get(self.eio_sid)
        if self._socket is None and session is not None:
            session.queue.put_nowait(Packet(CLOSE))

    def _put(self, prepared: bytes) -> None:
        transport = self.request.transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > SLOW_BYTES:
            self.ended = True
            self._server.slow += 1
            transport.abort()
            return
        transport.write(prepared)

    def _queue(self, text: str) -> None:
        session = self._server.eio.sockets.get(self.eio_sid)
        if self.ended or session is None or session.closed:
            return
        if session.queue.qsize() > SLOW_PACKETS:
            self.ended = True
            self._server.slow += 1
            self._server.later(self.close())
            return
        session.queue.put_nowait(Packet(MESSAGE, data=text))


Joined = Callable[[Connection, object], Awaitable[dict[str, Any] | None]]
Left = Callable[[Connection], Awaitable[None]]
Happened = Callable[[Connection, guard.Event], Awaitable[None]]


class Frames(socketio.AsyncServer):  # type: ignore[misc]  # the library is untyped
    """A Socket.IO server that reads strictly and writes directly.

    `joined` decides a connect: None, or the connect error's data. `left` hears of the end, `happened` of each event.
    """

    def __init__(self, joined: Joined, left: Left, happened: Happened) -> None:
        """Serve the default namespace, over websockets and long-polling."""
        super().__init__(
            client_manager=_Manager(),
            async_mode="aiohttp",
            cors_allowed_origins=[],  # ours to judge (origin.py), before a request gets here
            ping_interval=PING_INTERVAL_S,
            ping_timeout=PING_TIMEOUT_S,
            max_http_buffer_size=guard.LARGEST,
            http_compression=False,
            monitor_clients=True,
        )
        self.connections: dict[str, Connection] = {}
        self.slow = 0
        self._happened = happened
        self._tasks: set[asyncio.Task[None]] = set()
        self._fanout = Fanout()
        self.eio._async = {
            **self.eio._async,
            "websocket": self._driver,
            "translate_request": _translated(
                self.eio._async["translate_request"], self._heard_polling, self._ended_by_garbage
            ),
        }

        async def connect(sid: str, environ: dict[str, Any], auth: object = None) -> None:
            connection = self.connections[self._eio_sid(sid)]
            refused = await joined(connection, auth)
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
        """End every connection, and the libraries' own tasks."""
        closing = [connection.close(code) for connection in self.connections.copy().values()]
        await asyncio.gather(*closing, return_exceptions=True)
        if self.eio.service_task_handle is not None:
            await self.shutdown()

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
        self.connections[eio_sid] = Connection(eio_sid, environ["aiohttp.request"], self)

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

    async def _handle_eio_message(self, eio_sid: str, data: object) -> None:
        connection = self.connections.get(eio_sid)
        if connection is None or connection.ended:
            return
        connection.heard()
        match guard.packet(str(data)):
            case guard.Event() as event if connection.connected:
                await self._happened(connection, event)
            case guard.Connect(auth) if not connection.connected and not connection.being_let_in:
                await self._let_in(connection, auth)
            case _:
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
            connection.release()

    # --- Outbound: the libraries' own packets, on the same way as ours -----------------------------------------------

    async def _send_packet(self, eio_sid: str, pkt: Any) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            connection.now(pkt.encode())

    # --- The edges ---------------------------------------------------------------------------------------------------

    def _driver(self, handler: Callable[[Any], Awaitable[None]], server: engineio.AsyncServer) -> _WebSocket:
        return _WebSocket(handler, self)

    def _heard_polling(self, eio_sid: str) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            connection.heard()

    async def _ended_by_garbage(self, eio_sid: str) -> None:
        connection = self.connections.get(eio_sid)
        if connection is not None:
            await connection.close()


class _Manager(socketio.AsyncManager):  # type: ignore[misc]  # the library is untyped
    """Takes who goes out of the two rooms they are in; the library looks through a thousand for it, 0.7 ms long."""

    def basic_disconnect(self, sid: str, namespace: str, **_: object) -> None:
        for room in (sid, None):
            self.basic_leave_room(sid, namespace, room)
        self.callbacks.pop(sid, None)
        for pending in (self.pending_connect, self.pending_disconnect):
            if sid in pending.get(namespace, ()):
                pending[namespace].remove(sid)
                if not pending[namespace]:
                    del pending[namespace]


class _WebSocket:
    """engineio's websocket driver for aiohttp, with every inbound frame read strictly."""

    def __init__(self, handler: Callable[[Any], Awaitable[None]], frames: Frames) -> None:
        self._handler = handler
        self._frames = frames
        # No permessage-deflate: 32 KiB a connection instead of 132 to 228.
        self._socket = web.WebSocketResponse(max_msg_size=guard.LARGEST, compress=False, timeout=GOODBYE_S)

    async def __call__(self, environ: dict[str, Any]) -> web.WebSocketResponse:
        await self._socket.prepare(environ["aiohttp.request"])
        session: Any = self._handler.__self__  # type: ignore[attr-defined]  # engineio's AsyncSocket
        self._connection = self._frames.connections.get(session.sid)
        self._polled_before = session.connected
        if self._connection is not None and not self._polled_before:
            self._connection.opened(self._socket)
        try:
            await self._handler(self)
        finally:
            if self._polled_before and not session.upgraded:
                # The probe came to nothing: polling goes on, which the library leaves waiting for the upgrade's end.
                session.upgrading = False
            else:
                # Whatever ended the library's loop, also an exception on its way out: no connection stays as a ghost.
                await session.close(wait=False, abort=True, reason=self._frames.reason.TRANSPORT_CLOSE)
        return self._socket

    async def close(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self._socket.close(drain=False)

    async def send(self, message: str) -> None:
        await self._socket.send_str(message)

    async def wait(self) -> str:
        message = await self._socket.receive()
        if message.type is not WSMsgType.TEXT:
            await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA, drain=False)
            raise OSError
        if self._connection is not None:
            self._connection.heard()
        try:
            text = guard.frame(message.data)
        except guard.MalformedError:
            await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, drain=False)
            raise OSError from None
        if text == "5" and self._connection is not None and self._polled_before:
            self._connection.upgraded(self._socket)
        return text


def _translated(
    translate: Callable[[web.Request], dict[str, Any]],
    heard: Callable[[str], None],
    garbage: Callable[[str], Awaitable[None]],
) -> Callable[[web.Request], Awaitable[dict[str, Any]]]:
    """Return engineio's request translation with a long-polling body read whole, and strictly, beforehand.

    Each request is a sign of life: the libraries tell of a poller's pongs to nobody.
    """

    async def translated(request: web.Request) -> dict[str, Any]:
        environ = translate(request)
        heard(request.query.get("sid", ""))
        if request.method == "POST":
            try:
                body = await request.content.read(guard.LARGEST + 1)
                while len(body) <= guard.LARGEST and (more := await request.content.read(guard.LARGEST + 1)):
                    body += more
                guard.payload(body)
            except guard.MalformedError:
                await garbage(request.query.get("sid", ""))
                raise web.HTTPBadRequest from None
            environ["wsgi.input"] = _Body(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        return environ

    return translated


class _Body(io.BytesIO):
    """A body that was read already, as engineio reads it."""

    async def read(self, size: int | None = -1, /) -> bytes:  # type: ignore[override]  # awaited by engineio
        return super().read(size)
