"""Rooms, people and games for the tests, from a few words. Nothing random: the same words build the same room."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from server.protocol.commands import Sit, Start
from server.protocol.events import Settings
from server.rooms import lobby, play
from server.rooms.decision import Decision, Drawn, Refusal
from server.rooms.record import Room, applied

TABLE = "0123456789ab"
NAMES = ("Asha", "Bula", "Chitra", "Dipu", "Esha", "Faruk", "Gopa", "Hena")


def seed(word: str) -> str:
    """Return a seed that belongs to a word."""
    return hashlib.sha256(word.encode()).hexdigest()


def context(guest: str = "", present: tuple[int, ...] = (), word: str = "next") -> Drawn:
    """Return a context in which `guest` asks and these seats are present."""
    return Drawn(guest=guest, present=frozenset(present), fresh_seed=seed(word))


def decided(room: Room, decision: Decision | Refusal) -> Room:
    """Return the room after a decision that must be a yes."""
    assert isinstance(decision, Decision), decision
    return applied(room, decision.facts)


def lobby_of(people: int, settings: Settings | None = None) -> Room:
    """Return a room in the lobby, guest `Asha` at seat 0 and so on."""
    settings = settings or Settings(seats=max(people, 2))
    room, _ = lobby.open_table(TABLE, settings, NAMES[0], context(NAMES[0], word="first"))
    for name in NAMES[1:people]:
        room = decided(room, lobby.sit(room, Sit(id=f"sit-{name}", name=name), context(name)))
    return room


def playing(people: int, settings: Settings | None = None) -> Room:
    """Return a room whose first game has just been dealt."""
    room = lobby_of(people, settings)
    return decided(room, lobby.start(room, Start(id="start"), context(NAMES[0], tuple(range(people)))))


def over(people: int, settings: Settings | None = None) -> Room:
    """Return a room whose first game has been played to its end, every card by its own person."""
    room = playing(people, settings)
    while room.phase == "playing":
        room = decided(room, play.turned(room, "self", context(word="second")))
    return room


def changed(room: Room, number: int, **changes: object) -> Room:
    """Return the room with one seat's record changed."""
    seat = room.seats[number]
    assert seat is not None
    seats = list(room.seats)
    seats[number] = replace(seat, **changes)  # type: ignore[arg-type]  # a test's own words
    return replace(room, seats=tuple(seats))
