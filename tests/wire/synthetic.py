"""A correct history made up from the engine: what a faultless server would have shown to two players and a
watcher.

The checker's own tests doctor copies of it. The invariant: `play()` alone gives a book in which nothing is
wrong.
"""

from __future__ import annotations

import copy
import hashlib
from typing import Any

from engine import game as engine
from tests.wire.model import Model
from tests.wire.rebuild import as_json, without_by
from tests.wire.tape import Book, Json, Tape

TABLE = "z4cymrg20szh"
EPOCH = "00c0ffee00c0ffee"
SETTINGS: Json = {
    "kind": "people",
    "seats": 4,
    "computers": 0,
    "deck": "standard",
    "length": "any",
    "chat": "open",
    "watchers": True,
    "voice": False,
    "locked": False,
    "pace": 1,
}


def seed_of(game: int) -> str:
    return hashlib.sha256(b"seed %d" % game).hexdigest()


def commitment_of(game: int) -> str:
    return hashlib.sha256(bytes.fromhex(seed_of(game))).hexdigest()


class Synthetic:
    """A table, the tapes of who is connected, and the state that snapshots are made of."""

    def __init__(self) -> None:
        self.book = Book()
        self.model = Model()
        self.model.epoch = EPOCH
        self.tapes: dict[str, Tape] = {}
        self.seats: dict[str, int] = {}
        self.ids = 0
        self.clock = 1_000
        self.receipt: Json = {}
        self.log: list[Json] = []

    def batch(self, *events: Json) -> int:
        """Commit and show to everybody; return the batch's number."""
        seq = self.model.seq + 1
        mark = hashlib.sha256(f"{self.model.mark}{events}".encode()).hexdigest()[:16]
        frame = {"epoch": EPOCH, "seq": seq, "mark": mark, "at": self.clock + seq, "events": list(events)}
        self.model.take(copy.deepcopy(frame))
        for tape in self.tapes.values():
            tape.write("frame", "events", copy.deepcopy(frame))
        return seq

    def join(self, owner: str, since: tuple[str, int, str] | None = None) -> Tape:
        """Connect `owner`: a snapshot, or with `since` what tells that nothing is missing."""
        tape = self.book.tape(owner)
        auth: Json = {"table": TABLE} | ({} if since is None else {"since": list(since)})
        tape.write("connected", "connect", auth)
        if since is None:
            tape.write("frame", "snapshot", self.snapshot(owner))
        else:
            epoch, seq, mark = since
            frame = {"epoch": epoch, "seq": seq, "mark": mark, "at": self.clock + seq, "events": []}
            tape.write("frame", "events", frame)
        seat = self.seats.get(owner)
        tape.write("frame", "you", {"seat": seat, "host": seat == 0, "watching": seat is None})
        tape.write("frame", "moment", {"turnDue": None})
        self.tapes[owner] = tape
        return tape

    def snapshot(self, owner: str) -> Json:
        model, you = copy.deepcopy(self.model), self.seats.get(owner)
        return {
            "epoch": EPOCH,
            "seq": model.seq,
            "mark": model.mark,
            "you": {"seat": you, "host": you == model.host, "watching": you is None},
            "settings": model.settings,
            "phase": model.phase,
            "host": model.host,
            "seats": [
                {**who, "present": True, "voice": False} | ({"muted": True} if seat in model.muted else {})
                for seat, who in sorted(model.seats.items())
            ],
            "paused": model.paused or None,
            "hurried": model.hurried if model.hurried["seats"] else None,
            "watching": 0,
            "commitment": model.commitment,
            "game": model.game,
            "ready": sorted(model.ready),
            "said": model.said,
            "serverTime": self.clock + model.seq,
        }

    def sends(self, owner: str, name: str, /, *events: Json, **fields: Any) -> None:
        """Have a command sent, committed and acknowledged, its events before its answer."""
        if name != "reveal":
            self.ids += 1
            fields["id"] = f"s{self.ids}"
        tape = self.tapes[owner]
        tape.write("sent", name, fields)
        seq = self.batch(*events)
        seated = [event["seat"] for event in events if event["type"] == "seated"]
        if name == "sit":
            self.seats[owner] = seated[0]
            tape.write("frame", "you", {"seat": seated[0], "host": False, "watching": False})
        tape.write("answer", name, fields, {"ok": True, "seq": seq} | ({"seat": seated[0]} if seated else {}))

    def refused(self, owner: str, name: str, code: str, /, **fields: Any) -> None:
        """Have a command sent and refused."""
        tape = self.tapes[owner]
        tape.write("sent", name, fields)
        tape.write("answer", name, fields, {"ok": False, "code": code, "message": "No."})


def play(stop_after: int | None = None) -> Synthetic:
    """Return one whole game of two, with a rename, a line said, a watcher, and a player who comes back."""
    table = Synthetic()
    table.batch(
        {"type": "opened", "settings": SETTINGS, "host": 0},
        {"type": "committed", "game": 1, "commitment": commitment_of(1)},
        {"type": "seated", "seat": 0, "name": "Asha", "kind": "person"},
    )
    table.seats["Asha"] = 0
    for owner in ("Asha", "Bela"):
        table.join(owner)
    table.sends("Bela", "sit", {"type": "seated", "seat": 1, "name": "Bela", "kind": "person"}, name="Bela")
    nonces = tuple(hashlib.sha256(owner.encode()).hexdigest()[:32] for owner in ("Asha", "Bela"))
    for owner, nonce in zip(("Asha", "Bela"), nonces, strict=True):
        table.sends(owner, "nonce", nonce=nonce)
    table.sends("Bela", "rename", {"type": "renamed", "seat": 1, "name": "Bela Di"}, name="Bela Di")
    game, events = engine.deal(table=TABLE, game=1, deck="standard", length="any", seed=seed_of(1), nonces=nonces)
    table.log = [as_json(event) for event in events]
    table.sends("Asha", "start", *table.log)
    table.refused("Bela", "reveal", "not_your_turn", n=1)
    while game.turn is not None:
        owner = ("Asha", "Bela")[game.turn]
        if game.reveals == stop_after:
            game, ended = engine.stop(game)
            last = [as_json(event) for event in ended]
            table.log += last
            table.sends("Asha", "stop", *last, _committed(2))
            break
        game, events = engine.reveal(game, "self")
        shown = [as_json(event) for event in events]
        table.log += [without_by(event) for event in shown]
        more = [_committed(2)] if game.turn is None else []
        table.sends(owner, "reveal", *shown, *more, n=game.reveals)
        if game.reveals == 10:
            table.join("watcher")
        if game.reveals == 12:
            said = {"type": "said", "id": "1", "seat": 0, "name": "Asha", "text": "hello", "at": 5}
            table.sends("Asha", "say", said, text="hello")
        if game.reveals == 15:
            table.join("Bela", since=table.model.since())
    table.join("late")
    table.receipt = _receipt(game)
    return table


def _committed(game: int) -> Json:
    return {"type": "committed", "game": game, "commitment": commitment_of(game)}


def _receipt(game: engine.Game) -> Json:
    assert game.winners is not None
    return {
        "v": 1,
        "table": game.table,
        "game": game.game,
        "attempt": game.attempt,
        "deck": game.deck,
        "length": game.length,
        "seats": [{"name": "Asha", "kind": "person"}, {"name": "Bela Di", "kind": "person"}],
        "nonces": list(game.nonces),
        "seed": game.seed,
        "commitment": commitment_of(game.game),
        "winners": list(game.winners),
        "reason": game.reason,
        "reveals": game.reveals,
    }
