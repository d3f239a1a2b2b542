"""A crowd at one table in a process of its own: `python -m tests.bench.onlookers URL TABLE`, told on its input.

Lean, since it shares a core with whoever measures: a protocol that reads frames by hand, and of a frame only what it
is and its seq. Every onlooker checks that its batches come in order, each once. Nothing of the product is imported.
Invariant: one line told is one line answered, a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import secrets
import socket
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any, cast
from urllib.parse import urlsplit

import uvloop

ANSWER_S = 30.0
DEAF_BUFFER = 4096
_STATE = re.compile(rb'"epoch":"(\w+)","seq":(\d+),"mark":"(\w+)"')
_WATCHING = re.compile(rb'"watching":(\d+)')


@dataclass(slots=True)
class Crowd:
    """Where they go, who is there, and what was seen."""

    base: str
    table: str
    here: list[Onlooker] = field(default_factory=list)
    deaf: list[Onlooker] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    dropped: int = 0
    """Deaf ones whom the server let go."""
    frames: int = 0
    watching: int = -1
    times: dict[int, list[float]] = field(default_factory=dict)
    """By seq: when the first onlooker had it, and the last."""
    texts: dict[int, bytes] = field(default_factory=dict)
    """By seq: the batch, the same for all."""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def reach(self, seq: int, seconds: float = ANSWER_S) -> None:
        """Return once everybody who is here has this batch."""
        async with asyncio.timeout(seconds):
            while not all(one.since is not None and one.since[1] >= seq for one in self.here):
                self.news.clear()
                await self.news.wait()

    def saw(self, seq: int) -> None:
        """Take note of a batch that an onlooker has."""
        now = time.perf_counter()
        first_last = self.times.setdefault(seq, [now, now])
        first_last[1] = now
        self.news.set()


class Onlooker(asyncio.Protocol):
    """One watcher with one websocket. `deaf`: reads nothing any more once it is in."""

    def __init__(self, crowd: Crowd, cookie: str, since: tuple[str, int, str] | None = None) -> None:
        self.cookie = cookie
        self.since = since
        self.deaf = False
        self.leaving = False
        self.joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._crowd = crowd
        self._buffer = b""
        self._upgraded = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a websocket."""
        self._transport = cast(asyncio.Transport, transport)
        crowd = self._crowd
        self._transport.write(
            f"GET /socket.io/?EIO=4&transport=websocket&table={crowd.table} HTTP/1.1\r\n"
            f"Host: {urlsplit(crowd.base).netloc}\r\nOrigin: {crowd.base}\r\nCookie: rm_guest={self.cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take whole frames."""
        data = self._buffer + data if self._buffer else data
        if not self._upgraded:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._buffer = head
                return
            self._upgraded = True
            if not head.startswith(b"HTTP/1.1 101"):
                self._fault(f"not let in: {head[:40]!r}")
                return
        at = 0
        while (found := _frame(data, at)) is not None:
            first, start, at = found
            self._take(first, data[start:at])
        self._buffer = data[at:]

    def connection_lost(self, error: Exception | None) -> None:
        """Take note of an end that was not asked for."""
        crowd = self._crowd
        if self.leaving:
            pass
        elif self.deaf:
            crowd.dropped += 1
        else:
            self._fault("the connection ended")
        for those in (crowd.here, crowd.deaf):
            if self in those:
                those.remove(self)

    def go(self) -> None:
        """Leave, without a word: as a tab that is closed."""
        self.leaving = True
        if self._transport is not None:
            self._transport.abort()

    def go_deaf(self) -> None:
        """Read nothing any more."""
        self.deaf = True
        if self._transport is not None:
            self._transport.pause_reading()

    def _take(self, first: int, text: bytes) -> None:
        if text.startswith((b'42["events"', b'42["snapshot"')):
            self._numbered(text, whole=text.startswith(b'42["s'))
        elif text == b"2":
            self._say(b"3")
        elif text.startswith(b"0{"):
            hello: dict[str, Any] = {"table": self._crowd.table}
            if self.since is not None:
                hello["since"] = self.since
            self._say(b"40" + json.dumps(hello).encode())
        elif text.startswith(b'42["moment"'):
            if not self.joined.done():
                self.joined.set_result(None)
        elif text.startswith(b'42["presence"'):
            found = _WATCHING.search(text)
            self._crowd.watching = int(found[1]) if found else -1
        elif text.startswith(b"44") or first == 0x88:
            self._fault(f"refused: {text[:80]!r}")

    def _numbered(self, text: bytes, *, whole: bool) -> None:
        found = _STATE.search(text, 0, 120)
        if found is None:
            self._fault(f"no seq: {text[:80]!r}")
            return
        seq = int(found[2])
        known = None if self.since is None else self.since[1]
        if known is not None and not whole and seq != known + 1 and not (seq == known and not self.joined.done()):
            self._fault(f"batch {seq} came after {known}")
        if whole and known is not None and seq < known:
            self._fault(f"a snapshot of {seq} came after {known}")
        self.since = (found[1].decode(), seq, found[3].decode())
        self._crowd.frames += 1
        if self.joined.done():
            self._crowd.saw(seq)
        if not whole and seq != known and self._crowd.texts.setdefault(seq, text) != text:
            self._fault(f"batch {seq} is not the same for all")

    def _say(self, text: bytes) -> None:
        if self._transport is not None:  # masked, as a client must, by a key of zeros
            size = bytes((0x80 | len(text),)) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
            self._transport.write(b"\x81" + size + b"\0\0\0\0" + text)

    def _fault(self, what: str) -> None:
        self._crowd.faults.append(what)
        if not self.joined.done():
            self.joined.set_result(None)


def _frame(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the first byte, the payload's start and its end, of the frame at `at`; None if it is not whole."""
    left = len(data) - at
    if left < 2:
        return None
    size, start = data[at + 1], at + 2
    if size > 125:
        start += 2 if size == 126 else 8
        if len(data) < start:
            return None
        size = int.from_bytes(data[at + 2 : start], "big")
    return (data[at], start, start + size) if len(data) >= start + size else None


async def _enter(crowd: Crowd, one: Onlooker, *, deaf: bool = False) -> None:
    where = urlsplit(crowd.base)
    endpoint = socket.socket()
    endpoint.setblocking(False)
    if deaf:
        endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, DEAF_BUFFER)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(endpoint, (where.hostname, where.port))
    await loop.create_connection(lambda: one, sock=endpoint)
    await asyncio.wait_for(one.joined, ANSWER_S)
    if deaf:
        one.go_deaf()
        crowd.deaf.append(one)
    else:
        crowd.here.append(one)


async def _spread(works: Iterable[Any], count: int, seconds: float) -> None:
    async def after(delay: float, work: Any) -> None:
        await asyncio.sleep(delay)
        await work

    await asyncio.gather(*(after(i * seconds / count, work) for i, work in enumerate(works)))


async def _again(crowd: Crowd, one: Onlooker) -> None:
    one.go()
    await asyncio.sleep(random.uniform(0.2, 1.0))
    await _enter(crowd, Onlooker(crowd, one.cookie, one.since))


async def do(crowd: Crowd, words: list[str]) -> None:
    """Do one thing that was told, in words: see the cases."""
    match words:
        case ["come", count, seconds]:
            new = (_enter(crowd, Onlooker(crowd, cookie_value())) for _ in range(int(count)))
            await _spread(new, int(count), float(seconds))
        case ["again", count, seconds]:
            chosen = random.sample(crowd.here, int(count))
            await _spread((_again(crowd, one) for one in chosen), int(count), float(seconds))
        case ["deaf", count, seconds]:
            new = (_enter(crowd, Onlooker(crowd, cookie_value()), deaf=True) for _ in range(int(count)))
            await _spread(new, int(count), float(seconds))
        case ["forget"]:
            crowd.times.clear()
            crowd.texts.clear()
            crowd.frames = 0
        case ["go"]:
            for one in crowd.here + crowd.deaf:
                one.go()


def cookie_value() -> str:
    """Return a well-formed guest cookie (contract, section 5: 256 bits)."""
    return secrets.token_urlsafe(32)


def report(crowd: Crowd) -> dict[str, Any]:
    """Return what was seen since the last `forget`."""
    spreads = [last - first for first, last in crowd.times.values()][:-1] or [0.0, 0.0]
    spreads = spreads * 2 if len(spreads) < 2 else spreads
    return {
        "here": len(crowd.here),
        "dropped": crowd.dropped,
        "faults": len(crowd.faults),
        "first_fault": crowd.faults[0] if crowd.faults else "",
        "frames": crowd.frames,
        "watching": crowd.watching,
        "spread_p50_ms": quantiles(spreads, n=100, method="inclusive")[49] * 1000,
        "spread_p99_ms": quantiles(spreads, n=100, method="inclusive")[98] * 1000,
    }


async def serve(base: str, table: str) -> None:
    """Do what is told, line by line, until the input ends."""
    crowd = Crowd(base, table)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        await do(crowd, line.decode().split())
        print(json.dumps(report(crowd)), flush=True)
    await do(crowd, ["go"])


if __name__ == "__main__":
    os.nice(5)  # whoever measures goes first on the core they share
    uvloop.run(serve(sys.argv[1], sys.argv[2]))
