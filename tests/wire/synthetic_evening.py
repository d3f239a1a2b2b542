"""A correct history of three people who talk, are absent, hurry and have a host: what `manners.py` is tried on.

The invariant: `evening()` alone is faultless, and stands in the middle of a game in which all three hurry.
"""

from __future__ import annotations

from engine import game as engine
from engine.events import By
from tests.wire.rebuild import as_json
from tests.wire.synthetic import SETTINGS, TABLE, Synthetic, commitment_of, seed_of
from tests.wire.tape import Json

ZERO = "0" * 32


class Evening(Synthetic):
    """A table with a running game."""

    def __init__(self) -> None:
        super().__init__()
        self.game, self.dealt = engine.deal(
            table=TABLE, game=1, deck="standard", length="any", seed=seed_of(1), nonces=(ZERO, ZERO, ZERO)
        )
        self.lines = 0

    def turned(self, by: By) -> list[Json]:
        """Turn the next card, and return the events."""
        self.game, events = engine.reveal(self.game, by)
        return [as_json(event) for event in events]

    def stopped(self) -> list[Json]:
        """End the game, and return the events."""
        self.game, events = engine.stop(self.game)
        return [as_json(event) for event in events] + [{"type": "committed", "game": 2, "commitment": commitment_of(2)}]

    def line(self, seat: int, name: str, **what: str) -> Json:
        """Return the next line of chat."""
        self.lines += 1
        return {"type": "said", "id": f"line{self.lines}", "seat": seat, "name": name, "at": 5} | what

    def late(self) -> None:
        """Let ten seconds pass: everybody knows who is here."""
        self.clock += 10_000


def sits(seat: int, name: str) -> Json:
    return {"type": "seated", "seat": seat, "name": name, "kind": "person"}


def evening() -> Evening:
    """Return the table, in the middle of a game in which all hurry."""
    table = Evening()
    table.batch(
        {"type": "opened", "settings": SETTINGS, "host": 0},
        {"type": "committed", "game": 1, "commitment": commitment_of(1)},
        sits(0, "Asha"),
    )
    table.seats["Asha"] = 0
    for owner in ("Asha", "Bela", "Chitra"):
        table.join(owner)
    table.sends("Bela", "sit", sits(1, "Bela"))
    table.sends("Chitra", "sit", sits(2, "Chitra"))
    for name, changed in (("settings", {"seats": 3}), ("lock", {"locked": True}), ("lock", {"locked": False})):
        settings = table.model.settings | changed
        table.sends("Asha", name, {"type": "settings", "settings": settings})
    table.sends("Bela", "say", table.line(1, "Bela", text="hello"), text="hello")
    table.sends("Asha", "unsay", {"type": "unsaid", "id": "line1"}, said="line1")
    table.sends("Chitra", "say", table.line(2, "Chitra", phrase="wow"), phrase="wow")
    table.sends("Asha", "mute", {"type": "muted", "seat": 2, "on": True}, seat=2, on=True)
    table.sends("Asha", "start", *(as_json(event) for event in table.dealt))
    table.sends("Asha", "reveal", *table.turned("self"), n=1)
    while table.game.turn != 1:
        table.sends("Asha", "reveal", *table.turned("self"), n=table.game.reveals)
    table.batch({"type": "away", "seat": 1})
    table.batch(*table.turned("table"))
    while table.game.turn == 1:
        table.batch(*table.turned("table"))
    table.batch({"type": "back", "seat": 1})
    table.late()
    for number, owner in enumerate(("Asha", "Bela", "Chitra")):
        seats = list(range(number + 1))
        table.sends(owner, "hurry", {"type": "hurried", "seats": seats, "on": number == 2}, on=True)
    table.batch(*table.turned("auto"))
    return table
