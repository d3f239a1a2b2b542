"""Cards and decks (R1, R2, R8): what a card is, what a deck holds, how many may sit, where the cap lies.

No order but the one before the deal lives here, and no play. Invariant: `ordered` is the order that the
provable shuffle starts from, the same on every machine, for ever.
"""

from typing import Literal, TypeAlias

Card: TypeAlias = str
"""Two characters, rank then suit: `7H`, `TD`."""

Deck: TypeAlias = Literal["standard", "double", "leftovers"]
Length: TypeAlias = Literal["any", "short", "medium", "long"]

SUITS = "SHDC"
RANKS = "A23456789TJQK"
DECKS: tuple[Deck, ...] = ("standard", "double", "leftovers")
LENGTHS: tuple[Length, ...] = ("any", "short", "medium", "long")
LEAST_SEATS = 2

_PACK: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
_LOW: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in "23456")
_ORDERED: dict[Deck, tuple[Card, ...]] = {"standard": _PACK, "double": _PACK * 2, "leftovers": _LOW * 2}
_WINDOWS: dict[Length, tuple[int, int]] = {"short": (100, 250), "medium": (251, 500), "long": (501, 900)}


def ordered(deck: Deck) -> tuple[Card, ...]:
    """Return the deck as it lies before the shuffle: S, H, D, C, ranks upwards, one pack after the other."""
    return _ORDERED[deck]


def suit(card: Card) -> str:
    """Return the card's suit, the only part of it that play looks at (R1)."""
    return card[1]


def most_seats(deck: Deck) -> int:
    """Return how many may sit at this deck (R2)."""
    return 8 if deck == "double" else 6


def cap(deck: Deck) -> int:
    """Return the number of reveals at which a game of this deck ends (R8)."""
    return 20_000 if deck == "double" else 5_000


def window(deck: Deck, length: Length) -> tuple[int, int] | None:
    """Return the fewest and the most reveals of a game of this length, both included; None for `any`."""
    if length == "any":
        return None
    fewest, most = _WINDOWS[length]
    return (4 * fewest, 4 * most) if deck == "double" else (fewest, most)
