"""The edge: files from disk with the server's own headers, nothing inside shown, and nobody's address made up."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.cluster.cluster import Cluster
from tests.wire.conftest import Party
from tests.wire.processes import ROOT, free_port

DIST = ROOT / "web" / "dist"
# Torn, malformed or broken off: each an error of the round trip to the worker, unless the edge sees to it.
TORN = {
    "half a body": b"POST /api/tables HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{",
    "half a poll": b"POST /socket.io/?EIO=4&sid=a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{",
    "a body of a GET": b"GET /rules HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{",
    "a wrong chunk": b"POST /api/tables HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\nZZ\r\n",
    "a wrong chunk of a GET": b"GET /rules HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\nZZ\r\n",
    "a long line": b"GET /t/" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "half a handshake": b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
}
OF_TRANSPORT = {"date", "content-length", "etag", "last-modified", "accept-ranges", "content-type"}


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(auto_decompress=False, headers={"Accept-Encoding": "identity"}) as http:
        yield http


def built(pattern: str) -> str:
    """Return the path of the one built file that is called so."""
    [found] = DIST.glob(pattern)
    return f"/{found.relative_to(DIST).as_posix()}"


@pytest.mark.parametrize("pattern", ["icon.svg", "manifest.json", "assets/index-*.js", "assets/index-*.css"])
async def test_a_file_is_the_same_from_the_edge_as_from_a_worker(
    lent: Cluster, http: aiohttp.ClientSession, pattern: str
) -> None:
    path = built(pattern)
    headers = {"Host": "table.example"}
    async with (
        http.get(lent.base + path, headers=headers) as edge,
        http.get(lent.workers[0].base + path, headers=headers) as worker,
    ):
        assert (edge.status, worker.status) == (200, 200)
        ours, theirs = ({k.lower(): v for k, v in each.headers.items()} for each in (edge, worker))
        told = [{k: v for k, v in each.items() if k not in OF_TRANSPORT | {"vary"}} for each in (ours, theirs)]
        features = [set(each.pop("permissions-policy").split(", ")) for each in told]
        assert told[0] == told[1]
        assert features[0] == features[1]
        # text/javascript or application/javascript, as each's table of types has it; with a charset or without.
        kinds = [re.split("[/;]", each["content-type"])[1] for each in (ours, theirs)]
        assert kinds[0] == kinds[1]
        assert await edge.read() == await worker.read()
        assert ("immutable" in ours["cache-control"]) == path.startswith("/assets/")
    async with http.get(lent.base + path, headers=headers | {"If-None-Match": ours["etag"]}) as again:
        assert again.status == 304


@pytest.mark.parametrize("which", ["the edge", "a worker"])
@pytest.mark.parametrize("pattern", ["icon.svg", "assets/index-*.js", "assets/index-*.css"])
async def test_packed_files_are_sent_as_they_were_built(
    lent: Cluster, http: aiohttp.ClientSession, pattern: str, which: str
) -> None:
    path = built(pattern)
    base = lent.base if which == "the edge" else lent.workers[0].base
    for asked, coding, ending in (("gzip, deflate, br", "br", ".br"), ("gzip", "gzip", ".gz")):
        async with http.get(base + path, headers={"Accept-Encoding": asked}) as answer:
            assert answer.headers["Content-Encoding"] == coding
            assert "Accept-Encoding" in answer.headers["Vary"]
            assert await answer.read() == (DIST / (path[1:] + ending)).read_bytes()
    assert gzip.decompress((DIST / (path[1:] + ".gz")).read_bytes()) == (DIST / path[1:]).read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "/metrics",
        "/METRICS",
        "/%6detrics",
        "/metrics/",
        "//metrics",
        "/./metrics",
        "/healthz",
        "/readyz",
        "/index.html",
    ],
)
async def test_what_is_the_operators_is_not_shown(lent: Cluster, path: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", lent.edge.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"rm_" not in answer


async def test_the_inside_has_health_and_metrics(lent: Cluster, http: aiohttp.ClientSession) -> None:
    inside = f"http://127.0.0.1:{lent.edge.inside}"
    async with http.get(f"{inside}/metrics") as answer:
        assert "caddy_http_requests_total" in await answer.text()
    async with http.get(f"{inside}/t/abc") as answer:
        assert answer.status == 404


async def test_a_file_that_only_a_worker_has_comes_from_there(lent: Cluster, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{lent.base}/") as home:
        style = re.search(r"/static/[\w.]+\.css", await home.text())
    assert style is not None
    async with http.get(lent.base + style[0]) as answer:
        assert (answer.status, answer.content_type) == (200, "text/css")
    async with http.get(f"{lent.base}/assets/of-no-release.js") as answer:
        assert answer.status == 404
        assert answer.headers["Cache-Control"] == "no-store"


async def test_another_releases_file_is_found_wherever_it_is(
    lent: Cluster, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "older-1a2b.js").write_text("let older = 1;")
    old = lent.make_worker(RM_APP_DIR=str(tmp_path))
    usual = lent.edge.workers
    old.start()
    try:
        await old.ready()
        lent.edge.workers += f" {old.address}:{old.port}"
        await lent.edge.reload()
        for _ in range(8):
            async with http.get(f"{lent.base}/assets/older-1a2b.js") as answer:
                assert (answer.status, await answer.text()) == (200, "let older = 1;")
                assert "immutable" in answer.headers["Cache-Control"]
    finally:
        lent.edge.workers = usual
        await lent.edge.reload()
        old.stop()


async def test_a_body_and_headers_have_their_bounds(lent: Cluster, http: aiohttp.ClientSession) -> None:
    async with http.post(f"{lent.base}/api/tables", data=b" " * 200_000) as answer:
        assert answer.status == 413
    # A poll of no session: the worker refuses it by its head, perhaps before the edge has counted so far.
    async with http.post(f"{lent.base}/socket.io/?EIO=4&transport=polling", data=b" " * 200_000) as answer:
        assert answer.status in (400, 413)
    reader, writer = await asyncio.open_connection("127.0.0.1", lent.edge.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + b"x" * 40_000 + b"\r\n\r\n")
    assert b" 431 " in await reader.readline()
    writer.close()


async def test_who_writes_headers_slowly_is_let_go(lent: Cluster) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", lent.edge.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
    await asyncio.wait_for(reader.read(), 14)
    writer.close()


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
async def test_nobody_can_bring_a_worker_into_disrepute(
    lent: Cluster, http: aiohttp.ClientSession, torn: bytes
) -> None:
    """One failure takes a worker out for two seconds: no visitor may cause one."""
    for _ in range(4):
        _, writer = await asyncio.open_connection("127.0.0.1", lent.edge.port)
        writer.write(torn)
        await writer.drain()
        await asyncio.sleep(0.02)
        writer.transport.abort()
    began = time.monotonic()
    async with http.get(f"{lent.base}/rules") as answer:
        assert answer.status == 200
    assert time.monotonic() - began < 1.0


async def test_nobody_makes_up_an_address(lent: Cluster, http: aiohttp.ClientSession) -> None:
    """A worker that allows two tables a minute and address counts the real one, whatever the headers say."""
    strict = lent.make_worker(RM_RATE_TABLES="2")
    strict.start()
    usual = lent.edge.workers
    try:
        await strict.ready()
        lent.edge.workers = f"to {strict.address}:{strict.port}"
        await lent.edge.reload()
        statuses = []
        for made_up in ("10.1.1.1", "203.0.113.7", "203.0.113.8, 127.0.0.1", "::1"):
            headers = {"X-Forwarded-For": made_up, "Forwarded": f"for={made_up}", "X-Real-IP": made_up}
            async with http.post(f"{lent.base}/api/tables", json={"name": "Asha"}, headers=headers) as answer:
                statuses.append(answer.status)
        assert statuses == [201, 201, 429, 429]
        from_elsewhere = aiohttp.TCPConnector(local_addr=("127.0.0.9", 0))
        async with (
            aiohttp.ClientSession(connector=from_elsewhere) as other,
            other.post(f"{lent.base}/api/tables", json={"name": "Bela"}) as answer,
        ):
            assert answer.status == 201
    finally:
        lent.edge.workers = usual
        await lent.edge.reload()
        strict.stop()


async def test_no_worker_there_is_said_in_words_and_logged_without_addresses_queries_cookies_or_tables(
    lent: Cluster, party: Party
) -> None:
    """Both the log of requests (switched on here) and that of what failed tell of the whole request otherwise."""
    usual = lent.edge.workers
    lent.edge.more["EDGE_ACCESS_LOG"] = "log"
    await lent.edge.reload()
    asha, _ = await party.seated(lent.base, lent.base)
    cookie = asha.cookie()
    del lent.edge.more["EDGE_ACCESS_LOG"]
    lent.edge.workers = f"to 127.0.0.1:{free_port()}"
    await lent.edge.reload()
    try:
        asked = (f"/api/tables/{asha.table}?secret=squirrel", "/bn?secret=squirrel")
        api, page = await asyncio.gather(*(asha.request(lent.base, "GET", path) for path in asked))
    finally:
        lent.edge.workers = usual
        await lent.edge.reload()
    assert (page[0], api[0]) == (503, 503)
    assert json.loads(api[1])["code"] == "store_down"
    assert "comes back by itself" in page[1]
    assert page[2]["Retry-After"] == "2"
    assert page[2]["Content-Security-Policy"].startswith("default-src 'none'")
    # Whoever reloads it is on this machine.
    log = "\n".join(line for line in lent.edge.output().splitlines() if '"logger":"admin' not in line)
    assert '"logger":"http.log.access"' in log
    assert '"uri":"/api/tables/-"' in log
    assert cookie is not None
    for word in (cookie, asha.table, "squirrel", "remote_ip", "client_ip", "Cookie", "User-Agent"):
        assert word not in log, word
