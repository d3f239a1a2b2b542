"""A seat's way to another device: by the newest link, once, in time, and only for who may come."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from server.protocol.commands import Auto, Claim, GiveNonce, Leave, Move, Mute, Remove, Rename, Reveal, Sit, Start
from server.protocol.events import CameBack, HostChanged, Muted, Settings
from server.protocol.replies import Accepted
from server.rooms import hosting, lobby, moving
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import KeyTaken, MoveOffered
from server.rooms.record import MOST_DEVICES, Room
from tests.builders import TABLE, changed, context, decided, lobby_of, over, playing
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import TEMPO, Ears, Person, Worker, seated
from tests.server.store.helpers import until

TOKEN = "ab" * 16
NOW = 5_000_000
_numbers = itertools.count()


def asked(guest: str, token: str = TOKEN, now: int = NOW) -> Context:
    return replace(context(guest), fresh_id=token, now=now)


def room_host(room: Room) -> str:
    assert room.host is not None
    seat = room.seats[room.host]
    assert seat is not None
    return seat.guest


def offering(room: Room, guest: str = "Bula", token: str = TOKEN) -> Room:
    return decided(room, moving.move(room, Move(id="m"), asked(guest, token)))


def claimed(room: Room, guest: str, token: str = TOKEN, now: int = NOW) -> Decision | Refusal:
    return moving.claim(room, Claim(id="c", token=token), asked(guest, now=now))


def test_a_link_is_a_path_with_the_token_in_its_fragment_and_the_state_has_no_token() -> None:
    room = lobby_of(2)
    decision = moving.move(room, Move(id="m"), asked("Bula"))
    assert isinstance(decision, Decision)
    assert decision.url == f"/t/{TABLE}#seat={TOKEN}"
    (offer,) = decision.facts
    assert isinstance(offer, MoveOffered)
    assert (offer.seat, offer.until) == (1, NOW + 120_000)
    assert TOKEN not in repr(decided(room, decision))
    assert moving.move(room, Move(id="m"), asked("nobody")) == Refusal("not_seated")


@pytest.mark.parametrize("room", [lobby_of(2), playing(2), over(2)])
def test_whoever_opens_it_has_the_seat_and_what_belongs_to_it(room: Room) -> None:
    room = replace(changed(offering(room), 1, nonce="1" * 32), muted=("Bula",), maker="Bula")
    decision = claimed(room, "phone")
    assert decision == Decision((KeyTaken(1, "phone"),), seat=1, freed=("Bula",))
    after = decided(room, decision)
    before = room.seats[1]
    assert before is not None
    assert after.seats[1] == replace(before, guest="phone", moving_until=0, before=("Bula",))
    # The old device, should it sit down anew, may say as little as the new one.
    assert (after.muted, after.maker, after.host) == (("Bula", "phone"), "phone", room.host)
    assert moving.moved_on(room, after) == {"Bula"}
    assert moving.moved_on(room, room) == frozenset()


def test_a_link_is_used_once_and_its_user_may_open_it_again() -> None:
    room = offering(lobby_of(2))
    after = decided(room, claimed(room, "phone"))
    assert claimed(after, "phone") == Decision(seat=1)
    assert claimed(after, "another") == Refusal("stale_link")
    assert claimed(after, "Bula") == Refusal("stale_link")


def test_a_link_is_good_for_two_minutes() -> None:
    room = offering(lobby_of(2))
    assert moving.opens(room, TOKEN, NOW + 119_999)
    assert isinstance(claimed(room, "phone", now=NOW + 119_999), Decision)
    assert not moving.opens(room, TOKEN, NOW + 120_000)
    assert claimed(room, "phone", now=NOW + 120_000) == Refusal("stale_link")


def test_the_newest_link_counts() -> None:
    room = offering(offering(lobby_of(2)), token="cd" * 16)
    assert claimed(room, "phone") == Refusal("stale_link")
    assert isinstance(claimed(room, "phone", token="cd" * 16), Decision)


def test_who_may_not_come_by_a_link() -> None:
    room = offering(lobby_of(3))
    assert claimed(room, "") == Refusal("no_cookie")
    assert claimed(room, "Chitra") == Refusal("not_allowed")
    assert claimed(room, "Bula") == Decision(seat=1)
    assert claimed(replace(room, removed=("phone",)), "phone") == Refusal("removed")
    assert claimed(room, "phone", token="made up") == Refusal("stale_link")
    assert claimed(lobby_of(2), "phone") == Refusal("stale_link")


def test_a_link_from_before_its_person_was_removed_lets_nobody_in() -> None:
    room = changed(replace(offering(playing(3)), removed=("Bula",)), 1, left=True)
    assert claimed(room, "phone") == Refusal("stale_link")


def test_who_is_removed_is_removed_with_every_device_the_seat_moved_from() -> None:
    room = decided(offering(lobby_of(3)), claimed(offering(lobby_of(3)), "phone"))
    room = decided(offering(room, "phone"), claimed(offering(room, "phone"), "tablet"))
    for number, out in ((1, ("Bula", "phone", "tablet")), (2, ("Chitra",))):
        removed = decided(room, hosting.remove(room, Remove(id="r", seat=number), context(room_host(room))))
        assert removed.removed == out
    # A device that has a seat of its own by now is a person of its own.
    room = decided(room, lobby.leave(room, Leave(id="l"), context("Chitra")))
    room = decided(room, lobby.sit(room, Sit(id="s"), context("Bula")))
    removed = decided(room, hosting.remove(room, Remove(id="r", seat=1), context(room_host(room))))
    assert removed.removed == ("phone", "tablet")
    assert removed.seated("Bula") == 2


def devices_before(room: Room) -> tuple[str, ...]:
    seat = room.seats[1]
    assert seat is not None
    return seat.before


def test_a_seat_goes_to_and_fro_and_remembers_few_devices() -> None:
    room = lobby_of(2)
    for old, new in (("Bula", "phone"), ("phone", "Bula")) * 5:
        room = decided(offering(room, old), claimed(offering(room, old), new))
    assert devices_before(room) == ("phone",)
    old = "Bula"
    for number in range(30):
        room = decided(offering(room, old), claimed(offering(room, old), f"device {number}"))
        old = f"device {number}"
    assert len(devices_before(room)) == MOST_DEVICES


def test_neither_moving_nor_sitting_down_anew_unmutes() -> None:
    room = lobby_of(3)
    room = decided(room, hosting.mute(room, Mute(id="m", seat=1, on=True), context(room_host(room))))
    room = decided(offering(room), claimed(offering(room), "phone"))
    left = decided(room, lobby.leave(room, Leave(id="l"), context("Chitra")))
    again = lobby.sit(left, Sit(id="s"), context("Bula"))
    assert isinstance(again, Decision)
    assert Muted(2, on=True) in again.facts
    # Who was muted and comes by somebody's link is muted there, and everybody is told.
    offered = offering(left, room_host(left))
    decision = claimed(offered, "Bula")
    assert isinstance(decision, Decision)
    assert Muted(0, on=True) in decision.facts
    # To unmute the person is to unmute the person.
    free = decided(room, hosting.mute(room, Mute(id="m", seat=1, on=False), context(room_host(room))))
    assert free.muted == ()


def test_a_claim_brings_the_seat_back() -> None:
    away = changed(offering(playing(3)), 1, away=True)
    assert claimed(away, "phone") == Decision((KeyTaken(1, "phone"), CameBack(1)), seat=1, freed=("Bula",))
    left = changed(offering(playing(3)), 1, left=True)
    after = decided(left, claimed(left, "phone"))
    assert after.seated("phone") == 1
    own = decided(left, claimed(left, "Bula"))
    assert own.seated("Bula") == 1


def test_the_first_one_back_by_a_link_is_host_where_the_host_had_left_too() -> None:
    room = offering(playing(2))
    for guest in ("Bula", "Asha"):
        room = decided(room, lobby.leave(room, Leave(id="l"), context(guest)))
    decision = claimed(room, "phone")
    assert isinstance(decision, Decision)
    assert HostChanged(1) in decision.facts


def test_a_free_seat_and_a_computers_are_nobodys_to_move() -> None:
    alone = lobby_of(1, Settings(kind="computers", seats=2, computers=1))
    assert not moving.opens(alone, "", NOW)
    assert claimed(alone, "phone") == Refusal("stale_link")


# --- over the real store, at several workers


async def link(person: Person) -> str:
    """Ask for a link; return its token."""
    answer = await person.do(Move(id=f"m{next(_numbers)}"))
    assert isinstance(answer, Accepted)
    assert answer.url is not None
    path, token = answer.url.split("#seat=")
    assert path == f"/t/{person.live.table}"
    return token


async def test_a_seat_moves_and_the_old_device_watches(worker_at: Open, admin: Redis) -> None:
    one, two, three = await worker_at(), await worker_at(), await worker_at()
    asha, bula = await seated(one, seats=2)
    await asha.do(Start(id="go"))
    other = await three.join(asha.live.table, "watcher")
    assert isinstance(await bula.do(Auto(on=True)), Accepted)
    token = await link(bula)
    phone = await two.join(asha.live.table, "phone")
    answer = await phone.do(Claim(id="c", token=token))
    assert answer == Accepted(seq=phone.live.gate.seq, seat=1)
    assert phone.ears.all("you")[-1] == {"seat": 1, "host": False, "watching": False}
    assert phone.ears.events() == []  # the batch has no events
    await until(lambda: bula.ears.all("you")[-1] == {"seat": None, "host": False, "watching": True})
    assert (bula.member.auto, bula.member.generation, bula.member.ended) == (False, 0, None)
    assert await bula.do(Rename(id="r", name="B")) == Refusal("not_seated")
    assert phone.member.generation > 0
    assert set(await admin.hkeys(f"t:{{{asha.live.table}}}:p")) == {b"asha", b"phone"}
    await until(lambda: other.live.gate.seq == phone.live.gate.seq)
    await other.live.beat()
    assert other.live.absence.absent() == ()
    # Sent again, it is answered the same; opened again, nothing changes; another comes too late.
    seq = phone.live.gate.seq
    assert await phone.do(Claim(id="c", token=token)) == answer
    assert await phone.do(Claim(id="again", token=token)) == Accepted(seat=1)
    assert await other.do(Claim(id="c", token=token)) == Refusal("stale_link")
    assert phone.live.gate.seq == seq
    assert not await admin.hexists(f"t:{{{asha.live.table}}}:p", "watcher")
    # The old device is gone, and nobody is away for it.
    await bula.leave()
    await asyncio.sleep(2 * TEMPO.away_ms / 1000)
    assert "away" not in asha.ears.types()


async def test_the_same_answer_comes_to_the_same_move(worker: Worker) -> None:
    _asha, bula = await seated(worker, seats=2)
    first = await bula.do(Move(id="m"))
    assert await bula.do(Move(id="m")) == first
    assert await bula.do(Move(id="n")) != first


async def test_two_who_open_one_link_at_once_do_not_both_have_the_seat(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, seats=2)
    for round_ in range(5):
        holder = next(p for p in (asha, bula) if p.live.room.seated(p.member.guest) is not None)
        token = await link(holder)
        phone = await one.join(asha.live.table, f"phone{round_}")
        tablet = await two.join(asha.live.table, f"tablet{round_}")
        answers = await asyncio.gather(phone.do(Claim(id="c", token=token)), tablet.do(Claim(id="c", token=token)))
        assert sorted(isinstance(answer, Accepted) for answer in answers) == [False, True]
        assert Refusal("stale_link") in answers
        won = phone if isinstance(answers[0], Accepted) else tablet
        lost = tablet if won is phone else phone
        await until(lambda won=won, lost=lost: won.live.gate.seq == lost.live.gate.seq)  # type: ignore[misc]
        assert (won.ears.all("you")[-1]["seat"], lost.ears.all("you")[-1]["seat"]) == (0, None)
        assert lost.member.generation == 0
        assert set(await admin.hkeys(f"t:{{{asha.live.table}}}:p")) == {b"bula", won.member.guest.encode()}
        asha = won


async def test_two_tabs_of_one_guest_open_a_link_and_the_newer_has_the_seat(worker: Worker, admin: Redis) -> None:
    asha, bula = await seated(worker, seats=2)
    token = await link(bula)
    tabs = [await worker.join(asha.live.table, "phone") for _ in range(2)]
    answers = await asyncio.gather(*(tab.do(Claim(id=f"c{n}", token=token)) for n, tab in enumerate(tabs)))
    assert isinstance(answers[0], Accepted)
    assert answers[0].seat == 1
    assert await admin.hexists(f"t:{{{asha.live.table}}}:p", "phone")
    assert sorted(tab.member.ended or "" for tab in tabs) == ["", "replaced"]


async def test_a_claim_brings_back_who_is_away(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.do(Start(id="go"))
    token = await link(bula)
    await bula.leave()
    await until(lambda: "away" in asha.ears.types())
    phone = await worker.join(asha.live.table, "phone")
    assert isinstance(await phone.do(Claim(id="c", token=token)), Accepted)
    assert phone.ears.types()[-1] == "back"
    assert not phone.live.absence.absent()
    late = await worker.join(asha.live.table, "bula")
    assert late.ears.all("you")[-1]["seat"] is None


async def test_where_nobody_may_watch_a_link_lets_its_user_in_and_the_old_device_out(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2, watchers=False)
    await asha.do(Start(id="go"))
    assert await one.refused(asha.live.table, "phone") == Refusal("closed")
    token = await link(bula)
    await until(lambda: asha.live.gate.seq == bula.live.gate.seq)
    for wrong in ("", "another"):
        refusal = await one.rooms.enter(asha.live.table, Ears("stranger"), None, "en", wrong)
        assert refusal == Refusal("closed")
    phone = await one.join(asha.live.table, "phone", token=token)
    idler = await one.join(asha.live.table, "idler", token=token)
    assert isinstance(await phone.do(Claim(id="c", token=token)), Accepted)
    await until(lambda: bula.ears.all("notice") == [{"code": "closed"}])
    assert await bula.do(Rename(id="r", name="B")) == Refusal("closed")
    assert await one.refused(asha.live.table, "bula") == Refusal("closed")
    await asha.live.beat()
    assert idler.ears.all("notice") == [{"code": "closed"}]
    assert phone.member.ended is None


async def test_who_came_by_a_link_that_ran_out_is_shown_out_in_any_phase(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2, watchers=False)
    idler = await worker.join(asha.live.table, "idler", token=await link(bula))
    await link(bula)  # The newest counts.
    await asha.live.beat()
    assert idler.ears.all("notice") == [{"code": "closed"}]


async def test_a_refused_claim_leaves_nobody_present(worker: Worker, admin: Redis) -> None:
    asha, _bula = await seated(worker, seats=2)
    phone = await worker.join(asha.live.table, "phone")
    assert await phone.do(Claim(id="c", token="made-up")) == Refusal("stale_link")
    nobody = await worker.join(asha.live.table, "")
    assert await nobody.do(Claim(id="c", token="made-up")) == Refusal("no_cookie")
    assert phone.member.generation == 0
    assert set(await admin.hkeys(f"t:{{{asha.live.table}}}:p")) == {b"asha", b"bula"}


async def test_a_moved_seat_plays_on_from_its_new_device(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await bula.do(GiveNonce(id="n", nonce="7" * 32))
    token = await link(bula)
    phone = await worker.join(asha.live.table, "phone")
    await phone.do(Claim(id="c", token=token))
    await asha.do(Start(id="go"))
    dealt = next(event for event in asha.ears.events() if event["type"] == "dealt")
    assert dealt["nonces"][1] == "7" * 32
    while asha.live.room.turn == 0:
        assert asha.live.room.game is not None
        await asha.do(Reveal(n=asha.live.room.game.reveals + 1))
    assert asha.live.room.game is not None
    n = asha.live.room.game.reveals + 1
    assert isinstance(await phone.do(Reveal(n=n)), Accepted)
    assert await bula.do(Reveal(n=n)) == Refusal("not_seated")
    # One that the seat made is answered ok again, from the new device too.
    second = await link(phone)
    tablet = await worker.join(asha.live.table, "tablet")
    await tablet.do(Claim(id="c", token=second))
    assert await tablet.do(Reveal(n=n)) == Accepted()


def test_one_who_was_muted_stays_so_in_a_claimed_seat_and_everybody_is_told() -> None:
    room = replace(offering(lobby_of(2)), muted=("phone",))
    decision = claimed(room, "phone")
    assert isinstance(decision, Decision)
    assert decision.facts == (KeyTaken(1, "phone"), Muted(1, on=True))
    assert decided(room, decision).muted == ("Bula", "phone"), "by whichever of its devices"
    # Where the seat was muted already there is nothing to tell.
    assert claimed(replace(room, muted=("phone", "Bula")), "phone") == Decision(
        (KeyTaken(1, "phone"),), seat=1, freed=("Bula",)
    )
