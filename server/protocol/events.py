"""The table's events (contract, section 4) as frozen records, and the settings that they carry.

The game's own events (section 3) are the engine's. Field names and their order are the wire's.
Nothing here acts. `type` is the tag on the wire; the class names say it in the past tense.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from engine.cards import Deck, Length
from engine.events import GameEvent

Kind = Literal["person", "computer"]
Why = Literal["left", "removed", "not_ready"]
Phase = Literal["lobby", "playing", "over"]
ChatMode = Literal["open", "phrases", "off"]
TableKind = Literal["people", "computers"]
Phrase = Literal[
    "hello", "good_luck", "well_done", "wow", "oh_no", "so_close", "your_turn", "slow_down", "ha_ha",
    "thank_you", "again", "good_game", "bye", "clap", "heart", "laugh", "surprise", "cry", "flower",
]  # fmt: skip
PHRASES: tuple[Phrase, ...] = get_args(Phrase)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a table is set up. `seats` counts computers too; `pace` is the beats' speed at computer tables."""

    kind: TableKind = "people"
    seats: int = 4
    computers: int = 0
    deck: Deck = "standard"
    length: Length = "any"
    chat: ChatMode = "open"
    watchers: bool = True
    voice: bool = False
    locked: bool = False
    pace: float = 1


@dataclass(frozen=True, slots=True)
class Opened:
    """The table was made; `host` is the host's seat."""

    type: ClassVar[str] = "opened"
    settings: Settings
    host: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The next game's seed was drawn and is bound: SHA-256 of it, hex."""

    type: ClassVar[str] = "committed"
    game: int
    commitment: str


@dataclass(frozen=True, slots=True)
class Seated:
    """A person or computer took a seat."""

    type: ClassVar[str] = "seated"
    seat: int
    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Moved:
    """Empty seats closed up: one entry a new seat, in seat order, the old seat of whoever sits there now."""

    type: ClassVar[str] = "moved"
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """A person left: between games the seat is free; during one it keeps place, name and cards."""

    type: ClassVar[str] = "left"
    seat: int
    why: Why


@dataclass(frozen=True, slots=True)
class Renamed:
    """A seated person took another name."""

    type: ClassVar[str] = "renamed"
    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class HostChanged:
    """The person at this seat is host now."""

    type: ClassVar[str] = "host"
    seat: int


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings are these now, all of them."""

    type: ClassVar[str] = "settings"
    settings: Settings


@dataclass(frozen=True, slots=True)
class WentAway:
    """A seated person has been gone too long: the table turns their cards."""

    type: ClassVar[str] = "away"
    seat: int


@dataclass(frozen=True, slots=True)
class CameBack:
    """A person who was away, or had left during the game, has their seat again."""

    type: ClassVar[str] = "back"
    seat: int


@dataclass(frozen=True, slots=True)
class Readied:
    """A seated person is ready for another game."""

    type: ClassVar[str] = "ready"
    seat: int


@dataclass(frozen=True, slots=True)
class Muted:
    """The host muted a seat in the chat, or let it speak again."""

    type: ClassVar[str] = "muted"
    seat: int
    on: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat: free text or a phrase, exactly one of them; `at` ms by the store's clock."""

    type: ClassVar[str] = "said"
    id: str
    seat: int
    name: str
    at: int
    text: str | None = None
    phrase: Phrase | None = None


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The host removed a line of chat."""

    type: ClassVar[str] = "unsaid"
    id: str


@dataclass(frozen=True, slots=True)
class VoiceChanged:
    """A seat joined or left voice; `epoch` tells its joinings apart."""

    type: ClassVar[str] = "voice"
    seat: int
    on: bool
    epoch: int


@dataclass(frozen=True, slots=True)
class Paused:
    """The computer table was paused, or goes on."""

    type: ClassVar[str] = "paused"
    on: bool


@dataclass(frozen=True, slots=True)
class Hurried:
    """Who wishes to hurry, and whether all present do, so that it is on."""

    type: ClassVar[str] = "hurried"
    seats: tuple[int, ...]
    on: bool


TableEvent = (
    Opened | Committed | Seated | Moved | Left | Renamed | HostChanged | SettingsChanged | WentAway | CameBack
    | Readied | Muted | Said | Unsaid | VoiceChanged | Paused | Hurried
)  # fmt: skip
Event = GameEvent | TableEvent
