"""What everyone may see of a game, and `fold`, which keeps it from the events alone.

No hidden card, seed or key lives here; `fold` knows only what the events say. Invariant: `fold` over a
game's log equals `view` of the game at the end of every batch. `web/src/fold.ts` says the same, held by
`tests/golden/folds.json`.
"""

from dataclasses import dataclass, replace

from engine.cards import Card, Deck, Length
from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from engine.game import Game, following, held
from engine.shuffle import commitment


@dataclass(frozen=True, slots=True)
class Pile:
    """The face-up cards in the middle: how many, and the top one (None if there is none)."""

    size: int
    top: Card | None


@dataclass(frozen=True, slots=True)
class View:
    """The public face of a game, field for field the snapshot's `game` without `last`.

    `n` counts the reveals made. `stacks`, `collected`, `out`, `nonces` and `held` have one entry a seat.
    `turn` is None, and `winners` and `held` are set, exactly when the game is over; `again` says that this
    turn is R4's second card.
    """

    game: int
    deck: Deck
    length: Length
    attempt: int
    commitment: str
    nonces: tuple[str, ...]
    n: int
    cap: int
    turn: int | None
    again: bool
    pile: Pile
    stacks: tuple[int, ...]
    collected: tuple[int, ...]
    out: tuple[bool, ...]
    winners: tuple[int, ...] | None
    held: tuple[int, ...] | None


class OutOfOrderError(ValueError):
    """An event that cannot follow: a game's first event is `dealt`."""


def view(game: Game) -> View:
    """Return what everyone may see of a game."""
    return View(
        game=game.game,
        deck=game.deck,
        length=game.length,
        attempt=game.attempt,
        commitment=commitment(game.seed),
        nonces=game.nonces,
        n=game.reveals,
        cap=game.cap,
        turn=game.turn,
        again=game.again,
        pile=Pile(len(game.pile), game.pile[-1] if game.pile else None),
        stacks=tuple(map(len, game.stacks)),
        collected=tuple(map(len, game.collected)),
        out=game.out,
        winners=game.winners,
        held=held(game) if game.turn is None else None,
    )


def fold(before: View | None, event: GameEvent) -> View:
    """Return the view after one event; `dealt` begins anew whatever was before. Raises OutOfOrderError."""
    if isinstance(event, Dealt):
        return _dealt(event)
    if before is None:
        raise OutOfOrderError(f"{event.type} before dealt")
    match event:
        case Reshuffled(seat, cards, _):
            return replace(before, stacks=_put(before.stacks, seat, cards), collected=_put(before.collected, seat, 0))
        case Revealed(n, seat, card, _, matched, _):
            return replace(
                before,
                n=n,
                stacks=_put(before.stacks, seat, before.stacks[seat] - 1),
                pile=Pile(before.pile.size + 1, card),
                # A seat that this very card puts out turned it: it is not the one the turn passes to.
                turn=seat if matched else following(seat, before.out),
                again=matched,
            )
        case Captured(seat, cards):
            gained = before.collected[seat] + cards
            return replace(before, collected=_put(before.collected, seat, gained), pile=Pile(0, None))
        case Out(seat):
            return replace(before, out=(*before.out[:seat], True, *before.out[seat + 1 :]))
        case Ended(_, winners, counts, _):
            return replace(before, turn=None, again=False, winners=winners, held=counts)


def _dealt(event: Dealt) -> View:
    seats = len(event.stacks)
    return View(
        game=event.game,
        deck=event.deck,
        length=event.length,
        attempt=event.attempt,
        commitment=event.commitment,
        nonces=event.nonces,
        n=0,
        cap=event.cap,
        turn=event.first,
        again=False,
        pile=Pile(len(event.spares), event.spares[-1] if event.spares else None),
        stacks=event.stacks,
        collected=(0,) * seats,
        out=(False,) * seats,
        winners=None,
        held=None,
    )


def _put(counts: tuple[int, ...], seat: int, count: int) -> tuple[int, ...]:
    return (*counts[:seat], count, *counts[seat + 1 :])
