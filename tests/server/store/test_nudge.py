"""nudge.lua: a bell for one guest, once in a while, and once a command."""

from __future__ import annotations

import asyncio
from pathlib import Path

from redis.asyncio import Redis

from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import EPOCH, TABLE, TTL, Ear, Proxy, a_commit, committed, open_table, until


async def test_it_rings_once_a_command_and_once_in_a_while(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    assert await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=100) is True
    assert await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=100) is True
    assert await store.nudge(TABLE, "g", "nudge b", wanted="w", every_ms=100) is False
    assert await store.nudge(TABLE, "h", "nudge a", wanted="w", every_ms=100) is False, "a table, not a guest"
    await asyncio.sleep(0.11)
    assert await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=100) is True, "done before"
    assert await store.nudge(TABLE, "g", "nudge b", wanted="v", every_ms=100) is True
    await until(lambda: len(ear.notices) == 2)
    await asyncio.sleep(0.02)
    assert ear.notices == [("w", "nudged"), ("v", "nudged")]


async def test_it_is_remembered_beside_the_commits_and_numbers_nothing(store: ValkeyStore) -> None:
    first = await open_table(store)
    committed(await store.commit(a_commit(1, guest="g", cmd="sit s", answer='{"seat":1}')))
    await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=0)
    sat, nudged = await store.done(TABLE, "g", "sit s"), await store.done(TABLE, "g", "nudge a")
    assert sat is not None
    assert nudged is not None
    assert (sat.seq, sat.answer, nudged.answer) == (2, '{"seat":1}', "{}")
    assert await store.nudge(TABLE, "g", "nudge b", wanted="w", every_ms=0) is True, "0 is no limit"
    stored = await store.read(TABLE, 0)
    assert stored is not None
    assert (stored.head.seq, stored.head.ver, stored.batches[0]) == (2, 2, first)


async def test_it_makes_no_key_and_no_table(store: ValkeyStore, admin: Redis) -> None:
    assert await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=0) is None
    assert await admin.keys() == []
    await store.open(TABLE, epoch=EPOCH, state=b"s", events="[]", ttl_ms=TTL)
    keys = sorted(await admin.keys())
    await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=0)
    assert sorted(await admin.keys()) == keys


async def test_a_lost_answer_is_no_second_ring(embedded: Embedded, admin: Redis, tmp_path: Path) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        store = await ValkeyStore.connect(proxy.url)
        other = await ValkeyStore.connect(embedded.url)
        await open_table(other)
        ear = Ear()
        await other.subscribe(TABLE, ear)
        await other.nudge(TABLE, "h", "nudge 0", wanted="w", every_ms=0)  # the script is known from here on
        proxy.losing, proxy.lose_replies = b":1\r\n", 1
        assert await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=0) is True
        assert proxy.lost == 1
        await other.nudge(TABLE, "h", "nudge z", wanted="last", every_ms=0)
        await until(lambda: ("last", "nudged") in ear.notices)
        assert ear.notices == [("w", "nudged"), ("w", "nudged"), ("last", "nudged")]
        await store.close()
        await other.close()
