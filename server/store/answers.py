"""Reading what the scripts return and publish into the records of server/ports.py.

Nothing is asked here. Invariant: the shapes are those of the Lua files beside this one; text is UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import msgpack

from engine.records import quick
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

_head, _batch, _committed = quick(Head), quick(Batch), quick(Committed)

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
    """Read now, seq, ver, mark, due, epoch, state, batches, since."""
    now, seq, ver, mark, raw_due, epoch, state, entries, since = answer[:9]
    return Stored(
        epoch.decode(),
        Head(now, seq, ver, mark.decode(), due(raw_due), int(since)),
        state,
        batches(seq, entries),
    )


def stored_and_said(answer: Answer) -> Stored:
    """Read a stored table whose said lines are the answer's last part."""
    return replace(stored(answer), said=tuple(line.decode() for line in answer[-1]))


def arrival(answer: Answer) -> Arrival:
    """Read a stored table followed by generation, presence, watchers, what was said."""
    return Arrival(answer[9], stored_and_said(answer), presence(answer[10]), answer[11])


def beat(answer: Answer) -> Beat:
    """Read now, seq, ver, mark, due, presence, watchers, since."""
    now, seq, ver, mark, raw_due, everyone, watching, since = answer
    return Beat(Head(now, seq, ver, mark.decode(), due(raw_due), int(since)), presence(everyone), watching)


def done(answer: Answer) -> Done:
    """Read now, seq, answer."""
    return Done(answer[0], answer[1], answer[2].decode())


def outcome(answer: Answer) -> Outcome:
    """Read commit.lua's answer, tagged by its first element."""
    tag = answer[0]
    if tag == b"ok":
        _, now, seq, ver, previous, mark, raw_due, frame, since = answer
        head = _head(now, seq, ver, mark.decode(), due(raw_due), int(since))
        return _committed(head, _batch(seq, previous.decode(), head.mark, frame.decode()))
    if tag == b"clash":
        return Clash(stored_and_said(answer[1:]))
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


@dataclass(frozen=True, slots=True)
class NoticeMessage:
    """A word for one guest, as published."""

    guest: str
    code: str


def message(payload: bytes) -> Published | tuple[str, Presence] | WatchingMessage | NoticeMessage | DeletedMessage:
    """Read a message of a room's channel: a commit begins with its seq, others with a word.

    Raises:
        ValueError: it is none that this release knows.
    """
    parts: Answer = msgpack.unpackb(payload, raw=True)
    kind = parts[0]
    if isinstance(kind, int):
        seq, ver, previous, mark, now, raw_due, worker, state, frame, since = parts
        return Published(
            Batch(seq, previous.decode(), mark.decode(), frame.decode()),
            Head(now, seq, ver, mark.decode(), due(raw_due), int(since)),
            worker.decode(),
            state or None,
        )
    if kind == b"presence":
        return parts[1].decode(), Presence(parts[2], parts[3], parts[4] == 1)
    if kind == b"watching":
        return WatchingMessage(parts[1], parts[2], parts[3].decode())
    if kind == b"notice":
        return NoticeMessage(parts[1].decode(), parts[2].decode())
    if kind == b"deleted":
        return DeletedMessage()
    raise ValueError("a message of no known kind")
