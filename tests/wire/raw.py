"""A connection by hand, to send what no client would: a bare websocket, or the same by long-polling.

Both speak Engine.IO in text frames, and nothing is checked here. The invariant: `heard` has every frame in the order
it came, and the end of the connection is a `LostError`, whichever the way.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from abc import ABC, abstractmethod
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp

from tests.wire.client import LostError, Transport
from tests.wire.tape import Json


class Raw(ABC):
    """Whatever text one likes, and all that comes back."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self.http = http
        self.heard: list[str] = []

    async def join(self, table: str) -> Self:
        """Connect to the table, and wait for what it begins with."""
        await self.say("40" + json.dumps({"table": table}))
        await self.hear_until('42["moment"')
        return self

    @abstractmethod
    async def say(self, text: str) -> None:
        """Send one text frame."""

    @abstractmethod
    async def hear(self, timeout: float = 5) -> str:
        """Return the next text frame; raise LostError at the end."""

    async def hear_until(self, start: str, timeout: float = 5) -> str:
        """Return the next frame that begins with `start`."""
        async with asyncio.timeout(timeout):
            while not (frame := await self.hear(timeout)).startswith(start):
                pass
        return frame

    async def ask(self, name: str, payload: Any, number: int = 1) -> Any:
        """Send a command as text and return its answer."""
        await self.say(f"42{number}" + json.dumps([name, payload]))
        return json.loads((await self.hear_until(f"43{number}["))[len(f"43{number}") :])[0]

    def events(self) -> list[Json]:
        """Return the `events` heard so far."""
        return [json.loads(frame[2:])[1] for frame in self.heard if frame.startswith('42["events"')]

    async def ended(self, timeout: float = 5) -> bool:
        """Whether the server ends this connection within `timeout` s."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    await self.hear(timeout)
        except LostError:
            return True
        except TimeoutError:
            return False

    async def close(self) -> None:
        """Go away at once."""
        await self.http.close()


class RawSocket(Raw):
    """A bare websocket."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__(http)
        self.socket = socket
        self.close_code: int | None = None

    @classmethod
    async def open(cls, base: str, table: str, *, jar: aiohttp.CookieJar | None = None, join: bool = True) -> RawSocket:
        """Shake hands, and connect to the table unless `join` is false."""
        http = _browser(base, jar)
        try:
            raw = cls(http, await http.ws_connect(_url(base, table, "websocket"), max_msg_size=0, compress=0))
            assert (await raw.hear()).startswith("0{")
        except BaseException:
            await http.close()
            raise
        return await raw.join(table) if join else raw

    async def say(self, text: str) -> None:
        # The server may hang up before the last byte of a long frame is out: its reason is what `hear` tells then.
        with contextlib.suppress(ConnectionError):
            await self.socket.send_str(text)

    async def hear(self, timeout: float = 5) -> str:
        message = await asyncio.wait_for(self.socket.receive(), timeout)
        if message.type is aiohttp.WSMsgType.CLOSE:
            # The library's own `close_code` is overwritten when the link is gone before its answer.
            self.close_code = message.data
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise LostError(f"{message.type!r} {message.data!r}")
        self.heard.append(message.data)
        if message.data == "2":
            await self.say("3")
        return str(message.data)

    async def close(self) -> None:
        await self.socket.close()
        await super().close()


class RawPolling(Raw):
    """The same by long-polling: each frame a request of its own, and what comes is fetched."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        super().__init__(http)
        self.url = url
        self._fetched: list[str] = []

    @classmethod
    async def open(
        cls, base: str, table: str, *, jar: aiohttp.CookieJar | None = None, join: bool = True
    ) -> RawPolling:
        """Shake hands, and connect to the table unless `join` is false."""
        http = _browser(base, jar)
        try:
            raw = cls(http, _url(base, table, "polling"))
            hello = await raw.hear()
        except BaseException:
            await http.close()
            raise
        raw.url += f"&sid={json.loads(hello[1:])['sid']}"
        return await raw.join(table) if join else raw

    async def upgrade(self) -> RawSocket:
        """Go on by websocket, as Engine.IO's protocol says: probe, end the open poll, change over."""
        url = self.url.replace("http", "ws", 1).replace("transport=polling", "transport=websocket")
        raw = RawSocket(self.http, await self.http.ws_connect(url, max_msg_size=0, compress=0))
        polled = asyncio.create_task(self._poll())
        await raw.say("2probe")
        assert await raw.hear() == "3probe"
        await polled
        await raw.say("5")
        return raw

    async def _poll(self) -> None:
        """Hear all that one request fetches."""
        await self.hear()
        while self._fetched:
            await self.hear()

    async def say(self, text: str) -> None:
        """Send one text frame; that it was refused shows when one listens."""
        with contextlib.suppress(aiohttp.ClientError):
            async with self.http.post(self.url, data=io.BytesIO(text.encode())) as answer:
                await answer.read()

    async def hear(self, timeout: float = 5) -> str:
        if not self._fetched:
            async with self.http.get(self.url, timeout=aiohttp.ClientTimeout(total=timeout)) as answer:
                if answer.status != 200:
                    raise LostError(f"HTTP {answer.status}")
                self._fetched = (await answer.text()).split("\x1e")
        frame = self._fetched.pop(0)
        self.heard.append(frame)
        if frame == "2":
            await self.say("3")
        if frame in ("1", ""):
            raise LostError(f"packet {frame!r}")
        return frame


async def open_raw(
    way: Transport, base: str, table: str, *, jar: aiohttp.CookieJar | None = None, join: bool = True
) -> Raw:
    """Shake hands by hand, this way, and connect to the table unless `join` is false."""
    if way == "polling":
        return await RawPolling.open(base, table, jar=jar, join=join)
    return await RawSocket.open(base, table, jar=jar, join=join)


def _browser(base: str, jar: aiohttp.CookieJar | None) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=jar or aiohttp.CookieJar(unsafe=True), headers={"Origin": base})


def _url(base: str, table: str, transport: str) -> str:
    where = urlsplit(base)._replace(scheme="ws" if transport == "websocket" else "http", path="/socket.io/")
    return f"{where.geturl()}?EIO=4&transport={transport}&table={table}"
