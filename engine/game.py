"""The game itself, R3 to R9: `deal`, `reveal`, `stop`, each from a record to the next and what happened.

No clock, no dice, no names, and no decision: the seed and the nonces fix every card. A `Game` holds hidden
cards and the secret seed; what others may see is `engine/view.py`. Invariants: the cards of the deck are
all there in every state, and `turn`, `winners` and `reason` agree on whether the game is over.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from engine import cards
from engine.cards import Card, Deck, Length
from engine.events import By, Captured, Dealt, Ended, GameEvent, Out, Reason, Reshuffled, Revealed
from engine.records import quick
from engine.shuffle import commitment, game_key, shuffled
from engine.simulate import ATTEMPTS, choose

TABLE_ALPHABET = frozenset("0123456789abcdefghjkmnpqrstvwxyz")
_HEX = frozenset("0123456789abcdef")


class BadInputError(ValueError):
    """A value that no game can be dealt from; `field` names it, `why` says what it must be."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class GameOver(ValueError):  # noqa: N818 - it names where the game stands, not a mistake
    """The game has ended: there is nothing to reveal or to stop."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game, with all that is hidden in it.

    `seed` and `nonces` are hex. `stacks`, `collected`, `nonces` and `out` have one entry a seat. Index 0 of
    a stack is turned next; collected piles and the pile lie oldest card first. `game` counts from 1. `turn`
    is None, and `winners` and `reason` are set, exactly when the game is over.
    """

    table: str
    game: int
    deck: Deck
    length: Length
    attempt: int
    cap: int
    seed: str
    nonces: tuple[str, ...]
    stacks: tuple[tuple[Card, ...], ...]
    collected: tuple[tuple[Card, ...], ...]
    pile: tuple[Card, ...]
    turn: int | None
    again: bool
    out: tuple[bool, ...]
    reveals: int
    shuffles: int
    winners: tuple[int, ...] | None
    reason: Reason | None


_game = quick(Game)
_revealed = quick(Revealed)
_captured = quick(Captured)


def deal(
    *, table: str, game: int, deck: Deck, length: Length, seed: str, nonces: tuple[str, ...]
) -> tuple[Game, tuple[GameEvent, ...]]:
    """Deal a game of the wanted length (R3), one seat for each nonce.

    Raises BadInputError. With a length other than `any` it plays up to 256 games in silence to choose the
    attempt.
    """
    check(table=table, game=game, deck=deck, length=length, attempt=0, seed=seed, nonces=nonces)
    attempt = choose(table=table, game=game, deck=deck, length=length, seed=seed, nonces=nonces)
    dealt, event = lay(table=table, game=game, deck=deck, length=length, attempt=attempt, seed=seed, nonces=nonces)
    return dealt, (event,)


def lay(
    *, table: str, game: int, deck: Deck, length: Length, attempt: int, seed: str, nonces: tuple[str, ...]
) -> tuple[Game, Dealt]:
    """Lay out the game of a known attempt, whatever its length. Raises BadInputError."""
    check(table=table, game=game, deck=deck, length=length, attempt=attempt, seed=seed, nonces=nonces)
    seats = len(nonces)
    key = game_key(seed=seed, table=table, game=game, attempt=attempt, nonces=nonces)
    order = tuple(shuffled(cards.ordered(deck), key, 0))
    even = len(order) - len(order) % seats
    state = Game(
        table=table,
        game=game,
        deck=deck,
        length=length,
        attempt=attempt,
        cap=cards.cap(deck),
        seed=seed,
        nonces=nonces,
        stacks=tuple(order[seat:even:seats] for seat in range(seats)),
        collected=((),) * seats,
        pile=order[even:],
        turn=0,
        again=False,
        out=(False,) * seats,
        reveals=0,
        shuffles=0,
        winners=None,
        reason=None,
    )
    event = Dealt(
        table=table,
        game=game,
        deck=deck,
        length=length,
        attempt=attempt,
        stacks=(even // seats,) * seats,
        spares=state.pile,
        first=0,
        cap=state.cap,
        commitment=commitment(seed),
        nonces=nonces,
    )
    return state, event


def reveal(game: Game, by: By | None) -> tuple[Game, tuple[GameEvent, ...]]:
    """Turn the next card of the seat whose turn it is (R4 to R8).

    The events come in this order: reshuffled, revealed, captured or out, ended; only `revealed` is always
    there. `by` None is for logs, which leave it out. Raises GameOver.
    """
    seat = game.turn
    if seat is None:
        raise GameOver("the game is over")
    events: list[GameEvent] = []
    collected, shuffles, out = game.collected, game.shuffles, game.out
    stack, own = game.stacks[seat], collected[seat]
    if not stack:  # R5: only now, when it must turn, is the collected pile shuffled.
        shuffles += 1
        key = _key(game.seed, game.table, game.game, game.attempt, game.nonces)
        stack = tuple(shuffled(own, key, shuffles))
        events.append(Reshuffled(seat, len(own), shuffles))
        own = ()
        collected = _with(collected, seat, own)
    card, stack = stack[0], stack[1:]
    stacks = _with(game.stacks, seat, stack)
    on = game.pile[-1] if game.pile else None
    pile = game.pile + (card,)  # noqa: RUF005 - half the time of (*pile, card), at every reveal
    matched = on is not None and on[1] == card[1]
    reveals = game.reveals + 1
    events.append(_revealed(reveals, seat, card, on, matched, by))
    turn: int | None
    last = False
    if matched:  # R4: collect, then turn once more.
        events.append(_captured(seat, len(pile)))
        collected = _with(collected, seat, own + pile)
        pile, turn = (), seat
    else:
        if not stack and not own:  # R6
            out = (*out[:seat], True, *out[seat + 1 :])
            events.append(Out(seat))
            last = out.count(False) == 1
        turn = following(seat, out)
    winners: tuple[int, ...] | None = None
    reason: Reason | None = None
    if last or reveals >= game.cap:
        held = _held(stacks, collected)
        if last:  # R7 decides before R8.
            winners, reason = (turn,), "last_seat"
        else:
            most = max(held)
            winners, reason = tuple(s for s, count in enumerate(held) if count == most), "cap"
        events.append(Ended(reason, winners, held, game.seed))
        turn = None
    after = _game(
        game.table,
        game.game,
        game.deck,
        game.length,
        game.attempt,
        game.cap,
        game.seed,
        game.nonces,
        stacks,
        collected,
        pile,
        turn,
        matched and turn is not None,
        out,
        reveals,
        shuffles,
        winners,
        reason,
    )
    return after, tuple(events)


def stop(game: Game) -> tuple[Game, tuple[Ended]]:
    """End a game early (R9): nobody wins, and the seed is shown. Raises GameOver."""
    if game.turn is None:
        raise GameOver("the game is over")
    ended = Ended("stopped", (), held(game), game.seed)
    return replace(game, turn=None, again=False, winners=(), reason="stopped"), (ended,)


def held(game: Game) -> tuple[int, ...]:
    """Return how many cards each seat has, stack and collected; the middle counts for nobody."""
    return _held(game.stacks, game.collected)


def log(game: Game) -> tuple[GameEvent, ...]:
    """Return the log so far, computed anew from the seed, without `by`; `ended` only once it is over."""
    state, first = again_from_start(game)
    events: list[GameEvent] = [first]
    while state.reveals < game.reveals:
        state, happened = reveal(state, None)
        events += happened
    if game.reason == "stopped":
        events += stop(state)[1]
    return tuple(events)


def turned_by(game: Game, upto: int) -> tuple[int, ...]:
    """Return the seat that made each of the reveals 1 to `upto`, the first at index 0.

    `upto` beyond the reveals made is cut to them: what nobody has turned, nobody is told.
    """
    state, _ = again_from_start(game)
    seats: list[int] = []
    while state.turn is not None and len(seats) < min(upto, game.reveals):
        seats.append(state.turn)
        state, _ = reveal(state, None)
    return tuple(seats)


def again_from_start(game: Game) -> tuple[Game, Dealt]:
    """Return this game as it was dealt."""
    state, event = lay(
        table=game.table,
        game=game.game,
        deck=game.deck,
        length=game.length,
        attempt=game.attempt,
        seed=game.seed,
        nonces=game.nonces,
    )
    return replace(state, cap=game.cap), replace(event, cap=game.cap)


def following(seat: int, out: tuple[bool, ...]) -> int:
    """Return the next seat by number that is not out (R2)."""
    seat = (seat + 1) % len(out)
    while out[seat]:
        seat = (seat + 1) % len(out)
    return seat


def check(*, table: str, game: int, deck: str, length: str, attempt: int, seed: str, nonces: tuple[str, ...]) -> None:
    """Raise BadInputError for the first value that no game can be dealt from."""
    if len(table) != 12 or not TABLE_ALPHABET.issuperset(table):
        raise BadInputError("table", "must be twelve characters of 0-9 and a-z without i, l, o and u")
    if not 1 <= game < 2**32:
        raise BadInputError("game", "must be a number from 1")
    if deck not in cards.DECKS:
        raise BadInputError("deck", f"must be one of {', '.join(cards.DECKS)}")
    if length not in cards.LENGTHS:
        raise BadInputError("length", f"must be one of {', '.join(cards.LENGTHS)}")
    if not 0 <= attempt < ATTEMPTS:
        raise BadInputError("attempt", f"must be a number from 0 to {ATTEMPTS - 1}")
    if not _hex(seed, 32):
        raise BadInputError("seed", "must be 32 bytes in lower-case hex")
    most = cards.most_seats(deck)
    if not cards.LEAST_SEATS <= len(nonces) <= most:
        raise BadInputError("nonces", f"must be one for each of {cards.LEAST_SEATS} to {most} seats")
    if not all(_hex(nonce, 16) for nonce in nonces):
        raise BadInputError("nonces", "must each be 16 bytes in lower-case hex")


def _hex(text: str, size: int) -> bool:
    return len(text) == 2 * size and _HEX.issuperset(text)


@lru_cache(maxsize=4096)
def _key(seed: str, table: str, game: int, attempt: int, nonces: tuple[str, ...]) -> bytes:
    return game_key(seed=seed, table=table, game=game, attempt=attempt, nonces=nonces)


def _with(piles: tuple[tuple[Card, ...], ...], seat: int, pile: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    changed = list(piles)
    changed[seat] = pile
    return tuple(changed)


def _held(stacks: tuple[tuple[Card, ...], ...], collected: tuple[tuple[Card, ...], ...]) -> tuple[int, ...]:
    return tuple(len(stack) + len(own) for stack, own in zip(stacks, collected, strict=True))
