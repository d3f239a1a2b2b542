"""Cards that turn by themselves: at their time, once, and only where somebody is there to see."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

from redis.asyncio import Redis

from server.protocol.commands import Auto, Hurry, Pause, Rename, Reveal, Start, TurnFor
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.rooms.live import Tempo
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import TEMPO, Ears, Worker, seated, table_of, turn
from tests.server.store.helpers import until


def revealed(ears: Ears) -> list[dict[str, object]]:
    return [event for event in ears.events() if event["type"] == "revealed"]


async def test_computers_turn_a_beat_apart(worker: Worker) -> None:
    table = await table_of(worker.store, kind="computers", computers=3)
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    await asha.do(Reveal(n=1))
    await until(lambda: len(revealed(asha.ears)) >= 4)
    batches = [b for b in asha.ears.all("events") if any(e.get("by") == "computer" for e in b["events"])]
    for before, after in pairwise(batches):
        assert after["at"] - before["at"] >= TEMPO.beat_ms
    assert asha.ears.all("moment")[-1] is not None


async def test_the_pace_is_the_tables_own(worker_at: Open) -> None:
    worker = await worker_at(tempo=Tempo(beat_ms=200, away_ms=20_000))
    times = {}
    for pace in (1, 2):
        table = await table_of(worker.store, kind="computers", computers=3, pace=pace)
        asha = await worker.join(table, "asha")
        await asha.do(Start(id="go"))
        n = 1
        while asha.live.room.turn == 0:
            await asha.do(Reveal(n=n))
            n += 1
        due = asha.ears.all("moment")[-1]["turnDue"]
        times[pace] = due - asha.ears.all("events")[-1]["at"]
    assert times == {1: 200, 2: 100}


async def test_two_workers_turn_each_card_once(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    table = await table_of(one.store, kind="computers", computers=3)
    asha = await one.join(table, "asha")
    watcher = await two.join(table, "watcher")
    await asha.do(Start(id="go"))
    while len(revealed(watcher.ears)) < 12 and asha.live.room.phase == "playing":
        game = asha.live.room.game
        assert game is not None
        if game.turn == 0:
            await asha.do(Reveal(n=game.reveals + 1))
        await asyncio.sleep(TEMPO.beat_ms / 4000)
    numbers = [event["n"] for event in revealed(watcher.ears)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_silent_connection_is_no_audience(worker: Worker) -> None:
    table = await table_of(worker.store, kind="computers")
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    asha.ears.silence = 60_000
    while asha.live.room.turn == 0:
        game = asha.live.room.game
        assert game is not None
        await asha.do(Reveal(n=game.reveals + 1))
    seq = asha.live.gate.seq
    await asyncio.sleep(TEMPO.beat_ms * 6 / 1000)
    assert asha.live.gate.seq == seq
    asha.ears.silence = 0
    await asha.live.beat()
    await until(lambda: asha.live.gate.seq > seq)


async def test_a_timer_outlives_a_store_that_was_away(worker: Worker, admin: Redis) -> None:
    table = await table_of(worker.store, kind="computers")
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    await admin.client_pause(3000)
    started = asyncio.get_running_loop().time()
    await asyncio.sleep(2.9)
    game = None
    while asyncio.get_running_loop().time() - started < 15:
        game = asha.live.room.game
        assert game is not None
        if game.reveals >= 6 or asha.live.room.phase == "over":
            break
        if game.turn == 0:
            from server.ports import StoreDownError

            try:
                await asha.do(Reveal(n=game.reveals + 1))
            except StoreDownError:
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.01)
    assert game is not None
    assert game.reveals >= 6


async def test_a_timer_that_came_early_waits_for_the_due_time(worker_at: Open) -> None:
    worker = await worker_at(tempo=Tempo(beat_ms=300))
    table = await table_of(worker.store, kind="computers", computers=3)
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    while asha.live.room.turn == 0:
        game = asha.live.room.game
        assert game is not None
        await asha.do(Reveal(n=game.reveals + 1))
    due, before = asha.live.head.due, len(revealed(asha.ears))
    assert due is not None
    # A clock that is ahead of the store's: the script refuses, and tells when.
    asha.live.head = replace(asha.live.head, due=asha.live.now() - 1)
    asha.live.changed()
    await asyncio.sleep(0.1)
    assert len(revealed(asha.ears)) == before
    assert asha.live.head.due == due
    await until(lambda: len(revealed(asha.ears)) > before)
    batch = next(b for b in asha.ears.all("events") if any(e.get("by") == "computer" for e in b["events"]))
    assert batch["at"] >= due


async def test_a_full_store_is_left_alone_and_auto_goes_on_after_it(worker: Worker, admin: Redis) -> None:
    table = await table_of(worker.store, kind="computers")
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    await admin.config_set("maxmemory", "1")
    try:
        await asha.do(Auto(on=True))
        before = (await admin.info("commandstats")).get("cmdstat_evalsha", {"calls": 0})["calls"]
        await asyncio.sleep(1.2)
        after = (await admin.info("commandstats")).get("cmdstat_evalsha", {"calls": 0})["calls"]
        assert not revealed(asha.ears)
        assert after - before < 30, "a store that refuses is not asked in a loop"
    finally:
        await admin.config_set("maxmemory", "0")
    await until(lambda: len(revealed(asha.ears)) >= 2)
    assert revealed(asha.ears)[0]["by"] == "auto"


async def test_the_host_turns_for_one_who_is_idle_and_only_then(worker_at: Open) -> None:
    tempo = Tempo(beat_ms=40, idle_ms=400)
    one, two = await worker_at(tempo=tempo), await worker_at(tempo=tempo)
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="go"))
    while asha.live.room.turn == 0:
        assert asha.live.room.game is not None
        await asha.do(Reveal(n=asha.live.room.game.reveals + 1))
    assert asha.live.room.game is not None
    n = asha.live.room.game.reveals + 1
    await until(lambda: bula.live.gate.seq == asha.live.gate.seq)
    assert await bula.do(TurnFor(id="t", n=n)) == Refusal("not_host")
    assert await asha.do(TurnFor(id="soon", n=n)) == Refusal("not_your_turn")
    # What else happens at the table does not make one less idle.
    await asyncio.sleep(0.2)
    await bula.do(Rename(id="r", name="Bulbul"))
    await asyncio.sleep(0.25)
    answers = await asyncio.gather(asha.do(TurnFor(id="t", n=n)), asha.do(TurnFor(id="u", n=n)))
    assert isinstance(answers[0], Accepted)
    assert answers[1] == Refusal("turning")
    assert (revealed(asha.ears)[-1]["n"], revealed(asha.ears)[-1]["by"]) == (n, "host")
    assert await asha.do(TurnFor(id="t", n=n)) == answers[0]


async def test_a_turn_and_a_tap_at_once_are_one_reveal(worker_at: Open) -> None:
    tempo = Tempo(beat_ms=40, idle_ms=1)
    one, two = await worker_at(tempo=tempo), await worker_at(tempo=tempo)
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="go"))
    for _ in range(12):
        who, n = await turn(asha, bula)
        await asyncio.sleep(0.01)
        if who is asha:
            await asha.do(Reveal(n=n))
            continue
        by_host, by_self = await asyncio.gather(asha.do(TurnFor(id=f"t{n}", n=n)), bula.do(Reveal(n=n)))
        assert isinstance(by_host, Accepted) or by_host == Refusal("turning"), by_host
        # Who tapped for a card that was turned for them meanwhile is answered as one who made it.
        assert isinstance(by_self, Accepted) or by_self in (Refusal("turning"), Refusal("not_your_turn")), by_self
        assert isinstance(by_host, Accepted) or isinstance(by_self, Accepted)
    await turn(asha, bula)
    numbers = [event["n"] for event in revealed(asha.ears)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_in_a_hurry_all_cards_turn_at_a_tenth_of_the_beat(worker_at: Open) -> None:
    tempo = Tempo(beat_ms=500)
    one, two = await worker_at(tempo=tempo), await worker_at(tempo=tempo)
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="go"))
    await asha.do(Hurry(id="h", on=True))
    await bula.do(Hurry(id="h", on=True))
    await until(lambda: len(revealed(bula.ears)) >= 8)
    at = [b["at"] for b in bula.ears.all("events") if any(e["type"] == "revealed" for e in b["events"])]
    assert all(50 <= later - earlier < 350 for earlier, later in pairwise(at)), at
    assert {event["by"] for event in revealed(bula.ears)} == {"auto"}
    await asha.do(Hurry(id="i", on=False))
    count = len(revealed(asha.ears))
    await asyncio.sleep(0.5)
    assert len(revealed(asha.ears)) <= count
    numbers = [event["n"] for event in revealed(bula.ears)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_paused_table_turns_nothing_by_itself_but_takes_a_tap(worker: Worker) -> None:
    table = await table_of(worker.store, kind="computers")
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    assert isinstance(await asha.do(Pause(id="p", on=True)), Accepted)
    await asha.do(Auto(on=True))
    await asyncio.sleep(TEMPO.beat_ms * 6 / 1000)
    assert revealed(asha.ears) == []
    while asha.live.room.turn == 0:
        assert asha.live.room.game is not None
        assert isinstance(await asha.do(Reveal(n=asha.live.room.game.reveals + 1)), Accepted)
    count = len(revealed(asha.ears))
    await asyncio.sleep(TEMPO.beat_ms * 6 / 1000)
    assert len(revealed(asha.ears)) == count
    assert asha.ears.all("moment")[-1] == {"turnDue": None}
    again = await worker.join(table, "asha")
    assert again.ears.all("snapshot")[0]["paused"] is True
    await again.do(Pause(id="q", on=False))
    await until(lambda: len(revealed(again.ears)) >= 1)
