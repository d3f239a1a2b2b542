"""Receipts with one field changed: each is found out, and what no receipt can show is named here, all of it."""

from dataclasses import fields, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Ended
from engine.game import deal, stop
from engine.receipt import NO_NONCE, Receipt, Seat, rebuild, receipt_of, verify
from tests.engine.games import SEED, TABLE, played

SEATS = (Seat("Asha", "person"), Seat("Bula", "person"), Seat("computer-1", "computer"))

# One field alone, another value that a receipt could hold.
DOCTORED: dict[str, object] = {
    "v": 2,
    "table": "k7q4m2xp9rte",
    "game": 2,
    "attempt": 1,
    "deck": "leftovers",
    "length": "long",
    "seats": SEATS[:2],
    "nonces": ("33" * 16, "22" * 16, NO_NONCE),
    "seed": "77" * 32,
    "commitment": "ab" * 32,
    "winners": (0, 1, 2),
    "reason": "cap",
    "reveals": 7,
}


@cache
def finished(stop_after: int | None = None) -> Receipt:
    """Return the receipt of a game of two people and a computer."""
    nonces = ("11" * 16, "22" * 16, NO_NONCE)
    game, _ = deal(table=TABLE, game=1, deck="standard", length="any", seed=SEED, nonces=nonces)
    game, _ = played(game, stop_after)
    return receipt_of(game if game.turn is None else stop(game)[0], SEATS)


def test_every_field_is_doctored() -> None:
    assert set(DOCTORED) == {field.name for field in fields(Receipt)}
    assert verify(finished()) == ()


@pytest.mark.parametrize("field", DOCTORED)
def test_one_field_changed_is_found(field: str) -> None:
    changed = replace(finished(), **{field: DOCTORED[field]})  # type: ignore[arg-type]  # any field, any value
    assert changed != finished()
    assert verify(changed)


CLAIMS = st.one_of(
    st.tuples(st.just("attempt"), st.integers(1, 255)),
    st.tuples(st.just("commitment"), st.binary(min_size=32, max_size=32).map(bytes.hex)),
    st.tuples(st.just("winners"), st.lists(st.integers(0, 2), unique=True).map(lambda found: tuple(sorted(found)))),
    st.tuples(st.just("reason"), st.sampled_from(["cap", "stopped"])),
    st.tuples(st.just("reveals"), st.integers(0, 5000)),
    st.tuples(st.just("seed"), st.binary(min_size=32, max_size=32).map(bytes.hex)),
)


@given(CLAIMS)
@settings(max_examples=40)
def test_a_claim_changed_to_any_value_is_found(claim: tuple[str, object]) -> None:
    field, value = claim
    changed = replace(finished(), **{field: value})  # type: ignore[arg-type]  # any field, any value
    assert bool(verify(changed)) == (changed != finished())


TERMS = st.one_of(
    st.tuples(st.just("game"), st.integers(1, 2**32 - 1)),
    st.tuples(st.just("table"), st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=12, max_size=12)),
    st.tuples(
        st.just("nonces"),
        st.binary(min_size=16, max_size=16).map(lambda own: (own.hex(), "22" * 16, NO_NONCE)),
    ),
    st.tuples(st.just("deck"), st.sampled_from(["double", "leftovers"])),
)


@given(TERMS)
@settings(max_examples=25)
def test_other_terms_are_another_game(term: tuple[str, object]) -> None:
    field, value = term
    changed = replace(finished(), **{field: value})  # type: ignore[arg-type]  # any field, any value
    last = rebuild(changed)[-1]
    assert isinstance(last, Ended)
    revealed = sum(event.type == "revealed" for event in rebuild(changed))
    # Two games can end alike by chance: then, and only then, the receipt of one could be that of the other.
    alike = (last.winners, last.reason, revealed) == (changed.winners, changed.reason, changed.reveals)
    assert bool(verify(changed)) != alike


def test_names_and_who_was_a_person_cannot_be_shown() -> None:
    assert verify(replace(finished(), seats=(Seat("Someone else", "person"), *SEATS[1:]))) == ()
    assert verify(replace(finished(), seats=(*SEATS[:2], Seat("computer-1", "person")))) == ()


def test_a_person_who_gave_a_nonce_was_no_computer() -> None:
    assert verify(replace(finished(), seats=(Seat("Asha", "computer"), *SEATS[1:])))


def test_a_length_that_the_game_has_as_well_cannot_be_shown() -> None:
    # The first attempt already has 251 to 500 reveals: `any` and `medium` choose the same game.
    nonces = ("11" * 16, "22" * 16, NO_NONCE)
    for number in range(1, 50):
        game, _ = deal(table=TABLE, game=number, deck="standard", length="any", seed=SEED, nonces=nonces)
        end, _ = played(game)
        if 251 <= end.reveals <= 500:
            receipt = receipt_of(end, SEATS)
            assert verify(replace(receipt, length="medium")) == ()
            assert verify(replace(receipt, length="short"))
            return
    raise AssertionError


@pytest.mark.parametrize("field", ["table", "game", "deck", "nonces", "reveals"])
def test_a_stopped_game_shows_only_its_seed(field: str) -> None:
    """A stopped game has no winner, so nothing but the commitment ties its terms to it."""
    stopped = finished(30)
    assert verify(stopped) == ()
    assert verify(replace(stopped, **{field: DOCTORED[field]})) == ()  # type: ignore[arg-type]  # any field
    assert verify(replace(stopped, seed="77" * 32))
