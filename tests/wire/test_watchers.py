"""Watching (contract, sections 4 and 6): who watches is counted truly at every worker, and a crowd misses nothing.

The thousand that one core must bear are `make crowd`'s; here are enough for several slices, and every frame is looked
at. No figure of this file depends on the machine's speed.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack

from tests.bench.onlookers import Crowd, do, report
from tests.wire.asking import accepted, refused
from tests.wire.client import Player
from tests.wire.conftest import Party
from tests.wire.processes import Worker
from tests.wire.raw import RawSocket

SETTLED_S = 3.0
"""One second is what is promised, by each worker's note; the rest is for a machine that is busy."""


def told(player: Player) -> int | None:
    """How many watch, as this player was told last."""
    assert player.tape is not None
    notes = player.tape.frames("presence") or player.tape.frames("snapshot")
    return int(notes[-1]["watching"]) if notes else None


async def counted(base: str, player: Player) -> int:
    """How many watch, as this worker tells everybody."""
    _, text, _ = await player.request(base, "GET", f"/api/tables/{player.table}")
    return int(json.loads(text)["watching"])


async def settled(number: int, pair: tuple[Worker, Worker], *players: Player) -> None:
    """Wait until all these players were told this number; both workers must say the same, and it must stay."""
    for player in players:
        await player.until(lambda player=player: told(player) == number, SETTLED_S)  # type: ignore[misc]
    for worker in pair:
        assert await counted(worker.base, players[0]) == number
    assert [told(player) for player in players] == [number] * len(players)


async def test_who_comes_and_goes_is_counted_at_both_workers(pair: tuple[Worker, Worker], party: Party) -> None:
    one, two = pair
    asha, bela = await party.seated(one.base, two.base, seats=3)
    watchers = [party.player(f"watcher {n}") for n in range(6)]
    for n, watcher in enumerate(watchers):
        await watcher.open(pair[n % 2].base, asha.table)
    await settled(6, pair, asha, bela, *watchers)
    await watchers[0].close()
    await watchers[1].drop()
    await settled(4, pair, asha, bela, *watchers[2:])
    # Come back, to the other worker; and one sits down, which makes a watcher less.
    await watchers[0].reopen(two.base)
    await accepted(watchers[2], "sit", name="Chitra")
    await settled(4, pair, asha, bela, *watchers[2:])
    await accepted(watchers[2], "leave")
    await settled(5, pair, asha, bela, *watchers[2:])
    for watcher in (watchers[0], *watchers[2:]):
        await watcher.close()
    await settled(0, pair, asha, bela)


async def test_one_person_with_two_tabs_is_one(pair: tuple[Worker, Worker], party: Party) -> None:
    one, two = pair
    asha, bela = await party.seated(one.base, two.base, seats=2)
    dipa = party.player("Dipa")
    await dipa.open(one.base, asha.table)
    await settled(1, pair, asha, bela, dipa)
    for base in (one.base, two.base):
        tab = await RawSocket.open(base, asha.table, jar=dipa.jar)
        assert await counted(one.base, asha) == 1
        await tab.close()
        await asyncio.sleep(1.2)
        # The other tab is there, and nobody was told otherwise.
        assert await counted(one.base, asha) == await counted(two.base, asha) == 1
        for player in (asha, bela, dipa):
            assert player.tape is not None
            numbers = [note["watching"] for note in player.tape.frames("presence")]
            assert 0 not in numbers[numbers.index(1) :]
    await dipa.close()
    await settled(0, pair, asha, bela)


async def test_one_who_leaves_the_game_and_stays_watches(pair: tuple[Worker, Worker], party: Party) -> None:
    one, two = pair
    asha, bela = await party.started(one.base, two.base, seats=2)
    await accepted(bela, "leave")
    await settled(1, pair, asha, bela)
    await bela.close()
    await settled(0, pair, asha)
    await bela.reopen(one.base)
    await settled(1, pair, asha, bela)
    await accepted(bela, "sit")
    await settled(0, pair, asha, bela)


async def test_without_a_cookie_each_connection_is_one(pair: tuple[Worker, Worker], party: Party) -> None:
    one, two = pair
    (asha,) = await party.seated(one.base, seats=2)
    async with AsyncExitStack() as stack:
        nobodies = []
        for worker in (one, two, two):
            nobodies.append(await RawSocket.open(worker.base, asha.table))
            stack.push_async_callback(nobodies[-1].close)
        await settled(3, pair, asha)
        answer = await nobodies[0].ask("sit", {"id": "s"})
        assert answer["code"] == "no_cookie"
        await nobodies[1].close()
        await settled(2, pair, asha)
    await settled(0, pair, asha)


async def test_a_watcher_may_sit_when_there_is_a_seat(pair: tuple[Worker, Worker], party: Party) -> None:
    one, two = pair
    asha, bela = await party.started(one.base, two.base, seats=3)
    chitra = party.player("Chitra")
    await chitra.open(two.base, asha.table)
    await refused(chitra, "already_started", "sit")
    await accepted(asha, "stop")
    await accepted(chitra, "sit")
    await settled(0, pair, asha, bela, chitra)


async def test_a_crowd_of_watchers_misses_nothing(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.seated(*(worker.base for worker in (*pair, *pair)), length="short")
    asha = players[0]
    crowds = [Crowd(worker.base, asha.table) for worker in pair]

    async def restless(crowd: Crowd) -> None:
        while asha.model.phase == "playing":
            await do(crowd, ["again", "12", "0.3"])

    try:
        await asyncio.gather(*(do(crowd, ["come", "120", "1"]) for crowd in crowds))
        await settled(240, pair, *players)
        await accepted(asha, "start")
        for player in players:
            await player.until(lambda player=player: player.model.phase == "playing")  # type: ignore[misc]
        await asyncio.gather(*(player.play() for player in players), *(restless(crowd) for crowd in crowds))
        seq = asha.model.seq
        await asyncio.gather(*(crowd.reach(seq) for crowd in crowds))
        batches = _batches(asha)
        for crowd in crowds:
            assert report(crowd)["faults"] == 0, crowd.faults[:3]
            assert len(crowd.here) == 120
            # Every onlooker had every batch in order (or it would be a fault), and it was the players' batch.
            assert {n: json.loads(text[2:])[1] for n, text in crowd.texts.items()} == {
                n: batch for n, batch in batches.items() if n >= min(crowd.texts)
            }
        assert len(crowds[0].texts) > 100
        await settled(240, pair, *players)
    finally:
        for crowd in crowds:
            await do(crowd, ["go"])
    await settled(0, pair, *players)
    await party.judge(pair[0].base)


def _batches(player: Player) -> dict[int, object]:
    assert player.tape is not None
    return {batch["seq"]: batch for batch in player.tape.frames("events") if batch["events"]}


async def test_a_crowd_that_never_reads_keeps_no_player_waiting(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.started(pair[0].base, pair[0].base, length="short")
    crowd = Crowd(pair[0].base, players[0].table)
    try:
        await do(crowd, ["deaf", "100", "0.5"])
        await asyncio.gather(*(player.play() for player in players))
        assert not crowd.faults
    finally:
        await do(crowd, ["go"])
    await party.judge(pair[0].base)
