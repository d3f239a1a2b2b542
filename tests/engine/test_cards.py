"""Decks: R1, R2 and the caps of R8."""

from collections import Counter

import pytest

from engine.cards import DECKS, Deck, Length, cap, most_seats, ordered, suit, window


def test_r1_each_deck_has_its_cards() -> None:
    assert " ".join(ordered("standard")[:14]) == "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AH"
    assert ordered("standard")[-1] == "KC"
    assert len(set(ordered("standard"))) == 52
    assert ordered("double") == ordered("standard") * 2
    assert ordered("leftovers") == tuple(r + s for s in "SHDC" for r in "23456") * 2
    assert Counter(map(suit, ordered("leftovers"))) == dict.fromkeys("SHDC", 10)


def test_r2_more_may_sit_at_two_packs() -> None:
    assert [most_seats(deck) for deck in DECKS] == [6, 8, 6]


def test_r8_the_cap_of_each_deck() -> None:
    assert [cap(deck) for deck in DECKS] == [5000, 20000, 5000]


@pytest.mark.parametrize(
    ("deck", "length", "expected"),
    [
        ("standard", "any", None),
        ("standard", "short", (100, 250)),
        ("leftovers", "medium", (251, 500)),
        ("standard", "long", (501, 900)),
        ("double", "short", (400, 1000)),
        ("double", "medium", (1004, 2000)),
        ("double", "long", (2004, 3600)),
        ("double", "any", None),
    ],
)
def test_a_length_is_a_window_of_reveals(
    deck: Deck, length: Length, expected: tuple[int, int] | None
) -> None:
    assert window(deck, length) == expected
