"""One connection of this worker that hears the channels of the rooms it has sockets for.

Here lives the reader, its reconnecting and its confirmations; what a message means to a room does not.
Invariant: while a table is subscribed, either the connection lives, or `resubscribed()` will be called once
it is back; nothing but `close` ends the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import structlog
from redis.asyncio.connection import AbstractConnection

from server.ports import Listener, Published, StoreDownError
from server.store import answers
from server.store.connections import connect

log = structlog.get_logger(__name__)

HEALTH_S: Final = 2.0
"""After this long without a word the store is asked for one; as long again without, it is given up."""
CONFIRM_S: Final = 5.0
_SLICE: Final = 500


class Subscriptions:
    """Whose channels are heard, by table. Use from one loop only."""

    def __init__(
        self,
        make: Callable[[], AbstractConnection],
        channel: Callable[[str], str],
        *,
        health_s: float = HEALTH_S,
        confirm_s: float = CONFIRM_S,
    ) -> None:
        self._make = make
        self._channel = channel
        self._health_s = health_s
        self._confirm_s = confirm_s
        self._listeners: dict[bytes, Listener] = {}
        # Confirmations still to come, by channel: the last counts, since an unsubscribe may lie between.
        self._expected: dict[bytes, int] = {}
        self._waiting: dict[bytes, asyncio.Future[None]] = {}
        self._connection: AbstractConnection | None = None
        self._sending = asyncio.Lock()
        self._reader: asyncio.Task[None] | None = None
        self._closed = False

    async def subscribe(self, table: str, listener: Listener) -> None:
        """Listen; returns once confirmed. A second listener replaces the first.

        Raises:
            StoreDownError: no confirmation came in time; the table is then not subscribed.
        """
        if self._closed:
            raise StoreDownError("closed")
        if self._reader is None:
            self._reader = asyncio.create_task(self._read_for_ever(), name="store subscriptions")
        channel = self._channel(table).encode()
        self._listeners[channel] = listener
        confirmed = self._waiting.get(channel)
        if confirmed is None:
            confirmed = self._waiting[channel] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._confirm_s):
                if self._connection is not None:
                    await self._send(self._connection, b"SSUBSCRIBE", [channel])
                await asyncio.shield(confirmed)
        except TimeoutError:
            if self._listeners.get(channel) is listener:
                await self.unsubscribe(table)
            raise StoreDownError("the subscription was not confirmed in time") from None
        except asyncio.CancelledError:
            # Either the table was unsubscribed or all was closed meanwhile, or the caller was cancelled.
            if confirmed.cancelled():
                raise StoreDownError("unsubscribed meanwhile") from None
            if self._listeners.get(channel) is listener:
                del self._listeners[channel]
                self._waiting.pop(channel, None)
            raise

    async def unsubscribe(self, table: str) -> None:
        """Stop listening: from now on the listener is not called. Harmless when not listening."""
        channel = self._channel(table).encode()
        if self._listeners.pop(channel, None) is None:
            return
        if waiting := self._waiting.pop(channel, None):
            waiting.cancel()
        if self._connection is not None:
            await self._send(self._connection, b"SUNSUBSCRIBE", [channel])

    async def close(self) -> None:
        """End the reader and its connection; listeners are not called any more."""
        self._closed = True
        self._listeners.clear()
        for waiting in self._waiting.values():
            waiting.cancel()
        self._waiting.clear()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader

    async def _send(self, connection: AbstractConnection, verb: bytes, channels: Iterable[bytes]) -> None:
        """Send if this connection is still the one; a failure is the reader's to find and mend."""
        channels = list(channels)
        async with self._sending:
            if connection is not self._connection or not connection.is_connected:
                return
            if verb == b"SSUBSCRIBE":
                for channel in channels:
                    self._expected[channel] = self._expected.get(channel, 0) + 1
            try:
                await connection.send_command(verb, *channels, check_health=False)
            except Exception as error:
                log.warning("subscriptions_send_failed", error=type(error).__name__)
                await connection.disconnect(nowait=True)

    async def _read_for_ever(self) -> None:
        pause = 0.05
        while True:
            connection = self._make()
            try:
                async with asyncio.timeout(2 * self._health_s):
                    await connect(connection)
                self._expected.clear()
                self._connection = connection
                channels = list(self._listeners)
                for i in range(0, len(channels), _SLICE):
                    await self._send(connection, b"SSUBSCRIBE", channels[i : i + _SLICE])
                pause = 0.05
                await self._read(connection)
            except Exception as error:
                # Whatever it was (a lost connection, uvloop's RuntimeError, MOVED): begin anew.
                log.warning("subscriptions_lost", error=type(error).__name__, tables=len(self._listeners))
            finally:
                self._connection = None
                with contextlib.suppress(Exception):
                    await connection.disconnect(nowait=True)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)

    async def _read(self, connection: AbstractConnection) -> None:
        quiet = 0
        while True:
            # None at a time-out; the connection then stays whole.
            reply: Any = await connection.read_response(timeout=self._health_s, disconnect_on_error=False)
            if reply is not None:
                quiet = 0
                self._take(reply)
                continue
            quiet += 1
            if quiet > 1:
                raise TimeoutError("the store fell silent")
            await self._send(connection, b"PING", [])

    def _take(self, reply: Any) -> None:
        if not isinstance(reply, list):
            return  # PONG while no channel is subscribed
        kind, channel = reply[0], reply[1]
        if kind == b"smessage":
            if listener := self._listeners.get(channel):
                self._hand_over(listener, reply[2])
        elif kind == b"ssubscribe":
            left = self._expected.get(channel, 1) - 1
            if left > 0:
                self._expected[channel] = left
                return
            self._expected.pop(channel, None)
            listener = self._listeners.get(channel)
            if waiting := self._waiting.pop(channel, None):
                if not waiting.done():
                    waiting.set_result(None)
            elif listener:
                self._guarded(listener.resubscribed)
        elif kind == b"sunsubscribe" and channel in self._listeners and channel not in self._expected:
            # The server's own doing (a slot moved away): begin anew.
            raise ConnectionError("unsubscribed by the store")

    def _hand_over(self, listener: Listener, payload: bytes) -> None:
        try:
            said = answers.message(payload)
        except Exception as error:
            log.error("subscriptions_bad_message", error=type(error).__name__)
            return
        if isinstance(said, Published):
            self._guarded(listener.heard, said)
        elif isinstance(said, tuple):
            self._guarded(listener.presence_changed, *said)
        else:
            self._guarded(listener.deleted)

    def _guarded(self, hear: Callable[..., None], *args: object) -> None:
        try:
            hear(*args)
        except Exception as error:
            # Its contents are people's; only where it happened is told.
            log.error("listener_failed", call=getattr(hear, "__name__", "?"), error=type(error).__name__)
