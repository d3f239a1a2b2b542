"""Workers killed and drained, and the edge reloaded, under people who play: they are back at once, and lose nothing."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT, play_on, running
from tests.cluster.test_edge import built
from tests.wire.client import Transport
from tests.wire.conftest import Party


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A deployment whose edge has a list of the workers. They may be ended, if they are started again."""
    with running(tmp_path_factory.mktemp("listed"), "list") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The same where one name leads to all of them, as composed."""
    with running(tmp_path_factory.mktemp("named"), "names") as cluster:
        yield cluster


@pytest.fixture
def mortal(request: pytest.FixtureRequest) -> Cluster:
    """The deployment that the test names."""
    cluster: Cluster = request.getfixturevalue(request.param)
    return cluster


EITHER = pytest.mark.parametrize("mortal", ["listed", "named"], indirect=True)


@contextlib.asynccontextmanager
async def fetching(cluster: Cluster, table: str) -> AsyncIterator[list[int]]:
    """Ask for pages, files and the table all the while; yields the statuses so far, 0 for no answer."""
    statuses: list[int] = []
    paths = ("/", f"/api/tables/{table}", f"/t/{table}", built("assets/index-*.css"), f"/t/{table}/qr.svg")

    async def fetch() -> None:
        # A connection for each: what a browser does with a broken one is not the edge's doing.
        async with aiohttp.ClientSession() as http:
            while True:
                for path in paths:
                    try:
                        async with http.get(cluster.base + path) as answer:
                            statuses.append(answer.status)
                    except aiohttp.ClientError:
                        statuses.append(0)
                    await asyncio.sleep(0.01)

    task = asyncio.ensure_future(fetch())
    try:
        yield statuses
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    ("mortal", "transport"),
    [("listed", "websocket"), ("named", "websocket"), ("named", "polling")],
    indirect=["mortal"],
)
async def test_a_killed_workers_people_are_back_within_two_seconds(
    mortal: Cluster, party: Party, transport: Transport
) -> None:
    party.way = transport
    players = await party.started(*[mortal.base] * 2, **SHORT)
    which = await mortal.holder(players[0].table)
    games = [asyncio.ensure_future(play_on(player)) for player in players]
    await players[0].until(lambda: players[0].game["n"] >= 10)
    async with fetching(mortal, players[0].table) as statuses:
        killed = time.monotonic()
        mortal.kill(which)
        backs = await asyncio.gather(*games)
    assert all(back for back in backs), "everybody was at the killed worker"
    late = max(back[0] for back in backs) - killed
    assert late <= 2.0
    assert not [status for status in statuses if status == 0 or status >= 500], statuses
    history = await party.judge(mortal.base)
    assert len(history.of_type("dealt")) == 1
    assert history.of_type("ended")
    await mortal.restart(which)


@EITHER
async def test_a_drained_worker_is_not_noticed(mortal: Cluster, party: Party) -> None:
    players = await party.started(*[mortal.base] * 3, **SHORT)
    which = await mortal.holder(players[0].table)
    games = [asyncio.ensure_future(play_on(player)) for player in players]
    await players[0].until(lambda: players[0].game["n"] >= 10)
    async with fetching(mortal, players[0].table) as statuses:
        told = time.monotonic()
        assert await mortal.drain(which) == 0
        took = time.monotonic() - told
        backs = await asyncio.gather(*games)
    assert took <= 6.0
    assert all(len(back) == 1 for back in backs), "closed once, and then at a worker that stays"
    assert max(back[0] for back in backs) - told <= 5.0
    assert len(statuses) > 20
    assert not [status for status in statuses if status == 0 or status >= 500], statuses
    history = await party.judge(mortal.base)
    assert history.of_type("ended")
    await mortal.restart(which)


async def test_a_rolling_restart_loses_nothing(named: Cluster, party: Party) -> None:
    players = await party.started(*[named.base] * 2, **SHORT)
    games = [asyncio.ensure_future(play_on(player)) for player in players]
    async with fetching(named, players[0].table) as statuses:
        for which in range(len(named.workers)):
            assert await named.drain(which) == 0
            await named.restart(which)
            await asyncio.sleep(1.1)  # until every edge has seen that it is there: names are asked for once a second
        await asyncio.gather(*games)
    assert not [status for status in statuses if status == 0 or status >= 500], statuses
    history = await party.judge(named.base)
    assert history.of_type("ended")


async def test_a_reload_of_the_edge_closes_no_websocket(listed: Cluster, party: Party) -> None:
    players = await party.started(*[listed.base] * 2, **SHORT)
    games = [asyncio.ensure_future(play_on(player)) for player in players]
    for _ in range(2):
        await listed.edge.reload()
    assert await asyncio.gather(*games) == [[], []], "nobody had to come back"
    await party.judge(listed.base)


@EITHER
async def test_one_more_worker_gets_its_share(mortal: Cluster) -> None:
    tables = [f"{number:012d}" for number in range(24)]
    before = [await mortal.holder(table) for table in tables]
    await mortal.add()
    await asyncio.sleep(1.1)
    after = [await mortal.holder(table) for table in tables]
    moved = [new for old, new in zip(before, after, strict=True) if new != old]
    assert moved
    assert set(moved) == {3}, "nobody else moved"
