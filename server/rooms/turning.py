"""The cards that turn by themselves: a computer's, an away seat's, an auto's, everybody's in a hurry. When, and where.

A timer belongs to a due time, never to a version: it is armed once for each, from the store's clock as the same
answer told it, and only where a seated, present person is. The worker that committed last fires at once, the others
a little later, so that they meet the store already changed. Auto-reveal is a connection's own, so its worker alone
keeps its time.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.events import By
from server.ports import StoreDownError
from server.protocol.replies import Accepted
from server.rooms.alarm import Alarm
from server.rooms.context import LiveContext
from server.rooms.decision import Decision, Refusal
from server.rooms.play import beat_ms, turned, turner
from server.rooms.record import Room
from server.rooms.saving import act

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

PAUSE_MS = 500
"""How long a store that failed is left alone before a card is tried again."""
OTHERS_LATER_MS = (100, 200)
"""How much later a worker fires that did not commit last."""


class Turning:
    """Keeps the time of one room at one worker."""

    def __init__(self, live: LiveRoom) -> None:
        """Keep no time until `look` finds some to keep."""
        self._live = live
        self._due: int | None = None
        self._due_alarm = Alarm(self._due_rang)
        self._auto_for: tuple[int, int] | None = None
        self._auto_due: int | None = None
        self._auto_alarm = Alarm(self._auto_rang)
        self._not_before = 0

    @property
    def moment(self) -> int | None:
        """When the coming card turns by itself, as this worker's people are told."""
        return self._auto_due if self._live.head.due is None else self._live.head.due

    def look(self) -> None:
        """Set, keep or clear the alarms, after anything changed: the room, the due time, who is here."""
        self._look_at_due()
        self._look_at_auto()

    def clear(self) -> None:
        """Keep no time any more."""
        self._due_alarm.clear()
        self._auto_alarm.clear()
        self._due = self._auto_for = self._auto_due = None

    def _look_at_due(self) -> None:
        due = self._live.head.due
        if due is None or not self._live.has_audience():
            self._due = None
            self._due_alarm.clear()
        elif due != self._due or not self._due_alarm.pending:
            self._due = due
            later = 0 if self._live.committed_last else random.randint(*OTHERS_LATER_MS)
            self._due_alarm.set(max(due + later, self._not_before) - self._live.now())

    def _look_at_auto(self) -> None:
        room = self._live.room
        game = room.game
        waits = game is not None and game.turn is not None and turner(room) is None and not room.paused
        if game is None or game.turn is None or not waits or not self._live.has_auto(game.turn):
            self._auto_for = self._auto_due = None
            self._auto_alarm.clear()
        elif self._auto_for != (room.number, game.reveals):
            wait = max(beat_ms(room, self._live.tempo.beat_ms), self._not_before - self._live.now())
            self._auto_for = (room.number, game.reveals)
            self._auto_due = self._live.now() + wait
            self._auto_alarm.set(wait)

    def _due_rang(self) -> None:
        due = self._due
        if due is not None and self._live.now() < due:
            self._due_alarm.set(due - self._live.now())
        else:
            self._live.spawn(self._turn(due))

    def _auto_rang(self) -> None:
        self._live.spawn(self._turn_auto(self._auto_for))

    async def _turn(self, due: int | None) -> None:
        async with self._live.lock:
            if due is not None and self._live.head.due == due and self._live.has_audience():
                await self._reveal(None)
            self._live.changed()

    async def _turn_auto(self, armed_for: tuple[int, int] | None) -> None:
        async with self._live.lock:
            if armed_for is not None and armed_for == self._auto_for:
                self._auto_for = None  # Whatever comes of it, what is next is armed anew.
                await self._reveal("auto")
            self._live.changed()

    async def _reveal(self, by: By | None) -> Accepted | Refusal | None:
        """Make the reveal that this timer was armed for; `by` None: by whoever turns it when nobody taps."""
        live = self._live
        game = live.room.game
        if game is None or game.turn is None:
            return None
        armed_for = (live.room.number, game.reveals)
        seat = live.room.seats[game.turn]
        context = LiveContext(live, "")

        def decide(room: Room) -> Decision | Refusal:
            who = turner(room) if by is None or room.paused else by
            if room.game is None or (room.number, room.game.reveals) != armed_for or who is None:
                return Refusal("turning")
            return turned(room, who, context)

        guest = seat.guest if seat is not None and seat.guest else "computer"
        cmd = f"reveal {armed_for[0]}.{armed_for[1] + 1}"
        try:
            return await act(live, decide, guest=guest, cmd=cmd, timed=by is None)
        except StoreDownError:
            self._not_before = live.now() + PAUSE_MS
            raise
