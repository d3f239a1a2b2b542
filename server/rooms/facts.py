"""What a decision says happened: events that everybody sees, and private facts, which are saved and never sent.

Private are whose seat it is, a nonce, the secret seed, the hidden cards, an open link, who stays out.
Nothing here acts; `record.py` applies them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine import shuffle
from engine.game import Game
from server.protocol.events import Committed, Event


@dataclass(frozen=True, slots=True)
class KeyTaken:
    """The person who just took this seat is known by this guest's cookie."""

    seat: int
    guest: str


@dataclass(frozen=True, slots=True)
class NonceGiven:
    """A seated person gave the nonce for the next deal."""

    seat: int
    nonce: str


@dataclass(frozen=True, slots=True)
class SeedDrawn:
    """The next game's secret seed; its `committed` goes with it."""

    game: int
    seed: str


@dataclass(frozen=True, slots=True)
class CardsMoved:
    """The game, with its hidden cards, after the events beside this fact."""

    game: Game


@dataclass(frozen=True, slots=True)
class MoveOffered:
    """Whoever shows the token with this SHA-256 (hex) before `until` (ms) may take the seat, once."""

    seat: int
    digest: str
    until: int


@dataclass(frozen=True, slots=True)
class GuestRemoved:
    """This guest stays out of the table."""

    guest: str


PrivateFact = KeyTaken | NonceGiven | SeedDrawn | CardsMoved | MoveOffered | GuestRemoved
Fact = Event | PrivateFact
_PRIVATE = (KeyTaken, NonceGiven, SeedDrawn, CardsMoved, MoveOffered, GuestRemoved)


def public(facts: Iterable[Fact]) -> tuple[Event, ...]:
    """Return the events among the facts: what everybody sees."""
    return tuple(fact for fact in facts if not isinstance(fact, _PRIVATE))


def committed(fact: SeedDrawn) -> Committed:
    """Return the event that binds a seed without telling it."""
    return Committed(fact.game, shuffle.commitment(fact.seed))
