"""One connection of this worker that hears the channels of the rooms it has sockets for.

Here live its reconnecting and its confirmations; what a message means to a room does not.
Invariant: while a table is subscribed, either the link lives, or `resubscribed()` will be called once it is
back; nothing but `close` ends the keeper of the link.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

import hiredis
import structlog
from redis.asyncio.connection import AbstractConnection

from server.ports import Listener, Published, StoreDownError
from server.store import answers
from server.store.link import Link, LostError, Reply

log = structlog.get_logger(__name__)

HEALTH_S: Final = 2.0
"""After this long without a word the store is asked for one; as long again without, the link is given up."""
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
        self._link: Link | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._heard_at = 0.0
        self._closed = False

    async def subscribe(self, table: str, listener: Listener) -> None:
        """Listen; returns once confirmed. A second listener replaces the first.

        Raises:
            StoreDownError: no confirmation came in time; the table is then not subscribed.
        """
        if self._closed:
            raise StoreDownError("closed")
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(), name="store subscriptions")
        channel = self._channel(table).encode()
        self._listeners[channel] = listener
        confirmed = self._waiting.get(channel)
        if confirmed is None:
            confirmed = self._waiting[channel] = asyncio.get_running_loop().create_future()
        self._ask_for([channel])
        try:
            async with asyncio.timeout(self._confirm_s):
                await asyncio.shield(confirmed)
        except (TimeoutError, asyncio.CancelledError) as error:
            # A future that was cancelled: the table was unsubscribed, or all was closed, meanwhile.
            in_vain = isinstance(error, TimeoutError) or confirmed.cancelled()
            if self._listeners.get(channel) is listener:
                await self.unsubscribe(table)
            if in_vain:
                raise StoreDownError("the subscription was not confirmed") from None
            raise

    async def unsubscribe(self, table: str) -> None:
        """Stop listening: from now on the listener is not called. Harmless when not listening."""
        channel = self._channel(table).encode()
        if self._listeners.pop(channel, None) is None:
            return
        if waiting := self._waiting.pop(channel, None):
            waiting.cancel()
        if self._link is not None:
            self._link.send(b"SUNSUBSCRIBE", channel)

    async def close(self) -> None:
        """End the link and its keeper; listeners are not called any more."""
        self._closed = True
        self._listeners.clear()
        for waiting in self._waiting.values():
            waiting.cancel()
        self._waiting.clear()
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
            await asyncio.sleep(0)  # the transport tells its end in the loop's next round

    def _ask_for(self, channels: list[bytes]) -> None:
        if self._link is None or not channels:
            return  # the keeper asks for everything as soon as it has a link
        for channel in channels:
            self._expected[channel] = self._expected.get(channel, 0) + 1
        self._link.send(b"SSUBSCRIBE", *channels)

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        pause = 0.05
        while True:
            ended = asyncio.Event()
            link = Link(self._take, ended.set)
            try:
                await link.connect(self._make, 2 * self._health_s)
                self._expected.clear()
                self._link = link
                self._heard_at = loop.time()
                channels = list(self._listeners)
                for i in range(0, len(channels), _SLICE):
                    self._ask_for(channels[i : i + _SLICE])
                pause = 0.05
                await self._watch(link, ended)
                log.warning("subscriptions_lost", tables=len(self._listeners))
            except LostError:
                log.warning("subscriptions_unreachable", tables=len(self._listeners))
            finally:
                self._link = None
                link.close()
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)

    async def _watch(self, link: Link, ended: asyncio.Event) -> None:
        """Return when the link is lost; find a half-dead one by its silence."""
        loop = asyncio.get_running_loop()
        asked_at: float | None = None
        while link.alive:
            if asked_at is not None and self._heard_at < asked_at:
                return  # Asked a whole wait ago, and nothing came: by the clock alone, a late wake would look the same.
            asked_at = None
            if loop.time() - self._heard_at >= self._health_s / 2:
                asked_at = loop.time()
                link.send(b"PING")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._health_s):
                    await ended.wait()

    def _take(self, reply: Reply) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        if isinstance(reply, hiredis.ReplyError):
            raise LostError(str(reply))  # MOVED, NOPERM, …: begin anew
        if not isinstance(reply, list):
            return  # PONG while no channel is subscribed
        parts: list[Any] = reply
        kind, channel = parts[0], parts[1]
        if kind == b"smessage":
            if listener := self._listeners.get(channel):
                self._hand_over(listener, parts[2])
        elif kind == b"ssubscribe":
            self._confirm(channel)
        elif kind == b"sunsubscribe" and channel in self._listeners and channel not in self._expected:
            raise LostError("unsubscribed by the store")  # its slot moved away: begin anew

    def _confirm(self, channel: bytes) -> None:
        left = self._expected.pop(channel, 1) - 1
        if left > 0:
            self._expected[channel] = left
        elif waiting := self._waiting.pop(channel, None):
            if not waiting.done():
                waiting.set_result(None)
        elif listener := self._listeners.get(channel):
            self._guarded(listener.resubscribed)

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
        elif isinstance(said, answers.WatchingMessage):
            self._guarded(listener.watching_changed, said.watching, said.at, said.gone)
        elif isinstance(said, answers.NoticeMessage):
            self._guarded(listener.noticed, said.guest, said.code)
        else:
            self._guarded(listener.deleted)

    def _guarded(self, hear: Callable[..., None], *args: object) -> None:
        try:
            hear(*args)
        except Exception as error:
            # Its contents are people's; only where it happened is told.
            log.error("listener_failed", call=getattr(hear, "__name__", "?"), error=type(error).__name__)
