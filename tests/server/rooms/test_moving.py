"""A seat's way to another device: by the newest link, once, in time, and only for who may come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.protocol.commands import Claim, Leave, Move
from server.protocol.events import CameBack, HostChanged, Settings
from server.rooms import lobby, moving
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.record import KeyTaken, MoveOffered, Room
from tests.builders import TABLE, changed, context, decided, lobby_of, over, playing

TOKEN = "ab" * 16
NOW = 5_000_000


def asked(guest: str, token: str = TOKEN, now: int = NOW) -> Context:
    return replace(context(guest), fresh_id=token, now=now)


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
    assert after.seats[1] == replace(before, guest="phone", moving_until=0)
    assert (after.muted, after.maker, after.host) == (("phone",), "phone", room.host)
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
    assert moving.offered(room, NOW + 119_999)
    assert isinstance(claimed(room, "phone", now=NOW + 119_999), Decision)
    assert not moving.offered(room, NOW + 120_000)
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
    assert not moving.offered(alone, NOW)
    assert claimed(alone, "phone") == Refusal("stale_link")
