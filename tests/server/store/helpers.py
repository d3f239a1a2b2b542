"""What the store's tests share: commits with defaults, a listener that remembers, a proxy that misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.ports import Batch, Commit, Committed, Outcome, Presence, Published
from server.store.valkey import ValkeyStore

TABLE = "0123456789ab"
EPOCH = "e" * 16
TTL = 60_000


async def open_table(store: ValkeyStore, table: str = TABLE, ttl_ms: int = TTL) -> Batch:
    batch = await store.open(table, epoch=EPOCH, state=b"s1", events='[{"type":"opened"}]', ttl_ms=ttl_ms)
    assert batch is not None
    return batch


def a_commit(expect_ver: int | None = 1, **changes: Any) -> Commit:
    """A commit with a state and one event, unless told otherwise."""
    fields: dict[str, Any] = {
        "table": TABLE,
        "expect_ver": expect_ver,
        "events": '[{"type":"ready","seat":0}]',
        "ttl_ms": TTL,
        "known_seq": 1,
        "state": b"s2",
    }
    return Commit(**{**fields, **changes})


def a_line(**changes: Any) -> Commit:
    """A commit without a state, as chat makes; over any version, unless told otherwise."""
    return a_commit(changes.pop("expect_ver", None), **{"state": None, **changes})


def committed(outcome: Outcome) -> Committed:
    assert isinstance(outcome, Committed), outcome
    return outcome


class Ear:
    """A listener that remembers what it heard."""

    def __init__(self) -> None:
        self.published: list[Published] = []
        self.presences: list[tuple[str, Presence]] = []
        self.watching: list[tuple[int, str]] = []
        self.notices: list[tuple[str, str]] = []
        self.deletions = 0
        self.resubscriptions = 0

    def heard(self, published: Published) -> None:
        self.published.append(published)

    def presence_changed(self, guest: str, presence: Presence) -> None:
        self.presences.append((guest, presence))

    def watching_changed(self, watching: int, at: int, gone: str) -> None:
        self.watching.append((watching, gone))

    def noticed(self, guest: str, code: str) -> None:
        self.notices.append((guest, code))

    def deleted(self) -> None:
        self.deletions += 1

    def resubscribed(self) -> None:
        self.resubscriptions += 1


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for something that happens elsewhere."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for cannot set an event
            await asyncio.sleep(0.005)


class Proxy:
    """Stands between a store's client and the store, on a unix socket, and loses things on demand."""

    def __init__(self, path: Path, upstream: str) -> None:
        self.path = path
        self.url = f"unix://{path}"
        self.lose_replies = 0
        """So many times, close instead of passing a reply on that has `losing` in it."""
        self.losing = b"$2\r\nok\r\n"
        self.lost = 0
        self.silent = False
        """Swallow every reply, and keep the connection."""
        self.connections = 0
        self._upstream = upstream
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Proxy:
        self._servers.append(await asyncio.start_unix_server(self._serve, self.path))
        return self

    async def serve_tls(self, port: int, context: ssl.SSLContext) -> None:
        """Stand on a port of this machine too, speaking TLS."""
        self._servers.append(await asyncio.start_server(self._serve, "127.0.0.1", port, ssl=context))

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        up_reader, up_writer = await asyncio.open_unix_connection(self._upstream)
        there = asyncio.ensure_future(self._pass(reader, up_writer))
        try:
            while data := await up_reader.read(65536):
                if self.lose_replies > 0 and self.losing in data:
                    self.lose_replies -= 1
                    self.lost += 1
                    break
                if not self.silent:
                    writer.write(data)
                    await writer.drain()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            there.cancel()
            await asyncio.gather(there, return_exceptions=True)
            for one in (writer, up_writer):
                one.close()
                with contextlib.suppress(OSError):
                    await one.wait_closed()
            self._tasks.discard(task)

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
