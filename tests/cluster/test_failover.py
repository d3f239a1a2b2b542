"""The store fails over to its replica: what was acknowledged with `RM_WAIT_REPLICAS` is there, the rest is told.

The workers know the store by one address, which is led to the replica once it is promoted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT, turn
from tests.cluster.rollback import all_told, forget
from tests.wire.conftest import Party
from tests.wire.processes import DEFAULTS, Store, assert_quiet_log, free_port
from tests.wire.relay import Relay


class Pair:
    """A deployment whose store has a replica; `address` leads the workers to the store, `link` the replica."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.cluster = Cluster(
            folder,
            workers=2,
            settings=DEFAULTS | {"RM_WAIT_REPLICAS": "1"},
            urls=[f"redis://127.0.0.1:{port}/0"] * 2,
        )
        self.address = Relay(self.cluster.store.port, port)
        self.link = Relay(self.cluster.store.port)
        self.replica = Store(folder / "replica")

    async def start(self) -> None:
        await self.address.start()
        await self.link.start()
        self.replica.start()
        await asyncio.to_thread(self.replica.ready)
        await self.cluster.start()
        for store in (self.replica, self.cluster.store):  # Nobody else will come for a copy: it need not wait.
            await asyncio.to_thread(store.ask, "CONFIG", "SET", "repl-diskless-sync-delay", "0")
        await asyncio.to_thread(self.replica.ask, "REPLICAOF", "127.0.0.1", str(self.link.port))
        await asyncio.to_thread(self._followed)

    def _followed(self) -> None:
        until = time.monotonic() + 10
        while b"master_link_status:up" not in self.replica.ask("INFO", "replication"):
            assert time.monotonic() < until, self.replica.output()
            time.sleep(0.05)

    async def fail_over(self) -> None:
        """Lose the store, promote the replica, and lead the workers there; the old one comes back as its replica."""
        self.cluster.store.kill()
        self.link.cut()
        self.address.cut()
        await asyncio.to_thread(self.replica.ask, "REPLICAOF", "NO", "ONE")
        self.address.restore(self.replica.port)
        old = self.cluster.store
        old.start()
        await asyncio.to_thread(old.ready)
        await asyncio.to_thread(old.ask, "REPLICAOF", "127.0.0.1", str(self.replica.port))

    async def stop(self) -> None:
        self.cluster.stop()
        self.replica.stop()
        await self.link.stop()
        await self.address.stop()


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    pair = Pair(tmp_path)
    try:
        await pair.start()
        yield pair
    finally:
        await pair.stop()
    for worker in pair.cluster.workers:
        assert_quiet_log(worker)


async def test_what_was_waited_for_survives_and_nothing_else_was_acknowledged(pair: Pair, party: Party) -> None:
    players = await party.started(*(worker.base for worker in pair.cluster.workers), **SHORT)
    await turn(players, 5)
    seq = players[0].model.seq
    pair.link.freeze()
    first = next(player for player in players if player.is_turn())
    tap = first.send("reveal", {"n": 6})
    await asyncio.gather(*(player.turned(6) for player in players if player is not first))
    await asyncio.sleep(0.3)
    assert not tap.done(), "no replica has it"
    await pair.fail_over()
    await all_told([player for player in players if player.model.seq > seq], seq)
    # Nobody can say of the first whether it was done, so it stays unanswered; asked again it is done, and once.
    assert (await first.command("reveal", n=6))["ok"]
    assert not tap.done()
    assert forget(party.book, seq) == 1
    await asyncio.gather(*(player.turned(6) for player in players))
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(pair.cluster.base)
    assert history.of_type("ended")
