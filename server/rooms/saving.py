"""Decide, save, speak: the one way in which a room changes.

A decision is made on the worker's copy and saved over the version that it was made on; a clash brings the newer state,
and the decision is made again. Nothing is spoken before it is saved.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.records import quick
from server.ports import (
    KEEP,
    Clash,
    Commit,
    Committed,
    Done,
    Early,
    Gone,
    Guard,
    Here,
    Outcome,
    StoreDownError,
    StoreFullError,
    UncertainError,
)  # fmt: skip
from server.protocol.codec import encode, encode_events
from server.protocol.events import Said, Unsaid
from server.protocol.replies import Accepted
from server.rooms.chat import is_chat, line_of
from server.rooms.decision import Decision, Refusal
from server.rooms.facts import public
from server.rooms.packing import pack
from server.rooms.play import timing, wait_ms
from server.rooms.record import Room, applied

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

CLASHES = 16
"""How often a decision is made anew before the table is called too busy."""

_new_commit = quick(Commit)

Decide = Callable[[Room], Decision | Refusal]


async def act(
    live: LiveRoom,
    decide: Decide,
    *,
    guest: str = "",
    cmd: str = "",
    timed: bool = False,
    guard: Guard | None = None,
) -> Accepted | Refusal | None:
    """Carry one decision through. The room's lock is held.

    A command that was done before is answered the same, also where it would be refused now. None when the guarded guest
    is here after all, or when a timed commit came early.

    Raises:
        StoreDownError: nothing is known; the room repairs itself, and the caller says so.
    """
    for _ in range(CLASHES):
        room = live.room
        decision = decide(room)
        if isinstance(decision, Refusal) or not decision.facts:
            # Done before, it may be refused now, or have nothing left to do: it is answered as it was then. And what
            # finds nothing to do is done by that: asked again, it must not find something.
            nothing = None if isinstance(decision, Refusal) else _answer(decision)
            then = await done_before(live, guest, cmd, nothing) if cmd else None
            if then is not None:
                return then
            if isinstance(decision, Refusal) and live.room is not room:
                continue  # Meanwhile the channel brought what another worker had saved before this was asked.
            return decision if isinstance(decision, Refusal) else Accepted(seat=decision.seat, url=decision.url)
        after = applied(live.room, decision.facts)
        asked = (live.gate.seq, live.gate.mark)
        outcome = await _commit(live, decision, after, guest, cmd, timed, guard)
        live.tally.commits[outcome.kind] += 1
        match outcome:
            case Committed():
                live.tally.reveals += after.turned > live.room.turned
                await live.spoken(outcome, after)
                for gone in decision.freed:
                    live.absence.forget(gone)
                return Accepted(seq=outcome.batch.seq, seat=decision.seat, url=decision.url)
            case Clash(stored):
                live.absorb(stored, *asked)
            case Done():
                return await _as_then(live, outcome)
            case Early(_, due):
                live.head = replace(live.head, due=due)
                return None
            case Here():
                return None
            case Gone():
                live.end("expired")
                return Refusal("no_table")
    return Refusal("too_fast")


async def _commit(
    live: LiveRoom, decision: Decision, after: Room, guest: str, cmd: str, timed: bool, guard: Guard | None
) -> Outcome:
    same_time = after.turned == live.room.turned and timing(after) == timing(live.room)
    said, unsaid = _chat(decision)
    commit = _new_commit(
        table=live.table,
        expect_ver=live.head.ver,
        events=f"[{said}]" if said else encode_events(public(decision.facts)),
        ttl_ms=live.tempo.life_ms(after),
        known_seq=live.gate.seq,
        state=None if is_chat(decision.facts) else pack(after),
        guest=guest,
        cmd=cmd,
        answer=_answer(decision),
        due=KEEP if same_time else wait_ms(after, live.tempo.beat_ms),
        timed=timed,
        guard=guard,
        said=said,
        unsaid=unsaid,
        receipt=decision.receipt,
        freed=decision.freed,
    )
    with live.awaiting_own():
        try:
            return await live.store.commit(commit)
        except StoreFullError:
            live.tally.commits["full"] += 1
            live.repair()
            raise
        except StoreDownError as error:
            live.tally.commits["lost"] += 1
            live.repair(down=True)
            raise UncertainError(str(error)) from error


def _chat(decision: Decision) -> tuple[str | None, str | None]:
    """Return the line to add to those that are kept, which is then the whole batch, and the id of one to take out."""
    match decision.facts:
        case (Said() as fact,):
            return line_of(fact), None
        case (Unsaid(taken_out),):
            return None, taken_out
    return None, None


def _answer(decision: Decision) -> str:
    """Return what the acknowledgement says beside ok and seq, as it is remembered."""
    if decision.seat is None and decision.url is None:
        return "{}"
    return encode({k: v for k, v in (("seat", decision.seat), ("url", decision.url)) if v is not None})


async def done_before(live: LiveRoom, guest: str, cmd: str, answer: str | None = None) -> Accepted | None:
    """Return what this command was answered, if it was done before; else remember `answer`, if one is given."""
    done = await live.store.done(live.table, guest, cmd, answer)
    return None if done is None else await _as_then(live, done)


async def _as_then(live: LiveRoom, done: Done) -> Accepted:
    if done.seq > live.gate.seq:
        await live.catch_up_or_repair()
    then = json.loads(done.answer)
    return Accepted(seq=done.seq or None, seat=then.get("seat"), url=then.get("url"))
