"""What the rooms need from the outside, as typing.Protocol: the store, and who listens to it.

Here live the shapes that cross the border between rooms and store, and nothing that acts.
Invariant: a room's truth is in the store; everything here is a question to it or its answer.
Times are ms since 1970 UTC by the store's clock; lengths of time are ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Protocol

KEEP: Final = "keep"
"""As a commit's `due`: leave the due time as it is."""


class StoreDownError(Exception):
    """The store cannot be reached, or gave no certain answer in time. Nothing is known to have changed."""


class UncertainError(StoreDownError):
    """A commit was asked for, and nobody can say whether it was done: ask again with the same id."""


class StoreFullError(StoreDownError):
    """The store has no room left and refused the write up front; nothing was written or published."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one commit appended, framed by the store: `frame` is the JSON object of an `events` message."""

    seq: int
    previous_mark: str
    mark: str
    frame: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where a table stands. `due` is when the table turns a card by itself, None for never.

    `since` is when that was last set: the turn came round then, or the seat whose turn it is came back.
    """

    now: int
    seq: int
    ver: int
    mark: str
    due: int | None
    since: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as read: `batches` are those kept after the seq that was asked from, in order, without holes.

    They end at `head.seq`; fewer than the distance mean that older ones were trimmed.
    `said` has the lines of chat up to `head.seq` (JSON of `said` events, oldest first); a `read` gives them when asked.
    """

    epoch: str
    head: Head
    state: bytes
    batches: tuple[Batch, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """Commit only if this guest is still gone: same generation, and not heard for `gone_ms` (presence)."""

    guest: str
    generation: int
    gone_ms: int


@dataclass(frozen=True, slots=True)
class Commit:
    """What to save and say, over the version that was read.

    `state` None leaves state and version alone (chat). `expect_ver` is compared whenever it is given, so that a line of
    chat is over the state that allowed it; only without a state may it be None.
    `events` is the JSON list of the batch. `guest` and `cmd` name the command for dedupe ('' for none);
    `answer` is the JSON object of what its acknowledgement says beside ok and seq, remembered with it.
    `due`: KEEP, None for never, or that many ms from the store's now. `timed`: refuse before the due time.
    `known_seq`: after a clash, batches after this one come with the answer.
    `said` (JSON of a `said` event) is added to the newest 50; with it the token `"at":null`, written so,
    becomes the store's time in both `events` and `said`. `unsaid` is the id of a said line to take out.
    `freed`: guests whose seats this frees; their presence goes with the same step, never a newer one of theirs.
    """

    table: str
    expect_ver: int | None
    events: str
    ttl_ms: int
    known_seq: int
    state: bytes | None = None
    guest: str = ""
    cmd: str = ""
    answer: str = "{}"
    due: int | Literal["keep"] | None = KEEP
    timed: bool = False
    guard: Guard | None = None
    said: str | None = None
    unsaid: str | None = None
    receipt: str | None = None
    freed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """Saved and published: the new head, and the batch as framed."""

    kind: ClassVar[str] = "ok"
    head: Head
    batch: Batch


@dataclass(frozen=True, slots=True)
class Done:
    """This command was done before: its seq (0 where it found nothing to do) and its answer then."""

    kind: ClassVar[str] = "done"
    now: int
    seq: int
    answer: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Another version is there; decide again on it."""

    kind: ClassVar[str] = "clash"
    stored: Stored


@dataclass(frozen=True, slots=True)
class Early:
    """A timed commit came before the due time; nothing changed."""

    kind: ClassVar[str] = "early"
    now: int
    due: int | None


@dataclass(frozen=True, slots=True)
class Here:
    """The guarded guest is there after all; nothing changed."""

    kind: ClassVar[str] = "here"
    now: int


@dataclass(frozen=True, slots=True)
class Gone:
    """There is no such table, or no more."""

    kind: ClassVar[str] = "gone"


Outcome = Committed | Done | Clash | Early | Here | Gone


@dataclass(frozen=True, slots=True)
class Presence:
    """A seated guest's newest connection: its generation, when it was last heard, whether it is open."""

    generation: int
    heard: int
    open: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """A connection's place: its generation (0 for one who is not seated), and the table as it stands."""

    generation: int
    stored: Stored
    presence: dict[str, Presence]
    watching: int


@dataclass(frozen=True, slots=True)
class Beat:
    """The answer to a beat: the head, everybody's presence by guest, how many watch.

    Whose generation here is newer than the caller's was replaced by a newer connection.
    """

    head: Head
    presence: dict[str, Presence]
    watching: int


@dataclass(frozen=True, slots=True)
class Published:
    """A commit of any worker, as heard on the room's channel. `state` None: unchanged by it."""

    batch: Batch
    head: Head
    worker: str
    state: bytes | None


class Listener(Protocol):
    """Who hears a room's channel at this worker. Called on the loop; none of these may block."""

    def heard(self, published: Published) -> None:
        """Take a commit, in the order the channel gave it: maybe twice, maybe after a hole."""

    def presence_changed(self, guest: str, presence: Presence) -> None:
        """Take an arrival or a leave of a seated guest, at whichever worker."""

    def watching_changed(self, watching: int, at: int, gone: str) -> None:
        """Take how many watch now. `gone` is not counted any more, '' for nobody: who has them counts them again."""

    def noticed(self, guest: str, code: str) -> None:
        """Take a word for this guest's newest connection, wherever it is: one of the contract's notices."""

    def deleted(self) -> None:
        """Learn that the table was deleted by its host."""

    def resubscribed(self) -> None:
        """Learn that the subscription was made anew: messages may be missing, compare with the store."""


class Store(Protocol):
    """The rooms' truth. Every method may raise StoreDownError; none retries a commit with another id."""

    worker: str
    """This worker's own tag in published messages."""

    async def open(self, table: str, *, epoch: str, state: bytes, events: str, ttl_ms: int) -> Batch | None:
        """Create a table with its first batch (seq 1); None if the id is taken."""

    async def commit(self, commit: Commit) -> Outcome:
        """Save and speak in one step. An uncertain answer is asked again with the same id."""

    async def read(self, table: str, known_seq: int | None = None, *, said: bool = False) -> Stored | None:
        """Read a table, with the batches after `known_seq` if given; None if there is none."""

    async def done(self, table: str, guest: str, cmd: str, answer: str | None = None) -> Done | None:
        """Tell whether a command was done before; if not, and an `answer` is given, remember it as done now (seq 0)."""

    async def receipts(self, table: str) -> tuple[str, ...]:
        """Return the JSON receipts of a table's finished games, oldest first."""

    async def arrive(
        self, table: str, guest: str, known_seq: int | None, *, sitting: bool = False, restart_ms: int = 0
    ) -> Arrival | None:
        """Take the next generation for a guest who is seated (has a presence) or is `sitting` down now.

        Of one who is neither, count a watcher. When nobody seated was present before, everyone's absence
        clock starts anew (`since` too), and a due time becomes now + `restart_ms`. None if the table is gone.
        """

    async def beat(self, table: str, heard: Sequence[tuple[str, int, int]], watchers: Sequence[str]) -> Beat | None:
        """Refresh (guest, generation, ms since last heard) and the watchers; None if the table is gone."""

    async def watch(self, table: str, watchers: Sequence[str]) -> None:
        """Count these as watchers, unless they are seated."""

    async def leave(self, table: str, guest: str, generation: int) -> bool:
        """Close a connection's presence, or a watcher's (generation 0); False if a newer one has it."""

    async def forget(self, table: str, guest: str, generation: int) -> None:
        """Drop the presence of a guest who then got no seat, unless a newer connection of theirs has another."""

    async def delete(self, table: str, expect_ver: int | None = None) -> bool:
        """Delete a table and all of it, and tell every worker; False if it is at another version than expected."""

    async def subscribe(self, table: str, listener: Listener) -> None:
        """Listen to a room's channel; returns once the store confirmed it. One listener a table."""

    async def unsubscribe(self, table: str) -> None:
        """Stop listening. Harmless when not listening."""

    async def allow(self, bucket: str, limit: int, window_ms: int, *, use: str = "") -> bool:
        """Count one use of a bucket; False when it had `limit` in this window. A limit of 0 is none.

        A `use` with a name is counted once, however often it is asked for, and for `window_ms` from then; one without
        counts in the window that a bucket's first use opened. A bucket has either only uses with a name, or none.
        """

    async def nudge(self, table: str, guest: str, cmd: str, *, wanted: str, every_ms: int) -> bool | None:
        """Have a bell rung at `wanted`, on `guest`'s command; False within `every_ms` of the table's newest.

        Not numbered; but `done` knows the command afterwards, and asked again it is answered the same and rings no
        second time. None if the table is gone.
        """

    async def ping(self) -> None:
        """Return if the store answers; raise StoreDownError if not."""
