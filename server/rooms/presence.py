"""Who is there, pure: from the store's presence records to absent seats and when they count as away.

Times are ms by the store's clock. Present is an open connection heard within HEARD_MS; a seat goes away after a
longer time without one (contract, Time). Computers are always present.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.ports import Presence
from server.rooms.record import Room

HEARD_MS = 15_000
"""An open connection that was silent for longer counts as lost."""


def gone_since(presence: Presence | None, now: int) -> int | None:
    """Return since when a guest is not there, None if they are. One never heard of is gone for ever."""
    if presence is None:
        return 0
    if presence.open and now - presence.heard <= HEARD_MS:
        return None
    return presence.heard


def present_seats(room: Room, presence: Mapping[str, Presence], now: int) -> frozenset[int]:
    """Return the seats whose people are there, those who left during the game not among them."""
    return frozenset(
        number for number, seat in room.people() if not seat.left and gone_since(presence.get(seat.guest), now) is None
    )


def absent_seats(room: Room, presence: Mapping[str, Presence], now: int) -> tuple[int, ...]:
    """Return the seats of people who are not there, in order."""
    there = present_seats(room, presence, now)
    return tuple(number for number, _ in room.people() if number not in there)


def going_away(room: Room, presence: Mapping[str, Presence], now: int, away_ms: int) -> tuple[tuple[int, int], ...]:
    """Return (seat, ms until it counts as away) of the absent who are not marked yet; 0 or less: now."""
    result = []
    for number, seat in room.people():
        since = gone_since(presence.get(seat.guest), now)
        if since is not None and not seat.away and not seat.left:
            result.append((number, since + away_ms - now))
    return tuple(result)
