"""What a process has used: processor time and memory, as Linux tells them in /proc. Nothing is measured here but that.

Invariant: figures are of the whole process, all its threads together, and only ever read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    # The name, in brackets, may hold blanks: what follows it begins with the third field.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def parent(pid: int) -> int:
    """Return the process id of a process's parent."""
    return int(_stat(pid)[1])


def cpu_ms(pid: int) -> float:
    """Return the processor time of a process so far, its own and the kernel's for it, ms (in steps of a tick)."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) * _TICK_MS


def resident_kib(pid: int) -> int:
    """Return how much of a process's memory is resident, KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise LookupError(f"process {pid} has no resident memory")


@dataclass(frozen=True, slots=True)
class Usage:
    """A server's and its store's usage at one moment: processor time in ms, memory in KiB."""

    server_ms: float
    store_ms: float
    server_kib: int
    store_kib: int

    @classmethod
    def of(cls, server: int, store: int) -> Usage:
        """Read both processes now."""
        return cls(cpu_ms(server), cpu_ms(store), resident_kib(server), resident_kib(store))
