"""What the cluster's tests stand on: a deployment of processes, players, and people who come back by themselves."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import aiohttp
import pytest

from tests.cluster.cluster import Cluster, Way
from tests.wire.client import LostError, Player, RefusedError
from tests.wire.conftest import Party
from tests.wire.processes import DEFAULTS, assert_quiet_log

SHORT: Mapping[str, Any] = MappingProxyType({"deck": "leftovers", "length": "short"})
"""A game of few reveals."""

FIRST_RETRY_S = 0.25
"""When a browser first tries again (web/src/connection.ts), jittered by half."""


@contextlib.contextmanager
def running(folder: Path, way: Way, workers: int = 3) -> Iterator[Cluster]:
    """Run a deployment; its workers' logs must be quiet at its end."""
    cluster = Cluster(folder, way=way, workers=workers, settings=DEFAULTS)
    try:
        asyncio.run(cluster.start())
        yield cluster
    finally:
        cluster.stop()
    for worker in cluster.workers:
        assert_quiet_log(worker)


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A deployment of one worker that the tests of one file share; they end nothing of it."""
    with running(tmp_path_factory.mktemp("cluster"), "list", 1) as cluster:
        yield cluster


@pytest.fixture
async def party() -> AsyncIterator[Party]:
    """Players by websocket unless the test says another way, disconnected at the end."""
    party = Party("websocket")
    yield party
    for player in party.players:
        await player.close()


async def come_back(player: Player) -> None:
    """Connect again as a browser does: after a moment, and then until it works."""
    await player.drop()
    wait = FIRST_RETRY_S
    while True:
        await asyncio.sleep(wait * random.uniform(0.5, 1.5))
        try:
            await player.reopen()
            return
        except (RefusedError, LostError, aiohttp.ClientError, OSError):
            wait = min(2 * wait, 5.0)


async def play_on(player: Player) -> list[float]:
    """Play to the end whatever happens to the connection; return when it came back (monotonic s) each time."""
    back: list[float] = []
    while True:
        playing = asyncio.ensure_future(player.play())
        while not playing.done() and player.connected:
            await asyncio.wait([playing], timeout=0.01)
        if player.connected:
            await playing
            return back
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, LostError):
            await playing
        await come_back(player)
        back.append(time.monotonic())


async def turn(players: list[Player], times: int) -> None:
    """Turn so many cards, each acknowledged and seen by all."""
    for _ in range(times):
        n = players[0].game["n"] + 1
        first = next(player for player in players if player.is_turn())
        assert (await first.command("reveal", n=n))["ok"]
        await asyncio.gather(*(player.turned(n) for player in players))
