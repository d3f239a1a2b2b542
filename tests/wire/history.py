"""The history checker: reads what every client saw of one table, and finds whatever may never happen.

Input are tapes and HTTP answers alone. `check` raises `Finding` at the first thing wrong, and returns the
`History` otherwise. What it looks for: numbers dense and marks agreed; each client's frames one contiguous
run; a command's own events before its answer; snapshots equal to the fold; cards constant. `effects.py`
holds commands against their events, `manners.py` events against what people may do; `disclosure.py` looks at
what is shown when, and holds finished games against the engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.wire.model import Model, TornError
from tests.wire.tape import Book, Entry, Json, Tape

DECK_SIZES = {"standard": 52, "double": 104, "leftovers": 40}


class Finding(AssertionError):  # noqa: N818 - it is what the checker reports, and an assertion for pytest
    """Something that may never happen was seen; `rule` names which, in one or two words."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch as everybody saw it; `order` is when it was first seen by anybody."""

    seq: int
    mark: str
    at: int
    events: list[Json]
    order: int


@dataclass(slots=True)
class Sent:
    """One command (all its sendings with the same id are one), where its sender stood, and its answers."""

    owner: str
    name: str
    payload: Json
    seat: int | None
    game: int | None
    seq: int = 0
    """The batch that the sender had seen last."""

    answers: list[Json] = field(default_factory=list)
    came_after: bool = False
    """It is a reveal that was already made by this seat, and the sender had seen it, when it was sent."""

    @property
    def refused(self) -> bool:
        """Whether every answer there is says no (unanswered: perhaps done)."""
        return bool(self.answers) and not any(answer["ok"] for answer in self.answers)


@dataclass(slots=True)
class History:
    """What all tapes together tell: the batches by number, and the commands."""

    epoch: str = ""
    batches: dict[int, Batch] = field(default_factory=dict)
    commands: list[Sent] = field(default_factory=list)
    seen: dict[int, bool] = field(default_factory=dict)
    """The numbers that some tape has; true where it came as a batch, false where only a snapshot told it."""

    games: dict[int, int] = field(default_factory=dict)
    """Which game is the newest at these numbers (a deal, or a snapshot)."""

    def game_at(self, seq: int) -> int | None:
        """Return the game that is the newest once batch `seq` has happened."""
        known = max((number for number in self.games if number <= seq), default=None)
        return None if known is None else self.games[known]

    def events(self) -> list[tuple[Batch, Json]]:
        """Return every event with its batch, in order of number."""
        return [(batch, event) for _, batch in sorted(self.batches.items()) for event in batch.events]

    def of_type(self, kind: str) -> list[Json]:
        """Return the events of one type."""
        return [event for _, event in self.events() if event["type"] == kind]


def check(
    book: Book,
    *,
    receipts: Iterable[Json] = (),
    logs: dict[int, list[Json]] | None = None,
    complete: bool = True,
) -> History:
    """Judge a whole book; raise `Finding`.

    `receipts` and `logs` are what the server's HTTP answered, held against the rest. `complete`: the book has
    every command that was sent to the table, and together its tapes saw every batch since the first of them.
    """
    from tests.wire import disclosure, effects, manners  # they use the records of this module

    history = History()
    _unite(book, history)
    for tape in book.tapes:
        _Run(tape, history).walk()
    if complete:
        _dense(history)
    _fold(book, history)
    effects.check(history, complete=complete)
    manners.check(book, history, complete=complete)
    disclosure.check(book, history, receipts=list(receipts), logs=logs or {})
    return history


# --- all tapes together


def _unite(book: Book, history: History) -> None:
    marks: dict[int, tuple[str, str]] = {}
    for tape, entry in _frames(book, "snapshot", "events"):
        frame = entry.payload
        history.epoch = history.epoch or frame["epoch"]
        if frame["epoch"] != history.epoch:
            raise Finding("epoch", f"{tape.owner} saw epoch {frame['epoch']}, others {history.epoch}")
        seq, mark = frame["seq"], frame["mark"]
        known, who = marks.setdefault(seq, (mark, tape.owner))
        if known != mark:
            raise Finding("fork", f"batch {seq} has mark {known} for {who}, {mark} for {tape.owner}")
        if entry.name == "events" and frame["events"]:
            batch = Batch(seq, mark, frame["at"], frame["events"], entry.order)
            first = history.batches.setdefault(seq, batch)
            if (first.events, first.at) != (batch.events, batch.at):
                raise Finding("fork", f"batch {seq} is {first.events} for some, {batch.events} for {tape.owner}")
            for event in frame["events"]:
                if event["type"] == "dealt":
                    history.games[seq] = event["game"]
        if entry.name == "snapshot" and frame["game"] is not None:
            history.games[seq] = frame["game"]["game"]


def _dense(history: History) -> None:
    seen = sorted(history.seen)
    missing = {*range(seen[0], seen[-1] + 1)} - {*seen} if seen else set()
    if missing:
        raise Finding("hole", f"nobody saw the batches {sorted(missing)} between {seen[0]} and {seen[-1]}")


def _frames(book: Book, *names: str) -> list[tuple[Tape, Entry]]:
    found = [(t, e) for t in book.tapes for e in t.entries if e.kind == "frame" and e.name in names]
    return sorted(found, key=lambda pair: pair[1].order)


def _fold(book: Book, history: History) -> None:
    """Fold all batches from the first snapshot (or batch 1) on; compare every snapshot on the way."""
    snapshots: dict[int, list[tuple[str, Json]]] = {}
    for tape, entry in _frames(book, "snapshot"):
        snapshots.setdefault(entry.payload["seq"], []).append((tape.owner, entry.payload))
    model: Model | None = Model() if 1 in history.batches else None
    for seq in sorted({*snapshots, *history.seen}):
        if model is not None and seq == model.seq + 1 and seq in history.seen:
            batch = history.batches.get(seq)
            frame = {"epoch": history.epoch, "seq": seq, "mark": "", "events": batch.events if batch else []}
            try:
                model.take(frame)
            except TornError as wrong:
                raise Finding("fold", f"batch {seq}: {wrong}") from None
            _conserved(model)
        elif model is not None and seq > model.seq:
            model = None
        for owner, snapshot in snapshots.get(seq, []):
            if model is None:
                model = Model()
                model.load(snapshot)
                _conserved(model)
            _same(model, snapshot, owner)


def _same(model: Model, snapshot: Json, owner: str) -> None:
    theirs = Model()
    theirs.load(snapshot)
    ours, shown = model.comparable(), theirs.comparable()
    for key in ours:
        if ours[key] != shown[key]:
            raise Finding(
                "snapshot",
                f"{owner}'s of {snapshot['seq']} has {key} = {json.dumps(shown[key])}, "
                f"the fold {json.dumps(ours[key])}",
            )


def _conserved(model: Model) -> None:
    if model.game is not None and model.cards() != DECK_SIZES[model.game["deck"]]:
        raise Finding("cards", f"{model.cards()} cards at batch {model.seq}: {model.game}")


# --- one tape


class _Run:
    """Walks one connection's tape: each frame must follow the one before it."""

    def __init__(self, tape: Tape, history: History) -> None:
        self.tape = tape
        self.history = history
        self.model = Model()
        self.since: tuple[str, int] | None = None
        self.syncs: list[tuple[Entry, int]] = []
        """Those not answered yet, and from where on each asked."""
        self.open: list[tuple[Entry, Sent]] = []
        self.made: set[tuple[int, int, int]] = set()

    def walk(self) -> None:
        for entry in self.tape.entries:
            if entry.kind == "connected":
                since = entry.payload.get("since")
                self.since = None if since is None else (since[0], since[1])
            elif entry.kind == "sent":
                self._sent(entry)
            elif entry.kind == "answer":
                self._answered(entry)
            elif entry.kind == "frame" and entry.name == "snapshot":
                self._snapshot(entry.payload)
            elif entry.kind == "frame" and entry.name == "events":
                self._events(entry.payload)
            elif entry.kind == "frame" and entry.name == "you":
                self.model.you = entry.payload["seat"]

    def _snapshot(self, frame: Json) -> None:
        if frame["seq"] < self.model.seq:
            raise Finding("run", f"{self.tape.owner} was taken back from {self.model.seq} to {frame['seq']}")
        self.model.load(frame)
        self.history.seen[frame["seq"]] = self.history.seen.get(frame["seq"], False)

    def _events(self, frame: Json) -> None:
        seq, model = frame["seq"], self.model
        resumed = model.epoch is None
        if resumed and self.since is None:
            raise Finding("run", f"{self.tape.owner} got batch {seq} before any snapshot")
        before = self.since[1] if resumed and self.since is not None else model.seq
        told = seq == before and not frame["events"]
        if told and not resumed and not self.syncs:
            raise Finding("run", f"{self.tape.owner} got batch {seq} twice")
        if not told and seq != before + 1 and all(seq != asked + 1 for _, asked in self.syncs):
            raise Finding("run", f"{self.tape.owner} got batch {seq} after {before}")
        model.epoch, model.seq, model.mark = frame["epoch"], seq, frame["mark"]
        if not told:
            self.history.seen[seq] = True
            self._follow(frame)

    def _follow(self, frame: Json) -> None:
        """Know who sits where and what was turned; the full fold is made once for all tapes together."""
        for event in frame["events"]:
            if event["type"] == "moved" and self.model.you is not None:
                self.model.you = event["seats"].index(self.model.you)
            elif event["type"] == "revealed":
                self.made.add((self._game() or 0, event["n"], event["seat"]))

    def _game(self) -> int | None:
        return self.history.game_at(self.model.seq)

    def _sent(self, entry: Entry) -> None:
        if not isinstance(entry.payload, dict):
            return
        if entry.name == "sync":
            since = entry.payload.get("since")
            self.syncs.append((entry, since[1] if since else self.model.seq))
        name, fields = entry.name, entry.payload
        sent = self._known(name, fields)
        if sent is None:
            sent = Sent(self.tape.owner, name, fields, self.model.you, self._game(), self.model.seq)
            self.history.commands.append(sent)
        if name == "reveal" and self.model.you is not None:
            sent.came_after = (self._game() or 0, fields.get("n"), self.model.you) in self.made
        self.open.append((entry, sent))

    def _known(self, name: str, fields: Json) -> Sent | None:
        """Return the command of which this is another sending, if it is one."""
        if "id" not in fields:
            return None
        for sent in self.history.commands:
            if (sent.owner, sent.name, sent.payload.get("id")) == (self.tape.owner, name, fields["id"]):
                return sent
        return None

    def _answered(self, entry: Entry) -> None:
        answer, fields = entry.answer, entry.payload
        if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
            raise Finding("answer", f"{self.tape.owner}'s {entry.name} was answered {answer!r}")
        if not answer["ok"] and not (isinstance(answer.get("code"), str) and answer.get("message")):
            raise Finding("answer", f"{self.tape.owner}'s {entry.name} was refused wordlessly: {answer}")
        which = next((i for i, (e, _) in enumerate(self.open) if e.payload is fields and e.name == entry.name), None)
        if which is None:
            return
        sent = self.open.pop(which)[1]
        for other in sent.answers:
            if other["ok"] and answer["ok"] and other != answer and "id" in fields:
                raise Finding("answer", f"{self.tape.owner}'s {entry.name} was answered {other}, then {answer}")
        sent.answers.append(answer)
        self.syncs = [(asking, since) for asking, since in self.syncs if asking.payload is not fields]
        if not answer["ok"]:
            if sent.came_after and answer["code"] not in ("bad_request", "replaced"):
                raise Finding("answer", f"reveal {fields['n']} was made by {self.tape.owner}, yet refused: {answer}")
            return
        if (seq := answer.get("seq")) is not None and seq > self.model.seq:
            raise Finding(
                "early answer",
                f"{self.tape.owner}'s {entry.name} is answered with batch {seq} after {self.model.seq}",
            )
        # What this client had seen by an earlier connection does not come again by this one.
        seen_before = self.since is not None and seq is not None and seq <= self.since[1]
        if entry.name == "reveal" and not seen_before and self.model.epoch is not None and self.model.you is not None:
            made = {(game, n) for game, n, _ in self.made}
            known = self.model.game["n"] if self.model.game is not None else 0
            if (self._game() or 0, fields["n"]) not in made and fields["n"] > known:
                raise Finding("early answer", f"{self.tape.owner}'s reveal {fields['n']} was answered before it came")
