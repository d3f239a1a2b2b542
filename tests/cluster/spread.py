"""A deployment of which every link can fail: a proxy before the store for each worker, a relay before each worker.

The deployment is one for all tests of a file; proxies and relays belong to the running test, at ports that stay. The
invariant: a test finds every worker serving, and nothing held or cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.cluster.cluster import Cluster
from tests.wire.processes import DEFAULTS, ROOT, assert_quiet_log, free_port
from tests.wire.proxy import Proxy
from tests.wire.relay import Relay

NONE: Mapping[str, str] = MappingProxyType({})


class Spread:
    """Some workers, the proxy of each before the store, and the relay of each behind the edge."""

    def __init__(
        self, folder: Path, workers: int = 2, *, settings: Mapping[str, str] = NONE, source: Path = ROOT
    ) -> None:
        self._ports = [free_port() for _ in range(workers)]
        self._fronts = [free_port() for _ in range(workers)]
        urls = [f"redis://127.0.0.1:{port}/0" for port in self._ports]
        self.cluster = Cluster(folder, workers=workers, settings=DEFAULTS | settings, urls=urls, source=source)
        self.proxies: list[Proxy] = []
        self.relays: list[Relay] = []

    @property
    def base(self) -> str:
        """The origin that people come to."""
        return self.cluster.base

    @property
    def bases(self) -> list[str]:
        """The workers' own origins, by their relays: for people who are to be at a worker of the test's choice."""
        return [f"http://127.0.0.1:{port}" for port in self._fronts]

    @contextlib.asynccontextmanager
    async def whole(self) -> AsyncIterator[Spread]:
        """Have everything run while a test does; what it ended is started again by the next."""
        cluster = self.cluster
        self.proxies = [Proxy(cluster.store.port, at) for at in self._ports]
        for proxy in self.proxies:
            await proxy.start()
        try:
            if not cluster.workers:
                await cluster.start()
                cluster.edge.workers = "to " + " ".join(base.removeprefix("http://") for base in self.bases)
            for worker in cluster.workers:
                worker.reap()
                if not worker.running:
                    worker.start()
            await asyncio.gather(*(worker.ready() for worker in cluster.workers))
            self.relays = [Relay(worker.port, at) for worker, at in zip(cluster.workers, self._fronts, strict=True)]
            for relay in self.relays:
                await relay.start()
            await cluster.edge.reload()
            yield self
        finally:
            for relay in self.relays:
                await relay.stop()
            for proxy in self.proxies:
                await proxy.stop()

    def stop(self) -> None:
        """End the deployment."""
        self.cluster.stop()


@contextlib.contextmanager
def spread_over(
    folder: Path, workers: int = 2, *, settings: Mapping[str, str] = NONE, source: Path = ROOT
) -> Iterator[Spread]:
    """Make a deployment that is started by its first test; at its end our product's logs must be quiet."""
    spread = Spread(folder, workers, settings=settings, source=source)
    try:
        yield spread
    finally:
        spread.stop()
    for worker in spread.cluster.workers if source is ROOT else ():
        assert_quiet_log(worker)
