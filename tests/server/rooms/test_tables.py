"""Tables as HTTP sees them, over the real store."""

from __future__ import annotations

import json

import pytest

from engine.events import Ended
from engine.game import log
from server.protocol import ids
from server.protocol.codec import encode
from server.protocol.commands import Start, Stop
from server.protocol.events import Settings
from server.rooms import tables
from server.rooms.packing import unpack
from server.rooms.settings import Rejected
from server.rooms.tables import Made, Summary, make_table
from server.store.valkey import ValkeyStore
from tests.builders import changed, lobby_of
from tests.server.rooms.house import Person, Worker, seated, table_of


async def make(store: ValkeyStore, name: object = "Asha") -> Made | Rejected:
    return await make_table(store, guest="asha", name=name, wanted={}, language="en", unvisited_ms=60_000)


async def test_a_table_is_made_with_its_maker_seated_and_expected(store: ValkeyStore) -> None:
    made = await make(store)
    assert isinstance(made, Made)
    assert ids.canonical(made.id) == made.id
    stored = await store.read(made.id, 0)
    assert stored is not None
    room = unpack(stored.state)
    assert (room.seat_of("asha"), room.host, room.commitment) == (0, 0, made.commitment)
    assert [event["type"] for event in json.loads(stored.batches[0].frame)["events"]] == [
        "opened",
        "committed",
        "seated",
    ]
    beat = await store.beat(made.id, (), ())
    assert beat is not None
    assert not beat.presence["asha"].open


@pytest.mark.parametrize("name", [5, ["Asha"], "x" * 25, "\u202e", "\x00"])
async def test_a_name_that_will_not_do(store: ValkeyStore, name: object) -> None:
    assert await make(store, name) == Rejected("bad_name", "name")


async def test_an_id_that_is_taken_is_drawn_again(store: ValkeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await make(store)
    assert isinstance(first, Made)
    drawn = iter(first.id + "0123456789ab")
    monkeypatch.setattr("server.rooms.tables.secrets.choice", lambda _: next(drawn))
    second = await make(store)
    assert isinstance(second, Made)
    assert second.id == "0123456789ab"


async def test_a_summary_has_no_names(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=3)
    summary = await tables.summary(worker.store, asha.live.table)
    assert summary == Summary(asha.live.table, "lobby", 3, 2, 0, "people", locked=False)
    assert await tables.summary(worker.store, "0" * 12) is None


async def played(worker: Worker) -> Person:
    """Play two games at a table, the second still running."""
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="one"))
    await asha.do(Stop(id="stop"))
    from server.protocol.commands import Ready

    await bula.do(Ready(id="ready"))
    await asha.do(Start(id="two"))
    return asha


async def test_logs_of_games_past_and_present(worker: Worker) -> None:
    asha = await played(worker)
    table = asha.live.table
    game = asha.live.room.game
    assert game is not None
    running = tuple(encode(event) for event in log(game))
    assert await tables.log_lines(worker.store, table, None, "") == running
    assert await tables.log_lines(worker.store, table, 2, "") == running
    past = await tables.log_lines(worker.store, table, 1, "")
    assert [json.loads(line)["type"] for line in past] == ["dealt", Ended.type]
    assert await tables.log_lines(worker.store, table, 3, "") == "no_game"
    assert await tables.log_lines(worker.store, "0" * 12, None, "") == "no_table"


async def test_receipts_are_of_finished_games(worker: Worker) -> None:
    asha = await played(worker)
    receipts = await tables.receipts(worker.store, asha.live.table, "")
    assert isinstance(receipts, tuple)
    (receipt,) = receipts
    assert json.loads(receipt)["game"] == 1
    assert tables.receipt_from(json.loads(receipt)).game == 1
    assert await tables.receipts(worker.store, "0" * 12, "") == "no_table"


async def test_where_nobody_may_watch_only_the_seated_read(worker: Worker) -> None:
    table = await table_of(worker.store, watchers=False)
    assert await tables.log_lines(worker.store, table, None, "stranger") == "not_allowed"
    assert await tables.receipts(worker.store, table, "") == "not_allowed"
    assert await tables.log_lines(worker.store, table, None, "asha") == "no_game"
    assert await tables.receipts(worker.store, table, "asha") == ()


def test_one_who_left_during_the_game_may_still_read() -> None:
    room = changed(lobby_of(2, Settings(seats=2, watchers=False)), 1, left=True)
    assert tables.may_watch(room, "Bula")
    assert not tables.may_watch(room, "stranger")
