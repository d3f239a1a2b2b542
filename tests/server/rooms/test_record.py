"""`apply` is the only place where a room changes, and changes it by facts alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import shuffle
from engine.events import Captured, Revealed
from server.protocol.commands import Leave, Sit
from server.protocol.events import (
    CameBack,
    HostChanged,
    Left,
    Moved,
    Readied,
    Renamed,
    Seated,
    Settings,
    Unsaid,
    WentAway,
)
from server.rooms import lobby
from server.rooms.decision import Decision
from server.rooms.facts import Fact, KeyTaken, NonceGiven, SeedDrawn, committed
from server.rooms.play import turned
from server.rooms.record import Room, applied, apply, opening
from tests.builders import NAMES, TABLE, changed, context, lobby_of, over, playing, seed


def test_an_opened_table_is_empty() -> None:
    from server.protocol.events import Opened

    room = opening(Opened(Settings(seats=3), 0), TABLE)
    assert (room.seats, room.host, room.number, room.phase) == ((None,) * 3, 0, 1, "lobby")


def test_phases() -> None:
    assert [room.phase for room in (lobby_of(2), playing(2), over(2))] == ["lobby", "playing", "over"]
    assert (lobby_of(2).turn, over(2).turn) == (None, None)
    assert playing(2).turn is not None


@pytest.mark.parametrize(
    ("fact", "field", "value"),
    [
        (Renamed(1, "Bulbul"), "name", "Bulbul"),
        (KeyTaken(1, "hash"), "guest", "hash"),
        (NonceGiven(1, "ab"), "nonce", "ab"),
        (WentAway(1), "away", True),
        (Readied(1), "ready", True),
    ],
)
def test_a_fact_of_one_seat_changes_that_alone(fact: Fact, field: str, value: object) -> None:
    before = lobby_of(3)
    after = apply(before, fact)
    assert getattr(after.seats[1], field) == value
    assert (after.seats[0], after.seats[2]) == (before.seats[0], before.seats[2])
    assert replace(after, seats=before.seats) == before


def test_one_who_comes_back_is_neither_away_nor_gone() -> None:
    room = apply(changed(playing(2), 1, away=True, left=True), CameBack(1))
    assert room.seats[1] is not None
    assert (room.seats[1].away, room.seats[1].left) == (False, False)


def test_leaving_frees_a_seat_between_games_and_keeps_it_during_one() -> None:
    assert apply(lobby_of(3), Left(1, "left")).seats[1] is None
    stayed = apply(playing(3), Left(1, "left")).seats[1]
    assert stayed is not None
    assert stayed.left
    assert stayed.name == NAMES[1]


def test_a_host_who_frees_the_seat_is_host_no_more() -> None:
    assert apply(lobby_of(2), Left(0, "left")).host is None
    assert apply(apply(lobby_of(2), HostChanged(1)), Left(0, "left")).host == 1


def test_empty_seats_close_up_and_the_host_moves_along() -> None:
    room = apply(apply(lobby_of(3, Settings(seats=4)), HostChanged(2)), Left(1, "left"))
    moved = apply(room, Moved((0, 2)))
    assert [seat and seat.name for seat in moved.seats] == ["Asha", "Chitra", None, None]
    assert moved.host == 1
    assert moved.seat_of(NAMES[2]) == 1


def test_who_sits_down_between_games_is_ready_and_counted() -> None:
    room = over(2, Settings(seats=3))
    after = apply(room, Seated(2, "Chitra", "person"))
    assert after.seats[2] is not None
    assert after.seats[2].ready
    assert after.visits == room.visits + 1
    assert apply(room, Seated(2, "computer-2", "computer")).visits == room.visits


def test_a_new_seed_forgets_the_nonces() -> None:
    room = apply(apply(lobby_of(2), NonceGiven(1, "ab" * 16)), SeedDrawn(2, seed("x")))
    assert [seat and seat.nonce for seat in room.seats] == ["", ""]
    assert (room.number, room.seed) == (2, seed("x"))
    assert room.commitment == shuffle.commitment(seed("x")) == committed(SeedDrawn(2, seed("x"))).commitment


def test_a_deal_remembers_who_played_and_makes_nobody_ready() -> None:
    room = playing(3)
    assert room.dealt == tuple((name, "person") for name in NAMES[:3])
    assert not any(seat and seat.ready for seat in room.seats)
    assert room.last == ()


def test_the_newest_reveals_batch_is_kept_and_the_next_one_replaces_it() -> None:
    room = playing(2)
    for n in range(1, 30):
        room = applied(room, turned(room, "self", context()).facts)
        assert isinstance(room.last[0], Revealed) or isinstance(room.last[1], Revealed)
        assert [event.n for event in room.last if isinstance(event, Revealed)] == [n]
        assert sum(isinstance(event, Captured) for event in room.last) <= 1


def test_a_fact_that_is_no_business_of_the_state_changes_nothing() -> None:
    assert apply(lobby_of(2), Unsaid("a line")) == lobby_of(2)


def test_a_watcher_has_no_seat_also_without_a_cookie() -> None:
    room = apply(lobby_of(2), Seated(1, "computer-1", "computer"))
    assert room.seat_of("") is None
    assert room.seated("") is None
    left = changed(playing(2), 1, left=True)
    assert (left.seat_of(NAMES[1]), left.seated(NAMES[1])) == (1, None)
    assert room.players() == left.players() == frozenset({NAMES[0]})


@given(st.lists(st.tuples(st.sampled_from(NAMES[:6]), st.booleans()), max_size=20))
def test_coming_and_going_in_any_order_seats_each_once(steps: list[tuple[str, bool]]) -> None:
    room = lobby_of(1, Settings(seats=4))
    for name, comes in steps:
        command = Sit(id="s", name=name) if comes else Leave(id="l")
        decide = lobby.sit if comes else lobby.leave
        answer = decide(room, command, context(name))  # type: ignore[arg-type]  # each with its own
        if isinstance(answer, Decision):
            room = applied(room, answer.facts)
        guests = [seat.guest for _, seat in room.taken()]
        assert len(guests) == len(set(guests))
        assert room.host is None or room.seats[room.host] is not None
        assert (room.host is None) == (not guests)
        assert isinstance(room, Room)
