"""What people may do to each other (contract, sections 4 and 6): chat, host's powers, absence, who turned which card.

Each event is held against the table as it was before it. The invariant: only events and what was sent is looked at, in
the order of the batches; what a connection of another table would know is nobody's business here.
"""

from __future__ import annotations

import unicodedata
from typing import NoReturn

import regex

from tests.wire.history import Batch, Finding, History
from tests.wire.model import Model
from tests.wire.tape import Book, Entry, Json, Tape

LAST_WORDS = frozenset({"replaced", "removed", "closed", "deleted", "expired"})
"""Notices after which a connection hears nothing more of the table."""
MOST_GRAPHEMES = 200
FIXED = ("kind", "computers")
SETTLED_MS = 6_000
"""How long after a connection began every worker knows of it, whatever message was lost: a presence beat, and some."""


def check(book: Book, history: History, *, complete: bool) -> None:
    """Raise `Finding` for whatever was not theirs to do."""
    for tape in book.tapes:
        _quiet(tape)
    _removed_for_good(book)
    _Table(book, history, complete=complete).walk()


def _quiet(tape: Tape) -> None:
    """After its last notice a connection hears nothing of the table any more."""
    over: str | None = None
    for entry in tape.entries:
        if entry.kind == "connected":
            over = None
        elif entry.kind == "frame" and entry.name == "notice" and entry.payload["code"] in LAST_WORDS:
            over = over or entry.payload["code"]
        elif over is not None and entry.kind == "frame" and entry.name != "notice":
            raise Finding("quiet", f"{tape.owner} was {over}, and then got {entry.name}: {entry.payload}")


def _removed_for_good(book: Book) -> None:
    """A removed guest is let in nowhere, and nothing of theirs is done."""
    entries = sorted(((e, t.owner) for t in book.tapes for e in t.entries), key=lambda pair: pair[0].order)
    removed: set[str] = set()
    for entry, owner in entries:
        if entry.kind == "frame" and entry.name == "notice" and entry.payload["code"] == "removed":
            removed.add(owner)
        elif owner in removed and _does(entry):
            raise Finding("removed", f"{owner} was removed, and then: {entry.name} {entry.payload} {entry.answer}")


def _does(entry: Entry) -> bool:
    if entry.kind == "answer":
        return bool((entry.answer or {}).get("ok"))
    return entry.kind == "frame" and entry.name in ("snapshot", "events")


class _Table:
    """The table as the events make it, and what may happen to it next."""

    def __init__(self, book: Book, history: History, *, complete: bool) -> None:
        self.book = book
        self.history = history
        self.complete = complete
        self.model = Model()

    def walk(self) -> None:
        """Look at each event, then let it happen; where nobody saw what came next, begin again from a snapshot."""
        snapshots = {
            entry.payload["seq"]: entry.payload
            for tape in self.book.tapes
            for entry in tape.entries
            if entry.kind == "frame" and entry.name == "snapshot"
        }
        known: int | None = 0
        for seq in sorted({*snapshots, *self.history.seen}):
            if known is not None and seq == known + 1 and self.history.seen.get(seq):
                self._let_happen(self.history.batches.get(seq))
                known = seq
            elif seq != known:
                known = seq if seq in snapshots else None
                if known is not None:
                    self.model.load(snapshots[seq])

    def _let_happen(self, batch: Batch | None) -> None:
        for event in () if batch is None else batch.events:
            assert batch is not None
            look = getattr(self, "_" + event["type"], None)
            if look is not None:
                look(event, batch)
            self.model.apply(event)

    def _no(self, rule: str, event: Json, batch: Batch, why: str) -> NoReturn:
        raise Finding(rule, f"batch {batch.seq} has {event}: {why}")

    def _somebody(self, event: Json, batch: Batch, rule: str) -> Json:
        """Return the person at the event's seat, who is there and has not left."""
        seat = self.model.seats.get(event["seat"])
        if seat is None or seat["kind"] != "person":
            self._no(rule, event, batch, "no person sits there")
        if event["seat"] in self.model.gone:
            self._no(rule, event, batch, "who sat there has left")
        return seat

    # --- chat

    def _said(self, event: Json, batch: Batch) -> None:
        seat = self._somebody(event, batch, "said")
        if event["name"] != seat["name"]:
            self._no("said", event, batch, f"the name there is {seat['name']!r}")
        if event["seat"] in self.model.muted:
            self._no("muted", event, batch, "this seat is muted")
        text, phrase = event.get("text"), event.get("phrase")
        if (text is None) == (phrase is None):
            self._no("said", event, batch, "it is text or phrase, exactly one")
        chat = self.model.settings["chat"]
        if chat == "off" or (chat == "phrases" and text is not None):
            self._no("chat", event, batch, f"chat is {chat}")
        if text is not None and (len(regex.findall(r"\X", text)) > MOST_GRAPHEMES or not text.strip()):
            self._no("said", event, batch, "too long, or nothing")
        if text is not None and any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in text):
            self._no("said", event, batch, "control characters")

    def _unsaid(self, event: Json, batch: Batch) -> None:
        if event["id"] not in [line["id"] for line in self.model.said]:
            self._no("unsaid", event, batch, "no such line among the newest 50")

    def _muted(self, event: Json, batch: Batch) -> None:
        seat = self.model.seats.get(event["seat"])
        if seat is None or seat["kind"] != "person":
            self._no("muted", event, batch, "no person sits there")
        if (event["seat"] in self.model.muted) == event["on"]:
            self._no("muted", event, batch, "so it was")

    # --- the host's powers

    def _settings(self, event: Json, batch: Batch) -> None:
        before, after = self.model.settings, event["settings"]
        changed = {key for key in before if before[key] != after.get(key)}
        if not changed or set(before) != set(after):
            self._no("settings", event, batch, "nothing changes, or other fields")
        if changed & {*FIXED}:
            self._no("settings", event, batch, f"{sorted(changed)} of a table stay")
        if self.model.phase == "playing" and changed != {"locked"}:
            self._no("settings", event, batch, "in the middle of a game")
        if self.model.seats and max(self.model.seats) >= after["seats"]:
            self._no("settings", event, batch, f"seats {sorted(self.model.seats)} are taken")
        if not 2 <= after["seats"] <= (8 if after["deck"] == "double" else 6):
            self._no("settings", event, batch, "so many seats the deck does not allow")

    def _host(self, event: Json, batch: Batch) -> None:
        self._somebody(event, batch, "host")
        if event["seat"] == self.model.host and event["seat"] in self.model.seats:
            # A seat that was freed and taken anew may get it again.
            self._no("host", event, batch, "they are host")

    def _left(self, event: Json, batch: Batch) -> None:
        # At a game's end who left during it is freed, by an event of its own.
        freed = batch.events.index(event) > min(
            (n for n, other in enumerate(batch.events) if other["type"] == "ended"), default=len(batch.events)
        )
        if not freed:
            self._somebody(event, batch, "left")

    # --- coming, going, being ready

    def _seated(self, event: Json, batch: Batch) -> None:
        if self.model.phase == "playing":
            self._no("seated", event, batch, "in the middle of a game")
        if event["seat"] >= self.model.settings["seats"]:
            self._no("seated", event, batch, "there is no such seat")
        opening = any(other["type"] == "opened" for other in batch.events)
        if event["kind"] == "person" and self.model.settings["locked"] and not opening:
            self._no("seated", event, batch, "the table is locked")

    def _renamed(self, event: Json, batch: Batch) -> None:
        self._somebody(event, batch, "renamed")

    def _away(self, event: Json, batch: Batch) -> None:
        if self._somebody(event, batch, "away")["away"]:
            self._no("away", event, batch, "they are away")

    def _back(self, event: Json, batch: Batch) -> None:
        seat = self.model.seats.get(event["seat"])
        if seat is None or not (seat["away"] or event["seat"] in self.model.gone):
            self._no("back", event, batch, "nobody of there was gone")

    def _ready(self, event: Json, batch: Batch) -> None:
        self._somebody(event, batch, "ready")
        if self.model.phase != "over" or event["seat"] in self.model.ready:
            self._no("ready", event, batch, "no game is over, or they are ready")

    # --- pace

    def _paused(self, event: Json, batch: Batch) -> None:
        if self.model.settings["kind"] != "computers" or self.model.phase != "playing":
            self._no("paused", event, batch, "no game against computers")
        if event["on"] == self.model.paused:
            self._no("paused", event, batch, "so it was")

    def _hurried(self, event: Json, batch: Batch) -> None:
        people = {n for n, seat in self.model.seats.items() if seat["kind"] == "person"} - self.model.gone
        if self.model.phase != "playing" or not {*event["seats"]} <= people:
            self._no("hurried", event, batch, f"no game, or not by people of the table ({sorted(people)})")
        if event["on"] and (not event["seats"] or (lacking := self._present(batch) & people - {*event["seats"]})):
            self._no("hurried", event, batch, f"not all present wish it ({sorted(lacking) if event['seats'] else ''})")

    def _present(self, batch: Batch) -> set[int]:
        """Return the seats whose people were there for sure: long connected, before this batch and after."""
        there: set[int] = set()
        for tape in self.book.tapes:
            seat: int | None = None
            since: int | None = None
            for entry in tape.entries:
                if entry.kind == "lost":
                    break
                if entry.kind != "frame":
                    continue
                if entry.name in ("snapshot", "events"):
                    if entry.payload["seq"] >= batch.seq:
                        if entry.payload["seq"] == batch.seq and seat is not None and since is not None:
                            there |= {seat} if since <= batch.at - SETTLED_MS else set()
                        break
                    at = entry.payload["serverTime" if entry.name == "snapshot" else "at"]
                    since = at if since is None else since
                if entry.name == "you":
                    seat = entry.payload["seat"]
        return there

    def _revealed(self, event: Json, batch: Batch) -> None:
        number, by = event["seat"], event["by"]
        seat = self.model.seats.get(number)
        if seat is None:
            self._no("turned", event, batch, "nobody sits there")
        gone = seat["away"] or number in self.model.gone
        if (by == "computer") != (seat["kind"] == "computer") or (by == "table" and not gone):
            self._no("turned", event, batch, f"of {seat}, gone: {gone}")
        if number in self.model.gone and by != "table":
            self._no("turned", event, batch, "who sat there has left")
        if self.model.paused and by in ("computer", "table", "auto"):
            self._no("paused", event, batch, "the table is paused")
        if by == "auto" and self.complete and not self.model.hurried["on"] and not self._asked("auto"):
            self._no("unasked", event, batch, "nobody asked for auto, and nobody hurries")
        if by == "host" and self.complete and not self._asked("turn", n=event["n"]):
            self._no("unasked", event, batch, "no host asked for it")

    def _asked(self, name: str, **fields: object) -> bool:
        """Whether somebody sent this command, and it was not refused."""
        return any(
            sent.name == name and not sent.refused and all(sent.payload.get(key) == fields[key] for key in fields)
            for sent in self.history.commands
        )
