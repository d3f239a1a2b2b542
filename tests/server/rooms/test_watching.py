"""Who watches, counted truly at every worker, and a crowd at the door."""

from __future__ import annotations

import asyncio

import pytest

from server.protocol.commands import Leave, Reveal, Sit, Start
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.store.valkey import ValkeyStore
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Person, Worker, seated, table_of, turn
from tests.server.store.helpers import until


def told(person: Person) -> int | None:
    """How many watch, as this person was told last."""
    last = person.ears.all("presence")[-1:] or person.ears.all("snapshot")[-1:]
    return int(last[0]["watching"])


async def counted(worker: Worker, table: str) -> int:
    beat = await worker.store.beat(table, (), ())
    assert beat is not None
    return beat.watching


async def settled(number: int, *people: Person) -> None:
    """Wait until everybody was told this number, and the store has it."""
    await until(lambda: all(told(person) == number for person in people), 2.5)
    assert await counted(people[0].worker, people[0].live.table) == number


async def test_all_workers_learn_of_who_comes_and_goes(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    watchers = [await (one, two)[n % 2].join(asha.live.table, f"w{n}") for n in range(6)]
    await settled(6, asha, bula, *watchers)
    for watcher in watchers[:5]:
        await watcher.leave()
    await settled(1, asha, bula, watchers[5])
    await watchers[5].leave()
    await settled(0, asha, bula)


async def test_a_tab_that_is_closed_takes_nobody_away_who_has_another(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    here, there = await one.join(asha.live.table, "w"), await two.join(asha.live.table, "w")
    second = await two.join(asha.live.table, "w")
    await settled(1, asha, bula, here, there)
    said = [len(person.ears.all("presence")) for person in (asha, bula)]
    await here.leave()
    await asyncio.sleep(1.3)
    assert await counted(one, asha.live.table) == 1
    # Nobody was told of a number that was wrong for a moment.
    for person, before in zip((asha, bula), said, strict=True):
        assert [note["watching"] for note in person.ears.all("presence")[before:]] in ([], [1])
    await second.leave()
    assert await counted(one, asha.live.table) == 1
    await there.leave()
    await settled(0, asha, bula)


async def test_one_who_sits_watches_no_more_and_one_who_leaves_the_seat_watches(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    chitra = await two.join(asha.live.table, "chitra")
    await settled(1, asha, bula)
    await chitra.do(Sit(id="s"))
    await settled(0, asha, bula)
    await chitra.do(Leave(id="l"))
    await settled(1, asha, bula)
    await chitra.leave()
    await settled(0, asha, bula)


async def test_one_who_leaves_during_a_game_and_stays_watches(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="go"))
    await bula.do(Leave(id="l"))
    await settled(1, asha, bula)
    await bula.leave()
    await settled(0, asha)
    again = await one.join(asha.live.table, "bula")
    await settled(1, asha, again)
    # Under an id of its own: `s` was done long ago, and would seat nobody now.
    assert isinstance(await again.do(Sit(id="back")), Accepted)
    assert asha.live.room.seated("bula") == 1
    await settled(0, asha, again)


async def test_one_whose_sit_is_refused_goes_on_watching(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    chitra = await worker.join(asha.live.table, "chitra")
    await settled(1, asha, bula, chitra)
    assert isinstance(await chitra.do(Sit(id="s")), Refusal)
    await settled(1, asha, bula, chitra)


async def test_every_connection_without_a_cookie_is_one(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    nobodies = [await worker.join(asha.live.table, "") for _ in range(3)]
    await settled(3, asha, *nobodies)
    await nobodies[0].leave()
    await settled(2, asha)


async def test_those_who_were_shown_out_are_not_counted(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=3, watchers=False)
    await worker.join(asha.live.table, "w")
    await settled(1, asha)
    await asha.do(Start(id="go"))
    await settled(0, asha)


async def test_a_watcher_is_told_the_right_number_though_snapshots_are_kept(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    watchers = [await worker.join(asha.live.table, f"w{n}") for n in range(5)]
    await settled(5, asha, *watchers)
    # The count is as told, the snapshot that is kept may be older: whoever gets it is told the right number too.
    late = [await worker.join(asha.live.table, f"w{n}") for n in range(5)]
    await settled(5, asha, *watchers, *late)


async def test_a_tap_waits_for_no_crowd_at_the_door(worker_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = await worker_at()
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    arrived, arrive = [], ValkeyStore.arrive

    async def slowly(self: ValkeyStore, table: str, guest: str, *args: object, **named: object) -> object:
        await asyncio.sleep(0.02)
        arrived.append(guest)
        return await arrive(self, table, guest, *args, **named)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(ValkeyStore, "arrive", slowly)
    crowd = [asyncio.create_task(worker.join(asha.live.table, f"w{n}")) for n in range(40)]
    await until(lambda: len(arrived) == 3)
    who, n = await turn(asha, bula)
    assert isinstance(await who.do(Reveal(n=n)), Accepted)
    assert len(arrived) <= 6
    # Nor does one who has a seat and comes back.
    await worker.join(asha.live.table, "bula")
    assert len(arrived) <= 12
    watchers = await asyncio.gather(*crowd)
    assert {w.ears.events()[-1]["type"] for w in watchers if w.ears.events()} <= {"revealed", "captured"}
    for watcher in watchers[-5:]:
        await watcher.leave()


async def test_who_has_a_seat_here_is_known_without_asking_everybody(worker: Worker) -> None:
    table = await table_of(worker.store, seats=2)
    watcher = await worker.join(table, "w")
    asha = await worker.join(table, "asha")
    live = asha.live
    assert list(live.people) == [asha.member]
    await watcher.do(Sit(id="s"))
    assert list(live.people) == [asha.member, watcher.member]
    newer = await worker.join(table, "w")
    assert list(live.people) == [asha.member, newer.member]
    await newer.do(Leave(id="l"))
    await asha.leave()
    assert list(live.people) == []
