"""The room's state as bytes for the store: msgpack of one versioned tuple. Nothing else is here.

A release reads its own version and the one before, so that two releases can meet at one table; a state of a
newer release is refused, never guessed at. Invariant: `unpack(pack(room)) == room`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import msgpack

from engine.game import Game
from server.protocol.codec import pack_event, unpack_event
from server.protocol.events import Settings
from server.rooms.record import Room, Seat

VERSION = 2


class ForeignStateError(Exception):
    """The stored state is of a release that this one cannot read."""

    def __init__(self, version: object) -> None:
        super().__init__(
            f"this table was saved by a release with state {version}; this release reads {VERSION - 1} and {VERSION}"
        )


_GAME_FIELDS = tuple(field.name for field in dataclasses.fields(Game))
_SETTINGS_FIELDS = tuple(field.name for field in dataclasses.fields(Settings))
_SEAT_FIELDS = tuple(field.name for field in dataclasses.fields(Seat))
# A card is two characters, so a pile is one string: half the bytes, and a tenth of the objects.
_STACKS, _COLLECTED, _PILE = (_GAME_FIELDS.index(name) for name in ("stacks", "collected", "pile"))


def pack(room: Room) -> bytes:
    """Return the state as bytes."""
    packed: bytes = msgpack.packb(
        (
            VERSION,
            room.table,
            [getattr(room.settings, name) for name in _SETTINGS_FIELDS],
            [seat and [getattr(seat, name) for name in _SEAT_FIELDS] for seat in room.seats],
            room.host,
            room.number,
            room.seed,
            None if room.game is None else _pack_game(room.game),
            [pack_event(event) for event in room.last],
            room.dealt,
            room.visits,
            room.maker,
            room.removed,
            room.muted,
            room.paused,
            room.hurried,
        )
    )
    return packed


def unpack(state: bytes) -> Room:
    """Return the room that `pack` wrote, here or in the release before.

    Raises:
        ForeignStateError: for any other version.
    """
    fields: tuple[Any, ...] = msgpack.unpackb(state, use_list=False)
    if fields[0] == VERSION - 1:
        fields = _from_version_before(fields)
    if fields[0] != VERSION:
        raise ForeignStateError(fields[0])
    _, table, settings, seats, host, number, seed, game, last, dealt, visits, *rest = fields
    maker, removed, muted, paused, hurried = rest
    return Room(
        table=table,
        settings=Settings(*settings),
        seats=tuple(seat and Seat(*seat) for seat in seats),
        host=host,
        number=number,
        seed=seed,
        game=None if game is None else _unpack_game(game),
        last=tuple(unpack_event(event) for event in last),
        dealt=dealt,
        visits=visits,
        maker=maker,
        removed=removed,
        muted=muted,
        paused=paused,
        hurried=hurried,
    )


def _from_version_before(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    # State 1 did not know its maker: the host it has is the best guess. A shorter seat has defaults for the rest.
    host = None if fields[4] is None else fields[3][fields[4]]
    return (VERSION, *fields[1:], "" if host is None else host[2], (), (), False, False)


def _pack_game(game: Game) -> list[Any]:
    values = [getattr(game, name) for name in _GAME_FIELDS]
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
