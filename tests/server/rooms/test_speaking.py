"""What a room says: each text encoded once, the seated first, and only what has changed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from server.protocol.commands import Auto, Leave, Rename, Start
from server.rooms import speaking
from server.rooms.outlet import Socket
from server.rooms.snapshot import encoded
from tests.server.rooms.house import Outlet, Worker, seated, table_of


async def test_the_seated_are_written_first(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await table_of(worker.store, seats=2)
    watchers = [await worker.join(table, f"w{n}") for n in range(3)]
    asha = await worker.join(table, "asha")
    order: list[str] = []

    def deliver(_: Outlet, sockets: Iterable[Socket], text: str) -> None:
        order.extend(socket.guest for socket in sockets)

    monkeypatch.setattr(Outlet, "deliver", deliver)
    asha.live.speaking.notice("draining")
    assert order == ["asha", "w0", "w1", "w2"]
    assert watchers[0].live is asha.live


async def test_who_you_are_is_said_where_it_has_changed(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    said = (len(asha.ears.all("you")), len(bula.ears.all("you")))
    await bula.do(Rename(id="r", name="Bulbul"))
    assert (len(asha.ears.all("you")), len(bula.ears.all("you"))) == said
    await asha.do(Leave(id="l"))
    assert asha.ears.all("you")[-1] == {"seat": None, "host": False, "watching": True}
    assert bula.ears.all("you")[-1] == {"seat": 1, "host": True, "watching": False}


async def test_a_seat_given_up_during_a_game_counts_as_gone_and_loses_auto(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    await bula.do(Auto(on=True))
    await bula.do(Leave(id="l"))
    assert not bula.member.auto
    assert bula.member.generation == 0
    assert asha.live.absence.absent() == (1,)
    assert bula.ears.all("you")[-1]["watching"]


async def test_the_moment_is_said_where_it_has_changed(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    said = len(asha.ears.all("moment"))
    asha.live.speaking.tell_moment(5)
    asha.live.speaking.tell_moment(5)
    asha.live.speaking.tell_moment(None)
    assert asha.ears.all("moment")[said:] == [{"turnDue": 5}, {"turnDue": None}]


async def test_one_encoded_snapshot_serves_every_watcher(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    asha, _ = await seated(worker, seats=2)
    made: list[object] = []

    def counting(shot: object, said: object) -> str:
        made.append(shot)
        return encoded(shot, said)  # type: ignore[arg-type]  # as it came

    monkeypatch.setattr(speaking, "encoded", counting)
    # Of one second of the store's clock: the snapshot says the time.
    watchers = [await worker.join(asha.live.table, "w") for _ in range(4)]
    texts = {w.ears.texts[0] for w in watchers}
    assert len(made) == len(texts) <= 2
    await asha.do(Rename(id="r", name="Asha Di"))
    later = await worker.join(asha.live.table, "w")
    assert later.ears.all("snapshot")[0]["seats"][0]["name"] == "Asha Di"


async def test_a_seated_person_has_a_snapshot_of_their_own(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    watcher = await worker.join(asha.live.table, "w")
    asha.live.speaking.send_snapshot(bula.member)
    assert bula.ears.all("snapshot")[-1]["you"] == {"seat": 1, "host": False, "watching": False}
    assert watcher.ears.all("snapshot")[-1]["you"] == {"seat": None, "host": False, "watching": True}


async def test_a_word_is_for_the_newest_connection_of_one_who_is_seated(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    watcher = await worker.join(asha.live.table, "w")
    again = await worker.join(asha.live.table, "asha")
    for guest in ("asha", "w", "stranger"):
        asha.live.noticed(guest, "nudged")
    asha.live.noticed("bula", "a word of a newer release")
    assert again.ears.all("notice") == [{"code": "nudged"}]
    assert asha.ears.all("notice") == [{"code": "replaced"}]
    assert bula.ears.all("notice") == watcher.ears.all("notice") == []
