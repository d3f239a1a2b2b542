"""The soak itself: fill the tables, let things go wrong one after the other, and have every history checked.

    python -m tests.cluster.soak.run --minutes 5 --tables 200

Exit status 1 if anything was lost, or if some fault never fired. The dice are seeded; what the machine's own timing
makes of them is not.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from tests.cluster.cluster import Cluster
from tests.cluster.soak.faults import FAULTS, World
from tests.cluster.soak.people import PEOPLE, Family
from tests.cluster.soak.report import Report
from tests.wire.history import Finding
from tests.wire.processes import DEFAULTS, ROOT, assert_quiet_log, free_port
from tests.wire.proxy import Proxy

WORKERS = 3
AT_A_TIME = 8
"""Tables made, and histories checked, at a time."""
REST = (1.0, 3.0)
"""How long a fault is left to show, s at a pace of 1."""


async def soak(
    folder: Path,
    *,
    tables: int,
    seconds: float,
    seed: int,
    kinds: tuple[str, ...] = tuple(FAULTS),
    pace_s: float = 1.0,
    policy: str = "query table",
    source: Path = ROOT,
    progress: Progress | None = None,
) -> Report:
    """Play at `tables` tables for so long, in which faults of these kinds happen, each once before any comes again.

    `pace_s`: how long people look before they tap, on average.
    """
    report, dice = Report(tables=tables), random.Random(seed)
    ports = [free_port() for _ in range(WORKERS)]
    urls = [f"redis://127.0.0.1:{port}/0" for port in ports]
    settings = {**DEFAULTS, "RM_BEAT_MS": "500"}
    cluster = Cluster(folder, workers=WORKERS, settings=settings, urls=urls, source=source)
    proxies = [Proxy(cluster.store.port, port) for port in ports]
    families = [Family(number, dice, pace_s, report) for number in range(tables)]
    try:
        for proxy in proxies:
            await proxy.start()
        await cluster.start()
        await cluster.choose(policy)
        await _several(families, lambda family: family.sit(cluster.base))
        playing = [asyncio.ensure_future(family.play()) for family in families]
        world = World(cluster, proxies, [player for family in families for player in family.party.players], dice)
        await _go_wrong(world, families, report, kinds, seconds, pace_s, progress)
        for family in families:
            family.stop()
        await asyncio.gather(*playing)
        await _several(families, lambda family: _judge(family, cluster.base, report, folder))
    finally:
        await asyncio.gather(*(family.close() for family in families), return_exceptions=True)
        cluster.stop()
        for proxy in proxies:
            await proxy.stop()
    for worker in cluster.workers:
        try:
            assert_quiet_log(worker)
        except AssertionError as found:
            report.lost.append(str(found)[-1_000:])
    return report


async def _go_wrong(
    world: World,
    families: list[Family],
    report: Report,
    kinds: tuple[str, ...],
    seconds: float,
    pace_s: float,
    progress: Progress | None,
) -> None:
    until = time.monotonic() + seconds
    task = progress.add_task("soaking", total=seconds) if progress is not None else None
    left: list[str] = []
    while time.monotonic() < until or any(not report.fired[kind] for kind in kinds):
        if not left:
            if time.monotonic() >= until + seconds:
                return  # something never fires: the report says so
            left = world.dice.sample(kinds, len(kinds))
        kind = left.pop()
        for family in families:
            family.fault = kind
        report.fired[kind] += await FAULTS[kind](world)
        await asyncio.sleep(pace_s * world.dice.uniform(*REST))
        if progress is not None and task is not None:
            progress.update(task, completed=seconds - max(0.0, until - time.monotonic()), description=kind)
    await asyncio.sleep(2 * pace_s * max(REST))


async def _judge(family: Family, base: str, report: Report, folder: Path) -> None:
    try:
        history = await family.party.judge(base)
    except (Finding, AssertionError) as found:
        tape = folder / f"lost-{family.number}.json"
        tapes = [asdict(tape) | {"counter": None} for tape in family.party.book.tapes]
        tape.write_text(json.dumps(tapes, default=str, ensure_ascii=False))
        report.lost.append(f"table {family.number}: {str(found)[:500]} (its tape: {tape})")
        return
    report.judged += 1
    report.games += len(history.of_type("ended"))
    report.reveals += len(history.of_type("revealed"))
    report.lines += len(history.of_type("said"))


async def _several(families: list[Family], do: Callable[[Family], Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(AT_A_TIME)

    async def one(family: Family) -> None:
        async with gate:
            await do(family)

    await asyncio.gather(*(one(family) for family in families))


def run(
    minutes: Annotated[float, typer.Option(min=0.1, max=24 * 60, help="How long things go wrong.")] = 5.0,
    tables: Annotated[int, typer.Option(min=1, max=2_000, help=f"Tables of {PEOPLE} people.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the dice.")] = 1,
    policy: Annotated[str, typer.Option(help="How the edge chooses; `random` spreads tables.")] = "query table",
) -> None:
    """Play through random faults, and find nothing lost."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the workers inherit it
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # of every write into what is ended on purpose
    console = Console(width=max(100, Console().width))
    folder = Path(tempfile.mkdtemp(prefix="rm-soak-"))
    with Progress(console=console, transient=True) as progress:
        report = asyncio.run(
            soak(folder, tables=tables, seconds=60 * minutes, seed=seed, policy=policy, progress=progress)
        )
    report.show(console)
    verdict = report.verdict(tuple(FAULTS))
    for line in verdict:
        console.print(line, style="red", markup=False)
    console.print("Nothing was lost." if not verdict else f"Failed; logs are in {folder}", markup=False)
    sys.exit(1 if verdict else 0)


if __name__ == "__main__":
    typer.run(run)
