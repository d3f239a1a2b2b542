"""The room's state as bytes for the store: msgpack of one tuple that begins with its form. Nothing else is here.

A form is what the state of a release looks like. A release reads its own and the one before, and writes each table in
the form it was read in, so that two releases meet at one table; a state of a newer form is refused, never guessed at.
To add a part: a field with a default and `metadata=since(3)`, FORM one more, and OPENED (record.py), what new tables
are opened in, left as it is until the release after: then no worker is left that cannot read it. A table of the older
form does without the part.
Invariant: `unpack(pack(room)) == room`, for every part that the room's form has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

import msgpack

from engine.game import Game
from server.protocol.codec import pack_event, unpack_event, values_of
from server.protocol.events import Settings
from server.rooms.record import FIRST, Room, Seat

FORM: Final = 2
"""The newest form that this release knows."""


class ForeignStateError(Exception):
    """The stored state is of a release that this one cannot read."""

    def __init__(self, form: object) -> None:
        super().__init__(
            f"this table was saved by a release with state {form}; this release reads {FORM - 1} and {FORM}"
        )


_Parts = tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]
_PARTS: dict[tuple[type[Any], int], _Parts] = {}


def _parts(record: type[Any], form: int) -> _Parts:
    """Return the names of the fields that a record has in a form, and what gives their values."""
    known = _PARTS.get((record, form))
    if known is None:
        had = (field for field in fields(record) if field.metadata.get("since", FIRST) <= form)
        names = tuple(field.name for field in had if field.name != "form")
        known = _PARTS[record, form] = names, values_of(*names)
    return known


# A card is two characters, so a pile is one string: half the bytes, and a tenth of the objects.
_GAME = tuple(field.name for field in fields(Game))
_STACKS, _COLLECTED, _PILE = (_GAME.index(name) for name in ("stacks", "collected", "pile"))


def pack(room: Room) -> bytes:
    """Return the state as bytes, in the room's form."""
    form = room.form
    names, values = _parts(Room, form)
    parts = dict(zip(names, values(room), strict=True))
    seat = _parts(Seat, form)[1]
    parts["settings"] = _parts(Settings, form)[1](room.settings)
    parts["seats"] = [None if one is None else seat(one) for one in room.seats]
    parts["game"] = None if room.game is None else _pack_game(room.game)
    parts["last"] = [pack_event(event) for event in room.last]
    packed: bytes = msgpack.packb((form, *parts.values()))
    return packed


def unpack(state: bytes) -> Room:
    """Return the room that `pack` wrote, here or in the release before.

    Raises:
        ForeignStateError: for any other form.
    """
    form, *values = msgpack.unpackb(state, use_list=False)
    if not isinstance(form, int) or not max(FIRST, FORM - 1) <= form <= FORM:
        raise ForeignStateError(form)
    parts = dict(zip(_parts(Room, form)[0], values, strict=True))
    parts["settings"] = _made(Settings, form, parts["settings"])
    parts["seats"] = tuple(None if seat is None else _made(Seat, form, seat) for seat in parts["seats"])
    parts["game"] = None if parts["game"] is None else _unpack_game(parts["game"])
    parts["last"] = tuple(unpack_event(event) for event in parts["last"])
    return Room(**parts, form=form)


def _made(record: type[Settings] | type[Seat], form: int, values: tuple[Any, ...]) -> Any:
    return record(**dict(zip(_parts(record, form)[0], values, strict=True)))


def _pack_game(game: Game) -> list[Any]:
    values = list(_parts(Game, FORM)[1](game))
    values[_STACKS] = ["".join(stack) for stack in game.stacks]
    values[_COLLECTED] = ["".join(pile) for pile in game.collected]
    values[_PILE] = "".join(game.pile)
    return values


def _unpack_game(packed: tuple[Any, ...]) -> Game:
    values = list(packed)
    values[_STACKS] = tuple(_cards(stack) for stack in values[_STACKS])
    values[_COLLECTED] = tuple(_cards(pile) for pile in values[_COLLECTED])
    values[_PILE] = _cards(values[_PILE])
    return Game(*values)


def _cards(joined: str) -> tuple[str, ...]:
    return tuple(joined[i : i + 2] for i in range(0, len(joined), 2))
