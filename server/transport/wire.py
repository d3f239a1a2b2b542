"""A websocket of our own: the transport of a connection that began as one, taken over from aiohttp once it is open.

aiohttp shakes hands and reads frames (its compiled reader); what it keeps for a request, and a task that wakes for
each frame, is let go: two thirds of a connection's memory. Each text goes straight to `heard`.
Invariant: after `lost` nothing is heard or written; it is called once, whatever ended the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader
from aiohttp._websocket.writer import WebSocketWriter
from aiohttp.http_websocket import WebSocketError

log = structlog.get_logger()

GOODBYE_S = 0.3
"""How long a closing websocket waits for the other end's goodbye: of one that vanished it never comes."""

SLOW_BYTES = 512 * 1024
"""Bytes waiting for a client that does not read, before it is dropped: it comes back and catches up."""

_PONG, _CLOSE = 0x8A, 0x88


class Wire(asyncio.Protocol):
    """An open websocket (RFC 6455) to a client; `take_over` makes it."""

    __slots__ = ("_closed", "_goodbye", "_heard", "_loop", "_lost", "_out", "_reader", "_slow", "_transport")

    def __init__(
        self, largest: int, heard: Callable[[str], None], lost: Callable[[], None], slow: Callable[[], None]
    ) -> None:
        """Read texts of `largest` bytes at the most; `heard` takes each, `lost` the end.

        `slow` is told before that if the client does not read what it is sent, and is dropped.
        """
        self._heard = heard
        self._lost = lost
        self._slow = slow
        self._loop = asyncio.get_running_loop()
        self._out: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._goodbye: asyncio.TimerHandle | None = None
        self._closed: asyncio.Future[None] | None = None
        self._reader = WebSocketReader(_Inbox(self), largest, compress=False, decode_text=True)

    def take_over(self, transport: asyncio.Transport, greeting: bytes, already_read: bytes) -> None:
        """Write a greeting, and read from this transport from now on: first what was read of it before."""
        self._transport = transport
        transport.set_protocol(self)
        transport.resume_reading()  # aiohttp stops reading where much has come with the request
        transport.write(greeting)
        if already_read:
            self.data_received(already_read)

    def write(self, frames: bytes) -> None:
        """Write whole frames, together with what else is written in this round of the loop.

        A write is a call of the system, and a tenth of what a reveal costs each of its people. Quietly nothing once it
        is closing.
        """
        if self._goodbye is None:
            self._out.append(frames)
            if len(self._out) == 1:
                self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        out = self._out
        if not out:
            return
        frames = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > SLOW_BYTES:
            self._slow()
            transport.abort()
        else:
            transport.write(frames)

    def waiting(self) -> int:
        """Return how many bytes wait for the client to read."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    async def close(self, code: int) -> None:
        """Say goodbye with this code; return when it has ended: once the client has said so too, or GOODBYE_S later."""
        self._say_goodbye(code)
        if self._transport is not None:
            if self._closed is None:
                self._closed = self._loop.create_future()
            await asyncio.shield(self._closed)

    def _say_goodbye(self, code: int) -> None:
        transport = self._transport
        if transport is not None and self._goodbye is None and not transport.is_closing():
            self._flush()
            transport.write(bytes((_CLOSE, 2)) + code.to_bytes(2, "big"))
            self._goodbye = self._loop.call_later(GOODBYE_S, self._part)

    def _part(self) -> None:
        transport = self._transport
        if transport is not None and transport.get_write_buffer_size():
            transport.abort()
        elif transport is not None:
            transport.close()

    # --- What asyncio and the reader call ----------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Read frames."""
        self._reader.feed_data(data)

    def eof_received(self) -> bool:
        """End with the client's end."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """Tell of the end, once."""
        self._transport = None
        if self._goodbye is not None:
            self._goodbye.cancel()
        if self._closed is not None:
            self._closed.set_result(None)
        self._lost()

    def came(self, message: Any) -> None:
        """Take a whole message, or a control frame."""
        kind, data, _ = message
        if kind is WSMsgType.CLOSE:
            self._say_goodbye(data or WSCloseCode.OK)
            if self._transport is not None:
                self._transport.close()
        elif self._goodbye is not None:
            return  # What comes after our goodbye is not heard.
        elif kind is WSMsgType.TEXT:
            self._heard(data)
        elif kind is WSMsgType.PING:
            self.write(bytes((_PONG, len(data))) + bytes(data))
        elif kind is not WSMsgType.PONG:
            self._say_goodbye(WSCloseCode.UNSUPPORTED_DATA)

    def failed(self, error: BaseException) -> None:
        """Say what was wrong with a frame, and end. Whatever else was raised by it is a fault of ours."""
        if isinstance(error, WebSocketError):
            self._say_goodbye(error.code)
        else:
            log.error("a frame failed", error=type(error).__name__)
            self._say_goodbye(WSCloseCode.INTERNAL_ERROR)


class _Inbox(WebSocketDataQueue):
    """Where aiohttp's reader puts messages: handed on at once, so none is ever kept here (nor a queue made)."""

    def __init__(self, wire: Wire) -> None:
        self._protocol = wire  # type: ignore[assignment]  # a slot of the base class's, else unused

    def feed_data(self, message: Any, size: int) -> None:
        cast(Wire, self._protocol).came(message)

    def set_exception(self, error: BaseException, cause: BaseException | None = None) -> None:
        cast(Wire, self._protocol).failed(error)


class Handover(web.WebSocketResponse):
    """The answer to a websocket's handshake after which aiohttp lets go of the connection."""

    def __init__(self, wire: Wire, greeting: bytes) -> None:
        """Hand over to this wire, on which the greeting is the first to be said."""
        super().__init__(compress=False)
        self._wire = wire
        self._greeting = greeting

    def _post_start(self, request: web.BaseRequest, protocol: str | None, writer: WebSocketWriter) -> None:
        handler = request.protocol
        transport, handler.transport = handler.transport, None
        already_read, handler._message_tail = handler._message_tail, b""
        # To aiohttp this connection is over: it must neither close the transport nor wait for another request on it.
        handler.connection_lost(None)
        if transport is None:
            self._wire.connection_lost(None)  # it went in this very moment
        else:
            self._wire.take_over(transport, self._greeting, already_read)

    async def write_eof(self) -> None:  # type: ignore[override]  # as aiohttp's own does
        """Write nothing: what comes now is the wire's."""
