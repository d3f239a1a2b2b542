"""Reveals by people, computers and the table, and what follows when a game ends."""

from __future__ import annotations

import json

import pytest

from engine.events import Ended, Revealed
from engine.receipt import verify
from server.protocol.commands import Auto, Reveal, Stop
from server.protocol.events import Committed, Settings
from server.rooms import play
from server.rooms.decision import Decision, Refusal
from server.rooms.record import ZERO_NONCE, Room, applied
from server.rooms.tables import receipt_from
from tests.builders import changed, context, lobby_of, over, playing, seed


def test_ones_own_card_is_turned_by_oneself() -> None:
    room = playing(2)
    decision = play.reveal(room, Reveal(n=1), context("Asha"))
    assert isinstance(decision, Decision)
    revealed = next(fact for fact in decision.facts if isinstance(fact, Revealed))
    assert (revealed.n, revealed.seat, revealed.by) == (1, 0, "self")
    after = applied(room, decision.facts)
    assert after.game is not None
    assert after.game.reveals == 1
    assert after.last[: len(decision.facts) - 1] == decision.facts[:-1]


@pytest.mark.parametrize(
    ("room", "guest", "n", "code"),
    [
        (lobby_of(2), "Asha", 1, "not_started"),
        (playing(2), "nobody", 1, "not_seated"),
        (playing(2), "", 1, "not_seated"),
        (playing(2), "Bula", 1, "not_your_turn"),
        (playing(2), "Asha", 2, "turning"),
        (over(2), "Asha", 1, "over"),
    ],
)
def test_a_reveal_is_refused_with_its_reason(room: Room, guest: str, n: int, code: str) -> None:
    assert play.reveal(room, Reveal(n=n), context(guest)) == Refusal(code)  # type: ignore[arg-type]


def test_one_who_is_out_is_told_so() -> None:
    room = playing(3)
    while room.game is not None and not any(room.game.out):
        room = applied(room, play.turned(room, "self", context()).facts)
    assert room.game is not None
    loser = room.seats[room.game.out.index(True)]
    assert loser is not None
    assert play.reveal(room, Reveal(n=room.game.reveals + 1), context(loser.guest)) == Refusal("out")


def test_who_turns_a_card_when_nobody_taps() -> None:
    room = playing(2)
    assert play.turner(room) is None
    assert play.wait_ms(room, 1000) is None
    assert play.turner(changed(room, 0, away=True)) == "table"
    assert play.turner(changed(room, 0, left=True)) == "table"
    assert play.wait_ms(changed(room, 0, away=True), 1000) == 1000
    computers = playing(1, Settings(kind="computers", seats=2, computers=1, pace=2))
    computers = applied(computers, play.turned(computers, "self", context()).facts)
    while computers.turn == 0:
        computers = applied(computers, play.turned(computers, "self", context()).facts)
    assert (play.turner(computers), play.wait_ms(computers, 1000)) == ("computer", 500)
    assert play.turner(over(2)) is None


def test_the_end_binds_the_next_seed_and_writes_a_receipt_that_checks() -> None:
    room = playing(2)
    while room.phase == "playing":
        decision = play.turned(room, "self", context(word="second"))
        room = applied(room, decision.facts)
    kinds = [type(fact) for fact in decision.facts]
    assert kinds.index(Ended) < kinds.index(Committed)
    assert (room.number, room.seed) == (2, seed("second"))
    assert all(seat.nonce == "" for _, seat in room.taken())
    assert decision.receipt is not None
    receipt = receipt_from(json.loads(decision.receipt))
    assert verify(receipt) == ()
    assert [seat.name for seat in receipt.seats] == ["Asha", "Bula"]
    assert receipt.nonces == (ZERO_NONCE, ZERO_NONCE)


def test_the_host_may_end_a_game() -> None:
    room = playing(2)
    assert play.stop(room, Stop(id="1"), context("Bula")) == Refusal("not_host")
    assert play.stop(lobby_of(2), Stop(id="1"), context("Asha")) == Refusal("not_started")
    decision = play.stop(room, Stop(id="1"), context("Asha"))
    assert isinstance(decision, Decision)
    after = applied(room, decision.facts)
    assert after.phase == "over"
    assert decision.receipt is not None
    assert verify(receipt_from(json.loads(decision.receipt))) == ()
    assert play.stop(after, Stop(id="2"), context("Asha")) == Refusal("over")


def test_auto_is_no_fact_of_the_table() -> None:
    assert play.auto(playing(2), Auto(on=True), context("Asha")) == Decision()
    assert play.auto(playing(2), Auto(on=True), context("nobody")) == Refusal("not_seated")
    assert play.auto(lobby_of(2), Auto(on=True), context("Asha")) == Refusal("not_started")


def test_a_due_time_belongs_to_one_reveal_and_one_turner() -> None:
    room = playing(2)
    assert play.timing(room) == play.timing(changed(room, 1, away=True))
    assert play.timing(room) != play.timing(changed(room, 0, away=True))
