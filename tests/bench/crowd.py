"""Tables of people and watchers who speak Engine.IO 4 and Socket.IO by hand: the load of `load.py`.

Lean, so that the load costs less than what it measures: one task a socket that reads, one a table that taps, and a
frame is parsed once a table, by the last to receive it. Nothing of the product is imported.
Invariant: a reveal counts when all sockets of its table have its batch, and only then comes the next.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

PEOPLE = 4
WATCHERS = 2
ANSWER_S = 15.0

_REVEALED = re.compile(r'"type":"revealed","n":(\d+)')
_ACK = re.compile(r"43(\d+)(\[.*)", re.DOTALL)


class LoadError(Exception):
    """The server refused, or went silent: figures would be of something else."""


@dataclass(slots=True)
class Tally:
    """What is counted: whole reveals, their latencies in seconds, bytes that reached the sockets."""

    latencies: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    """From each tap to its answer, seconds."""
    received: int = 0
    unwelcome: list[str] = field(default_factory=list)
    """Refusals, and connections that ended by themselves."""


def wire_size(text: str) -> int:
    """Return the bytes of a text on the wire, the frame's header among them (RFC 6455, section 5.2)."""
    size = len(text) if text.isascii() else len(text.encode())
    return size + (2 if size < 126 else 4 if size < 65_536 else 10)


class Somebody:
    """One guest with one websocket."""

    def __init__(self, table: Table, websocket: ClientWebSocketResponse) -> None:
        self._table = table
        self._websocket = websocket
        self._acks: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._taps: dict[int, float] = {}
        self._next = 0
        self._here = asyncio.get_running_loop().create_future()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def come(cls, table: Table, http: ClientSession, base: str, cookie: str | None) -> Somebody:
        """Get a cookie unless there is one, connect, return when the table's state has come."""
        if cookie is None:
            async with http.get(f"{base}/api/tables/{table.id}") as answer:
                cookie = cookie_of(answer.headers.getall("Set-Cookie"))
        websocket = await http.ws_connect(
            f"{base}/socket.io/?EIO=4&transport=websocket&table={table.id}",
            headers={"Origin": base, "Cookie": cookie},
            compress=0,
            autoping=False,
            max_msg_size=0,
        )
        somebody = cls(table, websocket)
        await websocket.send_str("40" + json.dumps({"table": table.id}))
        await asyncio.wait_for(somebody._here, ANSWER_S)
        return somebody

    async def ask(self, name: str, /, **fields: Any) -> None:
        """Send a command and wait for its answer.

        Raises:
            LoadError: refused, or no answer.
        """
        number = self._number()
        ack = self._acks[number] = asyncio.get_running_loop().create_future()
        command = {"id": f"b{number}", **fields}
        await self._websocket.send_str(f"42{number}{json.dumps([name, command])}")
        answer = await asyncio.wait_for(ack, ANSWER_S)
        if not answer["ok"]:
            raise LoadError(f"{name}: {answer}")

    async def tap(self, n: int) -> None:
        """Send reveal `n`; its answer is only timed."""
        number = self._number()
        self._taps[number] = time.perf_counter()
        await self._websocket.send_str(f'42{number}["reveal",{{"n":{n}}}]')

    async def go(self) -> None:
        """Close the connection."""
        self._reader.cancel()
        await self._websocket.close()

    def _number(self) -> int:
        self._next += 1
        return self._next

    async def _read(self) -> None:
        tally = self._table.tally
        while (message := await self._websocket.receive()).type is WSMsgType.TEXT:
            text: str = message.data
            tally.received += wire_size(text)
            if text.startswith('42["events"'):
                self._table.heard(self, text)
            elif text == "2":
                await self._websocket.send_str("3")
            elif found := _ACK.fullmatch(text):
                self._answered(int(found[1]), found[2])
            elif text.startswith('42["you"') and not self._here.done():
                self._here.set_result(None)
            elif text.startswith("44"):
                tally.unwelcome.append(text)
        tally.unwelcome.append(f"a connection ended: {message.type.name} {self._websocket.close_code}")

    def _answered(self, number: int, text: str) -> None:
        tapped = self._taps.pop(number, None)
        if tapped is not None:
            self._table.tally.acknowledged.append(time.perf_counter() - tapped)
        ack = self._acks.pop(number, None)
        if ack is not None:
            ack.set_result(json.loads(text)[0])
        elif '"ok":true' not in text:
            self._table.tally.unwelcome.append(text)


class Table:
    """One table, its people in seat order, its watchers, and whose turn it is."""

    def __init__(self, table: str, tally: Tally) -> None:
        self.id = table
        self.tally = tally
        self.people: list[Somebody] = []
        self._watchers: list[Somebody] = []
        self._made = 0
        self._turn = 0
        self._out: set[int] = set()
        self._over = True
        self._awaited = 0
        self._all_have_it: asyncio.Future[None] | None = None

    @classmethod
    async def make(
        cls, http: ClientSession, base: str | Sequence[str], tally: Tally, watchers: int = WATCHERS
    ) -> Table:
        """Make a table, fill it, start its first game; with several bases its people come to each in turn."""
        bases = itertools.cycle([base] if isinstance(base, str) else base)
        base = next(bases)
        async with http.post(f"{base}/api/tables", json={"name": "Person 0"}) as answer:
            if answer.status != 201:
                raise LoadError(f"no table was made: {answer.status} {await answer.text()}")
            cookie = cookie_of(answer.headers.getall("Set-Cookie"))
            table = cls((await answer.json())["id"], tally)
        table.people.append(await Somebody.come(table, http, base, cookie))
        for seat in range(1, PEOPLE):
            person = await Somebody.come(table, http, next(bases), None)
            await person.ask("sit", name=f"Person {seat}", seat=seat)
            table.people.append(person)
        for _ in range(watchers):
            table._watchers.append(await Somebody.come(table, http, next(bases), None))
        await table.people[0].ask("start")
        return table

    async def play(self, until: float, every: float) -> None:
        """Reveal until `until` of the performance counter: once in `every` seconds, or, at 0, as fast as it goes.

        A tap that the one before held up is late from the moment it was due, not from when it could be made.
        """
        now = time.perf_counter  # uvloop's own clock counts whole milliseconds
        due = now() + random.random() * every
        while due < until:
            if self._over:
                await self._again()
            held_up = every > 0 and due < now()
            if not held_up:
                await asyncio.sleep(due - now())
            tapped = due if held_up else now()
            await self._reveal()
            self.tally.latencies.append(now() - tapped)
            due = due + every if every else now()

    def heard(self, somebody: Somebody, text: str) -> None:
        """Take a batch that one socket of this table received."""
        found = _REVEALED.search(text)
        if found is None:
            if somebody is self.people[0] and '"type":"dealt"' in text:
                self._made, self._turn, self._out, self._over = 0, 0, set(), False
        elif int(found[1]) == self._made + 1 and self._all_have_it is not None:
            self._awaited -= 1
            if self._awaited == 0:
                self._follow(json.loads(text[2:])[1]["events"])
                self._all_have_it.set_result(None)

    async def go(self) -> None:
        """Let everybody go."""
        await asyncio.gather(*(each.go() for each in (*self.people, *self._watchers)))

    async def _reveal(self) -> None:
        self._awaited = len(self.people) + len(self._watchers)
        self._all_have_it = asyncio.get_running_loop().create_future()
        await self.people[self._turn].tap(self._made + 1)
        try:
            await asyncio.wait_for(self._all_have_it, ANSWER_S)
        except TimeoutError:
            why = self.tally.unwelcome[0] if self.tally.unwelcome else "no refusal, no connection lost"
            raise LoadError(f"reveal {self._made + 1} did not reach {self._awaited} sockets: {why}") from None

    async def _again(self) -> None:
        for person in self.people[1:]:
            await person.ask("ready")
        await self.people[0].ask("start")

    def _follow(self, events: list[dict[str, Any]]) -> None:
        self._made += 1
        matched = False
        for event in events:
            match event["type"]:
                case "revealed":
                    matched = event["matched"]
                case "out":
                    self._out.add(event["seat"])
                case "ended":
                    self._over = True
        while not matched and not self._over:
            self._turn = (self._turn + 1) % PEOPLE
            matched = self._turn not in self._out


def cookie_of(headers: list[str]) -> str:
    """Return the guest cookie that an answer set, as a request sends it."""
    for header in headers:
        if "rm_guest=" in header:
            return header.partition(";")[0]
    raise LoadError("no guest cookie was set")
