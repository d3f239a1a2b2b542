"""Letting people in and out, their commands, catching up: one worker and two, over the real store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.ports import StoreDownError
from server.protocol.commands import Auto, GiveNonce, Leave, Rename, Reveal, Sit, Start
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.store.launcher import Embedded
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Person, Worker, seated, table_of, turn
from tests.server.store.helpers import Proxy, until


async def test_a_maker_is_welcomed_with_a_snapshot_who_they_are_and_the_moment(worker: Worker) -> None:
    table = await table_of(worker.store)
    asha = await worker.join(table, "asha")
    assert [text[3:].split('"')[0] for text in asha.ears.texts[:3]] == ["snapshot", "you", "moment"]
    (shot,) = asha.ears.all("snapshot")
    assert (shot["seq"], shot["phase"], shot["host"], shot["game"]) == (1, "lobby", 0, None)
    assert shot["you"] == {"seat": 0, "host": True, "watching": False}
    assert shot["seats"][0]["present"]


async def test_no_such_table(worker: Worker) -> None:
    assert await worker.refused("000000000000", "asha") == Refusal("no_table")
    assert len(worker.rooms) == 0


async def test_a_whole_game_on_two_workers_reaches_both_once_and_in_order(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    people = await seated(one, two, seats=2)
    await people[1].do(GiveNonce(id="n", nonce="ab" * 16))
    assert isinstance(await people[0].do(Start(id="go")), Accepted)
    while (await worker_phase(people)) == "playing":
        who, n = await turn(*people)
        assert isinstance(await who.do(Reveal(n=n)), Accepted)
    for person in people:
        seqs = [batch["seq"] for batch in person.ears.all("events")]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
        assert "ended" in person.ears.types()
        assert person.ears.all("snapshot")[1:] == []
    assert people[0].ears.all("events")[-1] == people[1].ears.all("events")[-1]


async def worker_phase(people: tuple[Person, ...]) -> str:
    await until(lambda: len({p.live.gate.seq for p in people}) == 1)
    return people[0].live.room.phase


async def test_commands_sent_again_are_answered_as_before(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    assert await bula.do(Sit(id="s", name="Bula")) == Accepted(seq=2, seat=1)
    start = await asha.do(Start(id="go"))
    assert await asha.do(Start(id="go")) == start
    assert await asha.do(Start(id="another")) == Refusal("already_started")
    first = await asha.do(Reveal(n=1))
    assert await asha.do(Reveal(n=1)) == first
    assert sum(event["type"] == "revealed" for event in bula.ears.events()) == 1


async def test_a_reveal_older_than_the_stores_memory_is_answered_ok(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    made: list[tuple[Person, int]] = []
    while len(made) < 60 and asha.live.room.phase == "playing":
        who, n = await turn(asha, bula)
        await who.do(Reveal(n=n))
        made.append((who, n))
    first = made[0]
    assert await first[0].do(Reveal(n=first[1])) == Accepted()
    other = bula if first[0] is asha else asha
    assert isinstance(await other.do(Reveal(n=first[1])), Refusal)


async def test_a_returning_client_gets_just_what_it_missed(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=3)
    since = bula.ears.since()
    await bula.leave()
    for name in ("A1", "A2", "A3"):
        await asha.do(Rename(id=name, name=name))
    again = await worker.join(asha.live.table, "bula", since)
    assert again.ears.all("snapshot") == []
    assert [batch["seq"] for batch in again.ears.all("events")] == [3, 4, 5]
    nothing = await worker.join(asha.live.table, "watcher", again.ears.since())
    assert [(b["seq"], b["events"]) for b in nothing.ears.all("events")] == [(5, [])]
    for wrong in (("f" * 16, 3, "0" * 16), (since[0], 3, "0" * 16), (since[0], 99, since[2])):
        lost = await worker.join(asha.live.table, "lost", wrong)
        assert len(lost.ears.all("snapshot")) == 1


async def test_sync_catches_up_as_on_connect(worker: Worker) -> None:
    _asha, bula = await seated(worker, seats=2)
    since = bula.ears.since()
    bula.ears.texts.clear()
    assert await worker.rooms.sync(bula.live, bula.member, since) == 2
    assert [batch["events"] for batch in bula.ears.all("events")] == [[]]
    assert await worker.rooms.sync(bula.live, bula.member, None) == 2
    assert len(bula.ears.all("snapshot")) == 1


async def test_the_newer_connection_has_the_seat_on_this_worker_and_another(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, _ = await seated(one, seats=2)
    newer = await two.join(asha.live.table, "asha")
    await until(lambda: asha.member.ended == "replaced")
    assert asha.ears.all("notice") == [{"code": "replaced"}]
    assert await asha.do(Rename(id="x", name="X")) == Refusal("replaced")
    assert isinstance(await newer.do(Rename(id="y", name="Y")), Accepted)
    heard = len(asha.ears.texts)
    third = await two.join(asha.live.table, "asha")
    assert newer.member.ended == "replaced"
    await asha.leave()
    assert third.live.absence.absent() == ()
    assert len(asha.ears.texts) == heard


async def test_a_table_that_lets_nobody_watch_is_closed_to_who_cannot_sit(worker: Worker) -> None:
    table = await table_of(worker.store, seats=2, watchers=False)
    asha = await worker.join(table, "asha")
    bula = await worker.join(table, "bula")
    await bula.do(Sit(id="s"))
    assert await worker.refused(table, "chitra") == Refusal("closed")
    await asha.do(Start(id="go"))
    assert await worker.refused(table, "chitra") == Refusal("closed")


async def test_who_was_let_in_to_sit_and_did_not_is_sent_away_at_the_start(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, _ = await seated(one, seats=3, watchers=False)
    idle = await two.join(asha.live.table, "chitra")
    await asha.do(Start(id="go"))
    await until(lambda: idle.ears.all("notice") == [{"code": "closed"}])
    assert await idle.do(Sit(id="s")) == Refusal("closed")
    heard = len(idle.ears.texts)
    await asha.do(Reveal(n=1))
    await until(lambda: len(two.rooms.live()) == 1)
    assert len(idle.ears.texts) == heard


async def test_who_gives_the_seat_up_watches_and_may_sit_again(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    assert isinstance(await bula.do(Leave(id="l")), Accepted)
    assert bula.ears.all("you")[-1] == {"seat": None, "host": False, "watching": True}
    assert bula.member.generation == 0
    assert isinstance(await bula.do(Sit(id="again", seat=1)), Accepted)
    assert bula.member.generation > 0
    assert asha.ears.types()[-2:] == ["left", "seated"]


async def test_a_refused_seat_leaves_nobody_present(worker: Worker, admin: Redis) -> None:
    asha, _ = await seated(worker, seats=2)
    chitra = await worker.join(asha.live.table, "chitra")
    assert await chitra.do(Sit(id="s")) == Refusal("full")
    assert chitra.member.generation == 0
    assert not await admin.hexists(f"t:{{{asha.live.table}}}:p", "chitra")


async def test_a_length_is_dealt_for(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2, length="short")
    await asha.do(Start(id="go"))
    dealt = next(event for event in asha.ears.events() if event["type"] == "dealt")
    assert dealt["length"] == "short"


async def test_a_state_of_a_newer_release_is_refused(worker: Worker, admin: Redis) -> None:
    import msgpack

    table = await table_of(worker.store)
    await admin.hset(f"t:{{{table}}}", "state", msgpack.packb([99, "new"]))
    assert await worker.refused(table, "asha") == Refusal("store_down")
    assert len(worker.rooms) == 0


async def test_an_empty_room_is_forgotten_and_loaded_again(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.leave()
    await bula.leave()
    assert len(worker.rooms) == 0
    again = await worker.join(asha.live.table, "asha")
    assert again.ears.all("snapshot")[0]["seats"][1]["name"] == "Bula"
    assert again.ears.all("snapshot")[0]["seats"][1]["present"] is False


async def test_auto_is_this_connections_alone(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    assert await asha.do(Auto(on=True)) == Refusal("not_started")
    await asha.do(Start(id="go"))
    assert await asha.do(Auto(on=True)) == Accepted()
    await until(lambda: "revealed" in asha.ears.types())
    (revealed,) = [event for event in asha.ears.events() if event["type"] == "revealed"][:1]
    assert (revealed["by"], revealed["seat"]) == ("auto", 0)


async def test_coming_back_again_and_again_keeps_one_beat(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    for _ in range(5):
        await worker.join(asha.live.table, "asha")
    assert len(worker.rooms._beats) == 1
    assert len(asha.live.members) == 2


async def test_a_store_lost_while_sitting_down_leaves_no_half_seated_connection(
    worker_at: Open, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        worker = await worker_at(proxy.url)
        asha, _ = await seated(worker, seats=3)
        chitra = await worker.join(asha.live.table, "chitra")
        proxy.silent = True
        with pytest.raises(StoreDownError):
            await chitra.do(Sit(id="s"))
        assert chitra.member.generation == 0
        proxy.silent = False
        answer = await chitra.do(Sit(id="s"))
        assert isinstance(answer, Accepted)
        assert answer.seat == 2
        await worker.close()


async def test_who_gave_the_seat_up_may_watch_at_a_worker_that_knew_them(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await bula.do(Leave(id="l"))
    await until(lambda: asha.ears.types()[-1] == "left")
    watching = await one.join(asha.live.table, "bula")
    await asha.live.beat()
    assert watching.member.ended is None
    assert isinstance(await watching.do(Sit(id="again")), Accepted)


async def test_the_loser_of_a_race_for_a_seat_goes_on_watching(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    chitra, dipu = await one.join(asha.live.table, "chitra"), await two.join(asha.live.table, "dipu")
    answers = await asyncio.gather(chitra.do(Sit(id="c")), dipu.do(Sit(id="d")))
    assert sorted(isinstance(answer, Accepted) for answer in answers) == [False, True]
    await asha.live.beat()
    await bula.live.beat()
    for person, answer in zip((chitra, dipu), answers, strict=True):
        assert person.member.ended is None
        assert (person.member.generation > 0) == isinstance(answer, Accepted)


async def test_a_table_is_never_without_a_host(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    await bula.do(Leave(id="b"))
    await asha.do(Leave(id="a"))
    await bula.do(Sit(id="back"))
    assert bula.ears.all("you")[-1] == {"seat": 1, "host": True, "watching": False}


async def test_what_is_saved_is_never_answered_as_refused(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise StoreDownError

    asha, bula = await seated(worker, seats=3)
    monkeypatch.setattr(worker.store, "forget", away)
    monkeypatch.setattr(worker.store, "leave", away)
    assert isinstance(await bula.do(Leave(id="between-games")), Accepted)
    assert isinstance(await bula.do(Sit(id="again")), Accepted)
    await asha.do(Start(id="go"))
    assert isinstance(await bula.do(Leave(id="during-one")), Accepted)
    assert asha.ears.types().count("left") == 2


async def test_who_sits_down_elsewhere_as_soon_as_the_seat_is_free_is_there(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, seats=3)
    tab = await two.join(asha.live.table, "watcher")
    left = asyncio.create_task(bula.do(Leave(id="l")))
    await until(lambda: tab.live.room.seated("bula") is None)
    other = await two.join(asha.live.table, "bula")
    assert isinstance(await other.do(Sit(id="again")), Accepted)
    assert isinstance(await left, Accepted)
    assert await admin.hexists(f"t:{{{asha.live.table}}}:p", "bula")
    await until(lambda: asha.live.gate.seq == other.live.gate.seq)
    await asha.live.beat()
    assert asha.live.absence.absent() == ()


async def test_what_an_older_tab_asked_while_the_newer_came_is_answered_replaced(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=3)
    async with asha.live.lock:
        newer = asyncio.ensure_future(worker.join(asha.live.table, "bula"))
        await asyncio.sleep(0)
        renamed = asyncio.ensure_future(bula.do(Rename(id="r", name="Older")))
        synced = asyncio.ensure_future(worker.rooms.sync(bula.live, bula.member, None))
        await asyncio.sleep(0)
    await newer
    assert (await renamed, await synced) == (Refusal("replaced"), Refusal("replaced"))
    await asha.do(Rename(id="n", name="Later"))
    assert bula.ears.texts[-1] == '2["notice",{"code":"replaced"}]'
    assert list(bula.live.people) == [asha.member, (await newer).member]


async def test_who_sits_down_has_the_seat_in_that_tab_alone_also_at_another_worker(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    table = await table_of(one.store, "asha", seats=3)
    await one.join(table, "asha")
    older = await two.join(table, "bula")
    newer = await one.join(table, "bula")
    assert isinstance(await newer.do(Sit(id="s", name="Bula")), Accepted)
    await until(lambda: older.live.gate.seq == newer.live.gate.seq)
    assert older.ears.all("notice") == [{"code": "replaced"}]
    assert [you["seat"] for you in older.ears.all("you")] == [None]
    assert await older.do(Rename(id="r", name="Older")) == Refusal("replaced")
    assert newer.member.ended is None


async def test_a_sit_that_was_done_before_its_guest_left_again_makes_nobody_present(
    worker: Worker, admin: Redis
) -> None:
    asha, bula = await seated(worker, seats=3)
    await bula.do(Leave(id="l"))
    assert await bula.do(Sit(id="s", name="Bula")) == Accepted(seq=2, seat=1)
    assert (bula.live.room.seated("bula"), bula.member.generation) == (None, 0)
    assert await admin.hkeys(f"t:{{{asha.live.table}}}:p") == [b"asha"]


async def test_after_a_clash_who_is_present_is_known_by_the_new_seats(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    table = await table_of(one.store, "asha", seats=4)
    asha, bula, chitra = [await at.join(table, guest) for at, guest in ((one, "asha"), (one, "bula"), (two, "chitra"))]
    await bula.do(Sit(id="s", name="Bula", seat=2))
    await until(lambda: chitra.live.gate.seq == 2)
    await chitra.do(Sit(id="s", name="Chitra", seat=3))
    await until(lambda: bula.live.gate.seq == 3)
    await bula.leave()
    await until(lambda: asha.live.absence.absent() == (2,))
    # The host's other tab begins, and the seats close up, before this worker has heard of it.
    await one.store.unsubscribe(table)
    other = await two.join(table, "asha")
    assert isinstance(await other.do(Start(id="go")), Accepted)
    assert isinstance(await asha.do(Leave(id="l")), Accepted)
    assert asha.live.room.host == asha.live.room.seat_of("chitra") == 2
