"""Who is away and who is back, over the real store and in its time."""

from __future__ import annotations

import asyncio

from server.protocol.commands import Start
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import TEMPO, Worker, seated
from tests.server.store.helpers import until


async def test_gone_for_long_enough_is_away_and_a_return_is_at_once(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await bula.leave()
    assert "away" not in asha.ears.types()
    await until(lambda: "away" in asha.ears.types(), TEMPO.away_ms / 1000 + 2)
    await worker.join(asha.live.table, "bula")
    assert asha.ears.types()[-2:] == ["away", "back"]


async def test_a_return_in_time_is_never_away(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await bula.leave()
    await asyncio.sleep(TEMPO.away_ms / 3000)
    await worker.join(asha.live.table, "bula")
    await asyncio.sleep(2 * TEMPO.away_ms / 1000)
    assert "away" not in asha.ears.types()


async def test_a_return_to_another_worker_counts_too(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, seats=2)
    await bula.leave()
    await until(lambda: "away" in asha.ears.types())
    again = await two.join(asha.live.table, "bula")
    await until(lambda: asha.ears.types()[-1] == "back")
    await again.leave()
    await until(lambda: asha.ears.types()[-1] == "away")


async def test_two_workers_mark_one_away_once(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    chitra = await one.join(asha.live.table, "chitra")
    from server.protocol.commands import Sit

    await chitra.do(Sit(id="s"))
    await chitra.leave()
    await until(lambda: "away" in asha.ears.types() and "away" in bula.ears.types())
    await asyncio.sleep(TEMPO.away_ms / 1000)
    assert asha.ears.types().count("away") == 1
    assert bula.ears.types().count("away") == 1


async def test_an_away_seats_cards_are_turned_by_the_table(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await bula.do(Start(id="no"))
    await asha.do(Start(id="go"))
    await asha.leave()
    await until(lambda: any(e["type"] == "revealed" and e["by"] == "table" for e in bula.ears.events()))
    again = await worker.join(bula.live.table, "asha")
    await until(lambda: "back" in bula.ears.types())
    assert again.live.room.seats[0] is not None
    assert not again.live.room.seats[0].away


async def test_nobody_present_and_the_game_waits(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    watcher = await worker.join(asha.live.table, "watcher")
    await asha.do(Start(id="go"))
    await asha.leave()
    await bula.leave()
    seq = watcher.live.gate.seq
    await asyncio.sleep(3 * TEMPO.away_ms / 1000)
    assert watcher.live.gate.seq == seq


async def test_the_first_one_back_finds_every_clock_started_anew(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.leave()
    await bula.leave()
    await asyncio.sleep(2 * TEMPO.away_ms / 1000)
    again = await worker.join(asha.live.table, "asha")
    await asyncio.sleep(TEMPO.away_ms / 2000)
    assert "away" not in again.ears.types()
    await until(lambda: "away" in again.ears.types())


async def test_who_is_there_is_told_at_most_once_a_second(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    for _ in range(5):
        await bula.leave()
        bula = await worker.join(asha.live.table, "bula")
    await bula.leave()
    await asyncio.sleep(1.2)
    notes = asha.ears.all("presence")
    assert notes[-1]["absent"] == [1]
    assert len(notes) <= 3


async def test_one_who_is_back_elsewhere_unheard_of_here_is_not_marked(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, seats=2)
    await bula.leave()
    await until(lambda: asha.live.absence.absent() == (1,))
    await one.store.unsubscribe(asha.live.table)  # what is told of the return is lost
    await two.join(asha.live.table, "bula")
    await asyncio.sleep(2 * TEMPO.away_ms / 1000)
    await until(lambda: asha.live.absence.absent() == ())  # the guard said so, and presence was read again
    assert "away" not in asha.ears.types()
