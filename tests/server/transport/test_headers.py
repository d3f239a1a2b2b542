"""The headers of every kind of answer."""

from __future__ import annotations

import pytest

from tests.server.transport.conftest import Client, Serve


async def paths(client: Client) -> list[str]:
    table = (await (await client.post("/api/tables", json={})).json())["id"]
    return [
        "/", "/bn", "/rules", "/privacy", f"/t/{table}", f"/t/{table}/qr.svg", "/replay", f"/t/{'0' * 12}",
        f"/api/tables/{table}", "/assets/main-1a2b.js", "/nothing", "/healthz", "/metrics", "/icon.svg",
    ]  # fmt: skip


async def test_every_answer_has_them(client: Client) -> None:
    for path in await paths(client):
        headers = (await client.get(path)).headers
        policy = dict(part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";"))
        own = f"'self' ws://{client.host}:{client.port}"
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data:",
            "connect-src": own,
            "manifest-src": "'self'",
            "base-uri": "'none'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
        }, path
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Permissions-Policy"].startswith("microphone=(self), ")
        assert "camera=()" in headers["Permissions-Policy"]
        assert "aiohttp" not in headers["Server"]
        home = path in ("/", "/bn")
        assert headers["Referrer-Policy"] == ("same-origin" if home else "no-referrer"), path
        assert "Cache-Control" in headers


@pytest.mark.parametrize("host", ["evil;script-src *", "a b", "x'unsafe-inline'"])
async def test_a_host_header_cannot_widen_the_policy(client: Client, host: str) -> None:
    policy = (await client.get("/", headers={"Host": host})).headers["Content-Security-Policy"]
    assert host not in policy


async def test_behind_https_sockets_are_secure(serve: Serve) -> None:
    client = await serve(public_url="https://cards.example")
    policy = (await client.get("/")).headers["Content-Security-Policy"]
    assert "connect-src 'self' wss://cards.example;" in policy
