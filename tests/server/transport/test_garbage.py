"""Frames in and out, through the real libraries: what is ended, what is answered, and that no ghost stays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
import socketio
from aiohttp import WSMsgType
from aiohttp.test_utils import TestClient

from server.store.valkey import ValkeyStore
from server.transport.http import create_app
from server.transport.keys import Health
from server.transport.sockets import Sockets
from tests.server.store.helpers import until
from tests.server.transport.conftest import Client

Raw = aiohttp.ClientWebSocketResponse
RawTo = Callable[..., Awaitable[Raw]]


@pytest.fixture
async def sockets(store: ValkeyStore, built: Any) -> AsyncIterator[tuple[Sockets, Client]]:
    """A worker with its sockets, and a client of it."""
    from aiohttp.test_utils import TestServer

    from server.config import Config

    config = Config(app_dir=built, rate_tables=0)
    sockets = Sockets(config, store)
    client: Client = TestClient(TestServer(create_app(config, store, sockets, Health())))
    await client.start_server()
    yield sockets, client
    await sockets.drain()
    await client.close()


async def made(client: Client, **wanted: object) -> str:
    async with client.post("/api/tables", json={"name": "Asha", **wanted}) as answer:
        return str((await answer.json())["id"])


async def raw(client: Client, table: str | None, **headers: str) -> Raw:
    """Open a bare websocket, with the cookie jar's cookie and our own Origin; join the table if one is given."""
    origin = {"Origin": f"http://{client.host}:{client.port}", **headers}
    socket = await client.session.ws_connect(
        client.make_url("/socket.io/?EIO=4&transport=websocket"), headers=origin, compress=15
    )
    assert (await socket.receive_str()).startswith("0{")
    if table is not None:
        await socket.send_str("40" + json.dumps({"table": table}))
    return socket


async def texts(socket: Raw, last: str) -> list[str]:
    """Receive texts up to and including the first that starts so."""
    heard = []
    async with asyncio.timeout(5):
        while True:
            heard.append(await socket.receive_str())
            if heard[-1].startswith(last):
                return heard


async def ended(socket: Raw) -> int | None:
    """Receive until the connection ends; returns the close code."""
    async with asyncio.timeout(5):
        while (await socket.receive()).type is WSMsgType.TEXT:
            pass
    return socket.close_code


async def test_the_namespaces_own_packet_comes_before_all_else(sockets: tuple[Sockets, Client]) -> None:
    _, client = sockets
    socket = await raw(client, await made(client))
    heard = await texts(socket, '42["moment"')
    assert [text[:10] for text in heard] == ['40{"sid":"', '42["snapsh', '42["you",{', '42["moment']


async def test_every_command_is_answered(sockets: tuple[Sockets, Client]) -> None:
    _, client = sockets
    socket = await raw(client, await made(client))
    await texts(socket, '42["moment"')
    for ack, packet in enumerate(('["rename",{"id":"r"}]', '["reveal",{"n":1}]', '["nosuch",{}]', '["sync"]')):
        await socket.send_str(f"42{ack}{packet}")
    heard: list[str] = []
    async with asyncio.timeout(5):
        while len(heard) < 4:
            heard += [text for text in [await socket.receive_str()] if text.startswith("43")]
    answers = [json.loads(text[3:])[0] for text in heard]
    codes = [answer.get("code") for answer in answers]
    assert sorted(filter(None, codes)) == ["bad_request"] * 2 + ["not_started"]
    assert {"ok": True, "seq": 1} in answers
    assert all(answer["message"] for answer in answers if not answer["ok"])


@pytest.mark.parametrize("transport", ["websocket", "polling"])
async def test_the_usual_client_plays_by_either_transport(sockets: tuple[Sockets, Client], transport: str) -> None:
    _, client = sockets
    table = await made(client, kind="computers", computers=1)
    cookie = "; ".join(f"{c.key}={c.value}" for c in client.session.cookie_jar)
    person = socketio.AsyncClient()
    got: list[str] = []
    person.on("snapshot", lambda _: got.append("snapshot"))
    person.on("events", lambda batch: got.extend(event["type"] for event in batch["events"]))
    await person.connect(
        str(client.make_url("/")),
        headers={"Cookie": cookie, "Origin": f"http://{client.host}:{client.port}"},
        auth={"table": table},
        transports=[transport],
    )
    try:
        assert (await person.call("start", {"id": "go"}))["ok"]
        assert (await person.call("reveal", {"n": 1}))["ok"]
        assert got[:3] == ["snapshot", "dealt", "revealed"]
    finally:
        await person.disconnect()


@pytest.mark.parametrize(
    "frame",
    ["", "4", "hello", '42["connect",{"a":1}]', "42" + "[" * 9_000, '42["reveal",{"n":NaN}]', '451-["x",0]', "41"],
)
async def test_what_no_honest_client_sends_ends_or_is_refused(sockets: tuple[Sockets, Client], frame: str) -> None:
    served, client = sockets
    socket = await raw(client, await made(client))
    await texts(socket, '42["moment"')
    if "connect" in frame:
        await socket.send_str("427" + frame[2:])
        assert json.loads((await texts(socket, "437"))[-1][3:])[0]["code"] == "bad_request"
        return
    await socket.send_str(frame)
    await ended(socket)
    await until(lambda: not len(served))


async def test_an_event_before_the_connect_and_a_second_connect_end_it(sockets: tuple[Sockets, Client]) -> None:
    _, client = sockets
    table = await made(client)
    early = await raw(client, None)
    await early.send_str('42["sync"]')
    await ended(early)
    twice = await raw(client, table)
    await texts(twice, '42["moment"')
    await twice.send_str("40" + json.dumps({"table": table}))
    await ended(twice)


async def test_binary_frames_end_it(sockets: tuple[Sockets, Client]) -> None:
    _, client = sockets
    socket = await raw(client, None)
    await socket.send_bytes(b"\x04hello")
    await ended(socket)


async def test_no_permessage_deflate(sockets: tuple[Sockets, Client]) -> None:
    _, client = sockets
    socket = await raw(client, None)
    assert socket.compress == 0
