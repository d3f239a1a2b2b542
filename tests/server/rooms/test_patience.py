"""Turning for the idle, hurrying, pausing, another host: who may, when, and that a table never stands still."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Revealed
from server.ports import Presence
from server.protocol.commands import Hurry, Leave, Pause, Reveal, Sit, Stop, TurnFor
from server.protocol.events import CameBack, HostChanged, Hurried, Paused, Settings, WentAway
from server.rooms import lobby, patience, play
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.presence import going_away, present_seats
from server.rooms.record import Room, applied
from tests.builders import changed, context, decided, lobby_of, over, playing

ALONE = Settings(kind="computers", seats=2, computers=1)


def asked(guest: str, present: tuple[int, ...] = (0, 1, 2), idle: int = 60_000) -> Context:
    """Return a context in which the coming card has lain for `idle` ms."""
    return replace(context(guest, present), now=1_000_000 + idle, idle_since=1_000_000)


def hurried(room: Room, *guests: str, present: tuple[int, ...] = (0, 1, 2)) -> Room:
    for guest in guests:
        room = decided(room, patience.hurry(room, Hurry(id=f"h-{guest}", on=True), context(guest, present)))
    return room


# --- turn


def test_the_host_turns_a_card_for_one_who_lets_it_lie() -> None:
    room = replace(playing(3), host=1)
    decision = patience.turn(room, TurnFor(id="t", n=1), asked("Bula"))
    assert isinstance(decision, Decision)
    revealed = next(fact for fact in decision.facts if isinstance(fact, Revealed))
    assert (revealed.n, revealed.seat, revealed.by) == (1, 0, "host")


@pytest.mark.parametrize(
    ("room", "guest", "n", "code"),
    [
        (playing(3), "Bula", 1, "not_host"),
        (playing(3), "nobody", 1, "not_host"),
        (lobby_of(3), "Asha", 1, "not_started"),
        (over(3), "Asha", 1, "over"),
        (over(3), "Bula", 1, "not_host"),
        (playing(3), "Asha", 2, "turning"),
    ],
)
def test_a_turn_is_refused_with_its_reason(room: Room, guest: str, n: int, code: str) -> None:
    assert patience.turn(room, TurnFor(id="t", n=n), asked(guest)) == Refusal(code)  # type: ignore[arg-type]


def test_nobody_is_turned_for_who_is_not_idle_not_there_or_turned_for_anyway() -> None:
    room, command = playing(3), TurnFor(id="t", n=1)
    refused = Refusal("not_your_turn")
    assert patience.turn(room, command, asked("Asha", idle=59_999)) == refused
    assert patience.turn(room, command, asked("Asha", present=(1, 2))) == refused
    assert patience.turn(changed(room, 0, away=True), command, asked("Asha")) == refused
    alone = playing(1, ALONE)
    while alone.turn == 0:
        alone = applied(alone, play.turned(alone, "self", context()).facts)
    assert alone.game is not None
    assert patience.turn(alone, TurnFor(id="t", n=alone.game.reveals + 1), asked("Asha", (0, 1))) == refused


def test_a_reveal_made_meanwhile_is_not_made_again() -> None:
    room = playing(3)
    after = decided(room, play.reveal(room, Reveal(n=1), context("Asha")))
    assert patience.turn(after, TurnFor(id="t", n=1), asked("Asha")) == Refusal("turning")


# --- hurry


def test_all_who_are_present_must_wish_it() -> None:
    room = playing(3)
    first = patience.hurry(room, Hurry(id="1", on=True), context("Bula", (0, 1)))
    assert first == Decision((Hurried((1,), False),))
    room = decided(room, first)
    second = patience.hurry(room, Hurry(id="2", on=True), context("Asha", (0, 1)))
    assert second == Decision((Hurried((0, 1), True),))
    room = decided(room, second)
    assert patience.hurry(room, Hurry(id="3", on=True), context("Asha", (0, 1))) == Decision()
    assert (play.turner(room), play.wait_ms(room, 1000)) == ("auto", 100)
    no_more = patience.hurry(room, Hurry(id="4", on=False), context("Bula", (0, 1)))
    assert no_more == Decision((Hurried((0,), False),))
    assert play.turner(decided(room, no_more)) is None


def test_one_whose_arrival_is_not_known_yet_counts_all_the_same() -> None:
    assert patience.hurry(playing(2), Hurry(id="1", on=True), context("Asha")) == Decision((Hurried((0,), True),))


@pytest.mark.parametrize(
    ("room", "guest", "code"),
    [(playing(2), "nobody", "not_seated"), (lobby_of(2), "Asha", "not_started"), (over(2), "Asha", "over")],
)
def test_a_hurry_is_refused_with_its_reason(room: Room, guest: str, code: str) -> None:
    assert patience.hurry(room, Hurry(id="h", on=True), context(guest)) == Refusal(code)  # type: ignore[arg-type]


def test_hurrying_goes_by_who_is_present_now() -> None:
    room = hurried(playing(3), "Asha", "Bula")
    assert not room.hurried
    assert patience.hurrying(room, frozenset({0, 1, 2})) == Decision()
    on = patience.hurrying(room, frozenset({0, 1}))
    assert on == Decision((Hurried((0, 1), True),))
    room = decided(room, on)
    assert patience.hurrying(room, frozenset({0, 1})) == Decision()
    assert patience.hurrying(room, frozenset()) == Decision()
    assert patience.hurrying(room, frozenset({0, 1, 2})) == Decision((Hurried((0, 1), False),))


def test_one_who_left_wishes_nothing_any_more() -> None:
    room = hurried(playing(3), "Asha", "Bula", "Chitra")
    assert room.hurried
    room = decided(room, lobby.leave(room, Leave(id="l"), context("Bula", (0, 1, 2))))
    gone = patience.hurrying(room, frozenset({0, 2}))
    assert gone == Decision((Hurried((0, 2), True),))
    room = decided(decided(room, gone), lobby.sit(room, Sit(id="s"), context("Bula")))
    assert patience.hurrying(room, frozenset({0, 1, 2})) == Decision((Hurried((0, 2), False),))


def test_a_game_in_a_hurry_ends_its_hurry_with_it() -> None:
    room = hurried(playing(2), "Asha", "Bula", present=(0, 1))
    assert room.hurried
    ended = decided(room, play.stop(room, Stop(id="s"), context("Asha")))
    assert not ended.hurried
    assert not any(seat.hurry for _, seat in ended.taken())
    assert patience.hurrying(ended, frozenset({0, 1})) == Decision()


def test_a_hurry_sets_the_time_anew_for_every_seat() -> None:
    room = playing(2)
    away = changed(room, 0, away=True)
    assert play.timing(away) != play.timing(replace(away, hurried=True))
    assert play.wait_ms(replace(away, hurried=True), 1000) == 100
    assert play.wait_ms(replace(away, hurried=True), 5) == 1


# --- pause


def test_a_pause_stops_what_turns_by_itself_and_nothing_else() -> None:
    room = playing(1, ALONE)
    paused = decided(room, patience.pause(room, Pause(id="p", on=True), context("Asha")))
    assert paused.paused
    assert patience.pause(paused, Pause(id="q", on=True), context("Asha")) == Decision()
    after = decided(paused, play.reveal(paused, Reveal(n=1), context("Asha")))
    while after.turn == 0:
        after = applied(after, play.turned(after, "self", context()).facts)
    assert (play.turner(after), play.wait_ms(after, 1000)) == (None, None)
    again = patience.pause(after, Pause(id="r", on=False), context("Asha"))
    assert again == Decision((Paused(False),))
    assert play.turner(decided(after, again)) == "computer"
    assert play.timing(decided(after, again)) != play.timing(after)


@pytest.mark.parametrize(
    ("room", "guest", "code"),
    [
        (playing(2), "Asha", "not_allowed"),
        (playing(2), "nobody", "not_seated"),
        (lobby_of(1, ALONE), "Asha", "not_started"),
        (over(1, ALONE), "Asha", "over"),
    ],
)
def test_a_pause_is_refused_with_its_reason(room: Room, guest: str, code: str) -> None:
    assert patience.pause(room, Pause(id="p", on=True), context(guest)) == Refusal(code)  # type: ignore[arg-type]


# --- another host


@pytest.mark.parametrize("room", [lobby_of(3), playing(3), over(3)])
def test_the_longest_seated_who_is_present_becomes_host(room: Room) -> None:
    assert patience.hand_on(room, "Asha", frozenset({1, 2})) == Decision((HostChanged(1),))
    assert patience.hand_on(room, "Asha", frozenset({2})) == Decision((HostChanged(2),))
    assert patience.hand_on(room, "Asha", frozenset()) == Decision()
    assert patience.hand_on(replace(room, host=1), "Asha", frozenset({1, 2})) == Decision()


def test_a_table_without_a_host_has_none_to_hand_on() -> None:
    assert patience.host_guest(replace(lobby_of(2), host=None)) == ""
    assert patience.hand_on(replace(lobby_of(2), host=None), "Asha", frozenset({1})) == Decision()


# --- never standing still


@st.composite
def tables(draw: st.DrawFn) -> tuple[Room, dict[str, Presence], int]:
    """Draw a game in play, with people away, gone for good, back, in a hurry, present and absent at random."""
    people = draw(st.integers(2, 5))
    room, now = playing(people), 10_000_000
    for _ in range(draw(st.integers(0, 12))):
        number = draw(st.integers(0, people - 1))
        seat = room.seats[number]
        assert seat is not None
        step = draw(st.sampled_from(("away", "back", "left", "host", "hurry", "turn")))
        if step == "away" and not seat.left:
            room = applied(room, (WentAway(number),))
        elif step == "back":
            room = applied(room, (CameBack(number),))
        elif step == "left" and not seat.left:
            here = tuple(draw(st.sets(st.integers(0, people - 1))))
            room = decided(room, lobby.leave(room, Leave(id="l"), context(seat.guest, here)))
        elif step == "host" and not seat.left:
            room = applied(room, (HostChanged(number),))
        elif step == "hurry":
            room = applied(room, (Hurried((number,), draw(st.booleans())),))
        elif room.phase == "playing":
            room = applied(room, play.turned(room, "self", context()).facts)
    presence = {}
    for number, seat in room.people():
        heard = now - draw(st.integers(0, 100_000))
        presence[seat.guest] = Presence(number + 1, heard, open=draw(st.booleans()))
    return room, presence, now


@given(tables(), st.integers(0, 120_000))
def test_a_game_never_stands_still_while_somebody_is_there(
    table: tuple[Room, dict[str, Presence], int], idle: int
) -> None:
    room, presence, now = table
    present = present_seats(room, presence, now)
    if room.phase != "playing" or not present or room.game is None or room.turn is None:
        return
    reveals = room.game.reveals
    # One who is here is brought back at once, by whoever holds their connection.
    for number in present:
        seat = room.seats[number]
        if seat is not None and seat.away:
            room = applied(room, (CameBack(number),))
    if play.turner(room) is not None:
        assert play.wait_ms(room, 1_000) in (100, 1_000)  # the table turns it
        return
    assert room.turn is not None
    if room.turn not in present:
        # Not for long: they are marked away, and the table turns it then.
        assert room.turn in {number for number, _ in going_away(room, presence, now, 20_000)}
        marked = applied(room, (WentAway(room.turn),))
        assert play.wait_ms(marked, 1_000) is not None
        return
    # They may tap. If they let it lie, a host turns it: the one there is, or else the heir.
    if room.host not in present:
        handed = patience.hand_on(room, patience.host_guest(room), present)
        room = decided(room, handed)
    assert room.host in present
    asks = replace(context(patience.host_guest(room), tuple(present)), now=now, idle_since=now - idle)
    answer = patience.turn(room, TurnFor(id="t", n=reveals + 1), asks)
    assert isinstance(answer, Decision) == (idle >= 60_000)


@given(tables())
def test_what_is_said_of_a_hurry_is_said_once(table: tuple[Room, dict[str, Presence], int]) -> None:
    room, presence, now = table
    present = present_seats(room, presence, now)
    once = patience.hurrying(room, present)
    after = applied(room, once.facts)
    assert patience.hurrying(after, present) == Decision()
    if room.phase == "playing" and present:
        wishing = {number for number, seat in after.people() if seat.hurry}
        assert after.hurried == (present <= wishing)
        assert not any(seat.left for number, seat in after.people() if number in wishing)
