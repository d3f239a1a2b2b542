"""One connection to the store that sends without waiting and hands over every reply as it comes.

redis-py connects (URL, TLS, password, database); then its transport is taken over, since its own way of
asking costs several times as much a call. The only file that touches redis-py's inside.
Invariant: after `lost` was called nothing is sent or handed over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, cast

import hiredis
import structlog
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

Reply = object
"""As RESP2 gives it: bytes, int, None, a list of such, or hiredis.ReplyError for the store's refusal."""

_NOTHING_YET: Final = object()


class LostError(Exception):
    """The connection could not be made, or ended, or was given up; what was asked on it is uncertain."""


def connection_factory(url: str) -> Callable[[], AbstractConnection]:
    """Return what makes unconnected connections of a redis://, rediss:// or unix:// URL.

    RESP2, since then published messages are plain arrays. Without redis-py's time-outs and retries: whoever
    connects has its own.
    """
    pool = ConnectionPool.from_url(
        url, protocol=2, retry=Retry(NoBackoff(), 0), socket_timeout=None, socket_connect_timeout=None
    )
    return pool.make_connection


class Link(asyncio.Protocol):
    """A live connection; `connect` makes it, `close` or a loss ends it, and then `lost` is called once."""

    def __init__(self, replied: Callable[[Reply], None], lost: Callable[[], None]) -> None:
        self._replied = replied
        self._lost = lost
        self._reader = hiredis.Reader(notEnoughData=_NOTHING_YET)
        self._out: list[bytes] = []
        self._connection: AbstractConnection | None = None
        self._transport: asyncio.Transport | None = None

    async def connect(self, make: Callable[[], AbstractConnection], wait_s: float) -> None:
        """Connect and log in.

        Raises:
            LostError: not within `wait_s`, or refused.
        """
        connection = make()
        try:
            async with asyncio.timeout(wait_s):
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py left it untyped
            writer = connection._writer
            if writer is None:
                raise LostError("closed at once")
            transport = cast(asyncio.Transport, writer.transport)
            transport.set_protocol(self)
            self._connection, self._transport = connection, transport
            if transport.is_closing():
                raise LostError("closed at once")
        except (RedisError, OSError, TimeoutError, RuntimeError) as error:
            await connection.disconnect(nowait=True)
            raise LostError(f"{type(error).__name__}: {error}") from error
        except BaseException:
            await connection.disconnect(nowait=True)
            raise

    @property
    def alive(self) -> bool:
        """Whether it is connected and not lost."""
        return self._transport is not None and not self._transport.is_closing()

    def send(self, *parts: str | bytes | int) -> None:
        """Send one command, with all that this round of the loop sends; its reply comes in turn.

        Quietly nothing when the link is lost.
        """
        if self.alive:
            self._out.append(hiredis.pack_command(parts))  # type: ignore[arg-type]  # any length
            if len(self._out) == 1:
                asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        out, self._out = self._out, []
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))

    def close(self) -> None:
        """End it at once, whatever is on its way."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Hand over every whole reply (asyncio calls this)."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not _NOTHING_YET:
                self._replied(reply)
        except Exception as error:
            # Not RESP, or not what was asked for: nothing after it can be understood.
            log.error("store_link_given_up", error=type(error).__name__)
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        """Let go of everything, and tell (asyncio calls this)."""
        self._transport = None
        if self._connection is not None:
            # Its transport is closed; what it would do at its end, to this loop, is done.
            self._connection._reader = self._connection._writer = None
            self._connection = None
        self._lost()
