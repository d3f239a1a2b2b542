"""The whole table as everybody may see it, and nothing of what nobody may."""

from __future__ import annotations

import json
from dataclasses import replace

from engine.view import view
from server.protocol.events import Settings
from server.protocol.replies import Snapshot, You
from server.rooms.record import Room
from server.rooms.snapshot import encoded, game_view, snapshot, you_of
from tests.builders import NAMES, changed, lobby_of, over, playing


def shot_of(room: Room, absent: tuple[int, ...] = (), guest: str = "") -> Snapshot:
    return snapshot(
        room, epoch="e" * 16, seq=5, mark="a" * 16, absent=absent, watching=2, now=99, you=you_of(room, guest)
    )


def test_who_you_are() -> None:
    room = lobby_of(2)
    assert you_of(room, NAMES[0]) == You(seat=0, host=True, watching=False)
    assert you_of(room, NAMES[1]) == You(seat=1, host=False, watching=False)
    assert you_of(room, "stranger") == you_of(room, "") == You(seat=None, host=False, watching=True)


def test_one_who_left_during_the_game_watches_and_is_shown_away() -> None:
    room = changed(playing(2), 1, left=True)
    assert you_of(room, NAMES[1]).watching
    assert shot_of(room).seats[1].away


def test_a_lobby() -> None:
    room = lobby_of(2, Settings(seats=3))
    shot = shot_of(room, absent=(1,))
    assert (shot.phase, shot.host, shot.game, shot.ready, shot.watching) == ("lobby", 0, None, (), 2)
    assert [(seat.seat, seat.name, seat.present) for seat in shot.seats] == [(0, "Asha", True), (1, "Bula", False)]
    assert shot.commitment == room.commitment


def test_a_game_in_play_is_the_engines_view_and_the_newest_reveal() -> None:
    from server.rooms.play import turned
    from server.rooms.record import applied
    from tests.builders import context

    room = playing(3)
    room = applied(room, turned(room, "self", context()).facts)
    assert room.game is not None
    seen, shown = view(room.game), game_view(room)
    assert shown is not None
    assert (shown.n, shown.turn, shown.stacks, shown.collected) == (1, seen.turn, seen.stacks, seen.collected)
    assert (shown.pile.size, shown.pile.top) == (seen.pile.size, seen.pile.top)
    assert shown.last == room.last


def test_the_ready_are_named_only_between_games() -> None:
    room = changed(over(2), 1, ready=True)
    assert shot_of(room).ready == (1,)
    assert shot_of(changed(lobby_of(2), 1, ready=True)).ready == ()


def test_pause_and_hurry_are_shown_only_where_they_say_something() -> None:
    room = playing(2)
    plain = json.loads(encoded(shot_of(room), ()))
    assert not {"paused", "hurried"} & set(plain)
    wished = json.loads(encoded(shot_of(changed(room, 1, hurry=True)), ()))
    assert wished["hurried"] == {"seats": [1], "on": False}
    told = json.loads(encoded(shot_of(replace(changed(room, 0, hurry=True), hurried=True, paused=True)), ()))
    assert (told["hurried"], told["paused"]) == ({"seats": [0], "on": True}, True)


def test_nothing_hidden_is_in_it() -> None:
    room = changed(playing(3), 0, nonce="ab" * 16)
    room = replace(room, seats=tuple(seat and replace(seat, guest=f"guest-of-{seat.name}") for seat in room.seats))
    assert room.game is not None
    text = encoded(shot_of(room), ())
    for hidden in (room.seed, "ab" * 16, "guest-of-", *(card for stack in room.game.stacks for card in stack)):
        assert f'"{hidden}' not in text


def test_a_muted_person_is_marked_and_nobody_else() -> None:
    room = replace(lobby_of(3), muted=(NAMES[1],))
    shot = json.loads(encoded(shot_of(room), ()))
    assert [seat.get("muted", "left out") for seat in shot["seats"]] == ["left out", True, "left out"]


def test_what_was_said_goes_in_as_the_store_keeps_it() -> None:
    line = '{"type":"said","id":"a","seat":0,"name":"Asha","at":5,"text":"শাপলা"}'
    shot = json.loads(encoded(shot_of(lobby_of(2)), (line,)))
    assert shot["said"] == [json.loads(line)]
    assert shot["serverTime"] == 99
