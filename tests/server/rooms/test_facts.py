"""Which facts everybody sees, and which stay with the server."""

from __future__ import annotations

from server.protocol.commands import Start
from server.protocol.events import Settings
from server.rooms import lobby
from server.rooms.decision import Decision
from server.rooms.facts import CardsMoved, SeedDrawn, committed, public
from server.rooms.play import turned
from tests.builders import NAMES, TABLE, context, playing, seed


def test_private_facts_are_never_among_the_public() -> None:
    room, facts = lobby.open_table(TABLE, Settings(), "Asha", context("guest"))
    start = lobby.start(playing(2), Start(id="x"), context(NAMES[0]))
    assert not isinstance(start, Decision)
    assert {type(fact).__name__ for fact in facts} - {type(fact).__name__ for fact in public(facts)} == {
        "SeedDrawn",
        "KeyTaken",
    }
    reveal = turned(playing(2), "self", context())
    assert any(isinstance(fact, CardsMoved) for fact in reveal.facts)
    assert {type(fact).__name__ for fact in public(reveal.facts)} == {"Revealed"}
    assert room.seat_of("guest") == 0


def test_a_seed_is_bound_by_its_hash_and_not_told() -> None:
    event = committed(SeedDrawn(2, seed("a")))
    assert (event.game, len(event.commitment)) == (2, 64)
    assert seed("a") not in event.commitment
