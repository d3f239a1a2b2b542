"""A connection by hand whose other end hangs up while a frame is still on its way out."""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.wire.raw import RawSocket


async def _hang_up(request: web.Request) -> web.WebSocketResponse:
    websocket = web.WebSocketResponse()
    await websocket.prepare(request)
    await websocket.send_str("0{}")
    await asyncio.sleep(0.05)  # the sender's buffers fill, and it waits
    assert request.transport is not None
    request.transport.abort()
    return websocket


async def test_a_long_frame_into_a_connection_that_ends_is_heard_as_its_end() -> None:
    app = web.Application()
    app.router.add_get("/socket.io/", _hang_up)
    async with TestServer(app) as server:
        raw = await RawSocket.open(str(server.make_url("")).rstrip("/"), "t", join=False)
        try:
            await raw.say("x" * 32_000_000)
            assert await raw.ended()
        finally:
            await raw.close()
