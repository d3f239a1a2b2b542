"""The table's patience: a card turned for one who is idle, hurrying, pausing, another host for one who is gone. Pure.

What follows from it for the coming card (by whom it is turned, after what wait) is said in play.py alone.
"""

from __future__ import annotations

from server.protocol.commands import Hurry, Pause, TurnFor
from server.protocol.events import HostChanged, Hurried, Paused
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.lobby import successor
from server.rooms.play import not_playing, turned
from server.rooms.record import Room


def turn(room: Room, command: TurnFor, context: Context) -> Decision | Refusal:
    """Turn one card for the person whose turn it is, who is there and has let it lie for the host's patience."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    refusal = not_playing(room)
    if refusal is not None:
        return refusal
    if room.game is None or command.n != room.game.reveals + 1:
        return Refusal("turning")
    seat = None if room.turn is None else room.seats[room.turn]
    person = seat is not None and seat.kind == "person" and not seat.away and not seat.left
    if not person or room.turn not in context.present or context.now - context.idle_since < context.idle_ms:
        return Refusal("not_your_turn")
    return turned(room, "host", context)


def hurry(room: Room, command: Hurry, context: Context) -> Decision | Refusal:
    """Wish to hurry for the rest of this game, or no more."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    refusal = not_playing(room)
    if refusal is not None:
        return refusal
    others = tuple(n for n in _wishing(room) if n != number)
    wishing = tuple(sorted((*others, number))) if command.on else others
    return Decision(_hurried(room, wishing, context.present | {number}))


def hurrying(room: Room, present: frozenset[int]) -> Decision:
    """Say anew who wishes to hurry and whether all who are present do: nothing to do where it is said already."""
    if room.phase != "playing" or not present:
        return Decision()
    return Decision(_hurried(room, _wishing(room), present))


def pause(room: Room, command: Pause, context: Context) -> Decision | Refusal:
    """Let nothing turn by itself at a computer table, or again."""
    if room.seated(context.guest) is None:
        return Refusal("not_seated")
    refusal = not_playing(room)
    if refusal is not None:
        return refusal
    if room.settings.kind != "computers":
        return Refusal("not_allowed")
    return Decision(() if room.paused == command.on else (Paused(command.on),))


def hand_on(room: Room, guest: str, present: frozenset[int]) -> Decision:
    """Make another person host if this guest, who is gone, still is: of those present the one who sat down first."""
    heir = successor(room, present)
    if host_guest(room) != guest or heir is None or heir not in present:
        return Decision()
    return Decision((HostChanged(heir),))


def host_guest(room: Room) -> str:
    """Return the host's guest, '' where there is no host."""
    seat = None if room.host is None else room.seats[room.host]
    return "" if seat is None else seat.guest


def _wishing(room: Room) -> tuple[int, ...]:
    return tuple(number for number, seat in room.people() if seat.hurry and not seat.left)


def _hurried(room: Room, wishing: tuple[int, ...], present: frozenset[int]) -> tuple[Hurried, ...]:
    on = present <= set(wishing)
    said = tuple(number for number, seat in room.people() if seat.hurry)
    return () if (said, room.hurried) == (wishing, on) else (Hurried(wishing, on),)
