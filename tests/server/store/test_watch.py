"""watch.lua: who watches, counted and told of at once, whichever worker says so."""

from __future__ import annotations

from redis.asyncio import Redis

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, open_table, until


async def counted(store: ValkeyStore) -> int:
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    return beat.watching


async def test_one_is_counted_once_however_often_it_is_said(store: ValkeyStore) -> None:
    await open_table(store)
    await store.arrive(TABLE, "w", None)
    await store.watch(TABLE, ["w", "v", "w"])
    await store.watch(TABLE, ["w"])
    await store.watch(TABLE, [])
    assert await counted(store) == 2


async def test_the_seated_are_not_counted_but_one_who_left_the_seat_and_stays_is(store: ValkeyStore) -> None:
    await open_table(store)
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    await store.watch(TABLE, ["g"])
    assert await counted(store) == 0
    await store.leave(TABLE, "g", arrival.generation)
    await store.watch(TABLE, ["g"])
    assert await counted(store) == 1
    await store.arrive(TABLE, "g", None)
    assert await counted(store) == 0


async def test_every_worker_hears_of_every_change_and_of_nothing_else(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await store.arrive(TABLE, "w", None)
    await store.arrive(TABLE, "w", None)
    await store.watch(TABLE, ["w", "v"])
    await store.watch(TABLE, ["w", "v"])
    await store.leave(TABLE, "v", 0)
    await store.leave(TABLE, "v", 0)
    arrival = await store.arrive(TABLE, "w", None, sitting=True)
    assert arrival is not None
    await store.forget(TABLE, "w", arrival.generation)
    await until(lambda: len(ear.watching) >= 5)
    assert ear.watching == [(1, ""), (2, ""), (1, "v"), (0, ""), (0, "w")]
    # Those of a worker that is no more run out, and whoever comes next finds them gone.
    now = (await admin.time())[0] * 1000
    await admin.zadd(f"t:{{{TABLE}}}:w", {f"old{n}": now - 60_000 for n in range(3)})
    await store.beat(TABLE, [], [])
    await until(lambda: len(ear.watching) == 6)
    assert ear.watching[-1] == (0, "")


async def test_a_table_that_is_gone_is_not_made_anew(store: ValkeyStore, admin: Redis) -> None:
    await store.watch(TABLE, ["w"])
    await store.forget(TABLE, "w", 1)
    assert await admin.keys("t:*") == []


async def test_it_lives_no_longer_than_its_table(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await store.watch(TABLE, ["w"])
    assert await admin.pexpiretime(f"t:{{{TABLE}}}:w") == await admin.pexpiretime(f"t:{{{TABLE}}}") > 0
