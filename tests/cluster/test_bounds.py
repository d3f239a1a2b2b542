"""What people leave behind is bounded: connections that never read, and tables that nobody comes back to."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.bench.onlookers import Crowd, do, report
from tests.cluster.cluster import Cluster, ComposedWorker
from tests.cluster.conftest import running, turn
from tests.wire.conftest import Party
from tests.wire.processes import assert_quiet_log
from tests.wire.raw import RawSocket

DEAF = 20
UNREAD_MIB = 0.5
"""What the server keeps for a connection that does not read (server/transport/frames.py)."""

LINE = "👩🏽‍👩🏽‍👧🏽‍👦🏽" * 200
"""The longest line there is, eight kilobytes."""

WATCHERS = 1_000
WATCHER_KIB = 95
"""As much as a whole table of four may cost: a watcher stays well under it."""

LEFT = 1_000
LIFE_MS = 3_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("bounds"), "list", 1) as cluster:
        yield cluster


@pytest.fixture
async def hasty(cluster: Cluster) -> AsyncIterator[ComposedWorker]:
    """A worker whose tables live for seconds."""
    worker = cluster.make_worker(RM_TTL_MS=str(LIFE_MS), RM_UNVISITED_MS=str(LIFE_MS))
    worker.start()
    try:
        await worker.ready()
        yield worker
    finally:
        worker.stop()
    assert_quiet_log(worker)


def memory_mib(worker: ComposedWorker) -> float:
    """Return a worker's resident memory."""
    status = Path(f"/proc/{worker.pid}/status").read_text("ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def open_files(worker: ComposedWorker) -> int:
    """Return how many connections and files a worker has open."""
    return len(list(Path(f"/proc/{worker.pid}/fd").iterdir()))


async def test_who_never_reads_is_let_go_and_costs_no_more_than_its_bound(cluster: Cluster, party: Party) -> None:
    [worker] = cluster.workers
    asha, bela = await party.seated(worker.base, worker.base)
    before = open_files(worker)
    deaf = [await RawSocket.open(worker.base, asha.table) for _ in range(DEAF)]
    assert open_files(worker) == before + DEAF
    began, most = memory_mib(worker), 0.0
    for _ in range(400):
        assert all(a["ok"] for a in await asyncio.gather(*(asha.command("say", text=LINE) for _ in range(10))))
        most = max(most, memory_mib(worker))
        if open_files(worker) == before:
            break
    assert open_files(worker) == before, "all were let go"
    # What is not theirs: the lines that are kept, the store's answers on their way, the heap's own slack.
    assert most - began < DEAF * UNREAD_MIB + 20
    assert all(await asyncio.gather(*(one.ended(10) for one in deaf)))
    for one in deaf:
        await one.close()
    await bela.reach(asha.model.seq)
    await party.judge(worker.base)


async def test_a_thousand_watchers_miss_nothing_and_leave_nothing(cluster: Cluster, party: Party) -> None:
    [worker] = cluster.workers
    players = await party.started(cluster.base, cluster.base)
    before, began = open_files(worker), memory_mib(worker)
    crowd = Crowd(cluster.base, players[0].table)
    try:
        await do(crowd, ["come", str(WATCHERS), "4"])
        assert report(crowd)["here"] == WATCHERS
        await turn(players, 10)
        await crowd.reach(players[0].model.seq)
        assert report(crowd)["faults"] == 0, crowd.faults[:3]
        assert memory_mib(worker) - began < WATCHERS * WATCHER_KIB / 1024
    finally:
        await do(crowd, ["go"])
    gone = time.monotonic()
    while open_files(worker) > before:
        assert time.monotonic() - gone < 10
        await asyncio.sleep(0.05)
    await turn(players, 2)
    await party.judge(cluster.base)


async def test_a_thousand_tables_that_are_left_leave_nothing(cluster: Cluster, hasty: ComposedWorker) -> None:
    began, before = memory_mib(hasty), keys(cluster)
    numbers = iter(range(LEFT))
    most = 0

    async def open_and_leave() -> None:
        nonlocal most
        async with aiohttp.ClientSession() as http:
            for number in numbers:
                async with http.post(f"{hasty.base}/api/tables", json={"name": "Asha"}) as answer:
                    assert answer.status == 201
                    table = (await answer.json())["id"]
                if number % 8 == 0:
                    raw = await RawSocket.open(hasty.base, table)
                    most = max(most, rooms(cluster))
                    await raw.close()

    await asyncio.gather(*(open_and_leave() for _ in range(8)))
    made = time.monotonic()
    assert keys(cluster) > before
    assert most > 0
    assert rooms(cluster) == 0, "no worker keeps a room where nobody is"
    assert memory_mib(hasty) - began < 30
    while (left := keys(cluster) - before) > 0:
        assert time.monotonic() - made < LIFE_MS / 1000 + 3, f"{left} keys are left"
        await asyncio.sleep(0.1)


def rooms(cluster: Cluster) -> int:
    """Return how many tables' channels workers listen to."""
    return int(cluster.store.ask("PUBSUB", "SHARDCHANNELS").split(b"\r\n")[0][1:])


def keys(cluster: Cluster) -> int:
    return int(cluster.store.ask("DBSIZE")[1:])
