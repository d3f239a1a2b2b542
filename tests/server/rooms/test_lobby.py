"""Sitting down, leaving, naming, mixing nonces, starting: decisions and what they change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.events import Dealt
from server.protocol.commands import GiveNonce, Leave, Ready, Rename, Sit, Start
from server.protocol.events import CameBack, HostChanged, Left, Moved, Readied, Renamed, Seated, Settings
from server.rooms import lobby
from server.rooms.decision import Decision, Refusal
from server.rooms.facts import public
from server.rooms.names import FRIENDLY, BadNameError
from server.rooms.record import ZERO_NONCE, Room, applied
from tests.builders import TABLE, changed, context, decided, lobby_of, over, playing


def test_the_maker_is_host_at_seat_0_and_computers_sit_behind() -> None:
    settings = Settings(kind="computers", seats=4, computers=3)
    room, facts = lobby.open_table(TABLE, settings, "Asha", context("Asha"))
    assert [(n, s.name, s.kind) for n, s in room.taken()] == [
        (0, "Asha", "person"),
        (1, "computer-1", "computer"),
        (2, "computer-2", "computer"),
        (3, "computer-3", "computer"),
    ]
    assert (room.host, room.phase, room.number) == (0, "lobby", 1)
    assert [event.type for event in public(facts)][:2] == ["opened", "committed"]


def test_a_maker_with_a_bad_name_makes_nothing() -> None:
    with pytest.raises(BadNameError):
        lobby.open_table(TABLE, Settings(), "\u202egnp.exe", context("Asha"))


def test_sitting_takes_the_lowest_free_seat_unless_asked() -> None:
    room = lobby_of(1, Settings(seats=4))
    asked = lobby.sit(room, Sit(id="1", name="Bula", seat=2), context("Bula"))
    assert isinstance(asked, Decision)
    assert asked.seat == 2
    lowest = lobby.sit(applied(room, asked.facts), Sit(id="2", name="Chitra"), context("Chitra"))
    assert isinstance(lowest, Decision)
    assert (lowest.seat, public(lowest.facts)) == (1, (Seated(1, "Chitra", "person"),))


@pytest.mark.parametrize(
    ("room", "guest", "command", "code"),
    [
        (lobby_of(2), "Chitra", Sit(id="1"), "full"),
        (lobby_of(1, Settings(seats=4)), "Bula", Sit(id="1", seat=0), "full"),
        (lobby_of(1, Settings(seats=4)), "Bula", Sit(id="1", seat=7), "full"),
        (lobby_of(1, Settings(locked=True)), "Bula", Sit(id="1"), "locked"),
        (playing(2, Settings(seats=4)), "Chitra", Sit(id="1"), "already_started"),
        (lobby_of(1), "", Sit(id="1"), "no_cookie"),
        (lobby_of(1, Settings(seats=4)), "Bula", Sit(id="1", name="a" * 25), "bad_name"),
        (lobby_of(1, Settings(seats=4)), "Bula", Sit(id="1", name="\u3164"), "bad_name"),
    ],
)
def test_a_seat_is_refused_with_its_reason(room: Room, guest: str, command: Sit, code: str) -> None:
    refusal = lobby.sit(room, command, context(guest))
    assert isinstance(refusal, Refusal)
    assert refusal.code == code


def test_one_who_is_seated_is_told_where() -> None:
    room = playing(2)
    assert lobby.sit(room, Sit(id="1"), context("Bula")) == Decision(seat=1)


def test_sitting_down_again_after_a_game_is_being_ready() -> None:
    room = over(2)
    decision = lobby.sit(room, Sit(id="1"), context("Bula"))
    assert decision == Decision((Readied(1),), seat=1)
    assert lobby.sit(decided(room, decision), Sit(id="2"), context("Bula")) == Decision(seat=1)


def test_a_blank_name_becomes_a_friendly_one_that_nobody_holds() -> None:
    room = lobby_of(1, Settings(seats=4))
    first = lobby.sit(room, Sit(id="1", name="  "), context("Bula"))
    assert isinstance(first, Decision)
    room = applied(room, first.facts)
    second = lobby.sit(room, Sit(id="2"), context("Chitra"))
    assert isinstance(second, Decision)
    names = [seat.name for _, seat in applied(room, second.facts).taken()]
    assert names[1] in FRIENDLY["en"]
    assert names[2] in FRIENDLY["en"]
    assert names[1] != names[2]


def test_leaving_the_lobby_frees_the_seat_and_hands_on_at_once() -> None:
    room = lobby_of(3, Settings(seats=4))
    decision = lobby.leave(room, Leave(id="1"), context("Asha", (0, 2)))
    assert isinstance(decision, Decision)
    assert public(decision.facts) == (HostChanged(2), Left(0, "left"))
    assert decision.freed == ("Asha",)
    after = applied(room, decision.facts)
    assert (after.host, after.seat_of("Asha")) == (2, None)


def test_the_last_to_leave_leaves_no_host_and_the_next_to_sit_is_host() -> None:
    room = decided(lobby_of(1), lobby.leave(lobby_of(1), Leave(id="1"), context("Asha", (0,))))
    assert room.host is None
    decision = lobby.sit(room, Sit(id="2", name="Bula"), context("Bula"))
    assert isinstance(decision, Decision)
    assert public(decision.facts) == (Seated(0, "Bula", "person"), HostChanged(0))


def test_leaving_during_a_game_keeps_place_name_and_cards_and_one_may_come_back() -> None:
    room = playing(3)
    left = decided(room, lobby.leave(room, Leave(id="1"), context("Bula", (0, 1, 2))))
    seat = left.seats[1]
    assert seat is not None
    assert (seat.name, seat.left, left.game) == ("Bula", True, room.game)
    assert lobby.leave(left, Leave(id="2"), context("Bula")) == Refusal("not_seated")
    back = lobby.sit(left, Sit(id="3"), context("Bula"))
    assert back == Decision((CameBack(1),), seat=1)
    assert decided(left, back).seated("Bula") == 1


def test_a_seat_left_during_the_game_is_free_when_it_ends() -> None:
    room = playing(3)
    room = decided(room, lobby.leave(room, Leave(id="1"), context("Bula", (0, 1, 2))))
    from server.rooms import play

    while room.phase == "playing":
        decision = play.turned(room, "self", context(word="second"))
        room = applied(room, decision.facts)
    assert Left(1, "left") in decision.facts
    assert decision.freed == ("Bula",)
    assert room.seats[1] is None


def test_renaming() -> None:
    room = lobby_of(2)
    assert lobby.rename(room, Rename(id="1", name=" Bula  Di "), context("Bula")) == Decision((Renamed(1, "Bula Di"),))
    assert lobby.rename(room, Rename(id="1", name="a\u202eb"), context("Bula")) == Refusal("bad_name", field="name")
    assert lobby.rename(room, Rename(id="1", name="x"), context("nobody")) == Refusal("not_seated")


def test_the_newest_nonce_counts_and_reaches_the_deal() -> None:
    room = lobby_of(2)
    for nonce in ("ab" * 16, "cd" * 16):
        room = decided(room, lobby.nonce(room, GiveNonce(id=nonce, nonce=nonce), context("Bula")))
    decision = lobby.start(room, Start(id="1"), context("Asha", (0, 1)))
    assert isinstance(decision, Decision)
    dealt = next(fact for fact in decision.facts if isinstance(fact, Dealt))
    assert dealt.nonces == (ZERO_NONCE, "cd" * 16)
    assert dealt.commitment == room.commitment
    after = applied(room, decision.facts)
    assert lobby.nonce(after, GiveNonce(id="2", nonce="00" * 16), context("Bula")) == Refusal("already_started")


def test_only_the_host_starts_and_not_alone() -> None:
    assert lobby.start(lobby_of(2), Start(id="1"), context("Bula", (0, 1))) == Refusal("not_host")
    assert lobby.start(lobby_of(1), Start(id="1"), context("Asha", (0,))) == Refusal("need_two")
    assert lobby.start(playing(2), Start(id="1"), context("Asha", (0, 1))) == Refusal("already_started")


def test_starting_short_handed_closes_the_empty_seats_up() -> None:
    room = lobby_of(1, Settings(seats=4))
    for guest, seat in (("Bula", 1), ("Chitra", 3)):
        room = decided(room, lobby.sit(room, Sit(id=guest, name=guest, seat=seat), context(guest)))
    room = decided(room, lobby.leave(room, Leave(id="x"), context("Asha", (0, 1, 3))))
    assert room.host == 1
    decision = lobby.start(room, Start(id="1"), context("Bula", (1, 3)))
    assert isinstance(decision, Decision)
    assert [event.type for event in public(decision.facts)] == ["moved", "dealt"]
    assert Moved((1, 3)) in decision.facts
    after = applied(room, decision.facts)
    assert (after.host, after.seat_of("Bula"), after.seat_of("Chitra"), len(after.seats)) == (0, 0, 1, 4)


def test_another_game_waits_for_the_present_and_frees_the_absent() -> None:
    room = over(3)
    assert lobby.start(room, Start(id="1"), context("Asha", (0, 1))) == Refusal("not_ready", seats=(1,))
    readied = lobby.ready(room, Ready(id="2"), context("Bula"))
    assert readied == Decision((Readied(1),))
    room = decided(room, readied)
    assert lobby.ready(room, Ready(id="3"), context("Bula")) == Decision()
    decision = lobby.start(room, Start(id="4"), context("Asha", (0, 1)))
    assert isinstance(decision, Decision)
    assert Left(2, "not_ready") in decision.facts
    assert decision.freed == ("Chitra",)
    after = applied(room, decision.facts)
    assert (after.phase, after.number, after.dealt) == ("playing", 2, (("Asha", "person"), ("Bula", "person")))
    assert not any(seat.ready for _, seat in after.taken())


def test_ready_belongs_between_games() -> None:
    assert lobby.ready(lobby_of(2), Ready(id="1"), context("Bula")) == Refusal("not_started")
    assert lobby.ready(playing(2), Ready(id="1"), context("Bula")) == Refusal("already_started")
    assert lobby.ready(over(2), Ready(id="1"), context("nobody")) == Refusal("not_seated")


def test_one_who_sits_down_after_a_game_is_ready() -> None:
    room = over(2, Settings(seats=3))
    after = decided(room, lobby.sit(room, Sit(id="1", name="Chitra"), context("Chitra")))
    assert after.seats[2] == replace(changed(after, 2).seats[2], ready=True)  # type: ignore[type-var]
