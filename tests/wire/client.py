"""Players for the tests: a real Socket.IO client with a guest's cookie, by whichever way it connects.

A `Player` writes all that it sees on the tapes of its `Book` and folds it into a `Model`, so that it knows
whose turn it is. The invariant: an entry is on the tape in the order it came from the socket, an
acknowledgement too.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable
from typing import Any, Literal

import aiohttp
import engineio
import socketio

from tests.wire.model import Model, TornError
from tests.wire.tape import Book, Json, Since, Tape

# The Python client refuses more than 16 packets in one poll; a browser's takes what comes.
engineio.payload.Payload.max_decode_packets = 1_000

Transport = Literal["websocket", "polling", "upgrade"]
"""How to connect; `upgrade` begins by polling and goes over to a websocket at once."""

TRANSPORTS = {"websocket": ["websocket"], "polling": ["polling"], "upgrade": ["polling", "websocket"]}

WITHOUT_ID = frozenset({"reveal", "auto", "signal", "sync"})
_numbers = itertools.count(1)


class RefusedError(Exception):
    """The server refused the connection; `code` is the typed reason, None if there was none."""

    def __init__(self, code: str | None, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class LostError(Exception):
    """The connection ended before the command was answered: done or not, nobody knows."""


class Player:
    """One guest with one browser: a cookie jar, and at most one connection at a time."""

    def __init__(self, name: str, book: Book, transport: Transport = "websocket") -> None:
        self.name = name
        self.book = book
        self.transport: Transport = transport
        self.model = Model()
        self.torn: list[str] = []
        self.tape: Tape | None = None
        self.table = ""
        self.lost = False
        self.jar = aiohttp.CookieJar(unsafe=True)  # the tests' host is an address
        self._sio: Any = None
        self._http: aiohttp.ClientSession | None = None
        self._base = ""
        self._changed = asyncio.Event()
        self._open_calls: set[asyncio.Future[Json]] = set()
        self._sending: set[asyncio.Future[None]] = set()
        self._syncs = 0

    # --- HTTP

    async def request(self, base: str, method: str, path: str, **options: Any) -> tuple[int, str, Any]:
        """Make one HTTP request with this guest's cookie; return status, text and headers."""
        origin = {} if method == "GET" else {"Origin": base}
        headers = origin | options.pop("headers", {})
        options.setdefault("allow_redirects", False)
        async with (
            aiohttp.ClientSession(cookie_jar=self.jar) as http,
            http.request(method, base + path, headers=headers, **options) as answer,
        ):
            text = await answer.text()
            self.book.page(path, answer.status, text)
            return answer.status, text, answer.headers

    async def make_table(self, base: str, **settings: Any) -> Json:
        """Make a table and sit at it; return the 201's body."""
        body = {"name": self.name, **settings}
        status, text, _ = await self.request(base, "POST", "/api/tables", json=body)
        assert status == 201, f"{status}: {text}"
        made: Json = json.loads(text)
        self.table = made["id"]
        return made

    def cookie(self) -> str | None:
        """Return the guest cookie's value."""
        return next((morsel.value for morsel in self.jar if morsel.key.endswith("rm_guest")), None)

    # --- the connection

    async def open(self, base: str, table: str | None = None, *, since: Since | None = None, **more: Any) -> None:
        """Get the cookie, connect, return once the first state and `you` have come. Raises RefusedError."""
        self.table = table or self.table
        await self.request(base, "GET", f"/api/tables/{self.table}")
        await self.connect(base, since=since, **more)

    async def connect(
        self,
        base: str,
        *,
        since: Since | None = None,
        headers: dict[str, str] | None = None,
        token: str | None = None,
        wait: bool = True,
    ) -> None:
        """Connect with the cookies there are. Raises RefusedError."""
        assert self._sio is None, f"{self.name} is connected"
        tape = self.tape = self.book.tape(self.name)
        self._base, self.lost, self._syncs = base, False, 0
        origin = {"Origin": base} if headers is None else headers
        self._http = aiohttp.ClientSession(cookie_jar=self.jar, headers=origin)
        sio = self._sio = socketio.AsyncClient(
            reconnection=False, http_session=self._http, handle_sigint=False, logger=False
        )
        refused: list[Any] = []
        sio.on("connect_error", refused.append)
        sio.on("*", lambda name, payload=None: self._received(tape, name, payload))
        sio.on("disconnect", lambda reason=None: self._lost(tape, str(reason)))
        auth: Json = {"table": self.table} | ({} if since is None else {"since": list(since)})
        auth |= {} if token is None else {"token": token}
        tape.write("connected", "connect", auth)
        try:
            await sio.connect(
                f"{base}?table={self.table}",
                auth=auth,
                transports=TRANSPORTS[self.transport],
                namespaces=["/"],
                wait_timeout=10,
            )
        except socketio.exceptions.ConnectionError as error:
            await self._let_go()
            detail = refused[0] if refused else None
            data = detail.get("data") if isinstance(detail, dict) else None
            raise RefusedError(data.get("code") if isinstance(data, dict) else None, f"{error} {detail}") from None
        if wait:
            await self.until(lambda: bool(tape.frames("you") and tape.frames("moment")))

    async def reopen(self, base: str | None = None, *, fresh: bool = False) -> None:
        """Connect again, from where the model stands unless `fresh`."""
        known = self.model.epoch is not None and not fresh
        await self.connect(base or self._base, since=self.model.since() if known else None)

    def _received(self, tape: Tape, name: str, payload: Any) -> None:
        tape.write("frame", name, payload)
        try:
            if name == "snapshot":
                self.model.load(payload)
            elif name == "events":
                # What came by itself while it was asked for comes again.
                if not (self._syncs and payload["events"] and payload["seq"] <= self.model.seq):
                    self.model.take(payload)
            elif name == "you":
                self.model.you = payload["seat"]
            elif name == "moment":
                self.model.turn_due = payload["turnDue"]
        except (TornError, KeyError, TypeError) as wrong:
            self.torn.append(f"{name}: {wrong!r}")
        self._changed.set()

    def _lost(self, tape: Tape, reason: str) -> None:
        tape.write("lost", reason, None)
        self.lost = True
        for call in self._open_calls:
            if not call.done():
                call.set_exception(LostError(reason))
        self._changed.set()

    @property
    def connected(self) -> bool:
        """Whether the Socket.IO connection stands."""
        return self._sio is not None and bool(self._sio.connected)

    async def close(self) -> None:
        """Say goodbye and disconnect."""
        if self._sio is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._sio.disconnect(), 3)
        await self._let_go()

    async def drop(self) -> None:
        """Cut the transport without a goodbye, as a lost network does (the worker is told by TCP alone)."""
        if self._sio is None:
            return
        if self.tape is not None and self.connected:
            self._lost(self.tape, "dropped")
        socket = getattr(self._sio.eio, "ws", None)
        if socket is not None and (link := socket.get_extra_info("socket")) is not None:
            with contextlib.suppress(OSError):
                link.shutdown(2)
        await self._let_go()

    async def _let_go(self) -> None:
        sio, self._sio = self._sio, None
        tasks = [] if sio is None else [sio.eio.read_loop_task, sio.eio.write_loop_task]
        for task in tasks:
            # A frame that arrives in the same turn of the loop can swallow one cancellation.
            while task is not None and task is not asyncio.current_task() and not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=0.1)
            if task is not None and task.done() and not task.cancelled():
                task.exception()
        if self._http is not None:
            await self._http.close()
            self._http = None

    # --- commands

    async def command(self, name: str, /, *, timeout: float = 10, **fields: Any) -> Json:
        """Send a command, with a new `id` where it takes one and none is given, and return its answer.

        Raises LostError when the connection ends first; send it again with the same `id` after `reopen`.
        """
        if name not in WITHOUT_ID:
            fields.setdefault("id", f"c{next(_numbers)}")
        return await asyncio.wait_for(self.send(name, fields), timeout)

    def send(self, name: str, payload: Any) -> asyncio.Future[Json]:
        """Send anything as a command, at once; the future has its answer."""
        assert self._sio is not None, f"{self.name} is not connected"
        assert self.tape is not None
        tape, answered = self.tape, asyncio.get_running_loop().create_future()
        self._open_calls.add(answered)
        answered.add_done_callback(self._open_calls.discard)
        # A lost call that nobody awaits any more is no error of the test.
        answered.add_done_callback(lambda call: call.cancelled() or call.exception())

        self._syncs += name == "sync"

        def hear(answer: Any = None) -> None:
            tape.write("answer", name, payload, answer)
            self._syncs -= name == "sync"
            if not answered.done():
                answered.set_result(answer)

        tape.write("sent", name, payload)
        sending = asyncio.ensure_future(self._sio.emit(name, payload, callback=hear))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        # Into a connection that ends just then: the call is lost with it.
        sending.add_done_callback(lambda sent: sent.cancelled() or sent.exception())
        return answered

    # --- waiting

    async def until(self, true: Callable[[], bool], timeout: float = 10) -> None:
        """Return once `true()` holds, looking again at every frame."""
        try:
            async with asyncio.timeout(timeout):
                while not true():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            last = [] if self.tape is None else self.tape.entries[-5:]
            raise AssertionError(f"{self.name} waited {timeout} s in vain; last seen: {last}") from None

    async def reach(self, seq: int, timeout: float = 10) -> None:
        """Return once this player has seen batch `seq`."""
        await self.until(lambda: self.model.seq >= seq, timeout)

    async def turned(self, n: int, timeout: float = 10) -> None:
        """Return once this player has seen reveal `n`, or the end of the game."""
        await self.until(lambda: self.model.phase == "over" or self.game["n"] >= n, timeout)

    @property
    def game(self) -> Json:
        """The game as this player sees it."""
        assert self.model.game is not None, f"{self.name} sees no game"
        return self.model.game

    def is_turn(self) -> bool:
        """Whether it is this player's turn, by its own model."""
        game = self.model.game
        return game is not None and game["turn"] is not None and game["turn"] == self.model.you

    async def play(self, timeout: float = 60) -> None:
        """Turn every card that is this player's to turn, until the game is over. Raises LostError."""
        async with asyncio.timeout(timeout):
            while True:
                await self.until(lambda: self.lost or self.is_turn() or self.model.phase == "over", timeout)
                if self.model.phase == "over":
                    return
                if self.lost:
                    raise LostError("while waiting for its turn")
                n = self.game["n"] + 1
                answer = await self.command("reveal", n=n)
                assert answer["ok"], f"{self.name}'s reveal {n}: {answer}"
                await self.turned(n)
