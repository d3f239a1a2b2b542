"""Games without records: they are the same games, lengths are kept, figures are those of the issue."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import DECKS, LENGTHS, Deck, Length, cap, most_seats, window
from engine.game import lay
from engine.shuffle import game_key, shuffled
from engine.simulate import ATTEMPTS, Outcome, choose, play, provable, sample
from tests.engine.games import SEED, TABLE, played, staged


def dull(pile: list[str]) -> list[str]:
    return pile


def test_the_last_seat_wins() -> None:
    # Seat 0 has H and D, seat 1 S and C: nothing matches, and seat 0 turns its last card first.
    assert play("HSDC", 2, 5000, dull) == Outcome(3, (1,), False)


def test_the_cap_counts_stacks_and_collected() -> None:
    # Seat 0 turns H, seat 1 matches with H: two cards to it, and the cap is here.
    assert play("HHSSCC", 2, 2, dull) == Outcome(2, (1,), True)
    assert play("HHSSCC", 2, 3, dull) == Outcome(3, (1,), True)


def test_a_tie_at_the_cap_is_shared() -> None:
    assert play("HSHSHS", 3, 3, dull) == Outcome(3, (0, 1, 2), True)


@pytest.mark.parametrize("cap", range(1, 40))
def test_it_is_the_same_game_as_with_records_at_every_cap(cap: int) -> None:
    # Two short stacks: spares, outs, captures and reshuffles come soon.
    order = "SHDCSSHHDDCCSHDCS"
    for seats in range(2, 7):
        even = len(order) - len(order) % seats
        game = staged(
            *(" ".join("2" + suit for suit in order[s:even:seats]) for s in range(seats)),
            pile=" ".join("2" + suit for suit in order[even:]),
            cap=cap,
        )
        end, _ = played(game)
        # The staged game shuffles by its seed: so must this one.
        key = game_key(seed=game.seed, table=game.table, game=1, attempt=0, nonces=game.nonces)
        count = iter(range(1, 1000))
        fast = play(order, seats, cap, lambda pile: shuffled(pile, key, next(count)))  # noqa: B023 - used at once
        assert fast == Outcome(end.reveals, end.winners or (), end.reason == "cap")


@given(
    st.sampled_from(DECKS),
    st.sampled_from(LENGTHS),
    st.integers(2, 6),
    st.binary(min_size=32, max_size=32),
)
@settings(max_examples=25)
def test_the_attempt_is_the_least_of_the_wanted_length(deck: Deck, length: Length, seats: int, seed: bytes) -> None:
    nonces = ("00" * 16,) * seats
    attempt = choose(table=TABLE, game=1, deck=deck, length=length, seed=seed.hex(), nonces=nonces)
    wanted = window(deck, length)
    if wanted is None:
        assert attempt == 0
        return

    def off(number: int) -> int:
        game, _ = lay(table=TABLE, game=1, deck=deck, length=length, attempt=number, seed=seed.hex(), nonces=nonces)
        reveals = played(game)[0].reveals
        return max(wanted[0] - reveals, reveals - wanted[1], 0)

    assert off(attempt) == 0
    assert all(off(number) > 0 for number in range(attempt))


@pytest.mark.parametrize(("fewest", "most"), [(4000, 4001), (1, 2), (299, 299), (160, 161)])
def test_without_a_game_of_that_length_the_nearest_is_taken(
    fewest: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.cards.window", lambda deck, length: (fewest, most))
    for number in range(3):
        terms = {"table": TABLE, "game": number + 1, "seed": SEED, "nonces": ("00" * 16,) * 2}
        lengths = [
            provable(deck="leftovers", cap=cap("leftovers"), attempt=attempt, **terms).reveals  # type: ignore[arg-type]
            for attempt in range(ATTEMPTS)
        ]
        off = [max(fewest - reveals, reveals - most, 0) for reveals in lengths]
        chosen = choose(deck="leftovers", length="short", **terms)  # type: ignore[arg-type]  # a table's own words
        assert chosen == off.index(min(off))


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    one = sample(deck="standard", seats=3, games=20, seed=4)
    assert one == sample(deck="standard", seats=3, games=20, seed=4)
    assert one != sample(deck="standard", seats=3, games=20, seed=5)
    assert len(one) == 20


@pytest.mark.parametrize("deck", DECKS)
def test_every_sampled_game_ends(deck: Deck) -> None:
    for seats in range(2, most_seats(deck) + 1):
        for outcome in sample(deck=deck, seats=seats, games=5, seed=seats):
            assert outcome.capped == (outcome.reveals == cap(deck))
            assert outcome.winners


@pytest.mark.parametrize("seats", range(2, 7))
def test_most_games_take_a_few_hundred_reveals_and_none_the_cap(seats: int) -> None:
    reveals = sorted(outcome.reveals for outcome in sample(deck="standard", seats=seats, games=1000, seed=seats))
    assert 150 <= reveals[500] <= 500
    assert reveals[900] <= 1000
    assert reveals[-1] < 5000
