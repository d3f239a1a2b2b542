"""What a reveal costs: a server of its own under tables of four people and two watchers. `make bench` runs it.

    python -m tests.bench.load --tables 100

Here are the phases and the report; the people are in `crowd.py`, what processes used in `usage.py`. A first phase
has each table reveal once a second, a second one as fast as it goes (the next tap when all six have the last).
Invariant: 127.0.0.1 alone, bounded in time, and what was started is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from typing import Annotated

import typer
import uvloop
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from rich.console import Console
from rich.table import Table as Grid

from tests.bench.crowd import PEOPLE, WATCHERS, LoadError, Table, Tally
from tests.bench.usage import Usage, cpu_ms, parent, resident_kib
from tests.wire.processes import Worker

WARM_UP_S = 2.0
AT_A_TIME = 8
"""Tables made at a time: more only wait for each other."""
SOCKETS = PEOPLE + WATCHERS


@dataclass(frozen=True, slots=True)
class Phase:
    """The figures of one phase."""

    name: str
    reveals: int
    per_second: float
    server_cpu_ms: float
    store_cpu_ms: float
    p50_ms: float
    p99_ms: float
    bytes_per_person: float
    server_kib_per_table: float
    store_kib_per_table: float


class Server(Worker):
    """The measured server: its own store, the beat as it ships, and under the profiler if asked."""

    def __init__(self, folder: Path, profile: Path | None) -> None:
        super().__init__(folder, None, settings={"RM_BEAT_MS": "1000", "RM_LOG": "json"})
        self._profile = profile

    def command(self) -> list[str]:
        python, dash_m, module, *rest = super().command()
        if self._profile is not None:
            module, rest = "tests.bench.profiled", [str(self._profile), *rest]
        return [python, dash_m, module, *rest]

    def profile(self) -> None:
        """Begin the profile, if there is to be one."""
        if self._profile is not None:
            self.send(signal.SIGUSR1)

    def usage(self) -> Usage:
        """Read what it and its store have used so far."""
        store = int((self.data / "store.lock").read_text())
        return Usage.of(parent(store), store)


class Reference(Server):
    """What the product is measured against: `bare.py`, which has no store."""

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.bench.bare", str(self.port)]

    def usage(self) -> Usage:
        return Usage(cpu_ms(self.pid), 0, resident_kib(self.pid), 0)


async def measure(server: Server, tables: int, paced_s: float, saturated_s: float) -> list[Phase]:
    """Fill `tables` tables and play both phases; a phase of 0 s is left out."""
    tally = Tally()
    await server.ready()
    async with ClientSession(connector=TCPConnector(limit=0), cookie_jar=DummyCookieJar()) as http:
        crowd = [await Table.make(http, server.base, tally)]  # what is loaded with the first is no table's cost
        await played(crowd, 0.5, 0)
        empty = server.usage()
        making = asyncio.Semaphore(AT_A_TIME)

        async def one_more() -> None:
            async with making:
                crowd.append(await Table.make(http, server.base, tally))

        await asyncio.gather(*(one_more() for _ in range(tables)))
        gc.collect()
        gc.freeze()
        gc.disable()
        phases = []
        for name, seconds, every in (("one a second", paced_s, 1.0), ("as fast as it goes", saturated_s, 0.0)):
            if seconds > 0:
                await played(crowd, WARM_UP_S, every)
                server.profile()
                phases.append(await _phase(name, server, crowd, tally, seconds, every, empty))
        gc.enable()
        await asyncio.gather(*(table.go() for table in crowd))
    if tally.unwelcome:
        raise LoadError(f"{len(tally.unwelcome)} times what should not be, first: {tally.unwelcome[0]}")
    return phases


async def played(crowd: list[Table], seconds: float, every: float) -> None:
    until = time.perf_counter() + seconds
    await asyncio.gather(*(table.play(until, every) for table in crowd))


async def _phase(
    name: str, server: Server, crowd: list[Table], tally: Tally, seconds: float, every: float, empty: Usage
) -> Phase:
    tally.latencies.clear()
    tally.received = 0
    before, began = server.usage(), time.perf_counter()
    await played(crowd, seconds, every)
    after, took = server.usage(), time.perf_counter() - began
    reveals = len(tally.latencies)
    if reveals < 2:
        raise LoadError(f"{name}: too short for figures")
    percentiles = quantiles(tally.latencies, n=100)
    opened = len(crowd) - 1
    return Phase(
        name=name,
        reveals=reveals,
        per_second=reveals / took,
        server_cpu_ms=(after.server_ms - before.server_ms) / reveals,
        store_cpu_ms=(after.store_ms - before.store_ms) / reveals,
        p50_ms=percentiles[49] * 1000,
        p99_ms=percentiles[98] * 1000,
        bytes_per_person=tally.received / reveals / SOCKETS,
        server_kib_per_table=(after.server_kib - empty.server_kib) / opened,
        store_kib_per_table=(after.store_kib - empty.store_kib) / opened,
    )


@contextlib.contextmanager
def running(profile: Path | None, *, pinned: bool, kind: type[Server] = Server) -> Iterator[Server]:
    """Start the server, and end it; `pinned`: it and its store share one core, the load has the others."""
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(prefix="rm-bench-") as folder:
        server = kind(Path(folder), profile)
        if pinned:
            os.sched_setaffinity(0, {min(cores)})  # what is started from here inherits it
        try:
            server.start()
            if pinned:
                os.sched_setaffinity(0, cores - {min(cores)} or cores)
            yield server
        finally:
            os.sched_setaffinity(0, cores)
            server.stop()


def _show(title: str, phases: list[Phase]) -> None:
    grid = Grid(title=title, title_justify="left")
    grid.add_column("")
    for phase in phases:
        grid.add_column(phase.name, justify="right")
    rows = (
        ("reveals", "{0.reveals:,}"),
        ("reveals a second", "{0.per_second:,.0f}"),
        ("server, CPU-ms a reveal", "{0.server_cpu_ms:.3f}"),
        ("store, CPU-ms a reveal", "{0.store_cpu_ms:.3f}"),
        ("tap to last person, p50 ms", "{0.p50_ms:.2f}"),
        ("tap to last person, p99 ms", "{0.p99_ms:.2f}"),
        ("bytes a reveal and person", "{0.bytes_per_person:.0f}"),
        ("server, KiB a table", "{0.server_kib_per_table:.0f}"),
        ("store, KiB a table", "{0.store_kib_per_table:.0f}"),
    )
    for words, form in rows:
        grid.add_row(words, *(form.format(phase) for phase in phases))
    Console(width=max(80, Console().width)).print(grid)


def run(
    tables: Annotated[int, typer.Option(min=1, max=4_000, help="Tables beside the one that warms up.")] = 100,
    paced: Annotated[float, typer.Option(min=0, max=600, help="Seconds at one reveal a second and table.")] = 20.0,
    saturated: Annotated[float, typer.Option(min=0, max=600, help="Seconds as fast as it goes.")] = 10.0,
    pin: Annotated[bool, typer.Option("--pin", help="Server and store on one core, the load on the others.")] = False,
    profile: Annotated[Path | None, typer.Option(help="cProfile the server under the load, into this file.")] = None,
    reference: Annotated[bool, typer.Option("--reference", help="Also a bare aiohttp websocket.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure what a reveal costs on this machine, server and store together."""
    needed, (_, most) = 512 + tables * SOCKETS, resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < needed:
        print(f"{tables} tables need {needed} open files; this system lets a process have {most}", file=sys.stderr)
        raise typer.Exit(1)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(needed, 1024), most))  # the server inherits it
    measured: dict[str, list[Phase]] = {}
    try:
        for name, kind in (("product", Server), ("reference", Reference))[: 1 + reference]:
            with running(profile and profile.resolve(), pinned=pin, kind=kind) as server:
                measured[name] = uvloop.run(measure(server, tables, paced, saturated))
    except LoadError as error:
        print(f"The load failed: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    if as_json:
        found = {name: [asdict(phase) for phase in phases] for name, phases in measured.items()}
        print(json.dumps({"tables": tables, "sockets": SOCKETS, "phases": found.pop("product"), **found}))
        return
    for name, phases in measured.items():
        _show(f"The {name}: {tables} tables of {PEOPLE} people and {WATCHERS} watchers", phases)


if __name__ == "__main__":
    command = typer.Typer(pretty_exceptions_enable=False)
    command.command()(run)
    command()
