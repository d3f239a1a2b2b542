"""The one gate of a room at a worker: which batch goes on to the sockets, and what a client has missed.

No store and no sockets here; the room's owner (`live.py`) offers what it hears. Invariant: the batches let through are
one contiguous, chained run of the room's history, each of them once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from enum import Enum

from server.ports import Batch, Stored
from server.protocol.commands import Since

RECENT = 32
"""Batches kept in memory, to fill what was let through while an answer of the store was on its way."""


class Verdict(Enum):
    """What the gate says of a batch."""

    NEXT = "let it through"
    OLD = "known already"
    HOLE = "batches before it are missing: read the store"
    FORK = "it is of another history than ours: the store was rolled back"


class Gate:
    """Where this worker stands in a room's history: `epoch`, `seq`, `mark`."""

    def __init__(self, stored: Stored) -> None:
        """Start at a table as read."""
        self.epoch = stored.epoch
        self.seq = stored.head.seq
        self.mark = stored.head.mark
        self._recent: deque[Batch] = deque(stored.batches[-RECENT:], maxlen=RECENT)

    def offer(self, batch: Batch) -> Verdict:
        """Judge a batch, and step on to it if it is the next."""
        if batch.seq <= self.seq:
            known = self._known(batch.seq)
            return Verdict.OLD if known is None or known == batch.mark else Verdict.FORK
        if batch.seq > self.seq + 1:
            return Verdict.HOLE
        if batch.previous_mark != self.mark:
            return Verdict.FORK
        self.seq, self.mark = batch.seq, batch.mark
        self._recent.append(batch)
        return Verdict.NEXT

    def agrees(self, stored: Stored, asked_seq: int, asked_mark: str) -> bool:
        """Say whether a table as read continues the history that ended at `asked_seq` when it was asked for.

        False after a rollback, and where so much was trimmed that the two ends do not meet.
        """
        if stored.epoch != self.epoch or stored.head.seq < asked_seq:
            return False
        if stored.head.seq == asked_seq:
            return stored.head.mark == asked_mark
        at = next((b.previous_mark for b in stored.batches if b.seq == asked_seq + 1), None)
        return at == asked_mark

    def missing(self, since: Since, stored: Iterable[Batch] = ()) -> tuple[Batch, ...] | None:
        """Return the batches a client lacks, given those read beside our own; None if only a snapshot will do."""
        epoch, seq, mark = since
        if epoch != self.epoch or seq > self.seq:
            return None
        if seq == self.seq:
            return () if mark == self.mark else None
        kept = {batch.seq: batch for batch in (*stored, *self._recent)}
        run = [kept.get(number) for number in range(seq + 1, self.seq + 1)]
        at = mark
        batches: list[Batch] = []
        for batch in run:
            if batch is None or batch.previous_mark != at:
                return None
            at = batch.mark
            batches.append(batch)
        return tuple(batches) if at == self.mark else None

    def _known(self, seq: int) -> str | None:
        if seq == self.seq:
            return self.mark
        return next((batch.mark for batch in self._recent if batch.seq == seq), None)
