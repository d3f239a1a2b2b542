"""What holds in every game (R1 to R9): cards, endings, turns, secrets, and that refusals change nothing."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import ordered
from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from engine.game import Game, GameOver, held, log, reveal, stop, turned_by
from engine.simulate import provable
from engine.view import fold, view
from tests.engine.games import folded, games, played


def all_cards(game: Game) -> Counter[str]:
    found = Counter(game.pile)
    for pile in (*game.stacks, *game.collected):
        found.update(pile)
    return found


@given(games())
@settings(max_examples=40)
def test_every_card_is_somewhere_in_every_state(game: Game) -> None:
    whole = Counter(ordered(game.deck))
    while game.turn is not None:
        assert all_cards(game) == whole
        game, _ = reveal(game, "self")
    assert all_cards(game) == whole


@given(games())
@settings(max_examples=40)
def test_fold_over_the_log_equals_the_view_after_every_batch(game: Game) -> None:
    seen = folded(None, log(game))
    assert seen == view(game)
    while game.turn is not None:
        game, events = reveal(game, "self")
        seen = folded(seen, events)
        assert seen == view(game)
    assert folded(None, log(game)) == view(game)


@given(games(), st.integers(0, 400))
def test_a_stopped_game_folds_too(game: Game, reveals: int) -> None:
    game, _ = played(game, reveals)
    if game.turn is None:
        return
    after, events = stop(game)
    assert folded(view(game), events) == view(after)
    assert folded(None, log(after)) == view(after)


@given(games())
def test_a_game_that_nobody_stops_ends_by_r7_or_r8(game: Game) -> None:
    end, events = played(game)
    last = events[-1]
    assert isinstance(last, Ended)
    assert sum(isinstance(event, Ended) for event in events) == 1
    assert last.held == held(end)
    if end.out.count(False) == 1:
        assert (end.reason, end.winners) == ("last_seat", (end.out.index(False),))
    else:
        assert (end.reason, end.reveals) == ("cap", game.cap)
        assert end.winners == tuple(seat for seat, n in enumerate(last.held) if n == max(last.held))
    before = replace(end)
    with pytest.raises(GameOver):
        reveal(end, "self")
    with pytest.raises(GameOver):
        stop(end)
    assert end == before


@given(games())
def test_events_come_in_order_and_agree_with_one_another(game: Game) -> None:
    out: set[int] = set()
    shuffles = n = 0
    turning: int | None = 0
    while game.turn is not None:
        before = game
        seat = game.turn
        game, batch = reveal(game, "self")
        kinds = [type(event) for event in batch]
        order = (Reshuffled, Revealed, Captured, Out, Ended)
        assert kinds == sorted(kinds, key=order.index)
        for event in batch:
            match event:
                case Reshuffled(who, cards, shuffle):
                    shuffles += 1
                    assert (who, cards, shuffle) == (seat, len(before.collected[seat]), shuffles)
                    assert not before.stacks[seat]
                case Revealed(number, who, card, on, matched, _):
                    n += 1
                    assert (number, who) == (n, seat)
                    assert who not in out  # R6: a seat that is out never turns.
                    assert on == (before.pile[-1] if before.pile else None)
                    assert matched == (on is not None and on[1] == card[1])
                    assert not (before.again and matched)
                case Captured(who, cards):
                    assert (who, cards) == (seat, len(before.pile) + 1)
                case Out(who):
                    out.add(who)
                    assert held(game)[who] == 0
        # R2: after a match the same seat once more, otherwise the next by number that is in.
        if game.turn is not None:
            expected = seat
            if Captured not in kinds:
                expected = next(s % len(game.out) for s in range(seat + 1, seat + 9) if s % len(game.out) not in out)
            turning = expected
            assert (game.turn, game.again) == (turning, Captured in kinds)


@given(games(), st.integers(0, 300))
def test_revealing_and_stopping_leave_the_earlier_state_alone(game: Game, reveals: int) -> None:
    game, _ = played(game, reveals)
    before = replace(game)
    if game.turn is not None:
        assert reveal(game, "self") == reveal(game, "self")
        stop(game)
    assert game == before


@given(games(), st.integers(0, 120), st.randoms(use_true_random=False))
def test_a_running_log_tells_nothing_of_a_stack(game: Game, reveals: int, dice: object) -> None:
    shuffle = getattr(dice, "shuffle")  # noqa: B009 - Hypothesis does not type its Random
    start = game
    game, events = played(game, reveals)
    if game.turn is None or game.shuffles:
        # Once a stack was reshuffled, hidden cards are no longer at their dealt places: see the next test.
        return
    turned = Counter(event.seat for event in events if isinstance(event, Revealed))
    hidden = [card for seat, stack in enumerate(start.stacks) for card in stack[turned[seat] :]]
    shuffle(hidden)
    changed = []
    for seat, stack in enumerate(start.stacks):
        rest = len(stack) - turned[seat]
        changed.append((*stack[: turned[seat]], *hidden[:rest]))
        del hidden[:rest]
    other, same = played(replace(start, stacks=tuple(changed)), reveals)
    assert same == events
    assert view(other) == view(game)


@given(games(), st.integers(0, 400), st.randoms(use_true_random=False))
def test_the_view_tells_nothing_of_a_stack(game: Game, reveals: int, dice: object) -> None:
    shuffle = getattr(dice, "shuffle")  # noqa: B009 - likewise
    game, _ = played(game, reveals)
    hidden = [card for stack in game.stacks for card in stack]
    shuffle(hidden)
    stacks = []
    for stack in game.stacks:
        stacks.append(tuple(hidden[: len(stack)]))
        del hidden[: len(stack)]
    assert view(replace(game, stacks=tuple(stacks))) == view(game)


@given(games(), st.integers(0, 300))
def test_a_running_log_has_no_seed(game: Game, reveals: int) -> None:
    game, _ = played(game, reveals)
    if game.turn is not None:
        assert game.seed not in repr(log(game))


@given(games())
def test_the_fast_game_is_the_same_game(game: Game) -> None:
    end, _ = played(game)
    fast = provable(
        table=game.table,
        game=game.game,
        attempt=game.attempt,
        deck=game.deck,
        cap=game.cap,
        seed=game.seed,
        nonces=game.nonces,
    )
    assert (fast.reveals, fast.winners, fast.capped) == (end.reveals, end.winners, end.reason == "cap")


@given(games(), st.integers(0, 300))
def test_who_turned_is_what_the_log_says(game: Game, reveals: int) -> None:
    game, events = played(game, reveals)
    assert turned_by(game, reveals) == tuple(event.seat for event in events if isinstance(event, Revealed))


def test_folding_begins_with_dealt() -> None:
    first: list[GameEvent] = [Out(0), Captured(0, 2), Reshuffled(0, 1, 1)]
    for event in first:
        assert not isinstance(event, Dealt)
        with pytest.raises(ValueError, match="before dealt"):
            fold(None, event)
