"""`make cluster`: says where it is, starts again what ends, and ends whole on Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import aiohttp

from tests.wire.processes import ROOT, free_port


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def environment_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/environ").read_text("utf-8").split("\0")


async def test_it_runs_until_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    words = ("-m", "tests.cluster.run", "--port", str(port), "--data-dir", str(tmp_path), "--workers", "1")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=ROOT, stdout=asyncio.subprocess.PIPE, env={**os.environ, "RM_BEAT_MS": "777"}
    )
    assert process.stdout is not None
    try:
        lines = [(await asyncio.wait_for(process.stdout.readline(), 40)).decode() for _ in range(4)]
        assert lines[0].startswith(f"Rang Milanti is on http://localhost:{port}: 1 workers")
        pids = {
            found[1]: int(found[2]) for found in (re.match(r"  (\w+): process (\d+)", line) for line in lines) if found
        }
        assert set(pids) == {"store", "caddy", "worker0"}
        assert "RM_BEAT_MS=777" in environment_of(pids["worker0"])
        async with aiohttp.ClientSession() as http, http.get(f"http://localhost:{port}/replay") as answer:
            assert answer.status == 200
        os.kill(pids["worker0"], signal.SIGKILL)
        again = (await asyncio.wait_for(process.stdout.readline(), 10)).decode()
        assert "worker0 ended and is started again" in again
        pids["worker0"] = int(again.split()[-1])
    finally:
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), 15) == 0
    assert not [name for name, pid in pids.items() if alive(pid)]
