"""Running logs, which have no seed, held against the rules and the cards that were seen."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audit import Finding, differences, running, words
from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed
from engine.game import Game, log
from engine.receipt import verify_log
from tests.engine.games import dealt, games, played


def running_log(seats: int = 3, reveals: int = 60) -> tuple[Dealt, list[GameEvent]]:
    game, _ = played(dealt(seats)[0], reveals)
    first, *rest = log(game)
    assert isinstance(first, Dealt)
    return first, rest


@given(games(), st.integers(0, 5000))
def test_a_log_by_the_rules_has_nothing_wrong(game: Game, reveals: int) -> None:
    # A low cap is a test's own: the audit holds the deck's.
    game, _ = played(replace(game, cap=5000 if game.deck != "double" else 20000), reveals)
    if game.turn is not None:
        assert verify_log(log(game)) == ()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"table": "short"}, "dealt.table"),
        ({"commitment": "xx"}, "dealt.commitment"),
        ({"stacks": (17, 17, 18)}, "dealt.stacks"),
        ({"first": 1}, "dealt.first"),
        ({"cap": 10}, "dealt.cap"),
        ({"spares": ()}, "dealt.spares"),
        ({"spares": ("7X",)}, "dealt.spares"),
    ],
)
def test_a_deal_against_the_rules(change: dict[str, object], field: str) -> None:
    first, rest = running_log()
    found = running(replace(first, **change), rest)  # type: ignore[arg-type]  # any field, any value
    assert [finding.field for finding in found] == [field]


def first_of(rest: list[GameEvent], kind: type[GameEvent]) -> int:
    return next(at for at, event in enumerate(rest) if isinstance(event, kind))


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        (Revealed, {"seat": 2}, "revealed.seat"),
        (Revealed, {"n": 2}, "revealed.n"),
        (Revealed, {"on": "7X"}, "revealed.on"),
        (Revealed, {"matched": True}, "revealed.matched"),
        (Captured, {"cards": 1}, "captured.cards"),
        (Reshuffled, {"cards": 1}, "reshuffled.cards"),
        (Reshuffled, {"shuffle": 9}, "reshuffled.shuffle"),
        (Out, {"seat": 7}, "out.seat"),
    ],
)
def test_an_event_against_the_rules(kind: type[GameEvent], change: dict[str, object], field: str) -> None:
    first, rest = next(
        (first, rest)
        for reveals in range(40, 5000, 5)
        for first, rest in [running_log(4, reveals)]
        if any(isinstance(event, kind) for event in rest)
    )
    at = first_of(rest, kind)
    wrong = replace(rest[at], **change)  # type: ignore[arg-type]  # any field, any value
    found = running(first, [*rest[:at], wrong, *rest[at + 1 :]])
    if field == "revealed.matched":
        assert field in [finding.field for finding in found]
    else:
        assert [finding.field for finding in found] == [field]


def test_a_card_cannot_be_turned_twice() -> None:
    first, rest = running_log(reveals=4)
    seen = rest[0]
    assert isinstance(seen, Revealed)
    at = first_of(rest[1:], Revealed) + 1
    later = rest[at]
    assert isinstance(later, Revealed)
    matched = later.on is not None and later.on[1] == seen.card[1]
    found = running(first, [*rest[:at], replace(later, card=seen.card, matched=matched)])
    assert [(finding.field, finding.reveal, finding.found) for finding in found] == [
        ("revealed.card", later.n, seen.card)
    ]


def test_a_missing_event_is_named() -> None:
    first, rest = running_log()
    at = first_of(rest, Captured)
    found = running(first, rest[:at])
    assert [(finding.expected, finding.found) for finding in found] == [("captured", "nothing")]
    found = running(first, [Captured(0, 2), Captured(0, 2)])
    assert [(finding.expected, finding.found) for finding in found] == [("revealed", "captured")]


def test_a_game_that_must_have_ended_did_not() -> None:
    game, _ = played(dealt(2)[0])
    first, *rest = log(game)
    assert isinstance(first, Dealt)
    found = running(first, rest[:-1])
    assert [(f.field, f.reveal, f.expected, f.found) for f in found] == [("log", game.reveals, "ended", "nothing")]
    found = running(first, [*rest[:-1], Captured(0, 2)])
    assert [(finding.expected, finding.found) for finding in found] == [("ended", "captured")]


def test_differences_name_every_field_and_leave_out_by() -> None:
    right = Revealed(3, 1, "7H", None, False, None)
    assert differences(right, replace(right, by="self"), 3) == ()
    assert differences(right, replace(right, card="8H", on="2S"), 3) == (
        Finding("revealed.card", 3, "7H", "8H"),
        Finding("revealed.on", 3, "none", "2S"),
    )
    assert differences(None, None, 0) == (Finding("log", None, "nothing", "nothing"),)
    assert differences(right, Out(1), 3) == (Finding("log", 3, "revealed", "out"),)


def test_values_in_words() -> None:
    assert words((1, 2)) == "1 2"
    assert words(()) == "none"
    assert words(None) == "none"
    assert words(Ended("cap", (), (), "").reason) == "cap"
