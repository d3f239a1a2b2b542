"""beat.lua: presence refreshed under its own generation, watchers counted, the head told."""

from __future__ import annotations

from redis.asyncio import Redis

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, a_commit, committed, open_table


async def test_it_refreshes_by_the_age_of_what_was_heard_and_never_backwards(store: ValkeyStore) -> None:
    await open_table(store)
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    beat = await store.beat(TABLE, [("g", arrival.generation, 5000)], [])
    assert beat is not None
    assert beat.presence["g"] == arrival.presence["g"]
    beat = await store.beat(TABLE, [("g", arrival.generation, 0)], [])
    assert beat is not None
    assert beat.presence["g"].heard == beat.head.now


async def test_an_old_generation_refreshes_nothing_and_learns_of_the_newer(
    store: ValkeyStore,
) -> None:
    await open_table(store)
    old = await store.arrive(TABLE, "g", None, sitting=True)
    new = await store.arrive(TABLE, "g", None)
    assert old is not None
    assert new is not None
    beat = await store.beat(TABLE, [("g", old.generation, 0), ("nobody", 1, 0)], [])
    assert beat is not None
    assert beat.presence == new.presence
    assert beat.presence["g"].generation > old.generation


async def test_it_tells_the_head(store: ValkeyStore) -> None:
    await open_table(store)
    head = committed(await store.commit(a_commit(1, due=5000))).head
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert (beat.head.seq, beat.head.ver, beat.head.mark, beat.head.due) == (2, 2, head.mark, head.due)


async def test_watchers_are_counted_while_refreshed(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await store.arrive(TABLE, "g", None, sitting=True)
    beat = await store.beat(TABLE, [], [*(f"w{i}" for i in range(1000)), "g"])
    assert beat is not None
    assert beat.watching == 1000  # the seated one is none
    watchers = f"t:{{{TABLE}}}:w"
    await admin.zadd(watchers, {f"w{i}": beat.head.now - 60_000 for i in range(400)})
    beat = await store.beat(TABLE, [], ["w0"])
    assert beat is not None
    assert beat.watching == 601
    assert await admin.zcard(watchers) == 601
    assert await admin.pexpiretime(watchers) == await admin.pexpiretime(f"t:{{{TABLE}}}") > 0
