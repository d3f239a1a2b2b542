"""The relay itself: what it passes, holds, freezes and cuts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.wire.relay import Relay


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    """A relay before a server that sends back whatever it gets."""

    echoing: set[asyncio.Task[None] | None] = set()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        echoing.add(asyncio.current_task())
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(1024):
                writer.write(chunk)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    relay = Relay(server.sockets[0].getsockname()[1])
    await relay.start()
    yield relay
    await relay.stop()
    server.close()
    await asyncio.gather(*(task for task in echoing if task))


async def nothing_comes(reader: asyncio.StreamReader) -> bool:
    try:
        await asyncio.wait_for(reader.read(1), 0.1)
    except TimeoutError:
        return True
    return False


async def test_it_holds_what_comes_back_and_passes_it_on_in_order(relay: Relay) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(b"one")
    assert await reader.readexactly(3) == b"one"
    relay.hold_back()
    writer.write(b"two")
    await relay.holds(b"two")
    writer.write(b"three")
    await relay.holds(b"three")
    assert await nothing_comes(reader)
    relay.release()
    assert await reader.readexactly(8) == b"twothree"
    writer.close()


async def test_frozen_it_passes_nothing_either_way_and_closes_nothing(relay: Relay) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(b"one")
    assert await reader.readexactly(3) == b"one"
    relay.freeze()
    writer.write(b"two")
    assert await nothing_comes(reader)
    assert relay.held == b"", "it did not get there"
    relay.release()
    assert await reader.readexactly(3) == b"two"
    writer.close()


async def test_cut_it_ends_what_there_is_and_refuses_what_comes_until_it_is_restored(relay: Relay) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(b"one")
    assert await reader.readexactly(3) == b"one"
    relay.cut()
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await reader.readexactly(1)
    writer.close()
    other, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await other.readexactly(1)
    writer.close()
    relay.restore()
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(b"two")
    assert await reader.readexactly(3) == b"two"
    writer.close()
