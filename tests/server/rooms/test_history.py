"""Whose reveal number n was, worked out again from the seed."""

from __future__ import annotations

import pytest

from engine.events import Revealed
from engine.game import log
from server.rooms import history
from server.rooms.history import Turns
from tests.builders import over, playing


def test_it_agrees_with_the_log() -> None:
    game = over(3).game
    assert game is not None
    turns = Turns()
    made = {event.n: event.seat for event in log(game) if isinstance(event, Revealed)}
    assert len(made) == game.reveals
    assert {n: turns.seat(game, n) for n in made} == made


def test_what_is_not_made_is_nobodys() -> None:
    begun, finished = playing(2).game, over(2).game
    assert begun is not None
    assert finished is not None
    turns = Turns()
    assert turns.seat(begun, 1) is None
    assert turns.seat(finished, 0) is None
    assert turns.seat(finished, finished.reveals + 1) is None


def test_a_game_that_went_on_is_looked_at_again() -> None:
    from server.rooms.play import turned
    from server.rooms.record import applied
    from tests.builders import context

    room, turns = playing(2), Turns()
    seats = []
    for n in range(1, 20):
        assert room.game is not None
        seats.append(room.game.turn)
        room = applied(room, turned(room, "self", context()).facts)
        assert room.game is not None
        assert turns.seat(room.game, n) == seats[-1]


def test_only_so_many_games_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(history, "KEPT", 2)
    game = over(2).game
    assert game is not None
    turns = Turns()
    for number in range(5):
        turns.seat(replace(game, table=f"{number:012}"), 1)
    assert len(turns._known) == 2
