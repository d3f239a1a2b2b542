"""A worker killed, or its store's answer lost, in the middle of a commit: nothing is lost, and it is done once.

Three windows: before the store has it; after the store did it and before the worker knows; after the worker knows and
before its people do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.cluster.conftest import SHORT, come_back, play_on
from tests.cluster.spread import Spread, spread_over
from tests.wire.client import LostError, Player
from tests.wire.conftest import Party
from tests.wire.history import Finding, check
from tests.wire.mutants import MUTANTS, Mutant, copied
from tests.wire.proxy import script
from tests.wire.tape import Json

WINDOWS = ("before the store has it", "before the worker knows", "before its people know")
NOT_DEDUPED, EARLY = MUTANTS[0], MUTANTS[3]


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spread]:
    with spread_over(tmp_path_factory.mktemp("midcommit")) as spread:
        yield spread


@pytest.fixture
async def spread(deployment: Spread) -> AsyncIterator[Spread]:
    async with deployment.whole():
        yield deployment


async def killed_in(spread: Spread, window: str, player: Player, name: str, fields: Json, mark: str) -> float:
    """Have a player do something, kill its worker in that window, and return when (monotonic s)."""
    which = await spread.cluster.holder(player.table)
    proxy, relay = spread.proxies[which], spread.relays[which]
    saved = script(mark)
    fault = proxy.hold_command(saved) if window == WINDOWS[0] else proxy.hold_reply(saved)
    if window == WINDOWS[2]:
        relay.hold_back()
    tap = player.send(name, fields)
    await asyncio.wait_for(fault.happened.wait(), 5)
    if window == WINDOWS[2]:
        fault.release.set()
        await relay.holds(b'"ok":true')
    spread.cluster.kill(which)
    killed = time.monotonic()
    fault.lose()
    relay.cut()
    with pytest.raises(LostError):
        await asyncio.wait_for(tap, 5)
    return killed


async def all_back(players: list[Player], killed: float) -> None:
    """Come back as browsers do, within two seconds of the kill."""
    await asyncio.gather(*(come_back(player) for player in players))
    assert time.monotonic() - killed <= 2.0


@pytest.mark.parametrize("window", WINDOWS)
async def test_killed_in_mid_commit_nothing_is_lost_and_it_is_done_once(
    spread: Spread, party: Party, window: str
) -> None:
    players = await party.started(*[spread.base] * 2, **SHORT)
    for turn in (1, 2):
        first = next(player for player in players if player.is_turn())
        assert (await first.command("reveal", n=turn))["ok"]
        await asyncio.gather(*(player.turned(turn) for player in players))
    first = next(player for player in players if player.is_turn())
    seq = first.model.seq
    killed = await killed_in(spread, window, first, "reveal", {"n": 3}, '"revealed"')
    await all_back(players, killed)
    done = window != WINDOWS[0]
    assert [player.model.seq > seq for player in players] == [done, done]
    assert (await first.command("reveal", n=3))["ok"], "asked again, it is answered as if nothing had happened"
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(spread.base)
    assert len(history.of_type("dealt")) == 1
    assert history.of_type("ended")


async def test_a_command_of_which_nobody_knows_is_sent_again_and_done_once(spread: Spread, party: Party) -> None:
    players = await party.seated(*[spread.base] * 2)
    fields = {"id": "once", "name": "Asha Di"}
    killed = await killed_in(spread, WINDOWS[1], players[0], "rename", fields, '"renamed"')
    await all_back(players, killed)
    assert (await asyncio.wait_for(players[0].send("rename", fields), 5))["ok"]
    history = await party.judge(spread.base)
    assert len(history.of_type("renamed")) == 1


async def test_a_lost_answer_of_the_stores_is_asked_again_and_done_once(spread: Spread, party: Party) -> None:
    players = await party.started(*spread.bases, **SHORT)
    lost = [proxy.drop_reply(script('"revealed"'), times=5) for proxy in spread.proxies]
    assert await asyncio.gather(*(play_on(player) for player in players)) == [[], []], "nobody noticed"
    assert [fault.met for fault in lost] == [5, 5]
    history = await party.judge(spread.base)
    assert history.of_type("ended")


@pytest.mark.parametrize(
    ("mutant", "window"),
    [(NOT_DEDUPED, WINDOWS[1]), (EARLY, WINDOWS[0])],
    ids=lambda each: str(each.name if isinstance(each, Mutant) else each),
)
async def test_the_checker_catches_a_product_that_is_wrong_there(
    party: Party, tmp_path: Path, mutant: Mutant, window: str
) -> None:
    with spread_over(tmp_path / "spread", source=copied(tmp_path / "copy", mutant.patches)) as wrong:
        async with wrong.whole():
            players = await party.started(*[wrong.base] * 2, **SHORT)
            fields = {"id": "once", "name": "Asha Di"}
            if mutant is EARLY:
                first = next(player for player in players if player.is_turn())
                which = await wrong.cluster.holder(first.table)
                held = wrong.proxies[which].hold_command(script('"revealed"'))
                answer = await first.command("reveal", n=1)
                assert answer["ok"], "acknowledged, and the store has nothing of it"
                wrong.cluster.kill(which)
                killed = time.monotonic()
                held.lose()
            else:
                killed = await killed_in(wrong, window, players[0], "rename", fields, '"renamed"')
            await all_back(players, killed)
            await asyncio.wait_for(players[0].send("rename", fields), 5)
            for player in players:
                await player.reach(max(other.model.seq for other in players))
    with pytest.raises(Finding) as found:
        check(party.book)
    assert found.value.rule in mutant.rules, found.value
