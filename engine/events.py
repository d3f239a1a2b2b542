"""What happened in a game: immutable records in the past tense, in the order they happened.

Only facts that everyone may know live here: never the order of a stack, and the seed only once the game has
ended. Field names and their order are the wire's (`server/protocol/README.md`, section 3); `type` is the
tag.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.cards import Card, Deck, Length

By: TypeAlias = Literal["self", "auto", "table", "host", "computer"]
"""Who turned the card: the person, their auto-reveal, the table (away), the host (idle), a computer."""

Reason: TypeAlias = Literal["last_seat", "cap", "stopped"]
"""Why a game ended: R7, R8 or R9."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards are out (R3). `stacks` and `nonces` have one entry a seat, `spares` the last one on top."""

    type: ClassVar[Literal["dealt"]] = "dealt"
    table: str
    game: int
    deck: Deck
    length: Length
    attempt: int
    stacks: tuple[int, ...]
    spares: tuple[Card, ...]
    first: int
    cap: int
    commitment: str
    nonces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """A collected pile became a stack (R5): how many cards, never their order; `shuffle` counts from 1."""

    type: ClassVar[Literal["reshuffled"]] = "reshuffled"
    seat: int
    cards: int
    shuffle: int


@dataclass(frozen=True, slots=True)
class Revealed:
    """Reveal number n, from 1, was made (R4). `on` is None on an empty pile, `by` in a log."""

    type: ClassVar[Literal["revealed"]] = "revealed"
    n: int
    seat: int
    card: Card
    on: Card | None
    matched: bool
    by: By | None


@dataclass(frozen=True, slots=True)
class Captured:
    """A seat collected the whole pile, its own card included (R4), right after the reveal that matched."""

    type: ClassVar[Literal["captured"]] = "captured"
    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class Out:
    """A seat has no card left (R6)."""

    type: ClassVar[Literal["out"]] = "out"
    seat: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over (R7, R8, R9). `held` has stack and collected pile together, one entry a seat."""

    type: ClassVar[Literal["ended"]] = "ended"
    reason: Reason
    winners: tuple[int, ...]
    held: tuple[int, ...]
    seed: str


GameEvent: TypeAlias = Dealt | Reshuffled | Revealed | Captured | Out | Ended
