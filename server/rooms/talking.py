"""Carrying out what people say to each other: the rate of lines, and the bell of a nudge.

Both are counted in the store, so that neither a new connection nor another worker helps a flood. What was carried out
before is answered as then, and counted once.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from server.ports import StoreDownError, StoreFullError, UncertainError
from server.protocol.replies import Accepted
from server.rooms.decision import Refusal
from server.rooms.saving import Decide, act, done_before

if TYPE_CHECKING:
    from server.rooms.live import LiveRoom

SAYS_WINDOW_MS = 10_000


def bucket(table: str, guest: str) -> str:
    """Return what a guest's lines at a table are counted under: neither can be read from it."""
    return f"says:{hashlib.sha256(f'{table} {guest}'.encode()).hexdigest()[:24]}"


async def say(live: LiveRoom, decide: Decide, *, guest: str, cmd: str) -> Accepted | Refusal | None:
    """Say a line, unless this guest has said too many lately. The room's lock is held.

    Raises:
        StoreDownError: as `act` does.
    """
    name, limit = bucket(live.table, guest), live.tempo.says
    if guest and not await live.store.allow(name, limit, SAYS_WINDOW_MS, use=cmd):
        return await done_before(live, guest, cmd) or Refusal("too_fast")
    return await act(live, decide, guest=guest, cmd=cmd)


async def nudge(live: LiveRoom, decide: Decide, *, guest: str, cmd: str) -> Accepted | Refusal:
    """Ring for the person whose turn it is, once in a while. The room's lock is held.

    Raises:
        UncertainError: nobody can say whether it rang.
    """
    decision = decide(live.room)
    if isinstance(decision, Refusal):
        done = await live.store.done(live.table, guest, cmd)
        return decision if done is None else Accepted()
    every_ms = live.tempo.nudge_ms
    try:
        rung = await live.store.nudge(live.table, guest, cmd, wanted=decision.nudged, every_ms=every_ms)
    except StoreFullError:
        raise
    except StoreDownError as error:
        raise UncertainError(str(error)) from error
    if rung is None:
        live.end("expired")
        return Refusal("no_table")
    return Accepted() if rung else Refusal("too_fast")
