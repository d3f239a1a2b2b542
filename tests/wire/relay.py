"""A TCP relay that knows nothing of what it carries, so that a link of any kind can fall silent or be cut.

It runs in the test's own loop. The invariant: what it does not hold or cut it passes on whole, in order.
"""

from __future__ import annotations

import asyncio
import contextlib


class Relay:
    """Listen on a port of 127.0.0.1 (`at`, or any that is free) and pass everything to `port` there and back.

    `held` is what came back from there while it was held.
    """

    def __init__(self, port: int, at: int = 0) -> None:
        self.held = bytearray()
        self._target = port
        self._at = at
        self._server: asyncio.Server | None = None
        self._links: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._there = asyncio.Event()
        self._back = asyncio.Event()
        self._kept: list[tuple[asyncio.StreamWriter, bytes]] = []
        self._serving: set[asyncio.Task[None]] = set()
        self._is_cut = False
        self._arrived = asyncio.Event()
        self.release()

    @property
    def port(self) -> int:
        """The port to connect to."""
        assert self._server is not None
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def start(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._at)

    async def stop(self) -> None:
        """Close everything."""
        self.cut()
        if self._server is not None:
            self._server.close()
        self.release()
        if self._serving:
            await asyncio.wait(self._serving, timeout=5)

    def hold_back(self) -> None:
        """Keep what comes back from now on; what goes there passes."""
        self.held.clear()
        self._back.clear()

    def freeze(self) -> None:
        """Pass nothing, neither there nor back, and close nothing: both ends are left without a sign."""
        self._there.clear()
        self._back.clear()

    def release(self) -> None:
        """Pass on what is held, and all that follows."""
        for writer, chunk in self._kept:
            writer.write(chunk)
        self._kept.clear()
        self._there.set()
        self._back.set()

    def cut(self) -> None:
        """Close every link, with what is held of them, and refuse new ones until `restore`."""
        self._is_cut = True
        for link in self._links:
            for writer in link:
                writer.transport.abort()

    def restore(self, port: int | None = None) -> None:
        """Serve again after `cut`, by a link to another port if one is given."""
        self._target = port or self._target
        self._is_cut = False

    async def holds(self, words: bytes, timeout: float = 5) -> None:
        """Return once `words` are held."""
        async with asyncio.timeout(timeout):
            while words not in self.held:
                self._arrived.clear()
                await self._arrived.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            back, there = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        link = (writer, there)
        self._links.add(link)
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            await asyncio.gather(self._pump(reader, there, self._there), self._pump(back, writer, self._back))
        finally:
            self._links.discard(link)
            self._serving.discard(task)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flowing: asyncio.Event) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65536):
                if flowing.is_set():
                    writer.write(chunk)
                    await writer.drain()
                    continue
                self._kept.append((writer, chunk))
                if flowing is self._back:
                    self.held += chunk
                    self._arrived.set()
        # Nor does an end pass before what was said before it.
        await flowing.wait()
        writer.close()
