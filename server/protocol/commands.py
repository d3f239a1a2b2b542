"""What a client may ask (contract, section 6): one frozen, strictly validated record a command.

Only shape is judged here: types, lengths that no honest client exceeds, required fields. Unknown fields are
ignored, so that a newer app may meet an older server. Whether a command is allowed is the rooms' to decide.
`id` names a command for dedupe; a command sent again with the same id is done once.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from server.protocol.events import Phrase

SHAPE = ConfigDict(strict=True, extra="ignore")

CommandId = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]
Seat = Annotated[int, Field(ge=0, le=7)]
Number = Annotated[int, Field(ge=1, le=20_000)]
Nonce = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
# Far over what a name or a line may hold, so that the typed refusal (bad_name, too_long) can say so.
Text = Annotated[str, StringConstraints(max_length=8_000)]
Since = tuple[
    Annotated[str, StringConstraints(max_length=64)],
    Annotated[int, Field(ge=0, le=2**53)],
    Annotated[str, StringConstraints(max_length=64)],
]


@dataclass(frozen=True, slots=True, config=SHAPE)
class Sit:
    """Take a seat: the one asked for, or the lowest that is free."""

    name_: ClassVar[str] = "sit"
    id: CommandId
    name: Text | None = None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, config=SHAPE)
class Leave:
    """Give the seat up."""

    name_: ClassVar[str] = "leave"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Rename:
    """Take another name."""

    name_: ClassVar[str] = "rename"
    id: CommandId
    name: Text


@dataclass(frozen=True, slots=True, config=SHAPE)
class GiveNonce:
    """Mix 16 random bytes, chosen after the commitment was seen, into the next deal."""

    name_: ClassVar[str] = "nonce"
    id: CommandId
    nonce: Nonce


@dataclass(frozen=True, slots=True, config=SHAPE)
class Start:
    """Deal the next game (host)."""

    name_: ClassVar[str] = "start"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Reveal:
    """Turn the top card: `n` is the reveal it means to make, and is its own id."""

    name_: ClassVar[str] = "reveal"
    n: Number


@dataclass(frozen=True, slots=True, config=SHAPE)
class Auto:
    """Have this connection's cards turned one beat after each turn comes round."""

    name_: ClassVar[str] = "auto"
    on: bool


@dataclass(frozen=True, slots=True, config=SHAPE)
class Ready:
    """Be ready for another game."""

    name_: ClassVar[str] = "ready"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Stop:
    """End the game (host, R9)."""

    name_: ClassVar[str] = "stop"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Hurry:
    """Wish to hurry, or no more: while all present do, cards turn themselves at a tenth of the beat."""

    name_: ClassVar[str] = "hurry"
    id: CommandId
    on: bool


@dataclass(frozen=True, slots=True, config=SHAPE)
class Pause:
    """Let nothing turn by itself, or again (computer tables)."""

    name_: ClassVar[str] = "pause"
    id: CommandId
    on: bool


@dataclass(frozen=True, slots=True, config=SHAPE)
class Nudge:
    """Ring a gentle bell at the seat whose turn it is."""

    name_: ClassVar[str] = "nudge"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class TurnFor:
    """Turn one card for the person who has been idle (host): `n` is the reveal it means to make."""

    name_: ClassVar[str] = "turn"
    id: CommandId
    n: Number


@dataclass(frozen=True, slots=True, config=SHAPE)
class Say:
    """Say a line in the chat: free text or a phrase, exactly one of them."""

    name_: ClassVar[str] = "say"
    id: CommandId
    text: Text | None = None
    phrase: Phrase | None = None

    @model_validator(mode="after")
    def _one(self) -> Say:
        if (self.text is None) == (self.phrase is None):
            raise ValueError("text or phrase")
        return self


@dataclass(frozen=True, slots=True, config=SHAPE)
class Unsay:
    """Take a line out of the chat (host): `said` is its id."""

    name_: ClassVar[str] = "unsay"
    id: CommandId
    said: Annotated[str, StringConstraints(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True, config=SHAPE)
class Mute:
    """Silence a person in the chat, or let them speak again (host)."""

    name_: ClassVar[str] = "mute"
    id: CommandId
    seat: Seat
    on: bool


@dataclass(frozen=True, slots=True, config=SHAPE)
class Remove:
    """Send a person away for good (host)."""

    name_: ClassVar[str] = "remove"
    id: CommandId
    seat: Seat


@dataclass(frozen=True, slots=True, config=SHAPE)
class Lock:
    """Let nobody new sit down, or again (host)."""

    name_: ClassVar[str] = "lock"
    id: CommandId
    on: bool


@dataclass(frozen=True, slots=True, config=SHAPE)
class HandOver:
    """Make another person host (host)."""

    name_: ClassVar[str] = "host"
    id: CommandId
    seat: Seat


@dataclass(frozen=True, slots=True, config=SHAPE)
class ChangeSettings:
    """Change some of the settings (host): what is not given stays. Their values are the rooms' to judge."""

    name_: ClassVar[str] = "settings"
    id: CommandId
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True, config=SHAPE)
class Delete:
    """Delete the table and all of it, at once (host)."""

    name_: ClassVar[str] = "delete"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Move:
    """Ask for a link by which another device takes this seat."""

    name_: ClassVar[str] = "move"
    id: CommandId


@dataclass(frozen=True, slots=True, config=SHAPE)
class Claim:
    """Take the seat that this link's token stands for."""

    name_: ClassVar[str] = "claim"
    id: CommandId
    token: Annotated[str, StringConstraints(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True, config=SHAPE)
class Sync:
    """Compare with the server and catch up, as on connect."""

    name_: ClassVar[str] = "sync"
    since: Since | None = None


Command = (
    Sit | Leave | Rename | GiveNonce | Start | Reveal | Auto | Ready | Hurry | Pause | Nudge | Say | Move | Claim
    | TurnFor | Stop | Unsay | Mute | Remove | Lock | HandOver | ChangeSettings | Delete | Sync
)  # fmt: skip
COMMANDS: dict[str, type[Command]] = {record.name_: record for record in get_args(Command)}


class BadShapeError(ValueError):
    """A payload is not of its command's shape; `field` names the first part that is wrong, if one does."""

    def __init__(self, field: str | None) -> None:
        super().__init__(field or "payload")
        self.field = field


def parse(name: str, payload: object) -> Command:
    """Read one command; none of its fields given is as good as none at all.

    Raises:
        BadShapeError: for an unknown name too; answer `bad_request`.
    """
    record = COMMANDS.get(name)
    payload = {} if payload is None else payload
    if record is None or not isinstance(payload, dict):
        raise BadShapeError(None)
    try:
        return _made(record, payload)
    except ValidationError as error:
        where = error.errors(include_url=False, include_input=False)[0]["loc"]
        raise BadShapeError(str(where[0]) if where else None) from None


@dataclass(frozen=True, slots=True, config=SHAPE)
class Hello:
    """The `auth` of a connection: which table, from where on, and the token of the link that brought it, if one did."""

    table: Annotated[str, StringConstraints(max_length=64)]
    since: Since | None = None
    token: Annotated[str, StringConstraints(max_length=64)] | None = None


def parse_hello(auth: object) -> Hello:
    """Read a connection's `auth`.

    Raises:
        BadShapeError: refuse the connection with `no_table`; without a table there is nothing to show.
    """
    if not isinstance(auth, dict):
        raise BadShapeError(None)
    try:
        return _made(Hello, auth)
    except ValidationError:
        raise BadShapeError("table") from None


Record = TypeVar("Record")


def _made(record: type[Record], payload: dict[str, Any]) -> Record:
    # A strict dataclass takes its fields and no dict; and a tuple where JSON can only write an array.
    fields = record.__dataclass_fields__  # type: ignore[attr-defined]  # a dataclass
    given = {name: payload[name] for name in fields if name in payload}
    if isinstance(given.get("since"), list):
        given["since"] = tuple(given["since"])
    return record(**given)
