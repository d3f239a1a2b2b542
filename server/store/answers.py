"""Reading what the scripts return and publish into the records of server/ports.py.

Nothing is asked here. Invariant: the shapes are those of the Lua files beside this one; text is UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgpack

from server.ports import (
    Arrival,
    Batch,
    Beat,
    Clash,
    Committed,
    Done,
    Early,
    Gone,
    Head,
    Here,
    Outcome,
    Presence,
    Published,
    Stored,
)

# RESP answers are nested lists of bytes and integers; the one place where they are not yet typed.
Answer = Any

_NEVER: Final = b"-"


def due(raw: bytes) -> int | None:
    """Read a due time: `-` for never."""
    return None if raw == _NEVER else int(raw)


def batch(seq: int, entry: bytes) -> Batch:
    """Read an entry of the batches' list: previous mark, mark (16 each), frame."""
    text = entry.decode()
    return Batch(seq, text[:16], text[16:32], text[32:])


def batches(seq: int, entries: list[bytes]) -> tuple[Batch, ...]:
    """Read the newest batches, which end at `seq` without holes."""
    first = seq - len(entries) + 1
    return tuple(batch(first + i, entry) for i, entry in enumerate(entries))


def presence(flat: list[bytes]) -> dict[str, Presence]:
    """Read HGETALL of a table's presence."""
    everyone = {}
    for i in range(0, len(flat), 2):
        generation, heard, is_open = flat[i + 1].split()
        everyone[flat[i].decode()] = Presence(int(generation), int(heard), is_open == b"1")
    return everyone


def stored(answer: Answer) -> Stored:
    """Read now, seq, ver, mark, due, epoch, state, batches (and what was said, if more follows)."""
    now, seq, ver, mark, raw_due, epoch, state, entries = answer[:8]
    return Stored(
        epoch.decode(),
        Head(now, seq, ver, mark.decode(), due(raw_due)),
        state,
        batches(seq, entries),
    )


def stored_and_said(answer: Answer) -> Stored:
    """Read a stored table followed by its said lines."""
    table = stored(answer)
    return Stored(table.epoch, table.head, table.state, table.batches, tuple(s.decode() for s in answer[8]))


def arrival(answer: Answer) -> Arrival:
    """Read a stored table followed by generation, presence, watchers."""
    return Arrival(answer[8], stored(answer), presence(answer[9]), answer[10])


def beat(answer: Answer) -> Beat:
    """Read now, seq, ver, mark, due, presence, watchers."""
    now, seq, ver, mark, raw_due, everyone, watching = answer
    return Beat(Head(now, seq, ver, mark.decode(), due(raw_due)), presence(everyone), watching)


def done(answer: Answer) -> Done:
    """Read now, seq, answer."""
    return Done(answer[0], answer[1], answer[2].decode())


def outcome(answer: Answer) -> Outcome:
    """Read commit.lua's answer, tagged by its first element."""
    tag = answer[0]
    if tag == b"ok":
        _, now, seq, ver, previous, mark, raw_due, frame = answer
        head = Head(now, seq, ver, mark.decode(), due(raw_due))
        return Committed(head, Batch(seq, previous.decode(), head.mark, frame.decode()))
    if tag == b"clash":
        return Clash(stored(answer[1:]))
    if tag == b"done":
        return done(answer[1:])
    if tag == b"early":
        return Early(answer[1], due(answer[2]))
    if tag == b"here":
        return Here(answer[1])
    return Gone()


class DeletedMessage:
    """A table's deletion, as published."""


@dataclass(frozen=True, slots=True)
class WatchingMessage:
    """How many watch, at that time of the store's; `gone` is who is not counted now, '' for nobody."""

    at: int
    watching: int
    gone: str


def message(payload: bytes) -> Published | tuple[str, Presence] | WatchingMessage | DeletedMessage:
    """Read a message of a room's channel: a commit begins with its seq, others with a word.

    Raises:
        ValueError: it is none that this release knows.
    """
    parts: Answer = msgpack.unpackb(payload, raw=True)
    kind = parts[0]
    if isinstance(kind, int):
        seq, ver, previous, mark, now, raw_due, worker, state, frame = parts
        return Published(
            Batch(seq, previous.decode(), mark.decode(), frame.decode()),
            Head(now, seq, ver, mark.decode(), due(raw_due)),
            worker.decode(),
            state or None,
        )
    if kind == b"presence":
        return parts[1].decode(), Presence(parts[2], parts[3], parts[4] == 1)
    if kind == b"watching":
        return WatchingMessage(parts[1], parts[2], parts[3].decode())
    if kind == b"deleted":
        return DeletedMessage()
    raise ValueError("a message of no known kind")
