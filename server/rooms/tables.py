"""Tables as HTTP sees them: make one, sum one up, give out its logs and receipts. No sockets, no live room.

Everything is read from the store; a log is recomputed from the seed, so none is kept.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.events import GameEvent
from engine.game import log
from engine.receipt import Receipt, Seat, rebuild
from server.ports import Store
from server.protocol import ids
from server.protocol.codec import encode, encode_events
from server.protocol.events import Phase, TableKind
from server.rooms.decision import Drawn
from server.rooms.facts import public
from server.rooms.lobby import open_table
from server.rooms.names import BadNameError
from server.rooms.packing import pack, unpack
from server.rooms.record import Room
from server.rooms.settings import Rejected, settings_of


@dataclass(frozen=True, slots=True)
class Made:
    """A table was made: its id, and the commitment of its first game."""

    id: str
    commitment: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A table in short, without names."""

    id: str
    phase: Phase
    seats: int
    taken: int
    watching: int
    kind: TableKind
    locked: bool


async def make_table(
    store: Store,
    *,
    guest: str,
    name: object,
    wanted: Mapping[str, object],
    language: str,
    unvisited_ms: int,
    strict: bool = True,
) -> Made | Rejected:
    """Make a table with its maker at seat 0, who is expected to connect soon.

    Raises:
        StoreDownError: nothing was made.
    """
    settings = settings_of(wanted, strict=strict)
    if isinstance(settings, Rejected):
        return settings
    if name is not None and not isinstance(name, str):
        return Rejected("bad_name", "name")
    context = Drawn(guest, frozenset(), secrets.token_hex(32), secrets.randbelow(1 << 16), language)
    while True:
        table = "".join(secrets.choice(ids.ALPHABET) for _ in range(ids.LENGTH))
        try:
            room, facts = open_table(table, settings, name, context)
        except BadNameError:
            return Rejected("bad_name", "name")
        first = await store.open(
            table,
            epoch=secrets.token_hex(8),
            state=pack(room),
            events=encode_events(public(facts)),
            ttl_ms=unvisited_ms,
        )
        if first is not None:
            break
    arrival = await store.arrive(table, guest, None, sitting=True)
    if arrival is not None:
        await store.leave(table, guest, arrival.generation)
    return Made(table, room.commitment)


async def summary(store: Store, table: str) -> Summary | None:
    """Sum a table up; None if there is none."""
    stored = await store.read(table)
    beat = None if stored is None else await store.beat(table, (), ())
    if stored is None or beat is None:
        return None
    room = unpack(stored.state)
    return Summary(
        id=table,
        phase=room.phase,
        seats=len(room.seats),
        taken=len(room.taken()),
        watching=beat.watching,
        kind=room.settings.kind,
        locked=room.settings.locked,
    )


async def log_lines(
    store: Store, table: str, game: int | None, guest: str
) -> tuple[str, ...] | Literal["no_table", "no_game", "not_allowed"]:
    """Return a game's log, a JSON event each: the newest game's if `game` is None; a running one's so far."""
    stored = await store.read(table)
    if stored is None:
        return "no_table"
    room = unpack(stored.state)
    if not may_watch(room, guest):
        return "not_allowed"
    if room.game is not None and game in (None, room.game.game):
        return tuple(_lines(log(room.game)))
    for text in await store.receipts(table):
        receipt = json.loads(text)
        if receipt["game"] == game:
            return tuple(_lines(rebuild(receipt_from(receipt))))
    return "no_game"


async def receipts(store: Store, table: str, guest: str) -> tuple[str, ...] | Literal["no_table", "not_allowed"]:
    """Return the receipts of a table's finished games, JSON each, oldest first."""
    stored = await store.read(table)
    if stored is None:
        return "no_table"
    if not may_watch(unpack(stored.state), guest):
        return "not_allowed"
    return await store.receipts(table)


def may_watch(room: Room, guest: str) -> bool:
    """Say whether this guest has a seat here, or could watch."""
    return guest not in room.removed and (room.settings.watchers or room.seat_of(guest) is not None)


def receipt_from(fields: dict[str, object]) -> Receipt:
    """Return the receipt that this server wrote as JSON."""
    seats = tuple(Seat(**seat) for seat in fields["seats"])  # type: ignore[attr-defined]  # our own JSON
    lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Receipt(**{**fields, **lists, "seats": seats})  # type: ignore[arg-type]  # our own JSON


def _lines(events: Iterable[GameEvent]) -> Iterator[str]:
    return (encode(event) for event in events)
