"""A websocket taken over from aiohttp: frames of every kind, the end from either side, and nothing left behind."""

from __future__ import annotations

import asyncio
import base64
import inspect
import os
import struct
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import ClientSession, WSMsgType, web
from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader

from server.transport.fanout import text_frame
from server.transport.wire import Handover, Wire
from tests.server.store.helpers import until

TEXT, CONTINUED, BINARY, CLOSE, PING, PONG, LAST = 1, 0, 2, 8, 9, 10, 0x80


def masked(kind: int, payload: bytes) -> bytes:
    """Return a client's frame (RFC 6455, section 5.2)."""
    mask = os.urandom(4)
    size = bytes((0x80 | len(payload),)) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes((kind,)) + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


class Echo:
    """A server whose wires repeat what they hear."""

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self.heard: list[str] = []
        self.lost = 0
        self.delay = 0.0
        app = web.Application()
        app.router.add_get("/", self._open)
        self.runner = web.AppRunner(app)

    async def _open(self, request: web.Request) -> web.WebSocketResponse:
        def heard(text: str) -> None:
            self.heard.append(text)
            wire.write(text_frame(text))

        def lost() -> None:
            self.lost += 1

        await asyncio.sleep(self.delay)
        wire = Wire(1_000, heard, lost, slow=lost)
        self.wires.append(wire)
        response = Handover(wire, b"\x81\x05hello")
        await response.prepare(request)
        return response

    @property
    def port(self) -> int:
        return int(self.runner.addresses[0][1])

    async def bare(self, *early: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Shake hands by hand; `early` frames go out with the request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
            + b"".join(early)
        )
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(7) == b"\x81\x05hello"
        return reader, writer


class Spy:
    """A transport that keeps what it is given to write."""

    def __init__(self, transport: asyncio.Transport, writes: list[bytes]) -> None:
        self._transport = transport
        self._writes = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._writes.append(data)
        self._transport.write(data)


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    echo = Echo()
    await echo.runner.setup()
    await web.TCPSite(echo.runner, "127.0.0.1", 0).start()
    yield echo
    await asyncio.gather(*(wire.close(1001) for wire in echo.wires))
    await echo.runner.cleanup()


async def test_a_client_is_greeted_heard_and_answered(echo: Echo) -> None:
    async with ClientSession() as http, http.ws_connect(f"http://127.0.0.1:{echo.port}/") as socket:
        assert await socket.receive_str() == "hello"
        await socket.send_str("রং")
        await socket.ping(b"are you there")
        message = await socket.receive()
        assert (message.type, message.data) == (WSMsgType.TEXT, "রং")
    await until(lambda: echo.lost == 1)
    assert socket.close_code == 1000


async def test_nothing_of_the_request_is_kept(echo: Echo) -> None:
    _, writer = await echo.bare()
    server = echo.runner.server
    assert server is not None
    await until(lambda: not server.connections)
    assert not [task for task in asyncio.all_tasks() if "RequestHandler" in repr(task)]
    writer.close()
    await until(lambda: echo.lost == 1)


async def test_what_came_with_the_request_is_heard_first(echo: Echo) -> None:
    _, writer = await echo.bare(masked(LAST | TEXT, b"early"))
    writer.write(masked(LAST | TEXT, b"late"))
    await until(lambda: echo.heard == ["early", "late"])
    writer.close()


async def test_much_that_came_with_the_request_does_not_stop_it_from_being_read(echo: Echo) -> None:
    echo.delay = 0.1  # as where newcomers wait for each other
    texts = [f"{n} " + "x" * 900 for n in range(400)]
    _, writer = await echo.bare(*(masked(LAST | TEXT, text.encode()) for text in texts))
    await until(lambda: echo.heard == texts)
    writer.write(masked(LAST | TEXT, b"more"))
    await until(lambda: echo.heard[-1] == "more")
    writer.close()


async def test_a_text_in_parts_with_a_ping_between_is_one(echo: Echo) -> None:
    reader, writer = await echo.bare()
    whole = masked(TEXT, b"one ") + masked(LAST | PING, b"p") + masked(CONTINUED, b"te") + masked(LAST, b"xt")
    for i in range(len(whole)):
        writer.write(whole[i : i + 1])
        await writer.drain()
    assert await reader.readexactly(3 + 10) == b"\x8a\x01p" + b"\x81\x08one text"
    writer.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (masked(LAST | BINARY, b"\x00"), 1003),
        (masked(LAST | TEXT, b"\xff\xfe"), 1007),
        (masked(LAST | TEXT, b"x" * 2_000), 1009),
        (masked(LAST | CONTINUED, b"of nothing"), 1002),
        (masked(LAST | 0x40 | TEXT, b"reserved"), 1002),
        (masked(LAST | CLOSE, b"\x03\xe9"), 1001),
        (masked(LAST | CLOSE, b""), 1000),
    ],
    ids=["binary", "not UTF-8", "too large", "continued without a beginning", "a reserved bit", "goodbye", "no code"],
)
async def test_a_frame_that_ends_it_is_answered_by_its_code_and_nothing_after_it_is_heard(
    echo: Echo, frame: bytes, code: int
) -> None:
    reader, writer = await echo.bare()
    writer.write(frame + masked(LAST | TEXT, b"more"))
    assert await reader.readexactly(4) == b"\x88\x02" + struct.pack("!H", code)
    assert await reader.read() == b""
    assert echo.heard == []
    await until(lambda: echo.lost == 1)
    echo.wires[0].write(b"anything")
    await asyncio.sleep(0)
    assert echo.wires[0].waiting() == 0
    writer.close()


async def test_our_goodbye_waits_for_theirs_and_not_for_ever(echo: Echo) -> None:
    reader, writer = await echo.bare()
    silent, silent_writer = await echo.bare()
    loop = asyncio.get_running_loop()
    began = loop.time()
    closing = [asyncio.create_task(wire.close(1012)) for wire in echo.wires]
    assert await reader.readexactly(4) == b"\x88\x02" + struct.pack("!H", 1012)
    writer.write(masked(LAST | CLOSE, struct.pack("!H", 1012)))
    await closing[0]
    assert loop.time() - began < 0.2
    await closing[1]
    assert 0.2 < loop.time() - began < 1
    assert await silent.read() == b"\x88\x02" + struct.pack("!H", 1012)
    assert echo.lost == 2
    for each in (writer, silent_writer):
        each.close()


async def test_what_is_written_in_one_round_of_the_loop_goes_out_together_and_in_order(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = await echo.bare()
    (wire,) = echo.wires
    writes: list[bytes] = []
    transport = wire._transport
    assert transport is not None
    wire._transport = Spy(transport, writes)  # type: ignore[assignment]  # what of a transport a wire uses
    for n in range(3):
        wire.write(text_frame(str(n)))
    closing = asyncio.create_task(wire.close(1012))
    expected = b"".join(text_frame(str(n)) for n in range(3)) + b"\x88\x02" + struct.pack("!H", 1012)
    assert await reader.readexactly(len(expected)) == expected
    assert writes[0] == expected[:-4]
    writer.close()
    await closing


async def test_a_handshake_that_is_none_is_refused(echo: Echo) -> None:
    async with ClientSession() as http, http.get(f"http://127.0.0.1:{echo.port}/") as answer:
        assert answer.status == 400
    assert echo.lost == 0


async def test_a_fault_of_ours_ends_the_connection_and_is_logged_without_what_was_said(
    echo: Echo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = await echo.bare()
    monkeypatch.setattr(echo.wires[0], "_heard", lambda text: 1 / 0)
    writer.write(masked(LAST | TEXT, b"my secret"))
    assert await reader.readexactly(4) == b"\x88\x02" + struct.pack("!H", 1011)
    writer.close()
    await until(lambda: echo.lost == 1)
    said = capsys.readouterr().out
    assert "ZeroDivisionError" in said
    assert "secret" not in said


async def test_one_that_goes_amid_the_handshake_is_lost_once() -> None:
    lost: list[bool] = []
    wire = Wire(1_000, lambda _: None, lambda: lost.append(True), slow=lambda: None)
    request = Mock()
    request.protocol.transport, request.protocol._message_tail = None, b""
    Handover(wire, b"")._post_start(request, None, Mock())
    assert lost == [True]
    await wire.close(1001)
    wire.write(b"anything")
    await asyncio.sleep(0)
    assert lost == [True]


def test_what_is_used_of_aiohttps_inside_is_there() -> None:
    def parameters(what: Any) -> list[str]:
        return list(inspect.signature(what).parameters)

    assert parameters(web.WebSocketResponse._post_start) == ["self", "request", "protocol", "writer"]
    assert "self._post_start(request, protocol, writer)" in inspect.getsource(web.WebSocketResponse.prepare)
    assert {"_message_tail", "transport"} <= {slot for c in web.RequestHandler.__mro__ for slot in vars(c)}
    assert "self._force_close" in inspect.getsource(web.RequestHandler.force_close)
    assert issubclass(type("Inbox", (WebSocketDataQueue,), {}), WebSocketDataQueue)
    assert WebSocketReader.__name__ == "WebSocketReader"
