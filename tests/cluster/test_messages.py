"""What the store publishes is lost, and its scripts are forgotten, while two workers play: nobody is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.conftest import SHORT, play_on
from tests.cluster.spread import Spread, spread_over
from tests.wire.client import Player
from tests.wire.conftest import Party
from tests.wire.history import Finding, check
from tests.wire.mutants import MUTANTS, Mutant, copied
from tests.wire.proxy import script

WHOLE_S = 8.0
"""A beat comes every 5 s and finds what was lost without a sign."""

Fault = Callable[[Spread, Player, Player], Awaitable[None]]

COMPARED, GAPS = MUTANTS[1], MUTANTS[2]


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spread]:
    with spread_over(tmp_path_factory.mktemp("messages")) as spread:
        yield spread


@pytest.fixture
async def spread(deployment: Spread) -> AsyncIterator[Spread]:
    async with deployment.whole():
        yield deployment


@contextlib.asynccontextmanager
async def meanwhile(spread: Spread, every_s: float, *words: str) -> AsyncIterator[list[bytes]]:
    """Tell the store something again and again; yields its answers so far."""
    answers: list[bytes] = []

    async def tell() -> None:
        while True:
            answers.append(await asyncio.to_thread(spread.cluster.store.ask, *words))
            await asyncio.sleep(every_s)

    telling = asyncio.ensure_future(tell())
    try:
        yield answers
    finally:
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling


async def play_unnoticed(players: list[Player]) -> None:
    """Play to the end, with no refusal and no connection lost."""
    assert not any(await asyncio.gather(*(play_on(player) for player in players)))


async def test_subscriptions_are_killed_while_playing_and_before_the_last_batch(spread: Spread, party: Party) -> None:
    players = await party.started(*spread.bases, **SHORT)
    last = [proxy.hold_command(script('"ended"')) for proxy in spread.proxies]

    async def kill_before_the_last() -> None:
        held = [asyncio.ensure_future(fault.happened.wait()) for fault in last]
        await asyncio.wait(held, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.to_thread(spread.cluster.store.kill_pubsub)
        for task, fault in zip(held, last, strict=True):
            task.cancel()
            fault.release.set()

    async with meanwhile(spread, 0.15, "CLIENT", "KILL", "TYPE", "pubsub") as killed:
        await asyncio.gather(play_unnoticed(players), kill_before_the_last())
    assert sum(int(answer[1:]) for answer in killed) >= 4, "each of the two was killed more than once"
    history = await party.judge(spread.base)
    assert history.of_type("ended")


async def test_the_very_last_message_is_lost_without_a_sign(spread: Spread, party: Party) -> None:
    players = await party.started(*spread.bases, **SHORT)
    lost = [proxy.lose_push(lambda words: b'"ended"' in words[-1]) for proxy in spread.proxies]
    playing = asyncio.ensure_future(play_unnoticed(players))
    async with asyncio.timeout(30):
        await lost[0].happened.wait()
        await lost[1].happened.wait()
    began = time.monotonic()
    await playing
    assert time.monotonic() - began <= WHOLE_S
    await party.judge(spread.base)


async def test_the_stores_scripts_are_forgotten_again_and_again(spread: Spread, party: Party) -> None:
    players = await party.started(*spread.bases, **SHORT)
    async with meanwhile(spread, 0.01, "SCRIPT", "FLUSH") as flushed:
        await play_unnoticed(players)
    assert flushed.count(b"+OK\r\n") == len(flushed) >= 20
    for player in players:
        assert player.tape is not None
        answers = [entry.answer for entry in player.tape.entries if entry.kind == "answer"]
        assert all(answer and answer["ok"] for answer in answers)
        assert not player.tape.frames("notice")
    history = await party.judge(spread.base)
    assert history.of_type("ended")


async def cross(spread: Spread, asha: Player, bela: Player) -> None:
    """Have Bela's worker act on an old copy."""
    held = spread.proxies[1].hold_push()
    assert (await asha.command("rename", name="Asha Di"))["ok"]
    await asyncio.wait_for(held.happened.wait(), 5)
    crossing = bela.send("rename", {"id": "crossing", "name": "Bela Di"})
    await asyncio.sleep(0.1)
    held.release.set()
    assert (await asyncio.wait_for(crossing, 10))["ok"]
    await asha.reach(bela.model.seq)


async def miss(spread: Spread, asha: Player, bela: Player) -> None:
    """Have Bela's worker miss a message of which no sign is left, and then get the next."""
    lost = spread.proxies[1].lose_push(lambda words: b"Asha Devi" in words[-1])
    assert (await asha.command("rename", name="Asha Devi"))["ok"]
    await asyncio.wait_for(lost.happened.wait(), 5)
    assert (await asha.command("rename", name="Asha Rani"))["ok"]
    await bela.until(lambda: bool(bela.torn) or bela.model.seats[0]["name"] == "Asha Rani")
    assert not bela.torn


async def test_messages_cross_and_one_is_missed(spread: Spread, party: Party) -> None:
    asha, bela = await party.seated(*spread.bases)
    await cross(spread, asha, bela)
    await miss(spread, asha, bela)
    await party.judge(spread.base)


@pytest.mark.parametrize(("mutant", "fault"), [(COMPARED, cross), (GAPS, miss)], ids=["no compare-and-set", "no gaps"])
async def test_the_checker_catches_a_product_that_is_wrong_there(
    party: Party, tmp_path: Path, mutant: Mutant, fault: Fault
) -> None:
    with spread_over(tmp_path / "spread", source=copied(tmp_path / "copy", mutant.patches)) as wrong:
        async with wrong.whole():
            asha, bela = await party.seated(*wrong.bases)
            # It may well get stuck; what counts is what the checker says of what was seen until then.
            with contextlib.suppress(AssertionError, TimeoutError):
                await asyncio.wait_for(fault(wrong, asha, bela), 5)
            watcher = party.player("watcher")
            await watcher.open(wrong.bases[0], asha.table)
    with pytest.raises(Finding) as found:
        check(party.book)
    assert found.value.rule in mutant.rules, found.value
