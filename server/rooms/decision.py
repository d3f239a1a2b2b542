"""What every `decide` takes and gives: pure values, so that a clash simply decides again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from server.protocol.replies import RefusalCode
from server.rooms.facts import Fact


class Context(Protocol):
    """Who asks, and all that a decision may need of the world: the same however often it is looked at."""

    @property
    def guest(self) -> str:
        """Who asks."""

    @property
    def present(self) -> frozenset[int]:
        """The seats whose people are connected."""

    @property
    def fresh_seed(self) -> str:
        """32 random bytes, hex, for the next game."""

    @property
    def pick(self) -> int:
        """A random number for a friendly name."""

    @property
    def language(self) -> str:
        """The language of that name."""

    @property
    def fresh_id(self) -> str:
        """16 random bytes, hex, for a line of chat or a moving seat's token."""

    @property
    def now(self) -> int:
        """The store's time, ms."""

    @property
    def idle_since(self) -> int:
        """When the coming card's turn came round, ms."""

    @property
    def idle_ms(self) -> int:
        """How long the host is to be patient from then on, ms."""

    @property
    def said(self) -> tuple[str, ...]:
        """The ids of the lines of chat that are kept."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A Context of which all is known beforehand."""

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
