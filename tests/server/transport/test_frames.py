"""The adapter fits the libraries as they are, and its frames are the standard's. When this fails, read frames.py."""

from __future__ import annotations

import asyncio
import inspect
import json

import engineio
import socketio
from aiohttp import ClientWebSocketResponse
from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader
from engineio.async_socket import AsyncSocket
from hypothesis import given
from hypothesis import strategies as st

from server.transport.frames import SLOW_BYTES, Frames, text_frame
from server.transport.sockets import Sockets
from tests.server.store.helpers import until
from tests.server.transport.conftest import Client
from tests.server.transport.test_garbage import made, raw, sockets, texts

__all__ = ["sockets"]  # the fixture


def test_what_is_overridden_is_there_with_the_same_parameters() -> None:
    for name in ("_handle_eio_connect", "_handle_eio_message", "_handle_eio_disconnect", "_send_packet"):
        theirs = inspect.signature(getattr(socketio.AsyncServer, name))
        ours = inspect.signature(getattr(Frames, name))
        assert list(ours.parameters) == list(theirs.parameters), name
    assert list(inspect.signature(socketio.AsyncServer._handle_connect).parameters)[1:] == [
        "eio_sid",
        "namespace",
        "data",
    ]


def test_the_driver_table_has_the_places_that_are_replaced() -> None:
    server = engineio.AsyncServer(async_mode="aiohttp")
    assert {"websocket", "translate_request"} <= set(server._async)
    assert "self.server._async['websocket']" in inspect.getsource(AsyncSocket._upgrade_websocket)
    session = AsyncSocket(server, "x")
    assert hasattr(session, "queue")
    assert (session.closed, session.connected) == (False, False)


@given(st.text(max_size=70_000).filter(lambda text: text.isprintable()))
def test_a_frame_reads_as_the_text_that_it_carries(text: str) -> None:
    async def read() -> str:
        loop = asyncio.get_running_loop()
        from unittest.mock import Mock

        queue = WebSocketDataQueue(Mock(_reading_paused=False), 2**20, loop=loop)
        reader = WebSocketReader(queue, 2**20, compress=False, decode_text=True)
        reader.feed_data(text_frame(text))
        return str((await queue.read()).data)

    assert asyncio.run(read()) == text


def test_frame_lengths_at_their_borders() -> None:
    for size, header in ((125, 2), (126, 4), (65_535, 4), (65_536, 10)):
        assert len(text_frame("x" * size)) == size + header


async def test_a_client_that_never_reads_is_dropped_and_its_memory_freed(sockets: tuple[Sockets, Client]) -> None:
    served, client = sockets
    table = await made(client)
    deaf: ClientWebSocketResponse = await raw(client, table)
    await texts(deaf, '42["moment"')
    transport = deaf.get_extra_info("socket")
    assert transport is not None
    deaf._reader._protocol.pause_reading()  # nothing is read any more
    (connection,) = served._frames.connections.values()
    long = "2" + json.dumps(["noise", "x" * 60_000])
    for _ in range(200):
        connection.send(long)
        await asyncio.sleep(0)
    assert connection.ended
    assert served._frames.slow == 1
    assert SLOW_BYTES < 1_000_000
    await until(lambda: not len(served))
