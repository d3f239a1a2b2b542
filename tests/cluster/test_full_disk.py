"""The store's disk is full: said in words, nothing phantom, and over by itself when there is room again.

The store's folder is a small file system of its own, which root alone may mount.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SHORT, running, turn
from tests.wire.conftest import Party


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of two MiB."""
    folder = tmp_path_factory.mktemp("full") / "store"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    done = subprocess.run(mounting, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"no disk of one's own, for which this test must run as root: {done.stderr}"
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(scope="module")
def cluster(disk: Path) -> Iterator[Cluster]:
    with running(disk.parent, "list", 2) as cluster:
        yield cluster


def fill(disk: Path) -> Path:
    """Leave no byte of room."""
    filler = disk / "filler"
    free = os.statvfs(disk)
    filler.write_bytes(b"x" * free.f_bavail * free.f_frsize)
    assert os.statvfs(disk).f_bavail == 0
    return filler


async def test_a_full_disk_is_said_and_is_over_by_itself(cluster: Cluster, party: Party, disk: Path) -> None:
    players = await party.started(*(worker.base for worker in cluster.workers), **SHORT)
    asha, bela = players
    await turn(players, 3)
    filler = fill(disk)
    refused = None
    # What is left of a page can still be written, and what is under way when the disk is found full is kept.
    for number in range(400):
        answer = await asha.command("rename", name=f"Asha {number}")
        if not answer["ok"]:
            refused = answer
            break
    assert refused is not None
    assert refused["code"] == "store_down"
    seq = asha.model.seq
    status, text, _ = await asha.request(cluster.workers[0].base, "POST", "/api/tables", json={"name": "Asha"})
    assert (status, json.loads(text)["code"]) == (503, "store_down")
    status, text, _ = await asha.request(cluster.workers[0].base, "GET", f"/api/tables/{asha.table}")
    assert (status, json.loads(text)["code"]) == (503, "store_down")
    again = await bela.command("rename", name="Bela Di")
    assert (again["ok"], again["code"]) == (False, "store_down")
    assert [player.model.seq for player in players] == [seq, seq]
    filler.unlink()
    freed = time.monotonic()
    while not (await bela.command("rename", name="Bela Di"))["ok"]:
        assert time.monotonic() - freed < 5
        await asyncio.sleep(0.1)
    while (await asha.request(cluster.base, "GET", f"/api/tables/{asha.table}"))[0] != 200:
        assert time.monotonic() - freed < 8
        await asyncio.sleep(0.1)
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(cluster.base)
    assert history.of_type("ended")
    # All of it reached the disk: it is there after the store is started anew.
    cluster.store.kill()
    cluster.store.start()
    cluster.store.ready()
    watcher = party.player("watcher")
    await watcher.open(cluster.base, asha.table)
    assert watcher.model.seq == asha.model.seq
    await party.judge(cluster.base)
