"""A table's people meet at one worker by `query table`, and nothing relies on it."""

from __future__ import annotations

import asyncio
from collections import Counter

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT
from tests.wire.client import Transport
from tests.wire.conftest import Party

TABLES = [f"{number:012d}" for number in range(60)]


async def holders(cluster: Cluster) -> list[int]:
    return [await cluster.holder(table) for table in TABLES]


async def test_sixty_tables_meet_each_at_one_worker(lent: Cluster) -> None:
    first = await holders(lent)
    assert await holders(lent) == first
    counts = Counter(first)
    assert set(counts) == {0, 1, 2}
    assert max(counts.values()) <= 40


async def a_whole_game(cluster: Cluster, party: Party, transport: Transport) -> None:
    players = await party.started(*[cluster.base] * 3, transport=transport, **SHORT)
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(cluster.base)
    assert history.of_type("ended")


async def test_a_game_of_people_who_met(lent: Cluster, party: Party) -> None:
    await a_whole_game(lent, party, "websocket")


async def test_a_game_of_people_who_met_by_polling(lent: Cluster, party: Party) -> None:
    await a_whole_game(lent, party, "polling")


async def test_a_game_of_people_anywhere(lent: Cluster, party: Party) -> None:
    await lent.choose("random")
    try:
        assert await holders(lent) != await holders(lent)
        await a_whole_game(lent, party, "websocket")
    finally:
        await lent.choose("query table")


async def test_a_game_of_people_anywhere_by_polling(lent: Cluster, party: Party) -> None:
    """Polling must stick to where it began: a person's first worker is a random one, whatever their table."""
    await lent.choose("cookie")
    try:
        await a_whole_game(lent, party, "polling")
    finally:
        await lent.choose("query table")
