"""The rooms that have people at this worker: letting them in and out, their commands, the beats.

The transport calls `enter`, `command`, `sync`, `exit`; each answers with a value or a typed Refusal. A room is kept
while somebody is connected here, and forgotten after: the store has it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import Callable

import structlog

from server.ports import Arrival, Store, StoreDownError
from server.protocol.commands import (
    Auto,
    ChangeSettings,
    Claim,
    Command,
    Delete,
    GiveNonce,
    HandOver,
    Hurry,
    Leave,
    Lock,
    Move,
    Mute,
    Nudge,
    Pause,
    Ready,
    Remove,
    Rename,
    Reveal,
    Say,
    Since,
    Sit,
    Start,
    Stop,
    TurnFor,
    Unsay,
)  # fmt: skip
from server.protocol.ids import tag
from server.protocol.replies import Accepted
from server.rooms import chat, hosting, lobby, moving, patience, play, talking
from server.rooms.context import LiveContext
from server.rooms.decision import Decision, Refusal
from server.rooms.history import Turns
from server.rooms.live import LiveRoom, Tempo
from server.rooms.member import ARRIVING, Member
from server.rooms.outlet import Outlet, Socket
from server.rooms.packing import ForeignStateError
from server.rooms.record import Room
from server.rooms.saving import Decide, act
from server.tally import Tally

log = structlog.get_logger()

BEAT_EVERY_S = 5.0
END_S = 0.5
"""How long the end of a worker waits, for what its rooms have under way and for each connection's leave."""
DECIDERS: dict[type, Callable[..., Decision | Refusal]] = {
    Sit: lobby.sit,
    Leave: lobby.leave,
    Rename: lobby.rename,
    GiveNonce: lobby.nonce,
    Start: lobby.start,
    Ready: lobby.ready,
    Reveal: play.reveal,
    Auto: play.auto,
    Stop: play.stop,
    Say: chat.say,
    Unsay: chat.unsay,
    Nudge: chat.nudge,
    TurnFor: patience.turn,
    Hurry: patience.hurry,
    Pause: patience.pause,
    Move: moving.move,
    Claim: moving.claim,
    Lock: hosting.lock,
    ChangeSettings: hosting.change_settings,
    Mute: hosting.mute,
    Remove: hosting.remove,
    HandOver: hosting.hand_over,
    Delete: hosting.delete,
}


def _decider(live: LiveRoom, member: Member, command: Command) -> Decide:
    """Return how this command is decided: after a clash in another world too, where seats may have closed up."""
    decide = DECIDERS[type(command)]
    first, drawn = live.room, LiveContext(live, member.guest, member.language)

    def decided(room: Room) -> Decision | Refusal:
        context = drawn if room is first else LiveContext(live, member.guest, member.language)
        return decide(room, command=command, context=context)

    return decided


async def _foreseen(decide: Decide, room: Room) -> Decide:
    """Decide on this room in a thread: up to 256 games are played in silence to find the length, not on the loop."""
    foreseen = await asyncio.to_thread(decide, room)

    def decided(now: Room) -> Decision | Refusal:
        return foreseen if now is room else decide(now)

    return decided


class Rooms:
    """Every table with people at this worker."""

    def __init__(self, store: Store, outlet: Outlet, tempo: Tempo, tally: Tally | None = None) -> None:
        """Have no rooms yet."""
        self._store = store
        self._outlet = outlet
        self._tempo = tempo
        self._tally = tally or Tally()
        self._live: dict[str, LiveRoom] = {}
        self._turns = Turns()
        self._beats: set[asyncio.Task[None]] = set()
        self._closed = False

    def __len__(self) -> int:
        """Return how many tables have people here."""
        return len(self._live)

    def live(self) -> tuple[LiveRoom, ...]:
        """Return the tables with people here."""
        return tuple(self._live.values())

    async def enter(
        self, table: str, socket: Socket, since: Since | None, language: str, token: str = ""
    ) -> tuple[LiveRoom, Member] | Refusal:
        """Let a connection in and bring it up to now; its socket holds back what it cannot receive yet.

        `token` is that of a link to a moving seat: it lets its bearer in where nobody may watch.

        Raises:
            StoreDownError: tell the client to come again.
        """
        while True:
            live = self._live.get(table)
            if live is None:
                live = self._live[table] = LiveRoom(table, self._store, self._outlet, self._tempo, self._tally)
            # A crowd waits at the door; who has a seat walks past it.
            returns = live.loaded and live.room.seated(socket.guest) is not None
            async with contextlib.nullcontext() if returns else live.door, live.lock:
                if live.closed:
                    self._drop(live)
                    continue
                try:
                    return await self._enter(live, socket, since, language, token)
                except ForeignStateError as error:
                    log.error("a table cannot be read", table=tag(live.table), why=str(error))
                    return Refusal("store_down")
                finally:
                    await self._close_if_empty(live)

    async def _enter(
        self, live: LiveRoom, socket: Socket, since: Since | None, language: str, token: str
    ) -> tuple[LiveRoom, Member] | Refusal:
        if not live.loaded:
            await self._store.subscribe(live.table, live)
        asked = (live.gate.seq, live.gate.mark) if live.loaded else None
        known = None if since is None else since[1]
        if asked is not None:
            known = asked[0] if known is None else min(known, asked[0])
        key = socket.guest or f"nobody-{secrets.token_hex(8)}"
        arrival = await self._store.arrive(live.table, key, known, restart_ms=self._tempo.beat_ms)
        if arrival is None:
            return Refusal("no_table")
        # From here to the member's place in the room nothing is awaited, so no batch can slip between.
        self._take(live, arrival, asked)
        shut_out = live.shut_out(socket.guest, token)
        if shut_out is not None:
            await self._store.leave(live.table, key, 0)
            return Refusal(shut_out)
        member = Member(socket, key, arrival.generation, language, token=token)
        live.members.append(member)
        live.replace_older(member.guest)
        live.speaking.welcome(member, since, arrival.stored.batches)
        live.changed()
        if not live.beating:
            live.beating = True
            self._start_beats(live)
        with contextlib.suppress(StoreDownError):
            await self._close_presence(live, member)
        with contextlib.suppress(StoreDownError):  # They are in all the same; a beat will bring them back.
            await live.absence.welcome_back(member)
        return live, member

    def _take(self, live: LiveRoom, arrival: Arrival, asked: tuple[int, str] | None) -> None:
        if asked is None:
            live.load(arrival.stored)
        else:
            live.absorb(arrival.stored, *asked)
        live.absence.take(arrival.presence, arrival.watching, arrival.stored.head.now)

    async def exit(self, live: LiveRoom, member: Member) -> None:
        """Take note that a connection has ended."""
        try:
            async with asyncio.timeout(END_S if self._closed else None):
                await self._exit(live, member)
        except TimeoutError:
            pass  # The worker ends, and the store is away.

    async def _exit(self, live: LiveRoom, member: Member) -> None:
        async with live.door, live.lock:
            live.part(member)
            try:
                if member.ended != "replaced" and not any(m.key == member.key for m in live.members):
                    await self._store.leave(live.table, member.key, member.generation)
            except StoreDownError:
                pass  # Its presence runs out by itself, unheard.
            finally:
                live.changed()
                await self._close_if_empty(live)

    async def command(self, live: LiveRoom, member: Member, command: Command) -> Accepted | Refusal:
        """Carry out one command of a connection that is in.

        Raises:
            StoreDownError: nothing is known to have changed; the client asks again with the same id.
        """
        async with live.lock:
            # Only now: while this waited for the lock, a newer tab may have come, or the host removed them.
            if member.ended is not None:
                return Refusal(member.ended)
            if live.closed:
                done = isinstance(command, Delete) and live.ended == "deleted"
                return Accepted() if done else Refusal("no_table")
            decide = _decider(live, member, command)
            if isinstance(command, Reveal):
                return await self._reveal(live, member, command, decide)
            if isinstance(command, Auto):
                return self._auto(live, member, command, decide)
            if isinstance(command, Delete):
                return await self._delete(live, decide)
            if isinstance(command, Sit | Claim) and live.room.seated(member.guest) is None:
                return await self._sit(live, member, command, decide)
            cmd = f"{command.name_} {getattr(command, 'id', '')}"
            if isinstance(command, Say):
                return await talking.say(live, decide, guest=member.guest, cmd=cmd) or Refusal("too_fast")
            if isinstance(command, Nudge):
                return await talking.nudge(live, decide, guest=member.guest, cmd=cmd)
            if isinstance(command, Start) and live.room.settings.length != "any":
                decide = await _foreseen(decide, live.room)
            answer = await act(live, decide, guest=member.guest, cmd=cmd)
            with contextlib.suppress(StoreDownError):  # It is done, and is answered so; a presence runs out by itself.
                await self._close_presence(live, member)
            return answer or Refusal("too_fast")

    async def _close_presence(self, live: LiveRoom, member: Member) -> None:
        """Let one who left during the game, and goes on watching, count as gone: the seat waits for them."""
        if member.generation and live.room.seated(member.guest) is None:
            generation, member.generation = member.generation, 0
            await self._store.leave(live.table, member.guest, generation)

    async def _reveal(self, live: LiveRoom, member: Member, command: Reveal, decide: Decide) -> Accepted | Refusal:
        game, seat = live.room.game, live.room.seat_of(member.guest)
        cmd = f"reveal {live.room.number}.{command.n}"
        if game is not None and seat is not None and command.n <= game.reveals:
            # One that this seat has made already is answered ok again, before everything else.
            done = await self._store.done(live.table, member.guest, f"reveal {game.game}.{command.n}")
            if done is not None:
                return Accepted(seq=done.seq)
            if self._turns.seat(game, command.n) == seat:
                return Accepted()
        return await act(live, decide, guest=member.guest, cmd=cmd) or Refusal("turning")

    def _auto(self, live: LiveRoom, member: Member, command: Auto, decide: Decide) -> Accepted | Refusal:
        decision = decide(live.room)
        if isinstance(decision, Refusal) and command.on:
            return decision
        member.auto = command.on
        live.changed()
        return Accepted()

    async def _sit(self, live: LiveRoom, member: Member, command: Sit | Claim, decide: Decide) -> Accepted | Refusal:
        # Presence first: a seat that was taken by one of whom no presence is known would look deserted.
        refusal = decide(live.room)
        if not isinstance(refusal, Refusal):
            member.generation = ARRIVING
            asked = (live.gate.seq, live.gate.mark)
            arrival = None
            try:
                arrival = await self._store.arrive(
                    live.table, member.guest, asked[0], sitting=True, restart_ms=self._tempo.beat_ms
                )
            finally:
                member.generation = 0 if arrival is None else arrival.generation
            if arrival is None:
                live.end("expired")
                return Refusal("no_table")
            live.absorb(arrival.stored, *asked)
            live.absence.take(arrival.presence, arrival.watching, arrival.stored.head.now)
        answer = await act(live, decide, guest=member.guest, cmd=f"{command.name_} {command.id}")
        # Also where it was a yes, to a command that was done before its guest left again.
        if member.generation and live.room.seated(member.guest) is None:
            generation, member.generation = member.generation, 0
            live.absence.forget(member.guest)
            await self._store.forget(live.table, member.guest, generation)
        live.replace_older(member.guest)
        return answer or Refusal("too_fast")

    async def _delete(self, live: LiveRoom, decide: Decide) -> Accepted | Refusal:
        while not live.closed:
            decision = decide(live.room)
            if isinstance(decision, Refusal):
                return decision
            # Over the version that was decided on: who has handed on elsewhere does not delete.
            if await self._store.delete(live.table, live.head.ver):
                live.end("deleted")
            else:
                await live.catch_up()
        return Accepted() if live.ended == "deleted" else Refusal("no_table")

    async def sync(self, live: LiveRoom, member: Member, since: Since | None) -> int | Refusal:
        """Bring a connection up to now, as on connect; returns the seq.

        Raises:
            StoreDownError: as for commands.
        """
        async with live.lock:
            if member.ended is not None:
                return Refusal(member.ended)
            asked = (live.gate.seq, live.gate.mark)
            known = asked[0] if since is None else min(since[1], asked[0])
            stored = await self._store.read(live.table, known, said=True)
            if stored is None:
                live.end("expired")
                return Refusal("no_table")
            live.absorb(stored, *asked)
            live.speaking.welcome(member, since, stored.batches)
            return live.gate.seq

    async def close(self) -> None:
        """Keep no time any more, and let what is in flight finish: within END_S, whatever the store does."""
        self._closed = True
        for task in self._beats:
            task.cancel()
        # Not by the rooms' locks: with the store away, one may be held for as long as a question is asked again.
        under_way = {task for live in self.live() for task in live.stop()}
        if under_way:
            _, hung = await asyncio.wait(under_way, timeout=END_S)
            for task in hung:
                task.cancel()

    def _start_beats(self, live: LiveRoom) -> None:
        task = asyncio.get_running_loop().create_task(self._beat(live))
        self._beats.add(task)
        task.add_done_callback(self._beats.discard)

    async def _beat(self, live: LiveRoom) -> None:
        # The first beat comes at a random moment, so that tables made together do not beat together.
        await asyncio.sleep(BEAT_EVERY_S * random.random())
        while not live.closed and live.members:
            try:
                await live.beat()
            except StoreDownError as error:
                live.repair_after(error)
            except Exception:
                log.exception("a beat failed", table=tag(live.table))
            await asyncio.sleep(BEAT_EVERY_S)

    async def _close_if_empty(self, live: LiveRoom) -> None:
        if live.members:
            return
        live.close()
        if self._live.get(live.table, live) is not live:
            return  # Another room has taken its place, and its subscription.
        with contextlib.suppress(StoreDownError):
            await self._store.unsubscribe(live.table)
        self._drop(live)

    def _drop(self, live: LiveRoom) -> None:
        if self._live.get(live.table) is live:
            del self._live[live.table]
