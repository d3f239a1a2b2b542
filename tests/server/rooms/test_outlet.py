"""Packets are whole Socket.IO texts of the default namespace."""

from __future__ import annotations

import json

from server.protocol.replies import Moment, Notice
from server.rooms.outlet import events_packet, packet


def test_an_event_is_one_packet() -> None:
    assert packet("notice", Notice("draining")) == '2["notice",{"code":"draining"}]'
    assert json.loads(packet("moment", Moment(None))[1:]) == ["moment", {"turnDue": None}]


def test_a_batch_goes_out_as_the_store_framed_it() -> None:
    frame = '{"epoch":"e","seq":2,"mark":"m","at":3,"events":[]}'
    assert events_packet(frame) == f'2["events",{frame}]'
