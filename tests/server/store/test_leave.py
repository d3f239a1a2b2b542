"""leave.lua: an end that concerns its own connection only."""

from __future__ import annotations

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, open_table


async def test_a_late_end_of_an_old_connection_is_harmless(store: ValkeyStore) -> None:
    await open_table(store)
    old = await store.arrive(TABLE, "g", None, sitting=True)
    new = await store.arrive(TABLE, "g", None)
    assert old is not None
    assert new is not None
    assert await store.leave(TABLE, "g", old.generation) is False
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert beat.presence == new.presence
    assert await store.leave(TABLE, "g", new.generation) is True
    assert await store.leave(TABLE, "g", new.generation) is True
    beat = await store.beat(TABLE, [("g", new.generation, 0)], [])
    assert beat is not None
    assert not beat.presence["g"].open  # a beat on its way does not open it again


async def test_absence_is_counted_from_the_leave(store: ValkeyStore) -> None:
    await open_table(store)
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    await store.leave(TABLE, "g", arrival.generation)
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert arrival.presence["g"].heard <= beat.presence["g"].heard <= beat.head.now


async def test_a_watcher_leaves_and_a_forgotten_one_has_nothing_to_leave(store: ValkeyStore) -> None:
    await open_table(store)
    await store.arrive(TABLE, "w", None)
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    assert await store.leave(TABLE, "w", 0) is True
    await store.forget(TABLE, "g", arrival.generation)
    assert await store.leave(TABLE, "g", arrival.generation) is False
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert (beat.watching, beat.presence) == (0, {})
