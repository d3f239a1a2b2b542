"""Lines and nudges carried out: their rates are the store's, and what was done is counted and done once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.ports import UncertainError
from server.protocol.commands import Mute, Nudge, Reveal, Say, Start
from server.protocol.replies import Accepted
from server.rooms import talking
from server.rooms.decision import Refusal
from server.rooms.live import Tempo
from server.store.launcher import Embedded
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Person, seated, turn
from tests.server.store.helpers import Proxy, until

TWO = Tempo(beat_ms=40, away_ms=60_000, says=2, nudge_ms=300)


def said(person: Person) -> list[str]:
    return [event.get("text") or event["phrase"] for event in person.ears.events() if event["type"] == "said"]


def rings(person: Person) -> int:
    return person.ears.all("notice").count({"code": "nudged"})


async def test_a_flood_is_one_guests_at_any_worker_and_connection(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(tempo=TWO), await worker_at(tempo=TWO)
    asha, bula = await seated(one, two, seats=2)
    assert await asha.do(Say(id="1", text="1")) == Accepted(seq=3)
    again = await two.join(asha.live.table, "asha")
    assert await again.do(Say(id="2", phrase="wow")) == Accepted(seq=4)
    assert await again.do(Say(id="3", text="3")) == Refusal("too_fast")
    back = await one.join(asha.live.table, "asha")
    assert await back.do(Say(id="3", text="3")) == Refusal("too_fast")
    # What was saved is answered as then; another guest has lines of their own.
    assert await back.do(Say(id="2", phrase="wow")) == Accepted(seq=4)
    assert await bula.do(Say(id="1", text="mine")) == Accepted(seq=5)
    await until(lambda: said(bula) == ["1", "wow", "mine"])
    for key in await admin.keys("a:says:*"):
        assert 0 < await admin.pttl(key) <= talking.SAYS_WINDOW_MS
        assert not any(secret.encode() in key for secret in ("asha", "bula", asha.live.table))


async def test_the_window_ends(worker_at: Open, admin: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "SAYS_WINDOW_MS", 200)
    asha, _ = await seated(await worker_at(tempo=TWO), seats=2)
    for n in ("1", "2"):
        await asha.do(Say(id=n, text=n))
    assert await asha.do(Say(id="3", text="3")) == Refusal("too_fast")
    await asyncio.sleep(0.21)
    assert await admin.keys("a:*") == []
    assert await asha.do(Say(id="3", text="3")) == Accepted(seq=5)


async def test_none_is_no_limit(worker_at: Open, admin: Redis) -> None:
    asha, bula = await seated(await worker_at(tempo=Tempo(says=0)), seats=2)
    for n in range(30):
        assert isinstance(await asha.do(Say(id=str(n), text=str(n))), Accepted)
    assert said(bula) == [str(n) for n in range(30)]
    assert await admin.keys("a:*") == []


async def test_a_line_is_said_once_though_the_answer_was_lost(
    worker_at: Open, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        worker = await worker_at(proxy.url, tempo=TWO)
        asha, bula = await seated(worker, seats=2)
        proxy.lose_replies = 1
        assert await asha.do(Say(id="1", text="once")) == Accepted(seq=3)
        assert proxy.lost == 1
        assert await asha.do(Say(id="1", text="once")) == Accepted(seq=3)
        # Counted once too.
        assert await asha.do(Say(id="2", text="twice")) == Accepted(seq=4)
        assert said(bula) == ["once", "twice"]
        await worker.close()


async def test_muting_at_another_worker_is_never_overtaken(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await two.store.unsubscribe(bula.live.table)  # so that it knows nothing of it
    assert await asha.do(Mute(id="m", seat=1, on=True)) == Accepted(seq=3)
    assert await bula.do(Say(id="1", text="still here")) == Refusal("muted")
    assert bula.ears.types()[-1] == "muted"
    assert said(asha) == []


async def test_a_nudge_rings_at_the_newest_connection_and_nowhere_else(worker_at: Open) -> None:
    one, two = await worker_at(tempo=TWO), await worker_at(tempo=TWO)
    asha, bula = await seated(one, two, seats=3)
    watcher = await two.join(asha.live.table, "w")
    await asha.do(Start(id="go"))
    newest = await two.join(asha.live.table, "asha")
    await until(lambda: asha.member.ended == "replaced" and bula.live.room.phase == "playing")
    seq = bula.live.gate.seq
    assert await bula.do(Nudge(id="n")) == Accepted()
    assert await bula.do(Nudge(id="n")) == Accepted(), "done once, answered the same"
    assert await bula.do(Nudge(id="o")) == Refusal("too_fast")
    assert await newest.do(Nudge(id="n")) == Refusal("not_there")
    await until(lambda: rings(newest) == 1)
    assert await newest.do(Reveal(n=1)) == Accepted(seq=seq + 1), "a nudge has no number"
    # Asked again after the turn has passed, it is still done.
    assert await bula.do(Nudge(id="n")) == Accepted()
    await asyncio.sleep(0.35)
    who, _ = await turn(newest, bula)
    other = newest if who is bula else bula
    assert await other.do(Nudge(id="p")) == Accepted()
    await until(lambda: rings(who) == (2 if who is newest else 1))
    assert (rings(asha), rings(watcher)) == (0, 0)


async def test_a_nudge_of_which_nobody_knows_is_uncertain(worker_at: Open, embedded: Embedded, tmp_path: Path) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        worker = await worker_at(proxy.url, tempo=TWO)
        asha, bula = await seated(worker, seats=2)
        await asha.do(Start(id="go"))
        proxy.silent = True
        with pytest.raises(UncertainError):
            await bula.do(Nudge(id="n"))
        proxy.silent = False
        assert await bula.do(Nudge(id="n")) == Accepted()
        await worker.close()


async def test_a_nudge_at_a_table_that_is_gone(worker_at: Open, admin: Redis) -> None:
    asha, bula = await seated(await worker_at(tempo=TWO), seats=2)
    await asha.do(Start(id="go"))
    await admin.delete(f"t:{{{asha.live.table}}}")
    assert await bula.do(Nudge(id="n")) == Refusal("no_table")
    assert bula.ears.all("notice") == [{"code": "expired"}]
