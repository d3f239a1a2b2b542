"""A worker's life, as a process: it starts, is killed, comes back, and ends when told, hanging on nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.config import Config
from server.serving import public_address

ROOT = Path(__file__).resolve().parents[2]


class Worker:
    """`rang-milanti serve` on a free port, its standard output in a file."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.output = data_dir.parent / f"{time.monotonic_ns()}.log"
        environment = {**os.environ, "PYTHONWARNINGS": "error", **settings}
        command = [sys.executable, "-m", "server.main", "serve", "--host", "127.0.0.1", "--port", "0"]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, "--data-dir", str(data_dir)], cwd=ROOT, env=environment, stdout=output, stderr=output
            )
        self.url = self._url()

    def _url(self) -> str:
        until = time.monotonic() + 20
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(r"^Rang Milanti is on (http://\S+) ", self.text, re.M)
            if found:
                return found[1]
            time.sleep(0.02)
        raise AssertionError(self.text)

    @property
    def text(self) -> str:
        return self.output.read_text()

    def get(self, path: str) -> int:
        try:
            with urllib.request.urlopen(self.url + path, timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def make_table(self, **wanted: object) -> str:
        body = json.dumps(wanted).encode()
        request = urllib.request.Request(self.url + "/api/tables", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return str(json.load(answer)["id"])

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        began = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(15), time.monotonic() - began


@pytest.fixture
def workers() -> Iterator[list[Worker]]:
    started: list[Worker] = []
    yield started
    for worker in started:
        if worker.process.poll() is None:
            worker.process.kill()
            worker.process.wait()


def store_pid(data_dir: Path) -> int:
    return int((data_dir / "store.lock").read_text())


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


def test_it_serves_and_ends_when_told(tmp_path: Path, workers: list[Worker]) -> None:
    data = tmp_path / "data"
    worker = Worker(data)
    workers.append(worker)
    assert worker.get("/readyz") == worker.get("/") == 200
    store = store_pid(data)
    code, took = worker.end(signal.SIGINT)
    assert code == 0, worker.text
    assert took < 5
    wait_until_gone(store)
    assert "Traceback" not in worker.text
    assert "127.0.0.1" not in worker.text.split("\n", 1)[1]


def test_tables_outlive_a_restart_and_a_kill(tmp_path: Path, workers: list[Worker]) -> None:
    data = tmp_path / "data"
    worker = Worker(data, RM_FSYNC="always")
    workers.append(worker)
    table = worker.make_table(name="Asha")
    worker.process.kill()
    worker.process.wait()
    worker = Worker(data)
    workers.append(worker)
    assert worker.get(f"/api/tables/{table}") == 200
    worker.end()
    worker = Worker(data)
    workers.append(worker)
    assert worker.get(f"/api/tables/{table}") == 200
    assert "Asha" not in worker.text


def test_an_embedded_store_that_dies_is_started_anew(tmp_path: Path, workers: list[Worker]) -> None:
    data = tmp_path / "data"
    worker = Worker(data, RM_FSYNC="always")
    workers.append(worker)
    table = worker.make_table()
    first = store_pid(data)
    os.kill(first, signal.SIGKILL)
    until = time.monotonic() + 10
    while worker.get(f"/api/tables/{table}") != 200 or store_pid(data) == first:
        assert time.monotonic() < until, worker.text
        time.sleep(0.1)
    second = store_pid(data)
    assert worker.end()[0] == 0
    wait_until_gone(second)


def test_a_second_signal_ends_it_at_once(tmp_path: Path, workers: list[Worker]) -> None:
    worker = Worker(tmp_path / "data")
    workers.append(worker)
    # A connection that neither reads nor closes may not hold it up either.
    with socket.create_connection(("127.0.0.1", int(worker.url.rsplit(":", 1)[1]))) as held:
        held.sendall(b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        time.sleep(0.1)
        worker.process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        code, took = worker.end()
    assert code in (0, 128 + signal.SIGTERM)
    assert took < 2


def test_malformed_http_leaves_no_traceback(tmp_path: Path, workers: list[Worker]) -> None:
    worker = Worker(tmp_path / "data")
    workers.append(worker)
    port = int(worker.url.rsplit(":", 1)[1])
    for garbage in (
        b"\x16\x03\x01\x02\x00",
        b"BAD\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nA b\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(garbage + b"\r\n\r\n")
            connection.recv(1000)
    assert worker.end()[0] == 0
    assert "Traceback" not in worker.text
    assert "127.0.0.1" not in worker.text.split("\n", 1)[1]


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"host": "0.0.0.0"}, "http://localhost:9"),
        ({"host": "::"}, "http://localhost:9"),
        ({"host": "::1"}, "http://[::1]:9"),
        ({"host": "cards"}, "http://cards:9"),
        ({"public_url": "https://cards.example"}, "https://cards.example"),
    ],
)
def test_what_to_type(settings: dict[str, str], url: str) -> None:
    assert public_address(Config(**settings), 9) == url  # type: ignore[arg-type]  # texts, read as from outside


def test_nothing_in_flight_is_no_wait(tmp_path: Path, workers: list[Worker]) -> None:
    worker = Worker(tmp_path / "data")
    workers.append(worker)
    worker.make_table(name="Asha")
    # A long-polling session whose client never comes back for what waits for it.
    assert worker.get("/socket.io/?EIO=4&transport=polling") == 200
    code, took = worker.end()
    assert code == 0, worker.text
    assert took < 1.5  # the process with its store: the drain alone is measured in transport/test_sockets.py
    assert "end_took_too_long" not in worker.text


def test_it_ends_in_time_also_when_its_store_is_stopped(tmp_path: Path, workers: list[Worker]) -> None:
    data = tmp_path / "data"
    worker = Worker(data)
    workers.append(worker)
    assert worker.get("/socket.io/?EIO=4&transport=polling") == 200
    store = store_pid(data)
    os.kill(store, signal.SIGSTOP)
    try:
        port = int(worker.url.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=15) as asking:
            asking.sendall(b"GET /api/tables/0123456789ab HTTP/1.1\r\nHost: x\r\n\r\n")  # hangs on the store
            time.sleep(0.2)
            worker.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            until = began + 10
            while "ended" not in worker.text.replace("end_took", "") and time.monotonic() < until:
                time.sleep(0.02)
            took = time.monotonic() - began
    finally:
        os.kill(store, signal.SIGCONT)
    assert took < 5, worker.text
    assert worker.process.wait(15) == 0, worker.text
    wait_until_gone(store)
