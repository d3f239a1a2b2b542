"""forget.lua: a presence that is dropped, and who asks for it to be counted as a watcher."""

from __future__ import annotations

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, open_table, until


async def test_a_freed_seats_presence_is_gone_and_its_guest_may_be_counted(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.arrive(TABLE, "g", None, sitting=True)
    await store.subscribe(TABLE, ear)
    await store.forget(TABLE, "g")
    await until(lambda: ear.watching == [(0, "g")])
    await store.watch(TABLE, ["g"])
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert (beat.presence, beat.watching) == ({}, 1)
    await store.forget(TABLE, "g")  # nothing to drop, nothing to say
    await store.forget(TABLE, "h")
    await until(lambda: len(ear.watching) == 2)
    assert ear.watching[1] == (1, "")
