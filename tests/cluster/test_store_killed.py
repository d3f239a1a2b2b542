"""The store loses its power: killed, and its log cut back to what had reached the disk by then.

What reached the disk is known because strace keeps back every later sync. With `always` everything acknowledged is
there; with `everysec` what was synced is, and everybody is told that history went back.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster, ComposedStore
from tests.cluster.conftest import SHORT, running, turn
from tests.cluster.rollback import all_told, forget
from tests.wire.conftest import Party


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("power"), "list", 2) as cluster:
        yield cluster


class Disk:
    """The store's disk, of which strace keeps every sync from happening until the power is lost."""

    def __init__(self, store: ComposedStore) -> None:
        self.store = store
        strace = shutil.which("strace")
        assert strace, "the tests need strace: `make tools`"
        held = ("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_enter=60s")
        self.tracer = subprocess.Popen(
            [strace, "-f", *held, "-o", "/dev/null", "-p", str(store.pid)], stderr=subprocess.PIPE, text=True
        )
        assert self.tracer.stderr is not None
        said = self.tracer.stderr.readline()
        assert "attached" in said, f"strace may not look at its own user's processes here: {said}"

    def lose_power(self, on_disk: int) -> None:
        """Kill the store, cut its log back to what was on the disk, and start it again."""
        assert log_size(self.store) > on_disk, "something was written and not synced"
        self.store.send(signal.SIGKILL)
        self.let_go()  # Who is being looked at ends only then.
        self.store.wait()
        with log_of(self.store).open("r+b") as file:
            file.truncate(on_disk)
        self.store.start()
        self.store.ready()

    def let_go(self) -> None:
        self.tracer.kill()
        self.tracer.communicate(timeout=5)


@contextlib.contextmanager
def no_sync(store: ComposedStore) -> Iterator[Disk]:
    """Keep every sync of the store's to the disk from happening."""
    disk = Disk(store)
    try:
        yield disk
    finally:
        disk.let_go()


def log_of(store: ComposedStore) -> Path:
    [log] = (store.folder / "appendonlydir").glob("*.incr.aof")
    return log


def log_size(store: ComposedStore) -> int:
    return log_of(store).stat().st_size


async def synced(store: ComposedStore) -> int:
    """Return the size of the log once all of it has been on the disk for a while."""
    size, since = -1, time.monotonic()
    while time.monotonic() - since < 1.3:
        now = log_size(store)
        if now != size or b"aof_pending_bio_fsync:0" not in store.ask("INFO", "persistence"):
            size, since = now, time.monotonic()
        await asyncio.sleep(0.05)
    return size


async def test_with_everysec_what_was_synced_is_there_and_people_are_told(cluster: Cluster, party: Party) -> None:
    players = await party.started(*(worker.base for worker in cluster.workers), **SHORT)
    await turn(players, 3)
    on_disk, seq = await synced(cluster.store), players[0].model.seq
    with no_sync(cluster.store) as disk:
        await turn(players, 4)
        await party.judge(complete=True)
        disk.lose_power(on_disk)
    await all_told(players, seq)
    assert forget(party.book, seq) == 4
    assert [player.game["n"] for player in players] == [3, 3]
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(cluster.base)
    assert history.of_type("ended")


async def test_with_always_nothing_is_acknowledged_before_it_is_on_the_disk(cluster: Cluster, party: Party) -> None:
    cluster.store.ask("CONFIG", "SET", "appendfsync", "always")
    players = await party.started(*(worker.base for worker in cluster.workers), **SHORT)
    await turn(players, 3)
    on_disk, seq = log_size(cluster.store), players[0].model.seq
    with no_sync(cluster.store) as disk:
        first = next(player for player in players if player.is_turn())
        tap = first.send("reveal", {"n": 4})
        written = time.monotonic()
        await asyncio.sleep(0.7)
        assert log_size(cluster.store) > on_disk, "it is written"
        assert time.monotonic() - written < 1.8, "the worker has not given up its link"
        assert not tap.done()
        assert [player.model.seq for player in players] == [seq, seq], "nor has anybody seen it"
        disk.lose_power(on_disk)
    assert (await asyncio.wait_for(tap, 10))["ok"], "the worker asked again"
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(cluster.base)
    assert history.of_type("ended")
    for player in players:
        assert player.tape is not None
        assert len(player.tape.frames("snapshot")) == 1, "no history went back"
