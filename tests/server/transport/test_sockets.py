"""Connections, commands and the end of a worker, by real clients over websockets and long-polling."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store.launcher import Embedded
from server.store.valkey import ValkeyStore
from server.transport import sockets
from tests.server.store.helpers import Proxy, until
from tests.server.transport.conftest import Open
from tests.server.transport.wires import House

BOTH = pytest.mark.parametrize("transport", ["websocket", "polling"])
DRAINED = 0.5
"""How long a drain may take with nothing in flight, s."""


# --- In -----------------------------------------------------------------------------------------------------------


@BOTH
async def test_a_maker_connects_and_is_told_everything(house: House, transport: str) -> None:
    guest = house.guest()
    table = await guest.make_table()
    asha = await guest.client(table, transport)
    await until(lambda: bool(asha.all("moment")))
    assert [name for name, _ in asha.heard[:3]] == ["snapshot", "you", "moment"]
    assert asha.all("you") == [{"seat": 0, "host": True, "watching": False}]
    assert len(house.sockets) == 1


@BOTH
async def test_two_play_and_see_the_same(house: House, transport: str) -> None:
    one, two = house.guest(), house.guest()
    table = await one.make_table(seats=2)
    await two.visit(table)
    asha, bula = await one.client(table), await two.client(table, transport)
    assert await bula.do("sit", id="s", name="Bula") == {"ok": True, "seq": 2, "seat": 1}
    assert (await asha.do("start", id="go"))["ok"]
    answer = await asha.do("reveal", n=1)
    assert answer["ok"]
    await until(lambda: any(batch["seq"] == answer["seq"] for batch in bula.all("events")))
    await until(lambda: asha.all("events")[-1] == bula.all("events")[-1])


@pytest.mark.parametrize("table", ["000000000000", "no such", "", "x" * 65])
async def test_no_such_table(house: House, table: str) -> None:
    client = await house.guest().client(table)
    assert client.refused[0]["data"] == {"code": "no_table"}
    assert client.refused[0]["message"]
    assert len(house.sockets) == 0


@pytest.mark.parametrize("auth", ["", "[]", '"x"', "{}", '{"table":5}', '{"table":"0","since":[1]}'])
async def test_a_greeting_of_another_shape_is_no_table(house: House, auth: str) -> None:
    bare = await house.guest().bare()
    await bare.say("40" + auth)
    if auth in ("[]", '"x"'):
        assert await bare.ended() is not None  # the namespace's connect takes an object
        return
    assert json.loads((await bare.hear())[2:])["data"] == {"code": "no_table"}


async def test_a_table_is_known_however_it_is_spelt(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    client = await guest.client("-".join((table[:4], table[4:8], table[8:])).upper())
    await until(lambda: bool(client.all("snapshot")))


async def test_too_many_connections_of_one_address(house_at: Open) -> None:
    house = await house_at(rate_sockets=2)
    guest = house.guest()
    table = await guest.make_table()
    first = await guest.client(table)
    await guest.client(table)
    refused = await guest.client(table)
    assert refused.refused[0]["data"] == {"code": "too_many"}
    await first.close()
    await until(lambda: len(house.sockets) == 1)
    assert (await guest.client(table)).refused == []


async def test_a_foreign_origin_is_refused(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    async with guest.http.get(
        f"{house.url}/socket.io/?EIO=4&transport=polling&table={table}", headers={"Origin": "https://elsewhere.example"}
    ) as answer:
        assert answer.status == 403


async def test_who_has_no_cookie_watches(house: House) -> None:
    table = await house.guest().make_table()
    bare = await house.guest().bare(table)
    refused = await bare.ask("sit", 1, id="s", name="Nobody")
    assert (refused["ok"], refused["code"]) == (False, "no_cookie")


async def test_resume_by_since(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    asha = await guest.client(table)
    await until(lambda: bool(asha.all("snapshot")))
    shot = asha.all("snapshot")[0]
    await asha.do("rename", id="r1", name="A1")
    await asha.do("rename", id="r2", name="A2")
    again = await guest.client(table, since=[shot["epoch"], shot["seq"], shot["mark"]])
    await until(lambda: bool(again.all("moment")))
    assert again.all("snapshot") == []
    assert [batch["seq"] for batch in again.all("events")] == [2, 3]
    assert await again.do("sync", since=[shot["epoch"], 3, again.all("events")[-1]["mark"]]) == {"ok": True, "seq": 3}
    await until(lambda: again.all("events")[-1]["events"] == [])
    assert (await asha.do("sync"))["code"] == "replaced"
    assert asha.all("notice") == [{"code": "replaced"}]


# --- Commands -----------------------------------------------------------------------------------------------------


async def test_a_commands_own_events_come_before_its_answer(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    answer = await bare.ask("rename", 7, id="r", name="Asha Di")
    assert answer == {"ok": True, "seq": 2}
    kinds = [text[:10] for text in bare.heard]
    assert kinds.index('42["events') < kinds.index('437[{"ok":')


@pytest.mark.parametrize(
    ("name", "payload", "field"),
    [
        ("rename", {"id": "r", "name": 5}, "name"),
        ("rename", {"name": "A"}, "id"),
        ("reveal", {"n": True}, "n"),
        ("nothing", {}, None),
        ("connect", {}, None),
        ("disconnect", {}, None),
    ],
)
async def test_another_shape_is_a_bad_request(
    house: House, name: str, payload: dict[str, object], field: str | None
) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    refused = await bare.ask(name, 1, **payload)
    assert (refused["code"], refused.get("field")) == ("bad_request", field)
    assert refused["message"]


async def test_a_refusal_is_in_the_readers_language(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    bare = await guest.bare(table, headers={"Accept-Language": "bn"})
    refused = await bare.ask("start", 1, id="go")
    assert refused["code"] == "need_two"
    assert refused["message"][0] > "\u0980"


async def test_a_command_without_an_id_for_its_answer_is_done_all_the_same(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    await bare.say('42["rename",{"id":"r","name":"Asha Di"}]')
    assert '"renamed"' in await bare.hear_until('42["events"')


async def test_commands_have_a_rate_and_accepted_reveals_none(house_at: Open) -> None:
    house = await house_at(rate_commands=3, rate_refused=2)
    one, two = house.guest(), house.guest()
    table = await one.make_table(seats=2)
    await two.visit(table)
    asha, bula = await one.bare(table), await two.bare(table)
    await bula.ask("sit", 1, id="s")
    codes = [(await bula.ask("sync", n)).get("code") for n in range(2, 8)]
    assert "too_fast" in codes
    await asha.ask("start", 1, id="go")
    refused = [(await bula.ask("reveal", n, n=9))["code"] for n in range(20, 26)]
    assert refused[0] == "not_your_turn"
    assert refused[-1] == "too_fast"


async def test_a_flood_is_ended(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    for n in range(600):
        await bare.say(f'42{n}["sync",{{}}]')
    assert await bare.ended() == 1008
    await until(lambda: len(house.sockets) == 0)


async def test_a_store_that_is_away_is_a_typed_refusal_unless_nobody_can_say_what_was_done(
    store: ValkeyStore, house: House, admin: Redis
) -> None:
    guest = house.guest()
    table = await guest.make_table()
    bare = await guest.bare(table)
    await store._questions.close()
    assert (await bare.ask("sync", 1))["code"] == "store_down"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await bare.ask("rename", 2, id="r", name="A")
    refused = await guest.client(table)
    assert refused.refused[0]["data"] == {"code": "store_down"}


async def test_a_bug_is_an_answer_and_a_line_in_the_log(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    monkeypatch.setattr(house.sockets.rooms, "command", broken)
    assert (await bare.ask("rename", 1, id="r", name="A"))["code"] == "store_down"


# --- Out ----------------------------------------------------------------------------------------------------------


@BOTH
async def test_who_goes_is_absent_and_forgotten(house: House, transport: str) -> None:
    one, two = house.guest(), house.guest()
    table = await one.make_table()
    await two.visit(table)
    asha, bula = await one.client(table), await two.client(table, transport)
    await bula.do("sit", id="s", name="Bula")
    await bula.close()
    await until(lambda: len(house.sockets) == 1)
    await until(lambda: asha.all("presence")[-1]["absent"] == [1])


@BOTH
async def test_a_drain_says_so_and_closes_at_once(house: House, transport: str) -> None:
    guest = house.guest()
    table = await guest.make_table()
    client = await guest.client(table, transport)
    assert await house.drain() < DRAINED
    if transport == "websocket":
        await until(lambda: {"code": "draining"} in client.all("notice"))
    await until(lambda: not client.sio.connected)
    async with guest.http.get(f"{house.url}/socket.io/?EIO=4&transport=polling") as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")


async def test_a_drained_websocket_is_closed_with_1012(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    drained = asyncio.ensure_future(house.drain())
    assert await bare.ended() == 1012
    assert '42["notice",{"code":"draining"}]' in bare.heard
    assert await drained < DRAINED
    await house.sockets.drain()  # a second one has nothing left to do


async def test_a_drain_does_not_wait_for_pollers_who_never_come_back(house: House) -> None:
    guest = house.guest()
    async with guest.http.get(f"{house.url}/socket.io/?EIO=4&transport=polling") as answer:
        assert answer.status == 200
    assert await house.drain() < DRAINED


async def test_a_drain_lets_what_is_in_flight_finish(
    house: House, admin: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "UNDER_WAY_S", 20)  # That it is bounded is the next test's.
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    await admin.client_pause(300)
    await bare.say('421["rename",{"id":"r","name":"Asha Di"}]')
    await asyncio.sleep(0.05)
    drained = asyncio.ensure_future(house.drain())
    await asyncio.sleep(0.05)
    await bare.say('422["rename",{"id":"late","name":"Late"}]')
    assert await bare.ended() == 1012
    answers = {text[:3]: text for text in bare.heard if text.startswith("43")}
    assert [json.loads(t[t.index("[") :])[0]["ok"] for t in bare.heard if t.startswith("431[")] == [True]
    assert [json.loads(t[t.index("[") :])[0]["code"] for t in bare.heard if t.startswith("432[")] == ["draining"]
    assert answers
    assert await drained < 1


async def test_a_drain_is_bounded_also_when_the_store_is_gone(
    house_at: Open, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        store = await ValkeyStore.connect(proxy.url)
        house = await house_at(store)
        guest = house.guest()
        bare = await guest.bare(await guest.make_table())
        proxy.silent = True
        (live,) = house.sockets.rooms.live()
        live.repair()  # holds the room's lock for as long as it asks
        await asyncio.sleep(0.05)
        assert (await house.drain()) < DRAINED
        assert await bare.ended() == 1012
        began = asyncio.get_running_loop().time()
        await until(lambda: len(house.frames.connections) == 0)
        assert asyncio.get_running_loop().time() - began < 1
        await store.close()


async def test_a_command_that_hangs_on_a_gone_store_is_given_up(
    house_at: Open, embedded: Embedded, tmp_path: Path
) -> None:
    async with Proxy(tmp_path / "p.sock", embedded.url.removeprefix("unix://")) as proxy:
        store = await ValkeyStore.connect(proxy.url)
        house = await house_at(store)
        guest = house.guest()
        bare = await guest.bare(await guest.make_table())
        proxy.silent = True
        await bare.say('421["rename",{"id":"r","name":"Asha Di"}]')
        await asyncio.sleep(0.05)
        assert (await house.drain()) < 3
        assert await bare.ended() == 1012
        await store.close()


@BOTH
async def test_two_greetings_at_once_are_one_person(house: House, admin: Redis, transport: str) -> None:
    guest = house.guest()
    table = await guest.make_table()
    greeting = "40" + json.dumps({"table": table})
    await admin.client_pause(200)
    if transport == "websocket":
        bare = await guest.bare()
        await asyncio.gather(bare.say(greeting), bare.say(greeting))
        await bare.ended()
    else:
        url = await guest.poll_url()
        await asyncio.gather(guest.post(url, greeting), guest.post(url, greeting))
        await guest.post(url, "1")
    await until(lambda: len(house.sockets) == 0)
    await until(lambda: len(house.sockets.rooms) == 0)


@pytest.mark.parametrize("goodbye", ["1", "garbage"])
async def test_a_poller_who_goes_while_being_let_in_leaves_nobody_behind(
    house: House, admin: Redis, goodbye: str
) -> None:
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    await admin.client_pause(200)
    greeted = asyncio.ensure_future(guest.post(url, "40" + json.dumps({"table": table})))
    await asyncio.sleep(0.05)
    await guest.post(url, goodbye)
    await greeted
    await asyncio.sleep(0.05)
    assert len(house.sockets) == 0
    assert len(house.sockets.rooms) == 0
    assert len(house.frames.connections) == 0
    assert house.frames.manager.rooms.get("/", {}).get(None, {}) == {}


async def test_who_goes_while_being_let_in_leaves_nobody_behind(house: House, admin: Redis) -> None:
    guest = house.guest()
    table = await guest.make_table()
    bare = await guest.bare()
    await admin.client_pause(200)
    await bare.say("40" + json.dumps({"table": table}))
    await asyncio.sleep(0.05)
    await bare.close()
    await asyncio.sleep(0.4)
    assert len(house.sockets) == 0
    assert len(house.sockets.rooms) == 0
    assert len(house.frames.connections) == 0


@BOTH
@pytest.mark.parametrize("public_url", [None, "http://cards.example.org:8080"])
async def test_a_moving_seats_link_is_absolute_as_the_invitation_is(
    house_at: Open, transport: str, public_url: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    house = await house_at(public_url=public_url)
    guest, other = house.guest(), house.guest()
    table = await guest.make_table()
    await other.visit(table)
    asha, phone = await guest.client(table, transport), await other.client(table, transport)
    answer = await asha.do("move", id="m")
    url, token = answer["url"].split("#seat=")
    assert url == f"{public_url or house.url}/t/{table}"
    assert set(answer) == {"ok", "seq", "url"}
    assert len(token) == 32
    assert await asha.do("move", id="m") == answer
    assert await phone.do("claim", id="c", token=token) == {"ok": True, "seq": 3, "seat": 0}
    await until(lambda: asha.all("you")[-1] == {"seat": None, "host": False, "watching": True})
    stale = await asha.do("claim", id="c", token=token)
    assert (stale["code"], bool(stale["message"])) == ("stale_link", True)
    assert token not in caplog.text
