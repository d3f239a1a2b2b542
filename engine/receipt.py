"""Receipts: what rebuilds a finished game whole, and what is wrong with a receipt or with a log.

Values only: JSON, files and wording are outside (`server/check.py`). The names in a receipt are carried and
never read. Invariant: the same receipt rebuilds the same log, and a receipt made here has nothing wrong
with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import Literal, TypeAlias

from engine import audit
from engine.audit import Finding, differences
from engine.cards import Deck, Length
from engine.events import Dealt, Ended, GameEvent, Reason, Revealed
from engine.game import BadInputError, Game, lay, log, reveal, stop
from engine.shuffle import commitment
from engine.simulate import choose

Kind: TypeAlias = Literal["person", "computer"]
KINDS: tuple[Kind, ...] = ("person", "computer")
VERSION = 1
NO_NONCE = "00" * 16
"""The nonce of a computer, and of a person who sent none."""


class NotOverError(ValueError):
    """A game that still runs has no receipt: its seed is secret."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sat at a seat when the game was dealt."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Receipt:
    """A finished game, whole.

    `seats` and `nonces` have one entry a seat as dealt; `winners` ascend; hex as ever.
    """

    v: int
    table: str
    game: int
    attempt: int
    deck: Deck
    length: Length
    seats: tuple[Seat, ...]
    nonces: tuple[str, ...]
    seed: str
    commitment: str
    winners: tuple[int, ...]
    reason: Reason
    reveals: int


def receipt_of(game: Game, seats: Sequence[Seat]) -> Receipt:
    """Return the receipt of a finished game.

    Raises NotOverError, and BadInputError unless there is one seat a nonce.
    """
    if game.winners is None or game.reason is None:
        raise NotOverError("the game is not over")
    if len(seats) != len(game.nonces):
        raise BadInputError("seats", f"must be {len(game.nonces)}, one for each nonce")
    return Receipt(
        v=VERSION,
        table=game.table,
        game=game.game,
        attempt=game.attempt,
        deck=game.deck,
        length=game.length,
        seats=tuple(seats),
        nonces=game.nonces,
        seed=game.seed,
        commitment=commitment(game.seed),
        winners=game.winners,
        reason=game.reason,
        reveals=game.reveals,
    )


def rebuild(receipt: Receipt) -> tuple[GameEvent, ...]:
    """Return the whole log of the game that a receipt tells of, without `by`. Raises BadInputError.

    It is played from the seed to its end, or to `reveals` where the receipt says that it was stopped;
    `winners` and the other results in the receipt are not believed (`verify` compares them).
    """
    return log(_played(receipt))


def verify(receipt: Receipt) -> tuple[Finding, ...]:
    """Return what is wrong with a receipt: nothing, if its game was dealt and went as it says."""
    if receipt.v != VERSION:
        return (Finding("v", None, str(VERSION), str(receipt.v)),)
    try:
        end = _played(receipt)
    except BadInputError as wrong:
        return (Finding(wrong.field, None, wrong.why, ""),)
    if len(receipt.seats) != len(receipt.nonces):
        return (Finding("seats", None, str(len(receipt.nonces)), str(len(receipt.seats))),)
    found = [
        Finding(f"nonces[{seat}]", None, NO_NONCE, nonce)
        for seat, (who, nonce) in enumerate(zip(receipt.seats, receipt.nonces, strict=True))
        if who.kind == "computer" and nonce != NO_NONCE
    ]
    found += _attempt(end)
    true = receipt_of(end if end.winners is not None else stop(end)[0], receipt.seats)
    found += [
        Finding(
            field.name,
            None,
            audit.words(getattr(true, field.name)),
            audit.words(getattr(receipt, field.name)),
        )
        for field in fields(Receipt)
        if getattr(true, field.name) != getattr(receipt, field.name)
    ]
    return tuple(found)


def verify_log(events: Sequence[GameEvent]) -> tuple[Finding, ...]:
    """Return what is wrong with a log, as far as its first wrong event.

    A finished game is played anew from the seed in its `ended`. A running one has no seed: it is held only
    against the rules and the cards that everybody has seen.
    """
    if not events or not isinstance(events[0], Dealt):
        return (Finding("log", None, "dealt first", events[0].type if events else "nothing"),)
    dealt, last = events[0], events[-1]
    if not isinstance(last, Ended):
        return audit.running(dealt, events[1:])
    try:
        state, _ = _lay(dealt, last.seed)
    except BadInputError as wrong:
        return (Finding(wrong.field, None, wrong.why, ""),)
    if commitment(last.seed) != dealt.commitment:
        return (Finding("dealt.commitment", None, commitment(last.seed), dealt.commitment),)
    made = sum(isinstance(event, Revealed) for event in events)
    end = _play(state, made if last.reason == "stopped" else state.cap, stopped=last.reason == "stopped")
    found = _attempt(end)
    n = 0
    for true, said in zip_longest(log(end), events):
        if isinstance(true, Revealed):
            n = true.n
        if wrong_fields := differences(true, said, n):
            return (*found, *wrong_fields)
    return tuple(found)


def _lay(terms: Receipt | Dealt, seed: str) -> tuple[Game, Dealt]:
    return lay(
        table=terms.table,
        game=terms.game,
        deck=terms.deck,
        length=terms.length,
        attempt=terms.attempt,
        seed=seed,
        nonces=terms.nonces,
    )


def _played(receipt: Receipt) -> Game:
    stopped = receipt.reason == "stopped"
    state, _ = _lay(receipt, receipt.seed)
    return _play(state, receipt.reveals if stopped else state.cap, stopped=stopped)


def _play(state: Game, reveals: int, *, stopped: bool) -> Game:
    while state.turn is not None and state.reveals < reveals:
        state, _ = reveal(state, None)
    return stop(state)[0] if stopped and state.turn is not None else state


def _attempt(game: Game) -> list[Finding]:
    """Hold the attempt against the length: a dealer free to choose it could choose the game."""
    right = choose(
        table=game.table,
        game=game.game,
        deck=game.deck,
        length=game.length,
        seed=game.seed,
        nonces=game.nonces,
    )
    return [] if right == game.attempt else [Finding("attempt", None, str(right), str(game.attempt))]
