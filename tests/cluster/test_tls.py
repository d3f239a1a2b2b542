"""Where there is a name: TLS by itself, a way there from plain http, and sockets over it.

The certificate is of Caddy's own authority here.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.cluster.cluster import Cluster, Edge

NAMED = {"EDGE_SITE": "localhost", "EDGE_GLOBAL": "local_certs\nskip_install_trust"}


@pytest.fixture
async def edge(lent: Cluster, tmp_path: Path) -> AsyncIterator[Edge]:
    """An edge that has a name, before the workers of the others."""
    edge = Edge(tmp_path, NAMED)
    edge.workers = lent.edge.workers
    edge.start()
    try:
        await edge.ready()
        yield edge
    finally:
        await asyncio.to_thread(edge.stop)


async def trusting(edge: Edge) -> ssl.SSLContext:
    """Return what trusts this edge's own authority, once it has a certificate from there."""
    async with asyncio.timeout(15):
        while True:
            try:
                [root] = edge.folder.rglob("local/root.crt")
                trust = ssl.create_default_context(cafile=str(root))
                _, writer = await asyncio.open_connection("localhost", edge.https, ssl=trust)
            except (ValueError, ssl.SSLError):
                await asyncio.sleep(0.1)
            else:
                writer.close()
                return trust


async def test_a_name_is_served_by_tls(edge: Edge) -> None:
    trust = await trusting(edge)
    async with aiohttp.ClientSession() as http:
        async with http.get(f"{edge.base}/rules", headers={"Host": "localhost"}, allow_redirects=False) as plain:
            assert plain.status == 308
            # The port inside is nobody's business: outside it is the usual one.
            assert plain.headers["Location"] == "https://localhost/rules"
        base = f"https://localhost:{edge.https}"
        async with http.get(f"{base}/icon.svg", ssl=trust) as file:
            assert file.status == 200
            assert file.headers["Strict-Transport-Security"] == "max-age=31536000"
            assert f"wss://localhost:{edge.https};" in file.headers["Content-Security-Policy"]
        query = "EIO=4&transport=websocket&table=000000000000"
        async with http.ws_connect(f"{base}/socket.io/?{query}", ssl=trust, headers={"Origin": base}) as socket:
            assert (await socket.receive_str()).startswith("0{")
