"""Two clients on two workers and one store play a whole game while replies and messages are lost.

The history checker judges it; and the same afternoon with each of the four mutants must be caught by the
checker.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.wire.client import Player, Transport
from tests.wire.conftest import Floor, Party
from tests.wire.history import Finding, check
from tests.wire.mutants import MUTANTS, Mutant, copied
from tests.wire.processes import ROOT, Store
from tests.wire.proxy import Proxy, script

WAYS: tuple[Transport, ...] = ("websocket", "polling")

MakeProxy = Callable[[], Awaitable[Proxy]]


class Afternoon:
    """A whole game of two, Asha at one worker and Bela at the other, each worker behind a proxy of its own."""

    def __init__(self, floor: Floor, party: Party, store: Store, make_proxy: MakeProxy) -> None:
        self.floor = floor
        self.party = party
        self.store = store
        self.make_proxy = make_proxy
        self.proxies: tuple[Proxy, Proxy]
        self.asha: Player
        self.bela: Player
        self.bases: tuple[str, str]

    async def prepare(self, source: Path = ROOT) -> None:
        """Start the workers."""
        self.proxies = (await self.make_proxy(), await self.make_proxy())
        workers = [await self.floor.add(url=proxy.url, source=source) for proxy in self.proxies]
        self.bases = (workers[0].base, workers[1].base)
        self.asha = self.party.player("Asha")
        self.bela = self.party.player("Bela")

    async def meet(self) -> None:
        """Make the table, sit, take another name, give nonces and start; a reply is lost at each step."""
        one, two = self.proxies
        await self.asha.make_table(self.bases[0], seats=2)
        await self.asha.open(self.bases[0])
        await self.bela.open(self.bases[1], self.asha.table)
        lost = [two.drop_reply(script('"seated"')), two.drop_reply(script('"renamed"'))]
        assert (await self.bela.command("sit", name="Bela"))["ok"]
        assert (await self.bela.command("rename", name="Bela Di"))["ok"]
        for player, nonce in ((self.asha, "a" * 32), (self.bela, "b" * 32)):
            assert (await player.command("nonce", nonce=nonce))["ok"]
        lost.append(one.drop_reply(script('"dealt"')))
        assert (await self.asha.command("start"))["ok"]
        assert [fault.met for fault in lost] == [1, 1, 1]
        for player in (self.asha, self.bela):
            await player.until(lambda player=player: player.model.phase == "playing")  # type: ignore[misc]

    async def cross(self) -> None:
        """Have Bela's worker act on an old copy: what the channel brings it is held while Asha's card is saved."""
        held = self.proxies[1].hold_push()
        assert (await self.asha.command("reveal", n=1))["ok"]
        await asyncio.wait_for(held.happened.wait(), 5)
        renamed = self.bela.send("rename", {"id": "crossing", "name": "Bela Didi"})
        await asyncio.sleep(0.1)
        held.release.set()
        assert (await asyncio.wait_for(renamed, 10))["ok"]

    async def play(self) -> None:
        """Play to the end; lose replies and published messages of both workers on the way."""
        for proxy in self.proxies:
            proxy.drop_reply(script('"revealed"', '"n":11,'))
            proxy.drop_reply(script('"revealed"', '"n":12,'))
            proxy.lose_push(lambda words: b'"n":21,' in words[-1] or b'"n":22,' in words[-1])
            proxy.drop_reply(script('"captured"'), times=3)
        await asyncio.gather(self.asha.play(), self.bela.play())

    async def compare(self) -> None:
        """Have a newcomer at each worker get a snapshot, for the checker to compare."""
        for base in self.bases:
            watcher = self.party.player("watcher")
            await watcher.open(base, self.asha.table)


@pytest.fixture
def afternoon(proxies: MakeProxy, floor: Floor, party: Party, store: Store) -> Afternoon:
    return Afternoon(floor, party, store, proxies)


async def test_two_workers_play_a_whole_game_while_replies_are_lost(afternoon: Afternoon, party: Party) -> None:
    await afternoon.prepare()
    await afternoon.meet()
    await afternoon.cross()
    await afternoon.play()
    await afternoon.compare()
    history = await party.judge(afternoon.bases[0])
    assert history.of_type("ended")


async def test_pubsub_is_killed_while_playing_and_before_the_last_batch(
    afternoon: Afternoon, party: Party, store: Store
) -> None:
    await afternoon.prepare()
    await afternoon.meet()
    last = [proxy.hold_command(script('"ended"')) for proxy in afternoon.proxies]

    async def kill() -> None:
        while not any(fault.met for fault in last):
            await asyncio.to_thread(store.kill_pubsub)
            await asyncio.sleep(0.15)

    async def kill_before_the_last() -> None:
        held = [asyncio.ensure_future(fault.happened.wait()) for fault in last]
        await asyncio.wait(held, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.to_thread(store.kill_pubsub)
        for task, fault in zip(held, last, strict=True):
            task.cancel()
            fault.release.set()

    await asyncio.gather(afternoon.play(), kill(), kill_before_the_last())
    await afternoon.compare()
    history = await party.judge(afternoon.bases[1])
    assert history.of_type("ended")


async def test_the_very_last_message_is_lost_without_a_sign(afternoon: Afternoon, party: Party) -> None:
    await afternoon.prepare()
    await afternoon.meet()
    lost = [proxy.lose_push(lambda words: b'"ended"' in words[-1]) for proxy in afternoon.proxies]
    await afternoon.play()
    await party.judge(afternoon.bases[0])
    assert any(fault.met for fault in lost)


@pytest.mark.parametrize("way", ["websocket"])
async def test_a_copy_without_a_change_passes(afternoon: Afternoon, party: Party, tmp_path: Path) -> None:
    await afternoon.prepare(copied(tmp_path / "copy"))
    await afternoon.meet()
    await afternoon.cross()
    await afternoon.play()
    await party.judge(afternoon.bases[0])


@pytest.mark.parametrize("way", ["websocket"])
@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
async def test_the_checker_catches_each_mutant(
    afternoon: Afternoon, party: Party, floor: Floor, tmp_path: Path, mutant: Mutant
) -> None:
    floor.noisy = True
    await afternoon.prepare(copied(tmp_path / "copy", mutant.patches))
    # A wrong product may well get stuck; what counts is what the checker says of what was seen until then.
    with contextlib.suppress(AssertionError, TimeoutError):
        for step in (afternoon.meet, afternoon.cross, afternoon.play):
            await asyncio.wait_for(step(), 15)
    with contextlib.suppress(AssertionError, TimeoutError):
        await afternoon.compare()
    with pytest.raises(Finding) as found:
        check(party.book)
    assert found.value.rule in mutant.rules, found.value
