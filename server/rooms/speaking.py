"""What a room says to the connections at this worker: batches, snapshots, who they are, the moment.

Every text is encoded once however many receive it; the seated are written first. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from server.ports import Batch
from server.protocol.commands import Since
from server.protocol.replies import EventsMessage, Moment, Notice, NoticeCode, You
from server.rooms.member import Member
from server.rooms.outlet import Outlet, events_packet, packet
from server.rooms.snapshot import encoded, snapshot, you_of

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

SHOT_KEPT_MS = 1_000
"""How long one encoded snapshot serves every watcher who comes; its `serverTime` and `watching` are as old."""


class Speaking:
    """The voice of one room at one worker."""

    def __init__(self, live: LiveRoom, outlet: Outlet) -> None:
        """Say nothing yet."""
        self._live = live
        self._outlet = outlet
        self._moment: int | None = None
        self._seats: tuple[object, ...] | None = None
        self._seating: tuple[object, ...] | None = None
        self._shot: tuple[tuple[Any, ...], int, str] | None = None

    def deliver(self, text: str) -> None:
        """Send one packet to everybody here, the seated first."""
        people = self._live.people
        watchers = [m.socket for m in self._live.members if m not in people]
        self._outlet.deliver([m.socket for m in people] + watchers, text)

    def batch(self, batch: Batch) -> None:
        """Send a batch that the gate let through."""
        self.deliver(events_packet(batch.frame))

    def notice(self, code: NoticeCode) -> None:
        """Send a word to everybody here."""
        self.deliver(packet("notice", Notice(code)))

    def word(self, guest: str, code: NoticeCode) -> None:
        """Send a word to a seated guest's newest connection, if it is here."""
        newest = self._live.absence.generation(guest)
        for member in self._live.members:
            if newest and member.guest == guest and member.generation == newest:
                member.socket.send(packet("notice", Notice(code)))

    def tell_yous(self) -> None:
        """Tell each who they are, where that has changed; one whose seat was freed watches from now on."""
        room = self._live.room
        # Few batches change who anybody is, and a table may have a thousand watchers.
        if room.seats is self._seats and self._seating is not None and room.host == self._seating[0]:
            return
        self._seats = room.seats
        seating = (room.host, *((seat.guest, seat.left) if seat is not None else None for seat in room.seats))
        if seating == self._seating:
            return
        self._seating = seating
        for member in self._live.members:
            you = you_of(room, member.guest)
            if you == member.you:
                continue
            if you.seat is None:
                member.auto = False
                if room.seat_of(member.guest) is None:
                    member.generation = 0
            self._tell_you(member, you)

    def _tell_you(self, member: Member, you: You) -> None:
        member.you = you
        if you.seat is None:
            self._live.people.pop(member, None)
        else:
            self._live.people[member] = None
        member.socket.send(packet("you", you))

    def tell_moment(self, moment: int | None) -> None:
        """Tell everybody when the coming card turns by itself, where that has changed."""
        if moment != self._moment:
            self._moment = moment
            self.deliver(packet("moment", Moment(moment)))

    def welcome(self, member: Member, since: Since | None, batches: Iterable[Batch]) -> None:
        """Bring one connection up to now: what it missed, or a snapshot; then who it is, and the moment."""
        live, gate, tally = self._live, self._live.gate, self._live.tally
        missing = None if since is None else gate.missing(since, batches)
        if since is not None:
            tally.resumed_by_snapshot += missing is None
            tally.resumed_exact += missing is not None
        if missing is None:
            self.send_snapshot(member)
        elif not missing:
            here = EventsMessage(gate.epoch, gate.seq, gate.mark, live.now(), ())
            member.socket.send(packet("events", here))
        else:
            for batch in missing:
                member.socket.send(events_packet(batch.frame))
        self._tell_you(member, you_of(live.room, member.guest))
        member.socket.send(packet("moment", Moment(live.turning.moment)))

    def send_snapshot(self, member: Member) -> None:
        """Send the whole table as it is."""
        live, gate = self._live, self._live.gate
        you = you_of(live.room, member.guest)
        absent, watching, now = live.absence.absent(), live.watching.number, live.now()
        key = (gate.seq, gate.mark, absent, now // SHOT_KEPT_MS)
        if you.watching and self._shot is not None and self._shot[0] == key:
            member.socket.send(self._shot[2])
            if watching != self._shot[1]:
                live.absence.note_again()
            return
        shot = snapshot(
            live.room,
            epoch=gate.epoch,
            seq=gate.seq,
            mark=gate.mark,
            absent=absent,
            watching=watching,
            now=now,
            you=you,
        )
        text = f'2["snapshot",{encoded(shot, live.lines.texts)}]'
        if you.watching:
            self._shot = (key, watching, text)
        member.socket.send(text)
