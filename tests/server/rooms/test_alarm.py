"""One alarm: it rings once, at its time, and not after it was cleared."""

from __future__ import annotations

import asyncio

from server.rooms import alarm
from server.rooms.alarm import Alarm
from tests.server.store.helpers import until


async def test_it_rings_once() -> None:
    rung: list[float] = []
    loop = asyncio.get_running_loop()
    one = Alarm(lambda: rung.append(loop.time()))
    began = loop.time()
    one.set(20)
    assert one.pending
    await until(lambda: bool(rung))
    assert rung[0] - began >= 0.019
    assert not one.pending
    await asyncio.sleep(0.03)
    assert len(rung) == 1


async def test_a_time_that_is_past_rings_at_once() -> None:
    rung = asyncio.Event()
    Alarm(rung.set).set(-5_000)
    await asyncio.wait_for(rung.wait(), 0.5)


async def test_it_is_set_anew_instead_and_cleared() -> None:
    rung: list[int] = []
    one = Alarm(lambda: rung.append(1))
    one.set(5)
    one.set(10_000)
    await asyncio.sleep(0.02)
    assert (rung, one.pending) == ([], True)
    one.set(5)
    one.clear()
    one.clear()
    await asyncio.sleep(0.02)
    assert (rung, one.pending) == ([], False)


async def test_it_may_be_set_again_by_its_own_ring() -> None:
    rung: list[int] = []

    def ring() -> None:
        rung.append(1)
        if len(rung) < 3:
            again.set(1)

    again = Alarm(ring)
    again.set(1)
    await until(lambda: len(rung) == 3)
    assert not again.pending


async def test_a_longer_wait_than_there_is_is_cut() -> None:
    one = Alarm(lambda: None)
    one.set(10**15)  # years: more than a loop's timer may have
    assert one._handle is not None
    assert one._handle.when() - asyncio.get_running_loop().time() <= alarm.LONGEST_S
    one.clear()
