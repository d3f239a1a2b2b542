"""arrive.lua: generations, watchers, and the first one back at an empty table."""

from __future__ import annotations

import asyncio

from redis.asyncio import Redis

from server.ports import Arrival
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, a_commit, a_line, committed, open_table, until


async def arrive(store: ValkeyStore, guest: str, *, sitting: bool = False, restart_ms: int = 0) -> Arrival:
    arrival = await store.arrive(TABLE, guest, None, sitting=sitting, restart_ms=restart_ms)
    assert arrival is not None
    return arrival


async def age(admin: Redis, guest: str, ms: int, *, is_open: bool = True) -> None:
    """Make a presence look as if it was last heard `ms` ago."""
    key = f"t:{{{TABLE}}}:p"
    text = await admin.hget(key, guest)
    assert text is not None
    generation, heard, _ = text.split()
    await admin.hset(key, guest, f"{int(generation)} {int(heard) - ms} {int(is_open)}")


async def test_whoever_arrives_gets_the_lines_of_that_moment(store: ValkeyStore) -> None:
    await open_table(store)
    assert (await arrive(store, "w")).stored.said == ()
    for n in range(52):
        await store.commit(a_line(said=f'{{"id":"m{n}","at":5}}'))
    assert (await arrive(store, "w")).stored.said == tuple(f'{{"id":"m{n}","at":5}}' for n in range(2, 52))


async def test_generations_only_grow_even_after_a_seat_was_freed(store: ValkeyStore) -> None:
    await open_table(store)
    first = await arrive(store, "g", sitting=True)
    second = await arrive(store, "g")
    other = await arrive(store, "h", sitting=True)
    await store.forget(TABLE, "g", second.generation)
    third = await arrive(store, "g", sitting=True)
    generations = [first.generation, second.generation, other.generation, third.generation]
    assert generations == sorted(set(generations))
    assert generations[0] >= 1
    assert third.presence["g"].generation == third.generation
    assert third.presence["g"].open


async def test_it_answers_the_table_as_it_stands(store: ValkeyStore) -> None:
    await open_table(store)
    batch = committed(await store.commit(a_commit(1))).batch
    arrival = await store.arrive(TABLE, "g", 1, sitting=True)
    assert arrival is not None
    assert arrival.stored.batches == (batch,)
    assert (arrival.stored.state, arrival.stored.head.seq) == (b"s2", 2)
    assert arrival.presence["g"].heard == arrival.stored.head.now


async def test_one_without_a_seat_is_a_watcher_until_sitting(store: ValkeyStore) -> None:
    await open_table(store)
    assert (await arrive(store, "w")).generation == 0
    again = await arrive(store, "w")
    assert (again.generation, again.watching, again.presence) == (0, 1, {})
    assert (await arrive(store, "v")).watching == 2
    sat = await arrive(store, "w", sitting=True)
    assert sat.generation > 0
    assert sat.watching == 1


async def test_a_watcher_changes_no_clock(store: ValkeyStore) -> None:
    await open_table(store)
    due = committed(await store.commit(a_commit(1, due=-5000))).head.due
    arrival = await arrive(store, "w", restart_ms=9000)
    assert arrival.stored.head.due == due


async def test_the_first_one_back_starts_absences_and_due_anew(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    for guest in ("g", "h", "i"):
        await arrive(store, guest, sitting=True)
    await age(admin, "g", 100_000)
    await age(admin, "h", 100_000)
    await age(admin, "i", 100_000, is_open=False)
    await store.commit(a_commit(1, due=-50_000))
    back = await arrive(store, "g", restart_ms=1000)
    now = back.stored.head.now
    assert back.stored.head.due == now + 1000
    assert back.stored.head.since == now
    assert all(one.heard == now for one in back.presence.values())
    assert {guest: one.open for guest, one in back.presence.items()} == {"g": True, "h": False, "i": False}
    # The second one back restarts nothing.
    await asyncio.sleep(0.02)
    second = await arrive(store, "h", restart_ms=7000)
    assert second.stored.head.due == now + 1000
    assert second.stored.head.since == now
    assert second.presence["i"].heard == now


async def test_a_due_that_is_never_stays_never(store: ValkeyStore) -> None:
    await open_table(store)
    assert (await arrive(store, "g", sitting=True, restart_ms=1000)).stored.head.due is None


async def test_one_who_was_lapsed_is_opened_by_a_beat_but_one_who_left_is_not(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    lapsed = await arrive(store, "g", sitting=True)
    left = await arrive(store, "h", sitting=True)
    await store.leave(TABLE, "h", left.generation)
    await age(admin, "g", 100_000)
    assert not (await arrive(store, "i", sitting=True)).presence["g"].open
    beat = await store.beat(TABLE, [("g", lapsed.generation, 0), ("h", left.generation, 0)], [])
    assert beat is not None
    assert beat.presence["g"].open
    assert not beat.presence["h"].open


async def test_other_workers_hear_of_it_at_once(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    arrival = await arrive(store, "g", sitting=True)
    await arrive(store, "w")
    await store.leave(TABLE, "g", arrival.generation)
    await until(lambda: len(ear.presences) == 2)
    (guest, here), (_, gone) = ear.presences
    assert (guest, here) == ("g", arrival.presence["g"])
    assert (gone.generation, gone.open) == (arrival.generation, False)
