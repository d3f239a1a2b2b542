"""Tables over HTTP: made once, by whom the contract lets; everything else refused in words."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from typing import Any

import pytest

from server.ports import StoreDownError, StoreFullError
from server.transport import api
from server.transport.keys import HEALTH
from tests.server.transport.conftest import Client, Serve

ID = re.compile(r"[0-9abcdefghjkmnpqrstvwxyz]{12}")


async def made(client: Client, **wanted: object) -> dict[str, Any]:
    response = await client.post("/api/tables", json=wanted)
    assert response.status == 201, await response.text()
    return dict(await response.json())


async def test_a_table_is_made_with_its_maker_at_seat_0(client: Client) -> None:
    answer = await made(client, name="Asha", seats=3)
    assert set(answer) == {"id", "url", "seat", "commitment"}
    assert ID.fullmatch(answer["id"])
    assert answer["url"] == f"http://{client.host}:{client.port}/t/{answer['id']}"
    assert answer["seat"] == 0
    assert re.fullmatch("[0-9a-f]{64}", answer["commitment"])
    summary = await client.get(f"/api/tables/{answer['id']}")
    assert await summary.json() == {
        "id": answer["id"],
        "phase": "lobby",
        "seats": 3,
        "taken": 1,
        "watching": 0,
        "kind": "people",
        "locked": False,
    }


async def test_computers_sit_down_at_once(client: Client) -> None:
    answer = await made(client, kind="computers", computers=2, seats=5)
    summary = await (await client.get(f"/api/tables/{answer['id']}")).json()
    assert (summary["kind"], summary["seats"], summary["taken"]) == ("computers", 3, 3)


async def test_the_public_url_is_in_the_link(serve: Serve) -> None:
    answer = await made(await serve(public_url="https://cards.example"))
    assert answer["url"] == f"https://cards.example/t/{answer['id']}"


async def test_unknown_fields_are_ignored_and_a_name_may_be_missing(client: Client) -> None:
    await made(client, colour="green")
    await made(client, name=None)
    await made(client, name="  ")


async def test_a_form_goes_to_its_table(client: Client) -> None:
    form = {"name": "", "seats": "7", "deck": "double", "watchers": "false", "language": "bn", "length": ""}
    response = await client.post("/api/tables", data=form, allow_redirects=False)
    assert response.status == 303
    assert re.fullmatch(rf"/t/{ID.pattern}", response.headers["Location"])
    assert "rm_guest" in response.cookies
    summary = await (await client.get("/api" + response.headers["Location"].replace("/t/", "/tables/"))).json()
    assert summary["seats"] == 7


async def test_the_last_of_a_forms_doubled_fields_counts(client: Client) -> None:
    body = "seats=2&watchers=false&watchers=true"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    response = await client.post("/api/tables", data=body, headers=kind, allow_redirects=False)
    table = response.headers["Location"].removeprefix("/t/")
    client.session.cookie_jar.clear()
    assert (await client.get(f"/api/tables/{table}/receipts")).status == 200


@pytest.mark.parametrize(
    ("wanted", "code", "field"),
    [
        ({"seats": 1}, "bad_settings", "seats"),
        ({"seats": 9, "deck": "double"}, "bad_settings", "seats"),
        ({"seats": 7}, "bad_settings", "seats"),
        ({"seats": "4"}, "bad_settings", "seats"),
        ({"seats": True}, "bad_settings", "seats"),
        ({"seats": 10**400}, "bad_settings", "seats"),
        ({"deck": "tarot"}, "bad_settings", "deck"),
        ({"length": None}, "bad_settings", "length"),
        ({"pace": 3}, "bad_settings", "pace"),
        ({"kind": "computers", "computers": 4}, "bad_settings", "computers"),
        ({"watchers": "yes"}, "bad_settings", "watchers"),
        ({"name": 5}, "bad_name", "name"),
        ({"name": "x" * 25}, "bad_name", "name"),
        ({"name": "x" * 5000}, "bad_name", "name"),
        ({"name": "a\u202eb"}, "bad_name", "name"),
        ({"name": "\u200b"}, "bad_name", "name"),
        ({"name": "\r\nSet-Cookie: x"}, None, None),
    ],
)
async def test_what_cannot_be_is_refused_by_field(
    client: Client, wanted: dict[str, object], code: str | None, field: str | None
) -> None:
    response = await client.post("/api/tables", json=wanted)
    answer = await response.json()
    if code is None:
        assert response.status in (201, 400)
        return
    assert response.status == 400
    assert (answer["code"], answer["field"]) == (code, field)
    assert answer["message"]
    assert not response.cookies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b"[" * 15000,
        b'{"seats": NaN}',
        b'{"seats": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b'{"name": "\xed\xa0\x80"}',
    ],
)
async def test_garbage_is_refused(client: Client, body: bytes) -> None:
    response = await client.post("/api/tables", data=body, headers={"Content-Type": "application/json"})
    assert response.status == 400
    answer = await response.json()
    assert answer["code"] == "bad_request"
    assert answer["field"] is None


async def test_a_lone_surrogate_is_no_name(client: Client) -> None:
    headers = {"Content-Type": "application/json"}
    response = await client.post("/api/tables", data=rb'{"name": "\ud800"}', headers=headers)
    assert (await response.json())["code"] == "bad_name"


async def test_another_kind_of_body_is_refused(client: Client) -> None:
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/xml"):
        response = await client.post("/api/tables", data=b'{"seats": 3}', headers={"Content-Type": kind})
        assert (response.status, (await response.json())["code"]) == (400, "bad_request")


async def test_too_much_is_413_also_when_it_swells(client: Client) -> None:
    headers = {"Content-Type": "application/json"}
    large = json.dumps({"name": "x" * api.LARGEST_BODY}).encode()
    response = await client.post("/api/tables", data=large, headers=headers)
    assert (response.status, (await response.json())["code"]) == (413, "too_large")
    swelling = gzip.compress(b" " * 50_000_000)
    for body in (gzip.compress(large), swelling[: 4 * api.LARGEST_BODY]):
        response = await client.post("/api/tables", data=body, headers={**headers, "Content-Encoding": "gzip"})
        assert response.status == 413


async def test_a_form_of_garbage_is_refused(client: Client) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for body in (b"&a=1" * 200, b"name=\xff", b"x" * (api.LARGEST_BODY + 1)):
        response = await client.post("/api/tables", data=body, headers=headers)
        assert response.status in (400, 413)
        assert response.content_type == "text/html"


async def test_a_slow_body_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "BODY_WITHIN_S", 0.05)
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: 20\r\n\r\n{")
    head = await asyncio.wait_for(reader.readuntil(b"\r\n"), 5)
    assert b" 408 " in head
    writer.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_another_site_makes_no_table(client: Client, headers: dict[str, str]) -> None:
    response = await client.post("/api/tables", json={}, headers=headers)
    assert (response.status, (await response.json())["code"]) == (403, "foreign_origin")
    assert not response.cookies


async def test_our_own_pages_do(client: Client) -> None:
    own = f"http://{client.host}:{client.port}"
    response = await client.post("/api/tables", json={}, headers={"Origin": own, "Sec-Fetch-Site": "same-origin"})
    assert response.status == 201


async def test_one_table_too_many_a_minute(serve: Serve) -> None:
    client = await serve(rate_tables=2, trusted_proxies="127.0.0.0/8,::1")
    headers = {"X-Forwarded-For": "198.51.100.9"}
    for _ in range(2):
        assert (await client.post("/api/tables", json={}, headers=headers)).status == 201
    response = await client.post("/api/tables", json={}, headers=headers)
    assert (response.status, (await response.json())["code"]) == (429, "too_fast")
    assert int(response.headers["Retry-After"]) > 0
    other = await client.post("/api/tables", json={}, headers={"X-Forwarded-For": "198.51.100.10"})
    assert other.status == 201


async def test_a_refused_table_does_not_count(serve: Serve) -> None:
    client = await serve(rate_tables=1, trusted_proxies="127.0.0.0/8,::1")
    headers = {"X-Forwarded-For": "198.51.100.11"}
    assert (await client.post("/api/tables", json={"seats": 99}, headers=headers)).status == 400
    assert (await client.post("/api/tables", json={}, headers=headers)).status == 201


async def test_a_draining_server_makes_none(client: Client) -> None:
    assert client.app is not None
    client.app[HEALTH].draining = True
    response = await client.post("/api/tables", json={})
    assert (response.status, (await response.json())["code"]) == (503, "draining")


@pytest.mark.parametrize("error", [StoreDownError, StoreFullError])
async def test_a_store_that_is_down_is_said(
    client: Client, store: object, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(store, "open", fails)
    response = await client.post("/api/tables", json={})
    assert (response.status, (await response.json())["code"]) == (503, "store_down")
    assert not response.cookies


async def test_an_id_is_read_as_people_write_it(client: Client) -> None:
    table = (await made(client))["id"]
    spelled = f"{table[:4]}-{table[4:8]}-{table[8:]}".upper().replace("1", "I").replace("0", "o")
    assert (await (await client.get(f"/api/tables/{spelled}")).json())["id"] == table


@pytest.mark.parametrize("table", ["0" * 12, "1", "uuuuuuuuuuuu", "%00", "x" * 3000, "০১২৩৪৫৬৭৮৯০১"])
@pytest.mark.parametrize("rest", ["", "/log", "/receipts"])
async def test_no_such_table(client: Client, table: str, rest: str) -> None:
    response = await client.get(f"/api/tables/{table}{rest}")
    assert (response.status, (await response.json())["code"]) == (404, "no_table")


async def test_messages_are_in_the_readers_language(client: Client) -> None:
    response = await client.get(f"/api/tables/{'0' * 12}", headers={"Accept-Language": "bn-BD,bn;q=0.9"})
    assert "টেবিল" in (await response.json())["message"]


async def test_logs_and_receipts_before_any_game(client: Client) -> None:
    table = (await made(client))["id"]
    log = await client.get(f"/api/tables/{table}/log")
    assert (log.status, (await log.json())["code"]) == (404, "no_game")
    receipts = await client.get(f"/api/tables/{table}/receipts")
    assert await receipts.json() == {"receipts": []}


@pytest.mark.parametrize("game", ["", "0", "7", "x", "-1", "9" * 30])
async def test_a_game_that_there_is_not(client: Client, game: str) -> None:
    table = (await made(client))["id"]
    response = await client.get(f"/api/tables/{table}/log", params={"game": game})
    assert (response.status, (await response.json())["code"]) == (404, "no_game")


async def test_without_watchers_only_the_seated_read(client: Client, serve: Serve) -> None:
    table = (await made(client, watchers=False))["id"]
    assert (await client.get(f"/api/tables/{table}/receipts")).status == 200
    stranger = await serve()
    for what in ("log", "receipts"):
        response = await stranger.get(f"/api/tables/{table}/{what}")
        assert (response.status, (await response.json())["code"]) == (403, "not_allowed")


async def test_other_methods_are_refused_in_json(client: Client) -> None:
    response = await client.put("/api/tables", json={})
    assert response.status == 405
    assert response.headers["Allow"] == "POST"
    assert (await response.json())["code"] == "bad_request"
