"""Decide, save, speak: over the real store, with another worker in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from server.ports import Guard
from server.protocol.commands import Leave, Ready, Rename, Reveal, Sit, Start, Stop
from server.protocol.events import Renamed, WentAway
from server.protocol.replies import Accepted
from server.rooms import saving
from server.rooms.decision import Decision, Refusal
from server.rooms.live import Tempo
from server.rooms.record import Room
from server.rooms.saving import act
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Worker, seated, table_of
from tests.server.store.helpers import until


def renaming(name: str) -> saving.Decide:
    return lambda room: Decision((Renamed(0, name),))


async def test_what_is_saved_is_spoken_before_it_is_answered(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    async with asha.live.lock:
        assert await act(asha.live, renaming("Asha Di")) == Accepted(seq=3)
    assert asha.ears.types()[-1] == bula.ears.types()[-1] == "renamed"
    assert asha.live.room.seats[0] is not None
    assert asha.live.room.seats[0].name == "Asha Di"


async def test_a_clash_brings_what_was_missed_and_decides_again(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await two.store.unsubscribe(bula.live.table)  # so that it works on an old copy
    await asha.do(Rename(id="a", name="Asha Di"))
    decided_on: list[Room] = []

    def decide(room: Room) -> Decision | Refusal:
        decided_on.append(room)
        return Decision((Renamed(1, "Bulbul"),))

    async with bula.live.lock:
        assert await act(bula.live, decide) == Accepted(seq=4)
    assert [room.seats[0] and room.seats[0].name for room in decided_on] == ["Asha", "Asha Di"]
    assert [batch["seq"] for batch in bula.ears.all("events")][-2:] == [3, 4]
    await until(lambda: asha.ears.types()[-1] == "renamed" and asha.live.gate.seq == 4)


async def test_a_table_too_busy_is_refused_at_last(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "CLASHES", 3)
    asha, _ = await seated(worker, seats=2)
    tries = 0

    def decide(room: Room) -> Decision | Refusal:
        nonlocal tries
        tries += 1
        asha.live.head = replace(asha.live.head, ver=99)  # another version than the store's, however often
        return Decision((Renamed(0, "X"),))

    async with asha.live.lock:
        assert await act(asha.live, decide) == Refusal("too_fast")
    assert tries == 3
    assert "renamed" not in asha.ears.types()


async def test_a_refusal_and_nothing_to_do_save_nothing(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    async with asha.live.lock:
        assert await act(asha.live, lambda _: Refusal("over")) == Refusal("over")
        assert await act(asha.live, lambda _: Decision(seat=1)) == Accepted(seat=1)
    assert asha.live.gate.seq == 2


async def test_done_at_another_worker_is_answered_as_then_and_caught_up(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await two.store.unsubscribe(bula.live.table)
    assert await asha.do(Rename(id="r", name="Asha Di")) == Accepted(seq=3)
    async with bula.live.lock:
        # By the script, since it would be a change here; and by the question, since here there is nothing to do.
        assert await act(bula.live, renaming("Other"), guest="asha", cmd="rename r") == Accepted(seq=3)
        assert await act(bula.live, lambda _: Refusal("over"), guest="asha", cmd="rename r") == Accepted(seq=3)
    assert bula.live.gate.seq == 3
    assert bula.ears.types().count("renamed") == 1


async def test_a_timed_one_before_its_due_changes_nothing(worker_at: Open) -> None:
    worker = await worker_at(tempo=Tempo(beat_ms=10_000))
    table = await table_of(worker.store, kind="computers", computers=3)
    asha = await worker.join(table, "asha")
    await asha.do(Start(id="go"))
    while asha.live.room.turn == 0 and asha.live.room.game is not None:
        await asha.do(Reveal(n=asha.live.room.game.reveals + 1))
    seq, due = asha.live.gate.seq, asha.live.head.due
    assert due is not None
    async with asha.live.lock:
        assert await act(asha.live, renaming("Early"), timed=True) is None
    assert (asha.live.gate.seq, asha.live.head.due) == (seq, due)


async def test_one_who_is_here_after_all_is_not_marked(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    guard = Guard("bula", bula.member.generation, gone_ms=10_000)
    async with asha.live.lock:
        assert await act(asha.live, lambda _: Decision((WentAway(1),)), guard=guard) is None
    assert "away" not in asha.ears.types()


async def test_a_table_that_is_gone_is_never_made_anew(worker: Worker, admin: Redis) -> None:
    asha, _ = await seated(worker, seats=2)
    await admin.delete(f"t:{{{asha.live.table}}}")
    async with asha.live.lock:
        assert await act(asha.live, renaming("X")) == Refusal("no_table")
    assert asha.live.closed
    assert not await admin.exists(f"t:{{{asha.live.table}}}")


async def test_who_is_let_go_has_no_presence_any_more(worker: Worker, admin: Redis) -> None:
    asha, bula = await seated(worker, seats=2)
    key = f"t:{{{asha.live.table}}}:p"
    assert await admin.hexists(key, "bula")
    await bula.do(Leave(id="l"))
    assert not await admin.hexists(key, "bula")
    assert asha.live.absence.generation("bula") == 0


async def test_a_finished_games_receipt_is_kept_with_its_last_batch(worker: Worker) -> None:
    from server.protocol.commands import Stop

    asha, _ = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    assert await worker.store.receipts(asha.live.table) == ()
    assert isinstance(await asha.do(Stop(id="stop")), Accepted)
    (receipt,) = await worker.store.receipts(asha.live.table)
    assert '"seats":[{"name":"Asha"' in receipt


async def test_what_found_nothing_to_do_finds_nothing_later(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="g"))
    await until(lambda: bula.live.room.phase == "playing")
    assert await bula.do(Sit(id="x")) == Accepted(seat=1)
    await asha.do(Stop(id="s"))
    await until(lambda: bula.live.room.phase == "over")
    # In `over`, sitting is being ready; but this one was done, and is answered as it was, by any worker.
    again = await one.join(asha.live.table, "bula")
    assert await again.do(Sit(id="x")) == Accepted(seat=1)
    assert "ready" not in asha.ears.types()
    assert isinstance(await again.do(Sit(id="y")), Accepted)
    await until(lambda: asha.ears.types()[-1] == "ready")


async def test_what_is_refused_is_not_remembered(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    assert await bula.do(Ready(id="x")) == Refusal("not_started")
    await asha.do(Start(id="g"))
    await asha.do(Stop(id="s"))
    answer = await bula.do(Ready(id="x"))
    assert isinstance(answer, Accepted)
    assert answer.seq is not None


async def test_a_refusal_on_an_old_copy_is_decided_again_once_the_newer_is_heard(
    worker_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    decided_on: list[str] = []

    def decide(room: Room) -> Decision | Refusal:
        first = room.seats[0]
        assert first is not None
        decided_on.append(first.name)
        return Refusal("muted") if first.name == "Asha" else Decision((Renamed(1, "Bulbul"),))

    done = two.store.done

    async def done_late(*question: Any) -> Any:
        """Ask as ever; and before the answer the channel brings what was saved elsewhere."""
        if bula.live.gate.seq == 2:
            await asha.do(Rename(id="a", name="Asha Di"))
            await until(lambda: bula.live.gate.seq == 3)
        return await done(*question)

    monkeypatch.setattr(two.store, "done", done_late)
    async with bula.live.lock:
        assert await act(bula.live, decide, guest="bula", cmd="say 1") == Accepted(seq=4)
    assert decided_on == ["Asha", "Asha Di"]
