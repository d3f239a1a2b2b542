"""A worker's numbers, as a scrape finds them while people play, come back and are refused."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore
from server.tally import Tally
from tests.server.store.helpers import Proxy, until
from tests.server.transport.conftest import Open
from tests.server.transport.wires import House

Numbers = dict[tuple[str, str], float]


async def scraped(house: House) -> Numbers:
    """Return every sample by its name and its labels' values."""
    guest = house.guest()
    async with guest.http.get(house.url + "/metrics") as answer:
        families = text_string_to_metric_families(await answer.text())
        return {(s.name, ",".join(s.labels.values())): s.value for family in families for s in family.samples}


async def test_people_tables_reveals_and_commits(house: House) -> None:
    asha, bula, watcher = house.guest(), house.guest(), house.guest()
    table = await asha.make_table(seats=2)
    first = await asha.client(table)
    second = await bula.client(table)
    await bula.visit(table)
    await watcher.bare(table)
    assert not (await second.do("sit", id="s", name="Bula"))["ok"], "without a cookie"
    await second.close()
    second = await bula.client(table)
    assert (await second.do("sit", id="s", name="Bula"))["ok"]
    assert (await first.do("start", id="g"))["ok"]
    assert (await first.do("reveal", n=1))["ok"]
    assert (await first.do("reveal", n=1))["ok"], "asked again"
    numbers = await scraped(house)
    assert numbers["rm_tables", ""] == 1
    assert numbers["rm_people", ""] == 2
    assert numbers["rm_watchers", ""] == 1
    assert numbers["rm_connections", ""] == 3
    assert numbers["rm_draining", ""] == 0
    assert numbers["rm_reveals_total", ""] == 1
    assert numbers["rm_commits_total", "ok"] == 3
    assert numbers["rm_refusals_total", "no_cookie"] == 1
    assert numbers["rm_refusals_total", "muted"] == 0
    assert numbers["rm_fanout_seconds_count", ""] >= 3
    assert numbers["rm_fanout_seconds_bucket", "+Inf"] == numbers["rm_fanout_seconds_count", ""]
    assert numbers["rm_store_seconds_count", ""] > 5
    assert 0 < numbers["rm_store_seconds_sum", ""] < 5


async def test_how_who_came_back_caught_up(house: House) -> None:
    asha = house.guest()
    table = await asha.make_table()
    client = await asha.client(table)
    await until(lambda: client.all("snapshot") != [])
    snapshot = client.all("snapshot")[0]
    here = [snapshot["epoch"], snapshot["seq"], snapshot["mark"]]
    await asha.client(table, since=here)
    await asha.client(table, since=[snapshot["epoch"], snapshot["seq"], "0" * 16])
    numbers = await scraped(house)
    assert (numbers["rm_resumes_total", "exact"], numbers["rm_resumes_total", "snapshot"]) == (1, 1)


async def test_a_loop_that_is_held_up_shows(house: House) -> None:
    await until(lambda: sum(house.tally.lag.counts) > 0)
    time.sleep(0.7)  # noqa: ASYNC251 - the loop is to be held up
    await asyncio.sleep(0.05)
    numbers = await scraped(house)
    assert numbers["rm_loop_lag_seconds_bucket", "0.1"] < numbers["rm_loop_lag_seconds_count", ""]


async def test_what_a_worker_lets_go_shows_while_it_does(house: House) -> None:
    house.app_health.draining = True
    assert (await scraped(house))["rm_draining", ""] == 1


def test_counting_a_reveal_costs_next_to_nothing() -> None:
    tally = Tally()
    began = time.process_time()
    for _ in range(10_000):
        tally.commits["ok"] += 1
        tally.reveals += True
        tally.store.took(0.0004)
        tally.fanout.took(0.0002)
    assert (time.process_time() - began) / 10_000 < 20e-6  # 1.5 µs on a quiet machine


async def test_a_store_that_is_away_shows_and_so_do_the_moves_that_fail(
    house_at: Open, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        house = await house_at(await ValkeyStore.connect(proxy.url, answer_s=0.1, total_s=0.3))
        asha = house.guest()
        table = await asha.make_table()
        bare = await asha.bare(table)
        assert (await scraped(house))["rm_store_up", ""] == 1
        proxy.silent = True
        await bare.say('421["rename",{"id":"r","name":"Asha Di"}]')
        await until(lambda: house.tally.commits["lost"] == 1)
        numbers = await scraped(house)
        assert (numbers["rm_store_up", ""], numbers["rm_commits_total", "lost"]) == (0, 1)
        proxy.silent = False
        await until(lambda: house.tally.store_up, 10)
