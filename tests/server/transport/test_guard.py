"""Inbound frames: what an honest client sends is read; everything else is refused, and with one error only."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.transport.guard import (
    LARGEST,
    Connect,
    Disconnect,
    Event,
    MalformedError,
    frame,
    packet,
    payload,
)  # fmt: skip

GARBAGE = {
    "empty": "",
    "too large": '42["say",{"text":"' + "a" * LARGEST + '"}]',
    "brackets": "42" + "[" * 100_000,
    "brackets in an event": '42["reveal",' + "[" * 600 + "]" * 600 + "]",
    "NaN": '42["reveal",{"n":NaN}]',
    "infinity": '42["reveal",{"n":1e999}]',
    "5,000 digits": '42["reveal",{"n":' + "9" * 5_000 + "}]",
    "a lone surrogate": '42["say",{"text":"\\ud800"}]',
    "a key twice": '42["reveal",{"n":1,"n":2}]',
    "binary": '451-["say",{"_placeholder":true,"num":0}]',
    "binary ack": '461-1[{"_placeholder":true,"num":0}]',
    "an ack": "431[]",
    "a connect error": '44{"message":"no"}',
    "another namespace": "40/admin,",
    "an event elsewhere": '42/admin,["reveal",{"n":1}]',
    "no name": "42[]",
    "a number for a name": "42[1]",
    "two payloads": '42["reveal",{"n":1},{"n":2}]',
    "an object": '42{"reveal":1}',
    "an ack id of 200 digits": "42" + "1" * 200 + '["sync"]',
    "unknown type": "9",
    "open": '0{"sid":"x"}',
    "noop": "6",
    "half a packet": "4",
    "base64": "bAQID",
    "words": "hello",
    "upgrade with more": "5x",
    "auth that is no object": "40[1]",
}


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        frame(text)


@pytest.mark.parametrize("text", ["2", "3", "1", "5", "2probe", "40", '40{"table":"x"}', "41", '42["sync"]'])
def test_what_an_honest_client_sends_goes_on(text: str) -> None:
    assert frame(text) == text


def test_packets_are_read() -> None:
    assert packet('2["reveal",{"n":3}]') == Event("reveal", {"n": 3}, None)
    assert packet('217["sit",{"id":"a","name":"\\ud83d\\ude00"}]') == Event("sit", {"id": "a", "name": "😀"}, 17)
    assert packet('20["sync"]') == Event("sync", None, 0)
    assert packet('0{"table":"x"}') == Connect({"table": "x"})
    assert packet("1") == Disconnect()


def test_names_of_the_librarys_own_handlers_are_events_like_any() -> None:
    assert packet('2["connect",{"a":1}]') == Event("connect", {"a": 1}, None)


def test_long_polling_bodies() -> None:
    assert payload(b'40\x1e42["sync"]') == ("40", '42["sync"]')
    for body in (b"\xff", b"3\x1e" * 70 + b"3", b"3\x1e", b""):
        with pytest.raises(MalformedError):
            payload(body)


@given(st.text())
def test_no_text_raises_anything_else(text: str) -> None:
    for start in ("", "4", "40", "42", "42[", '42["a",'):
        with contextlib.suppress(MalformedError):
            frame(start + text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=20))
def test_whatever_python_can_write_is_read_or_refused(value: object) -> None:
    import json

    with contextlib.suppress(MalformedError):
        packet("2" + json.dumps(["x", value]))
