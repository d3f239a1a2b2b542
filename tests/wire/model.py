"""A client's own idea of a table: a snapshot and the fold of the events after it, from the contract alone.

It never judges whether a move was right. It raises `TornError` where the events cannot belong to what came
before (a hole in the numbers, a seat that does not exist). The invariant: `comparable()` of a fold up to
number S equals `comparable()` of a snapshot taken at S.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.wire.tape import Json

REVEAL_TYPES = frozenset({"reshuffled", "revealed", "captured", "out", "ended"})


class TornError(AssertionError):
    """The frames do not belong together."""


class Model:
    """The state of one table as a client keeps it."""

    def __init__(self) -> None:
        self.epoch: str | None = None
        self.seq = 0
        self.mark = ""
        self.you: int | None = None
        self.settings: Json = {}
        self.phase = "lobby"
        self.host: int | None = None
        self.seats: dict[int, Json] = {}
        self.gone: set[int] = set()
        self.commitment = ""
        self.game: Json | None = None
        self.ready: set[int] = set()
        self.said: list[Any] = []
        self.muted: set[int] = set()
        self.paused = False
        self.hurried: Json = {"seats": [], "on": False}
        self.turn_due: int | None = None

    def load(self, snapshot: Json) -> None:
        """Throw everything away and begin from a `snapshot`."""
        snapshot = copy.deepcopy(snapshot)
        self.epoch, self.seq, self.mark = snapshot["epoch"], snapshot["seq"], snapshot["mark"]
        you = snapshot["you"]
        self.you = you["seat"] if isinstance(you, dict) else you
        self.settings, self.phase, self.host = snapshot["settings"], snapshot["phase"], snapshot["host"]
        self.seats = {seat["seat"]: seat for seat in snapshot["seats"]}
        self.gone = set()
        self.commitment, self.game = snapshot["commitment"], snapshot["game"]
        self.ready, self.said = set(snapshot["ready"]), snapshot["said"]
        self.muted = {seat["seat"] for seat in snapshot["seats"] if seat.get("muted")}
        # Written only where they say something.
        self.paused = snapshot.get("paused") or False
        self.hurried = snapshot.get("hurried") or {"seats": [], "on": False}

    def since(self) -> tuple[str, int, str]:
        """Return what to reconnect with."""
        assert self.epoch is not None
        return (self.epoch, self.seq, self.mark)

    def take(self, frame: Json) -> None:
        """Fold one `events` frame in; raise `TornError` unless it is the next or an empty one."""
        if self.epoch is not None and frame["epoch"] != self.epoch:
            raise TornError(f"epoch {frame['epoch']} after {self.epoch} without a snapshot")
        if self.epoch is not None and frame["seq"] == self.seq and not frame["events"]:
            return
        if self.epoch is not None and frame["seq"] != self.seq + 1:
            raise TornError(f"number {frame['seq']} came after {self.seq}")
        self.epoch, self.seq, self.mark = frame["epoch"], frame["seq"], frame["mark"]
        for event in frame["events"]:
            self.apply(event)
        if self.game is not None and any(event["type"] == "revealed" for event in frame["events"]):
            self.game["last"] = list(frame["events"])

    def apply(self, event: Json) -> None:
        """Fold one event in."""
        step = getattr(self, "_" + event["type"], None)
        if step is None:
            raise TornError(f"an event of unknown type {event['type']!r}")
        step(event)

    # --- table events

    def _opened(self, event: Json) -> None:
        self.settings, self.host = event["settings"], event["host"]

    def _committed(self, event: Json) -> None:
        self.commitment = event["commitment"]

    def _seated(self, event: Json) -> None:
        if event["seat"] in self.seats:
            raise TornError(f"seat {event['seat']} was seated twice")
        self.seats[event["seat"]] = {key: event[key] for key in ("seat", "name", "kind")} | {"away": False}
        if self.phase == "over":
            self.ready.add(event["seat"])  # To sit down after a game counts as ready for the next.

    def _moved(self, event: Json) -> None:
        new_of = {old: new for new, old in enumerate(event["seats"])}
        if set(new_of) != set(self.seats):
            raise TornError(f"seats {sorted(self.seats)} were moved as {event['seats']}")
        self.seats = {new: self.seats[old] | {"seat": new} for old, new in new_of.items()}
        self.ready = {new_of[old] for old in self.ready if old in new_of}
        self.muted = {new_of[old] for old in self.muted if old in new_of}
        self.host = None if self.host is None else new_of.get(self.host)
        self.you = None if self.you is None else new_of.get(self.you)

    def _left(self, event: Json) -> None:
        if self.phase == "playing":
            self.gone.add(event["seat"])
            return
        self._free(event["seat"])

    def _free(self, seat: int) -> None:
        self.seats.pop(seat, None)
        self.ready.discard(seat)
        self.muted.discard(seat)
        if self.host == seat:
            self.host = None  # Who has somebody to hand on to does so first.
        if self.you == seat:
            self.you = None

    def _renamed(self, event: Json) -> None:
        self._seat(event)["name"] = event["name"]

    def _host(self, event: Json) -> None:
        self.host = event["seat"]

    def _settings(self, event: Json) -> None:
        self.settings = event["settings"]

    def _away(self, event: Json) -> None:
        self._seat(event)["away"] = True

    def _back(self, event: Json) -> None:
        self._seat(event)["away"] = False
        self.gone.discard(event["seat"])

    def _ready(self, event: Json) -> None:
        self.ready.add(event["seat"])

    def _said(self, event: Json) -> None:
        self.said = [*self.said, event][-50:]

    def _unsaid(self, event: Json) -> None:
        self.said = [line for line in self.said if line["id"] != event["id"]]

    def _muted(self, event: Json) -> None:
        self._seat(event)
        (self.muted.add if event["on"] else self.muted.discard)(event["seat"])

    def _voice(self, event: Json) -> None: ...

    def _paused(self, event: Json) -> None:
        self.paused = event["on"]

    def _hurried(self, event: Json) -> None:
        self.hurried = {"seats": event["seats"], "on": event["on"]}

    def _as_usual(self) -> None:
        """A game that begins or ends is neither paused nor hurried any more."""
        self.paused, self.hurried = False, {"seats": [], "on": False}

    def _seat(self, event: Json) -> Json:
        try:
            return self.seats[event["seat"]]
        except KeyError:
            raise TornError(f"{event['type']} for seat {event['seat']}, where nobody sits") from None

    # --- game events

    def _dealt(self, event: Json) -> None:
        keys = ("game", "deck", "length", "attempt", "commitment", "nonces", "cap")
        spares, stacks = event["spares"], event["stacks"]
        self.game = {key: event[key] for key in keys} | {
            "n": 0,
            "turn": event["first"],
            "again": False,
            "pile": {"size": len(spares), "top": spares[-1] if spares else None},
            "stacks": list(stacks),
            "collected": [0] * len(stacks),
            "out": [False] * len(stacks),
            "winners": None,
            "held": None,
            "last": [],
        }
        self.phase, self.ready, self.gone, self.commitment = "playing", set(), set(), event["commitment"]
        self._as_usual()

    def _play(self) -> Json:
        if self.game is None:
            raise TornError("a game event before any deal")
        return self.game

    def _reshuffled(self, event: Json) -> None:
        game, seat = self._play(), event["seat"]
        if game["stacks"][seat] != 0 or game["collected"][seat] != event["cards"]:
            raise TornError(f"seat {seat} reshuffled {event['cards']} cards, not its collected pile: {game}")
        game["stacks"][seat], game["collected"][seat] = event["cards"], 0

    def _revealed(self, event: Json) -> None:
        game, seat, pile = self._play(), event["seat"], self._play()["pile"]
        if event["n"] != game["n"] + 1:
            raise TornError(f"reveal {event['n']} came after reveal {game['n']}")
        if seat != game["turn"] or event["on"] != pile["top"] or game["stacks"][seat] < 1:
            raise TornError(f"{event} does not follow {game}")
        if event["matched"] != (event["on"] is not None and event["on"][1] == event["card"][1]):
            raise TornError(f"{event} judges its own match wrongly")
        game["n"], game["again"] = event["n"], event["matched"]
        game["stacks"][seat] -= 1
        pile["size"], pile["top"] = pile["size"] + 1, event["card"]
        if not event["matched"]:
            game["turn"] = self._next(seat)

    def _next(self, seat: int) -> int:
        out: list[bool] = self._play()["out"]
        return next(
            (other % len(out) for other in range(seat + 1, seat + 1 + len(out)) if not out[other % len(out)]),
            seat,
        )

    def _captured(self, event: Json) -> None:
        game = self._play()
        if event["cards"] != game["pile"]["size"] or not game["again"]:
            raise TornError(f"{event} does not take the pile of {game}")
        game["collected"][event["seat"]] += event["cards"]
        game["pile"] = {"size": 0, "top": None}

    def _out(self, event: Json) -> None:
        game, seat = self._play(), event["seat"]
        if game["stacks"][seat] or game["collected"][seat]:
            raise TornError(f"seat {seat} is out with cards: {game}")
        game["out"][seat] = True

    def _ended(self, event: Json) -> None:
        game = self._play()
        game["turn"], game["again"] = None, False
        game["winners"], game["held"] = event["winners"], event["held"]
        held = [stack + taken for stack, taken in zip(game["stacks"], game["collected"], strict=True)]
        if held != event["held"]:
            raise TornError(f"{event} counts otherwise than {held}")
        self.phase = "over"
        self._as_usual()
        for seat in self.gone:
            self._free(seat)
        self.gone = set()

    # --- comparing

    def cards(self) -> int:
        """Return how many cards are at the table, 0 before any deal."""
        if self.game is None:
            return 0
        return int(sum(self.game["stacks"]) + sum(self.game["collected"]) + self.game["pile"]["size"])

    def comparable(self) -> Json:
        """Return what a snapshot and a fold up to its number must agree on.

        Presence is left out (it is not numbered), and so is `away`: a fold cannot tell an absent seat from
        one that left in mid-game, for which the contract leaves it open.
        """
        game = copy.deepcopy(self.game)
        if game is not None:
            game["last"] = [event for event in game["last"] if event["type"] in REVEAL_TYPES]
        return {
            "settings": self.settings,
            "phase": self.phase,
            "host": self.host,
            "seats": {number: (seat["name"], seat["kind"]) for number, seat in sorted(self.seats.items())},
            "muted": sorted(self.muted),
            "paused": self.paused,
            "hurried": self.hurried,
            "commitment": self.commitment,
            "game": game,
            "ready": sorted(self.ready),
            "said": self.said,
        }
