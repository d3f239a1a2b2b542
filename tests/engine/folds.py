"""The golden games that Python's `fold` and TypeScript's both read. No test lives here.

`python -m tests.engine.folds` writes `tests/golden/folds.json` anew; test_view.py says when it is stale.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path

from engine.events import Dealt, GameEvent
from engine.game import Game, lay, reveal, stop
from engine.view import View, fold
from tests.engine.games import TABLE, as_json

PATH = Path(__file__).parents[1] / "golden" / "folds.json"

# Deck, seats, the number that makes seed and nonces, cap (None: the deck's), stop after (None: to the end).
GAMES = (
    ("standard", 2, 1, None, None),
    ("standard", 3, 2, None, 60),
    ("standard", 4, 3, None, None),
    ("standard", 5, 4, 120, None),
    ("leftovers", 6, 5, None, None),
    ("leftovers", 3, 6, None, None),
    ("double", 8, 7, 160, None),
    ("double", 5, 8, None, 0),
)
TIED = range(100, 200)


def content() -> str:
    """Return the file's text: whole games, one step a line, the view after each event."""
    played = [steps(*game) for game in GAMES]
    # A shared win: the first of many games whose low cap ends in a tie.
    played.append(next(found for n in TIED if shared(found := steps("standard", 4, n, 30, None))))
    games = ",\n".join(
        '{"steps":[\n' + ",\n".join(compact(step) for step in game) + "\n]}" for game in played
    )
    return '{"games":[\n' + games + "\n]}\n"


def steps(
    deck: str, seats: int, number: int, cap: int | None, stop_after: int | None
) -> list[dict[str, object]]:
    """Play a game and return every event with the view after it."""
    game, event = lay(
        table=TABLE,
        game=number,
        deck=deck,  # type: ignore[arg-type]  # `lay` checks it
        length="any",
        attempt=0,
        seed=bytes([number]).hex() * 32,
        nonces=tuple(bytes([number, seat]).hex() * 8 for seat in range(seats)),
    )
    if cap is not None:
        game, event = replace(game, cap=cap), replace(event, cap=cap)
    view: View | None = None
    found: list[dict[str, object]] = []
    for happened in events(game, event, stop_after):
        view = fold(view, happened)
        found.append({"event": as_json(happened), "view": asdict(view)})
    return found


def events(game: Game, first: Dealt, stop_after: int | None) -> list[GameEvent]:
    """Play to the end, or stop after so many reveals."""
    found: list[GameEvent] = [first]
    while game.turn is not None:
        batch: tuple[GameEvent, ...]
        game, batch = stop(game) if game.reveals == stop_after else reveal(game, "self")
        found += batch
    return found


def shared(game: list[dict[str, object]]) -> bool:
    """Tell whether two or more won."""
    view = game[-1]["view"]
    return isinstance(view, dict) and len(view["winners"]) > 1


def compact(value: object) -> str:
    """Write JSON without a space."""
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    PATH.write_text(content())
