"""From presence records to who is absent and when they count as away."""

from __future__ import annotations

from server.ports import Presence
from server.rooms.presence import HEARD_MS, absent_seats, going_away, gone_since, present_seats
from tests.builders import changed, lobby_of

NOW = 1_000_000


def test_gone_since() -> None:
    assert gone_since(Presence(1, NOW - HEARD_MS, open=True), NOW) is None
    assert gone_since(Presence(1, NOW - HEARD_MS - 1, open=True), NOW) == NOW - HEARD_MS - 1
    assert gone_since(Presence(1, NOW - 5, open=False), NOW) == NOW - 5
    assert gone_since(None, NOW) == 0


def test_seats_present_and_absent() -> None:
    room = lobby_of(3)
    presence = {"Asha": Presence(1, NOW, open=True), "Bula": Presence(2, NOW - 100, open=False)}
    assert present_seats(room, presence, NOW) == {0}
    assert absent_seats(room, presence, NOW) == (1, 2)
    assert present_seats(changed(room, 0, left=True), presence, NOW) == frozenset()


def test_going_away_counts_from_the_loss_and_skips_the_marked() -> None:
    room = lobby_of(3)
    presence = {
        "Asha": Presence(1, NOW, open=True),
        "Bula": Presence(2, NOW - 15_000, open=False),
        "Chitra": Presence(3, NOW - 25_000, open=False),
    }
    assert going_away(room, presence, NOW, 20_000) == ((1, 5_000), (2, -5_000))
    assert going_away(changed(room, 2, away=True), presence, NOW, 20_000) == ((1, 5_000),)
    assert going_away(changed(room, 1, left=True), presence, NOW, 20_000) == ((2, -5_000),)
