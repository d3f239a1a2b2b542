"""Records to JSON for the wire, and to plain tuples for the store; nothing is decided here.

Invariant: a record's JSON has exactly its fields, in their order, `type` first where it has one. `null` is
written, save in the few fields that are marked optional here.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from server.protocol.events import Event, Said
from server.protocol.replies import Accepted, Refused, SeatView, Snapshot

GAME_EVENTS: dict[str, type[GameEvent]] = {e.type: e for e in (Dealt, Reshuffled, Revealed, Captured, Out, Ended)}
Shape = tuple[str | None, tuple[str, ...], frozenset[str], Callable[[Any], tuple[Any, ...]]]
_SHAPES: dict[type[Any], Shape] = {}
_OPTIONAL: dict[type[Any], frozenset[str]] = {
    Revealed: frozenset({"by"}),
    Said: frozenset({"text", "phrase"}),
    Refused: frozenset({"seats", "field"}),
    Accepted: frozenset({"seq", "seat", "url"}),
    SeatView: frozenset({"muted"}),
    Snapshot: frozenset({"paused", "hurried"}),
}


_AS_THEY_ARE = frozenset({type(None), str, int, float, bool})
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def plain(value: object) -> Any:
    """Return a record as what `json.dumps` writes: dicts for records, lists for tuples."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    tag, names, optional, values = _shape(kind)
    result: dict[str, Any] = {} if tag is None else {"type": tag}
    for name, item in zip(names, values(value), strict=True):
        if item is not None or name not in optional:
            result[name] = item if type(item) in _AS_THEY_ARE else plain(item)
    return result


def encode(value: object) -> str:
    """Return a record, or a tuple of records, as JSON without spaces."""
    return _JSON.encode(plain(value))


def encode_events(events: tuple[Event, ...]) -> str:
    """Return a batch's events as the JSON list that the store frames."""
    return encode(events)


def pack_event(event: GameEvent) -> list[Any]:
    """Return a game event as its tag and values, for the stored state."""
    return [event.type, *_shape(type(event))[3](event)]


def unpack_event(packed: tuple[Any, ...]) -> GameEvent:
    """Return the event that `pack_event` packed; lists must have become tuples before."""
    return GAME_EVENTS[packed[0]](*packed[1:])


def values_of(*names: str) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gives the values of these fields of a record, as a tuple."""
    get = attrgetter(*names) if names else lambda _: ()
    return get if len(names) != 1 else lambda record: (get(record),)


def _shape(record: type[Any]) -> Shape:
    shape = _SHAPES.get(record)
    if shape is None:
        names = tuple(field.name for field in dataclasses.fields(record))
        shape = (getattr(record, "type", None), names, _OPTIONAL.get(record, frozenset()), values_of(*names))
        _SHAPES[record] = shape
    return shape
