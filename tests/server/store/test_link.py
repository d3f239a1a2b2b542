"""link.py: what it does with redis-py's inside must fail here first when redis-py changes."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import hiredis
import pytest
import uvloop
from redis.asyncio import Redis

from server.store.launcher import Embedded
from server.store.link import Link, LostError, Reply, connection_factory
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, a_commit, committed, open_table, until


class Replies:
    def __init__(self) -> None:
        self.all: list[Reply] = []
        self.lost = 0
        self.link = Link(self.all.append, self._lose)

    def _lose(self) -> None:
        self.lost += 1


@pytest.fixture
async def replies(embedded: Embedded, admin: Redis) -> AsyncIterator[Replies]:
    made = Replies()
    await made.link.connect(connection_factory(embedded.url), 2)
    yield made
    made.link.close()
    await asyncio.sleep(0)


async def test_many_are_sent_at_once_and_replies_come_in_order(replies: Replies) -> None:
    big = b"x" * 1_000_000
    replies.link.send("SET", "k", big)
    for n in range(500):
        replies.link.send(b"ECHO", f"মিতা {n}")
    replies.link.send("NONESUCH", 1)
    replies.link.send("GET", "k")
    await until(lambda: len(replies.all) == 503)
    assert replies.all[0] == b"OK"
    assert replies.all[1:501] == [f"মিতা {n}".encode() for n in range(500)]
    assert isinstance(replies.all[501], hiredis.ReplyError)
    assert replies.all[502] == big


async def test_a_loss_is_told_once_and_nothing_is_sent_after(replies: Replies, admin: Redis) -> None:
    assert replies.link.alive
    await admin.client_kill_filter(_type="normal", skipme=True)
    await until(lambda: replies.lost == 1)
    assert not replies.link.alive
    replies.link.send("PING")
    replies.link.close()
    await asyncio.sleep(0.01)
    assert (replies.all, replies.lost) == ([], 1)
    gc.collect()  # redis-py's own connection leaves without a ResourceWarning


async def test_a_listener_that_fails_ends_the_link(embedded: Embedded) -> None:
    lost = asyncio.Event()

    def fail(reply: Reply) -> None:
        raise IndexError("no question is open")

    link = Link(fail, lost.set)
    await link.connect(connection_factory(embedded.url), 2)
    link.send("PING")
    async with asyncio.timeout(2):
        await lost.wait()
    assert not link.alive


async def test_password_and_database_are_those_of_the_url(embedded: Embedded, admin: Redis) -> None:
    await admin.config_set("requirepass", "secret word")
    try:
        path = embedded.url.removeprefix("unix://")
        made = Replies()
        await made.link.connect(connection_factory(f"unix://:secret%20word@{path}?db=0"), 2)
        made.link.send("PING")
        await until(lambda: made.all == [b"PONG"])
        made.link.close()
        for url in (embedded.url, f"unix://:wrong@{path}"):
            refused = Replies()
            with pytest.raises(LostError):
                await refused.link.connect(connection_factory(url + "?db=1"), 2)
            assert refused.lost == 0
    finally:
        await admin.config_set("requirepass", "")


async def test_nobody_there_and_nobody_who_answers(tmp_path: Path) -> None:
    with pytest.raises(LostError):
        await Replies().link.connect(connection_factory(f"unix://{tmp_path}/none"), 2)
    with pytest.raises(LostError):
        await Replies().link.connect(connection_factory("redis://127.0.0.1:1"), 2)
    with socket.socket(socket.AF_UNIX) as mute:  # takes the connection, never a word
        mute.bind(str(tmp_path / "mute"))
        mute.listen()
        with pytest.raises(LostError):
            await Replies().link.connect(connection_factory(f"unix://{tmp_path}/mute"), 0.05)


def test_uvloop_s_transports_are_taken_over_too(embedded: Embedded) -> None:
    async def play() -> None:
        async with Redis.from_url(embedded.url) as admin, contextlib.AsyncExitStack() as stack:
            store = await ValkeyStore.connect(embedded.url)
            stack.push_async_callback(store.close)
            await store.delete(TABLE)
            await open_table(store)
            ear = Ear()
            await store.subscribe(TABLE, ear)
            await admin.client_kill_filter(_type="pubsub")
            await admin.client_kill_filter(_type="normal", skipme=True)
            # Its own commit may have been done before the connection was lost, or not; once all the same.
            await store.commit(a_commit(1, state=bytes(200_000), guest="g", cmd="c"))
            await until(lambda: ear.resubscriptions == 1)
            committed(await store.commit(a_commit(2)))
            await until(lambda: any(p.head.seq == 3 for p in ear.published))
            await store.delete(TABLE)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(play())
