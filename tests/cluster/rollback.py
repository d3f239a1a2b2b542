"""The history that holds after the store went back: what came after a batch is taken off the tapes.

Only what a tape had before it was told is taken off: the batches and the answers above that number. What is left is
one history again, and the checker judges it whole. The invariant: nothing is taken off a tape that was not told.
"""

from __future__ import annotations

from tests.wire.client import Player
from tests.wire.tape import Book, Tape


def told(tape: Tape, seq: int) -> int | None:
    """Return which entry of a tape is the snapshot that says history went back to `seq`, None if it was not told."""
    head = 0
    for index, entry in enumerate(tape.entries):
        if entry.kind == "frame" and entry.name in ("events", "snapshot"):
            if entry.name == "snapshot" and seq <= entry.payload["seq"] < head:
                return index
            head = max(head, entry.payload["seq"])
    return None


async def all_told(players: list[Player], seq: int, timeout: float = 10) -> None:
    """Return once every one of these has been told that history went back to `seq`."""
    for player in players:
        tape = player.tape
        assert tape is not None
        await player.until(lambda tape=tape: told(tape, seq) is not None, timeout)  # type: ignore[misc]


def forget(book: Book, seq: int) -> int:
    """Take off the tapes what came after batch `seq` and before they were told; return how many batches that were."""
    forgotten: set[int] = set()
    for tape in book.tapes:
        until = told(tape, seq)
        if until is None:
            continue
        kept = []
        for entry in tape.entries[:until]:
            after = entry.payload["seq"] if entry.kind == "frame" and entry.name == "events" else None
            if after is not None and after > seq:
                forgotten.add(after)
            elif entry.kind != "answer" or (entry.answer or {}).get("seq", 0) <= seq:
                kept.append(entry)
        tape.entries[:until] = kept
    return len(forgotten)
