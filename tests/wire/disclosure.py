"""What is shown, and when: exact fields, no hidden card, secrets at their time, finished games provable."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from tests.wire.history import Finding, History
from tests.wire.rebuild import rebuild, without_by
from tests.wire.tape import Book, Entry, Json

# Exactly the contract's fields, sections 3 and 4: what is not written here could tell too much.
FIELDS = {
    "dealt": "table game deck length attempt stacks spares first cap commitment nonces",
    "reshuffled": "seat cards shuffle",
    "revealed": "n seat card on matched by",
    "captured": "seat cards",
    "out": "seat",
    "ended": "reason winners held seed",
    "opened": "settings host",
    "committed": "game commitment",
    "seated": "seat name kind",
    "moved": "seats",
    "left": "seat why",
    "renamed": "seat name",
    "host": "seat",
    "settings": "settings",
    "away": "seat",
    "back": "seat",
    "ready": "seat",
    "muted": "seat on",
    "said": "id seat name at text phrase",
    "unsaid": "id",
    "voice": "seat on epoch",
    "paused": "on",
    "hurried": "seats on",
}
OPTIONAL = {"text", "phrase"}
BY = frozenset({"self", "auto", "table", "host", "computer"})

CARD = re.compile(r"[A23456789TJQK][SHDC]")
CARD_PLACES = frozenset({"card", "on", "top", "spares"})
FREE_TEXT = frozenset({"name", "text", "message"})


def check(book: Book, history: History, *, receipts: list[Json], logs: dict[int, list[Json]]) -> None:
    """Raise `Finding` for anything shown too early, in the wrong place, or not provable."""
    for batch, event in history.events():
        _fields(batch.seq, event)
    for tape in book.tapes:
        for entry in tape.entries:
            if entry.kind in ("frame", "answer"):
                _cards(entry.payload if entry.kind == "frame" else entry.answer, tape.owner)
    _secrets(book, history)
    games = _games(history)
    for game, events in games.items():
        _provable(book, history, game, events)
    for receipt in receipts:
        if receipt["game"] in games:
            _receipt(receipt, games[receipt["game"]])
    for game, log in logs.items():
        if game in games and (shown := [without_by(event) for event in games[game]]) != log:
            where = next((i for i, pair in enumerate(zip(shown, log, strict=False)) if pair[0] != pair[1]), "its end")
            raise Finding("log", f"the log of game {game} differs from what was shown at line {where}")


def _fields(seq: int, event: Json) -> None:
    kind = event["type"]
    if kind not in FIELDS:
        raise Finding("fields", f"batch {seq} has an event of unknown type: {event}")
    wanted, found = {*FIELDS[kind].split()}, {*event} - {"type"}
    if found - wanted or (wanted - found) - OPTIONAL:
        raise Finding("fields", f"batch {seq}: {kind} has {sorted(found)}, the contract says {sorted(wanted)}")
    if kind == "revealed" and event["by"] not in BY:
        raise Finding("fields", f"batch {seq}: revealed by {event['by']!r}")


def _cards(shown: Any, owner: str, key: str = "") -> None:
    """A card stands only where a turned card may stand: a stack is a number to everybody."""
    if isinstance(shown, dict):
        for name, part in shown.items():
            if name not in FREE_TEXT:
                _cards(part, owner, name)
    elif isinstance(shown, list):
        for part in shown:
            _cards(part, owner, key)
    elif isinstance(shown, str) and key not in CARD_PLACES and CARD.fullmatch(shown):
        raise Finding("hidden card", f"{owner} was shown {shown!r} as {key!r}")


def _secrets(book: Book, history: History) -> None:
    """Seeds before their game's end, nonces before their deal: not in any frame, answer or page."""
    hidden: dict[str, int] = {}
    for batch, event in history.events():
        if event["type"] == "ended":
            hidden[event["seed"]] = batch.order
        if event["type"] == "dealt":
            hidden |= {nonce: batch.order for nonce in event["nonces"] if nonce.strip("0")}
    shown = [(e.order, t.owner, _text(e)) for t in book.tapes for e in t.entries if e.kind in ("frame", "answer")]
    shown += [(page.order, page.path, page.text) for page in book.pages]
    for secret, order in hidden.items():
        for when, where, text in shown:
            if when < order and secret in text:
                raise Finding("secret", f"{secret} was shown to {where} before its time")


def _text(entry: Entry) -> str:
    # An answer's own payload is what the client itself sent.
    return json.dumps(entry.payload if entry.kind == "frame" else entry.answer)


def _games(history: History) -> dict[int, list[Json]]:
    """Return the games of which everything was seen, with their events so far."""
    games: dict[int, list[Json]] = {}
    game = None
    for _, event in history.events():
        if event["type"] == "dealt":
            game = event["game"]
            games[game] = []
        if game is not None and event["type"] in (
            "dealt",
            "reshuffled",
            "revealed",
            "captured",
            "out",
            "ended",
        ):
            games[game].append(event)
    return games


def _provable(book: Book, history: History, game: int, events: list[Json]) -> None:
    dealt = events[0]
    when = next(batch.order for batch, event in history.events() if event is dealt)
    told = [
        entry.payload["commitment"]
        for tape in book.tapes
        for entry in tape.entries
        if entry.order < when and entry.kind == "frame" and entry.name == "snapshot"
    ]
    told += [e["commitment"] for b, e in history.events() if e["type"] == "committed" and b.order < when]
    if dealt["commitment"] not in told:
        raise Finding("commitment", f"game {game} was dealt from {dealt['commitment']}, told before: {told}")
    ended = events[-1]
    if ended["type"] != "ended":
        return
    if hashlib.sha256(bytes.fromhex(ended["seed"])).hexdigest() != dealt["commitment"]:
        raise Finding("commitment", f"the seed of game {game} is not the one that was committed to")
    reveals = sum(event["type"] == "revealed" for event in events)
    true = rebuild(dealt, ended["seed"], reveals, stopped=ended["reason"] == "stopped")
    shown = [without_by(event) for event in events]
    for line, (one, other) in enumerate(zip(true, shown, strict=False)):
        if one != other:
            raise Finding("game", f"event {line} of game {game} is {other}, the seed says {one}")
    if len(true) != len(shown):
        raise Finding("game", f"game {game} has {len(shown)} events, the seed says {len(true)}")


def _receipt(receipt: Json, events: list[Json]) -> None:
    dealt, ended = events[0], events[-1]
    if ended["type"] != "ended":
        raise Finding("receipt", f"there is a receipt of game {receipt['game']}, whose end nobody saw")
    wanted = {key: dealt[key] for key in ("table", "game", "attempt", "deck", "length", "nonces", "commitment")}
    wanted |= {key: ended[key] for key in ("seed", "winners", "reason")}
    wanted |= {"v": 1, "reveals": sum(event["type"] == "revealed" for event in events)}
    for key, value in wanted.items():
        if receipt.get(key) != value:
            raise Finding("receipt", f"{key} is {receipt.get(key)!r} in the receipt, {value!r} in what was shown")
    if {*receipt} - {*wanted} != {"seats"} or len(receipt["seats"]) != len(dealt["nonces"]):
        raise Finding("receipt", f"the receipt's fields: {sorted(receipt)}, seats {receipt.get('seats')}")
