"""A room with people here: its lock, its cache, its gate, and who is connected at this worker.

The truth is in the store. This is a copy that the compare-and-set keeps safe; it changes only by what the gate lets
through. Commands, timers and arrivals take the lock; what the room's channel brings is taken at once, between any two
of their awaits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from server.ports import Batch, Committed, Head, Presence, Published, Store, Stored, StoreDownError
from server.protocol.replies import Notice, NoticeCode
from server.rooms.absence import Absence
from server.rooms.background import Background
from server.rooms.gate import Gate, Verdict
from server.rooms.lines import Lines
from server.rooms.member import ARRIVING, Member
from server.rooms.moving import moved_on, opens
from server.rooms.outlet import Outlet, packet
from server.rooms.packing import unpack
from server.rooms.presence import HEARD_MS
from server.rooms.record import Room
from server.rooms.speaking import Speaking
from server.rooms.turning import Turning
from server.rooms.watching import Watching
from server.tally import Tally


@dataclass(frozen=True, slots=True)
class Tempo:
    """The times that are settings, ms: a beat; how long gone is away; how long an idle table lives (contract, Life).

    A nudge comes once in `nudge_ms`; `says` are a guest's lines of chat in ten seconds, 0 for no limit.
    `host_ms`: how long the host is gone until another is host; `idle_ms`: the host's patience with one who is idle.
    """

    beat_ms: int = 1_000
    away_ms: int = 20_000
    ttl_ms: int = 24 * 3_600_000
    unvisited_ms: int = 2 * 3_600_000
    nudge_ms: int = 20_000
    says: int = 5
    host_ms: int = 60_000
    idle_ms: int = 60_000

    def life_ms(self, room: Room) -> int:
        """Return how long this table lives after its last activity; less if only its maker ever came."""
        return self.ttl_ms if room.visits > 1 else self.unvisited_ms


class LiveRoom:
    """One table at this worker. `rooms.Rooms` makes it and lets people in and out."""

    room: Room
    head: Head
    gate: Gate

    def __init__(self, table: str, store: Store, outlet: Outlet, tempo: Tempo, tally: Tally) -> None:
        """Know nothing yet; the first to enter loads the room."""
        self.table = table
        self.store = store
        self.tempo = tempo
        self.tally = tally
        self.lock = asyncio.Lock()
        self.door = asyncio.Lock()
        """Taken before `lock` by who comes or goes, so that of a crowd never more than one waits before a tap."""
        self.members: list[Member] = []
        self.people: dict[Member, None] = {}
        """The members who have been told that they have a seat."""
        self.lines = Lines()
        self.loaded = False
        self.closed = False
        self.ended: NoticeCode | None = None
        self.beating = False
        self.committed_last = False
        self.absence = Absence(self)
        self.watching = Watching(self)
        self.turning = Turning(self)
        self.speaking = Speaking(self, outlet)
        self._held_back: list[Published] = []
        self._awaiting_own = False
        self._clock = 0.0
        self._background = Background(self)
        self.spawn = self._background.spawn
        self.repair = self._background.repair
        self.repair_after = self._background.repair_after

    # --- What timers and deciders ask --------------------------------------------------------------------------------

    def now(self) -> int:
        """Return the store's time, ms, by the monotonic clock since its last answer."""
        return round(asyncio.get_running_loop().time() * 1000 + self._clock)

    def has_audience(self) -> bool:
        """Say whether a seated, present person is connected here: a watcher's tab keeps no time."""
        for member in self.people:  # a loop, since every card asks twice  # noqa: SIM110
            if member.socket.silent_ms() <= HEARD_MS:
                return True
        return False

    def has_auto(self, seat: int) -> bool:
        """Say whether this seat's connection is here and has auto-reveal on."""
        return any(m.auto and m.you is not None and m.you.seat == seat for m in self.people)

    def has_connection(self, guest: str, generation: int) -> bool:
        """Say whether this guest's connection of this generation is here."""
        return any(m.guest == guest and m.generation == generation for m in self.people)

    # --- The gate: what goes on to the sockets -----------------------------------------------------------------------

    def load(self, stored: Stored) -> None:
        """Start anew from a table as read."""
        self.room = unpack(stored.state)
        self.head = stored.head
        self.gate = Gate(stored)
        self._set_clock(stored.head.now)
        self.lines = Lines(stored.said)
        self.loaded = True
        self._release_held_back()

    def heard(self, published: Published) -> None:
        """Take a commit from the room's channel, which may repeat and may have holes."""
        own = published.worker == self.store.worker
        if not self.loaded or (own and self._awaiting_own):
            # Our own answer is on its way and carries the same; kept only in case another's overtakes it.
            self._held_back.append(published)
            return
        verdict = self.gate.offer(published.batch)
        if verdict is Verdict.HOLE and self._held_back:
            self._release_held_back()
            verdict = self.gate.offer(published.batch)
        if verdict is Verdict.NEXT:
            self._pass_on(published.batch)
            self.committed_last = own
            self._moved_to(published.head, None if published.state is None else unpack(published.state))
        elif verdict is not Verdict.OLD:
            self.repair()

    def absorb(self, stored: Stored, asked_seq: int, asked_mark: str) -> None:
        """Take a table as read: what is missing goes out batch by batch; after a rollback, a snapshot to all.

        `asked_seq` and `asked_mark` say where the gate stood when the question was sent.
        """
        if not self.gate.agrees(stored, asked_seq, asked_mark):
            self.load(stored)
            self.absence.forget_all()
            self.watching.forget_all()
            self._show_out()  # In what was trimmed, somebody may have been removed.
            for member in self.members:
                self.speaking.welcome(member, None, ())
            self.changed()
            self.spawn(self._arrive_anew())
            return
        for batch in stored.batches:
            self._let_through(batch)
        if self.gate.seq == stored.head.seq:
            newer = stored.head.ver != self.head.ver
            self._moved_to(stored.head, unpack(stored.state) if newer else None)

    async def spoken(self, committed: Committed, after: Room) -> None:
        """Let through what this worker has just saved."""
        self.committed_last = True
        if self._let_through(committed.batch):
            self._moved_to(committed.head, after)
        elif self.gate.seq < committed.batch.seq:
            await self.catch_up_or_repair()

    async def catch_up(self) -> None:
        """Read the store and let through what is missing."""
        asked = (self.gate.seq, self.gate.mark)
        stored = await self.store.read(self.table, asked[0], said=True)
        if stored is None:
            self.end("expired")
        else:
            self.absorb(stored, *asked)

    async def catch_up_or_repair(self) -> None:
        """Catch up after what is saved already: whatever comes now, its sender is not told otherwise."""
        try:
            await self.catch_up()
        except StoreDownError:
            self.repair(down=True)

    @contextmanager
    def awaiting_own(self) -> Iterator[None]:
        """Hold back what the channel says of our own commit while its answer is on its way."""
        self._awaiting_own = True
        try:
            yield
        finally:
            self._awaiting_own = False
            self._held_back.clear()

    def _release_held_back(self) -> None:
        held_back, self._held_back = self._held_back, []
        for published in held_back:
            if self._let_through(published.batch):
                self._moved_to(published.head, None if published.state is None else unpack(published.state))

    def _let_through(self, batch: Batch) -> bool:
        if self.gate.offer(batch) is not Verdict.NEXT:
            return False
        self._pass_on(batch)
        return True

    def _pass_on(self, batch: Batch) -> None:
        came = time.perf_counter()
        self.lines.take(batch.frame)
        self.speaking.batch(batch)
        # After what was just given to the sockets is written, which the loop does next.
        asyncio.get_running_loop().call_soon(self._fanned_out, came)

    def _fanned_out(self, came: float) -> None:
        self.tally.fanout.took(time.perf_counter() - came)

    def _moved_to(self, head: Head, room: Room | None) -> None:
        self.head = head
        self._set_clock(head.now)
        if room is not None:
            before, self.room = self.room, room
            # Few batches change who sits where: most only move cards.
            reseated = room.seats is not before.seats and room.seats != before.seats
            started = room.phase == "playing" != before.phase
            gave_way = reseated and moved_on(before, room)
            if started or gave_way or room.settings != before.settings or room.removed != before.removed:
                self._show_out()
            for guest in room.players() - before.players() if reseated else ():
                self.replace_older(guest)  # Their newest connection was heard of before they sat down.
        self.changed()

    def shut_out(self, guest: str, token: str) -> Literal["removed", "closed"] | None:
        """Say why this guest may not be here, None if they may: also one who brings an open link to a moving seat."""
        if guest in self.room.removed:
            return "removed"
        return None if self.room.admits(guest) or opens(self.room, token, self.now()) else "closed"

    def _show_out(self, *, lapsed: bool = False) -> None:
        """End those who may be here no longer: removed, or let in to take a seat where nobody may watch now.

        `lapsed`: of those who came by a link alone.
        """
        for member in [m for m in self.members if m.token or not lapsed]:
            if (why := self.shut_out(member.guest, member.token)) is not None:
                self._quieten(member, why)

    def _quieten(self, member: Member, why: Literal["replaced", "closed", "removed"]) -> None:
        member.ended = why
        self.part(member)
        if why != "replaced":
            self.spawn(self.watching.uncount(member.key))
        member.socket.send(packet("notice", Notice(why)))

    def part(self, member: Member) -> None:
        """Take a connection out of the room: nothing is said to it any more. Harmless when it is out."""
        self.people.pop(member, None)
        if member in self.members:
            self.members.remove(member)

    def _set_clock(self, now: int) -> None:
        self._clock = now - asyncio.get_running_loop().time() * 1000

    # --- Presence, and the rest of the channel's news ----------------------------------------------------------------

    def changed(self) -> None:
        """See to what follows from any change: who people are here, the absent, the timers, the moment."""
        if self.closed:
            return
        self.speaking.tell_yous()
        self.absence.look()
        self.turning.look()
        self.speaking.tell_moment(self.turning.moment)

    def presence_changed(self, guest: str, presence: Presence) -> None:
        """Take the news that a seated guest arrived or left, at whichever worker."""
        if self.loaded:
            self.absence.take_one(guest, presence)
            self.replace_older(guest)
            self.changed()

    def watching_changed(self, watching: int, at: int, gone: str) -> None:
        """Take how many watch, at all workers; who watches here is counted whatever another tab of theirs did."""
        if self.loaded:
            self.watching.heard(watching, at, gone)
            self.absence.schedule_note()

    def noticed(self, guest: str, code: str) -> None:
        """Give a guest's newest connection a word, if it is here."""
        if code in get_args(NoticeCode):
            self.speaking.word(guest, cast(NoticeCode, code))

    def replace_older(self, guest: str) -> None:
        """Quieten this guest's connections that are older than the newest: it alone has the seat."""
        if self.room.seated(guest) is None:
            return  # What is known of one who gave the seat up is old: they watch, by as many connections as they like.
        newest = self.absence.generation(guest)
        for member in [m for m in self.members if m.guest == guest and m.generation < newest]:
            self._quieten(member, "replaced")

    async def beat(self) -> None:
        """Say who was heard here, and learn the head and everybody's presence: a periodic check of everything."""
        asked = (self.gate.seq, self.gate.mark)
        heard = [(m.guest, m.generation, m.socket.silent_ms()) for m in self.members if m.generation]
        watchers = self.watching.keys()
        answer = await self.store.beat(self.table, heard, sorted(watchers))
        if answer is None:
            self.end("expired")
            return
        head = answer.head
        self._set_clock(head.now)
        self.absence.take(answer.presence, answer.watching, head.now)
        for guest in answer.presence:
            self.replace_older(guest)
        rolled_back = head.seq < asked[0] or (head.seq == asked[0] and head.mark != asked[1])
        if rolled_back or head.seq > self.gate.seq:
            self.repair()
        elif head.seq == self.gate.seq:
            self.head = replace(self.head, due=head.due, since=head.since)
        self._show_out(lapsed=True)
        self.changed()
        for key in watchers - self.watching.keys():
            await self.watching.uncount(key)  # They went while this was on its way, and it may have counted them again.
        await self._bring_back()

    async def _bring_back(self) -> None:
        if not any(seat.away for _, seat in self.room.people()):
            return
        async with self.lock:
            for member in list(self.members):
                await self.absence.welcome_back(member)

    async def _arrive_anew(self) -> None:
        """Take new generations for the seated here: the store that went back does not know theirs."""
        async with self.lock:
            for member in [m for m in self.members if self.room.seated(m.guest) is not None]:
                arrival, member.generation = None, ARRIVING
                try:
                    arrival = await self.store.arrive(self.table, member.guest, None, sitting=True)
                finally:
                    member.generation = 0 if arrival is None else arrival.generation
                if arrival is not None:
                    self.absence.take(arrival.presence, arrival.watching, arrival.stored.head.now)
            self.changed()

    def beat_soon(self) -> None:
        """Read everybody's presence again, now rather than at the next beat."""
        self.spawn(self.beat())

    def resubscribed(self) -> None:
        """Learn that messages may be missing."""
        self.repair()

    def deleted(self) -> None:
        """Learn that the host deleted the table."""
        self.end("deleted")

    # --- The end -----------------------------------------------------------------------------------------------------

    def end(self, code: NoticeCode) -> None:
        """Tell everybody why the table is no more, once."""
        if self.closed:
            return
        self.ended = code
        self.speaking.notice(code)
        self.close()

    def close(self) -> None:
        """Keep no time and start nothing any more."""
        self.closed = True
        self.turning.clear()
        self.absence.clear()

    def stop(self) -> set[asyncio.Task[None]]:
        """Close, and return what is still under way; what only reads the store is given up."""
        self.close()
        return self._background.stop()
