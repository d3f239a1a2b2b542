"""The guest cookie: set where the contract says, shaped as it says, and told to nobody."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from aiohttp.test_utils import make_mocked_request

from server.transport import cookies
from tests.server.transport.conftest import Client, Serve


def guest_with(value: str) -> str | None:
    return cookies.guest_of(make_mocked_request("GET", "/", headers={"Cookie": f"rm_guest={value}"}))


def test_a_guest_is_the_hash_of_the_cookie() -> None:
    value, guest = cookies.new_cookie()
    digest = hashlib.sha256(value.encode()).digest()
    assert guest == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert len(guest) == 43
    assert guest_with(value) == guest


@pytest.mark.parametrize("value", ["", "x", "A" * 42, "A" * 44, "A" * 42 + "B", "A" * 42 + "+", "é" * 43])
def test_a_malformed_one_is_nobody(value: str) -> None:
    assert guest_with(value) is None


def test_a_malformed_one_is_still_a_cookie() -> None:
    assert cookies.has_cookie(make_mocked_request("GET", "/", headers={"Cookie": "rm_guest=x"}))
    assert not cookies.has_cookie(make_mocked_request("GET", "/"))


async def test_it_is_set_once(client: Client) -> None:
    response = await client.post("/api/tables", json={})
    morsel = response.cookies["rm_guest"]
    assert re.fullmatch("[A-Za-z0-9_-]{43}", morsel.value)
    assert (morsel["path"], morsel["samesite"], morsel["max-age"]) == ("/", "Lax", str(30 * 24 * 3600))
    assert morsel["httponly"]
    assert not morsel["secure"]
    again = await client.post("/api/tables", json={})
    assert not again.cookies


async def test_the_table_and_its_summary_set_it_too(client: Client) -> None:
    table = (await (await client.post("/api/tables", json={})).json())["id"]
    for path in (f"/t/{table}", f"/api/tables/{table}"):
        client.session.cookie_jar.clear()
        assert "rm_guest" in (await client.get(path)).cookies
        assert not (await client.get(path)).cookies
        client.session.cookie_jar.clear()
        bad = await client.get(path, headers={"Cookie": "rm_guest=short"})
        assert "rm_guest" in bad.cookies


async def test_nothing_else_sets_it(client: Client) -> None:
    for path in ("/", "/bn", "/rules", "/privacy", "/replay", "/healthz", f"/t/{'0' * 12}", f"/api/tables/{'0' * 12}"):
        assert not (await client.get(path)).cookies, path


async def test_over_https_it_is_secure_and_bound_to_the_host(serve: Serve) -> None:
    client = await serve(public_url="https://cards.example")
    response = await client.post("/api/tables", json={})
    assert set(response.cookies) == {"__Host-rm_guest"}
    morsel = response.cookies["__Host-rm_guest"]
    assert morsel["secure"]
    assert morsel["path"] == "/"
    assert not morsel["domain"]


async def test_over_https_the_unbound_name_is_nobody(serve: Serve) -> None:
    client = await serve(public_url="https://cards.example")
    value, _ = cookies.new_cookie()
    response = await client.post("/api/tables", json={}, headers={"Cookie": f"rm_guest={value}"})
    assert response.cookies["__Host-rm_guest"].value != value
