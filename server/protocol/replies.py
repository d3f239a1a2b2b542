"""What the server says to one client, outside the numbered batches (contract, section 6): frozen records.

Field names and their order are the wire's. `Snapshot` is the whole table as everybody may see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.cards import Card, Deck, Length
from server.protocol.events import Event, Kind, Phase, Said, Settings

RefusalCode = Literal[
    "bad_request", "too_fast", "not_host", "not_seated", "not_started", "already_started", "over",
    "full", "locked", "bad_name", "no_cookie", "need_two", "not_ready", "out", "not_your_turn", "turning",
    "chat_off", "phrases_only", "muted", "too_long", "bad_settings", "voice_off", "not_there", "stale_link",
    "replaced", "removed", "no_table", "closed", "too_many", "draining", "store_down",
    "foreign_origin", "too_large", "no_game", "not_allowed",
]  # fmt: skip
NoticeCode = Literal[
    "draining", "replaced", "removed", "closed", "deleted", "expired", "nudged", "store_down", "store_back"
]


@dataclass(frozen=True, slots=True)
class Refused:
    """A command's refusal, to its sender alone; nothing changed. `message` is in a parent's words."""

    code: RefusalCode
    message: str
    ok: Literal[False] = False
    seats: tuple[int, ...] | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """A command's acknowledgement; `seq` where it committed, `seat` for `sit` and `claim`, `url` for `move`."""

    ok: Literal[True] = True
    seq: int | None = None
    seat: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class EventsMessage:
    """One batch (`events`): numbered, marked, in order. An empty one tells only where the table stands."""

    epoch: str
    seq: int
    mark: str
    at: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """A taken seat, as everybody sees it. `away` also for one who left during the game.

    `muted` is written only where it is so: the contract's seat has no place for it.
    """

    seat: int
    name: str
    kind: Kind
    present: bool
    away: bool
    voice: bool
    muted: Literal[True] | None = None


@dataclass(frozen=True, slots=True)
class PileView:
    """The pile in the middle: how many cards, and the one on top."""

    size: int
    top: Card | None


@dataclass(frozen=True, slots=True)
class GameView:
    """The game as everybody may see it: the engine's view, and `last`, the newest reveal's batch."""

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
    pile: PileView
    stacks: tuple[int, ...]
    collected: tuple[int, ...]
    out: tuple[bool, ...]
    winners: tuple[int, ...] | None
    held: tuple[int, ...] | None
    last: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class You:
    """Who the receiver is at this table."""

    seat: int | None
    host: bool
    watching: bool


@dataclass(frozen=True, slots=True)
class HurryView:
    """Who wishes to hurry, and whether it is on, as the newest `hurried` said."""

    seats: tuple[int, ...]
    on: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table at one seq. The receiver throws its own state away for it.

    `paused` and `hurried` are written only where they say something: the contract's snapshot has no place for them.
    """

    epoch: str
    seq: int
    mark: str
    you: You
    settings: Settings
    phase: Phase
    host: int | None
    seats: tuple[SeatView, ...]
    watching: int
    commitment: str
    game: GameView | None
    ready: tuple[int, ...]
    said: tuple[Said, ...]
    serverTime: int  # noqa: N815 (the wire's spelling)
    paused: Literal[True] | None = None
    hurried: HurryView | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """When the table will turn a card by itself (ms by the store's clock); null for never."""

    turnDue: int | None  # noqa: N815 (the wire's spelling)


@dataclass(frozen=True, slots=True)
class PresenceNote:
    """Who is there (`presence`): not numbered, may be lost."""

    watching: int
    absent: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """A word to this connection (`notice`): not numbered, may be lost."""

    code: NoticeCode
