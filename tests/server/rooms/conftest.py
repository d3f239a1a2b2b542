"""Workers over the real store, ended with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from redis.asyncio import Redis

from server.rooms.live import Tempo
from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore
from tests.server.rooms.house import TEMPO, Worker

Open = Callable[..., Awaitable[Worker]]


@pytest.fixture
async def worker_at(embedded: Embedded, admin: Redis) -> AsyncIterator[Open]:
    """Start workers, each with its own store connection (at `url`, the store itself if not given)."""
    workers: list[Worker] = []

    async def start(url: str | None = None, tempo: Tempo = TEMPO) -> Worker:
        store = await ValkeyStore.connect(url or embedded.url, answer_s=0.5, total_s=2.0)
        workers.append(Worker(store, tempo))
        return workers[-1]

    yield start
    for worker in workers:
        await worker.close()


@pytest.fixture
async def worker(worker_at: Open) -> Worker:
    return await worker_at()
