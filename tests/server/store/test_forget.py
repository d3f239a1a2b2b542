"""forget.lua: a presence that is dropped, and who asks for it to be counted as a watcher."""

from __future__ import annotations

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, open_table, until


async def test_a_presence_without_a_seat_is_dropped_and_its_guest_may_be_counted(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    await store.subscribe(TABLE, ear)
    await store.forget(TABLE, "g", arrival.generation)
    await until(lambda: ear.watching == [(0, "g")])
    await store.watch(TABLE, ["g"])
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert (beat.presence, beat.watching) == ({}, 1)
    await store.forget(TABLE, "g", arrival.generation)  # nothing to drop, nothing to say
    await store.forget(TABLE, "h", 1)
    await until(lambda: len(ear.watching) == 2)
    assert ear.watching[1] == (1, "")


async def test_a_newer_presence_of_theirs_stays(store: ValkeyStore) -> None:
    await open_table(store)
    older = await store.arrive(TABLE, "g", None, sitting=True)
    newer = await store.arrive(TABLE, "g", None, sitting=True)
    assert older is not None
    assert newer is not None
    await store.forget(TABLE, "g", older.generation)
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert beat.presence["g"].generation == newer.generation
