"""A worker cut from the store, its packets dropped: its people are told, and it comes back by itself.

The times are the product's own: an answer is waited for 2 s, a question asked again for 5 s. So 3 s is inside what is
asked again, and 6.5 s beyond it; a longer cut repeats what 6.5 s show (`RM_CUT_S=60` runs it).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator

import aiohttp
import pytest

from tests.cluster.cluster import Cluster, ComposedStore
from tests.cluster.conftest import SHORT
from tests.cluster.network import cut, dropped, mend, own_network
from tests.wire.client import Player
from tests.wire.conftest import Party
from tests.wire.processes import DEFAULTS, assert_quiet_log

CUTS = [3.0, 6.5, *(float(more) for more in os.environ.get("RM_CUT_S", "").split())]
OTHER = "127.0.0.77"
"""Where the second worker finds the store: packets of this address alone are dropped."""


class ManyHomed(ComposedStore):
    """The store, at another address too."""

    def command(self) -> list[str]:
        return [*super().command(), OTHER]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with own_network():
        cluster = Cluster(tmp_path_factory.mktemp("cut"), workers=2, settings=DEFAULTS)
        cluster.store = ManyHomed(cluster.folder / "store", {})
        cluster.urls = [cluster.store.url, cluster.store.url.replace("127.0.0.1", OTHER)]
        try:
            asyncio.run(cluster.start())
            yield cluster
        finally:
            mend()
            cluster.stop()
    for worker in cluster.workers:
        assert_quiet_log(worker)


async def readiness(cluster: Cluster) -> list[int]:
    statuses = []
    async with aiohttp.ClientSession() as http:
        for worker in cluster.workers:
            async with http.get(f"{worker.base}/readyz") as answer:
                statuses.append(answer.status)
    return statuses


def notices(player: Player) -> list[str]:
    assert player.tape is not None
    return [frame["code"] for frame in player.tape.frames("notice")]


@pytest.mark.parametrize("seconds", CUTS)
async def test_its_people_are_told_and_it_comes_back_by_itself(cluster: Cluster, party: Party, seconds: float) -> None:
    """Asha's worker has the store, Bela's has not: Asha's people go on, and Bela is whole soon after."""
    asha, bela = await party.started(*(worker.base for worker in cluster.workers), **SHORT)
    other = party.player("other table")
    await other.make_table(cluster.workers[0].base, seats=2)
    assert await readiness(cluster) == [200, 200]
    cut(OTHER)
    began = time.monotonic()
    tap = bela.send("rename", {"id": "cut", "name": "Bela Di"})
    if asha.is_turn():
        assert (await asha.command("reveal", n=1))["ok"], "the others go on"
    await other.open(cluster.workers[0].base)
    await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
    assert dropped() > 0
    assert (await readiness(cluster))[1] == 503
    assert bela.connected
    if seconds > 5:
        assert "store_down" in notices(bela)
        assert not tap.done(), "perhaps done, so neither yes nor no"
    assert "store_down" not in notices(asha)
    mend()
    mended = time.monotonic()
    renamed = tap if seconds < 5 else bela.send("rename", {"id": "cut", "name": "Bela Di"})
    assert (await asyncio.wait_for(renamed, 5))["ok"]
    if seconds > 5:
        await bela.until(lambda: notices(bela)[-1:] == ["store_back"], 5)
    await bela.reach(asha.model.seq)
    assert time.monotonic() - mended < 5
    while await readiness(cluster) != [200, 200]:
        assert time.monotonic() - mended < 5
    await asyncio.gather(asha.play(), bela.play())
    await other.close()
    party.players.remove(other)
    party.book.tapes = [tape for tape in party.book.tapes if tape.owner != other.name]
    history = await party.judge(cluster.base)
    assert history.of_type("ended")
    assert len(history.of_type("renamed")) == 1
