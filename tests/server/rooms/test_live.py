"""A live room keeps to the store's history: lost messages, rollbacks, ends, a store that is away."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.ports import Commit, Committed, StoreDownError
from server.protocol.commands import Rename
from server.protocol.events import Renamed
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.rooms.packing import pack
from server.rooms.record import applied
from server.store.launcher import Embedded
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Worker, seated
from tests.server.store.helpers import Proxy, until


async def test_a_message_that_was_lost_is_fetched_at_the_next_beat(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await two.store.unsubscribe(bula.live.table)
    await asha.do(Rename(id="r", name="Asha Di"))
    await asyncio.sleep(0.05)
    assert "renamed" not in bula.ears.types()
    await bula.live.beat()
    await until(lambda: "renamed" in bula.ears.types())
    assert [b["seq"] for b in bula.ears.all("events")][-1] == 3


async def test_a_killed_subscription_loses_nothing(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await admin.client_kill_filter(_type="pubsub")
    await asha.do(Rename(id="r", name="Asha Di"))
    await until(lambda: "renamed" in bula.ears.types())


async def test_a_rollback_is_answered_by_snapshots(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    keys = [f"t:{{{asha.live.table}}}{part}" for part in ("", ":b")]
    older = [await admin.dump(key) for key in keys]
    for n in range(3):
        await asha.do(Rename(id=f"r{n}", name=f"Asha {n}"))
    await until(lambda: bula.live.gate.seq == 5)
    for key, dumped in zip(keys, older, strict=True):
        assert dumped is not None
        await admin.restore(key, 60_000, dumped, replace=True)
    await asha.live.beat()
    await until(lambda: len(asha.ears.all("snapshot")) == 2)
    assert asha.ears.all("snapshot")[-1]["seq"] == 2
    assert asha.ears.all("snapshot")[-1]["seats"][0]["name"] == "Asha"
    assert '42["moment"' in "4" + asha.ears.texts[-1], "after every snapshot"
    # History goes on from there: the other worker finds that its own is another, though longer, one.
    answer = await asha.do(Rename(id="new", name="Asha again"))
    assert isinstance(answer, Accepted)
    assert answer.seq == 3
    await until(lambda: len(bula.ears.all("snapshot")) == 2)
    assert bula.ears.all("snapshot")[-1]["seats"][0]["name"] == "Asha again"
    # And everybody is there, by generations that the store of before gives out.
    await until(lambda: asha.live.absence.absent() == bula.live.absence.absent() == ())
    assert (asha.member.ended, bula.member.ended) == (None, None)


async def test_a_table_that_ended_says_so(worker: Worker, admin: Redis) -> None:
    asha, bula = await seated(worker, seats=2)
    await admin.delete(f"t:{{{asha.live.table}}}")
    assert await asha.do(Rename(id="r", name="X")) == Refusal("no_table")
    assert asha.ears.all("notice") == bula.ears.all("notice") == [{"code": "expired"}]
    assert await bula.do(Rename(id="r", name="X")) == Refusal("no_table")


async def test_a_deleted_table_says_so_everywhere(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await one.store.delete(asha.live.table)
    await until(lambda: bool(asha.ears.all("notice") and bula.ears.all("notice")))
    assert bula.ears.all("notice") == [{"code": "deleted"}]


async def test_a_lost_reply_is_no_second_commit(worker_at: Open, embedded: Embedded, tmp_path: Path) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        worker = await worker_at(proxy.url)
        asha, _ = await seated(worker, seats=2)
        proxy.lose_replies = 1
        answer = await asha.do(Rename(id="r", name="Asha Di"))
        assert answer == Accepted(seq=3)
        assert proxy.lost == 1
        await until(lambda: asha.ears.types().count("renamed") == 1)
        await asha.live.beat()
        assert asha.live.gate.seq == 3
        await worker.close()


async def test_a_store_that_is_away_is_said_and_repaired(worker_at: Open, embedded: Embedded, tmp_path: Path) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        worker = await worker_at(proxy.url)
        asha, _ = await seated(worker, seats=2)
        proxy.silent = True
        with pytest.raises(StoreDownError):
            await asha.do(Rename(id="r", name="Asha Di"))
        await until(lambda: {"code": "store_down"} in asha.ears.all("notice"), 10)
        proxy.silent = False
        await until(lambda: {"code": "store_back"} in asha.ears.all("notice"), 10)
        assert await asha.do(Rename(id="r", name="Asha Di")) == Accepted(seq=3)
        assert asha.ears.types().count("renamed") == 1
        await worker.close()


async def test_anothers_batch_that_overtakes_our_own_answer_waits_for_it(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    live = asha.live
    with live.awaiting_own():
        # As if the answer were still on its way; the channel has told of it.
        own = Commit(
            table=live.table,
            expect_ver=live.head.ver,
            events='[{"type":"renamed","seat":0,"name":"Asha Di"}]',
            ttl_ms=60_000,
            known_seq=2,
            state=pack(applied(live.room, (Renamed(0, "Asha Di"),))),
        )
        assert isinstance(await one.store.commit(own), Committed)
        await until(lambda: bula.live.gate.seq == 3)
        assert asha.live.gate.seq == 2
        await bula.do(Rename(id="r", name="Bulbul"))
        await until(lambda: asha.live.gate.seq == 4)
    assert [batch["seq"] for batch in asha.ears.all("events")][-2:] == [3, 4]
    assert [seat and seat.name for seat in asha.live.room.seats] == ["Asha Di", "Bulbul"]


async def test_a_rollback_is_found_by_the_beat_alone(worker: Worker, admin: Redis) -> None:
    asha, bula = await seated(worker, seats=2)
    keys = [f"t:{{{asha.live.table}}}{part}" for part in ("", ":b")]
    older = [await admin.dump(key) for key in keys]
    await asha.do(Rename(id="r", name="Asha Di"))
    for key, dumped in zip(keys, older, strict=True):
        assert dumped is not None
        await admin.restore(key, 60_000, dumped, replace=True)
    await asha.live.beat()
    await until(lambda: all(len(person.ears.all("snapshot")) == 2 for person in (asha, bula)))
    for person in (asha, bula):
        shot = person.ears.all("snapshot")[-1]
        assert (shot["seq"], shot["seats"][0]["name"]) == (2, "Asha")


@pytest.mark.parametrize("found_by", ["beat", "sync"])
async def test_an_expired_table_is_found_by_either(worker: Worker, admin: Redis, found_by: str) -> None:
    asha, bula = await seated(worker, seats=2)
    await admin.delete(f"t:{{{asha.live.table}}}")
    if found_by == "beat":
        await asha.live.beat()
    else:
        assert await worker.rooms.sync(asha.live, asha.member, None) == Refusal("no_table")
    assert asha.ears.all("notice") == bula.ears.all("notice") == [{"code": "expired"}]
    assert asha.live.closed


async def test_a_bug_in_a_rooms_task_is_logged_and_ends_nothing(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)

    async def broken() -> None:
        raise ZeroDivisionError

    await asha.live.spawn(broken())
    assert isinstance(await asha.do(Rename(id="r", name="Asha Di")), Accepted)


async def test_a_task_that_finds_the_store_away_has_it_repaired(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)

    async def away() -> None:
        raise StoreDownError

    await asha.live.spawn(away())
    assert asha.live._background._repairing is not None
    await asha.live._background._repairing
