"""The composed store: a copy of its log is a backup, and full or away it is said so, without a phantom."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from pathlib import Path

from tests.cluster.cluster import Cluster, ComposedStore
from tests.wire.conftest import Party


def test_it_drops_nothing_and_logs_everything(lent: Cluster) -> None:
    for name, value in (
        ("maxmemory-policy", "noeviction"), ("maxmemory", "536870912"), ("appendonly", "yes"),
        ("appendfsync", "everysec"), ("save", ""), ("dir", str(lent.store.folder)),
    ):  # fmt: skip
        assert lent.store.ask("CONFIG", "GET", name).split(b"\r\n")[4] == value.encode()


def not_rewriting(store: ComposedStore) -> None:
    while b"aof_rewrite_in_progress:1" in store.ask("INFO", "persistence"):
        time.sleep(0.05)


async def test_a_copy_of_the_running_stores_log_is_a_backup(lent: Cluster, party: Party, tmp_path: Path) -> None:
    """As the runbook says: no rewrite of the log, then copy it."""
    asha, _ = await party.started(lent.base, lent.base)
    assert (await asha.command("reveal", n=1))["ok"]
    lent.store.ask("CONFIG", "SET", "auto-aof-rewrite-percentage", "0")
    await asyncio.to_thread(not_rewriting, lent.store)
    shutil.copytree(lent.store.folder / "appendonlydir", tmp_path / "store" / "appendonlydir")
    lent.store.ask("CONFIG", "SET", "auto-aof-rewrite-percentage", "100")
    restored = ComposedStore(tmp_path / "store", {})
    restored.start()
    try:
        restored.ready()
        key = f"t:{{{asha.table}}}"
        assert restored.ask("HGET", key, "seq") == lent.store.ask("HGET", key, "seq")
    finally:
        restored.stop()


async def test_a_full_store_refuses_what_is_new_and_goes_on_by_itself(lent: Cluster, party: Party) -> None:
    asha, bela = await party.started(lent.base, lent.base)
    seq = asha.model.seq
    lent.store.ask("CONFIG", "SET", "maxmemory", "1")
    try:
        refused = await asha.command("reveal", n=1)
        assert (refused["ok"], refused["code"]) == (False, "store_down")
        status, text, _ = await asha.request(lent.base, "POST", "/api/tables", json={"name": "Asha"})
        assert (status, json.loads(text)["code"]) == (503, "store_down")
        assert (await asha.request(lent.base, "GET", f"/api/tables/{asha.table}"))[0] == 200
    finally:
        lent.store.ask("CONFIG", "SET", "maxmemory", "512mb")
    assert bela.model.seq == seq
    await asyncio.gather(asha.play(), bela.play())
    await party.judge(lent.base)
