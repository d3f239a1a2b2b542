"""The game at the table: reveals by people, computers and the table itself, and its end. Pure.

The rules are the engine's; here it is decided who may turn a card now, by whom it counts as turned, and what follows
when a game ends. Checks come in the contract's order (section 6): role, phase, then the command's own.
"""

from __future__ import annotations

from engine import game as rules
from engine.events import By, GameEvent
from engine.game import Game
from engine.receipt import Seat as SeatAsDealt
from engine.receipt import receipt_of
from server.protocol.codec import encode
from server.protocol.commands import Auto, Reveal, Stop
from server.protocol.events import HostChanged, Left
from server.rooms.decision import Context, Decision, Refusal
from server.rooms.facts import CardsMoved, Fact, SeedDrawn, committed
from server.rooms.lobby import successor
from server.rooms.record import Room

HURRY = 10
"""How many times as fast cards turn themselves while everybody is in a hurry."""


def reveal(room: Room, command: Reveal, context: Context) -> Decision | Refusal:
    """Turn the card that is this seat's to turn. One that the seat made before is the caller's to answer."""
    seat = room.seated(context.guest)
    if seat is None:
        return Refusal("not_seated")
    refusal = not_playing(room)
    if refusal is not None:
        return refusal
    game = _game(room)
    if game.out[seat]:
        return Refusal("out")
    if game.turn != seat:
        return Refusal("not_your_turn")
    if command.n != game.reveals + 1:
        return Refusal("turning")
    return turned(room, "self", context)


def auto(room: Room, command: Auto, context: Context) -> Decision | Refusal:
    """Allow auto-reveal, which is this connection's alone and no fact of the table's."""
    if room.seated(context.guest) is None:
        return Refusal("not_seated")
    return not_playing(room) or Decision()


def stop(room: Room, command: Stop, context: Context) -> Decision | Refusal:
    """End the game: nobody wins, and the seed is shown (R9)."""
    if not room.is_host(context.guest):
        return Refusal("not_host")
    return not_playing(room) or _after(room, *rules.stop(_game(room)), context)


def turned(room: Room, by: By, context: Context) -> Decision:
    """Turn the next card, whoever's it is, as turned by `by`."""
    return _after(room, *rules.reveal(_game(room), by), context)


def turner(room: Room) -> By | None:
    """Return by whom the next card is turned when nobody taps: a computer, the table, all in a hurry, or nobody."""
    if room.turn is None or room.paused:
        return None
    seat = room.seats[room.turn]
    if seat is None or seat.away or seat.left:
        return "table"
    if seat.kind == "computer":
        return "computer"
    return "auto" if room.hurried else None


def wait_ms(room: Room, beat: int) -> int | None:
    """Return how long the coming card waits before it turns by itself, None if it does not (contract, Time)."""
    if turner(room) is None:
        return None
    return max(1, beat_ms(room, beat) // HURRY) if room.hurried else beat_ms(room, beat)


def beat_ms(room: Room, beat: int) -> int:
    """Return a beat at this table, ms: the server's, at the table's pace."""
    return round(beat / room.settings.pace)


def timing(room: Room) -> tuple[tuple[int, int], By | None, bool]:
    """Return what a due time belongs to: while this stays the same, so does the due time."""
    return (room.turned, turner(room), room.hurried)


def not_playing(room: Room) -> Refusal | None:
    """Return the refusal of what belongs into a game, None during one."""
    if room.phase != "playing":
        return Refusal("not_started" if room.phase == "lobby" else "over")
    return None


def _game(room: Room) -> Game:
    if room.game is None:
        raise AssertionError("phase `playing` or `over` has a game")
    return room.game


def _after(room: Room, game: Game, events: tuple[GameEvent, ...], context: Context) -> Decision:
    if game.turn is not None:
        return Decision((*events, CardsMoved(game)))
    # The next game's seed is bound in the same batch, before anybody can choose a nonce for it (section 2); those
    # who had left keep their seats no longer.
    drawn = SeedDrawn(room.number + 1, context.fresh_seed)
    gone = tuple((number, seat) for number, seat in room.people() if seat.left)
    facts: tuple[Fact, ...] = (*events, CardsMoved(game), drawn, committed(drawn))
    if room.host in dict(gone) and (heir := successor(room, context.present)) is not None:
        facts = (*facts, HostChanged(heir))
    return Decision(
        facts + tuple(Left(n, "removed" if seat.guest in room.removed else "left") for n, seat in gone),
        receipt=encode(receipt_of(game, [SeatAsDealt(name, kind) for name, kind in room.dealt])),
        freed=tuple(seat.guest for _, seat in gone),
    )
