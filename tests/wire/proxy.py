"""A TCP proxy between a worker and the store that knows where a message of theirs ends, so that it can lose
one.

It reads the store's protocol (RESP) only as far as finding whole messages, pairing a reply with its command
and telling a push (pub/sub) from a reply. It runs in the test's own loop. The invariant: what it does not
drop or hold it passes on whole, in order.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Command = tuple[bytes, ...]
Match = Callable[[Command], bool]

_SUBSCRIBING = frozenset({b"SUBSCRIBE", b"UNSUBSCRIBE", b"PSUBSCRIBE", b"PUNSUBSCRIBE", b"SSUBSCRIBE", b"SUNSUBSCRIBE"})
_PUSHES = frozenset({b"message", b"pmessage", b"smessage"} | {word.lower() for word in _SUBSCRIBING})
_SCRIPTS = frozenset({b"EVALSHA", b"EVAL", b"FCALL"})


def end_of(data: bytes | bytearray, at: int = 0) -> int | None:
    """Return where the message that begins at `at` ends, or None while it is not whole."""
    stop = data.find(b"\r\n", at)
    if stop < 0:
        return None
    kind, head, after = bytes(data[at : at + 1]), bytes(data[at + 1 : stop]), stop + 2
    if kind in b"$!=":
        end = after if int(head) < 0 else after + int(head) + 2
        return end if len(data) >= end else None
    if kind not in b"*~>%":
        return after
    following: int | None = after
    for _ in range(int(head) * (2 if kind == b"%" else 1)):
        following = end_of(data, following) if following is not None else None
        if following is None:
            return None
    return following


def words_of(message: bytes) -> Command:
    """Return the strings of a flat array (a command, or a push); other parts are left out."""
    words, at = [], message.find(b"\r\n") + 2
    while at < len(message):
        stop = message.find(b"\r\n", at)
        if message[at : at + 1] == b"$" and int(message[at + 1 : stop]) >= 0:
            size = int(message[at + 1 : stop])
            words.append(message[stop + 2 : stop + 2 + size])
            at = stop + 4 + size
        else:
            at = stop + 2
    return tuple(words)


def script(*marks: str) -> Match:
    """Match a script call of which some argument contains each of `marks`, for instance `'"renamed"'`."""
    wanted = [mark.encode() for mark in marks]

    def matches(command: Command) -> bool:
        return command[0].upper() in _SCRIPTS and all(any(mark in word for word in command) for mark in wanted)

    return matches


@dataclass(eq=False, slots=True)
class Fault:
    """One thing to do to the next matching messages; `met` counts how often it has been done."""

    match: Match
    times: int
    act: str
    met: int = 0
    happened: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    lost: bool = False

    def lose(self) -> None:
        """Let go of what is held without passing it on; its link ends."""
        self.lost = True
        self.release.set()

    def meets(self, words: Command) -> bool:
        if self.met >= self.times or not self.match(words):
            return False
        self.met += 1
        self.happened.set()
        return True


class Proxy:
    """Listen on a port of 127.0.0.1 and pass everything to `port` there, except for the faults asked for.

    It listens on `at`, or on any free port.
    """

    def __init__(self, port: int, at: int = 0) -> None:
        self._target = port
        self._at = at
        self._server: asyncio.Server | None = None
        self._links: set[_Link] = set()
        self._faults: list[Fault] = []
        self.is_cut = False
        self.delay = 0.0

    @property
    def port(self) -> int:
        """The port to connect to."""
        assert self._server is not None
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    @property
    def url(self) -> str:
        """The address for RM_REDIS_URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    async def start(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._at)

    async def stop(self) -> None:
        """Let go of everything held, and close."""
        for fault in self._faults:
            fault.release.set()
        if self._server is not None:
            self._server.close()
        await self._close_links()

    def drop_reply(self, match: Match, times: int = 1) -> Fault:
        """Swallow the reply to the next matching command and close that connection: was it done, or not?"""
        return self._add(match, times, "drop")

    def refuse_command(self, match: Match, times: int = 1) -> Fault:
        """Close the connection instead of passing the next matching command on: it was not done."""
        return self._add(match, times, "refuse")

    def hold_reply(self, match: Match, times: int = 1) -> Fault:
        """Keep the reply to the next matching command, and all that follow on its link, until `release`."""
        return self._add(match, times, "hold")

    def hold_command(self, match: Match, times: int = 1) -> Fault:
        """Keep the next matching command from the store until `release`."""
        return self._add(match, times, "hold_command")

    def lose_push(self, match: Match = lambda _: True, times: int = 1) -> Fault:
        """Swallow the next matching published messages without a sign (answers to SUBSCRIBE never)."""
        return self._add(match, times, "lose")

    def hold_push(self, match: Match = lambda _: True, times: int = 1) -> Fault:
        """Keep the next matching published messages, and all that follow on their link, until `release`."""
        return self._add(match, times, "hold_push")

    def _add(self, match: Match, times: int, act: str) -> Fault:
        fault = Fault(match, times, act)
        self._faults.append(fault)
        return fault

    async def cut(self) -> None:
        """Close every connection and refuse new ones until `restore`."""
        self.is_cut = True
        await self._close_links()

    def restore(self) -> None:
        """Serve again after `cut`."""
        self.is_cut = False

    async def cut_pubsub(self) -> None:
        """Close the connections that have subscribed to something."""
        for link in [link for link in self._links if link.subscribed]:
            link.close()
        await asyncio.sleep(0)

    async def _close_links(self) -> None:
        for link in list(self._links):
            link.close()
        for link in list(self._links):
            await link.ended.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.close()
            return
        try:
            upstream, to_store = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        link = _Link(self, writer, to_store)
        self._links.add(link)
        try:
            await asyncio.gather(link.commands(reader), link.replies(upstream), return_exceptions=True)
        finally:
            link.close()
            self._links.discard(link)
            link.ended.set()

    def fault(self, words: Command, *acts: str) -> Fault | None:
        """Return the fault that meets this message, which is then spent once."""
        return next((fault for fault in self._faults if fault.act in acts and fault.meets(words)), None)


class _Link:
    """One connection of the worker's and its counterpart to the store."""

    def __init__(self, proxy: Proxy, to_worker: asyncio.StreamWriter, to_store: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._to_worker = to_worker
        self._to_store = to_store
        self._waiting: deque[Command] = deque()
        self.subscribed = False
        self.ended = asyncio.Event()

    def close(self) -> None:
        self._to_worker.close()
        self._to_store.close()

    async def commands(self, reader: asyncio.StreamReader) -> None:
        await self._read(reader, self._command)

    async def replies(self, reader: asyncio.StreamReader) -> None:
        await self._read(reader, self._reply)

    async def _read(self, reader: asyncio.StreamReader, pass_on: Callable[[bytes], Awaitable[None]]) -> None:
        buffer = bytearray()
        try:
            while chunk := await reader.read(65536):
                buffer += chunk
                while (end := end_of(buffer)) is not None:
                    message = bytes(buffer[:end])
                    del buffer[:end]
                    await pass_on(message)
        except (OSError, EOFError):
            pass
        finally:
            self.close()

    async def _command(self, message: bytes) -> None:
        words = words_of(message)
        if words[0].upper() in _SUBSCRIBING:
            self.subscribed = True
        else:
            self._waiting.append(words)
        fault = self._proxy.fault(words, "refuse", "hold_command")
        if fault is not None and fault.act == "refuse":
            self.close()
            return
        if fault is not None:
            await fault.release.wait()
            if fault.lost:
                self.close()
                return
        self._to_store.write(message)
        with contextlib.suppress(OSError):
            await self._to_store.drain()

    async def _reply(self, message: bytes) -> None:
        words = words_of(message) if message[:1] in b"*>" else ()
        if words and words[0] in _PUSHES:
            published = words[0] in (b"message", b"pmessage", b"smessage")
            fault = self._proxy.fault(words, "lose", "hold_push") if published else None
        else:
            command = self._waiting.popleft()
            # A script that the store does not know yet has not run: the caller loads it and asks again.
            fault = None if message.startswith(b"-NOSCRIPT") else self._proxy.fault(command, "drop", "hold")
        if fault is not None:
            if fault.act == "drop":
                self.close()
                return
            if fault.act == "lose":
                return
            await fault.release.wait()
            if fault.lost:
                self.close()
                return
        if self._proxy.delay:
            await asyncio.sleep(self._proxy.delay)
        self._to_worker.write(message)
        with contextlib.suppress(OSError):
            await self._to_worker.drain()
