"""Every row of the contract's section 5: status, code, headers, cookie, redirects, limits."""

from __future__ import annotations

import gzip
import io
import json
from http.cookies import Morsel, SimpleCookie
from typing import Any

import aiohttp
import pytest

from tests.wire.asking import accepted
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker

NO_TABLE = "0" * 12


class Answer:
    """An HTTP answer, read."""

    def __init__(self, answer: aiohttp.ClientResponse, text: str) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self.text = text
        self.cookies = SimpleCookie()
        for line in answer.headers.getall("Set-Cookie", []):
            self.cookies.load(line)

    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def guest(self) -> Morsel[str] | None:
        """The guest cookie that was set, under either name."""
        return next((m for name, m in self.cookies.items() if name.endswith("rm_guest")), None)


async def ask(worker: Worker, method: str, path: str, **options: Any) -> Answer:
    options.setdefault("allow_redirects", False)
    async with aiohttp.ClientSession() as http, http.request(method, worker.base + path, **options) as answer:
        return Answer(answer, await answer.text())


async def make(worker: Worker, headers: dict[str, str] | None = None, **body: Any) -> Answer:
    return await ask(worker, "POST", "/api/tables", json={"name": "Asha", **body}, headers=headers or {})


def spellings(table: str) -> list[str]:
    dashed = f"{table[:4]}-{table[4:8]}-{table[8:]}"
    crockford = table.replace("0", "O").replace("1", "L")
    return [dashed, dashed.upper(), table.upper(), crockford if crockford != table else f"{table[:6]}-{table[6:]}"]


# --- pages


@pytest.mark.parametrize("path", ["/", "/rules", "/privacy", "/bn", "/bn/rules", "/bn/privacy"])
async def test_pages_are_there_with_safe_headers(worker: Worker, path: str) -> None:
    page = await ask(worker, "GET", path)
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert f'lang="{"bn" if path.startswith("/bn") else "en"}"' in page.text
    home = path in ("/", "/bn")
    check_headers(page, referrer="same-origin" if home else "no-referrer")
    assert page.guest is None, "a page that is only read sets no cookie"


def check_headers(page: Answer, *, referrer: str = "no-referrer") -> None:
    policy = {}
    for part in page.headers["Content-Security-Policy"].split(";"):
        name, *sources = part.split()
        policy[name] = sources
    assert policy["default-src"] in (["'self'"], ["'none'"])
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy.get("base-uri") in (["'none'"], ["'self'"])
    assert policy.get("form-action") in (["'self'"], ["'none'"])
    for sources in policy.values():
        for source in sources:
            assert "unsafe" not in source
            assert source in ("'self'", "'none'", "data:", "blob:", "ws:", "wss:") or source.startswith(
                ("'sha256-", "'nonce-", "ws://127.0.0.1", "wss://127.0.0.1")
            ), source
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] == referrer
    assert "microphone=(self)" in page.headers["Permissions-Policy"]
    assert "camera=()" in page.headers["Permissions-Policy"]
    assert "aiohttp" not in page.headers.get("Server", "").lower()


async def test_an_unknown_path_is_a_page_that_says_so(worker: Worker) -> None:
    page = await ask(worker, "GET", "/no/such/page")
    assert page.status == 404
    assert page.headers["Content-Type"].startswith("text/html")
    check_headers(page)


async def test_replay_is_the_app(worker: Worker) -> None:
    page = await ask(worker, "GET", "/replay")
    assert page.status == 200
    assert page.headers["Content-Type"].startswith("text/html")
    check_headers(page)


# --- POST /api/tables


async def test_making_a_table_sets_the_cookie_once(worker: Worker) -> None:
    made = await make(worker)
    assert made.status == 201
    assert set(made.json()) == {"id", "url", "seat", "commitment"}
    cookie = made.guest
    assert cookie is not None
    assert cookie.key == "rm_guest"
    assert len(cookie.value) >= 43, "256 bits"
    assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "lax", "/")
    assert int(cookie["max-age"]) == 30 * 24 * 3600
    assert not cookie["secure"]
    assert not cookie["domain"]
    check_headers(made)
    again = await make(worker, headers={"Cookie": f"rm_guest={cookie.value}"})
    assert again.guest is None or again.guest.value == cookie.value


async def test_behind_https_the_cookie_is_bound_to_the_host(floor: Floor) -> None:
    worker = await floor.add(public_url="https://rang.example")
    made = await make(worker)
    cookie = made.guest
    assert cookie is not None
    assert cookie.key == "__Host-rm_guest"
    assert cookie["secure"]
    assert made.json()["url"] == f"https://rang.example/t/{made.json()['id']}"


@pytest.mark.parametrize("value", ["x", "A" * 500, "%00", '"><script>', "a" * 42])
async def test_a_malformed_cookie_is_replaced(worker: Worker, value: str) -> None:
    made = await make(worker)
    answer = await ask(worker, "GET", f"/api/tables/{made.json()['id']}", headers={"Cookie": f"rm_guest={value}"})
    assert answer.status == 200
    assert answer.guest is not None
    assert answer.guest.value != value


async def test_the_socket_sets_no_cookie(worker: Worker) -> None:
    made = await make(worker)
    path = f"/socket.io/?EIO=4&transport=polling&table={made.json()['id']}"
    handshake = await ask(worker, "GET", path)
    assert handshake.status == 200
    assert handshake.guest is None


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"seats": 1}, "bad_settings", "seats"),
        ({"seats": 7}, "bad_settings", "seats"),
        ({"seats": 9, "deck": "double"}, "bad_settings", "seats"),
        ({"seats": "4"}, "bad_settings", "seats"),
        ({"seats": 4.5}, "bad_settings", "seats"),
        ({"seats": True}, "bad_settings", "seats"),
        ({"seats": 10**40}, "bad_settings", "seats"),
        ({"deck": "tarot"}, "bad_settings", "deck"),
        ({"deck": ["standard"]}, "bad_settings", "deck"),
        ({"length": "eternal"}, "bad_settings", "length"),
        ({"kind": "robots"}, "bad_settings", "kind"),
        ({"kind": "computers", "computers": 0}, "bad_settings", "computers"),
        ({"kind": "computers", "computers": 4}, "bad_settings", "computers"),
        ({"chat": "loud"}, "bad_settings", "chat"),
        ({"watchers": "yes"}, "bad_settings", "watchers"),
        ({"locked": 1}, "bad_settings", "locked"),
        ({"pace": 3}, "bad_settings", "pace"),
        ({"name": "x" * 25}, "bad_name", "name"),
        ({"name": "A\u202eB"}, "bad_name", "name"),
        ({"name": 5}, None, "name"),
    ],
)
async def test_bad_settings_are_refused_by_field(
    worker: Worker, body: dict[str, Any], code: str | None, field: str
) -> None:
    made = await make(worker, **body)
    assert made.status == 400
    answer = made.json()
    assert set(answer) == {"code", "message", "field"}
    assert code is None or answer["code"] in (code, "bad_request")
    assert answer["field"] == field
    assert answer["message"].strip()
    check_headers(made)


@pytest.mark.parametrize("body", ["", "{", "[]", "5", "null", "[" * 100_000, '{"name":NaN}', '{"name":"\\ud800"}'])
async def test_a_body_that_is_no_object_is_refused(worker: Worker, body: str) -> None:
    answer = await ask(worker, "POST", "/api/tables", data=body, headers={"Content-Type": "application/json"})
    assert answer.status in (400, 413)
    assert {"code", "message"} <= set(answer.json()) <= {"code", "message", "field"}


async def test_unknown_fields_are_ignored(worker: Worker) -> None:
    assert (await make(worker, colour="blue", id="x")).status == 201


async def test_too_large_a_body_is_413(worker: Worker) -> None:
    body = io.BytesIO(b'{"name":"' + b"x" * 2_000_000 + b'"}')
    answer = await ask(worker, "POST", "/api/tables", data=body, headers={"Content-Type": "application/json"})
    assert answer.status == 413


async def test_a_body_that_swells_is_refused(worker: Worker) -> None:
    body = gzip.compress(b'{"name":"' + b"x" * 50_000_000 + b'"}')
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = await ask(worker, "POST", "/api/tables", data=body, headers=headers)
    assert answer.status in (400, 413, 415)
    await worker.ready()


async def test_a_form_without_script_gets_a_303(worker: Worker) -> None:
    answer = await ask(worker, "POST", "/api/tables", data={"name": "Asha", "seats": "3"})
    assert answer.status == 303
    where = answer.headers["Location"]
    assert where.startswith("/t/")
    table = await ask(worker, "GET", f"/api/tables/{where[3:]}")
    assert (table.json()["seats"], table.json()["taken"]) == (3, 1)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "none"}, 201),
    ],
)
async def test_a_foreign_page_makes_no_table(worker: Worker, headers: dict[str, str], status: int) -> None:
    assert (await make(worker, headers=headers)).status == status
    form = await ask(worker, "POST", "/api/tables", data={"name": "Asha"}, headers=headers)
    assert form.status == (303 if status == 201 else status)


async def test_the_pages_own_origin_may(worker: Worker) -> None:
    assert (await make(worker, headers={"Origin": worker.base})).status == 201


async def test_too_many_tables_is_429(floor: Floor) -> None:
    worker = await floor.add(rate_tables="2")
    spread = [await make(worker) for _ in range(3)]
    assert [answer.status for answer in spread] == [201, 201, 429]
    assert spread[-1].json()["code"] in ("too_fast", "too_many")


# --- a table's own addresses


async def test_a_table_tells_no_names(worker: Worker, party: Party) -> None:
    asha, bela = await party.seated(worker.base, worker.base, seats=3)
    answer = await ask(worker, "GET", f"/api/tables/{asha.table}")
    assert answer.status == 200
    assert answer.json() == {
        "id": asha.table,
        "phase": "lobby",
        "seats": 3,
        "taken": 2,
        "watching": 0,
        "kind": "people",
        "locked": False,
    }
    assert answer.guest is not None
    check_headers(answer)
    await accepted(asha, "start")
    assert (await ask(worker, "GET", f"/api/tables/{asha.table}")).json()["phase"] == "playing"
    assert bela.name not in answer.text


async def test_any_spelling_of_an_id_is_read(worker: Worker) -> None:
    table = (await make(worker)).json()["id"]
    for spelled in spellings(table):
        assert (await ask(worker, "GET", f"/api/tables/{spelled}")).json()["id"] == table
        moved = await ask(worker, "GET", f"/t/{spelled}")
        assert (moved.status, moved.headers["Location"]) == (308, f"/t/{table}")


async def test_a_tables_page_is_the_app_and_sets_the_cookie(worker: Worker) -> None:
    table = (await make(worker)).json()["id"]
    page = await ask(worker, "GET", f"/t/{table}")
    assert page.status == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.guest is not None
    assert "Asha" not in page.text
    check_headers(page)


@pytest.mark.parametrize("table", [NO_TABLE, "short", "u" * 12, "../../etc/passwd", "%00", "x" * 5_000])
async def test_a_table_that_does_not_exist(worker: Worker, table: str) -> None:
    page = await ask(worker, "GET", f"/t/{table}")
    assert page.status in (404, 414) or (page.status == 400 and len(table) > 100)
    if page.status == 404:
        assert page.headers["Content-Type"].startswith("text/html")
    for path in ("", "/log", "/receipts"):
        answer = await ask(worker, "GET", f"/api/tables/{table}{path}")
        assert answer.status in (404, 414, 400)
        if "application/json" in answer.headers["Content-Type"]:
            assert answer.json()["code"] == "no_table"
    answer = await ask(worker, "GET", f"/api/tables/{NO_TABLE}")
    assert (answer.status, answer.json()["code"]) == (404, "no_table")


async def test_the_invite_is_a_qr_code(worker: Worker) -> None:
    table = (await make(worker)).json()["id"]
    image = await ask(worker, "GET", f"/t/{table}/qr.svg")
    assert image.status == 200
    assert image.headers["Content-Type"].startswith("image/svg+xml")
    assert "<svg" in image.text
    assert "<script" not in image.text


@pytest.mark.parametrize("game", ["x", "-1", "99999999999999999999", "1.5", ""])
async def test_a_game_that_is_not_there_has_no_log(worker: Worker, party: Party, game: str) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    status, text, _ = await asha.request(worker.base, "GET", f"/api/tables/{asha.table}/log?game={game}")
    assert status == 404
    assert json.loads(text)["code"] == "no_game"


# --- health


async def test_health_readiness_and_metrics(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    assert (await ask(worker, "GET", "/healthz")).status == 200
    assert (await ask(worker, "GET", "/readyz")).status == 200
    metrics = await ask(worker, "GET", "/metrics")
    assert metrics.status == 200
    assert metrics.headers["Content-Type"].startswith("text/plain")
    for secret in (asha.table, "Asha", "Bela", asha.cookie() or "?"):
        assert secret not in metrics.text


async def test_not_ready_without_the_store_but_alive(floor: Floor) -> None:
    worker = await floor.add()
    floor.store.kill()
    assert (await ask(worker, "GET", "/healthz")).status == 200
    assert (await ask(worker, "GET", "/readyz")).status == 503
    assert (await make(worker)).status == 503
    floor.store.start()
    floor.store.ready()
    await worker.ready()
    assert (await make(worker)).status == 201


# --- logs


async def test_the_log_names_no_person_cookie_table_or_address(worker: Worker, party: Party, floor: Floor) -> None:
    players = await party.started(worker.base, worker.base)
    await accepted(players[0], "rename", name="A\u09b6\u09be Unmistakable")
    await accepted(players[0], "stop")
    await party.judge(worker.base)
    for player in players:
        floor.secrets |= {player.cookie() or "?", player.table, player.name}
    floor.secrets |= {"Unmistakable", *(event["seed"] for event in (await party.judge()).of_type("ended"))}
