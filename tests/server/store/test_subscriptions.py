"""subscriptions.py: confirmed, and for ever."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.ports import Published, StoreDownError
from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore, channel
from tests.server.store.helpers import TABLE, Ear, Proxy, a_commit, a_line, committed, open_table, until


async def test_a_commit_right_after_subscribe_is_heard(store: ValkeyStore) -> None:
    for n in range(20):
        table = f"t{n}"
        await open_table(store, table)
        ear = Ear()
        await store.subscribe(table, ear)
        await store.commit(a_commit(1, table=table))
        await until(lambda ear=ear: len(ear.published) == 1)  # type: ignore[misc]  # the loop's own ear


async def test_each_hears_its_own_room_in_order(store: ValkeyStore) -> None:
    ears = {name: Ear() for name in ("a", "b")}
    for name, ear in ears.items():
        await open_table(store, name)
        await store.subscribe(name, ear)
    for n in range(50):
        for name in ears:
            committed(await store.commit(a_commit(n + 1, table=name, state=f"{name}{n}".encode())))
    for name, ear in ears.items():
        await until(lambda ear=ear: len(ear.published) == 50)  # type: ignore[misc]  # the loop's own ear
        assert [p.head.seq for p in ear.published] == list(range(2, 52))
        assert [p.state for p in ear.published] == [f"{name}{n}".encode() for n in range(50)]


async def test_unsubscribed_hears_nothing_and_can_come_back(store: ValkeyStore) -> None:
    await open_table(store)
    old, new = Ear(), Ear()
    await store.subscribe(TABLE, old)
    await store.unsubscribe(TABLE)
    await store.unsubscribe(TABLE)
    await store.commit(a_commit(1))
    await store.subscribe(TABLE, new)
    await store.commit(a_commit(2))
    await until(lambda: bool(new.published))
    assert old.published == []
    assert [p.head.seq for p in new.published] == [3]
    assert (old.resubscriptions, new.resubscriptions) == (0, 0)


async def test_a_quick_turn_of_unsubscribe_and_subscribe_is_confirmed_by_the_last(
    store: ValkeyStore, admin: Redis
) -> None:
    await open_table(store)
    ear = Ear()
    for _ in range(20):
        first = asyncio.create_task(store.subscribe(TABLE, Ear()))
        await asyncio.sleep(0)
        await store.unsubscribe(TABLE)
        await store.subscribe(TABLE, ear)
        assert await admin.pubsub_shardnumsub(channel(TABLE)) == [(channel(TABLE).encode(), 1)]
        outcome = (await asyncio.gather(first, return_exceptions=True))[0]
        assert outcome is None or isinstance(outcome, StoreDownError)
    await store.commit(a_commit(1))
    await until(lambda: len(ear.published) == 1)


async def test_a_killed_subscription_is_made_anew_and_told(store: ValkeyStore, admin: Redis) -> None:
    ears = [Ear() for _ in range(3)]
    for n, ear in enumerate(ears):
        await open_table(store, f"t{n}")
        await store.subscribe(f"t{n}", ear)
    for round_ in range(1, 4):
        await admin.client_kill_filter(_type="pubsub")
        await until(lambda n=round_: all(ear.resubscriptions == n for ear in ears))  # type: ignore[misc]  # as above
        for n in range(3):
            await store.commit(a_commit(round_, table=f"t{n}"))
        await until(lambda n=round_: all(len(ear.published) == n for ear in ears))  # type: ignore[misc]  # as above


async def test_killed_right_before_the_very_last_batch_it_is_still_told(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await admin.client_kill_filter(_type="pubsub")
    last = committed(await store.commit(a_commit(1)))
    await until(lambda: ear.resubscriptions == 1)
    # What was missed is in the store, as `resubscribed` says to look.
    stored = await store.read(TABLE, 1)
    assert stored is not None
    assert stored.batches == (last.batch,)


async def test_a_subscribe_while_the_connection_is_down_waits_for_its_return(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await store.subscribe("other", Ear())
    await admin.client_kill_filter(_type="pubsub")
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await store.commit(a_commit(1))
    await until(lambda: len(ear.published) == 1)


async def test_a_silent_connection_is_given_up(store: ValkeyStore, embedded: Embedded, tmp_path: Path) -> None:
    await open_table(store)
    async with Proxy(tmp_path / "p", embedded.url.removeprefix("unix://")) as proxy:
        behind = await ValkeyStore.connect(proxy.url, answer_s=0.1, total_s=0.4)
        ear = Ear()
        await behind.subscribe(TABLE, ear)
        proxy.silent = True
        await asyncio.sleep(0.1)
        with pytest.raises(StoreDownError):
            await behind.subscribe("other", Ear())
        await store.commit(a_commit(1))
        proxy.silent = False
        await until(lambda: ear.resubscriptions >= 1)
        await store.commit(a_commit(2))
        await until(lambda: any(p.head.seq == 3 for p in ear.published))
        await behind.close()


async def test_a_quiet_link_is_kept(embedded: Embedded, store: ValkeyStore, tmp_path: Path) -> None:
    async with Proxy(tmp_path / "p", embedded.url.removeprefix("unix://")) as proxy:
        quiet = await ValkeyStore.connect(proxy.url, answer_s=0.4)
        ear = Ear()
        await quiet.subscribe(TABLE, ear)
        await asyncio.sleep(1.0)  # Longer than it waits before it asks whether the link still answers.
        await quiet.unsubscribe(TABLE)
        await asyncio.sleep(1.0)
        assert proxy.connections == 2  # questions and subscriptions, from the beginning
        assert ear.resubscriptions == 0
        await quiet.close()


class Broken(Ear):
    def heard(self, published: Published) -> None:
        super().heard(published)
        raise ValueError("a listener's own fault")


async def test_neither_a_broken_listener_nor_a_strange_message_stops_the_others(
    store: ValkeyStore, admin: Redis, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    broken, ear = Broken(), Ear()
    for name, listener in (("a", broken), ("b", ear)):
        await open_table(store, name)
        await store.subscribe(name, listener)
    await admin.spublish(channel("b"), b"\xc1 strange")
    await admin.spublish(channel("b"), b"\x91\xa5other")
    for name in ("a", "b", "a", "b"):
        await store.commit(a_line(table=name))
    await until(lambda: len(ear.published) == 2 and len(broken.published) == 2)
    # Printed, or sent to the log that another test of this process has set up.
    logged = capsys.readouterr().out + caplog.text
    assert "listener_failed" in logged
    assert "a listener's own fault" not in logged


async def test_a_deletion_is_heard(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await store.delete(TABLE)
    await until(lambda: ear.deletions == 1)
    assert await store.read(TABLE) is None


async def test_nothing_is_heard_or_asked_after_close(store: ValkeyStore, embedded: Embedded) -> None:
    await open_table(store)
    other = await ValkeyStore.connect(embedded.url)
    ear = Ear()
    await other.subscribe(TABLE, ear)
    await other.close()
    await store.commit(a_commit(1))
    await asyncio.sleep(0.02)
    assert ear.published == []
    with pytest.raises(StoreDownError):
        await other.subscribe(TABLE, ear)


async def test_a_cancelled_subscribe_leaves_no_listener(store: ValkeyStore) -> None:
    await open_table(store)
    await store.subscribe("other", Ear())
    ear, next_ear = Ear(), Ear()
    task = asyncio.create_task(store.subscribe(TABLE, ear))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.subscribe(TABLE, next_ear)
    await store.commit(a_commit(1))
    await until(lambda: len(next_ear.published) == 1)
    assert ear.published == []


async def test_a_room_whose_slot_the_store_gave_away_is_subscribed_anew(store: ValkeyStore, admin: Redis) -> None:
    """An `sunsubscribe` that nobody asked for is what a cluster says when a slot moves."""
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    subscriptions = store._subscriptions
    assert subscriptions._link is not None
    subscriptions._link.send("SUNSUBSCRIBE", channel(TABLE))
    await until(lambda: ear.resubscriptions == 1)
    await store.commit(a_commit(1))
    await until(lambda: len(ear.published) == 1)


async def test_a_word_for_one_guest_is_heard(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await store.nudge(TABLE, "g", "nudge a", wanted="w", every_ms=0)
    await until(lambda: ear.notices == [("w", "nudged")])
