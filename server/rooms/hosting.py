"""What a host may do to a table and to its people: lock, settings, mute, remove, hand over, delete. Pure.

Each function is a `decide`, as in `lobby.py`. Checks come in the contract's order (section 6): role, phase, then the
command's own.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Final

from server.protocol.commands import ChangeSettings, Delete, HandOver, Lock, Mute, Remove
from server.protocol.events import ChatMode, HostChanged, Left, Muted, Settings, SettingsChanged
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import Fact, GuestRemoved
from server.rooms.record import Room, Seat
from server.rooms.settings import Rejected, settings_of

FIXED: Final = ("kind", "computers")
"""What a table is made with and keeps."""
_CHATTIER: Final[dict[ChatMode, int]] = {"off": 0, "phrases": 1, "open": 2}


def lock(room: Room, command: Lock, context: Context) -> Decision | Refusal:
    """Let nobody new sit down, or again."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    return _settled(room, replace(room.settings, locked=command.on))


def change_settings(room: Room, command: ChangeSettings, context: Context) -> Decision | Refusal:
    """Change settings between games. An heir may not widen what people sat down to: chat, watchers, voice."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    if room.phase == "playing":
        return Refusal("already_started")
    now = asdict(room.settings)
    for field in FIXED:
        if command.settings.get(field, now[field]) != now[field]:
            return Refusal("bad_settings", field=field)
    settings = settings_of({**now, **command.settings})
    if isinstance(settings, Rejected):
        return Refusal("bad_settings", field=settings.field)
    if any(number >= settings.seats for number, _ in room.taken()):
        return Refusal("bad_settings", field="seats")
    loosened = None if context.guest == room.maker else _loosened(room.settings, settings)
    if loosened is not None:
        return Refusal("bad_settings", field=loosened)
    return _settled(room, settings)


def mute(room: Room, command: Mute, context: Context) -> Decision | Refusal:
    """Silence a person in the chat, or let them speak again."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    seat = _other(room, command.seat)
    if seat is None:
        return Refusal("not_there")
    same = (seat.guest in room.muted) == command.on
    return Decision(() if same else (Muted(command.seat, command.on),))


def remove(room: Room, command: Remove, context: Context) -> Decision | Refusal:
    """Send a person away for good: their seat is free at once between games, at the game's end during one."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    seat = _other(room, command.seat)
    if seat is None:
        return Refusal("not_there")
    if seat.guest in room.removed:
        return Decision()  # During a game the seat keeps its name; who is removed already is not removed again.
    facts: list[Fact] = [GuestRemoved(guest) for guest in room.guests_of(seat)]
    return Decision((*facts, Left(command.seat, "removed")), freed=(seat.guest,))


def hand_over(room: Room, command: HandOver, context: Context) -> Decision | Refusal:
    """Make another person host, one who is there."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    seat = _other(room, command.seat)
    if seat is None or seat.left or command.seat not in context.present:
        return Refusal("not_there")
    return Decision((HostChanged(command.seat),))


def delete(room: Room, command: Delete, context: Context) -> Decision | Refusal:
    """Allow the table to be deleted, which is no fact of the table's: it is no more."""
    return Decision() if room.is_host(context.guest) else Refusal("not_host")


def _settled(room: Room, settings: Settings) -> Decision:
    return Decision(() if settings == room.settings else (SettingsChanged(settings),))


def _loosened(before: Settings, after: Settings) -> str | None:
    """Return the first setting that lets in more than people sat down to, None if none does."""
    wider = {
        "chat": _CHATTIER[after.chat] > _CHATTIER[before.chat],
        "watchers": after.watchers > before.watchers,
        "voice": after.voice > before.voice,
    }
    return next((field for field, is_wider in wider.items() if is_wider), None)


def _other(room: Room, number: int) -> Seat | None:
    """Return the person at a seat who is not the host; None for nobody, a computer or the host."""
    seat = room.seats[number] if number < len(room.seats) else None
    return None if seat is None or seat.kind != "person" or number == room.host else seat
