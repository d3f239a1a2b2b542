"""`view` and `fold`, by example and by the golden games. That they agree in every game: test_properties.py."""

import json
from dataclasses import asdict, fields

import pytest

from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from engine.game import reveal
from engine.view import OutOfOrderError, Pile, View, fold, view
from tests.engine import folds
from tests.engine.games import SEED, dealt, folded, staged

GOLDEN = json.loads(folds.PATH.read_text())["games"]


def test_the_views_fields_are_the_snapshots() -> None:
    names = (
        "game deck length attempt commitment nonces n cap turn again pile stacks collected out winners held"
    )
    assert " ".join(field.name for field in fields(View)) == names


def test_a_fresh_game() -> None:
    game, event = dealt(5)
    seen = view(game)
    assert seen == fold(None, event)
    assert (seen.n, seen.turn, seen.again, seen.pile) == (0, 0, False, Pile(2, event.spares[1]))
    assert (seen.stacks, seen.collected, seen.out) == ((10,) * 5, (0,) * 5, (False,) * 5)
    assert (seen.winners, seen.held) == (None, None)
    assert SEED not in repr(seen)


def test_a_fresh_game_without_spares() -> None:
    assert view(dealt(4)[0]).pile == Pile(0, None)


def test_what_each_event_does() -> None:
    seen = view(staged("2S 3S", "3D", "4C", collected=("", "", "9C 9D"), pile="4S"))
    seen = fold(seen, Revealed(1, 0, "2S", "4S", True, "self"))
    assert (seen.n, seen.stacks, seen.pile, seen.turn, seen.again) == (1, (1, 1, 1), Pile(2, "2S"), 0, True)
    seen = fold(seen, Captured(0, 2))
    assert (seen.collected, seen.pile, seen.turn, seen.again) == ((2, 0, 2), Pile(0, None), 0, True)
    seen = fold(seen, Revealed(2, 0, "3S", None, False, "self"))
    assert (seen.stacks, seen.turn, seen.again) == ((0, 1, 1), 1, False)
    seen = fold(seen, Revealed(3, 1, "3D", "3S", False, "self"))
    assert seen.turn == 2
    seen = fold(seen, Out(1))
    assert (seen.out, seen.turn) == ((False, True, False), 2)
    seen = fold(seen, Revealed(4, 2, "4C", "3D", False, "self"))
    assert seen.turn == 0
    seen = fold(seen, Reshuffled(0, 2, 1))
    assert (seen.stacks, seen.collected) == ((2, 0, 0), (0, 0, 2))
    seen = fold(seen, Revealed(5, 0, "4S", "4C", False, "self"))
    assert seen.turn == 2
    seen = fold(seen, Ended("stopped", (), (1, 0, 2), SEED))
    assert (seen.turn, seen.again, seen.winners, seen.held) == (None, False, (), (1, 0, 2))


def test_the_end_shows_what_each_holds() -> None:
    game, _ = reveal(staged("2S", "3D 5C", pile="4H"), "self")
    seen = view(game)
    assert (seen.turn, seen.winners, seen.held) == (None, (1,), (0, 2))


def test_dealt_begins_anew() -> None:
    _, event = dealt(4)
    assert fold(view(dealt(2)[0]), event) == fold(None, event)


def test_nothing_can_come_before_dealt() -> None:
    with pytest.raises(OutOfOrderError, match="out before dealt"):
        fold(None, Out(0))


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_fold_agrees_with_the_golden_games(number: int) -> None:
    seen: View | None = None
    for step in GOLDEN[number]["steps"]:
        seen = fold(seen, from_json(step["event"]))
        assert json.loads(json.dumps(asdict(seen))) == step["view"]


def test_the_golden_games_are_current() -> None:
    assert folds.PATH.read_text() == folds.content(), "stale: run python -m tests.engine.folds"
    assert folds.PATH.stat().st_size < 600_000


def test_the_golden_games_have_everything() -> None:
    events = [step["event"] for game in GOLDEN for step in game["steps"]]
    assert {event["type"] for event in events} == {
        "dealt",
        "reshuffled",
        "revealed",
        "captured",
        "out",
        "ended",
    }
    first = [event for event in events if event["type"] == "dealt"]
    assert {event["deck"] for event in first} == {"standard", "double", "leftovers"}
    assert {len(event["stacks"]) for event in first} == {2, 3, 4, 5, 6, 8}
    assert any(event["spares"] for event in first)
    ends = [event for event in events if event["type"] == "ended"]
    assert {event["reason"] for event in ends} == {"last_seat", "cap", "stopped"}
    assert any(len(event["winners"]) > 1 for event in ends)


def from_json(told: dict[str, object]) -> GameEvent:
    types: dict[str, type[GameEvent]] = {
        c.type: c for c in (Dealt, Reshuffled, Revealed, Captured, Out, Ended)
    }
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items() if k != "type"}
    return types[str(told["type"])](**values)  # type: ignore[arg-type]  # JSON has no types


def test_folded_needs_an_event_or_a_view() -> None:
    game, event = dealt(2)
    assert folded(None, (event,)) == folded(view(game), ())
