"""`Store` over Valkey or Redis: which script, which keys, which arguments.

No rule of the game and no room's state is known here. Invariant: everything that changes a table is one
script call; the keys of a table share one hash tag, so that Valkey Cluster takes them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Final, Self

from server.ports import (
    Arrival,
    Batch,
    Beat,
    Commit,
    Committed,
    Done,
    Listener,
    Outcome,
    Stored,
    StoreDownError,
)
from server.store import answers
from server.store.link import connection_factory
from server.store.questions import ANSWER_S, TOTAL_S, Questions
from server.store.scripts import load
from server.store.subscriptions import Subscriptions
from server.tally import Tally

_COMMIT: Final = load("commit")
_OPEN: Final = load("open")
_ARRIVE: Final = load("arrive")
_BEAT: Final = load("beat")
_LEAVE: Final = load("leave")
_WATCH: Final = load("watch")
_FORGET: Final = load("forget")
_DELETE: Final = load("delete")
_READ: Final = load("read")
_DONE: Final = load("done")
_ALLOW: Final = load("allow")
_NUDGE: Final = load("nudge")

_PART: Final = 500
"""Watchers that one script call refreshes: the store does nothing else meanwhile."""


def channel(table: str) -> str:
    """Name a room's sharded channel, which is also its hash."""
    return f"t:{{{table}}}"


def keys(table: str) -> tuple[str, ...]:
    """Name a table's keys, in the order that shared.lua takes them."""
    base = channel(table)
    return (base, f"{base}:b", f"{base}:said", f"{base}:p", f"{base}:w", f"{base}:r")


class ValkeyStore:
    """The Store of server/ports.py. Made by `connect`, which needs a running loop; ended by `close`."""

    def __init__(
        self,
        questions: Questions,
        subscriptions: Subscriptions,
        *,
        tally: Tally,
        worker: str,
        wait_replicas: int = 0,
        wait_s: float = TOTAL_S,
    ) -> None:
        self.tally = tally
        self.worker = worker
        self._questions = questions
        self._subscriptions = subscriptions
        self._wait_replicas = wait_replicas
        self._wait_s = wait_s

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        worker: str | None = None,
        wait_replicas: int = 0,
        answer_s: float = ANSWER_S,
        total_s: float = TOTAL_S,
        tally: Tally | None = None,
    ) -> Self:
        """Return a store over a redis://, rediss:// or unix:// URL that answered once.

        `wait_replicas`: acknowledge a commit only when so many replicas have it. `worker`: random if None.

        Raises:
            StoreDownError: it does not answer.
        """
        make = connection_factory(url)
        tally = tally or Tally()
        store = cls(
            # WAIT blocks its link for a round trip to the replicas; otherwise one link, pipelined, is best.
            Questions(
                make,
                size=16 if wait_replicas else 1,
                answer_s=answer_s,
                total_s=total_s,
                tally=tally,
            ),
            Subscriptions(make, channel, health_s=answer_s, confirm_s=total_s),
            tally=tally,
            worker=worker or secrets.token_hex(4),
            wait_replicas=wait_replicas,
            wait_s=total_s,
        )
        try:
            await store.ping()
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        """End the reader and all connections."""
        await self._subscriptions.close()
        await self._questions.close()

    async def open(self, table: str, *, epoch: str, state: bytes, events: str, ttl_ms: int) -> Batch | None:
        """Create a table with its first batch (seq 1); None if the id is taken."""
        entry = await self._questions.run(_OPEN, keys(table), epoch, state, events, ttl_ms)
        return None if entry is None else answers.batch(1, entry)

    async def commit(self, commit: Commit) -> Outcome:
        """Save and speak in one step. An uncertain answer is asked again with the same id."""
        guard = commit.guard
        args = (
            _or_none(commit.expect_ver),
            commit.guest,
            commit.cmd,
            commit.answer,
            commit.state or b"",
            commit.events,
            "-" if commit.due is None else commit.due,
            "1" if commit.timed else "",
            guard.guest if guard else "",
            guard.generation if guard else "",
            guard.gone_ms if guard else "",
            commit.said or "",
            commit.unsaid or "",
            commit.known_seq,
            self.worker,
            commit.ttl_ms,
            commit.receipt or "",
            *commit.freed,
        )

        # Neither id nor version would tell a repeated line from a second one.
        recognisable = commit.state is not None or bool(commit.guest and commit.cmd)
        outcome = answers.outcome(await self._questions.run(_COMMIT, keys(commit.table), *args, again=recognisable))
        if self._wait_replicas and isinstance(outcome, Committed | Done):
            await self._wait(commit)
        return outcome

    async def _wait(self, commit: Commit) -> None:
        """Return when enough replicas have the table."""
        # WAIT counts from its own link's newest write, and the commit may have come by another link, or, when
        # this is `done`, long ago: so write anew.
        loop = asyncio.get_running_loop()
        until = loop.time() + self._wait_s
        while True:
            reached = await self._questions.wait(("PEXPIRE", keys(commit.table)[0], commit.ttl_ms), self._wait_replicas)
            if reached >= self._wait_replicas:
                return
            if loop.time() >= until:
                raise StoreDownError(f"only {reached} replicas answered")

    async def read(self, table: str, known_seq: int | None = None, *, said: bool = False) -> Stored | None:
        """Read a table, with the batches after `known_seq` if given; None if there is none."""
        answer = await self._questions.run(_READ, keys(table), _or_none(known_seq), "1" if said else "")
        return None if answer is None else answers.stored_and_said(answer)

    async def done(self, table: str, guest: str, cmd: str, answer: str | None = None) -> Done | None:
        """Tell whether a command was done before; if not, and an `answer` is given, remember it as done now (seq 0)."""
        then = await self._questions.run(_DONE, keys(table), guest, cmd, answer or "")
        return None if then is None else answers.done(then)

    async def receipts(self, table: str) -> tuple[str, ...]:
        """Return the JSON receipts of a table's finished games, oldest first (the newest 500)."""
        lines = await self._questions.command("LRANGE", keys(table)[5], 0, -1)
        return tuple(line.decode() for line in lines)

    async def arrive(
        self, table: str, guest: str, known_seq: int | None, *, sitting: bool = False, restart_ms: int = 0
    ) -> Arrival | None:
        """Take a connection's place; see the Protocol. Asked twice, it takes two generations: harmless."""
        answer = await self._questions.run(
            _ARRIVE, keys(table), guest, _or_none(known_seq), "1" if sitting else "", restart_ms
        )
        return None if answer is None else answers.arrival(answer)

    async def beat(self, table: str, heard: Sequence[tuple[str, int, int]], watchers: Sequence[str]) -> Beat | None:
        """Refresh (guest, generation, ms since last heard) and the watchers; None if the table is gone."""
        flat = [part for one in heard for part in one]
        # A crowd's beginning first: a script that the store must be sent anew is overtaken, and the answer lacks it.
        first, rest = watchers[:-_PART], watchers[-_PART:]
        await asyncio.gather(*(self.watch(table, first[i : i + _PART]) for i in range(0, len(first), _PART)))
        answer = await self._questions.run(_BEAT, keys(table), len(heard), *flat, *rest)
        return None if answer is None else answers.beat(answer)

    async def watch(self, table: str, watchers: Sequence[str]) -> None:
        """Count these watchers, at most 1,000, and again whoever of them is counted; the seated are not."""
        await self._questions.run(_WATCH, keys(table), *watchers)

    async def leave(self, table: str, guest: str, generation: int) -> bool:
        """Close a connection's presence, or a watcher's (generation 0); False if a newer one has it.

        Absence is counted from now. False too if the table or the presence is gone.
        """
        return bool(await self._questions.run(_LEAVE, keys(table), guest, generation))

    async def forget(self, table: str, guest: str, generation: int) -> None:
        """Drop the presence of a guest who then got no seat, unless a newer connection of theirs has another."""
        await self._questions.run(_FORGET, keys(table), guest, generation)

    async def delete(self, table: str, expect_ver: int | None = None) -> bool:
        """Delete a table and all of it, and tell every worker; False if it is at another version than expected."""
        return bool(await self._questions.run(_DELETE, keys(table), _or_none(expect_ver)))

    async def subscribe(self, table: str, listener: Listener) -> None:
        """Listen to a room's channel; returns once the store confirmed it. One listener a table."""
        await self._subscriptions.subscribe(table, listener)

    async def unsubscribe(self, table: str) -> None:
        """Stop listening. Harmless when not listening."""
        await self._subscriptions.unsubscribe(table)

    async def allow(self, bucket: str, limit: int, window_ms: int, *, use: str = "") -> bool:
        """Count one use of a bucket; see the Protocol."""
        if limit <= 0:
            return True
        return bool(await self._questions.run(_ALLOW, (f"a:{bucket}",), limit, window_ms, use))

    async def nudge(self, table: str, guest: str, cmd: str, *, wanted: str, every_ms: int) -> bool | None:
        """Have a bell rung; see the Protocol."""
        rung = await self._questions.run(_NUDGE, keys(table), guest, cmd, wanted, every_ms)
        return None if rung is None else bool(rung)

    async def ping(self) -> None:
        """Return if the store answers; raise StoreDownError if not (after one try)."""
        await self._questions.command("PING", again=False)


def _or_none(number: int | None) -> str | int:
    return "" if number is None else number
