"""The application over the real embedded store, as a browser's client meets it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from server.config import Config
from server.store.valkey import ValkeyStore
from server.transport.http import create_app
from tests.server.transport.wires import House

TestClient.__test__ = False
TestServer.__test__ = False

Client = TestClient[web.Request, web.Application]
Serve = Callable[..., Awaitable[Client]]

SHELL = """<!doctype html><html lang="en"><head><title>Rang Milanti</title><!--og--></head><body></body></html>"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built app, of one file of each kind."""
    (tmp_path / "dist" / "assets").mkdir(parents=True)
    (tmp_path / "dist" / "index.html").write_text(SHELL)
    (tmp_path / "dist" / "icon.svg").write_text("<svg/>")
    (tmp_path / "dist" / "assets" / "main-1a2b.js").write_text("let x = 1;\n" * 50)
    (tmp_path / "dist" / "assets" / "main-1a2b.js.gz").write_bytes(b"\x1f\x8b" + b"packed")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "dist"


@pytest.fixture
async def serve(store: ValkeyStore, built: Path) -> AsyncIterator[Serve]:
    """Start the application with some settings; returns a client for it."""
    clients: list[Client] = []

    async def start(**settings: Any) -> Client:
        app = create_app(Config(**{"app_dir": built, "rate_tables": 0, **settings}), settings.pop("store", store))
        client: Client = TestClient(TestServer(app))
        await client.start_server()
        clients.append(client)
        return client

    yield start
    for client in clients:
        await client.close()


@pytest.fixture
async def client(serve: Serve) -> Client:
    return await serve()


Open = Callable[..., Awaitable[House]]


@pytest.fixture
async def house_at(store: ValkeyStore) -> AsyncIterator[Open]:
    """Start whole transports, over the store or another connection to it, with some settings."""
    async with AsyncExitStack() as houses:

        async def start(over: ValkeyStore = store, **settings: Any) -> House:
            return await houses.enter_async_context(House(over, **settings))

        yield start


@pytest.fixture
async def house(house_at: Open) -> House:
    return await house_at()
