"""A table's state, and the only place where it changes: `apply`, from facts alone.

No store, no clock, no dice.
Invariant: `apply` of a batch's facts over the state before it is the state that is saved with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from engine import shuffle
from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from engine.game import Game
from engine.records import quick
from server.protocol.events import (
    CameBack,
    HostChanged,
    Hurried,
    Kind,
    Left,
    Moved,
    Muted,
    Opened,
    Paused,
    Phase,
    Readied,
    Renamed,
    Seated,
    Settings,
    SettingsChanged,
    WentAway,
)  # fmt: skip
from server.rooms.facts import (
    CardsMoved,
    Fact,
    GuestRemoved,
    KeyTaken,
    MoveOffered,
    NonceGiven,
    SeedDrawn,
)  # fmt: skip

ZERO_NONCE = "0" * 32
FIRST = 2
"""The form of the stored state that a field has been in from the beginning, where it does not say otherwise."""
OPENED = 2
"""The form in which tables are opened (packing.py says when it changes)."""
MOST_REMOVED = 100
"""How many removed guests, and muted ones, a table remembers: the newest."""
MOST_DEVICES = 8
"""How many guests who had a seat before, on a device that it moved from, are remembered with it: the newest."""


def since(form: int) -> dict[str, int]:
    """Return the metadata of a field that the stored state has from this form on."""
    return {"since": form}


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat. `guest` ('' for a computer) is the hash of the cookie that holds it.

    `left` is one who went for good during this game: it keeps place, name and cards until the game ends.
    `since` orders people by when they sat down. `hurry`: wishes the rest of this game to go fast. `moving` is the
    SHA-256 (hex) of the token by which another device may take the seat until `moving_until` (ms, 0 once it did), ''
    for none. `before` has the guests from whose devices it moved here: the same person, and gone with them.
    """

    name: str
    kind: Kind
    guest: str = ""
    nonce: str = ""
    away: bool = False
    left: bool = False
    ready: bool = False
    since: int = 0
    hurry: bool = False
    moving: str = ""
    moving_until: int = 0
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """All of a table's state. `seats` has one entry a seat, None where it is free.

    `number` and `seed` are those of the game in play, else of the next. `dealt` has (name, kind) a seat as
    dealt; `last` is the newest reveal's batch. `visits` counts the people who ever sat down. `maker` is the guest who
    made the table, `removed` and `muted` are guests too. `paused` and `hurried` are the game's in play. `form` is the
    stored state's (packing.py).
    """

    table: str
    settings: Settings
    seats: tuple[Seat | None, ...]
    host: int | None
    number: int
    seed: str
    game: Game | None = None
    last: tuple[GameEvent, ...] = ()
    dealt: tuple[tuple[str, Kind], ...] = ()
    visits: int = 0
    maker: str = ""
    removed: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    paused: bool = False
    hurried: bool = False
    form: int = OPENED

    @property
    def phase(self) -> Phase:
        """Say whether the table waits for its first game, plays, or has finished one."""
        if self.game is None:
            return "lobby"
        return "over" if self.game.turn is None else "playing"

    @property
    def commitment(self) -> str:
        """Return the commitment of the game in play, else of the next (contract, section 2)."""
        return shuffle.commitment(self.seed)

    @property
    def turned(self) -> tuple[int, int]:
        """Return which game this is, and how many cards were turned in it."""
        return self.number, 0 if self.game is None else self.game.reveals

    @property
    def turn(self) -> int | None:
        """Return the seat whose turn it is, None between games."""
        return None if self.game is None else self.game.turn

    def taken(self) -> tuple[tuple[int, Seat], ...]:
        """Return the taken seats with their numbers, in order."""
        return tuple((number, seat) for number, seat in enumerate(self.seats) if seat is not None)

    def people(self) -> tuple[tuple[int, Seat], ...]:
        """Return the seats that people hold, those who left during this game among them."""
        return tuple((number, seat) for number, seat in self.taken() if seat.kind == "person")

    def seat_of(self, guest: str) -> int | None:
        """Return the seat that this guest holds, also after leaving during the game; None for a watcher."""
        for number, seat in enumerate(self.seats):
            if guest and seat is not None and seat.guest == guest:
                return number
        return None

    def seated(self, guest: str) -> int | None:
        """Return the seat that this guest plays at now: None also for one who left during the game."""
        number = self.seat_of(guest)
        seat = None if number is None else self.seats[number]
        return None if seat is None or seat.left else number

    def players(self) -> frozenset[str]:
        """Return the guests who play at a seat now, each as `seated` says."""
        return frozenset(seat.guest for _, seat in self.people() if not seat.left)

    def guests_of(self, seat: Seat) -> tuple[str, ...]:
        """Return every guest that a seat's person is known as: by the devices it moved from, those seated left out."""
        return (*(guest for guest in seat.before if self.seat_of(guest) is None), seat.guest)

    def is_host(self, guest: str) -> bool:
        """Say whether this guest is the host now."""
        number = self.seated(guest)
        return number is not None and number == self.host

    def admits(self, guest: str) -> bool:
        """Say whether this guest may be here, to play, to watch or to sit down (contract, section 6, `closed`)."""
        may_sit = self.phase != "playing" and not self.settings.locked and None in self.seats
        return self.settings.watchers or self.seat_of(guest) is not None or may_sit


def opening(fact: Opened, table: str) -> Room:
    """Return the room that an `opened` makes: empty seats, game 1 to come, its seed not yet drawn."""
    return Room(table, fact.settings, (None,) * fact.settings.seats, fact.host, number=1, seed="")


def applied(room: Room, facts: Iterable[Fact]) -> Room:
    """Return the room after a batch's facts."""
    for fact in facts:
        room = apply(room, fact)
    batch = tuple(fact for fact in facts if isinstance(fact, _REVEAL_BATCH))
    return _replaced(room, last=batch) if any(isinstance(fact, Revealed) for fact in batch) else room


_REVEAL_BATCH = (Reshuffled, Revealed, Captured, Out, Ended)
_NAMES = tuple(field.name for field in fields(Room))
_values = attrgetter(*_NAMES)
_room = quick(Room)


def _replaced(room: Room, **changes: Any) -> Room:
    """Do what `dataclasses.replace` does, in a third of the time: every reveal does it twice."""
    return _room(**dict(zip(_NAMES, _values(room), strict=True), **changes))


def apply(room: Room, fact: Fact) -> Room:
    """Return the room after one fact. What the game's events say is in the CardsMoved beside them."""
    match fact:
        case Revealed() | Captured():
            return room
        case CardsMoved(game):
            return _replaced(room, game=game)
        case SeedDrawn(number, seed):
            cleared = tuple(seat and replace(seat, nonce="") for seat in room.seats)
            return replace(room, number=number, seed=seed, seats=cleared)
        case Seated(number, name, kind):
            visits = room.visits + (kind == "person")
            ready = room.phase == "over"
            return _with_seat(replace(room, visits=visits), number, Seat(name, kind, ready=ready, since=visits))
        case KeyTaken(number, guest):
            return _keyed(room, number, guest)
        case MoveOffered(number, digest, until):
            return _change(room, number, moving=digest, moving_until=until)
        case GuestRemoved(guest):
            return replace(room, removed=_newest(room.removed, guest))
        case Muted(number, on):
            return _muted(room, number, on)
        case SettingsChanged(settings):
            seats = (*room.seats, *(None,) * settings.seats)[: settings.seats]
            return replace(room, settings=settings, seats=seats)
        case NonceGiven(number, nonce):
            return _change(room, number, nonce=nonce)
        case Renamed(number, name):
            return _change(room, number, name=name)
        case Left(number):
            if room.phase == "playing":
                return _change(room, number, left=True)
            without = _with_seat(room, number, None)
            return replace(without, host=None) if room.host == number else without
        case HostChanged(number):
            return replace(room, host=number)
        case WentAway(number):
            return _change(room, number, away=True)
        case CameBack(number):
            return _change(room, number, away=False, left=False)
        case Readied(number):
            return _change(room, number, ready=True)
        case Moved(old):
            seats = tuple(room.seats[number] for number in old)
            host = old.index(room.host) if room.host in old else None
            return replace(room, seats=seats + (None,) * (len(room.seats) - len(old)), host=host)
        case Paused(on):
            return replace(room, paused=on)
        case Hurried(wishing, on):
            return _hurried(room, wishing, on)
        case Dealt():
            dealt = tuple((seat.name, seat.kind) for _, seat in room.taken())
            unready = tuple(seat and replace(seat, ready=False) for seat in room.seats)
            return replace(_hurried(room, (), False), dealt=dealt, seats=unready, last=(), paused=False)
        case Ended():
            return replace(_hurried(room, (), False), paused=False)
        case _:
            return room


def _keyed(room: Room, number: int, guest: str) -> Room:
    seat = room.seats[number]
    if seat is not None and seat.guest:
        # From one device to another: what is known of the guest goes with the seat, and holds for both.
        muted = _newest(room.muted, guest) if seat.guest in room.muted else room.muted
        room = replace(room, maker=guest if room.maker == seat.guest else room.maker, muted=muted)
        before = tuple(one for one in _newest(seat.before, seat.guest) if one != guest)[-MOST_DEVICES:]
        room = _change(room, number, before=before)
    elif not room.maker:
        room = replace(room, maker=guest)
    return _change(room, number, guest=guest, moving_until=0)


def _muted(room: Room, number: int, on: bool) -> Room:
    seat = room.seats[number]
    if seat is None:
        return room
    person = room.guests_of(seat)
    muted = tuple(one for one in room.muted if one not in person)
    for guest in person if on else ():
        muted = _newest(muted, guest)
    return replace(room, muted=muted)


def _hurried(room: Room, wishing: tuple[int, ...], on: bool) -> Room:
    seats = tuple(seat and replace(seat, hurry=number in wishing) for number, seat in enumerate(room.seats))
    return replace(room, seats=seats, hurried=on)


def _newest(guests: tuple[str, ...], guest: str) -> tuple[str, ...]:
    return (*(one for one in guests if one != guest), guest)[-MOST_REMOVED:]


def _change(room: Room, number: int, **changes: str | int | tuple[str, ...]) -> Room:
    seat = room.seats[number]
    return _with_seat(room, number, seat and replace(seat, **changes))  # type: ignore[arg-type]  # fields vary


def _with_seat(room: Room, number: int, seat: Seat | None) -> Room:
    return replace(room, seats=(*room.seats[:number], seat, *room.seats[number + 1 :]))
