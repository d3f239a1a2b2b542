"""A table's people meet at one worker by `query table`, and nothing relies on it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT, running
from tests.wire.client import Transport
from tests.wire.conftest import Party


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A deployment of three workers."""
    with running(tmp_path_factory.mktemp("cluster"), "list") as cluster:
        yield cluster


TABLES = [f"{number:012d}" for number in range(60)]


async def holders(cluster: Cluster) -> list[int]:
    return [await cluster.holder(table) for table in TABLES]


async def test_sixty_tables_meet_each_at_one_worker(three: Cluster) -> None:
    first = await holders(three)
    assert await holders(three) == first
    counts = Counter(first)
    assert set(counts) == {0, 1, 2}
    assert max(counts.values()) <= 40


async def a_whole_game(cluster: Cluster, party: Party, transport: Transport) -> None:
    party.way = transport
    players = await party.started(*[cluster.base] * 3, **SHORT)
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(cluster.base)
    assert history.of_type("ended")
    for player in players:
        await player.close()


async def test_a_game_of_people_who_met(three: Cluster, party: Party) -> None:
    await a_whole_game(three, party, "websocket")


async def test_a_game_of_people_who_met_by_polling(three: Cluster, party: Party) -> None:
    await a_whole_game(three, party, "polling")


async def test_a_game_of_people_anywhere(three: Cluster, party: Party) -> None:
    await three.choose("random")
    try:
        assert await holders(three) != await holders(three)
        await a_whole_game(three, party, "websocket")
    finally:
        await three.choose("query table")


async def test_a_game_of_people_anywhere_by_polling(three: Cluster, party: Party) -> None:
    """Polling must stick to where it began: a person's first worker is a random one, whatever their table."""
    await three.choose("cookie")
    try:
        await a_whole_game(three, party, "polling")
    finally:
        await three.choose("query table")
