"""A seat on its way to another device: the link that is offered once, and whoever claims by it. Pure.

The state keeps the SHA-256 of the newest link's token, never the token. Invariant: a token moves one seat, once, within
OPEN_MS; who came by it is the seat's person from then on, and who had it before is not.
"""

from __future__ import annotations

import hashlib

from server.protocol.commands import Claim, Move
from server.protocol.events import Muted
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import Fact, KeyTaken, MoveOffered
from server.rooms.lobby import comeback
from server.rooms.record import Room

OPEN_MS = 120_000
"""How long a link is good for."""


def move(room: Room, command: Move, context: Context) -> Decision | Refusal:
    """Offer this seat to whoever opens the link first; a link that was offered before is void."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    offered = MoveOffered(number, _digest(context.fresh_id), context.now + OPEN_MS)
    return Decision((offered,), url=f"/t/{room.table}#seat={context.fresh_id}")


def claim(room: Room, command: Claim, context: Context) -> Decision | Refusal:
    """Take the seat that this token stands for; for the one who has it already, nothing changes."""
    if not context.guest:
        return Refusal("no_cookie")
    if context.guest in room.removed:
        return Refusal("removed")
    held, digest = room.seat_of(context.guest), _digest(command.token)
    number = next((n for n, seat in room.people() if seat.moving == digest), None)
    seat = None if number is None else room.seats[number]
    if number is None or seat is None:
        return Refusal("stale_link")
    if held == number and not seat.left:
        return Decision(seat=number)
    # A link from before its person was removed lets nobody in.
    if seat.moving_until <= context.now or seat.guest in room.removed:
        return Refusal("stale_link")
    if held is not None and held != number:
        return Refusal("not_allowed")
    facts: tuple[Fact, ...] = (KeyTaken(number, context.guest), *comeback(room, number))
    if context.guest in room.muted and seat.guest not in room.muted:
        facts = (*facts, Muted(number, on=True))  # Coming by a link does not unmute.
    return Decision(facts, seat=number, freed=() if held == number else (seat.guest,))


def opens(room: Room, token: str, now: int) -> bool:
    """Say whether some seat may be claimed by this token now ('' for none: no)."""
    digest = _digest(token)
    return bool(token) and any(seat.moving == digest and seat.moving_until > now for _, seat in room.people())


def moved_on(before: Room, after: Room) -> frozenset[str]:
    """Return the guests whose seat another device has taken."""
    pairs = zip(before.seats, after.seats, strict=False)
    gave_way = {old.guest for old, new in pairs if old and new and old.guest and new.guest != old.guest}
    return frozenset(guest for guest in gave_way if after.seat_of(guest) is None)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
