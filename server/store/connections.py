"""A few connections to the store, each lent for one question at a time, without any retry of redis-py's own.

Here lives what to do about a lost or late answer, and nothing about what is asked. Invariant: a connection
whose answer is uncertain is closed, never lent again with a late answer in it.

redis-py's clients retry by themselves and cost more a call, and their default pool refuses instead of
waiting; hence its bare `Connection`, which does handshake, TLS and parsing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    InvalidResponse,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)

from server.ports import StoreDownError, StoreFullError
from server.store.scripts import Script

T = TypeVar("T")

ANSWER_S: Final = 2.0
"""How long one answer, with its connecting, may take before the connection is given up."""
TOTAL_S: Final = 5.0
"""How long a question is asked again, in all, before the store counts as down."""

# What leaves it open whether the question was done. RuntimeError is uvloop's word for a closed transport.
_UNCERTAIN: Final = (
    RedisConnectionError,
    RedisTimeoutError,
    InvalidResponse,
    OSError,
    TimeoutError,
    RuntimeError,
)


def connection_factory(url: str) -> Callable[[], AbstractConnection]:
    """Return what makes unconnected connections of a redis://, rediss:// or unix:// URL.

    RESP2, since then published messages are plain arrays; no time-outs of redis-py's, since they cost a task
    a call: whoever uses a connection sets its own.
    """
    pool = ConnectionPool.from_url(
        url, protocol=2, retry=Retry(NoBackoff(), 0), socket_timeout=None, socket_connect_timeout=None
    )
    return pool.make_connection


def refusal(error: RedisError) -> StoreDownError:
    """Turn the store's own refusal into ours: full (memory, or the disk under its log), or down."""
    text = str(error)
    if isinstance(error, OutOfMemoryError) or text.startswith(("MISCONF", "OOM")):
        return StoreFullError(text)
    return StoreDownError(text)


class Connections:
    """At most `size` connections; who comes when all are lent waits."""

    def __init__(
        self,
        make: Callable[[], AbstractConnection],
        *,
        size: int = 16,
        answer_s: float = ANSWER_S,
        total_s: float = TOTAL_S,
    ) -> None:
        self._make = make
        self._answer_s = answer_s
        self._total_s = total_s
        self._idle: list[AbstractConnection] = []
        self._places = asyncio.Semaphore(size)
        self._closed = False

    async def ask(
        self,
        question: Callable[[AbstractConnection], Awaitable[T]],
        *,
        again: bool = True,
        total_s: float | None = None,
    ) -> T:
        """Ask on one connection; again on another while the answer is uncertain (unless `again` is False).

        Raises:
            StoreFullError: the store refused for want of room.
            StoreDownError: it refused otherwise, or no certain answer came in time.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + (self._total_s if total_s is None else total_s)
        pause = 0.02
        while True:
            left = until - loop.time()
            try:
                async with asyncio.timeout(min(self._answer_s, max(left, 0.01))):
                    return await self._once(question)
            except ReadOnlyError as error:
                # A replica now: the primary may be behind the same address for a new connection.
                await self._drop_idle()
                raise refusal(error) from error
            except _UNCERTAIN as error:
                await self._drop_idle()
                wait = pause * random.uniform(0.5, 1.5)
                if self._closed or not again or loop.time() + wait >= until:
                    raise StoreDownError(f"no certain answer: {type(error).__name__}") from error
                await asyncio.sleep(wait)
                pause = min(pause * 2, 0.5)
            except RedisError as error:
                raise refusal(error) from error

    async def _once(self, question: Callable[[AbstractConnection], Awaitable[T]]) -> T:
        async with self._places:
            if self._closed:
                raise RuntimeError("closed")
            connection = self._idle.pop() if self._idle else self._make()
            try:
                if not connection.is_connected:
                    await connect(connection)
                return await question(connection)
            except BaseException as error:
                # A refusal is a whole answer; after anything else one may still be on its way.
                if not isinstance(error, RedisError) or isinstance(error, _UNCERTAIN):
                    await connection.disconnect(nowait=True)
                raise
            finally:
                if connection.is_connected and not self._closed:
                    self._idle.append(connection)
                elif connection.is_connected:
                    await connection.disconnect(nowait=True)

    async def _drop_idle(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect(nowait=True)

    async def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        self._closed = True
        await self._drop_idle()


async def connect(connection: AbstractConnection) -> None:
    """Connect, with the URL's password and database; raises redis-py's errors."""
    await connection.connect()  # type: ignore[no-untyped-call]  # redis-py left it untyped


async def command(connection: AbstractConnection, *parts: str | bytes | int) -> object:
    """Send one command and return its answer, as RESP2 gives it."""
    await connection.send_command(*parts)
    answer: object = await connection.read_response()
    return answer


async def run(
    connection: AbstractConnection, script: Script, keys: tuple[str, ...], *args: str | bytes | int
) -> object:
    """Run a script; where the server forgot it, send its text in the same step as the call."""
    try:
        return await command(connection, "EVALSHA", script.sha, len(keys), *keys, *args)
    except NoScriptError:
        return await command(connection, "EVAL", script.text, len(keys), *keys, *args)
