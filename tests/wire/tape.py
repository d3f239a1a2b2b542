"""What was seen on the wire: every frame of a connection in the order it arrived, and every HTTP answer.

Here live records alone; who writes them is `client.py`, who judges them `history.py`. The invariant: `order`
is one counter for a whole book, so "before" means the same thing across connections and HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Since = tuple[str, int, str]
"""epoch, seq, mark."""

Kind = Literal["connected", "frame", "sent", "answer", "lost"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened on one connection.

    `name` is the server event's or the command's name. `payload` is the event's argument, the command's
    fields, or for `connected` the auth that was sent. `answer` is set on `answer` entries, whose `payload`
    is the command's fields.
    """

    order: int
    kind: Kind
    name: str
    payload: Any
    answer: Json | None = None


@dataclass(slots=True)
class Order:
    """One counter for a whole book."""

    last: int = 0

    def next(self) -> int:
        """Return the next number."""
        self.last += 1
        return self.last


@dataclass(slots=True)
class Tape:
    """All that one connection saw, oldest first."""

    owner: str
    counter: Order
    entries: list[Entry] = field(default_factory=list)

    def write(self, kind: Kind, name: str, payload: Any, answer: Json | None = None) -> Entry:
        """Append what just happened, and return it."""
        entry = Entry(self.counter.next(), kind, name, payload, answer)
        self.entries.append(entry)
        return entry

    def frames(self, name: str) -> list[Any]:
        """Return the payloads of all server events called `name`, oldest first."""
        return [entry.payload for entry in self.entries if entry.kind == "frame" and entry.name == name]

    def events(self, kind: str | None = None) -> list[Json]:
        """Return every table and game event seen in `events` frames, or only those of type `kind`."""
        seen = [event for frame in self.frames("events") for event in frame["events"]]
        return [event for event in seen if kind is None or event["type"] == kind]


@dataclass(frozen=True, slots=True)
class Page:
    """One HTTP answer, whole."""

    order: int
    path: str
    status: int
    text: str


@dataclass(slots=True)
class Book:
    """Everything that anybody saw of one table."""

    counter: Order = field(default_factory=Order)
    tapes: list[Tape] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    def tape(self, owner: str) -> Tape:
        """Begin the tape of a new connection."""
        tape = Tape(owner, self.counter)
        self.tapes.append(tape)
        return tape

    def page(self, path: str, status: int, text: str) -> Page:
        """Keep an HTTP answer."""
        page = Page(self.counter.next(), path, status, text)
        self.pages.append(page)
        return page
