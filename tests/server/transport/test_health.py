"""Alive, ready, counted."""

from __future__ import annotations

import pytest

from server.ports import StoreDownError
from server.transport.keys import HEALTH
from tests.server.transport.conftest import Client


async def test_alive_and_ready(client: Client) -> None:
    assert (await client.get("/healthz")).status == 200
    assert (await client.get("/readyz")).status == 200


async def test_a_draining_worker_is_alive_and_not_ready(client: Client) -> None:
    assert client.app is not None
    client.app[HEALTH].draining = True
    assert (await client.get("/healthz")).status == 200
    assert (await client.get("/readyz")).status == 503


async def test_without_a_store_it_is_not_ready(client: Client, store: object, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down() -> None:
        raise StoreDownError

    monkeypatch.setattr(store, "ping", down)
    assert (await client.get("/readyz")).status == 503
    assert (await client.get("/healthz")).status == 200


async def test_numbers_by_route_and_never_by_table(client: Client) -> None:
    table = (await (await client.post("/api/tables", json={"name": "Asha"})).json())["id"]
    await client.get(f"/api/tables/{table}")
    await client.get("/nothing/at/all")
    response = await client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    text = await response.text()
    assert 'rm_http_requests_total{method="GET",route="/api/tables/{id}",status="200"} 1.0' in text
    assert 'rm_http_requests_total{method="GET",route="none",status="404"} 1.0' in text
    assert "rm_build_info" in text
    assert table not in text
    assert "Asha" not in text
