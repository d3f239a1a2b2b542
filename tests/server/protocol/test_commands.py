"""Commands are read by shape alone, strictly, and with what is wrong named."""

from __future__ import annotations

import pytest

from server.protocol.commands import COMMANDS, Auto, BadShapeError, Hello, Reveal, Sit, Sync, parse, parse_hello


def test_a_command_is_read_and_unknown_fields_are_ignored() -> None:
    assert parse("sit", {"id": "a", "name": "Asha", "seat": 2, "hat": "red"}) == Sit(id="a", name="Asha", seat=2)
    assert parse("sit", {"id": "a"}) == Sit(id="a")
    assert parse("reveal", {"n": 1}) == Reveal(n=1)
    assert parse("auto", {"on": False}) == Auto(on=False)


def test_since_is_an_array_on_the_wire() -> None:
    assert parse("sync", {"since": ["e", 3, "m"]}) == Sync(since=("e", 3, "m"))
    assert parse("sync", {"since": None}) == parse("sync", {}) == parse("sync", None) == Sync()
    assert parse_hello({"table": "x", "since": ["e", 3, "m"]}) == Hello(table="x", since=("e", 3, "m"))


@pytest.mark.parametrize(
    ("name", "payload", "field"),
    [
        ("nosuch", {}, None),
        ("connect", {}, None),
        ("reveal", [1], None),
        ("reveal", {}, "n"),
        ("reveal", {"n": "1"}, "n"),
        ("reveal", {"n": 1.0}, "n"),
        ("reveal", {"n": True}, "n"),
        ("reveal", {"n": 0}, "n"),
        ("reveal", {"n": 20_001}, "n"),
        ("sit", {"id": ""}, "id"),
        ("sit", {"id": "a" * 65}, "id"),
        ("sit", {"id": "a b"}, "id"),
        ("sit", {"id": "a", "seat": 8}, "seat"),
        ("sit", {"id": "a", "name": 7}, "name"),
        ("nonce", {"id": "a", "nonce": "AB" * 16}, "nonce"),
        ("nonce", {"id": "a", "nonce": "ab" * 15}, "nonce"),
        ("auto", {"on": 1}, "on"),
        ("sync", {"since": ["e", 3]}, "since"),
        ("sync", {"since": ["e", -1, "m"]}, "since"),
    ],
)
def test_anything_else_is_a_bad_shape_with_its_field(name: str, payload: object, field: str | None) -> None:
    with pytest.raises(BadShapeError) as caught:
        parse(name, payload)
    assert caught.value.field == field


@pytest.mark.parametrize("auth", [None, "x", {}, {"table": 7}, {"table": "x" * 65}, {"table": "x", "since": [1]}])
def test_a_hello_without_a_table_is_none(auth: object) -> None:
    with pytest.raises(BadShapeError):
        parse_hello(auth)


def test_every_command_is_known_by_its_name() -> None:
    assert all(record.name_ == name for name, record in COMMANDS.items())
