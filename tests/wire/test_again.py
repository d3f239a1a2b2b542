"""Game after game at one table leaves nothing behind but receipts; one whose time is up leaves nothing at all."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator

import pytest
import redis

from tests.wire.asking import accepted
from tests.wire.client import Player, RefusedError
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Store, Worker

GAMES = 10
RECEIPT_BYTES = 2_048
"""More than a receipt of a game of two takes in the store."""


@pytest.fixture
def inside(store: Store) -> Iterator[redis.Redis]:
    """A look into the store."""
    client = redis.Redis.from_url(store.url, decode_responses=True)
    yield client
    client.close()


def kept(inside: redis.Redis, table: str) -> dict[str, int]:
    """Return the table's keys, and how many bytes each takes."""
    keys = [str(key) for key in inside.scan_iter(match=f"*{table}*", count=1_000)]
    return {key: int(inside.memory_usage(key, samples=0) or 0) for key in sorted(keys)}


def resident(worker: Worker) -> int:
    """Return how much memory a worker has, KiB."""
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(worker.pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout)


async def another_game(players: list[Player], number: int) -> None:
    """Play a whole game, with whatever people do between two."""
    for player in players:
        if number > 1 and player.model.you != player.model.host:
            await accepted(player, "ready")
        await accepted(player, "nonce", nonce=f"{number:032x}")
    await accepted(players[0], "start")
    for player in players:
        await player.until(lambda player=player: player.model.phase == "playing")  # type: ignore[misc]
        await accepted(player, "rename", name=f"{player.name} {number}")
    await asyncio.gather(*(player.play() for player in players))


async def test_ten_games_in_a_row_leave_no_growth(floor: Floor, party: Party, inside: redis.Redis) -> None:
    workers = (await floor.add(), await floor.add())
    players = await party.seated(workers[0].base, workers[1].base, deck="leftovers")
    table, sizes, memory = players[0].table, [], []
    for number in range(1, GAMES + 1):
        await another_game(players, number)
        if number == GAMES // 2:
            await players[1].close()
            await players[1].reopen(workers[0].base)
        sizes.append(kept(inside, table))
        memory.append([resident(worker) for worker in workers])
    history = await party.judge(workers[0].base)
    assert [event["game"] for event in history.of_type("dealt")] == list(range(1, GAMES + 1))
    receipts = json.loads(next(page.text for page in party.book.pages if page.path.endswith("/receipts")))["receipts"]
    assert [receipt["game"] for receipt in receipts] == list(range(1, GAMES + 1))
    assert len({receipt["seed"] for receipt in receipts}) == GAMES
    first, last = sizes[1], sizes[-1]
    assert set(last) == set(first)
    for key, size in last.items():
        grown = RECEIPT_BYTES * (GAMES - 2) if key.endswith(":r") else 0
        # The newest batches and the cards are never quite the same twice.
        assert size <= first[key] * 1.25 + 1_024 + grown, f"{key} took {[one[key] for one in sizes]} bytes"
    for before, after in zip(memory[1], memory[-1], strict=True):
        assert after - before < 8 * 1_024, f"the workers took {memory} KiB"


async def test_a_table_whose_time_is_up_leaves_nothing(floor: Floor, party: Party, inside: redis.Redis) -> None:
    worker = await floor.add(ttl_ms="1500", unvisited_ms="60000")
    players = await party.started(worker.base, worker.base)
    asha, bela = players
    watcher = party.player("Watcher")
    await watcher.open(worker.base, asha.table)
    await accepted(asha, "stop")
    await party.judge(worker.base)
    assert kept(inside, asha.table)
    await bela.close()
    for player in (asha, watcher):
        await player.until(lambda player=player: {"code": "expired"} in notices(player), 15)  # type: ignore[misc]
    assert not kept(inside, asha.table)
    status, page, _ = await bela.request(worker.base, "GET", f"/t/{asha.table}")
    assert status == 404
    assert "This table is gone" in page
    assert "Make a new table" in page
    status, page, _ = await bela.request(worker.base, "GET", f"/api/tables/{asha.table}")
    assert (status, json.loads(page)["code"]) == (404, "no_table")
    with pytest.raises(RefusedError) as refusal:
        await bela.open(worker.base)
    assert refusal.value.code == "no_table"
    for player in (bela, asha):
        await player.close()
    await asyncio.sleep(0.2)
    assert not kept(inside, asha.table), "nobody who comes or goes late leaves a key behind"


def notices(player: Player) -> list[object]:
    assert player.tape is not None
    return player.tape.frames("notice")
