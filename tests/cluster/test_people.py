"""What people's hands, tabs and phones do to two workers: five taps, two tabs, a phone that sleeps or is offline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.cluster.conftest import SHORT, come_back
from tests.cluster.spread import Spread, spread_over
from tests.wire.client import Player
from tests.wire.conftest import Party

AWAY_MS = 500
KEPT = 128
"""Batches that the server keeps at least; who missed more gets a snapshot."""


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spread]:
    with spread_over(tmp_path_factory.mktemp("people"), settings={"RM_AWAY_MS": str(AWAY_MS)}) as spread:
        yield spread


@pytest.fixture
async def spread(deployment: Spread) -> AsyncIterator[Spread]:
    async with deployment.whole():
        yield deployment


async def second_tab(party: Party, first: Player, base: str) -> Player:
    """Open another tab of the same browser."""
    second = party.player(f"{first.name}'s second tab")
    second.jar = first.jar
    await second.open(base, first.table)
    return second


def heard(player: Player) -> list[str]:
    assert player.tape is not None
    return [entry.name for entry in player.tape.entries if entry.kind == "frame"]


def notices(player: Player) -> list[str]:
    assert player.tape is not None
    return [frame["code"] for frame in player.tape.frames("notice")]


async def test_five_taps_in_fifty_milliseconds_at_two_workers_are_one_reveal(spread: Spread, party: Party) -> None:
    players = await party.started(*spread.bases)
    first = next(player for player in players if player.is_turn())
    at = players.index(first)
    opening = asyncio.ensure_future(second_tab(party, first, spread.bases[1 - at]))
    # The newer tab is let in somewhere between the older one's taps.
    taps = []
    for _ in range(5):
        taps.append(first.send("reveal", {"n": 1}))
        await asyncio.sleep(0.01)
    second = await opening
    taps += [second.send("reveal", {"n": 1}) for _ in range(5)]
    answers = await asyncio.wait_for(asyncio.gather(*taps), 10)
    assert {answer.get("code", "ok") for answer in answers} <= {"ok", "replaced"}
    assert all(answer["ok"] for answer in answers[5:])
    await second.turned(1)
    assert second.game["n"] == 1
    await first.close()
    history = await party.judge()
    assert [event["n"] for event in history.of_type("revealed")] == [1]


async def test_of_two_tabs_at_two_workers_the_newer_plays_and_the_older_is_quiet(spread: Spread, party: Party) -> None:
    asha, bela = await party.started(*spread.bases, **SHORT)
    newer = await second_tab(party, bela, spread.bases[0])
    assert newer.model.you == 1
    await bela.until(lambda: notices(bela) == ["replaced"])
    before = heard(bela)
    answer = await bela.command("rename", name="Old Bela")
    assert (answer["ok"], answer["code"]) == (False, "replaced")
    await asyncio.gather(asha.play(), newer.play())
    assert heard(bela) == before, "nothing more was said to it"
    assert bela.connected
    assert notices(newer) == [], "and it took nothing back"
    await bela.close()
    history = await party.judge(spread.base)
    assert history.of_type("ended")


async def caught_up(player: Player, seq: int, missed: int) -> None:
    """Hold what a returning player first got: what was missed, each once, or one snapshot, and nothing more."""
    assert player.tape is not None
    snapshots = [frame["seq"] for frame in player.tape.frames("snapshot")]
    came = [frame["seq"] for frame in player.tape.frames("events") if frame["events"]]
    if missed > KEPT:
        assert len(snapshots) == 1
        assert all(number > snapshots[0] for number in came)
    else:
        assert not snapshots
        assert came[:missed] == list(range(seq + 1, seq + missed + 1))


@pytest.mark.parametrize("missed", [KEPT // 2, KEPT + 20], ids=["for a while", "for long"])
async def test_a_phone_that_was_offline_is_caught_up_at_once(spread: Spread, party: Party, missed: int) -> None:
    """The table plays for it meanwhile."""
    asha, bela = await party.started(*spread.bases, length="long")
    await bela.drop()
    seq = bela.model.seq
    playing = asyncio.ensure_future(asha.play())
    await asha.reach(seq + missed, 30)
    playing.cancel()
    await asyncio.wait([playing])
    missed = asha.model.seq - seq
    await bela.reopen()
    await bela.reach(asha.model.seq, 2)
    await caught_up(bela, seq, missed)
    await asha.until(lambda: not asha.model.seats[1]["away"])
    assert (await asha.command("stop"))["ok"]
    await party.judge(spread.base)


async def test_a_phone_that_sleeps_is_found_out_and_comes_back_when_it_wakes(spread: Spread, party: Party) -> None:
    """Its connection stands and says nothing: after 15 s it is gone, and the table plays for it."""
    asha, bela = await party.started(*spread.bases, length="long")
    playing = asyncio.ensure_future(asha.play())
    seq = bela.model.seq
    spread.relays[1].freeze()
    assert asha.tape is not None
    tape = asha.tape
    await asha.until(lambda: bool(tape.events("away")), 25)
    await asha.reach(asha.model.seq + 10)
    spread.relays[1].release()
    await bela.until(lambda: bela.lost, 5)
    slept = bela.model.seq
    await come_back(bela)
    await bela.reach(asha.model.seq, 2)
    assert bela.model.seq > slept >= seq
    await asha.until(lambda: not asha.model.seats[1]["away"])
    playing.cancel()
    await asyncio.wait([playing])
    assert (await asha.command("stop"))["ok"]
    await party.judge(spread.base)
