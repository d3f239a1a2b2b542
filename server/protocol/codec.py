"""Records to JSON for the wire, and to plain tuples for the store; nothing is decided here.

Invariant: a record's JSON has exactly its fields, in their order, `type` first where it has one. `null` is
written, save in the few fields that are marked optional here.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from server.protocol.events import Event, Said
from server.protocol.replies import Accepted, Refused, SeatView, Snapshot

GAME_EVENTS: dict[str, type[GameEvent]] = {e.type: e for e in (Dealt, Reshuffled, Revealed, Captured, Out, Ended)}
Shape = tuple[str | None, tuple[str, ...], frozenset[str]]
_SHAPES: dict[type[Any], Shape] = {}
_OPTIONAL: dict[type[Any], frozenset[str]] = {
    Revealed: frozenset({"by"}),
    Said: frozenset({"text", "phrase"}),
    Refused: frozenset({"seats", "field"}),
    Accepted: frozenset({"seq", "seat", "url"}),
    SeatView: frozenset({"muted"}),
    Snapshot: frozenset({"paused", "hurried"}),
}


def plain(value: object) -> Any:
    """Return a record as what `json.dumps` writes: dicts for records, lists for tuples."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    tag, names, optional = _shape(type(value))
    result: dict[str, Any] = {} if tag is None else {"type": tag}
    for name in names:
        item = getattr(value, name)
        if item is not None or name not in optional:
            result[name] = plain(item)
    return result


def encode(value: object) -> str:
    """Return a record, or a tuple of records, as JSON without spaces."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def encode_events(events: tuple[Event, ...]) -> str:
    """Return a batch's events as the JSON list that the store frames."""
    return encode(events)


def pack_event(event: GameEvent) -> list[Any]:
    """Return a game event as its tag and values, for the stored state."""
    return [event.type, *(getattr(event, name) for name in _shape(type(event))[1])]


def unpack_event(packed: tuple[Any, ...]) -> GameEvent:
    """Return the event that `pack_event` packed; lists must have become tuples before."""
    return GAME_EVENTS[packed[0]](*packed[1:])


def _shape(record: type[Any]) -> Shape:
    shape = _SHAPES.get(record)
    if shape is None:
        names = tuple(field.name for field in dataclasses.fields(record))
        shape = (getattr(record, "type", None), names, _OPTIONAL.get(record, frozenset()))
        _SHAPES[record] = shape
    return shape
