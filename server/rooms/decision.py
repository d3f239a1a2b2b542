"""What every `decide` takes and gives: pure values, so that a clash simply decides again."""

from __future__ import annotations

from dataclasses import dataclass

from server.protocol.replies import RefusalCode
from server.rooms.facts import Fact


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks, and all that a decision may need of the world: drawn or read by the caller beforehand.

    `present` has the seats whose people are connected. `fresh_seed` is 32 random bytes, hex, for the next game;
    `fresh_id` 16 more, for a line of chat or a moving seat's token. `pick` is a random number for a friendly name, in
    `language`. `now` is the store's time, `idle_since` when the coming card's turn came round, `idle_ms` how long the
    host is to be patient from then on (all ms). `said` has the ids of the lines of chat that are kept.
    """

    guest: str
    present: frozenset[int]
    fresh_seed: str
    pick: int = 0
    language: str = "en"
    fresh_id: str = ""
    now: int = 0
    idle_since: int = 0
    idle_ms: int = 60_000
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A yes: the facts to save (none: nothing to do), what the answer says, a receipt, the guests let go.

    `url` is a path of this server with its fragment; `nudged` is the guest for whom a bell is to ring.
    """

    facts: tuple[Fact, ...] = ()
    seat: int | None = None
    url: str | None = None
    receipt: str | None = None
    freed: tuple[str, ...] = ()
    nudged: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no, typed; nothing changes."""

    code: RefusalCode
    seats: tuple[int, ...] | None = None
    field: str | None = None
