"""A worker whose clock is ten minutes fast beside one that is right: the table's times are the store's, and right.

By libfaketime, on the wall clock alone: what a machine whose clock was set wrongly has.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp
import pytest

from tests.cluster.cluster import Cluster, ComposedWorker
from tests.wire.client import Player
from tests.wire.conftest import Party
from tests.wire.processes import DEFAULTS, assert_quiet_log
from tests.wire.tape import Json

BEAT_MS, AWAY_MS, NUDGE_MS = 100, 1_000, 1_000
FAST_S = 600

Workers = tuple[ComposedWorker, ComposedWorker]


def faketime() -> str:
    """Return where Debian's libfaketime is."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    assert found, "the tests need libfaketime: `make tools`"
    return str(found[0])


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """One whose clock is right, and one that is fast."""
    settings = {"RM_BEAT_MS": str(BEAT_MS), "RM_AWAY_MS": str(AWAY_MS), "RM_NUDGE_MS": str(NUDGE_MS)}
    cluster = Cluster(tmp_path_factory.mktemp("clocks"), workers=1, settings=DEFAULTS | settings)
    fast: ComposedWorker | None = None
    try:
        asyncio.run(cluster.start())
        preload = {"LD_PRELOAD": faketime(), "FAKETIME": f"+{FAST_S}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        fast = cluster.make_worker()
        fast.settings |= preload
        fast.start()
        asyncio.run(fast.ready())
        yield cluster.workers[0], fast
    finally:
        if fast is not None:
            fast.stop()
        cluster.stop()
    for worker in (cluster.workers[0], fast):
        assert_quiet_log(worker)


async def ahead(worker: ComposedWorker) -> float:
    """Return how far a worker's clock is ahead, s, by what it dates its answers with."""
    async with aiohttp.ClientSession() as http, http.get(f"{worker.base}/healthz") as answer:
        return parsedate_to_datetime(answer.headers["Date"]).timestamp() - time.time()


async def when(player: Player, kind: str, count: int = 1) -> Json:
    """Return the batch that has the so-manieth event of a kind, once it has come."""
    tape = player.tape
    assert tape is not None

    def found() -> list[Json]:
        return [frame for frame in tape.frames("events") for event in frame["events"] if event["type"] == kind]

    await player.until(lambda: len(found()) >= count)
    return found()[count - 1]


async def test_the_clocks_are_apart(workers: Workers) -> None:
    assert abs(await ahead(workers[0])) < 5
    assert abs(await ahead(workers[1]) - FAST_S) < 5


async def test_cards_turn_themselves_by_the_beat(workers: Workers, party: Party) -> None:
    players = await party.started(*(worker.base for worker in workers))
    for player in players:
        assert (await player.command("auto", on=True))["ok"]
    await players[0].turned(20)
    await party.judge(complete=True)
    at = [(await when(players[0], "revealed", n))["at"] for n in range(1, 21)]
    gaps = sorted(later - earlier for earlier, later in itertools.pairwise(at))
    assert gaps[0] >= BEAT_MS, "never early"
    assert gaps[len(gaps) // 2] < BEAT_MS + 300
    for player in players:
        due, seen = player.model.turn_due, (await when(player, "revealed", 20))["at"]
        assert due is None or abs(due - seen) < 10_000, "told by the store's clock"


@pytest.mark.parametrize("judge", [0, 1], ids=["judged by the right clock", "judged by the fast clock"])
async def test_who_is_gone_is_away_in_time_and_back_at_once(workers: Workers, party: Party, judge: int) -> None:
    """Asha's worker alone has people then: it keeps the time."""
    here, there = workers[judge].base, workers[1 - judge].base
    asha, bela = await party.started(here, there)
    gone = (await asha.command("rename", name="Asha Di"))["seq"]
    await bela.reach(gone)
    began = time.monotonic()
    await bela.drop()
    away = await when(asha, "away")
    took = time.monotonic() - began
    assert AWAY_MS / 1000 <= took < AWAY_MS / 1000 + 3
    assert away["events"][0]["seat"] == 1
    await bela.reopen()
    await when(asha, "back")
    await asyncio.sleep(AWAY_MS / 1000 + 0.3)
    assert asha.tape is not None
    assert len(asha.tape.events("away")) == 1, "one who is here is not away"
    await party.judge()


@pytest.mark.parametrize("judge", [0, 1], ids=["by the right clock", "by the fast clock"])
async def test_a_nudge_comes_as_often_as_it_may(workers: Workers, party: Party, judge: int) -> None:
    players = await party.started(workers[judge].base, workers[1 - judge].base)
    other = next(player for player in players if not player.is_turn())
    began = time.monotonic()
    assert (await other.command("nudge"))["ok"]
    assert not (await other.command("nudge"))["ok"]
    await asyncio.sleep(NUDGE_MS / 1000 + 0.1 - (time.monotonic() - began))
    assert (await other.command("nudge"))["ok"]
    await party.judge()
