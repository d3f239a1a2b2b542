"""Receipts: they rebuild the same log; what was changed in one, or in a log, is found and named."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Captured, Dealt, Ended, GameEvent, Revealed
from engine.game import BadInputError, Game, log, stop
from engine.receipt import NO_NONCE, NotOverError, Receipt, Seat, rebuild, receipt_of, verify, verify_log
from tests.engine.games import dealt, games, played


def people(game: Game) -> tuple[Seat, ...]:
    return tuple(Seat(f"P{seat}", "person") for seat in range(len(game.nonces)))


def finished(seats: int = 3, length: str = "any") -> tuple[Game, Receipt]:
    end, _ = played(dealt(seats, length=length)[0])
    return end, receipt_of(end, people(end))


def fields_of(found: tuple[object, ...]) -> list[str]:
    return [getattr(finding, "field", "") for finding in found]


@given(games(), st.one_of(st.none(), st.integers(0, 100)))
@settings(max_examples=30)
def test_a_receipt_rebuilds_the_same_log(game: Game, stop_after: int | None) -> None:
    # A low cap is a test's own: a receipt knows only the deck's.
    game, _ = played(replace(game, cap=5000 if game.deck != "double" else 20000), stop_after)
    if game.turn is not None:
        game, _ = stop(game)
    receipt = receipt_of(game, people(game))
    assert rebuild(receipt) == log(game)
    assert rebuild(receipt) == rebuild(receipt)
    assert verify(receipt) == ()
    assert verify_log(log(game)) == ()


def test_what_a_receipt_holds() -> None:
    end, receipt = finished()
    assert (receipt.v, receipt.table, receipt.game, receipt.seed) == (1, end.table, 1, end.seed)
    assert (receipt.winners, receipt.reason, receipt.reveals) == (end.winners, end.reason, end.reveals)


def test_a_running_game_has_no_receipt() -> None:
    game, _ = dealt(3)
    with pytest.raises(NotOverError):
        receipt_of(game, people(game))


def test_a_receipt_has_a_name_a_seat() -> None:
    end, _ = finished()
    with pytest.raises(BadInputError, match="seats"):
        receipt_of(end, people(end)[:2])


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"v": 2}, ["v"]),
        ({"table": "short"}, ["table"]),
        ({"deck": "tarot"}, ["deck"]),
        ({"attempt": 3}, ["attempt"]),
        ({"commitment": "ab" * 32}, ["commitment"]),
        ({"winners": (0, 1)}, ["winners"]),
        ({"reveals": 7}, ["reveals"]),
        ({"reason": "cap"}, ["reason"]),
        ({"seats": (Seat("A", "person"),) * 2}, ["seats"]),
        ({"reason": "stopped"}, ["reason"]),
        ({"reason": "stopped", "reveals": 5}, ["winners"]),
    ],
)
def test_what_was_changed_is_named(change: dict[str, object], fields: list[str]) -> None:
    _, receipt = finished()
    found = fields_of(verify(replace(receipt, **change)))  # type: ignore[arg-type]  # any field, any value
    assert found[: len(fields)] == fields


def test_another_seed_is_another_commitment() -> None:
    _, receipt = finished()
    assert "commitment" in fields_of(verify(replace(receipt, seed="77" * 32)))


def test_a_computers_nonce_is_zeros() -> None:
    end, receipt = finished()
    computer = replace(receipt, seats=(*people(end)[:2], Seat("computer-1", "computer")))
    assert verify(computer) == ()
    nonces = (NO_NONCE, NO_NONCE, "01" * 16)
    assert "nonces[2]" in fields_of(verify(replace(computer, nonces=nonces)))


def test_the_attempt_must_be_the_lengths() -> None:
    end, receipt = finished(length="medium")
    assert verify(receipt) == ()
    assert verify_log(log(end)) == ()
    other = replace(receipt, attempt=receipt.attempt + 1)
    assert "attempt" in fields_of(verify(other))
    assert fields_of(verify_log(rebuild(other)))[0] == "attempt"


def test_rebuilding_from_nonsense_is_refused() -> None:
    _, receipt = finished()
    with pytest.raises(BadInputError, match="seed"):
        rebuild(replace(receipt, seed="77"))


def changed(events: tuple[GameEvent, ...], at: int, **change: object) -> tuple[GameEvent, ...]:
    return (*events[:at], replace(events[at], **change), *events[at + 1 :])  # type: ignore[arg-type]


def test_a_changed_log_is_wrong_at_its_reveal() -> None:
    end, _ = finished()
    events = log(end)
    at = next(i for i, event in enumerate(events) if isinstance(event, Revealed) and event.n == 17)
    (found,) = verify_log(changed(events, at, card="XX"))
    right = events[at]
    assert isinstance(right, Revealed)
    assert (found.field, found.reveal, found.expected, found.found) == ("revealed.card", 17, right.card, "XX")
    capture = next(i for i, event in enumerate(events) if isinstance(event, Captured))
    assert fields_of(verify_log(changed(events, capture, cards=99))) == ["captured.cards"]
    assert fields_of(verify_log((*events[:at], *events[at + 1 :])))[0] in ("log", "revealed.n")
    assert fields_of(verify_log((*events, events[-1]))) == ["log"]
    assert fields_of(verify_log(events[1:])) == ["log"]
    assert fields_of(verify_log(())) == ["log"]


def test_who_tapped_does_not_matter_to_a_log() -> None:
    end, events = played(dealt(3)[0])
    assert verify_log((log(end)[0], *events)) == ()


def test_a_log_whose_seed_is_another_is_wrong_in_its_commitment() -> None:
    end, _ = finished()
    events = log(end)
    assert fields_of(verify_log(changed(events, len(events) - 1, seed="77" * 32))) == ["dealt.commitment"]
    assert fields_of(verify_log(changed(events, len(events) - 1, seed="77"))) == ["seed"]
    assert fields_of(verify_log(changed(events, 0, cap=77))) == ["dealt.cap"]
    assert fields_of(verify_log(changed(events, len(events) - 1, winners=(0, 1)))) == ["ended.winners"]


def test_a_stopped_log_is_whole() -> None:
    game, _ = played(dealt(4)[0], 30)
    game, _ = stop(game)
    events = log(game)
    assert isinstance(events[0], Dealt)
    assert isinstance(events[-1], Ended)
    assert verify_log(events) == ()
    assert fields_of(verify_log(changed(events, len(events) - 1, held=(1, 2, 3, 4)))) == ["ended.held"]
    # A game that had ended by itself cannot have been stopped.
    end, _ = finished()
    over = log(end)
    assert fields_of(verify_log(changed(over, len(over) - 1, reason="stopped", winners=())))[0] == "ended.reason"
