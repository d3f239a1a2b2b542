"""A network of the test's own, where packets can be dropped without a sign to either end.

The test's thread goes into a network namespace of which nobody else is part, starts its deployment there, and drops
packets by iptables. It needs root (CAP_SYS_ADMIN) and Debian's iproute2 and iptables: `make tools`. The invariant: the
thread is back in its own network at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def own_network() -> Iterator[None]:
    """Go into a network of one's own, which has 127.0.0.0/8 alone; whatever is started meanwhile is there too."""
    for tool in ("ip", "iptables"):
        assert shutil.which(tool), f"the tests need {tool}: `make tools`"
    ours = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        assert _libc.unshare(_NEW_NETWORK) == 0, (
            f"no network of one's own ({os.strerror(ctypes.get_errno())}): this test must run as root"
        )
        try:
            _run("ip", "link", "set", "lo", "up")
            yield
        finally:
            assert _libc.setns(ours, _NEW_NETWORK) == 0, os.strerror(ctypes.get_errno())
    finally:
        os.close(ours)


def cut(address: str) -> None:
    """Drop every packet to and from this address of ours."""
    for chain, end in (("OUTPUT", "--destination"), ("OUTPUT", "--source")):
        _run("iptables", "--append", chain, end, address, "--jump", "DROP")


def mend() -> None:
    """Drop nothing any more."""
    _run("iptables", "--flush")


def dropped() -> int:
    """Return how many packets have been dropped since the last `cut`."""
    lines = _run("iptables", "--list", "OUTPUT", "--verbose", "--numeric", "--exact").splitlines()[2:]
    return sum(int(line.split()[0]) for line in lines)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout
