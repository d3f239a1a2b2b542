"""Coming back (contract, section 6, numbering): by `since`, by `sync`, after a killed worker, after a restart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.wire.asking import accepted
from tests.wire.client import LostError, Player, Transport
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker
from tests.wire.raw import RawSocket, open_raw
from tests.wire.tape import Json, Since

WAYS: tuple[Transport, ...] = ("websocket", "polling")


def first_frames(player: Player) -> list[tuple[str, Json]]:
    """Return what came on this connection, `presence` and `notice` left out."""
    assert player.tape is not None
    names = ("snapshot", "events", "you", "moment")
    return [(e.name, e.payload) for e in player.tape.entries if e.kind == "frame" and e.name in names]


@pytest.mark.parametrize("behind", [0, 1, 127, 128, 129])
async def test_so_many_batches_behind(pair: tuple[Worker, Worker], party: Party, behind: int) -> None:
    asha, _ = await party.seated(pair[0].base, pair[1].base, seats=3)
    watcher = party.player("Watcher")
    await watcher.open(pair[1].base, asha.table)
    await watcher.close()
    for start in range(0, behind, 40):
        calls = [accepted(asha, "rename", name=f"Asha {n}", id=f"r{n}") for n in range(start, min(behind, start + 40))]
        await asyncio.gather(*calls)
    since = watcher.model.since()
    await watcher.reopen(pair[1].base)
    frames = first_frames(watcher)
    names = [name for name, _ in frames]
    seqs = [payload["seq"] for name, payload in frames if name == "events"]
    assert not watcher.torn, watcher.torn
    if behind == 0:
        assert names[:3] == ["events", "you", "moment"]
        assert (frames[0][1]["seq"], frames[0][1]["events"]) == (since[1], [])
    elif "snapshot" not in names:
        assert seqs == list(range(since[1] + 1, since[1] + behind + 1))
        assert names[behind : behind + 2] == ["you", "moment"]
    else:
        assert behind > 128, "the last 128 batches are kept"
        assert names[:3] == ["snapshot", "you", "moment"]
    assert watcher.model.seq == asha.model.seq
    assert watcher.model.comparable() == asha.model.comparable()
    await party.judge()


@pytest.mark.parametrize("wrong", ["another epoch", "a wrong mark", "a wrong mark behind", "from the future"])
async def test_a_history_that_is_not_the_servers_gets_a_snapshot(worker: Worker, party: Party, wrong: str) -> None:
    asha, _ = await party.seated(worker.base, worker.base, seats=3)
    await accepted(asha, "rename", name="Asha Di")
    watcher = party.player("Watcher")
    await watcher.open(worker.base, asha.table)
    await watcher.close()
    epoch, seq, mark = watcher.model.since()
    since: Since = {
        "another epoch": ("0" * 16, seq, mark),
        "a wrong mark": (epoch, seq, "0" * 16),
        "a wrong mark behind": (epoch, seq - 1, "0" * 16),
        "from the future": (epoch, seq + 7, mark),
    }[wrong]
    watcher.model.seq = 0
    await watcher.connect(worker.base, since=since)
    assert [name for name, _ in first_frames(watcher)][:3] == ["snapshot", "you", "moment"]
    await accepted(watcher, "sync", since=list(since))
    assert watcher.tape is not None
    assert len(watcher.tape.frames("snapshot")) == 2
    assert watcher.model.comparable() == asha.model.comparable()


async def test_sync_tells_that_nothing_is_missing_or_brings_what_is(worker: Worker, party: Party) -> None:
    asha, bela = await party.seated(worker.base, worker.base, seats=3)
    since = bela.model.since()
    answer = await accepted(bela, "sync", since=list(since))
    assert answer["seq"] == since[1]
    assert first_frames(bela)[-3][1]["events"] == []
    await accepted(asha, "rename", name="Asha Di")
    await bela.reach(since[1] + 1)
    seen = len(first_frames(bela))
    await accepted(bela, "sync", since=list(since))
    again = first_frames(bela)[seen:]
    assert [(name, payload.get("seq")) for name, payload in again[:1]] == [("events", since[1] + 1)]
    await accepted(bela, "sync")
    assert bela.tape is not None
    assert bela.tape.frames("snapshot")[-1]["seq"] == since[1] + 1
    for bad in (5, [], ["a", "b", "c"], {"epoch": 1}):
        refusal = await bela.command("sync", since=bad)
        assert (refusal["ok"], refusal["code"]) == (False, "bad_request")


async def test_a_card_that_was_turned_before_the_line_was_cut_is_answered_again(
    pair: tuple[Worker, Worker], party: Party
) -> None:
    asha, bela = await party.started(pair[0].base, pair[1].base)
    answer = await asha.command("reveal", n=1)
    assert answer["ok"]
    await bela.turned(1)
    await asha.drop()
    await asha.reopen(pair[1].base)
    assert await asha.command("reveal", n=1) == answer
    await party.judge()


async def test_a_worker_is_killed_and_its_people_go_on_at_another(mortals: tuple[Worker, Worker], party: Party) -> None:
    asha, bela = await party.started(mortals[0].base, mortals[1].base)
    playing = asyncio.ensure_future(asha.play())
    half = asyncio.ensure_future(bela.play())
    await asha.until(lambda: asha.game["n"] >= 20)
    mortals[1].kill()
    with pytest.raises((LostError, AssertionError, TimeoutError)):
        await asyncio.wait_for(half, 15)
    await bela.drop()
    await bela.reopen(mortals[0].base)
    assert bela.model.you == 1
    assert asha.game["n"] >= 20
    await asyncio.gather(playing, bela.play())
    await party.judge(mortals[0].base)


async def test_an_embedded_server_is_killed_and_goes_on_from_the_last_reveal(floor: Floor, party: Party) -> None:
    worker = await floor.add(embedded=True, fsync="always")
    asha, bela = await party.started(worker.base, worker.base)
    halves = [asyncio.ensure_future(player.play()) for player in (asha, bela)]
    await asha.until(lambda: asha.game["n"] >= 15)
    worker.kill()
    for half in halves:
        with pytest.raises((LostError, AssertionError, TimeoutError)):
            await asyncio.wait_for(half, 15)
    seen = max(asha.game["n"], bela.game["n"])
    for player in (asha, bela):
        await player.drop()
    await worker.restart()
    for player in (asha, bela):
        await player.reopen()
    await asha.until(lambda: asha.game["n"] >= seen)
    assert asha.tape is not None
    assert not asha.tape.frames("snapshot"), "history went on: nothing to throw away"
    await asyncio.gather(asha.play(), bela.play())
    history = await party.judge(worker.base)
    assert len(history.of_type("dealt")) == 1


async def test_a_stopped_server_drains_and_comes_back(floor: Floor, party: Party) -> None:
    worker = await floor.add(embedded=True)
    asha, bela = await party.started(worker.base, worker.base)
    raw = await open_raw(party.way, worker.base, asha.table)
    stopping = asyncio.create_task(asyncio.to_thread(worker.stop))
    try:
        assert await raw.ended()
    finally:
        await raw.close()
    await stopping
    if isinstance(raw, RawSocket):
        assert raw.close_code == 1012
    assert any(json.loads(frame[2:]) == ["notice", {"code": "draining"}] for frame in raw.heard if frame[:2] == "42")
    for player in (asha, bela):
        await player.drop()
    await worker.restart()
    for player in (asha, bela):
        await player.reopen()
    await asyncio.gather(asha.play(), bela.play())
    await party.judge(worker.base)


async def test_two_servers_cannot_share_a_data_directory(floor: Floor, tmp_path: Path) -> None:
    first = await floor.add(embedded=True)
    second = Worker(tmp_path / "workers", None, "second")
    second.data = first.data
    second.start()
    try:
        assert await asyncio.to_thread(second.wait, 15) != 0
        assert str(first.data.name) in second.output()
        assert "Traceback" not in second.output()
    finally:
        second.stop()
    await first.ready()
