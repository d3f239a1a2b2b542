"""Who is away and who is back, over the real store and in its time."""

from __future__ import annotations

import asyncio

from redis.asyncio import Redis
from structlog.testing import capture_logs

from server.ports import Presence
from server.protocol.commands import ChangeSettings, Hurry, Leave, Remove, Sit, Start
from server.protocol.replies import Accepted
from server.rooms.live import Tempo
from server.rooms.presence import HEARD_MS
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import TEMPO, Ears, Worker, seated, table_of
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


# --- another host for one who is gone

GONE = Tempo(beat_ms=40, away_ms=150, host_ms=400)


def hosts(ears: Ears) -> list[int]:
    return [event["seat"] for event in ears.events() if event["type"] == "host"]


async def test_a_host_who_is_gone_hands_on_and_does_not_take_it_back(worker_at: Open) -> None:
    worker = await worker_at(tempo=GONE)
    asha, bula = await seated(worker, seats=2)
    await asha.leave()
    await asyncio.sleep(GONE.host_ms / 2000)
    assert hosts(bula.ears) == []
    await until(lambda: hosts(bula.ears) == [1])
    again = await worker.join(bula.live.table, "asha")
    assert again.ears.all("you")[-1] == {"seat": 0, "host": False, "watching": False}
    assert bula.ears.all("you")[-1]["host"] is True
    await asyncio.sleep(2 * GONE.host_ms / 1000)
    assert hosts(bula.ears) == [1]


async def test_a_host_who_returns_in_time_stays_host(worker_at: Open) -> None:
    patient = Tempo(beat_ms=40, away_ms=60_000, host_ms=1_500)
    one, two = await worker_at(tempo=patient), await worker_at(tempo=patient)
    asha, bula = await seated(one, two, seats=2)
    await bula.live.store.unsubscribe(bula.live.table)  # what is told of the return is lost
    await until(lambda: bula.live.absence.absent() == ())
    await asha.leave()
    await bula.live.beat()
    await asyncio.sleep(0.1)
    await one.join(bula.live.table, "asha")
    await asyncio.sleep(2)
    await bula.live.catch_up()
    assert hosts(bula.ears) == []
    assert bula.live.room.host == 0


async def test_workers_that_see_the_host_gone_make_one_host(worker_at: Open) -> None:
    workers = [await worker_at(tempo=GONE) for _ in range(3)]
    asha, bula = await seated(workers[0], workers[1], seats=3)
    chitra = await workers[2].join(asha.live.table, "chitra")
    await chitra.do(Sit(id="s"))
    await asha.leave()
    await until(lambda: bool(hosts(bula.ears)) and bool(hosts(chitra.ears)))
    await asyncio.sleep(GONE.host_ms / 1000)
    assert hosts(bula.ears) == hosts(chitra.ears) == [1]


async def test_with_nobody_to_hand_on_to_it_waits_for_somebody(worker_at: Open) -> None:
    one, two = await worker_at(tempo=GONE), await worker_at(tempo=GONE)
    asha, bula = await seated(one, seats=2)
    await bula.leave()
    await asha.leave()
    await asyncio.sleep(2 * GONE.host_ms / 1000)
    back = await two.join(asha.live.table, "bula")
    assert hosts(back.ears) == []  # every clock starts anew with the first one back
    await until(lambda: hosts(back.ears) == [1])


async def test_an_absent_heir_hands_on_to_who_comes(worker_at: Open) -> None:
    worker = await worker_at(tempo=GONE)
    asha, bula = await seated(worker, seats=2)
    await bula.leave()
    await until(lambda: "away" in asha.ears.types())
    await asha.do(Leave(id="l"))  # nobody is there: the seat goes to the one who is away
    assert hosts(asha.ears) == [1]
    chitra = await worker.join(asha.live.table, "chitra")
    await chitra.do(Sit(id="s"))
    await until(lambda: hosts(chitra.ears) == [0])


# --- all in a hurry


def hurries(ears: Ears) -> list[tuple[list[int], bool]]:
    return [(event["seats"], event["on"]) for event in ears.events() if event["type"] == "hurried"]


async def test_a_hurry_goes_by_who_is_here_and_each_change_is_said_once(worker_at: Open) -> None:
    slow = Tempo(beat_ms=60_000)
    one, two, three = [await worker_at(tempo=slow) for _ in range(3)]
    asha, bula = await seated(one, two, seats=3)
    chitra = await three.join(asha.live.table, "chitra")
    await chitra.do(Sit(id="s"))
    await until(lambda: asha.live.gate.seq == 3)
    await asha.do(Start(id="go"))
    await until(lambda: chitra.live.room.phase == bula.live.room.phase == "playing")
    await asha.do(Hurry(id="h", on=True))
    await until(lambda: len(hurries(bula.ears)) == 1)
    await bula.do(Hurry(id="h", on=True))
    assert hurries(bula.ears) == [([0], False), ([0, 1], False)]
    await chitra.leave()
    await until(lambda: hurries(bula.ears)[2:] == [([0, 1], True)])
    await three.join(asha.live.table, "chitra")
    await until(lambda: hurries(bula.ears)[3:] == [([0, 1], False)])
    await asyncio.sleep(0.7)
    assert len(hurries(bula.ears)) == 4
    assert asha.ears.all("moment")[-1] == {"turnDue": None}


async def test_one_who_leaves_hurries_no_more(worker_at: Open) -> None:
    worker = await worker_at(tempo=Tempo(beat_ms=60_000))
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    await bula.do(Hurry(id="h", on=True))
    await asha.do(Leave(id="l"))
    await until(lambda: hurries(bula.ears) == [([1], False), ([1], True)])
    await asha.do(Sit(id="s"))
    await until(lambda: hurries(bula.ears)[2:] == [([1], False)])


async def test_presence_that_only_seemed_to_change_changes_nothing(worker_at: Open) -> None:
    worker = await worker_at(tempo=Tempo(beat_ms=60_000))
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    await asha.do(Hurry(id="h", on=True))
    await bula.live.lock.acquire()
    known = asha.live.absence.generation("bula")
    asha.live.presence_changed("bula", Presence(known, 0, open=False))  # the store knows better
    bula.live.lock.release()
    await asyncio.sleep(0.3)
    assert hurries(asha.ears) == [([0], False)]
    assert asha.live.absence.absent() == ()


# --- the silence of who is here


async def test_a_silence_is_an_absence_when_its_time_has_come_not_at_the_next_beat(
    worker: Worker, admin: Redis
) -> None:
    asha, bula = await seated(worker, seats=2)
    await until(lambda: bool(asha.ears.all("presence")))
    await asyncio.sleep(1.1)  # that was a note, and there is one a second at the most
    bula.ears.silence = HEARD_MS - 200
    heard = bula.live.now() - bula.ears.silence
    await admin.hset(f"t:{{{asha.live.table}}}:p", "bula", f"{bula.member.generation} {heard} 1")
    asha.live.absence.take_one("bula", Presence(bula.member.generation, heard, open=True))
    asha.live.changed()
    assert asha.live.absence.absent() == ()
    bula.ears.silence += 1_000
    await until(lambda: asha.ears.all("presence")[-1]["absent"] == [1], 1)


async def test_an_old_word_of_one_who_is_elsewhere_is_asked_about_before_it_counts(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    old = Presence(bula.member.generation, asha.live.now() - HEARD_MS + 700, open=True)
    asha.live.absence.take_one("bula", old)
    asha.live.changed()
    await asyncio.sleep(0.9)
    assert asha.live.absence.absent() == ()
    assert all(note["absent"] == [] for note in asha.ears.all("presence"))


async def test_a_seat_that_is_gone_before_its_guest_counts_as_away_is_nobodys_trouble(worker: Worker) -> None:
    table = await table_of(worker.store, "asha", seats=4)
    asha, bula = await worker.join(table, "asha"), await worker.join(table, "bula")
    await bula.do(Sit(id="s", name="Bula", seat=3))
    await bula.leave()
    with capture_logs() as logs:
        async with asha.live.lock:
            removed = asyncio.ensure_future(asha.do(Remove(id="r", seat=3)))
            await asyncio.sleep(0)
            changed = asyncio.ensure_future(asha.do(ChangeSettings(id="c", settings={"seats": 2})))
            # By now the marking waits behind them.
            await asyncio.sleep(3 * TEMPO.away_ms / 1000)
        answers = await asyncio.gather(removed, changed)
        await asha.live.beat()
    assert all(isinstance(answer, Accepted) for answer in answers)
    assert "away" not in asha.ears.types()
    assert logs == []
