"""Who is here and who is not, at one room and worker: the presence as last heard, and what follows from it.

That is `away` and `back`, another host for one who is gone, whether all who are here are in a hurry, and the note to
all. The store holds presence; this is its newest known copy. What is done about one who is gone is done under the
guard, so that one who returned meanwhile never meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from server.ports import Guard, Presence
from server.protocol.events import CameBack, WentAway
from server.protocol.replies import PresenceNote
from server.rooms.alarm import Alarm
from server.rooms.decision import Decision, Refusal
from server.rooms.member import Member
from server.rooms.outlet import packet
from server.rooms.patience import hand_on, host_guest, hurrying
from server.rooms.presence import HEARD_MS, absent_seats, going_away, gone_since, present_seats
from server.rooms.record import Room
from server.rooms.saving import act

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

NEVER = float("inf")
NOTE_EVERY_MS = 1_000
SETTLE_MS = 500
"""How long a smaller number waits: when a tab is closed, the worker of another tab of theirs counts them again at once.
"""
ASK_MS = 500
"""How long before somebody's silence becomes an absence it is asked whether another worker has heard them."""
PAUSE_MS = 500
"""How long after a try to mark somebody away the next one comes at the earliest."""

Todo = Callable[[], Coroutine[Any, Any, None]]


class Absence:
    """Keeps the presence of one room at one worker."""

    def __init__(self, live: LiveRoom) -> None:
        """Know nobody yet."""
        self._live = live
        self.known: dict[str, Presence] = {}
        """By guest, as last heard. News makes a new dict of it: one that was read stays of its moment."""
        self._alarm = Alarm(self._rang)
        self._note_alarm = Alarm(self._note)
        self._noted: PresenceNote | None = None
        self._noted_at = 0
        self._settled_at = 0
        self._not_before = 0
        self._asked: dict[str, int] = {}
        self._seen: tuple[object, ...] | None = None
        self._looks_again: float = 0

    def absent(self) -> tuple[int, ...]:
        """Return the seats of people who are not there."""
        return absent_seats(self._live.room, self.known, self._live.now())

    def present(self) -> frozenset[int]:
        """Return the seats whose people are there."""
        return present_seats(self._live.room, self.known, self._live.now())

    def generation(self, guest: str) -> int:
        """Return the newest generation known of a guest, 0 for none."""
        known = self.known.get(guest)
        return 0 if known is None else known.generation

    def take(self, presence: dict[str, Presence], watching: int, at: int) -> None:
        """Take everybody's presence as read then, unless newer news came meanwhile; who is not in it has none."""
        known = self.known
        self.known = {
            guest: max(read, known.get(guest, read), key=lambda one: one.generation) for guest, read in presence.items()
        }
        self._live.watching.take(watching, at)

    def take_one(self, guest: str, presence: Presence) -> None:
        """Take one guest's presence: of an older connection it says nothing."""
        if presence.generation >= self.generation(guest):
            self.known = {**self.known, guest: presence}

    def forget_all(self) -> None:
        """Know nobody any more: the store's history went back, and its generations with it."""
        self.known = {}

    def forget(self, guest: str) -> None:
        """Drop a guest whose seat was freed."""
        self.known = {one: known for one, known in self.known.items() if one != guest}
        self._asked.pop(guest, None)

    def look(self) -> None:
        """Do what is due about who is gone, and tell everybody if who is there has changed."""
        live, room, now, audience = self._live, self._live.room, self._live.now(), self._live.has_audience()
        # Every card brings one here, and few change anything of this.
        seen = (room.seats, room.host, room.phase, room.hurried, audience, self.known, live.watching.number)
        if now < self._looks_again and seen == self._seen:
            return
        self._seen, self._looks_again = seen, NEVER
        self.schedule_note()
        waits = self._lapses()
        if audience:
            waits += self._waits()
        due = [todo for wait, todo in waits if wait <= 0]
        if not waits:
            self._alarm.clear()
        elif now >= self._not_before and due:
            self._looks_again = 0
            for todo in due:
                live.spawn(todo())
        else:
            soonest = now + min(wait for wait, _ in waits) + 1
            self._looks_again = max(soonest, self._not_before)
            self._alarm.set(self._looks_again - now)

    def _rang(self) -> None:
        self._looks_again = 0
        self.look()

    def _lapses(self) -> list[tuple[int, Todo]]:
        """Return when the silence of who is here becomes an absence; shortly before, everybody is asked once more."""
        live, now = self._live, self._live.now()
        waits: list[tuple[int, Todo]] = []
        for _, seat in live.room.people():
            known = self.known.get(seat.guest)
            if known is None or gone_since(known, now) is not None:
                continue
            lapse = known.heard + HEARD_MS + 1 - now
            if known.heard - self._asked.get(seat.guest, 0) < ASK_MS:
                wait = lapse
            elif lapse > 2 * ASK_MS or live.has_connection(seat.guest, known.generation):
                wait = lapse - 2 * ASK_MS
            else:
                # Who has their connection asks first, and by that tells the store what it has heard of them.
                wait = lapse - ASK_MS
            waits.append((wait, partial(self._ask, seat.guest, known.heard)))
        return waits

    def _ask(self, guest: str, heard: int) -> Coroutine[Any, Any, None]:
        self._asked[guest] = heard
        return self._live.beat()

    def _waits(self) -> list[tuple[int, Todo]]:
        """Return what is to be done about who is gone, each with the ms until then; 0 or less: now."""
        live, room, now = self._live, self._live.room, self._live.now()
        guests = {number: seat.guest for number, seat in room.people()}
        waits: list[tuple[int, Todo]] = [
            (wait, partial(self._mark_away, guests[seat]))
            for seat, wait in going_away(room, self.known, now, live.tempo.away_ms)
        ]
        host, present = host_guest(room), self.present()
        gone = gone_since(self.known.get(host), now) if host else None
        if gone is not None and hand_on(room, host, present).facts:
            waits.append((gone + live.tempo.host_ms - now, partial(self._hand_on, host)))
        if hurrying(room, present).facts:
            waits.append((0, self._hurry_anew))
        return waits

    def note_again(self) -> None:
        """Tell everybody once more: somebody was told a little old number."""
        self._noted = None
        self.schedule_note()

    def clear(self) -> None:
        """Keep no time any more."""
        self._alarm.clear()
        self._note_alarm.clear()

    async def welcome_back(self, member: Member) -> None:
        """Unmark the seat of one who is here, if it was marked away. The room's lock is held."""

        def decide(room: Room) -> Decision | Refusal:
            number = room.seated(member.guest)
            seat = None if number is None else room.seats[number]
            return Decision((CameBack(number),) if number is not None and seat and seat.away else ())

        if member.generation and member.generation == self.generation(member.guest):
            await act(self._live, decide)

    async def _mark_away(self, guest: str) -> None:
        # By guest, not by seat: until the lock is free, seats close up, are freed, or are there no more.
        def decide(room: Room) -> Decision | Refusal:
            number = room.seated(guest)
            seat = None if number is None else room.seats[number]
            return Decision((WentAway(number),) if number is not None and seat and not seat.away else ())

        async with self._live.lock:
            if not self._live.has_audience():
                return
            guard = Guard(guest, self.generation(guest), self._live.tempo.away_ms)
            # A store that refuses, or knows them to be here after all, is not asked again at once.
            self._not_before = self._live.now() + PAUSE_MS
            if await act(self._live, decide, guard=guard) is None:
                self._live.beat_soon()

    async def _hand_on(self, host: str) -> None:
        async with self._live.lock:
            if not self._live.has_audience():
                return
            guard = Guard(host, self.generation(host), self._live.tempo.host_ms)
            self._not_before = self._live.now() + PAUSE_MS
            if await act(self._live, lambda room: hand_on(room, host, self.present()), guard=guard) is None:
                self._live.beat_soon()

    async def _hurry_anew(self) -> None:
        live = self._live
        if live.now() < self._not_before:
            return
        self._not_before = live.now() + PAUSE_MS
        # By what the store knows now: workers that believed different things would take turns in saying so.
        await live.beat()
        async with live.lock:
            if not live.closed:
                await act(live, lambda room: hurrying(room, self.present()))

    def schedule_note(self) -> None:
        """Tell everybody soon, if who is there or how many watch is not as they were told."""
        if self._live.closed:
            return
        note, noted = self._fresh_note(), self._noted
        if noted is None or note.watching >= noted.watching:
            self._settled_at = 0
        elif not self._settled_at:
            self._settled_at = self._live.now() + SETTLE_MS
        if note != noted and not self._note_alarm.pending:
            self._note_alarm.set(max(self._noted_at + NOTE_EVERY_MS, self._settled_at) - self._live.now())

    def _note(self) -> None:
        note = self._fresh_note()
        if note == self._noted:
            return
        if self._live.now() < self._settled_at:  # Set for something else, it rang while the number was still falling.
            self._note_alarm.set(self._settled_at - self._live.now())
            return
        self._noted, self._noted_at = note, self._live.now()
        self._live.speaking.deliver(packet("presence", note))

    def _fresh_note(self) -> PresenceNote:
        return PresenceNote(self._live.watching.number, self.absent())
