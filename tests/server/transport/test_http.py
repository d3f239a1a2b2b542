"""The whole application: what joins it, and who cannot hold it up."""

from __future__ import annotations

import asyncio
import contextlib

from aiohttp import web

from server.config import Config
from server.store.valkey import ValkeyStore
from server.transport.http import create_app, make_runner


class Joined:
    """Sockets that answer plainly."""

    def attach(self, app: web.Application) -> None:
        async def answer(_: web.Request) -> web.Response:
            return web.Response(text="joined")

        app.router.add_get("/socket.io/", answer)


async def running(store: ValkeyStore, idle_s: float) -> tuple[web.AppRunner, int]:
    runner = make_runner(create_app(Config(), store, Joined()), idle_s=idle_s)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, runner.addresses[0][1]


async def test_what_attaches_is_served(store: ValkeyStore) -> None:
    runner, port = await running(store, 5)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /socket.io/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert (await reader.read()).endswith(b"joined")
    writer.close()
    await runner.cleanup()


async def test_slow_headers_end_the_connection(store: ValkeyStore) -> None:
    runner, port = await running(store, 0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: ")
    for _ in range(2):
        await asyncio.sleep(0.1)
        writer.write(b"x")
    with contextlib.suppress(ConnectionResetError):  # What was still being sent when it closed is answered so.
        assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    await runner.cleanup()


async def test_endless_headers_are_refused(store: ValkeyStore) -> None:
    runner, port = await running(store, 5)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n")
    assert b" 400 " in await asyncio.wait_for(reader.readline(), 3)
    writer.close()
    await runner.cleanup()
