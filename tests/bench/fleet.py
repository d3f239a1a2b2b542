"""Whether a reveal costs more where there are more workers: `make fleet`.

    python -m tests.bench.fleet --tables 160

The same tables at 1, 2, 4 and 8 workers over one store: first each table's people at one worker, as the edge leads
them, then spread over all. Fleets of all sizes are measured in turn, and that several times, since the machine is
shared: what counts is the ratio to one worker in the same round.
Invariant: 127.0.0.1 alone, bounded in time, and what was started is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
import uvloop
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from rich.console import Console
from rich.table import Table as Grid

from tests.bench.crowd import Table, Tally
from tests.bench.load import AT_A_TIME, WARM_UP_S, played
from tests.bench.usage import cpu_ms
from tests.wire.processes import Store, Worker

SIZES = (1, 2, 4, 8)
SETTINGS = {"RM_BEAT_MS": "1000", "RM_LOG": "json"}


@contextlib.contextmanager
def fleet(folder: Path, size: int) -> Iterator[tuple[Store, list[Worker]]]:
    """Start a store and its workers, and end them."""
    store = Store(folder / "store")
    workers = [Worker(folder, store.url, f"worker{n}", settings=SETTINGS) for n in range(size)]
    try:
        store.start()
        store.ready()
        for worker in workers:
            worker.start()
        yield store, workers
    finally:
        for worker in workers:
            worker.tell_to_stop()
        for worker in workers:
            worker.stop()
        store.stop()


async def cost(store: Store, workers: list[Worker], tables: int, seconds: float, *, spread: bool) -> float:
    """Return CPU-ms a reveal, workers and store together, at one reveal a second and table."""
    await asyncio.gather(*(worker.ready() for worker in workers))
    tally = Tally()
    bases = [worker.base for worker in workers]

    def used() -> float:
        return sum(cpu_ms(process.pid) for process in (store, *workers))

    async with ClientSession(connector=TCPConnector(limit=0), cookie_jar=DummyCookieJar()) as http:
        gate, crowd = asyncio.Semaphore(AT_A_TIME), list[Table]()

        async def one(number: int) -> None:
            async with gate:
                here = [*bases[number % len(bases) :], *bases[: number % len(bases)]]
                crowd.append(await Table.make(http, here if spread else here[0], tally))

        await asyncio.gather(*(one(number) for number in range(tables)))
        gc.collect()
        await played(crowd, WARM_UP_S, 1.0)
        before, reveals = used(), len(tally.latencies)
        await played(crowd, seconds, 1.0)
        result = (used() - before) / (len(tally.latencies) - reveals)
        await asyncio.gather(*(table.go() for table in crowd))
    return result


def run(
    tables: Annotated[int, typer.Option(min=8, max=2_000)] = 160,
    seconds: Annotated[float, typer.Option(min=1, max=600, help="Of each measurement.")] = 8.0,
    rounds: Annotated[int, typer.Option(min=1, max=50)] = 3,
) -> None:
    """Measure what a reveal costs behind fleets of several sizes."""
    ratios: dict[tuple[bool, int], list[float]] = {}
    costs: dict[tuple[bool, int], list[float]] = {}
    for _ in range(rounds):
        base = 0.0
        for spread, size in [(False, size) for size in SIZES] + [(True, size) for size in SIZES[1:]]:
            with tempfile.TemporaryDirectory(prefix="rm-fleet-") as at, fleet(Path(at), size) as (store, workers):
                found = uvloop.run(cost(store, workers, tables, seconds, spread=spread))
            base = base or found
            costs.setdefault((spread, size), []).append(found)
            ratios.setdefault((spread, size), []).append(found / base)
    columns = ("workers", "people of a table", "CPU-ms a reveal", "to one worker")
    grid = Grid(*columns, title=f"{tables} tables, one reveal a second")
    for (spread, size), found_ratios in ratios.items():
        where = "spread over all" if spread else "at one worker"
        grid.add_row(str(size), where, f"{median(costs[spread, size]):.3f}", f"{median(found_ratios):.2f}")
    Console(width=100).print(grid)


if __name__ == "__main__":
    typer.run(run)
