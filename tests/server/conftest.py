"""The real embedded store, one process a session, emptied between tests: for store, rooms and transport alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store.launcher import Embedded, launch
from server.store.valkey import ValkeyStore


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    running = launch(Path(tmp_path_factory.mktemp("store")))
    yield running
    running.stop()


@pytest.fixture
async def admin(embedded: Embedded) -> AsyncIterator[Redis]:
    """A client for what only an operator does."""
    async with Redis.from_url(embedded.url) as client:
        await client.flushall()
        yield client


@pytest.fixture
async def store(embedded: Embedded, admin: Redis) -> AsyncIterator[ValkeyStore]:
    connected = await ValkeyStore.connect(embedded.url)
    yield connected
    await connected.close()
