"""A thousand watchers at one table: what its four players notice. `make crowd` runs it.

    python -m tests.bench.watchers --watchers 1000

The server and its store share one core; the players and, in a process of their own, the watchers have the others.
The players turn ten cards a second while the watchers come in a burst, stay, leave and come back, and while some
never read.
Invariant: as `load.py`; and every watcher saw every batch in order, or there are no figures.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sys
import time
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Annotated, Any

import typer
import uvloop
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from rich.console import Console
from rich.table import Table as Grid

from tests.bench.crowd import LoadError, Table, Tally
from tests.bench.load import Server, running
from tests.wire.processes import ROOT

EVERY_S = 0.1
WORD_S = 60.0


@dataclass(frozen=True, slots=True)
class Spell:
    """The figures of one spell: ms, but for the counts."""

    name: str
    reveals: int
    last_p50: float
    last_p99: float
    last_max: float
    ack_p99: float
    ack_max: float
    spread_p99: float
    server_cpu_percent: float
    store_cpu_percent: float


class Onlookers:
    """The process of the watchers."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child

    @classmethod
    async def start(cls, base: str, table: str) -> Onlookers:
        """Start it; nobody comes before they are told."""
        pipe = asyncio.subprocess.PIPE
        words = (sys.executable, "-m", "tests.bench.onlookers", base, table)
        return cls(await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, cwd=ROOT))

    async def tell(self, line: str) -> dict[str, Any]:
        """Tell them one thing and return what they then report.

        Raises:
            LoadError: a watcher was not let in, or saw what should not be.
        """
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{line}\n".encode())
        answer = await asyncio.wait_for(self._child.stdout.readline(), WORD_S)
        report: dict[str, Any] = json.loads(answer or "{}")
        if not answer or report["faults"]:
            raise LoadError(f"watchers: {report}")
        return report

    async def end(self) -> None:
        """Let everybody go."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        await asyncio.wait_for(self._child.wait(), WORD_S)


class Show:
    """One table, its players and its watchers."""

    def __init__(self, server: Server, table: Table, tally: Tally, onlookers: Onlookers) -> None:
        self._server = server
        self._table = table
        self._tally = tally
        self._onlookers = onlookers
        self.report: dict[str, Any] = {}

    async def spell(self, name: str, seconds: float, word: str = "") -> Spell:
        """Play for a while, the watchers told `word` meanwhile; at least until they have done it."""
        tally = self._tally
        tally.latencies.clear()
        tally.acknowledged.clear()
        await self._onlookers.tell("forget")
        before, began = self._server.usage(), time.perf_counter()
        doing = asyncio.create_task(self._onlookers.tell(word)) if word else None
        await self._table.play(began + seconds, EVERY_S)
        while doing is not None and not doing.done():
            await self._table.play(time.perf_counter() + 0.5, EVERY_S)
        if doing is not None:
            await doing
        after, took_ms = self._server.usage(), (time.perf_counter() - began) * 1000
        self.report = await self._onlookers.tell("report")
        last, acks = _percentiles(tally.latencies), _percentiles(tally.acknowledged)
        return Spell(
            name=name,
            reveals=len(tally.latencies),
            last_p50=last[49] * 1000,
            last_p99=last[98] * 1000,
            last_max=max(tally.latencies) * 1000,
            ack_p99=acks[98] * 1000,
            ack_max=max(tally.acknowledged) * 1000,
            spread_p99=self.report["spread_p99_ms"],
            server_cpu_percent=100 * (after.server_ms - before.server_ms) / took_ms,
            store_cpu_percent=100 * (after.store_ms - before.store_ms) / took_ms,
        )


async def measure(server: Server, watchers: int, seconds: float, burst_s: float) -> list[Spell]:
    """Play all spells.

    Raises:
        LoadError: what was measured is not what should be.
    """
    tally = Tally()
    await server.ready()
    async with ClientSession(connector=TCPConnector(limit=0), cookie_jar=DummyCookieJar()) as http:
        table = await Table.make(http, server.base, tally, watchers=0)
        onlookers = await Onlookers.start(server.base, table.id)
        show = Show(server, table, tally, onlookers)
        gc.collect()
        gc.freeze()
        gc.disable()
        leaving, deaf = watchers // 5, watchers // 10
        spells = [
            await show.spell("nobody watches", seconds),
            await show.spell("they come", burst_s, f"come {watchers} {burst_s}"),
            await show.spell("they watch", seconds),
            await show.spell("a fifth comes back", burst_s, f"again {leaving} {burst_s}"),
            await show.spell("a tenth is deaf", seconds, f"deaf {deaf} 1"),
        ]
        gc.enable()
        async with http.get(f"{server.base}/api/tables/{table.id}") as answer:
            counted = (await answer.json())["watching"]
        if show.report["here"] != watchers or not 0 <= counted - watchers <= deaf:
            raise LoadError(f"{show.report['here']} watch, {counted} are counted")
        await onlookers.end()
        await table.go()
    if tally.unwelcome:
        raise LoadError(f"{len(tally.unwelcome)} times what should not be, first: {tally.unwelcome[0]}")
    return spells


def _percentiles(seconds: list[float]) -> list[float]:
    return quantiles(seconds, n=100, method="inclusive")


def _show(watchers: int, spells: list[Spell]) -> None:
    grid = Grid(title=f"{watchers} watchers at one table, ten reveals a second", title_justify="left")
    grid.add_column("")
    for spell in spells:
        grid.add_column(spell.name, justify="right")
    rows = (
        ("reveals", "{0.reveals:,}"),
        ("tap to last player, p50 ms", "{0.last_p50:.1f}"),
        ("tap to last player, p99 ms", "{0.last_p99:.1f}"),
        ("tap to last player, most ms", "{0.last_max:.1f}"),
        ("tap to answer, p99 ms", "{0.ack_p99:.1f}"),
        ("tap to answer, most ms", "{0.ack_max:.1f}"),
        ("first watcher to last, p99 ms", "{0.spread_p99:.1f}"),
        ("server, % of the core", "{0.server_cpu_percent:.0f}"),
        ("store, % of the core", "{0.store_cpu_percent:.0f}"),
    )
    for words, form in rows:
        grid.add_row(words, *(form.format(spell) for spell in spells))
    Console(width=max(110, Console().width)).print(grid)


def run(
    watchers: Annotated[int, typer.Option(min=10, max=10_000, help="Watchers at the table.")] = 1_000,
    seconds: Annotated[float, typer.Option(min=1, max=60, help="Seconds of each quiet spell.")] = 8.0,
    burst: Annotated[float, typer.Option(min=0.1, max=60, help="Seconds in which they come.")] = 4.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure what a crowd of watchers costs the players of their table."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 512 + 2 * watchers
    if most != resource.RLIM_INFINITY and most < needed:
        print(f"{watchers} watchers need {needed} open files; a process here has {most}", file=sys.stderr)
        raise typer.Exit(1)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(needed, 1024), most))  # the children inherit it
    try:
        with running(None, pinned=len(os.sched_getaffinity(0)) > 1) as server:
            spells = uvloop.run(measure(server, watchers, seconds, burst))
    except LoadError as error:
        print(f"The load failed: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    if as_json:
        print(json.dumps({"watchers": watchers, "spells": [asdict(spell) for spell in spells]}))
    else:
        _show(watchers, spells)


if __name__ == "__main__":
    command = typer.Typer(pretty_exceptions_enable=False)
    command.command()(run)
    command()
