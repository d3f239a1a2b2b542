"""Talking at the table: a line, a line taken out, a nudge. Pure.

Each function is a `decide`: the room as it is, the command, the context; a Decision or a Refusal. Chat is no part of
the room's state: its facts are saved over the version that allowed them, and change nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from server.protocol.codec import encode, plain
from server.protocol.commands import Nudge, Say, Unsay
from server.protocol.events import Said, Unsaid
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import Fact
from server.rooms.record import Room
from server.rooms.text import LONGEST_LINE, is_longer, mended


def say(room: Room, command: Say, context: Context) -> Decision | Refusal:
    """Say a line: text as far as the host lets it be free, or a phrase, which each reader sees in their language."""
    text = None if command.text is None else mended(command.text)
    if text == "":
        return Refusal("bad_request", field="text")
    number = room.seated(context.guest)
    seat = None if number is None else room.seats[number]
    if number is None or seat is None:
        return Refusal("not_seated")
    if room.settings.chat == "off":
        return Refusal("chat_off")
    if room.settings.chat == "phrases" and text is not None:
        return Refusal("phrases_only")
    if context.guest in room.muted:
        return Refusal("muted")
    if text is not None and is_longer(text, LONGEST_LINE):
        return Refusal("too_long")
    # The time is the store's to fill in: see `line_of`.
    return Decision((Said(context.fresh_id, number, seat.name, at=0, text=text, phrase=command.phrase),))


def unsay(room: Room, command: Unsay, context: Context) -> Decision | Refusal:
    """Take a line out of those that are kept, for everybody (host)."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    if command.said not in context.said:
        return Refusal("not_there")
    return Decision((Unsaid(command.said),))


def nudge(room: Room, command: Nudge, context: Context) -> Decision | Refusal:
    """Ring for the person whose turn it is. Nothing is saved; whom to ring for is the decision's `nudged`."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    if room.phase != "playing" or room.turn is None:
        return Refusal("not_started" if room.phase == "lobby" else "over")
    wanted = room.seats[room.turn]
    if wanted is None or room.turn == number or room.turn not in context.present:
        return Refusal("not_there")  # Computers are never among the present.
    return Decision(nudged=wanted.guest)


def is_chat(facts: Iterable[Fact]) -> bool:
    """Say whether facts are chat alone, so that the room's state stays as it is."""
    return all(isinstance(fact, (Said, Unsaid)) for fact in facts)


def line_of(fact: Said) -> str:
    """Return a line as the store is given it: JSON whose `at` is null, until the store writes its time there."""
    return encode({**plain(fact), "at": None})
