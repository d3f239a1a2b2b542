"""A worker's whole transport on a free port, and two ways to meet it: a bare frame at a time, and a real client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket as sockets
from types import TracebackType
from typing import Any, Self

import aiohttp
import socketio
from aiohttp import WSMsgType, web

from server.config import Config
from server.store.valkey import ValkeyStore
from server.transport.http import create_app, make_runner
from server.transport.keys import HEALTH, Health
from server.transport.sockets import Sockets
from tests.server.store.helpers import until


class House:
    """`create_app` with its sockets, served."""

    def __init__(self, store: ValkeyStore, **settings: Any) -> None:
        self.store = store
        config = Config(**{"rate_tables": 0, "beat_ms": 40, **settings})
        self.tally = store.tally
        self.sockets = Sockets(config, store, self.tally)
        self.app: web.Application = create_app(config, store, self.sockets)
        self._runner = make_runner(self.app)
        self.guests: list[Guest] = []
        self._drained = False

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for guest in self.guests:
            await guest.close()
        if not self._drained:
            await self.drain()
        await self._runner.cleanup()

    async def drain(self) -> float:
        """Drain as a worker does that was told to end; return how long it took, s."""
        self._drained = True
        began = asyncio.get_running_loop().time()
        await self.sockets.drain()
        return asyncio.get_running_loop().time() - began

    @property
    def app_health(self) -> Health:
        """How this worker does, as its owner says."""
        return self.app[HEALTH]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def frames(self) -> Any:
        """The adapter, for what only its tests look at."""
        return self.sockets._frames

    def guest(self) -> Guest:
        """Return somebody new, with a browser of their own."""
        self.guests.append(Guest(self))
        return self.guests[-1]


class Guest:
    """One browser: a cookie jar, and what is open in it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.http = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True), headers={"Origin": house.url, "Accept-Language": "en"}
        )
        self._open: list[Bare | Client] = []

    async def make_table(self, **wanted: Any) -> str:
        async with self.http.post(self.house.url + "/api/tables", json={"name": "Asha", **wanted}) as answer:
            return str((await answer.json())["id"])

    async def visit(self, table: str) -> None:
        """Get the cookie."""
        async with self.http.get(f"{self.house.url}/api/tables/{table}") as answer:
            assert answer.status == 200

    async def bare(self, table: str | None = None, **options: Any) -> Bare:
        """Open a websocket; join the table if one is given."""
        socket = await self.http.ws_connect(
            self.house.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket", **options
        )
        bare = Bare(socket)
        self._open.append(bare)
        assert (await bare.hear())[0] == "0"
        if table is not None:
            await bare.say("40" + json.dumps({"table": table}))
            await bare.hear_until('42["moment"')
        return bare

    async def client(self, table: str, transport: str = "websocket", since: Any = None) -> Client:
        """Connect as the app does."""
        client = Client(self)
        self._open.append(client)
        await client.connect(table, transport, since)
        return client

    async def poll_url(self) -> str:
        """Begin a long-polling session; return where it goes on."""
        url = self.house.url + "/socket.io/?EIO=4&transport=polling"
        async with self.http.get(url) as answer:
            return f"{url}&sid={json.loads((await answer.text())[1:])['sid']}"

    async def post(self, url: str, body: str) -> int:
        """Send frames by a long-polling session."""
        async with self.http.post(url, data=body.encode()) as answer:
            return answer.status

    async def poll(self, url: str) -> tuple[int, list[str]]:
        """Take what waits in a long-polling session."""
        async with self.http.get(url) as answer:
            return answer.status, (await answer.text()).split("\x1e")

    async def close(self) -> None:
        for each in self._open:
            await each.close()
        await self.http.close()


class Bare:
    """A websocket, frame by frame."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.heard: list[str] = []

    async def say(self, text: str) -> None:
        await self.socket.send_str(text)

    async def hear(self) -> str:
        message = await self.socket.receive(5)
        assert message.type is WSMsgType.TEXT, message
        self.heard.append(message.data)
        return str(message.data)

    async def hear_until(self, start: str) -> str:
        while not (text := await self.hear()).startswith(start):
            pass
        return text

    async def ask(self, name: str, number: int, /, **payload: Any) -> Any:
        """Send a command and return its answer."""
        await self.say(f"42{number}" + json.dumps([name, payload]))
        text = await self.hear_until(f"43{number}[")
        return json.loads(text[len(f"43{number}") :])[0]

    async def ended(self) -> int | None:
        """Read to the end; return the close code."""
        async with asyncio.timeout(10):
            while not self.socket.closed:
                message = await self.socket.receive()
                if message.type is WSMsgType.TEXT:
                    self.heard.append(message.data)
                elif message.type is WSMsgType.CLOSE:
                    return int(message.data)
        return self.socket.close_code

    async def close(self) -> None:
        await self.socket.close()


class Client:
    """A python-socketio client that keeps what it is sent."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.heard: list[tuple[str, Any]] = []
        self.refused: list[Any] = []
        self.sio = socketio.AsyncClient(reconnection=False, http_session=guest.http, handle_sigint=False, logger=False)
        self.sio.on("*", lambda name, payload=None: self.heard.append((name, payload)))
        self.sio.on("connect_error", self.refused.append)

    async def connect(self, table: str, transport: str, since: Any) -> None:
        with contextlib.suppress(socketio.exceptions.ConnectionError):
            await self.sio.connect(
                f"{self.guest.house.url}?table={table}",
                auth={"table": table} | ({} if since is None else {"since": since}),
                transports=[transport],
                wait_timeout=5,
            )

    async def do(self, name: str, /, **payload: Any) -> Any:
        return await self.sio.call(name, payload, timeout=5)

    def all(self, name: str) -> list[Any]:
        return [payload for heard, payload in self.heard if heard == name]

    async def close(self) -> None:
        await self.sio.disconnect()
        for task in (self.sio.eio.read_loop_task, self.sio.eio.write_loop_task):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=0.5)


async def deaf(house: House, table: str, among: int = 1) -> sockets.socket:
    """Join a table by a bare socket that is never read again, as one `among` so many there."""
    loop = asyncio.get_running_loop()
    link = sockets.socket()
    link.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    link.setblocking(False)
    await loop.sock_connect(link, ("127.0.0.1", int(house.url.rsplit(":", 1)[1])))
    hello = (
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    await loop.sock_sendall(link, hello.encode())
    greeting = f'40{{"table":"{table}"}}'.encode()
    await loop.sock_sendall(link, bytes((0x81, 0x80 | len(greeting), 0, 0, 0, 0)) + greeting)
    await until(lambda: len(house.sockets) == among and all(c.connected for c in house.frames.connections.values()))
    return link
