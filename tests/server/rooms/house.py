"""People at tables on several workers, over one real store: what the tests of the live rooms share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from server.protocol.commands import Since, Sit
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.rooms.live import LiveRoom, Tempo
from server.rooms.member import Member
from server.rooms.outlet import Socket
from server.rooms.rooms import Rooms
from server.rooms.tables import Made, make_table
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import until

TEMPO = Tempo(beat_ms=40, away_ms=150)


class Ears:
    """A connection that keeps what it is sent."""

    def __init__(self, guest: str) -> None:
        self.guest = guest
        self.texts: list[str] = []
        self.silence = 0

    def silent_ms(self) -> int:
        return self.silence

    def send(self, text: str) -> None:
        self.texts.append(text)

    def all(self, name: str) -> list[Any]:
        """Return what was sent under a name, in order."""
        packets = (json.loads(text[1:]) for text in self.texts)
        return [packet[1] for packet in packets if packet[0] == name]

    def events(self) -> list[Any]:
        """Return all events of all batches, in order."""
        return [event for batch in self.all("events") for event in batch["events"]]

    def types(self) -> list[str]:
        """Return the events' types, in order."""
        return [event["type"] for event in self.events()]

    def since(self) -> Since:
        """Return where this client stands, by the last batch or snapshot that it was sent."""
        last = [p for p in (json.loads(t[1:]) for t in self.texts) if p[0] in ("events", "snapshot")][-1][1]
        return (last["epoch"], last["seq"], last["mark"])


class Outlet:
    """Delivers to each in turn."""

    def deliver(self, sockets: Iterable[Socket], text: str) -> None:
        for socket in sockets:
            socket.send(text)


class Worker:
    """A worker's rooms, without a transport."""

    def __init__(self, store: ValkeyStore, tempo: Tempo = TEMPO) -> None:
        self.store = store
        self.rooms = Rooms(store, Outlet(), tempo)
        self._closed = False

    async def close(self) -> None:
        """End it, once: before a proxy that it speaks through, or it would go on calling there."""
        if not self._closed:
            self._closed = True
            await self.rooms.close()
            await self.store.close()

    async def join(self, table: str, guest: str, since: Since | None = None, token: str = "") -> Person:
        """Connect a guest, who must be let in."""
        ears = Ears(guest)
        entered = await self.rooms.enter(table, ears, since, "en", token)
        assert not isinstance(entered, Refusal), entered
        return Person(self, ears, *entered)

    async def refused(self, table: str, guest: str) -> Refusal:
        """Connect a guest, who must not be let in."""
        entered = await self.rooms.enter(table, Ears(guest), None, "en")
        assert isinstance(entered, Refusal)
        return entered


class Person:
    """One connection of a guest."""

    def __init__(self, worker: Worker, ears: Ears, live: LiveRoom, member: Member) -> None:
        self.worker = worker
        self.ears = ears
        self.live = live
        self.member = member

    async def do(self, command: Any) -> Accepted | Refusal:
        return await self.worker.rooms.command(self.live, self.member, command)

    async def leave(self) -> None:
        """Lose the connection."""
        await self.worker.rooms.exit(self.live, self.member)


async def table_of(store: ValkeyStore, guest: str = "asha", **wanted: object) -> str:
    """Make a table; returns its id."""
    made = await make_table(store, guest=guest, name="Asha", wanted=wanted, language="en", unvisited_ms=600_000)
    assert isinstance(made, Made)
    return made.id


async def seated(worker: Worker, other: Worker | None = None, **wanted: object) -> tuple[Person, Person]:
    """Seat two people at a new table, the second perhaps at another worker."""
    table = await table_of(worker.store, "asha", **wanted)
    asha = await worker.join(table, "asha")
    bula = await (other or worker).join(table, "bula")
    assert await bula.do(Sit(id="s", name="Bula")) == Accepted(seq=2, seat=1)
    await until(lambda: asha.live.gate.seq == 2)
    return asha, bula


async def turn(*people: Person) -> tuple[Person, int]:
    """Wait until all know of the same reveal; return whose turn it is, and its number."""
    await until(lambda: len({p.live.gate.seq for p in people}) == 1)
    game = people[0].live.room.game
    assert game is not None
    assert game.turn is not None
    return people[game.turn], game.reveals + 1
