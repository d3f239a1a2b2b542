"""Whole games without records, fast: for the choice of `attempt` by length, and for figures over many
games.

The rules are those of `engine/game.py`, told a second time for speed; a test plays both side by side. This
file alone may use `random`, and only in `sample`, where it decides nothing for a player. Nothing here knows
who sits where.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine import cards
from engine.cards import Deck, Length
from engine.shuffle import game_key, shuffled

ATTEMPTS = 256


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one game went: reveals, winners (ascending; two or more share), whether the cap ended it."""

    reveals: int
    winners: tuple[int, ...]
    capped: bool


def play(order: Sequence[str], seats: int, cap: int, reshuffle: Callable[[list[str]], list[str]]) -> Outcome:
    """Play a shuffled deck, given as suits, to its end.

    `reshuffle` takes a collected pile, oldest card first, and returns the new stack, index 0 to be turned
    first; it may change the list it is given.
    """
    even = len(order) - len(order) % seats
    # Stacks lie reversed, so that the card to turn next is the last of its list.
    stacks = [list(order[seat:even:seats])[::-1] for seat in range(seats)]
    collected: list[list[str]] = [[] for _ in range(seats)]
    pile = list(order[even:])
    top = pile[-1] if pile else ""
    after = [(seat + 1) % seats for seat in range(seats)]
    left = seats
    seat = reveals = 0
    while reveals < cap:
        stack = stacks[seat]
        if not stack:
            stack = stacks[seat] = reshuffle(collected[seat])[::-1]
            collected[seat] = []
        card = stack.pop()
        reveals += 1
        pile.append(card)
        if card == top:
            collected[seat] += pile
            pile = []
            if reveals == cap:
                break
            if not stack:
                stack = stacks[seat] = reshuffle(collected[seat])[::-1]
                collected[seat] = []
            # A capture is two cards at least: the second one never puts its seat out.
            top = stack.pop()
            reveals += 1
            pile.append(top)
        else:
            top = card
            if not stack and not collected[seat]:
                left -= 1
                following, after[seat] = after[seat], -1
                after[after.index(seat)] = following
                if left == 1:
                    return Outcome(reveals, (following,), False)
                seat = following
                continue
        seat = after[seat]
    held = [len(stack) + len(own) for stack, own in zip(stacks, collected, strict=True)]
    most = max(held)
    return Outcome(reveals, tuple(s for s, count in enumerate(held) if count == most), True)


def provable(
    *, table: str, game: int, attempt: int, deck: Deck, cap: int, seed: str, nonces: tuple[str, ...]
) -> Outcome:
    """Play the game that this seed and these nonces deal at this attempt."""
    key = game_key(seed=seed, table=table, game=game, attempt=attempt, nonces=nonces)
    shuffles = 0

    def reshuffle(pile: list[str]) -> list[str]:
        nonlocal shuffles
        shuffles += 1
        return shuffled(pile, key, shuffles)

    return play(shuffled(_suits(deck), key, 0), len(nonces), cap, reshuffle)


def choose(*, table: str, game: int, deck: Deck, length: Length, seed: str, nonces: tuple[str, ...]) -> int:
    """Return the `attempt` of a game of this length.

    It is the least from 0 to 255 whose reveals lie in the window; if none does, the one nearest to the
    window's nearer end, the least on a tie; 0 for `any`. At worst this plays 256 games: tens to hundreds of
    ms.
    """
    window = cards.window(deck, length)
    if window is None:
        return 0
    fewest, most = window
    cap = cards.cap(deck)
    best, miss = 0, cap
    for attempt in range(ATTEMPTS):
        # A game that has run this far past the window cannot be nearer than the best: no need to finish it.
        bound = min(cap, most + miss)
        found = provable(table=table, game=game, attempt=attempt, deck=deck, cap=bound, seed=seed, nonces=nonces)
        if fewest <= found.reveals <= most:
            return attempt
        off = max(fewest - found.reveals, found.reveals - most)
        if off < miss:
            best, miss = attempt, off
    return best


def sample(*, deck: Deck, seats: int, games: int, seed: int) -> tuple[Outcome, ...]:
    """Play games in orders drawn at random, the same for the same seed: for figures, never for players."""
    dice = Random(seed)
    number = dice.random
    suits = _suits(deck)
    cap = cards.cap(deck)

    def reshuffle(pile: list[str]) -> list[str]:
        for j in range(len(pile) - 1, 0, -1):
            other = int(number() * (j + 1))
            pile[j], pile[other] = pile[other], pile[j]
        return pile

    return tuple(play(reshuffle(list(suits)), seats, cap, reshuffle) for _ in range(games))


def _suits(deck: Deck) -> list[str]:
    return [cards.suit(card) for card in cards.ordered(deck)]
