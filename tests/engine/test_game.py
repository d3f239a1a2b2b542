"""R2 to R9, each by an example; bad input; what is asked of a running game. Properties: test_properties."""

import json
from dataclasses import FrozenInstanceError, replace
from hashlib import sha256
from pathlib import Path

import pytest

from engine.cards import DECKS, LENGTHS, ordered
from engine.events import Captured, Ended, Out, Reshuffled, Revealed
from engine.game import BadInputError, GameOver, deal, held, lay, log, reveal, stop, turned_by
from engine.shuffle import game_key, shuffled
from tests.engine.games import SEED, TABLE, as_json, cards, dealt, played, staged

GOLDEN = json.loads(Path("tests/golden/games.json").read_text())["games"]


def test_r2_seat_0_first_then_by_number() -> None:
    game = staged("2S 9S 2S", "3H 9H 3H", "4D 9D 4D")
    seats = []
    for _ in range(6):
        assert game.turn is not None
        seats.append(game.turn)
        game, _ = reveal(game, "self")
    assert seats == [0, 1, 2, 0, 1, 2]


def test_r2_a_seat_that_is_out_is_skipped() -> None:
    game = staged("2S 9S", "", "4D 9D", "")
    assert game.out == (False, True, False, True)
    game, _ = reveal(game, "self")
    assert game.turn == 2
    game, _ = reveal(game, "self")
    assert game.turn == 0


def test_r3_cards_go_round_one_at_a_time_and_the_rest_begin_the_pile() -> None:
    game, event = dealt(5)
    key = game_key(seed=SEED, table=TABLE, game=1, attempt=0, nonces=game.nonces)
    order = shuffled(ordered("standard"), key, 0)
    assert game.stacks[0] == tuple(order[0:50:5])
    assert game.stacks[4] == tuple(order[4:50:5])
    assert game.pile == tuple(order[50:]) == event.spares
    assert (event.stacks, event.first, event.cap, event.type) == ((10,) * 5, 0, 5000, "dealt")
    assert (game.turn, game.again, game.reveals, game.shuffles) == (0, False, 0, 0)


def test_r3_the_first_reveal_can_match_the_last_spare() -> None:
    game, events = reveal(staged("2S 5D", "3H 6H", pile="9D 4S"), "self")
    assert events == (Revealed(1, 0, "2S", "4S", True, "self"), Captured(0, 3))
    assert game.collected[0] == cards("9D 4S 2S")


def test_r4_another_suit_stays_and_the_turn_passes() -> None:
    game, events = reveal(staged("2S 5D", "3H 6H", pile="4H"), "auto")
    assert events == (Revealed(1, 0, "2S", "4H", False, "auto"),)
    assert (game.pile, game.turn, game.again) == (cards("4H 2S"), 1, False)


def test_r4_a_match_collects_the_pile_and_turns_once_more() -> None:
    game = staged("2S 5S 7C", "3S 6H", collected=("KD", ""), pile="4H 4S")
    game, events = reveal(game, "self")
    assert events == (Revealed(1, 0, "2S", "4S", True, "self"), Captured(0, 3))
    assert game.collected[0] == cards("KD 4H 4S 2S")
    assert (game.pile, game.turn, game.again) == ((), 0, True)
    # The second card is a reveal of its own and cannot match, whatever it is; then the turn passes.
    game, events = reveal(game, "host")
    assert events == (Revealed(2, 0, "5S", None, False, "host"),)
    assert (game.pile, game.turn, game.again) == (cards("5S"), 1, False)
    game, events = reveal(game, "computer")
    assert events[0] == Revealed(3, 1, "3S", "5S", True, "computer")


def test_r4_ranks_do_not_matter() -> None:
    _, events = reveal(staged("2S 5S", "3S 6H", pile="2H"), "self")
    assert events[0] == Revealed(1, 0, "2S", "2H", False, "self")


def test_r5_an_empty_stack_is_filled_only_when_it_must_turn() -> None:
    game = staged("2S", "3H 6H", collected=("7D 8C 9C TC JC QC", ""), pile="4H")
    game, _ = reveal(game, "self")
    assert game.stacks[0] == ()
    assert len(game.collected[0]) == 6
    game, _ = reveal(game, "self")
    before = game
    game, events = reveal(game, "self")
    key = game_key(seed=SEED, table=TABLE, game=1, attempt=0, nonces=game.nonces)
    order = shuffled(before.collected[0], key, 1)
    assert events[0] == Reshuffled(0, 6, 1)
    assert events[1] == Revealed(3, 0, order[0], "3H", False, "self")
    assert game.stacks[0] == tuple(order[1:])
    assert (game.collected[0], game.shuffles) == ((), 1)


def test_r5_the_second_card_may_need_a_reshuffle() -> None:
    game, _ = reveal(staged("2S", "3H 6H", pile="4H 4S"), "self")
    assert (game.stacks[0], game.again) == ((), True)
    game, events = reveal(game, "self")
    assert [event.type for event in events] == ["reshuffled", "revealed"]
    assert len(game.stacks[0]) == 2
    assert game.turn == 1


def test_r6_a_last_card_that_misses_puts_its_seat_out() -> None:
    game, events = reveal(staged("2S", "3S 6H", "KC QC", pile="4H"), "self")
    assert events == (Revealed(1, 0, "2S", "4H", False, "self"), Out(0))
    assert (game.out, game.turn) == ((True, False, False), 1)
    # The pile stays, and the others match on top of it.
    game, events = reveal(game, "self")
    assert events == (Revealed(2, 1, "3S", "2S", True, "self"), Captured(1, 3))


def test_r6_who_has_collected_something_is_not_out() -> None:
    game, events = reveal(staged("2S", "3S 6H", collected=("9C", ""), pile="4H"), "self")
    assert [event.type for event in events] == ["revealed"]
    assert game.out == (False, False)


def test_r6_a_last_card_that_matches_is_not_out() -> None:
    game, events = reveal(staged("2S", "3S 6H", pile="4S"), "self")
    assert [event.type for event in events] == ["revealed", "captured"]
    assert game.out == (False, False)


def test_r7_the_last_seat_wins_and_the_middle_counts_for_nobody() -> None:
    game, events = reveal(staged("2S", "3S 6H", "", collected=("", "9C", ""), pile="4H"), "self")
    ended = Ended("last_seat", (1,), (0, 3, 0), SEED)
    assert events == (Revealed(1, 0, "2S", "4H", False, "self"), Out(0), ended)
    assert (game.turn, game.again, game.winners, game.reason) == (None, False, (1,), "last_seat")


def test_r8_at_the_cap_most_cards_win() -> None:
    game, events = reveal(
        staged("2S 3S", "3D", "6H 7H", collected=("", "9C 9D", ""), pile="4H", cap=8, reveals=7), "self"
    )
    assert events[-1] == Ended("cap", (1,), (1, 3, 2), SEED)
    assert (game.turn, game.winners, game.reason) == (None, (1,), "cap")


def test_r8_an_exact_tie_is_shared() -> None:
    _, events = reveal(staged("2S 3S 4S", "3D 5D", "6H", pile="4H", cap=1), "self")
    assert events[-1] == Ended("cap", (0, 1), (2, 2, 1), SEED)


def test_r8_a_capture_on_the_caps_reveal_has_no_second_card() -> None:
    game, events = reveal(staged("2S 3S", "3D 5D", pile="4H 4S", cap=1), "self")
    assert events == (
        Revealed(1, 0, "2S", "4S", True, "self"),
        Captured(0, 3),
        Ended("cap", (0,), (4, 2), SEED),
    )
    assert (game.turn, game.again) == (None, False)


def test_r8_r7_decides_at_the_very_same_reveal() -> None:
    _, events = reveal(staged("2S", "3D", pile="4H", cap=1), "self")
    assert events[-1] == Ended("last_seat", (1,), (0, 1), SEED)


def test_r8_one_out_at_the_cap_with_others_left() -> None:
    _, events = reveal(staged("2S", "3D", "4C 5C", pile="4H", cap=1), "self")
    assert events[1:] == (Out(0), Ended("cap", (2,), (0, 1, 2), SEED))


def test_r9_a_stopped_game_has_no_winner_and_shows_the_seed() -> None:
    game, _ = played(dealt(4)[0], 20)
    after, events = stop(game)
    assert events == (Ended("stopped", (), held(game), SEED),)
    assert (after.turn, after.again, after.winners, after.reason) == (None, False, (), "stopped")
    assert replace(after, turn=game.turn, again=game.again, winners=None, reason=None) == game


def test_a_game_that_is_over_takes_nothing_more() -> None:
    game, _ = stop(dealt(2)[0])
    with pytest.raises(GameOver):
        reveal(game, "self")
    with pytest.raises(GameOver):
        stop(game)


def test_a_game_is_frozen() -> None:
    game, _ = reveal(dealt(2)[0], "self")
    with pytest.raises(FrozenInstanceError):
        game.turn = 1  # type: ignore[misc]  # that it may not be set is what is tested
    assert not hasattr(game, "__dict__")


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: "{deck}-{length}-{game}".format(**c["receipt"]))
def test_whole_games_agree_with_another_implementation(case: dict[str, object]) -> None:
    told = case["receipt"]
    assert isinstance(told, dict)
    game, first = deal(
        table=told["table"],
        game=told["game"],
        deck=next(d for d in DECKS if d == told["deck"]),
        length=next(x for x in LENGTHS if x == told["length"]),
        seed=told["seed"],
        nonces=tuple(told["nonces"]),
    )
    assert game.attempt == told["attempt"]
    end, _ = played(game)
    lines = [json.dumps(as_json(e), sort_keys=True, separators=(",", ":")) + "\n" for e in log(end)]
    assert log(end)[0] == first[0]
    assert (end.reveals, end.shuffles, list(held(end))) == (told["reveals"], case["shuffles"], case["held"])
    assert (list(end.winners or ()), end.reason) == (told["winners"], told["reason"])
    assert sha256("".join(lines).encode()).hexdigest() == case["log_sha256"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("table", "k7q4m2xp9rt"),
        ("table", "k7q4m2xp9rtl"),
        ("table", "K7Q4M2XP9RTD"),
        ("game", 0),
        ("game", 2**32),
        ("deck", "tarot"),
        ("length", "endless"),
        ("attempt", -1),
        ("attempt", 256),
        ("seed", "5e" * 31),
        ("seed", "5E" * 32),
        ("seed", "zz" * 32),
        ("nonces", ("00" * 16,)),
        ("nonces", ("00" * 16,) * 7),
        ("nonces", ("00" * 16, "00" * 15)),
        ("nonces", ("00" * 16, "0g" * 16)),
    ],
)
def test_bad_input_is_refused_by_name(field: str, value: object) -> None:
    good: dict[str, object] = {"table": TABLE, "game": 1, "deck": "standard", "length": "any", "attempt": 0}
    good |= {"seed": SEED, "nonces": ("00" * 16,) * 3}
    lay(**good)  # type: ignore[arg-type]  # wrong types and values are what is tested
    with pytest.raises(BadInputError) as refused:
        lay(**good | {field: value})  # type: ignore[arg-type]  # likewise
    assert refused.value.field == field
    if field != "attempt":
        del good["attempt"]
        with pytest.raises(BadInputError):
            deal(**good | {field: value})  # type: ignore[arg-type]  # likewise


@pytest.mark.parametrize(("deck", "most"), [("standard", 6), ("leftovers", 6), ("double", 8)])
def test_r2_a_deck_has_its_seats(deck: str, most: int) -> None:
    for seats in range(2, most + 1):
        assert len(dealt(seats, deck=deck)[0].stacks) == seats
    with pytest.raises(BadInputError, match="nonces"):
        dealt(most + 1, deck=deck)


def test_who_turned_each_reveal() -> None:
    start, _ = dealt(4)
    game, events = played(start, 90)
    seats = tuple(event.seat for event in events if isinstance(event, Revealed))
    assert turned_by(game, 90) == seats
    assert turned_by(game, 7) == seats[:7]
    assert turned_by(game, 0) == ()
    assert turned_by(game, 500) == seats
    over, _ = played(game)
    assert len(turned_by(over, 10_000)) == over.reveals


def test_the_log_is_computed_anew_and_leaves_out_who_tapped() -> None:
    start, first = dealt(4)
    game, events = played(start, 50)
    bare = tuple(replace(event, by=None) if isinstance(event, Revealed) else event for event in events)
    assert log(game) == (first, *bare)
    ended, stopped = stop(game)
    assert log(ended) == (first, *bare, *stopped)
