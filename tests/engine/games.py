"""Games for the engine's tests: dealt ones, staged ones, and events as JSON. No test lives here."""

from dataclasses import asdict, replace

from hypothesis import strategies as st

from engine.cards import DECKS, LENGTHS, Card, most_seats
from engine.events import Dealt, GameEvent
from engine.game import Game, deal, reveal
from engine.view import View, fold

TABLE = "k7q4m2xp9rtd"
SEED = "5e" * 32


def dealt(
    seats: int = 3, seed: str = SEED, deck: str = "standard", length: str = "any"
) -> tuple[Game, Dealt]:
    """Deal a game at the usual table, with no nonce from anybody."""
    game, events = deal(
        table=TABLE,
        game=1,
        deck=next(d for d in DECKS if d == deck),
        length=next(x for x in LENGTHS if x == length),
        seed=seed,
        nonces=("00" * 16,) * seats,
    )
    assert isinstance(events[0], Dealt)
    return game, events[0]


def staged(
    *stacks: str,
    collected: tuple[str, ...] = (),
    pile: str = "",
    turn: int = 0,
    cap: int = 5000,
    reveals: int = 0,
) -> Game:
    """Return a game with these cards, each pile a string of cards; a seat without any card is out."""
    game, _ = dealt(len(stacks))
    own = tuple(cards(text) for text in collected) or ((),) * len(stacks)
    return replace(
        game,
        stacks=tuple(cards(text) for text in stacks),
        collected=own,
        pile=cards(pile),
        turn=turn,
        cap=cap,
        reveals=reveals,
        out=tuple(not stack and not mine for stack, mine in zip(stacks, own, strict=True)),
    )


def cards(text: str) -> tuple[Card, ...]:
    """Read `7H TD` as two cards."""
    return tuple(text.split())


def played(game: Game, reveals: int | None = None) -> tuple[Game, tuple[GameEvent, ...]]:
    """Play on, to the end or for so many reveals, and return the events."""
    events: list[GameEvent] = []
    while game.turn is not None and (reveals is None or reveals > 0):
        game, happened = reveal(game, "self")
        events += happened
        reveals = None if reveals is None else reveals - 1
    return game, tuple(events)


def folded(first: View | None, events: tuple[GameEvent, ...]) -> View:
    """Fold events onto a view; one of them at least must be there, or the view."""
    view = first
    for event in events:
        view = fold(view, event)
    assert view is not None
    return view


def as_json(event: GameEvent) -> dict[str, object]:
    """Return an event as the wire writes it; a log's `by` of None is left out."""
    found: dict[str, object] = {"type": event.type, **asdict(event)}
    if "by" in found and found["by"] is None:
        del found["by"]
    return found


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Any game as it is dealt: any deck, any number of seats, any seed and nonces, a few with a low cap."""
    deck = draw(st.sampled_from(DECKS))
    seats = draw(st.integers(2, most_seats(deck)))
    game, _ = deal(
        table=TABLE,
        game=draw(st.integers(1, 2**32 - 1)),
        deck=deck,
        length="any",
        seed=draw(st.binary(min_size=32, max_size=32)).hex(),
        nonces=tuple(draw(st.binary(min_size=16, max_size=16)).hex() for _ in range(seats)),
    )
    return replace(game, cap=draw(st.sampled_from([game.cap, game.cap, 60, 300])))
