"""The table as everybody may see it: from a room to the contract's `snapshot` and `you`. Pure.

Opt in: only what is named here is shown. No guest, nonce to come, seed in play or hidden card.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from engine.view import view
from server.protocol.codec import encode, plain
from server.protocol.replies import GameView, HurryView, PileView, SeatView, Snapshot, You
from server.rooms.record import Room


def you_of(room: Room, guest: str) -> You:
    """Return who this guest is at the table. One who left during the game watches."""
    seat = room.seated(guest)
    return You(seat=seat, host=seat is not None and seat == room.host, watching=seat is None)


def game_view(room: Room) -> GameView | None:
    """Return the game in play, or the newest that was played."""
    if room.game is None:
        return None
    seen = view(room.game)
    return GameView(
        game=seen.game,
        deck=seen.deck,
        length=seen.length,
        attempt=seen.attempt,
        commitment=seen.commitment,
        nonces=seen.nonces,
        n=seen.n,
        cap=seen.cap,
        turn=seen.turn,
        again=seen.again,
        pile=PileView(seen.pile.size, seen.pile.top),
        stacks=seen.stacks,
        collected=seen.collected,
        out=seen.out,
        winners=seen.winners,
        held=seen.held,
        last=room.last,
    )


def hurry_view(room: Room) -> HurryView | None:
    """Return who wishes to hurry, as the newest `hurried` said; None where nobody does."""
    wishing = tuple(n for n, seat in room.people() if seat.hurry)
    return HurryView(wishing, room.hurried) if wishing or room.hurried else None


def snapshot(
    room: Room, *, epoch: str, seq: int, mark: str, absent: Collection[int], watching: int, now: int, you: You
) -> Snapshot:
    """Return the whole table at `seq`, for one who is `you`."""
    return Snapshot(
        epoch=epoch,
        seq=seq,
        mark=mark,
        you=you,
        settings=room.settings,
        phase=room.phase,
        host=room.host,
        seats=tuple(
            SeatView(
                n,
                seat.name,
                seat.kind,
                present=n not in absent,
                away=seat.away or seat.left,
                voice=False,
                muted=True if seat.guest in room.muted else None,
            )
            for n, seat in room.taken()
        ),
        watching=watching,
        commitment=room.commitment,
        game=game_view(room),
        ready=tuple(n for n, seat in room.taken() if seat.ready and room.phase == "over"),
        said=(),
        serverTime=now,
        paused=True if room.paused else None,
        hurried=hurry_view(room),
    )


def encoded(shot: Snapshot, said: Collection[str]) -> str:
    """Return a snapshot as JSON, with the chat lines as the store keeps them (JSON already)."""
    return encode({**plain(shot), "said": [json.loads(line) for line in said]})
