"""open.lua: only it creates a table, once."""

from __future__ import annotations

import hashlib
import json

from redis.asyncio import Redis

from server.store.valkey import ValkeyStore
from tests.server.store.helpers import EPOCH, TABLE, TTL, open_table


async def test_the_first_batch_is_framed_and_begins_the_chain(store: ValkeyStore) -> None:
    batch = await open_table(store)
    events = '[{"type":"opened"}]'
    assert batch.seq == 1
    assert batch.previous_mark == "0" * 16
    assert batch.mark == hashlib.sha1(("0" * 16 + events).encode()).hexdigest()[:16]
    frame = json.loads(batch.frame)
    assert list(frame) == ["epoch", "seq", "mark", "at", "events"]
    stored = await store.read(TABLE, 0)
    assert stored is not None
    assert frame == {
        "epoch": EPOCH,
        "seq": 1,
        "mark": batch.mark,
        "at": frame["at"],
        "events": json.loads(events),
    }
    assert abs(stored.head.now - frame["at"]) < 1000
    assert (stored.epoch, stored.state, stored.batches) == (EPOCH, b"s1", (batch,))
    assert (stored.head.seq, stored.head.ver, stored.head.mark, stored.head.due) == (1, 1, batch.mark, None)


async def test_a_taken_id_is_refused_and_nothing_changes(store: ValkeyStore) -> None:
    await open_table(store)
    before = await store.read(TABLE, 0)
    again = await store.open(TABLE, epoch="f" * 16, state=b"other", events="[]", ttl_ms=TTL)
    after = await store.read(TABLE, 0)
    assert again is None
    assert before is not None
    assert after is not None
    assert (after.epoch, after.state, after.batches) == (before.epoch, before.state, before.batches)


async def test_asked_again_with_its_own_epoch_it_answers_as_before(store: ValkeyStore) -> None:
    batch = await open_table(store)
    assert await open_table(store) == batch


async def test_it_lives_as_long_as_told(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store, ttl_ms=40_000)
    assert 39_000 < await admin.pttl(f"t:{{{TABLE}}}") <= 40_000
    assert 39_000 < await admin.pttl(f"t:{{{TABLE}}}:b") <= 40_000
