"""Who answers lives, who does not is given up, and nobody is asked more often than need be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from server.transport import heartbeat
from server.transport.heartbeat import Heartbeat
from tests.server.store.helpers import until
from tests.server.transport.wires import House, deaf


@dataclass
class Somebody:
    answers: bool = True
    ended: bool = False
    asked: list[float] = field(default_factory=list)
    given_up: int = 0

    def ask(self) -> None:
        self.asked.append(asyncio.get_running_loop().time())

    def answered(self, since: float) -> bool:
        return self.answers

    def give_up(self) -> None:
        self.given_up += 1
        self.ended = True


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "SWEEP_S", 0.005)


async def test_who_answers_is_asked_again_and_who_does_not_is_given_up_once() -> None:
    beat = Heartbeat(0.06, 0.03)
    lively, vanished = Somebody(), Somebody(answers=False)
    beat.watch(lively)
    beat.watch(vanished)
    await until(lambda: len(lively.asked) >= 4)
    beat.stop()
    assert (lively.given_up, vanished.given_up, len(vanished.asked)) == (0, 1, 1)
    pauses = [later - earlier for earlier, later in zip(lively.asked, lively.asked[1:], strict=False)]
    assert min(pauses) > 0.04


async def test_who_has_ended_is_let_go_and_the_timer_with_the_last() -> None:
    beat = Heartbeat(0.02, 0.01)
    gone = Somebody()
    beat.watch(gone)
    gone.ended = True
    await until(lambda: beat._timer is None)
    assert (gone.asked, beat._due) == ([], [])
    late = Somebody()
    beat.watch(late)
    await until(lambda: len(late.asked) == 1)
    beat.stop()


async def test_a_crowd_that_came_at_once_is_not_asked_at_once() -> None:
    beat = Heartbeat(0.4, 0.2)
    crowd = [Somebody() for _ in range(200)]
    for one in crowd:
        beat.watch(one)
    await until(lambda: all(one.asked for one in crowd))
    beat.stop()
    first = sorted(one.asked[0] for one in crowd)
    assert first[-1] - first[0] > 0.2


async def test_a_websocket_that_answers_stays_and_one_that_does_not_is_ended(house: House) -> None:
    house.frames._heartbeat = Heartbeat(0.2, 0.1)
    guest = house.guest()
    table = await guest.make_table()
    with await deaf(house, table):
        bare = await guest.bare(table)
        for _ in range(3):
            await bare.hear_until("2")
            await bare.say("3")
        await until(lambda: len(house.sockets) == 1)


async def test_one_that_joins_nothing_is_ended_though_it_answers(house: House) -> None:
    house.frames._heartbeat = Heartbeat(0.2, 0.1)
    bare = await house.guest().bare()
    await bare.hear_until("2")
    await bare.say("3")
    await bare.ended()
    await until(lambda: house.frames.connections == {})


async def test_a_poller_that_comes_no_more_is_ended_and_forgotten(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.transport.frames.PING_TIMEOUT_S", 0.05)
    monkeypatch.setattr("server.transport.connection.PING_TIMEOUT_S", 0.05)
    house.frames._heartbeat = Heartbeat(0.2, 0.1)
    house.frames.eio.ping_interval = 0.1
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    await guest.post(url, f'40{{"table":"{table}"}}')
    await until(lambda: house.frames.connections == {} and house.frames.eio.sockets == {})
