"""Finished games rebuilt from what was shown at their end: the one place of this kit that uses the engine."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from engine import game as engine
from tests.wire.tape import Json


def as_json(record: Any) -> Any:
    """Return one of the engine's events as it is written on the wire, `by` included."""
    if is_dataclass(record):
        return {"type": getattr(record, "type", None)} | {
            part.name: as_json(getattr(record, part.name)) for part in fields(record)
        }
    return [as_json(part) for part in record] if isinstance(record, tuple) else record


def rebuild(dealt: Json, seed: str, reveals: int, *, stopped: bool) -> list[Json]:
    """Return the whole log of a game (contract, section 3), `by` left out, from what was dealt and the seed.

    A game that was not stopped is played to its own end, whatever `reveals` says.
    """
    terms: Any = {key: dealt[key] for key in ("table", "game", "deck", "length")}
    state, events = engine.deal(seed=seed, nonces=tuple(dealt["nonces"]), **terms)
    log = list(events)
    while state.turn is not None and not (stopped and state.reveals >= reveals):
        state, happened = engine.reveal(state, None)
        log += happened
    if stopped:
        log += engine.stop(state)[1]
    return [without_by(as_json(event)) for event in log]


def without_by(event: Json) -> Json:
    """Return the event as a log has it."""
    return {key: value for key, value in event.items() if key != "by"}
