"""An old release and a new one at one table: each leaves it in the form that the other can read, and nothing is lost.

The new release is today's with one more part in the stored state, patched in as packing.py says; the one after it is
the first to open tables with that part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgpack
import pytest
from redis.asyncio import Redis

from server.rooms import packing
from server.rooms.record import FIRST, OPENED
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT, play_on, running
from tests.wire.client import Player, RefusedError
from tests.wire.conftest import Party
from tests.wire.mutants import Patch, copied

RECORD, PACKING = "server/rooms/record.py", "server/rooms/packing.py"
NEXT = (
    Patch(RECORD, "from dataclasses import dataclass, fields,", "from dataclasses import dataclass, field, fields,"),
    Patch(
        RECORD,
        "    form: int = OPENED\n",
        f'    mood: str = field(default="calm", metadata=since({packing.FORM + 1}))\n    form: int = OPENED\n',
    ),
    # What people do changes the part, at tables of either form.
    Patch(
        RECORD,
        "            return _change(room, number, name=name)\n",
        "            return _change(replace(room, mood=name), number, name=name)\n",
    ),
    Patch(PACKING, f"FORM: Final = {packing.FORM}\n", f"FORM: Final = {packing.FORM + 1}\n"),
)
AFTER = (*NEXT, Patch(RECORD, f"OPENED = {OPENED}\n", f"OPENED = {packing.FORM + 1}\n"))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A deployment of two workers."""
    with running(tmp_path_factory.mktemp("releases"), "list", 2) as cluster:
        yield cluster


async def upgraded(cluster: Cluster, which: int, source: Path) -> None:
    assert await cluster.drain(which) == 0
    await cluster.restart(which, source=source)


async def stored(cluster: Cluster, table: str) -> list[object]:
    """Return a table's state as it lies in the store."""
    async with Redis.from_url(cluster.store.url) as redis:
        state: list[object] = msgpack.unpackb(await redis.hget(f"t:{{{table}}}", "state"))
    return state


async def renamed_at_both(players: list[Player]) -> None:
    for player in players:
        await player.command("rename", name=f"{player.name} again")


async def test_a_game_goes_on_through_an_upgrade_and_the_next(two: Cluster, party: Party, tmp_path: Path) -> None:
    bases = [worker.base for worker in two.workers]
    following = copied(tmp_path / "next", NEXT)
    players = await party.started(*bases, **SHORT)
    table = players[0].table
    await renamed_at_both(players)
    games = [asyncio.ensure_future(play_on(player)) for player in players]
    await players[0].until(lambda: players[0].game["n"] >= 5)
    await upgraded(two, 1, following)  # Now each of the two people is at another release.
    assert (await stored(two, table))[0] == FIRST
    await players[0].until(lambda: players[0].game["n"] >= 15)
    await upgraded(two, 0, following)
    await asyncio.gather(*games)
    history = await party.judge(two.base)
    assert history.of_type("ended")
    assert "calm" not in await stored(two, table)

    # New tables are still opened so that a worker of the old release can be met.
    fresh = Party("websocket")
    again = await fresh.seated(*bases)
    assert (await stored(two, again[0].table))[0] == FIRST
    await renamed_at_both(again)
    await fresh.judge(two.base)
    for player in again:
        await player.close()


async def test_the_part_is_there_once_every_worker_can_read_it(two: Cluster, party: Party, tmp_path: Path) -> None:
    bases = [worker.base for worker in two.workers]
    await upgraded(two, 0, copied(tmp_path / "next", NEXT))
    await upgraded(two, 1, copied(tmp_path / "after", AFTER))
    maker = party.player("Chitra")
    await maker.make_table(bases[1])
    await maker.open(bases[1])
    other = party.player("Dipu")
    await other.open(bases[0], maker.table)
    await other.command("sit", name="Dipu")
    state = await stored(two, maker.table)
    assert state[0] == packing.FORM + 1
    assert state[-1] == "calm"
    await renamed_at_both([maker, other])
    assert (await stored(two, maker.table))[-1] == "Dipu again"
    await party.judge(two.base)


async def test_a_release_that_cannot_read_a_table_says_so_in_words(two: Cluster, party: Party, tmp_path: Path) -> None:
    after, old = two.make_worker(source=copied(tmp_path / "after", AFTER)), two.make_worker()
    try:
        for worker in (after, old):
            worker.start()
            await worker.ready()
        maker = party.player("Esha")
        await maker.make_table(after.base)
        with pytest.raises(RefusedError) as refused:
            await party.player("Faruk").open(old.base, maker.table)
        assert refused.value.code == "store_down"
        assert "this release reads" in old.output()
    finally:
        for worker in (after, old):
            worker.stop()
