"""Who is here and who is not, at one room and worker: the presence as last heard, `away` and `back`, the note to all.

The store holds presence; this is its newest known copy and what follows from it. A seat is marked away under the guard,
so that one who returned meanwhile is never marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.ports import Guard, Presence
from server.protocol.events import CameBack, WentAway
from server.protocol.replies import PresenceNote
from server.rooms.alarm import Alarm
from server.rooms.decision import Decision, Refusal
from server.rooms.member import Member
from server.rooms.outlet import packet
from server.rooms.presence import absent_seats, going_away, present_seats
from server.rooms.record import Room
from server.rooms.saving import act

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

NOTE_EVERY_MS = 1_000
SETTLE_MS = 200
"""How long a smaller number waits: when a tab is closed, the worker of another tab of theirs counts them again at once.
"""
PAUSE_MS = 500
"""How long after a try to mark somebody away the next one comes at the earliest."""


class Absence:
    """Keeps the presence of one room at one worker."""

    def __init__(self, live: LiveRoom) -> None:
        """Know nobody yet."""
        self._live = live
        self._presence: dict[str, Presence] = {}
        self._away_alarm = Alarm(self.look)
        self._note_alarm = Alarm(self._note)
        self._noted: PresenceNote | None = None
        self._noted_at = 0
        self._not_before = 0

    def absent(self) -> tuple[int, ...]:
        """Return the seats of people who are not there."""
        return absent_seats(self._live.room, self._presence, self._live.now())

    def present(self) -> frozenset[int]:
        """Return the seats whose people are there."""
        return present_seats(self._live.room, self._presence, self._live.now())

    def generation(self, guest: str) -> int:
        """Return the newest generation known of a guest, 0 for none."""
        known = self._presence.get(guest)
        return 0 if known is None else known.generation

    def take(self, presence: dict[str, Presence], watching: int, at: int) -> None:
        """Take everybody's presence as read then, unless newer news came meanwhile; who is not in it has none."""
        known = self._presence
        self._presence = {
            guest: max(read, known.get(guest, read), key=lambda one: one.generation) for guest, read in presence.items()
        }
        self._live.watching.take(watching, at)

    def take_one(self, guest: str, presence: Presence) -> None:
        """Take one guest's presence: of an older connection it says nothing."""
        if presence.generation >= self.generation(guest):
            self._presence[guest] = presence

    def forget_all(self) -> None:
        """Know nobody any more: the store's history went back, and its generations with it."""
        self._presence = {}

    def forget(self, guest: str) -> None:
        """Drop a guest whose seat was freed."""
        self._presence.pop(guest, None)

    def look(self) -> None:
        """Mark who has been gone long enough, and tell everybody if who is there has changed."""
        live = self._live
        self.schedule_note()
        waits = going_away(live.room, self._presence, live.now(), live.tempo.away_ms)
        if not waits or not live.has_audience():
            self._away_alarm.clear()
        elif live.now() < self._not_before:
            self._away_alarm.set(self._not_before - live.now())
        elif due := [seat for seat, wait in waits if wait <= 0]:
            for seat in due:
                live.spawn(self._mark_away(seat))
        else:
            self._away_alarm.set(min(wait for _, wait in waits) + 1)

    def note_again(self) -> None:
        """Tell everybody once more: somebody was told a little old number."""
        self._noted = None
        self.schedule_note()

    def clear(self) -> None:
        """Keep no time any more."""
        self._away_alarm.clear()
        self._note_alarm.clear()

    async def welcome_back(self, member: Member) -> None:
        """Unmark the seat of one who is here, if it was marked away. The room's lock is held."""

        def decide(room: Room) -> Decision | Refusal:
            number = room.seated(member.guest)
            seat = None if number is None else room.seats[number]
            return Decision((CameBack(number),) if number is not None and seat and seat.away else ())

        if member.generation and member.generation == self.generation(member.guest):
            await act(self._live, decide)

    async def _mark_away(self, seat: int) -> None:
        async with self._live.lock:
            taken = self._live.room.seats[seat]
            if taken is None or taken.away or taken.left or not self._live.has_audience():
                return
            guard = Guard(taken.guest, self.generation(taken.guest), self._live.tempo.away_ms)

            def decide(room: Room) -> Decision | Refusal:
                now = room.seats[seat]
                same = now is not None and now.guest == taken.guest and not now.away and not now.left
                return Decision((WentAway(seat),) if same else ())

            # A store that refuses, or knows them to be here after all, is not asked again at once.
            self._not_before = self._live.now() + PAUSE_MS
            if await act(self._live, decide, guard=guard) is None:
                self._live.beat_soon()

    def schedule_note(self) -> None:
        """Tell everybody soon, if who is there or how many watch is not as they were told."""
        if self._live.closed:
            return
        note, noted = self._fresh_note(), self._noted
        if note != noted and not self._note_alarm.pending:
            wait = self._noted_at + NOTE_EVERY_MS - self._live.now()
            fewer = noted is not None and note.watching < noted.watching
            self._note_alarm.set(max(wait, SETTLE_MS) if fewer else wait)

    def _note(self) -> None:
        note = self._fresh_note()
        if note != self._noted:
            self._noted, self._noted_at = note, self._live.now()
            self._live.speaking.deliver(packet("presence", note))

    def _fresh_note(self) -> PresenceNote:
        return PresenceNote(self._live.watching.number, self.absent())
