"""Which settings a table may have: what its maker asks, and what a host changes, made to hold together.

Only values are judged here; who may change what, and when, is `hosting.py`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from engine.cards import Deck, Length, most_seats
from server.protocol.events import ChatMode, Settings, TableKind
from server.protocol.replies import RefusalCode


def _known_pace(pace: float) -> float:
    if pace not in (0.5, 1, 2):
        raise ValueError
    return pace


Pace = Annotated[float, AfterValidator(_known_pace)]


class Wanted(BaseModel):
    """What a maker may ask of a table (contract, sections 4 and 5); what is not given has its default."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: TableKind = "people"
    seats: Annotated[int, Field(ge=2, le=8)] = 4
    computers: Annotated[int, Field(ge=1, le=3)] = 1
    deck: Deck = "standard"
    length: Length = "any"
    chat: ChatMode = "open"
    watchers: bool = True
    voice: bool = False
    locked: bool = False
    pace: Pace = 1


@dataclass(frozen=True, slots=True)
class Rejected:
    """It cannot be so; `field` is what was wrong."""

    code: RefusalCode
    field: str


def settings_of(wanted: Mapping[str, object], *, strict: bool = True) -> Settings | Rejected:
    """Return the settings that are asked for, made to hold together. A form's are strings: `strict` False."""
    relevant = {key: value for key, value in wanted.items() if key in Wanted.model_fields}
    if relevant.get("kind") == "computers":
        relevant.pop("seats", None)  # Whatever is asked: computers + 1.
    else:
        relevant.pop("computers", None)
    try:
        asked = Wanted.model_validate(relevant, strict=strict)
    except ValidationError as error:
        return Rejected("bad_settings", str(error.errors(include_url=False, include_input=False)[0]["loc"][0]))
    alone = asked.kind == "computers"
    seats = asked.computers + 1 if alone else asked.seats
    if seats > most_seats(asked.deck):
        return Rejected("bad_settings", "seats")
    return Settings(**{**asked.model_dump(), "seats": seats, "computers": asked.computers if alone else 0})
