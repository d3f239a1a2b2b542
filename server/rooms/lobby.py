"""Between games and around them: sit, leave, rename, nonce, ready, start. Pure.

Each function is a `decide`: the room as it is, the command, the context; a Decision or a Refusal. Checks come in the
contract's order (section 6): role, phase, then the command's own.
"""

from __future__ import annotations

from engine.game import deal
from server.protocol.commands import GiveNonce, Leave, Ready, Rename, Sit, Start
from server.protocol.events import (
    CameBack,
    HostChanged,
    Left,
    Moved,
    Muted,
    Opened,
    Readied,
    Renamed,
    Seated,
    Settings,
)  # fmt: skip
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import CardsMoved, Fact, KeyTaken, NonceGiven, SeedDrawn, committed
from server.rooms.names import BadNameError, cleaned, friendly, told_apart
from server.rooms.record import ZERO_NONCE, Room, applied, opening


def open_table(table: str, settings: Settings, name: str | None, context: Context) -> tuple[Room, tuple[Fact, ...]]:
    """Make a table: its maker is host at seat 0, its computers sit behind.

    Raises:
        BadNameError: answer `bad_name`.
    """
    opened = Opened(settings, host=0)
    drawn = SeedDrawn(1, context.fresh_seed)
    facts: list[Fact] = [opened, drawn, committed(drawn)]
    facts += [
        Seated(
            0,
            cleaned(name) or friendly(context.language, context.pick, ()),
            "person",
        ),
        KeyTaken(0, context.guest),
    ]
    facts += [Seated(n, f"computer-{n}", "computer") for n in range(1, settings.computers + 1)]
    return applied(opening(opened, table), facts[1:]), tuple(facts)


def sit(room: Room, command: Sit, context: Context) -> Decision | Refusal:
    """Take a seat; one who is seated is told where; one who left during the game comes back."""
    if not context.guest:
        return Refusal("no_cookie")
    if context.guest in room.removed:
        return Refusal("removed")
    held = room.seat_of(context.guest)
    if held is not None:
        return Decision(_again(room, held), seat=held)
    if room.phase == "playing":
        return Refusal("already_started")
    if room.settings.locked:
        return Refusal("locked")
    free = [number for number, seat in enumerate(room.seats) if seat is None]
    if not free or (command.seat is not None and command.seat not in free):
        return Refusal("full")
    number = free[0] if command.seat is None else command.seat
    try:
        name = cleaned(command.name)
    except BadNameError:
        return Refusal("bad_name", field="name")
    names = {seat.name for _, seat in room.taken()}
    name = told_apart(name, names) if name else friendly(context.language, context.pick, names)
    facts: list[Fact] = [Seated(number, name, "person"), KeyTaken(number, context.guest)]
    if room.host is None:
        facts.append(HostChanged(number))
    if context.guest in room.muted:
        facts.append(Muted(number, on=True))  # Sitting down anew does not unmute.
    return Decision(tuple(facts), seat=number)


def comeback(room: Room, number: int) -> tuple[Fact, ...]:
    """Return what it takes to unmark the seat of one who is here again: nothing where it is not marked."""
    seat = room.seats[number]
    if seat is None or not (seat.away or seat.left):
        return ()
    host = None if room.host is None else room.seats[room.host]
    # Where everybody had left, the host with them, the first one back is host: a table is never without.
    deserted = seat.left and host is not None and host.left and room.host != number
    return (CameBack(number), HostChanged(number)) if deserted else (CameBack(number),)


def _again(room: Room, held: int) -> tuple[Fact, ...]:
    """Return what sitting down means for one who has a seat: coming back during a game, being ready after one."""
    seat = room.seats[held]
    if seat is None:
        return ()
    if seat.left:
        return comeback(room, held)
    return (Readied(held),) if room.phase == "over" and not seat.ready else ()


def leave(room: Room, command: Leave, context: Context) -> Decision | Refusal:
    """Give the seat up: free at once between games, at the game's end during one. A host hands on first."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    facts: list[Fact] = [Left(number, "left")]
    if room.host == number and (heir := successor(room, context.present)) is not None:
        facts.insert(0, HostChanged(heir))
    return Decision(tuple(facts), freed=() if room.phase == "playing" else (context.guest,))


def successor(room: Room, present: frozenset[int]) -> int | None:
    """Return who becomes host when the host goes: of those present, the one who sat down first; else of all."""
    others = [(n not in present, seat.since, n) for n, seat in room.people() if n != room.host and not seat.left]
    return min(others)[2] if others else None


def rename(room: Room, command: Rename, context: Context) -> Decision | Refusal:
    """Take another name."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    try:
        name = cleaned(command.name)
    except BadNameError:
        return Refusal("bad_name", field="name")
    names = {seat.name for n, seat in room.taken() if n != number}
    name = told_apart(name, names) if name else friendly(context.language, context.pick, names)
    return Decision((Renamed(number, name),))


def nonce(room: Room, command: GiveNonce, context: Context) -> Decision | Refusal:
    """Take a nonce for the next deal; the newest counts."""
    number = room.seated(context.guest)
    if number is None:
        return Refusal("not_seated")
    if room.phase == "playing":
        return Refusal("already_started")
    return Decision((NonceGiven(number, command.nonce),))


def ready(room: Room, command: Ready, context: Context) -> Decision | Refusal:
    """Be ready for another game."""
    number = room.seated(context.guest)
    seat = None if number is None else room.seats[number]
    if number is None or seat is None:
        return Refusal("not_seated")
    if room.phase != "over":
        return Refusal("not_started" if room.phase == "lobby" else "already_started")
    return Decision(() if seat.ready else (Readied(number),))


def start(room: Room, command: Start, context: Context) -> Decision | Refusal:
    """Deal the next game to whoever sits; for another game, to whoever is ready.

    With a length other than `any` this plays up to 256 games in silence (R8, section 2): a tenth of a second.
    """
    if not room.is_host(context.guest):
        return Refusal("not_host")
    if room.phase == "playing":
        return Refusal("already_started")
    facts: list[Fact] = []
    freed: list[str] = []
    if room.phase == "over":
        waiting = [(n, s) for n, s in room.people() if not s.ready and n != room.host]
        unready = tuple(n for n, _ in waiting if n in context.present)
        if unready:
            return Refusal("not_ready", seats=unready)
        facts += [Left(n, "not_ready") for n, _ in waiting]
        freed += [seat.guest for _, seat in waiting]
    room = applied(room, facts)
    seated = tuple(n for n, _ in room.taken())
    if len(seated) < 2:
        return Refusal("need_two")
    if seated != tuple(range(len(seated))):
        facts.append(Moved(seated))
        room = applied(room, facts[-1:])
    game, events = deal(
        table=room.table,
        game=room.number,
        deck=room.settings.deck,
        length=room.settings.length,
        seed=room.seed,
        nonces=tuple(seat.nonce or ZERO_NONCE for _, seat in room.taken()),
    )
    return Decision((*facts, *events, CardsMoved(game)), freed=tuple(freed))
