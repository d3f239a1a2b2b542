"""`make cluster`: the deployment on this machine until Ctrl-C.

What would be in .env is taken from the environment. As with the composition, what ends by itself is started again.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Annotated

import typer

from tests.cluster.cluster import Cluster

AGAIN_AFTER_S = 1.0


def run(
    host: Annotated[str, typer.Option(help="Address of the edge.")] = "localhost",
    port: Annotated[int | None, typer.Option(help="Port of the edge; any free one without.")] = None,
    data_dir: Annotated[Path, typer.Option(help="Where the store and the logs are.")] = Path("data/cluster"),
    workers: Annotated[int, typer.Option(min=1, max=64)] = 3,
    policy: Annotated[str, typer.Option(help="How the edge chooses a worker.")] = "query table",
) -> None:
    """Run edge, workers and store until Ctrl-C."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(("RM_", "EDGE_", "VALKEY_"))}
    variables["EDGE_POLICY"] = policy
    cluster = Cluster(data_dir.resolve(), workers=workers, variables=variables, port=port, host=host)
    try:
        asyncio.run(_live(cluster))
    finally:
        cluster.stop()


async def _live(cluster: Cluster) -> None:
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    starting = asyncio.ensure_future(cluster.start())
    ending = asyncio.ensure_future(told.wait())
    await asyncio.wait((starting, ending), return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        return
    await starting
    print(f"Rang Milanti is on {cluster.base}: {len(cluster.workers)} workers (Ctrl-C ends it)", flush=True)
    for process in (cluster.store, cluster.edge, *cluster.workers):
        print(f"  {process.name}: process {process.pid}, port {process.port}, log {process.log}", flush=True)
    while not told.is_set():
        await asyncio.wait([ending], timeout=AGAIN_AFTER_S)
        for process in (cluster.store, cluster.edge, *cluster.workers):
            if not process.running and not told.is_set():
                process.reap()
                process.start()
                print(f"  {process.name} ended and is started again: process {process.pid}", flush=True)


if __name__ == "__main__":
    command = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    command.command()(run)
    command()
