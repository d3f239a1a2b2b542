"""The stored state: whole both ways, readable one release back, refused from a newer one."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.protocol.events import Settings
from server.rooms.packing import FORM, ForeignStateError, pack, unpack
from server.rooms.play import turned
from server.rooms.record import applied
from tests.builders import changed, context, lobby_of, over, playing


@given(people=st.integers(2, 6), reveals=st.integers(0, 200), deck=st.sampled_from(("standard", "double", "leftovers")))
def test_a_room_comes_back_as_it_was(people: int, reveals: int, deck: Any) -> None:
    room = playing(people, Settings(seats=people, deck=deck))
    for _ in range(reveals):
        if room.phase == "playing":
            room = applied(room, turned(room, "self", context()).facts)
    assert unpack(pack(room)) == room


def test_lobby_and_over_come_back_too() -> None:
    for room in (lobby_of(1), lobby_of(3, Settings(seats=6)), over(2), changed(playing(2), 1, away=True)):
        assert unpack(pack(room)) == room


def test_a_state_of_a_newer_release_is_refused_in_words() -> None:
    fields = msgpack.unpackb(pack(lobby_of(2)))
    with pytest.raises(ForeignStateError, match=f"state {FORM + 1}; this release reads"):
        unpack(msgpack.packb([FORM + 1, *fields[1:], "something new"]))


def test_a_state_is_small() -> None:
    assert len(pack(playing(4))) < 1_500
