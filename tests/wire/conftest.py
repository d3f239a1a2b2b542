"""What the wire's tests stand on: a store, workers, players and their book, all ended when the test ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Player, Transport
from tests.wire.history import History, check
from tests.wire.processes import ROOT, Store, Worker, assert_quiet_log
from tests.wire.proxy import Proxy
from tests.wire.tape import Book, Json


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of this test's own, running."""
    store = Store(tmp_path / "store")
    store.start()
    try:
        store.ready()
        yield store
    finally:
        store.stop()


@pytest.fixture
async def proxies(store: Store) -> AsyncIterator[Callable[[], Awaitable[Proxy]]]:
    """Make proxies before the store."""
    made: list[Proxy] = []

    async def make() -> Proxy:
        proxy = Proxy(store.port)
        await proxy.start()
        made.append(proxy)
        return proxy

    yield make
    for proxy in made:
        await proxy.stop()


class Floor:
    """The workers of one test. Their logs must be quiet at its end: no traceback, none of `secrets`."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store
        self.workers: list[Worker] = []
        self.secrets: set[str] = set()
        self.noisy = False
        self.lent: tuple[Worker, ...] = ()

    async def add(
        self, *, url: str | None = None, embedded: bool = False, source: Path = ROOT, **settings: str
    ) -> Worker:
        """Start one more worker and wait until it serves; settings without their `RM_`, in any case."""
        named = {f"RM_{key.upper()}": value for key, value in settings.items()}
        redis_url = None if embedded else url or self.store.url
        worker = Worker(self.folder, redis_url, f"worker{len(self.workers)}", source=source, settings=named)
        self.workers.append(worker)
        worker.start()
        await worker.ready()
        return worker

    def quiet(self) -> None:
        """Fail if any worker's log is not quiet, unless a wrong product was run on purpose (`noisy`)."""
        for worker in () if self.noisy else (*self.workers, *self.lent):
            assert_quiet_log(worker, self.secrets)

    def stop(self) -> None:
        """End all workers, all told to before the first is waited for."""
        for worker in self.workers:
            worker.tell_to_stop()
        for worker in self.workers:
            worker.stop()


@pytest.fixture
def floor(tmp_path: Path, store: Store) -> Iterator[Floor]:
    """Workers on the store, ended at the end, and their logs looked through."""
    floor = Floor(tmp_path / "workers", store)
    try:
        yield floor
    finally:
        floor.stop()
    floor.quiet()


@contextlib.contextmanager
def lending(factory: pytest.TempPathFactory, **settings: Any) -> Iterator[tuple[Worker, Worker]]:
    """Run two workers on a store that several tests share, each with tables of its own. Never end them."""
    store = Store(factory.mktemp("lent-store"))
    floor = Floor(factory.mktemp("lent-workers"), store)
    store.start()
    try:
        store.ready()
        loop = asyncio.new_event_loop()
        first = loop.run_until_complete(floor.add(url=store.url, **settings))
        second = loop.run_until_complete(floor.add(url=store.url, **settings))
        loop.close()
        yield first, second
    finally:
        floor.stop()
        store.stop()
    floor.quiet()


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, Worker]]:
    """Two workers that the tests of one file share."""
    with lending(tmp_path_factory) as workers:
        yield workers


@pytest.fixture
def worker(floor: Floor, lent: tuple[Worker, Worker]) -> Worker:
    """A worker with the usual settings, shared with the file's other tests."""
    floor.lent = lent
    return lent[0]


@pytest.fixture
def pair(floor: Floor, lent: tuple[Worker, Worker]) -> tuple[Worker, Worker]:
    """Two workers on one store, shared with the file's other tests."""
    floor.lent = lent
    return lent


@pytest.fixture
async def mortals(floor: Floor) -> tuple[Worker, Worker]:
    """Two workers on one store that a test may kill."""
    return await floor.add(), await floor.add()


class Party:
    """Players, and the book that they all write."""

    def __init__(self, way: Transport) -> None:
        self.way: Transport = way
        self.book = Book()
        self.players: list[Player] = []

    def player(self, name: str, way: Transport | None = None) -> Player:
        """Make a guest who is not connected yet, and will connect the test's way if not another."""
        player = Player(name, self.book, way or self.way)
        self.players.append(player)
        return player

    async def seated(self, *bases: str, **settings: Any) -> list[Player]:
        """Make a table with one seated, connected player a base (any worker's); the first is host."""
        settings.setdefault("seats", max(2, len(bases)))
        host = self.player("Asha")
        await host.make_table(bases[0], **settings)
        await host.open(bases[0])
        guests = [
            self.player(name) for name in ("Bela", "Chitra", "Dipa", "Esha", "Farid", "Gita", "Hari")[: len(bases) - 1]
        ]
        for seat, (guest, base) in enumerate(zip(guests, bases[1:], strict=True), 1):
            await guest.open(base, host.table)
            answer = await guest.command("sit", name=guest.name, seat=seat)
            assert answer["ok"], answer
            assert answer["seat"] == seat
        return [host, *guests]

    async def started(self, *bases: str, **settings: Any) -> list[Player]:
        """Make a table with a running game; everybody has given a nonce."""
        players = await self.seated(*bases, **settings)
        for number, player in enumerate(players):
            answer = await player.command("nonce", nonce=f"{number + 1:032x}")
            assert answer["ok"], answer
        answer = await players[0].command("start")
        assert answer["ok"], answer
        for player in players:
            await player.until(lambda player=player: player.model.phase == "playing")  # type: ignore[misc]
        return players

    async def judge(self, base: str | None = None, *, complete: bool = True) -> History:
        """Wait until all have seen the same, ask for log and receipts, and have the book checked."""
        players = [player for player in self.players if player.connected and player.tape is not None]
        for player in players:
            await player.reach(max(other.model.seq for other in players))
        receipts: list[Json] = []
        logs: dict[int, list[Json]] = {}
        if base is not None and players:
            asker, path = players[0], f"/api/tables/{players[0].table}"
            status, text, _ = await asker.request(base, "GET", f"{path}/receipts")
            assert status == 200, text
            receipts = json.loads(text)["receipts"]
            for receipt in receipts:
                _, text, _ = await asker.request(base, "GET", f"{path}/log?game={receipt['game']}")
                logs[receipt["game"]] = [json.loads(line) for line in text.splitlines()]
        history = check(self.book, receipts=receipts, logs=logs, complete=complete)
        for player in self.players:
            assert not player.torn, player.torn
        return history


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of a file that names its `WAYS` once by each; a test may name its own by `parametrize`."""
    ways: tuple[Transport, ...] = getattr(metafunc.module, "WAYS", ())
    marks = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    named = any("way" in (names.split(",") if isinstance(names, str) else names) for names in marks)
    if ways and "way" in metafunc.fixturenames and not named:
        metafunc.parametrize("way", ways)


@pytest.fixture
def way() -> Transport:
    """How this test's players connect."""
    return "websocket"


@pytest.fixture
async def party(way: Transport) -> AsyncIterator[Party]:
    """Players, disconnected at the end."""
    party = Party(way)
    yield party
    for player in party.players:
        await player.close()
