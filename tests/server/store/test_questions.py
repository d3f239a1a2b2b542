"""questions.py: lost, late and refused answers."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.ports import Clash, Done, StoreDownError, StoreFullError
from server.store.launcher import Embedded
from server.store.link import connection_factory
from server.store.questions import Questions
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import (
    TABLE,
    Ear,
    Proxy,
    a_commit,
    a_line,
    committed,
    open_table,
    until,
)


def socket_of(embedded: Embedded) -> str:
    return embedded.url.removeprefix("unix://")


async def test_a_lost_reply_and_the_retry_commit_once(
    store: ValkeyStore, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p", socket_of(embedded)) as proxy:
        behind = await ValkeyStore.connect(proxy.url)
        await open_table(store)
        ear = Ear()
        await store.subscribe(TABLE, ear)
        proxy.lose_replies = 3
        outcome = await behind.commit(a_commit(1, guest="g", cmd="c1", answer='{"seat":2}'))
        # The first reply was lost, so the answer is that of a command done before.
        assert proxy.lost == 1
        assert isinstance(outcome, Done)
        assert (outcome.seq, outcome.answer) == (2, '{"seat":2}')
        stored = await store.read(TABLE, 1)
        assert stored is not None
        assert (stored.head.seq, len(stored.batches)) == (2, 1)
        await until(lambda: bool(ear.published))
        assert len(ear.published) == 1
        await behind.close()


async def test_without_an_id_the_retry_meets_its_own_version(
    store: ValkeyStore, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p", socket_of(embedded)) as proxy:
        behind = await ValkeyStore.connect(proxy.url)
        await open_table(store)
        proxy.lose_replies = 1
        outcome = await behind.commit(a_commit(1))
        assert isinstance(outcome, Clash)
        assert len(outcome.stored.batches) == 1
        await behind.close()


async def test_what_cannot_be_recognised_is_not_asked_again(
    store: ValkeyStore, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p", socket_of(embedded)) as proxy:
        behind = await ValkeyStore.connect(proxy.url)
        await open_table(store)
        proxy.lose_replies = 1
        with pytest.raises(StoreDownError):
            await behind.commit(a_line())
        stored = await store.read(TABLE)
        assert stored is not None
        assert stored.head.seq == 2
        await behind.close()


async def test_an_opening_whose_reply_was_lost_is_opened_once(
    store: ValkeyStore, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p", socket_of(embedded)) as proxy:
        behind = await ValkeyStore.connect(proxy.url)
        proxy.losing = b"opened"
        proxy.lose_replies = 1
        assert (await open_table(behind)).seq == 1
        assert proxy.lost == 1
        await behind.close()


async def test_a_hung_store_is_noticed_and_its_late_answers_belong_to_nobody(
    store: ValkeyStore, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p", socket_of(embedded)) as proxy:
        behind = await ValkeyStore.connect(proxy.url, answer_s=0.1, total_s=0.5)
        await open_table(store)
        proxy.silent = True
        began = time.monotonic()
        with pytest.raises(StoreDownError):
            await behind.commit(a_commit(1, guest="g", cmd="c"))
        assert 0.5 <= time.monotonic() - began < 3
        began = time.monotonic()
        with pytest.raises(StoreDownError):
            await behind.ping()
        assert time.monotonic() - began < 3
        proxy.silent = False
        outcome = await behind.commit(a_commit(1, guest="g", cmd="c"))
        assert isinstance(outcome, Done)
        assert outcome.seq == 2
        await behind.close()


async def test_a_cancelled_question_leaves_the_others_their_answers(store: ValkeyStore) -> None:
    await open_table(store)
    asked = [asyncio.create_task(store.read(TABLE)) for _ in range(50)]
    await asyncio.sleep(0)
    for task in asked[::2]:
        task.cancel()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(a, asyncio.CancelledError) for a in answers[::2])
    assert all(getattr(a, "epoch", None) == "e" * 16 for a in answers[1::2])


async def test_five_hundred_at_once_are_all_answered(store: ValkeyStore) -> None:
    for n in range(500):
        await open_table(store, f"t{n}")
    outcomes = await asyncio.gather(*(store.commit(a_commit(1, table=f"t{n}")) for n in range(500)))
    assert {committed(o).head.seq for o in outcomes} == {2}


async def test_every_client_killed_in_a_loop_is_never_seen(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    stop = False

    async def kill() -> None:
        while not stop:
            await admin.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.01)

    killer = asyncio.create_task(kill())
    ver = 1
    for n in range(200):
        await store.commit(a_commit(ver, guest="g", cmd=f"c{n}"))
        ver += 1
        await asyncio.sleep(0.001)
    stop = True
    await killer
    stored = await store.read(TABLE)
    assert stored is not None
    assert (stored.head.seq, stored.head.ver) == (201, 201)


async def test_scripts_flushed_in_a_loop_are_never_seen(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    stop = False

    async def flush() -> None:
        while not stop:
            await admin.script_flush()

    flusher = asyncio.create_task(flush())
    for n in range(300):
        committed(await store.commit(a_commit(n + 1)))
    stop = True
    await flusher


async def test_a_full_store_refuses_up_front_and_recovers_by_itself(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    arrival = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrival is not None
    ear = Ear()
    await store.subscribe(TABLE, ear)
    await admin.config_set("maxmemory", "1mb")
    try:
        with pytest.raises(StoreFullError):
            await store.commit(a_commit(1, guest="g", cmd="c"))
        with pytest.raises(StoreFullError):
            await open_table(store, "another")
        with pytest.raises(StoreFullError):
            await store.allow("b", 1, 1000)
        stored = await store.read(TABLE, 0)
        assert stored is not None
        assert (stored.head.seq, stored.state) == (1, b"s1")
        # Presence goes on, and so does giving back.
        assert await store.beat(TABLE, [("g", arrival.generation, 0)], []) is not None
        assert await store.leave(TABLE, "g", arrival.generation)
        await until(lambda: bool(ear.presences))
        assert ear.published == []
    finally:
        await admin.config_set("maxmemory", "0")
    assert committed(await store.commit(a_commit(1, guest="g", cmd="c"))).head.seq == 2


async def test_an_unreachable_store_is_down_within_its_time(tmp_path: Path) -> None:
    questions = Questions(connection_factory(f"unix://{tmp_path}/none"), answer_s=0.1, total_s=0.3)
    began = time.monotonic()
    with pytest.raises(StoreDownError):
        await questions.command("GET", "x")
    assert 0.3 <= time.monotonic() - began < 3
    with pytest.raises(StoreDownError):
        await questions.command("PING", again=False)
    await questions.close()


async def test_a_refused_command_says_what_the_store_said(store: ValkeyStore, embedded: Embedded) -> None:
    questions = Questions(connection_factory(embedded.url))
    with pytest.raises(StoreDownError, match="unknown command"):
        await questions.command("NONESUCH")
    assert await questions.command("PING") == b"PONG"
    await questions.close()
    with pytest.raises(StoreDownError):
        await questions.command("PING")


async def test_many_that_wait_for_a_mute_store_fail_together(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as mute:  # takes connections, never says a word
        mute.bind(str(tmp_path / "mute"))
        mute.listen()
        questions = Questions(connection_factory(f"unix://{tmp_path}/mute"), answer_s=0.1, total_s=0.3)
        began = time.monotonic()
        answers = await asyncio.gather(
            *(questions.command("GET", "x") for _ in range(200)), return_exceptions=True
        )
        assert time.monotonic() - began < 5
        assert all(isinstance(a, StoreDownError) for a in answers)
        await questions.close()


async def test_a_replica_s_refusal_is_asked_again_elsewhere(
    store: ValkeyStore, embedded: Embedded, admin: Redis
) -> None:
    await open_table(store)
    await admin.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]  # redis-py's
    try:
        asked = asyncio.create_task(store.commit(a_commit(1)))
        await asyncio.sleep(0.1)
        assert not asked.done()
    finally:
        await admin.execute_command("REPLICAOF", "NO", "ONE")  # type: ignore[no-untyped-call]  # redis-py's
    assert committed(await asked).head.seq == 2
