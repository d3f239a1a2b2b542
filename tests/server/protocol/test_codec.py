"""Records become exactly their JSON, and game events come back from the stored state."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.events import Revealed
from server.protocol.codec import encode, encode_events, pack_event, unpack_event
from server.protocol.events import HostChanged, Opened, Said, Settings
from server.protocol.replies import Accepted, Refused
from server.rooms.play import turned
from server.rooms.record import applied
from tests.builders import context, playing


def test_fields_in_their_order_type_first_null_written() -> None:
    revealed = Revealed(1, 0, "7H", None, matched=False, by="self")
    assert encode(revealed) == ('{"type":"revealed","n":1,"seat":0,"card":"7H","on":null,"matched":false,"by":"self"}')
    assert encode_events((HostChanged(2),)) == '[{"type":"host","seat":2}]'


def test_optional_fields_are_left_out_when_there_is_nothing() -> None:
    assert "by" not in json.loads(encode(Revealed(1, 0, "7H", None, matched=False, by=None)))
    assert json.loads(encode(Said("a", 0, "Asha", 1, phrase="wow"))) == {
        "type": "said",
        "id": "a",
        "seat": 0,
        "name": "Asha",
        "at": 1,
        "phrase": "wow",
    }
    assert encode(Accepted()) == '{"ok":true}'
    assert json.loads(encode(Refused("over", "It is over."))) == {
        "code": "over",
        "message": "It is over.",
        "ok": False,
    }


def test_records_in_records_and_bengali_as_it_is() -> None:
    opened = json.loads(encode(Opened(Settings(), 0)))
    assert opened["settings"]["deck"] == "standard"
    assert "শাপলা" in encode({"name": "শাপলা"})


@given(st.integers(0, 150))
def test_game_events_come_back_as_they_were(reveals: int) -> None:
    room = playing(3)
    for _ in range(reveals):
        if room.phase == "playing":
            room = applied(room, turned(room, "self", context()).facts)
    for event in room.last:
        packed = json.loads(json.dumps(pack_event(event)))
        again = unpack_event(tuple(tuple(v) if isinstance(v, list) else v for v in packed))
        assert again == event
