"""The proxy before the store: it passes on, and it loses exactly what it was told to lose."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import ResponseError

from tests.wire.processes import Store
from tests.wire.proxy import Proxy, end_of, script, words_of

MakeProxy = Callable[[], Awaitable[Proxy]]


def client(proxy: Proxy, protocol: int = 3) -> Redis:
    return Redis.from_url(proxy.url, retry=Retry(NoBackoff(), 0), protocol=protocol, socket_timeout=2)


@pytest.mark.parametrize(
    ("message", "end"),
    [
        (b"+OK\r\nrest", 5),
        (b":12\r\n", 5),
        (b"$5\r\nhello\r\n+", 11),
        (b"$-1\r\n", 5),
        (b"$5\r\nhel", None),
        (b"*2\r\n$1\r\na\r\n:1\r\n", 15),
        (b"*2\r\n$1\r\na\r\n", None),
        (b"*-1\r\n", 5),
        (b"%1\r\n+a\r\n*1\r\n:1\r\n", 16),
        (b">2\r\n+a\r\n+b\r\n", 12),
        (b"+O", None),
    ],
)
def test_end_of_a_message(message: bytes, end: int | None) -> None:
    assert end_of(message) == end


def test_words_of_a_command() -> None:
    assert words_of(b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n") == (b"SET", b"a", b"b")


@pytest.mark.parametrize("protocol", [2, 3])
async def test_passes_everything_on(proxies: MakeProxy, protocol: int) -> None:
    proxy = await proxies()
    async with client(proxy, protocol) as redis:
        await redis.set("a", "x" * 200_000)
        assert await redis.get("a") == b"x" * 200_000
        assert await redis.eval("return {1, 'two', {3}}", 0) == [1, b"two", [3]]


async def test_drops_one_reply_of_a_script_that_ran(proxies: MakeProxy, store: Store) -> None:
    proxy = await proxies()
    body = "return redis.call('INCR', KEYS[1])"
    async with client(proxy) as redis:
        sha = await redis.script_load(body)
        lost = proxy.drop_reply(script("count"))
        with pytest.raises(StoreConnectionError):
            await redis.evalsha(sha, 1, "count")
        assert lost.met == 1
        assert await redis.evalsha(sha, 1, "count") == 2


@pytest.mark.parametrize("held", ["command", "reply"])
async def test_what_is_held_can_be_lost(proxies: MakeProxy, store: Store, held: str) -> None:
    proxy = await proxies()
    async with client(proxy) as redis:
        hold = proxy.hold_command if held == "command" else proxy.hold_reply
        fault = hold(lambda command: command[0].startswith(b"INCR"))
        counting = asyncio.ensure_future(redis.incr("count"))
        await asyncio.wait_for(fault.happened.wait(), 2)
        fault.lose()
        with pytest.raises(StoreConnectionError):
            await counting
        assert await redis.get("count") == (None if held == "command" else b"1")


async def test_an_unknown_script_is_no_reply_to_drop(proxies: MakeProxy) -> None:
    proxy = await proxies()
    proxy.drop_reply(script())
    async with client(proxy) as redis:
        with pytest.raises(ResponseError):
            await redis.evalsha("0" * 40, 0)


async def test_refuses_one_command_that_then_did_not_run(proxies: MakeProxy) -> None:
    proxy = await proxies()
    proxy.refuse_command(lambda words: words[0].startswith(b"INCR"))
    async with client(proxy) as redis:
        with pytest.raises(StoreConnectionError):
            await redis.incr("n")
        assert await redis.incr("n") == 1


async def test_holds_a_reply_until_released(proxies: MakeProxy) -> None:
    proxy = await proxies()
    held = proxy.hold_reply(lambda words: words[0].startswith(b"INCR"))
    async with client(proxy) as redis, client(proxy) as other:
        asked = asyncio.ensure_future(redis.incr("n"))
        await asyncio.wait_for(held.happened.wait(), 2)
        assert await other.get("n") == b"1"
        assert not asked.done()
        held.release.set()
        assert await asked == 1


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("sharded", [False, True])
async def test_loses_one_published_message(proxies: MakeProxy, protocol: int, sharded: bool) -> None:
    proxy = await proxies()
    lost = proxy.lose_push(lambda words: words[2] == b"second")
    async with client(proxy, protocol) as redis, redis.pubsub() as reader:
        await (reader.ssubscribe("room") if sharded else reader.subscribe("room"))
        for text in ("first", "second", "third"):
            await (redis.spublish("room", text) if sharded else redis.publish("room", text))
        heard = []
        while b"third" not in heard:
            message = await reader.get_message(timeout=2)
            assert message is not None
            heard.append(message["data"])
        assert b"first" in heard
        assert b"second" not in heard
        assert lost.met == 1


async def test_cuts_and_restores(proxies: MakeProxy) -> None:
    proxy = await proxies()
    async with client(proxy) as redis:
        await redis.set("a", "b")
        await proxy.cut()
        with pytest.raises(StoreConnectionError):
            await redis.get("a")
        proxy.restore()
        assert await redis.get("a") == b"b"


async def test_the_store_outlives_its_kill(store: Store) -> None:
    store.ask("CONFIG", "SET", "appendfsync", "always")
    store.ask("SET", "a", "b")
    store.kill()
    store.start()
    store.ready()
    assert store.ask("GET", "a") == b"$1\r\nb\r\n"
